package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// moved is an access list behind a door whose players all come from one address: those of a test come from this machine,
// which is never banned.
type moved struct {
	*access.List
	from string
}

func (m *moved) Check(key, _ string) *link.Reason  { return m.List.Check(key, m.from) }
func (m *moved) Barred(key, _ string) *link.Reason { return m.List.Barred(key, m.from) }

// guardedHost is a host on a port of this machine with an access list, and a game that counts how often it is asked.
type guardedHost struct {
	*party
	list *moved
	link *kcplink.Link
}

const gate = `
local Gate = class("Gate", "GameInfo")
Gate.properties { Asked = int(0) }
function Gate:PreLogin(options, address)
	self.Asked = self.Asked + 1
	return Gate.super.PreLogin(self, options, address)
end
return Gate
`

func newGuardedHost(t *testing.T, s *kcplink.Server) *guardedHost {
	t.Helper()
	root := t.TempDir()
	saveFile(t, root, "scripts/Gate.lua", gate)
	list, err := access.Open(filepath.Join(root, "access.toml"))
	must(t, err)
	h := &guardedHost{list: &moved{list, "198.51.100.1:9"}, link: bound(t, s)}
	h.party = newParty(t, root, gameOptions{URL: "flat?game=Gate", Link: h.link, Access: h.list})
	return h
}

// asked is how often the game was asked about a player.
func (h *guardedHost) asked() int {
	return int(value(h.Game, "Asked").Num)
}

// visitor is a player of this host who would come back if they lost the connection.
func (h *guardedHost) visitor(key kcplink.Key, name, token string) *join.Player {
	h.t.Helper()
	return h.enter(join.Options{Name: name, Key: key, Token: token, ComeBack: &comeback.Options{Seed: 1}})
}

// comesIn expects that a player gets in.
func (h *guardedHost) comesIn(what string, p *join.Player) {
	h.t.Helper()
	h.until(what+" comes in", func() bool { return p.Pawn() != nil || p.Over() })
	if why := p.Outcome(); why != nil {
		h.t.Errorf("%s: %v", what, why)
	}
}

// isRefused expects that a player is refused before the game is asked, with a code and a text.
func (h *guardedHost) isRefused(what string, p *join.Player, code, text string) {
	h.t.Helper()
	before := h.asked()
	h.until(what+" is refused", func() bool { return p.Over() || p.Pawn() != nil })
	why := p.Outcome()
	if why == nil {
		h.t.Errorf("%s came in", what)
		return
	}
	if why.Exit != join.ExitRefused || why.Code != code || why.Error() != "here refused: "+text+" ("+code+")" {
		h.t.Errorf("%s: exit %d, %s, %q", what, why.Exit, why.Code, why.Error())
	}
	if h.asked() != before {
		h.t.Errorf("%s: the game was asked", what)
	}
}

func newPlayerKey(t *testing.T) kcplink.Key {
	t.Helper()
	key, err := kcplink.NewKey()
	must(t, err)
	return key
}

// keyOf returns a key as logs show it.
func keyOf(k kcplink.Key) string { return fmt.Sprintf("key-%x", k.Public[:16]) }

// TestAccessAtTheDoor attacks the list over real sockets: a banned player with another name and from another address, a
// banned address with a new key, and a player who is not on the whitelist. None of them gets to the game.
func TestAccessAtTheDoor(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	ann, bob := newPlayerKey(t), newPlayerKey(t)
	must(t, h.list.Ban(access.Ban{Key: keyOf(ann), Name: "Ann", Reason: "spam"}))
	const banned = "you are banned from this server: spam"
	h.isRefused("a banned player", h.visitor(ann, "Ann", ""), access.Banned, banned)
	h.list.from = "203.0.113.5:77"
	h.isRefused("a banned player from elsewhere by another name", h.visitor(ann, "Zoe", ""), access.Banned, banned)
	h.comesIn("another player with the banned name", h.visitor(bob, "Ann", ""))
	if n := h.asked(); n != 1 {
		t.Errorf("the game was asked %d times", n)
	}

	must(t, h.list.Ban(access.Ban{Addr: "198.51.100.0/24"}))
	h.list.from = "198.51.100.200:1"
	h.isRefused("a new key from a banned address", h.visitor(newPlayerKey(t), "New", ""), access.Banned, "your address is banned from this server")
	h.list.from = "203.0.113.5:77"
	must(t, h.list.Whitelist(true))
	h.isRefused("a player who is not listed", h.visitor(bob, "Bob", ""), access.NotWhitelisted,
		"this server admits only players on its list; to be added, give its operator your key: "+keyOf(bob))
	must(t, h.list.Allow(keyOf(bob)))
	h.comesIn("a player who is listed", h.visitor(bob, "Bob", ""))
	_, err := h.list.Unban(keyOf(ann))
	must(t, err)
	must(t, h.list.Whitelist(false))
	h.comesIn("a player whose ban was lifted", h.visitor(ann, "Ann", ""))
	if n := h.door.Server().Stats.Denied; n != 5 { // the player who was in when their address was banned is one
		t.Errorf("%d were counted", n)
	}
	for _, want := range []string{
		`event=access key=` + keyOf(ann) + ` addr=127.0.0.1:`, `was kept out (banned): you are banned from this server: spam"`, "was kept out (not_whitelisted)",
	} {
		if !strings.Contains(h.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, h.log.String())
		}
	}
}

