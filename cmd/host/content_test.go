package main

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/engine"
)

// TestContentReloads: sounds and animations that are saved reach the match and its players as it goes on; a level that is
// saved is what nobody plays until `reload level`, who joins meanwhile included; then players are kept.
func TestContentReloads(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	flat, err := fs.ReadFile(content.FS, "levels/flat.map")
	must(t, err)
	saveFile(t, root, "content/levels/flat.map", string(flat))
	g := newParty(t, root, gameOptions{URL: "flat?game=GameInfo?bots=1"})
	reload := func() string {
		t.Helper()
		m, err := g.ReadMedia()
		must(t, err)
		g.Check(nil, m)
		r := g.Reload(nil, m, false)
		if r.Failed {
			t.Fatal(r.Diagnostics)
		}
		return r.Changes
	}
	ann := g.joined("Ann")
	pawn := ann.Pawn()

	// A sound of another radius, and an animation that is new: the numbers of all that come after it are others.
	var server *engine.Actor // Ann's pawn there
	for _, a := range g.World.ActorsOf("Character") {
		if o := a.TopOwner(); o != nil && o.Class.IsPlayerController() {
			server = a
		}
	}
	wave := func(w *engine.World) int { return w.Animations().Find("animations/wave.toml").Number }
	told := func(a *engine.Actor) int { return int(value(a, "ReplicatedMontage").List[0].Num) }
	copyOf := ann.Pawn
	server.PlayMontage(g.World.Animations().Find("animations/wave.toml"), 0, 0.1)
	before := wave(g.World)
	plays := func(a *engine.Actor) bool {
		m, _, _ := a.Montage()
		return m != nil && m == a.World().Animations().Find("animations/wave.toml") && told(a) == wave(a.World())
	}
	g.until("Ann sees the wave", func() bool { return plays(copyOf()) })
	saveFile(t, root, "content/sounds/bell.toml", "radius = 4321\n")
	saveFile(t, root, "content/animations/aaa.toml", "length = 1\n")
	saveFile(t, root, "content/input.toml", "[[action]]\nname = \"Wave\"\n")
	if got, want := reload(), "animations/aaa.toml is new | input.toml changed | sounds/bell.toml changed"; got != want {
		t.Errorf("it changed %q, want %q", got, want)
	}
	if g.World.Sound("sounds/bell.toml").Radius != 4321 || wave(g.World) != before+1 || !plays(server) {
		t.Error("the host does not know of the files")
	}
	g.until("Ann knows them too", func() bool { return ann.World().Sound("sounds/bell.toml").Radius == 4321 })
	if set := ann.World().Actions(ann.Controller()); len(set.List) != 1 || set.List[0].Name != "Wave" || !g.World.KnowsAction("Wave") {
		t.Errorf("Ann's actions are %+v", set.List)
	}
	if wave(ann.World()) != before+1 || !plays(copyOf()) || ann.Pawn() != pawn {
		t.Errorf("the wave is %d and Ann's copy says %d", wave(ann.World()), told(copyOf()))
	}
	played, _, at := copyOf().Montage()
	for range 20 { // the server's word of the new number arrives: it is no other play
		n := ann.World().Frame()
		g.until("time passes", func() bool { return ann.World().Frame() > n })
	}
	if m, _, now := copyOf().Montage(); m != played || now < at {
		t.Errorf("the wave began again: at %g, then at %g", at, now)
	}

	// A broken file changes nothing, and scripts that are saved meanwhile reach the players without it.
	saveFile(t, root, "content/sounds/bell.toml", "radius = 1\nvolume = -1\n")
	if _, err := g.ReadMedia(); err == nil || !strings.HasPrefix(err.Error(), "content/sounds/bell.toml:2: volume: ") {
		t.Error(err)
	}
	scripts, err := g.assets.Scripts(nil)
	must(t, err)
	if r := g.Reload(scripts, nil, false); r.Failed {
		t.Error(r.Diagnostics)
	}
	bob := g.joined("Bob")
	if bob.World().Sound("sounds/bell.toml").Radius != 4321 {
		t.Error("a player who joins has another sound than the host")
	}

	// A level that was saved: the match goes on in the old one, for who joins now as well.
	marked := strings.Replace(string(flat), `"classname" "worldspawn"`, "\"classname\" \"worldspawn\"\n\"gravity\" \"555\"", 1)
	if marked == string(flat) {
		t.Fatal("flat.map has no worldspawn as it was")
	}
	saveFile(t, root, "content/levels/flat.map", marked)
	if _, err := g.CheckLevel("flat")(); err != nil {
		t.Error(err)
	}
	cid := g.joined("Cid")
	if cid.World().Level.Gravity == 555 {
		t.Error("a player who joins has another level than the host")
	}
	old := g.World
	score := func() int { return len(g.World.ActorsOf("PlayerController")) }
	if score() != 3 {
		t.Fatal(score())
	}
	must(t, g.ReloadLevel())
	g.until("all are back", func() bool {
		for _, p := range g.players {
			if w := p.World(); w == nil || w.Level == nil || w.Level.Gravity != 555 || p.Pawn() == nil {
				return false
			}
		}
		return score() == 3
	})
	if g.World == old || g.World.Level.Gravity != 555 || len(g.World.ActorsOf("AIController")) != 1 {
		t.Error("the level did not begin anew with its bot")
	}
	if !strings.Contains(g.log.String(), "sounds and animations stay as they were: content/sounds/bell.toml:2: volume") {
		t.Errorf("nothing was said of the broken sound:\n%s", g.log.String())
	}
}
