package scriptvm

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// attacks are bodies of a Tick that try to take the host down by what the engine gives to scripts; loops, memory, strings and patterns are
// attacks on the sandbox, whose tests have them. Those in code are bodies of state code.
var attacks = []struct{ name, tick, code string }{
	{"endless loop", `while true do end`, ``},
	{"endless recursion", `self:Tick(dt)`, ``},
	{"spawn bomb", `while true do self:Spawn("Actor") end`, ``},
	{"event storm", `for i = 1, 1e9 do self:GotoState("A") self:GotoState("B") end`, ``},
	{"timer storm", `for i = 1, 1e9 do self:SetTimer(1, true, "T" .. i) end`, ``},
	{"log storm", `while true do log(("x"):rep(10000)) end`, ``},
	{"error with a huge value", `error(("x"):rep(1000000))`, ``},
	{"error with a table", `error({})`, ``},
	{"error with nil", `error(nil)`, ``},
	{"rawset on an actor", `rawset(self, "Location", 1)`, ``},
	{"metatable of an actor", `getmetatable(self).__index = nil`, ``},
	{"setmetatable on world", `setmetatable(world, {})`, ``},
	{"number index", `self[1] = nil self[1].x = 1`, ``},
	{"endless state code", ``, `while true do end`},
	{"NaN sleep", ``, `Sleep(0 / 0)`},
	{"bad wait", ``, `WaitFor(function() error("no") end)`},
	{"wait for ever", ``, `WaitFor(function() while true do end end)`},
}

// TestAttacksAreContained: the world ticks on, other classes are unaffected, memory grows by less than 128 MB, and the class is quarantined.
func TestAttacksAreContained(t *testing.T) {
	for _, a := range attacks {
		t.Run(strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
			b := newBench(t, fmt.Sprintf(`
local Witness = class("Witness", "Actor")
Witness.properties { Ticks = int(0) }
function Witness:Tick(dt) self.Ticks = self.Ticks + 1 end
local Attacker = class("Attacker", "Actor")
Attacker.auto_state = "C"
Attacker.state("A", {})
Attacker.state("B", {})
Attacker.state("C", {})
function Attacker.state.C:Code()
	%s
end
function Attacker:Tick(dt)
	%s
end
`, a.code, a.tick))
			first := b.spawn("Witness")
			b.spawns(map[bool]int{true: 1, false: 4}[a.code == ""], "Attacker") // a fault ends state code
			last := b.spawn("Witness")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for range 10 {
				b.w.Step(1.0 / 60)
				if runtime.ReadMemStats(&after); after.HeapInuse > before.HeapInuse+128<<20 {
					t.Fatalf("the process grew by %d MB", (after.HeapInuse-before.HeapInuse)>>20)
				}
			}
			if x, y := b.get(first, "Ticks").Num, b.get(last, "Ticks").Num; x != 10 || y != 10 {
				t.Errorf("the witnesses ticked %v and %v times of 10", x, y)
			}
			if got := fmt.Sprint(b.v.Quarantined()); !strings.HasPrefix(got, "[Attacker") || strings.Contains(got, " ") {
				t.Errorf("quarantined: %s\n%s", got, b.errors())
			}
		})
	}
}