// TestBanWhileIn: a ban takes effect at once on a player who is in. They are told why, and do not come back.
func TestBanWhileIn(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	ann, bob := newPlayerKey(t), newPlayerKey(t)
	one, two := h.visitor(ann, "Ann", ""), h.visitor(bob, "Bob", "")
	h.until("both are in", func() bool { return one.Pawn() != nil && two.Pawn() != nil })
	done := make(chan error, 1)
	go func() { done <- h.list.Ban(access.Ban{Key: keyOf(ann), Reason: "spam"}) }() // as a command does; awaited below
	h.until("a banned player is out", one.Over)
	must(t, <-done)
	why := one.Outcome()
	if why.Exit != join.ExitLost || why.Error() != "here: the connection ended: you are banned from this server: spam (banned)" {
		t.Errorf("exit %d: %v", why.Exit, why)
	}
	// A player who may come back has dialled within seconds.
	h.steps(5 * 60)
	if one.Sample().Returns != 0 || !one.Over() || two.Over() || h.Status().Players != 1 {
		t.Errorf("%d returns; %d players", one.Sample().Returns, h.Status().Players)
	}

	// A kick is told and final, too; but it keeps nobody out.
	h.door.Server().Kick(func(c *server.Conn) bool { return c.Key() == keyOf(bob) }, link.Reason{Code: "kicked", Text: "be quiet"})
	h.until("a kicked player is out", two.Over)
	if why := two.Outcome(); why.Code != "kicked" || why.Error() != "here: the connection ended: be quiet (kicked)" {
		t.Errorf("%v", why)
	}
	again := h.visitor(bob, "Bob", "")
	h.comesIn("a player who was kicked", again)

	// An edit by hand counts from the next Reload on, also for those who are in; the whitelist does not concern them.
	must(t, os.WriteFile(h.list.Path(), []byte("[whitelist]\nenabled = true\n[[bans]]\naddr = \"198.51.100.7\"\n"), 0o600))
	must(t, h.list.Reload())
	h.steps(60)
	if again.Over() {
		t.Fatal(again.Outcome())
	}
	h.list.from = "198.51.100.7:1"
	if err := h.list.Allow(keyOf(bob)); err != nil { // a change has everybody checked again
		t.Fatal(err)
	}
	h.until("a banned address is out", again.Over)
	if why := again.Outcome(); why.Code != access.Banned {
		t.Error(why)
	}
}

// TestTokenPlayersAreKnown: with connect tokens a player is the name in their token, whatever key and name they come with.
func TestTokenPlayersAreKnown(t *testing.T) {
	t.Parallel()
	secret := [32]byte{7}
	h := newGuardedHost(t, &kcplink.Server{TokenKey: &secret, Wall: time.Now})
	token := func(name string) string {
		t.Helper()
		out, err := kcplink.IssueToken(secret, kcplink.TokenClaims{Name: name, Issued: time.Now(), Expires: time.Now().Add(time.Minute)})
		must(t, err)
		return out
	}
	must(t, h.list.Ban(access.Ban{Key: "token-Ann"}))
	const banned = "you are banned from this server"
	kept := token("Ann")
	h.isRefused("a banned token", h.visitor(newPlayerKey(t), "Bob", kept), access.Banned, banned)
	h.isRefused("a banned name with a new token and key", h.visitor(newPlayerKey(t), "Zoe", token("Ann")), access.Banned, banned)
	h.comesIn("another token with the banned name", h.visitor(newPlayerKey(t), "Ann", token("Bob")))
	if err := h.list.SetRole("token-Bob", access.Moderator); err != nil || h.list.RoleOf("token-Bob") != access.Moderator {
		t.Error(err)
	}
}

// TestAccessFile: the list stands beside host.toml, a broken or an open one is refused with a line, and SIGHUP reads it again.
func TestAccessFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "access.toml")
	open := func(args ...string) (*access.List, *bytes.Buffer, error) {
		t.Helper()
		var log bytes.Buffer
		p, err := parse(append([]string{"serve"}, args...), &system{stdout: &log, stderr: &log})
		must(t, err)
		list, err := p.commands.Serve.openAccess(p, slog.New(slog.NewTextHandler(&log, nil)))
		return list, &log, err
	}
	config := filepath.Join(dir, "host.toml")
	must(t, os.WriteFile(config, nil, 0o600))
	list, log, err := open("--config", config)
	if err != nil || list.Path() != file || log.Len() != 0 {
		t.Fatalf("%v, %v, %s", list.Path(), err, log)
	}
	if list, _, err := open("--config", os.DevNull, "--access", file); err != nil || list.Path() != file {
		t.Error(err)
	}
	must(t, os.WriteFile(file, []byte("[[bans]]\naddr = \"192.0.2.7\"\n"), 0o600))
	list, log, err = open("--config", config)
	if want := `msg="access list" file=` + file + ` roles=0 bans=1 whitelist=false keys=0 event=access_list`; err != nil || !strings.Contains(log.String(), want) {
		t.Errorf("%v, %s", err, log)
	}
	log.Reset()
	reloadAccess(list, slog.New(slog.NewTextHandler(log, nil)))
	if log.Len() != 0 {
		t.Errorf("nothing changed: %s", log)
	}
	must(t, os.WriteFile(file, []byte("[bans]\n"), 0o600))
	reloadAccess(list, slog.New(slog.NewTextHandler(log, nil)))
	if !strings.Contains(log.String(), "access list not reloaded: the old one stays") || !strings.Contains(log.String(), "access.toml:1: bans: expected") || len(list.Bans()) != 1 {
		t.Errorf("%s", log)
	}
	for _, args := range [][]string{{"--config", config}, {"--config", os.DevNull, "--access", file}} {
		_, _, err := open(args...)
		want := file + ":1: bans: expected a table for each ban: [[bans]]"
		if len(args) > 2 {
			want = "--access: " + want
		}
		if _, usage := err.(usageError); !usage || err.Error() != want { //nolint:errorlint // main looks for it, too
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}
