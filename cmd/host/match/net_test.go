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

func chunk(text string) classfile.Source {
	return classfile.Source{Path: "scripts", Text: text, Multi: true}
}

const gate = `
local Gate = class("Gate", "GameInfo")
Gate.properties { Notes = "", Broken = "" }
function Gate:Note(what)
	self.Notes = self.Notes .. what .. " "
	if self.Broken == what then error("no " .. what) end
end
function Gate:PreLogin(options, address)
	self:Note("PreLogin")
	if self:ParseOption(options, "ban") then return "you are banned, " .. address, "banned" end
end
function Gate:Login(portal, options)
	self:Note("Login")
	if self:ParseOption(options, "late") then return nil, "too late", "late" end
	if self:ParseOption(options, "silent") then return nil end
	if self:ParseOption(options, "odd") then return self:Spawn("Info") end
	if self:ParseOption(options, "text") then return "a controller" end
	return Gate.super.Login(self, portal, options)
end
function Gate:PostLogin(pc) self:Note("PostLogin") Gate.super.PostLogin(self, pc) end
function Gate:Logout(pc) self:Note("Logout") Gate.super.Logout(self, pc) end
`

func TestNetGame(t *testing.T) {
	sources, a := builtIn(t, chunk(gate))
	var reports []string
	m, err := match.Open(match.Options{
		Sources: sources, Content: a.Content(), URL: "flat?game=Gate", NetMode: engine.NMDedicatedServer,
		VM: scriptvm.Options{Report: func(r scriptvm.Report) { reports = append(reports, r.Text) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g := m.NetGame()
	set := func(name, v string) {
		if err := m.Game.Set(m.Game.Class.Property(name), engine.String(v)); err != nil {
			t.Fatal(err)
		}
		m.World.Script.Changed(m.Game, m.Game.Class.Property(name))
	}
	for _, c := range []struct{ options, text, code string }{
		{"?name=Ann", "", ""}, {"?ban", "you are banned, 10.0.0.1:5", "banned"},
	} {
		if text, code := g.PreLogin(c.options, "10.0.0.1:5"); text != c.text || code != c.code {
			t.Errorf("PreLogin %s: %q, %q", c.options, text, code)
		}
	}
	for _, c := range []struct{ options, text, code, report string }{
		{"?late", "too late", "late", ""},
		{"?silent", "the game refused the player", "", ""},
		{"?odd", "the server's game has a fault in Login", "error", "Gate:Login: Gate:Login returned a Info, not a PlayerController"},
		{"?text", "the game refused the player", "", ""},
	} {
		reports = nil
		pc, text, code := g.Login("", c.options)
		if pc != nil || text != c.text || code != c.code {
			t.Errorf("Login %s: %v, %q, %q", c.options, pc, text, code)
		}
		if said := strings.Join(reports, "\n"); c.report == "" && said != "" || !strings.Contains(said, c.report) {
			t.Errorf("Login %s: reported %q", c.options, said)
		}
	}
	if n := len(m.World.ActorsOf("Info")) - len(m.World.ActorsOf("GameReplicationInfo")); n != 1 { // the game itself
		t.Errorf("%d Infos are left over", n-1)
	}
	pc, text, _ := g.Login("", "?name=Ann")
	if pc == nil || !pc.Class.IsPlayerController() {
		t.Fatal(pc, text)
	}
	g.PostLogin(pc)
	if len(m.World.ActorsOf("Character")) != 1 {
		t.Error("the player has no pawn")
	}
	if _, local := m.World.Input(pc); local {
		t.Error("a player who is elsewhere has input here")
	}
	g.Logout(pc)
	g.Logout(pc) // they are gone: not again
	if !pc.Deleted() || len(m.World.ActorsOf("Character")) != 0 {
		t.Error("the player left something behind")
	}
	if notes := m.Game.Get(m.Game.Class.Property("Notes")).Str; !strings.HasSuffix(notes, " Login PostLogin Logout ") {
		t.Error(notes)
	}

	// Faults refuse where one can still be refused, and are reported.
	for _, c := range []struct {
		what string
		call func() (text, code string)
	}{
		{"PreLogin", func() (string, string) { return g.PreLogin("", "") }},
		{"Login", func() (string, string) {
			pc, text, code := g.Login("", "")
			if pc != nil {
				t.Error("a controller by a Login that faulted")
			}
			return text, code
		}},
	} {
		reports = nil
		set("Broken", c.what)
		if text, code := c.call(); text != "the server's game has a fault in "+c.what || code != "error" {
			t.Errorf("%s: %q, %q", c.what, text, code)
		}
		if len(reports) != 1 || !strings.Contains(reports[0], "no "+c.what) {
			t.Errorf("%s: %q", c.what, reports)
		}
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
	var names []string
	for _, f := range b.Files {
		names = append(names, f.Name+" "+string(f.Data))
	}
	if got, want := strings.Join(names, ", "), "levels/pit.map g, scripts/Rocket.lua c, scripts/core/Pawn.lua a, scripts/gun/Gun.lua b, "+
		"scripts/lib/geo/two.lua d, scripts/mods/hats/core/Bot.lua h, scripts/mods/hats/lib/brim.lua i, scripts/scripts e, scripts/scripts#2 f"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for i, want := range []classfile.Source{
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
	server, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: "steps?game=Gate", NetMode: engine.NMDedicatedServer})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
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
