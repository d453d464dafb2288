package match_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// builtIn are the built-in scripts, and more.
func builtIn(t *testing.T, more ...classfile.Source) ([]classfile.Source, *assets.Assets) {
	t.Helper()
	a, out := assetstest.Shipped(t)
	return append(out, more...), a
}

// open opens a match on the built-in scripts, and more, that ends with the test.
func open(t *testing.T, url string, mode engine.NetMode, vm scriptvm.Options, more ...classfile.Source) *match.Match {
	t.Helper()
	sources, a := builtIn(t, more...)
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: url, NetMode: mode, VM: vm})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func chunk(text string) classfile.Source {
	return classfile.Source{Path: "scripts", Text: text, Multi: true}
}

const gate = `
local Gate = class("Gate", "GameInfo")
function Gate:PreLogin(options, address)
	if self:ParseOption(options, "ban") then return "you are banned, " .. address, "banned" end
	if self:ParseOption(options, "breaks") then error("no PreLogin") end
end
function Gate:Login(portal, options)
	if self:ParseOption(options, "late") then return nil, "too late", "late" end
	if self:ParseOption(options, "silent") then return nil end
	if self:ParseOption(options, "odd") then return self:Spawn("Info") end
	if self:ParseOption(options, "text") then return "a controller" end
	if self:ParseOption(options, "breaks") then error("no Login") end
	return Gate.super.Login(self, portal, options)
end
`

// TestNetGame: what a game's PreLogin and Login refuse is told with its code; their faults refuse, too, and are reported; nothing is left behind.
func TestNetGame(t *testing.T) {
	var reports []string
	report := func(r scriptvm.Report) { reports = append(reports, r.Text) }
	m := open(t, "flat?game=Gate", engine.NMDedicatedServer, scriptvm.Options{Report: report}, chunk(gate))
	g := m.NetGame()
	login := func(options, _ string) (text, code string) {
		pc, text, code := g.Login("", options)
		if pc != nil {
			t.Errorf("%s: a controller of who was refused", options)
		}
		return text, code
	}
	for _, c := range []struct {
		call                       func(options, address string) (text, code string)
		options, text, code, fault string
	}{
		{g.PreLogin, "?name=Ann", "", "", ""},
		{g.PreLogin, "?ban", "you are banned, 10.0.0.1:5", "banned", ""},
		{g.PreLogin, "?breaks", "the server's game has a fault in PreLogin", "error", "no PreLogin"},
		{login, "?late", "too late", "late", ""},
		{login, "?silent", "the game refused the player", "", ""},
		{login, "?odd", "the server's game has a fault in Login", "error", "Gate:Login: Gate:Login returned a Info, not a PlayerController"},
		{login, "?text", "the game refused the player", "", ""},
		{login, "?breaks", "the server's game has a fault in Login", "error", "no Login"},
	} {
		reports = nil
		if text, code := c.call(c.options, "10.0.0.1:5"); text != c.text || code != c.code {
			t.Errorf("%s: %q, %q, want %q, %q", c.options, text, code, c.text, c.code)
		}
		if said := strings.Join(reports, "\n"); c.fault == "" && said != "" || !strings.Contains(said, c.fault) {
			t.Errorf("%s: reported %q", c.options, said)
		}
	}
	if n := len(m.World.ActorsOf("Info")) - len(m.World.ActorsOf("GameReplicationInfo")); n != 1 { // the game itself
		t.Errorf("%d Infos are left over", n-1)
	}
	pc, text, _ := g.Login("", "?name=Ann")
	if pc == nil {
		t.Fatal(text)
	}
	g.PostLogin(pc)
	if _, local := m.World.Input(pc); local || len(m.World.ActorsOf("Character")) != 1 {
		t.Error("a player who is elsewhere has input here, or no pawn")
	}
	for range 2 { // they are gone: not again
		g.Logout(pc)
	}
	if !pc.Deleted() || len(m.World.ActorsOf("Character")) != 0 {
		t.Error("the player left something behind")
	}
}

