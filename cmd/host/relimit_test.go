package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// live is what settings of a guarded host apply to.
func (h *guardedHost) live() *liveHost {
	return &liveHost{log: h.game.log, game: h.game, link: h.link}
}

// apply applies settings to a host without a loop.
func (h *liveHost) applyNow(t *testing.T, p *parsed) {
	t.Helper()
	must(t, h.applyGame(&p.commands.Serve, p.settings.Guard()))
}

// TestMaxPlayersWhileInMatch: a lower number refuses the next players and disconnects nobody, a higher one lets them in; the figures, the
// answer to queries, the list of hosts and the next match have it.
func TestMaxPlayersWhileInMatch(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	p := newLiveSetup(t).p
	p.commands.Serve.MaxPlayers = 3
	live := h.live()
	live.applyNow(t, p)
	var told directory.Entry
	must(t, p.commands.Serve.announce(h.game, h.link, nil, h.game.log))
	ann, bob := h.visitor(newPlayerKey(t), "Ann", ""), h.visitor(newPlayerKey(t), "Bob", "")
	h.comesIn("Ann", ann)
	h.comesIn("Bob", bob)
	// shows fails the test unless everything says that n players may be in.
	shows := func(n, room int) {
		t.Helper()
		var f metrics.Figures
		h.game.Figures(&f)
		h.until("the list of hosts and the answer to queries follow", func() bool {
			if v := h.game.keeping.hosts.view.Load(); v != nil && len(v.list) == 1 {
				told = v.list[0]
			}
			return told.Room == room && h.game.about.most == n
		})
		if f.MaxPlayers != n {
			t.Errorf("%d players may be in by the figures, want %d", f.MaxPlayers, n)
		}
	}
	shows(3, 1)

	p.commands.Serve.MaxPlayers = 1
	live.applyNow(t, p)
	shows(1, 0)
	cid := h.visitor(newPlayerKey(t), "Cid", "")
	h.until("Cid is refused", func() bool { return cid.Over() || cid.Pawn() != nil })
	if why := cid.Outcome(); why == nil || why.Code != "full" || !strings.Contains(why.Error(), "the server is full: 1 player") {
		t.Errorf("Cid: %v; expected that the server is full: %v in\n%s", why, value(h.game.Game, "NumPlayers").Num, h.log.String())
	}
	if ann.Over() || bob.Over() {
		t.Errorf("those who were in: %v, %v", ann.Outcome(), bob.Outcome())
	}
	must(t, h.game.TravelTo("flat"))
	shows(1, 0)

	p.commands.Serve.MaxPlayers = 4
	live.applyNow(t, p)
	h.until("Ann and Bob are in the next match", func() bool { return ann.Pawn() != nil && bob.Pawn() != nil })
	h.comesIn("Dan", h.visitor(newPlayerKey(t), "Dan", ""))
	if n := h.game.MaxPlayers(); n != 4 {
		t.Errorf("%d players may be in, want 4", n)
	}
}

// TestMaxPlayersOfURL: a number in the URL overrides the setting, also when that changes; a command's number stays until it does.
func TestMaxPlayersOfURL(t *testing.T) {
	h := newGuardedHost(t, &kcplink.Server{})
	p := newLiveSetup(t).p
	live := h.live()
	set := func(n, want int) {
		t.Helper()
		p.commands.Serve.MaxPlayers = n
		live.applyNow(t, p)
		if is := h.game.MaxPlayers(); is != want {
			t.Errorf("max-players = %d: %d players may be in, want %d", n, is, want)
		}
	}
	set(5, 5)
	g := h.game
	must(t, g.Game.Set(g.Game.Class.Property("MaxPlayers"), engine.Int(7)))
	set(5, 7)
	set(6, 6)
	must(t, g.TravelTo("flat?MaxPlayers=9"))
	set(4, 9)
	if !strings.Contains(h.log.String(), "maxplayers in the URL of the match overrides it, with 9") {
		t.Errorf("the log does not say that the setting has no effect:\n%s", h.log.String())
	}
}

// TestListedSettings: the name, the labels, the addresses and whether a host needs a secret are those of the settings; and while it needs one,
// the page is not told where the files are.
func TestListedSettings(t *testing.T) {
	t.Parallel()
	h := newGuardedHost(t, &kcplink.Server{})
	p := newLiveSetup(t).p
	c := &p.commands.Serve
	must(t, c.announce(h.game, h.link, nil, h.game.log))
	var e directory.Entry
	shown := func(name, address, labels string, private bool) func() bool {
		return func() bool {
			if v := h.game.keeping.hosts.view.Load(); v != nil && len(v.list) == 1 {
				e = v.list[0]
			}
			return e.Name == name && e.Address == address && labelText(e.Labels) == labels && e.Private == private
		}
	}
	h.until("the first values", shown("Tidelock", h.link.Addr().String(), "-", false))
	if len(h.game.webFiles()) == 0 {
		t.Error("the page is told no files")
	}
	c.Title, c.Label, c.PublicAddress, c.Password = "Harbour", []string{"hub", "region=eu"}, "play.example.org:7777", "sesame"
	c.DrainTime = 42 * time.Second
	live := h.live()
	live.applyNow(t, p)
	h.until("the new values", shown("Harbour", "play.example.org:7777", "hub,region=eu", true))
	if n := len(h.game.webFiles()); n != 0 {
		t.Errorf("the page is told %d files of a match that needs a password", n)
	}
	if h.game.drain.Usual() != 42*time.Second {
		t.Errorf("a drain waits %v", h.game.drain.Usual())
	}
	c.Password, c.Label = "", nil
	live.applyNow(t, p)
	h.until("no password and no labels", shown("Harbour", "play.example.org:7777", "-", false))
	if len(h.game.webFiles()) == 0 {
		t.Error("the page is told no files")
	}
}

