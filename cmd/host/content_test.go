package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// saveFile writes a file as an editor saves it.
func saveFile(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestContentReloads: sounds and animations that are saved reach the match and its players as it goes on; a level that is
// saved is what nobody plays until `reload level`, who joins meanwhile included; then players are kept.
func TestContentReloads(t *testing.T) {
	root := t.TempDir()
	flat, err := fs.ReadFile(content.FS, "levels/flat.map")
	if err != nil {
		t.Fatal(err)
	}
	saveFile(t, root, "content/levels/flat.map", string(flat))
	var log bytes.Buffer
	g, addr := hostedGameIn(t, root, "flat?game=GameInfo?bots=1", engine.NMDedicatedServer, slog.NewTextHandler(&log, nil))
	start := time.Now()
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time; the worlds may be faster than it
	defer tick.Stop()
	var players []*join.Player
	come := func(name string) *join.Player {
		t.Helper()
		p, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: name, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }) // the test is over
		players = append(players, p)
		return p
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for !is() {
			<-tick.C
			if time.Since(start) > time.Minute {
				t.Fatalf("%s: not after %v\n%s", what, time.Since(start), log.String())
			}
			g.Step(1.0 / 60)
			for _, p := range players {
				if p.Over() {
					t.Fatalf("%s: a player is out: %v\n%s", what, p.Client().Reason(), log.String())
				}
				p.Tick(time.Since(start), 1.0/60)
			}
		}
	}
	in := func(p *join.Player) func() bool { return func() bool { return p.Pawn() != nil } }
	reload := func() string {
		t.Helper()
		m, err := g.ReadMedia()
		if err != nil {
			t.Fatal(err)
		}
		g.Check(nil, m)
		r := g.Reload(nil, m, false)
		if r.Failed {
			t.Fatal(r.Diagnostics)
		}
		return r.Changes
	}
	ann := come("Ann")
	until("Ann is in", in(ann))
	pawn := ann.Pawn()

	// A sound of another radius, and an animation that is new: the numbers of all that come after it are others.
	var server *engine.Actor // Ann's pawn there
	for _, a := range g.World.ActorsOf("Character") {
		if o := a.TopOwner(); o != nil && o.Class.IsPlayerController() {
			server = a
		}
	}
	wave := func(w *engine.World) int { return w.Animations().Find("animations/wave.toml").Number }
	told := func(a *engine.Actor) int { return int(a.Get(a.Class.Property("ReplicatedMontage")).List[0].Num) }
	copyOf := ann.Pawn
	server.PlayMontage(g.World.Animations().Find("animations/wave.toml"), 0, 0.1)
	before := wave(g.World)
	plays := func(a *engine.Actor) bool {
		m, _, _ := a.Montage()
		return m != nil && m == a.World().Animations().Find("animations/wave.toml") && told(a) == wave(a.World())
	}
	until("Ann sees the wave", func() bool { return plays(copyOf()) })
	saveFile(t, root, "content/sounds/bell.toml", "radius = 4321\n")
	saveFile(t, root, "content/animations/aaa.toml", "length = 1\n")
	saveFile(t, root, "content/input.toml", "[[action]]\nname = \"Wave\"\n")
	if got, want := reload(), "animations/aaa.toml is new | input.toml changed | sounds/bell.toml changed"; got != want {
		t.Errorf("it changed %q, want %q", got, want)
	}
	if g.World.Sound("sounds/bell.toml").Radius != 4321 || wave(g.World) != before+1 || !plays(server) {
		t.Error("the host does not know of the files")
	}
	until("Ann knows them too", func() bool { return ann.World().Sound("sounds/bell.toml").Radius == 4321 })
	if set := ann.World().Actions(ann.Controller()); len(set.List) != 1 || set.List[0].Name != "Wave" || !g.World.KnowsAction("Wave") {
		t.Errorf("Ann's actions are %+v", set.List)
	}
	if wave(ann.World()) != before+1 || !plays(copyOf()) || ann.Pawn() != pawn {
		t.Errorf("the wave is %d and Ann's copy says %d", wave(ann.World()), told(copyOf()))
	}
	played, _, at := copyOf().Montage()
	for range 20 { // the server's word of the new number arrives: it is no other play
		n := ann.World().Frame()
		until("time passes", func() bool { return ann.World().Frame() > n })
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
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Reload(scripts, nil, false); r.Failed {
		t.Error(r.Diagnostics)
	}
	bob := come("Bob")
	until("Bob is in", in(bob))
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
	cid := come("Cid")
	until("Cid is in", in(cid))
	if cid.World().Level.Gravity == 555 {
		t.Error("a player who joins has another level than the host")
	}
	old := g.World
	score := func() int { return len(g.World.ActorsOf("PlayerController")) }
	if score() != 3 {
		t.Fatal(score())
	}
	if err := g.ReloadLevel(); err != nil {
		t.Fatal(err)
	}
	until("all are back", func() bool {
		for _, p := range players {
			if w := p.World(); w == nil || w.Level == nil || w.Level.Gravity != 555 || p.Pawn() == nil {
				return false
			}
		}
		return score() == 3
	})
	if g.World == old || g.World.Level.Gravity != 555 || len(g.World.ActorsOf("AIController")) != 1 {
		t.Error("the level did not begin anew with its bot")
	}
	if !strings.Contains(log.String(), "sounds and animations stay as they were: content/sounds/bell.toml:2: volume") {
		t.Errorf("nothing was said of the broken sound:\n%s", log.String())
	}

	// A broken one says where, and all stay where they are.
	saveFile(t, root, "content/levels/flat.map", strings.Replace(marked, "(", "x(", 1))
	if _, err := g.CheckLevel("flat")(); err == nil || !strings.HasPrefix(err.Error(), "content/levels/flat.map:") {
		t.Error(err)
	}
	now := g.World
	if err := g.ReloadLevel(); err == nil || g.World != now {
		t.Error("it was reloaded: ", err)
	}
	if err := g.Say("hello"); err != nil {
		t.Error(err)
	}
}