func TestBundleNames(t *testing.T) {
	b, err := match.Bundle([]classfile.Source{
		{Path: "scripts/core/Pawn.lua", Text: "a"},
		{Path: "../mods/scripts/gun/Gun.lua", Text: "b"},
		{Path: "/home/op/secret/Rocket.lua", Text: "c"},
		{Path: "/home/op/secret/lib/geo/two.lua", Lib: "lib.geo.two", Text: "d"},
		{Path: "/home/op/secret/hats/core/Bot.lua", Place: "mods/hats/core/Bot.lua", Text: "h"},
		{Path: "/home/op/secret/hats/lib/brim.lua", Place: "mods/hats/lib/brim.lua", Lib: "lib.brim", Text: "i"},
		{Path: "scripts", Multi: true, Text: "e"},
		{Path: "scripts#2", Multi: true, Text: "f"},
	}, fstest.MapFS{"levels/pit.map": {Data: []byte("g")}}, "pit")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []classfile.Source{ // with their places in the bundle, in its order
		{Path: "scripts/Rocket.lua", Place: "Rocket.lua", Text: "c"},
		{Path: "scripts/core/Pawn.lua", Place: "core/Pawn.lua", Text: "a"},
		{Path: "scripts/gun/Gun.lua", Place: "gun/Gun.lua", Text: "b"},
		{Path: "scripts/lib/geo/two.lua", Place: "lib/geo/two.lua", Lib: "lib.geo.two", Text: "d"},
		{Path: "scripts/mods/hats/core/Bot.lua", Place: "mods/hats/core/Bot.lua", Text: "h"},
		{Path: "scripts/mods/hats/lib/brim.lua", Place: "mods/hats/lib/brim.lua", Lib: "lib.brim", Text: "i"},
		{Path: "scripts", Multi: true, Text: "e"},
		{Path: "scripts#2", Multi: true, Text: "f"},
	} {
		if got := match.Sources(b.Files)[i]; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		name := want.Path
		if want.Multi {
			name = "scripts/" + name
		}
		if f := b.Files[i+1]; f.Name != name || string(f.Data) != want.Text {
			t.Errorf("%s is in the bundle as %s", want.Path, f.Name)
		}
	}
	if f := b.Files[0]; f.Name != "levels/pit.map" || len(b.Files) != 9 {
		t.Errorf("%d files, the first %s", len(b.Files), f.Name)
	}
	for _, c := range []struct {
		source classfile.Source
		level  string
		says   string
	}{
		{classfile.Source{Path: "a/x.lua", Multi: true}, "", "does not end in .lua"},
		{classfile.Source{Path: "x", LineOffset: 3}, "", "begins inside another file"},
		{classfile.Source{Path: "x.lua"}, "hole", `level "hole"`},
		{classfile.Source{Path: "scripts/core/Pawn.lua", Text: "a"}, "", "given twice"},
		{classfile.Source{Path: "scripts/lib/two.lua"}, "", "the file is empty"},
	} {
		_, err := match.Bundle([]classfile.Source{{Path: "scripts/core/Pawn.lua", Text: "a"}, c.source}, fstest.MapFS{}, c.level)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A client of the bundle has the server's classes, number by number, and what it keeps of the level.
func TestClientHost(t *testing.T) {
	sources, a := builtIn(t, chunk(gate))
	server := open(t, "steps?game=Gate", engine.NMDedicatedServer, scriptvm.Options{}, chunk(gate))
	b, err := match.Bundle(sources, a.Content(), "steps")
	if err != nil {
		t.Fatal(err)
	}
	var logged []string
	var reloads []scriptvm.ReloadResult
	h := &match.ClientHost{
		VM:  scriptvm.Options{Peer: "a", Log: func(_ *engine.Actor, text string) { logged = append(logged, text) }},
		Now: time.Now, Reloaded: func(r scriptvm.ReloadResult) { reloads = append(reloads, r) },
	}
	defer h.Close()
	if err := h.Reload(b.Files); err == nil {
		t.Error("a reload before the match")
	}
	w, err := h.Open(&wire.Welcome{Level: "steps"}, b.Files)
	if err != nil {
		t.Fatal(err)
	}
	if schema.New(w.Classes, 0).Hash != schema.New(server.World.Classes, 0).Hash {
		t.Error("server and client have other class tables")
	}
	if w != h.Match().World || w.NetMode != engine.NMClient || w.LevelName() != "steps" || h.Match().Game != nil {
		t.Errorf("%v %v %v", w.NetMode, w.LevelName(), h.Match().Game)
	}
	if n := len(w.ActorsOf("PlayerStart")); n == 0 || n != len(server.World.ActorsOf("PlayerStart")) {
		t.Errorf("%d PlayerStarts", n)
	}

	change := func(text string) []bundle.File {
		s, _ := builtIn(t, chunk(text))
		b, err := match.Bundle(s, a.Content(), "steps")
		if err != nil {
			t.Fatal(err)
		}
		return b.Files
	}
	if err := h.Reload(change(gate + "function Gate:More() end")); err != nil || len(reloads) != 1 || reloads[0].Functions == 0 {
		t.Errorf("%v %+v", err, reloads)
	}
	if err := h.Reload(change(gate + "function Gate:More(")); err == nil || !strings.Contains(err.Error(), "scripts:") || len(reloads) != 2 || !reloads[1].Failed {
		t.Errorf("%v %+v", err, reloads)
	}

	for _, c := range []struct {
		level string
		files []bundle.File
		says  string
	}{
		{"flat", b.Files, `level "flat": the server plays it and sent no file levels/flat.map`},
		{"steps", change(`local A = class("A", "Pwan")`), `unknown parent "Pwan"`},
	} {
		if _, err := h.Open(&wire.Welcome{Level: c.level}, c.files); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.level, err)
		}
	}
	if h.Match() != nil {
		t.Error("the match of before is still there")
	}
}
