package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/secret"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/web"
)

// steering is how people look at a running host and change it: the commands, and the API with the inspector.
type steering struct {
	commands *command.Registry
	turn     *serve.Turn
	admin    *admin.Handler
	// address is that of the web listener for this machine, "" without one.
	address atomic.Value
}

// steer makes the commands and the API of a match.
func (c *serveCmd) steer(g *game, list *access.List, board *metrics.Board, log *slog.Logger) (*steering, error) {
	s := &steering{commands: &command.Registry{}, turn: &serve.Turn{}}
	s.commands.Log = func(who command.Caller, line string, err error) { logCommand(log, who, line, err) }
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	opt := control.Options{Host: g, Worlds: g, Turns: s.turn, Access: list, Log: log, Notes: func() []string { return append(g.drain.Notes(), s.turn.Notes()...) }, Dropped: func() uint64 {
		var f metrics.Figures
		board.Read(&f)
		return f.Dropped
	}}
	g.drains = board.SetDraining
	if err := s.commands.Add(append(control.Commands(opt), drainCommands(g, s.turn)...)...); err != nil {
		return nil, err
	}
	g.asks = newPlayerCommands(s.commands, s.turn, func(key string) access.Role { return list.RoleOf(key) }, log)
	g.commands = &gameCommands{registry: s.commands, options: opt, log: log}
	if g.Match != nil {
		g.followed()
	}
	client, err := web.Page()
	if err != nil {
		return nil, err
	}
	s.admin, err = admin.New(admin.Options{
		Client:   client,
		Commands: s.commands, Host: g, Turns: s.turn, Token: token, Version: strings.TrimPrefix(version(), "tidelock "), Rate: c.Tick,
		Reads: map[string]http.Handler{
			"/metrics": metrics.Handler(board, strings.TrimPrefix(version(), "tidelock ")), "/healthz": metrics.Health(board), "/readyz": metrics.Ready(board),
		},
		Grant: func(key string) error { return list.SetRole(key, access.Owner) },
		Notes: s.turn.Notes, Reloads: s.turn.Reloads, Source: s.turn.Source, Save: s.turn.Save, Store: g.store, Hosts: g.hostsJSON, Log: log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	err = s.commands.Add(command.Command{
		Name: hostsCommand, Help: "List the hosts of the cluster with players, free places, load and labels.",
		Run: func(*command.Call) ([]string, error) { return g.keeping.hosts.table(), nil },
	}, command.Command{
		Name: linkCommand, Needs: access.Owner, Help: "Print a link to the inspector that makes a browser at this machine the owner, once, within five minutes.",
		Run: func(*command.Call) ([]string, error) {
			if l := s.link(); l != "" {
				return []string{l}, nil
			}
			return nil, errors.New("link: this host has no web listener; give --web or --admin")
		},
	})
	return s, err
}

// link returns a link to the inspector with a new code; "" without a web listener.
func (s *steering) link() string {
	at, _ := s.address.Load().(string)
	if at == "" {
		return ""
	}
	return at + "/inspect#code=" + s.admin.NewCode()
}

// serve is [web.Options].Admin.
func (s *steering) serve(w http.ResponseWriter, r *http.Request, client netip.Addr, local bool) bool {
	if !s.admin.Takes(r.URL.Path) {
		return false
	}
	s.admin.Serve(w, r, admin.Visitor{Addr: client, Local: local})
	return true
}

// logCommand logs who changed something, or tried to.
func logCommand(log *slog.Logger, who command.Caller, line string, err error) {
	fields := []any{"event", "command", "who", who.Name, "role", cmp.Or(who.Role.String(), "none"), "via", who.Via, "line", line}
	if who.Key != "" {
		fields = append(fields, "key", who.Key)
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelWarn
		fields = append(fields, "error", err.Error())
	}
	log.Log(context.Background(), level, "command", fields...)
}

// maxTokenFile bounds a token's file, in bytes.
const maxTokenFile = 1024

// tokenFile returns the default file of the admin token of a host with a port for browsers: in the user's cache folder, ""
// if there is no such folder.
func tokenFile(port string) string {
	cache, err := os.UserCacheDir()
	if err != nil || port == "" || port == "0" {
		return ""
	}
	return filepath.Join(cache, "tidelock", "keys", "admin-"+filepath.Base(port))
}

// token returns the admin token: from the file of --admin-token, which is created with a random one, or else from the default
// one. A host without either, such as one on a port that the system chooses, has none; the command link works all the
// same.
func (c *serveCmd) token() (string, error) {
	file := c.AdminToken
	if file == "" {
		at := cmp.Or(c.Admin, c.Web)
		if file = tokenFile(at[strings.LastIndexByte(at, ':')+1:]); file == "" || at == webOff || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
			return "", nil
		}
	}
	token, err := readToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		token, err = newToken(file)
	}
	switch {
	case err != nil && c.AdminToken == "" && !errors.Is(err, secret.ErrShared):
		return "", nil // a folder that cannot be written
	case err != nil:
		return "", usageError{fmt.Errorf("admin token: %w", err)}
	}
	return token, nil
}

// reloadToken reads the admin token's file again: a token that leaked is replaced without a restart. Without the file a new one is made.
func (s *steering) reloadToken(c *serveCmd, log *slog.Logger) {
	token, err := c.token()
	switch {
	case err != nil:
		log.Error("admin token not read again, the old one stays: "+err.Error(), "event", "admin_token")
	case token != "" && s.admin.SetToken(token):
		log.Info("admin token changed: programs and browsers with the old one have no role any more", "event", "admin_token")
	}
}

// readToken reads a token's file.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := secret.Check(f); err != nil {
		return "", fmt.Errorf("%q: %w", file, reasonOf(err))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	if err != nil {
		return "", fmt.Errorf("%q: %w", file, reasonOf(err))
	}
	token := strings.TrimSpace(string(b))
	if len(token) < leastToken || strings.ContainsAny(token, " \t\n") {
		return "", fmt.Errorf("%q: expected one line of at least %d characters without spaces; remove the file, and the host makes another", file, leastToken)
	}
	return token, nil
}

// leastToken is the least length of a token that somebody wrote.
const leastToken = 16

// newToken writes a file with a random token.
func newToken(file string) (string, error) {
	token := admin.NewToken()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("%q: %w; name a file that can be written", file, reasonOf(err))
	}
	_, err = fmt.Fprintln(f, token)
	if e := f.Close(); err == nil {
		err = e
	}
	return token, err
}