// TestLimitsWhileRunning: new limits of mods and classes judge what runs, in this match and the next: a mod that was held back is not any
// more, and the other way round; actors beyond a new bound stay, and no more are made.
func TestLimitsWhileRunning(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "scripts/hats/mod.toml", "name = \"hats\"\nversion = \"1.0\"\n")
	saveFile(t, root, "scripts/hats/Hat.lua", "local Hat = class(\"Hat\")\nHat.properties { N = float(0) }\nfunction Hat:Tick(dt)\n\tlocal n = 0\n\tfor i = 1, 150000 do n = n + i end\n\tself.N = n\nend\nreturn Hat\n")
	saveFile(t, root, "scripts/hats/Pin.lua", "local Pin = class(\"Pin\")\nPin.properties { Made = int(0), Why = str(\"\") }\nfunction Pin:Tick(dt)\n\tlocal ok, why = pcall(self.Spawn, self, \"Needle\")\n\tif ok then self.Made = self.Made + 1 else self.Why = why end\nend\nreturn Pin\n")
	saveFile(t, root, "scripts/hats/Needle.lua", "local Needle = class(\"Needle\")\nreturn Needle\n")
	with := func(text string) *parsed {
		t.Helper()
		h := newLiveSetup(t)
		_, err := h.change(text)
		must(t, err)
		return h.p
	}
	g, err := newGame(gameOptions{Assets: assetsIn(t, root), URL: "flat?game=GameInfo", Mode: engine.NMDedicatedServer, Seed: 1, Log: slog.New(slog.DiscardHandler), Guard: with("[mods.hats]\nshare = 1\n[classes.Hat]\nshare = 0.01\n").settings.Guard()})
	must(t, err)
	defer g.Close()
	live := &liveHost{log: g.log, game: g}
	spawn := func(class string) *engine.Actor {
		t.Helper()
		x, err := g.World.Spawn(g.World.Classes.Find(class), engine.SpawnParams{})
		must(t, err)
		return x
	}
	run := func(seconds int) {
		for range seconds * 60 { // without the scale that a host measures: the machine is not what is tried
			g.World.Step(1.0 / 60)
		}
	}
	// within runs until something holds, so many seconds at most.
	within := func(seconds int, is func() bool) bool {
		for ; !is() && seconds > 0; seconds-- {
			run(1)
		}
		return is()
	}
	held := func() bool { return len(g.VM.Throttled()) > 0 }
	free := func() bool { return !held() }
	spawn("Hat")
	if !within(3, held) || g.VM.Throttled()[0].Share > 0.02*1000/60 {
		t.Fatalf("a class with less than its mod is not held back by that: %v", g.VM.Throttled())
	}
	live.applyNow(t, with("[mods.hats]\nshare = 1\n"))
	if !within(10, free) {
		t.Errorf("with a whole tick the mod is held back: %v", g.VM.Throttled())
	}
	live.applyNow(t, with("[classes.Hat]\nshare = 1\n"))
	if !within(3, held) {
		t.Error("a class with a whole tick is not held back with its mod, which has an eighth by default")
	}
	live.applyNow(t, with("[mods.hats]\nshare = 1\nactors = 100\nmemory = 7\n[classes.Needle]\nactors = 32\n"))
	pin := spawn("Pin")
	run(2)
	made := func() int { return int(value(pin, "Made").Num) }
	why := func() string { return value(pin, "Why").Str }
	if n := len(g.World.ActorsOf("Needle")); n != 32 || made() != 32 || !strings.Contains(why(), "class Needle has 32 actors alive, at most 32") {
		t.Errorf("%d needles, %d made, %q; want 32", n, made(), why())
	}
	live.applyNow(t, with("[mods.hats]\nshare = 1\nactors = 40\n"))
	run(1)
	if n := len(g.World.ActorsOf("Needle")); n != 38 || !strings.Contains(why(), "mod hats has 40 actors alive, at most 40") {
		t.Errorf("%d needles, %q; want 38 beside a hat and a pin", n, why())
	}
	live.applyNow(t, with("[mods.hats]\nshare = 1\nactors = 32\n[classes.Hat]\nmemory = 7\n"))
	run(1)
	if n := len(g.World.ActorsOf("Needle")); n != 38 {
		t.Errorf("%d needles under a lower bound, want the 38 from before", n)
	}
	g.VM.AskMemory()
	for n := 0; !g.VM.MemoryKnown() && n < 600; n++ {
		g.World.Step(1.0 / 60)
		g.VM.WatchMemory()
	}
	limit := int64(0)
	for _, m := range g.VM.Memory() {
		if m.Name == "Hat" {
			limit = m.Limit
		}
	}
	if limit != 7<<20 {
		t.Errorf("Hat may keep %d bytes, want 7 MB", limit)
	}
	must(t, g.TravelTo("flat"))
	pin = spawn("Pin")
	run(2)
	if n := len(g.World.ActorsOf("Needle")); n != 31 {
		t.Errorf("%d needles in the next match, want 31 beside a pin", n)
	}
}
