package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestPlayersGetMods: a player who knows nothing of a mod fetches its scripts and content over a real connection, and the files
// are the mod's there, too. A mod that comes while they play reaches them as well, with its content, and so does its end.
func TestPlayersGetMods(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "scripts/hats/mod.toml", "name = \"hats\"\nversion = \"1.0\"\n")
	saveFile(t, root, "scripts/hats/Hat.lua", "local brim = require(\"lib.hats.brim\")\nlocal Hat = class(\"Hat\")\nHat.properties { Brim = int(7) }\nfunction Hat:Widen()\n\tself.Brim = brim.width\nend\nreturn Hat\n")
	saveFile(t, root, "scripts/hats/lib/hats/brim.lua", "return { width = 7 }\n")
	saveFile(t, root, "scripts/hats/core/Trigger.lua", "local Trigger = class(\"Trigger\")\nTrigger.properties { Hatted = true }\nreturn Trigger\n")
	saveFile(t, root, "scripts/hats/content/sounds/pop.toml", "radius = 1234\n")
	flat, err := os.ReadFile(filepath.Join("..", "..", "content", "levels", "flat.map"))
	must(t, err)
	saveFile(t, root, "scripts/hats/content/levels/attic.map", string(flat))
	g := newParty(t, root, gameOptions{URL: "attic?game=GameInfo"})
	ann := g.joined("Ann")
	trust := func(w *engine.World, class string) string {
		c := w.Classes.Find(class)
		if c == nil {
			return "none"
		}
		return c.Mod()
	}
	if ann.World().Level == nil || ann.World().Sound("sounds/pop.toml").Radius != 1234 {
		t.Error("Ann has neither the mod's level nor its sound")
	}
	if p := ann.World().Classes.Find("Hat"); p == nil || p.Default(p.Property("Brim")).Num != 7 {
		t.Errorf("Ann's hat: %+v", p)
	}
	for _, w := range []*engine.World{g.World, ann.World()} {
		for class, want := range map[string]string{"Hat": "hats", "Trigger": "hats", "Pawn": "", "Rocket": ""} {
			if got := trust(w, class); got != want {
				t.Errorf("class %s is of the mod %q, want %q", class, got, want)
			}
		}
	}
	layers := func(m interface{ Sources() []classfile.Source }) map[string]string {
		out := map[string]string{}
		for _, s := range m.Sources() {
			place := s.Place
			if i := strings.LastIndex(place, "/"); i >= 0 {
				out[place[i+1:]] = classfile.TrustOf(place).String()
			}
		}
		return out
	}
	here, there := layers(g.VM), layers(ann.Match().VM)
	for name, trust := range here {
		if there[name] != trust {
			t.Errorf("%s is %q on the server and %q on the client", name, trust, there[name])
		}
	}
	if here["brim.lua"] != "mod hats" || here["Trigger.lua"] != "mod hats" || here["Pawn.lua"] != "core" {
		t.Error(here)
	}

	// Another one, while they play.
	saveFile(t, root, "scripts/caps/mod.toml", "name = \"caps\"\nversion = \"1.0\"\nrequires = [\"hats >= 1\"]\n")
	saveFile(t, root, "scripts/caps/Cap.lua", "local Cap = class(\"Cap\", \"Hat\")\nreturn Cap\n")
	saveFile(t, root, "scripts/caps/content/sounds/pop.toml", "radius = 4321\n")
	reload := func() {
		t.Helper()
		scripts, err := g.assets.Scripts(nil)
		must(t, err)
		m, err := g.ReadMedia()
		must(t, err)
		g.Check(scripts, m)
		if r := g.Reload(scripts, m, false); r.Failed {
			t.Fatal(r.Diagnostics)
		}
	}
	reload()
	g.until("Ann has the new mod", func() bool { return ann.World().Sound("sounds/pop.toml").Radius == 4321 })
	if trust(g.World, "Cap") != "caps" || trust(ann.World(), "Cap") != "caps" {
		t.Errorf("Cap is of the mod %q, and of %q at Ann's", trust(g.World, "Cap"), trust(ann.World(), "Cap"))
	}
	if got := g.assets.News(); len(got) != 1 || got[0] != (assets.News{Text: "mod caps 1.0 is new, in " + filepath.ToSlash(filepath.Join(root, "scripts", "caps"))}) {
		t.Errorf("%+v", got)
	}

	// What becomes the game's because its mod.toml is gone is the game's everywhere, though no text changed.
	must(t, os.Remove(filepath.Join(root, "scripts", "caps", "mod.toml")))
	reload()
	g.until("Ann hears of it", func() bool { return trust(ann.World(), "Cap") == "" })
	if trust(g.World, "Cap") != "" || ann.World().Sound("sounds/pop.toml").Radius != 1234 {
		t.Error("the mod is still there")
	}
	g.assets.TurnOff([]string{"hats"})
	must(t, errOf(g.assets.Scripts(nil)))
	if _, err := g.CheckLevel("attic")(); err == nil {
		t.Error("the level of a mod that is off can be played")
	}
}
