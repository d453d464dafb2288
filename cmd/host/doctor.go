package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/doctor"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/engine"
)

const (
	// cacheSpace is what the cache may need, in bytes: the client for browsers, and files of other servers.
	cacheSpace = 300 << 20
	// toolchainTime bounds the question to a Go toolchain for its version.
	toolchainTime = 30 * time.Second
)

type doctorCmd struct {
	JSON  bool     `name:"json" help:"Print the results as JSON."`
	Flags []string `arg:"" optional:"" name:"flags" help:"After --, what the host would be started with: host doctor -- --listen :7777 arena."`
}

// Run checks and prints. The exit code is 1 if a check fails.
func (c *doctorCmd) Run(sys *system) error {
	results, p := configured(sys, c.Flags)
	s := &p.commands.Serve
	h := s.hostFor(p)
	results = append(results, doctor.Check(h, doctor.ThisMachine())...)
	results = append(results, s.checkStore(p), s.checkCluster(p))
	results = append(results, s.checkGame(p)...)
	results = append(results, checkClient(h.Web != ""))
	ok, err := doctor.Print(sys.stdout, results, c.JSON)
	if err != nil {
		return err
	}
	if !ok {
		return exitError(1)
	}
	return nil
}

// configured reads the settings of serve. If they cannot be used it returns the defaults, so that the other checks can be made.
func configured(sys *system, flags []string) ([]doctor.Result, *parsed) {
	const check = "settings"
	p, err := parse(append([]string{"serve"}, flags...), sys)
	if err == nil {
		s := &p.commands.Serve
		url := s.Level
		if s.URL != "" {
			url = s.URL
		}
		if err = s.check(s.Tick); err == nil {
			err = s.checkSecrets(p, url)
		}
	}
	if err != nil {
		text := strings.TrimSpace(strings.ReplaceAll(err.Error(), "\n", "; "))
		p, err := parse([]string{"serve", "--config", os.DevNull}, &system{stdout: sys.stdout, stderr: sys.stderr})
		if err != nil {
			panic("host: the defaults are not valid: " + err.Error()) // tests run them
		}
		return []doctor.Result{{Grade: doctor.Fail, Check: check, Text: text, Do: "the checks below are for the defaults"}}, p
	}
	from := "no host.toml here: defaults, flags and the environment"
	if f := p.settings.File(); f != "" {
		from = f + " is valid"
	}
	return []doctor.Result{{Check: check, Text: from}}, p
}

// hostFor returns what serve would use.
func (c *serveCmd) hostFor(p *parsed) doctor.Host {
	chosen := func(flag string) bool { return p.settings.From(p.ctx, flag) != settings.FromDefault }
	_, players := c.players(c.start())
	h := doctor.Host{
		UDP: c.Listen, Web: c.Web, Admin: c.Admin, UDPChosen: chosen("listen"), WebChosen: chosen("web"), Players: players,
		Guarded: c.Password != "" || c.TokenKey != "", Cert: c.TLSCert, Key: c.TLSKey,
	}
	if c.netMode() == engine.NMStandalone {
		h.UDP, h.Web = "", ""
	}
	if c.Web == webOff || !h.WebChosen && c.TLSCert == "" && !web.HasClient(clientSource()) {
		h.Web = ""
	}
	for _, s := range [...]struct{ flag, path string }{{"--token-key", c.TokenKey}, {"--tls-key", c.TLSKey}} {
		if s.path != "" {
			h.Secrets = append(h.Secrets, doctor.Secret{What: s.flag, Path: s.path, Refused: true})
		}
	}
	if _, err := os.Stat(c.HostKey); c.HostKey != "" && err == nil { // otherwise the host makes it
		h.Secrets = append(h.Secrets, doctor.Secret{What: "--host-key", Path: c.HostKey, Refused: true})
	}
	from := p.settings.From(p.ctx, "password")
	if i := strings.LastIndexByte(from, ':'); c.Password != "" && i >= 0 {
		h.Secrets = append(h.Secrets, doctor.Secret{What: "the password in", Path: from[:i]})
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		h.Folders = append(h.Folders, doctor.Folder{What: "cache", Path: filepath.Join(cache, "tidelock"), Need: cacheSpace})
	}
	switch {
	case c.HostKey != "":
		h.Folders = append(h.Folders, doctor.Folder{What: "keys", Path: filepath.Dir(c.HostKey)})
	case err == nil:
		h.Folders = append(h.Folders, doctor.Folder{What: "keys", Path: filepath.Join(cache, "tidelock", "keys")})
	}
	return h
}

// start returns the URL to play.
func (c *serveCmd) start() string {
	if c.URL != "" {
		return c.URL
	}
	return c.Level
}

// checkGame loads scripts and content as `host check` does, and looks for the level.
func (c *serveCmd) checkGame(p *parsed) []doctor.Result {
	a, err := assets.Open(assets.Options{Scripts: c.Scripts, Content: c.Content, Off: p.settings.Guard().Off, KeepGoing: true})
	if err != nil {
		return []doctor.Result{{Grade: doctor.Fail, Check: "scripts", Text: err.Error()}}
	}
	files, diags, err := examine(a)
	if err != nil {
		return []doctor.Result{{Grade: doctor.Fail, Check: "scripts", Text: err.Error()}}
	}
	r := doctor.Result{Check: "scripts", Text: fmt.Sprintf("%s and the content have no errors", count(files, "script"))}
	first, wrong := "", 0
	for _, d := range diags {
		if d.Severity == engine.SevError {
			if wrong++; wrong == 1 {
				first = d.String()
			}
		}
	}
	if wrong > 0 {
		r = doctor.Result{Grade: doctor.Fail, Check: "scripts", Text: count(wrong, "error") + ", the first: " + first, Do: `"host check" finds all`}
	}
	level := doctor.Result{Check: "level", Text: "no level is asked for"}
	if name := match.ParseURL(c.start()).Level; name != "" {
		file := "levels/" + name + ".map"
		level.Text = "content/" + file + " is there"
		if !fs.ValidPath(file) {
			level = doctor.Result{Grade: doctor.Fail, Check: "level", Text: fmt.Sprintf("%q is no name of a level", name)}
		} else if _, err := fs.Stat(a.Content(), file); err != nil {
			level = doctor.Result{Grade: doctor.Fail, Check: "level", Text: "there is no content/" + file, Do: "name another level, or give --content DIR"}
		}
	}
	return []doctor.Result{r, level}
}

// checkClient says where browsers get their client from.
func checkClient(listens bool) doctor.Result {
	const check = "client"
	if !listens {
		return doctor.Result{Grade: doctor.Skip, Check: check, Text: "no listener for browsers"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), toolchainTime)
	defer cancel()
	from, err := web.ClientSource(ctx, clientSource())
	if err != nil {
		return doctor.Result{Grade: doctor.Warn, Check: check, Text: err.Error()}
	}
	return doctor.Result{Check: check, Text: "the client for browsers is " + from}
}
