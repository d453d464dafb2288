package scriptvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// link is a class file of a place in the script set whose Pass calls the next of a chain, and fails at its end.
func link(place, name string) classfile.Source {
	return classfile.Source{Path: "scripts/" + place + "/" + name + ".lua", Text: fmt.Sprintf(`local %[1]s = class(%[1]q, "Actor")
function %[1]s:Pass(a, b, c)
	if a == nil then error("broken") end
	a:Pass(b, c)
end
function %[1]s:Try(a, b, c)
	local ok, why = pcall(function() a:Pass(b, c) end)
	if not ok then error(why, 0) end
end
function %[1]s:Spin(a)
	if a == nil then while true do end end
	pcall(function() a:Spin() end)
end
function %[1]s:Wrap(a, b)
	coroutine.wrap(function() a:Pass(b) end)()
end
function %[1]s:Make(name)
	self:Spawn(name)
end
function %[1]s:Well() return 1 end
`, name)}
}

func layered(t *testing.T) *bench {
	return newBench(t, "", link("core", "Core"), link("sample", "Game"), link("mods/hats", "Hat"), link("mods/capes", "Cape"),
		classfile.Source{Path: "scripts/sample/Egg.lua", Text: "local Egg = class(\"Egg\", \"Actor\")\nfunction Egg:BeginPlay()\n\terror(\"cracked\")\nend\n"})
}

// chain calls a function of a new actor of the first class with new actors of the others.
func (b *bench) chain(function string, classes ...string) error {
	var args []engine.Value
	for _, c := range classes[1:] {
		args = append(args, engine.Ref(b.spawn(c)))
	}
	_, err := b.v.Call(b.spawn(classes[0]), function, args...)
	return err
}

// TestChargedToTheLeastTrusted (G1, G4): a fault is the innermost function's of the least trusted layer on the stack; of several
// mods the outermost's.
func TestChargedToTheLeastTrusted(t *testing.T) {
	for _, c := range []struct{ chain, want string }{
		{"Core", "Core:Pass: scripts/core/Core.lua:3:19: broken (Core_0, server) [core]"},
		{"Game", "Game:Pass: scripts/sample/Game.lua:3:19: broken (Game_0, server)"},
		{"Hat", "Hat:Pass: scripts/mods/hats/Hat.lua:3:19: broken (Hat_0, server) [mod hats]"},
		{"Core Game Core", "Game:Pass: scripts/core/Core.lua:3:19: broken, called at scripts/sample/Game.lua:4:4 (Core_1, server)"},
		{"Game Core Game Core", "Game:Pass: scripts/core/Core.lua:3:19: broken, called at scripts/sample/Game.lua:4:4 (Game_1, server)"},
		{"Core Hat Core", "Hat:Pass: scripts/core/Core.lua:3:19: broken, called at scripts/mods/hats/Hat.lua:4:4 (Core_1, server) [mod hats]"},
		{"Core Hat Game", "Hat:Pass: scripts/sample/Game.lua:3:19: broken, called at scripts/mods/hats/Hat.lua:4:4 (Core_0, server) [mod hats]"},
		{"Game Hat", "Hat:Pass: scripts/mods/hats/Hat.lua:3:19: broken (Game_0, server) [mod hats]"},
		{"Hat Cape", "Hat:Pass: scripts/mods/capes/Cape.lua:3:19: broken, called at scripts/mods/hats/Hat.lua:4:4 (Hat_0, server) [mod hats]"},
		{"Hat Game Cape Core", "Hat:Pass: scripts/core/Core.lua:3:19: broken, called at scripts/mods/hats/Hat.lua:4:4 (Hat_0, server) [mod hats]"},
		{"Game Cape Hat", "Cape:Pass: scripts/mods/hats/Hat.lua:3:19: broken, called at scripts/mods/capes/Cape.lua:4:4 (Game_0, server) [mod capes]"},
	} {
		b := layered(t)
		if err := b.chain("Pass", strings.Fields(c.chain)...); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.chain, err, c.want)
		}
	}
}

// TestChargedThroughCatching (G1): what pcall caught and somebody raised again is theirs; what ends the call whatever catches it
// is charged to where it arose, and so is what a coroutine hands on.
func TestChargedThroughCatching(t *testing.T) {
	for _, c := range []struct{ function, chain, want string }{
		{"Try", "Game Hat", "Game:Try: "},
		{"Spin", "Game Hat", "Hat:Spin: scripts/mods/hats/Hat.lua:11:"},
		{"Spin", "Core Game", "Game:Spin: scripts/sample/Game.lua:11:"},
		{"Wrap", "Game Hat", "Hat:Pass: scripts/mods/hats/Hat.lua:3:19: broken"},
		{"Wrap", "Core Game Core", "Game:Pass: scripts/core/Core.lua:3:19: broken, called at scripts/sample/Game.lua:4:4 ("},
	} {
		b := layered(t)
		if err := b.chain(c.function, strings.Fields(c.chain)...); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s:\n got %v\nwant %s", c.function, c.chain, err, c.want)
		}
	}
}

// TestEventsInsideACall (G1): what an event does that a mod's call brought about is on the mod's stack.
func TestEventsInsideACall(t *testing.T) {
	b := layered(t)
	hat := b.spawn("Hat")
	for range QuarantineFaults {
		if _, err := b.v.Call(hat, "Make", engine.String("Egg")); err != nil {
			t.Fatal(err) // the event's fault ends the event only
		}
	}
	if !strings.Contains(b.errors(), "Hat:Make: scripts/sample/Egg.lua:3:2: cracked, called at scripts/mods/hats/Hat.lua:18:7 (Egg_") {
		t.Error(b.errors())
	}
	if got := b.quarantined(); got != "[Hat]" {
		t.Errorf("quarantined %s", got)
	}
}
