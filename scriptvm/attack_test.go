package scriptvm

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// attacks are bodies of a Tick that try to take the host down. Each must end in a fault of its class.
var attacks = map[string]string{
	"endless loop":            `while true do end`,
	"endless repeat":          `repeat until false`,
	"endless recursion":       `self:Tick(dt)`,
	"loop inside pcall":       `while true do pcall(function() while true do end end) end`,
	"loop in a coroutine":     `coroutine.wrap(function() while true do end end)()`,
	"coroutines for ever":     `while true do coroutine.wrap(function() coroutine.yield() end)() end`,
	"loop in a metamethod":    `local t = setmetatable({}, { __index = function() while true do end end }) local _ = t.x`,
	"loop in a comparator":    `local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function() while true do end end)`,
	"loop in gsub":            `("x"):rep(100):gsub(".", function() while true do end end)`,
	"loop in an iterator":     `for _ in function() return 1 end do end`,
	"string.rep":              `local s = string.rep("a", 2^31) self.keep = s`,
	"pattern":                 `string.find(string.rep("a", 10000), ".-.-.-.-.-.-b")`,
	"gsub":                    `while true do string.gsub(string.rep("a", 200000), "a", "%0%0%0") end`,
	"doubling":                `local s = "xxxxxxxxxxxxxxxx" while true do s = s .. s end`,
	"far index":               `local t = {} t[67108863] = 1 for i = 1, 1e9 do t[67108863 - i] = {} end`,
	"table.insert far":        `table.insert({}, 6e7, 1) while true do end`,
	"table of tables":         `local t = {} while true do t[#t + 1] = { {}, {}, {} } end`,
	"closures":                `local t = {} while true do t[#t + 1] = function() return t end end`,
	"strings kept":            `local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end`,
	"table.concat":            `local t = {} for i = 1, 1000 do t[i] = ("x"):rep(10000) end while true do table.concat(t) end`,
	"unpack":                  `local t = {} for i = 1, 1e6 do t[i] = i end while true do select("#", unpack(t)) end`,
	"spawn bomb":              `while true do self:Spawn("Victim") end`,
	"spawns itself":           `self:Spawn("SelfSpawner")`,
	"event storm":             `for i = 1, 1e9 do self:GotoState("A") self:GotoState("B") end`,
	"timer storm":             `for i = 1, 1e9 do self:SetTimer(1, true, "T" .. i) end`,
	"log storm":               `while true do log(("x"):rep(10000)) end`,
	"format":                  `error(string.format("%#v", self))`,
	"error with a huge value": `error(("x"):rep(1000000))`,
	"error with a table":      `error({})`,
	"error with nil":          `error(nil)`,
	"getfenv":                 `getfenvX = 1`,
	"rawset on an actor":      `rawset(self, "Location", 1)`,
	"rawset on a library":     `rawset(string, "find", nil)`,
	"metatable of an actor":   `getmetatable(self).__index = nil`,
	"metatable of a string":   `getmetatable("").__index.find = nil`,
	"setmetatable on world":   `setmetatable(world, {})`,
	"number index":            `self[1] = nil self[1].x = 1`,
	"writes a library":        `math.random = nil`,
	"writes another class":    `Victim = nil`,
}

const attackClasses = `
local Victim = class("Victim", "Actor")
local Witness = class("Witness", "Actor")
Witness.properties { Ticks = int(0) }
function Witness:Tick(dt) self.Ticks = self.Ticks + 1 end
local SelfSpawner = class("SelfSpawner", "Actor")
function SelfSpawner:BeginPlay() self:Spawn("SelfSpawner") end
local Attacker = class("Attacker", "Actor")
Attacker.state("A", {})
Attacker.state("B", {})
function Attacker:Tick(dt)
	%s
end
`

// TestAttacksAreContained: the world ticks on, other classes are unaffected, memory grows by less than 128 MB,
// the class is quarantined after three faults, and a reload lifts it.
func TestAttacksAreContained(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(attacks)) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if i%3 != 0 {
				tier.Change(t)
			}
			body := attacks[name]
			v := New(Options{Cache: parsed})
			sources := append(coreSources(t), classfile.Source{Path: "scripts", Text: fmt.Sprintf(attackClasses, body), Multi: true})
			diags := v.Load(sources)
			v.Close()
			for _, d := range diags {
				if d.Severity == engine.SevError {
					return // refused before it could run: contained
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			b := newBench(t, fmt.Sprintf(attackClasses, body))
			w1 := b.spawn("Witness")
			b.spawn("Attacker")
			w2 := b.spawn("Witness")
			peak := uint64(0)
			for range 10 {
				b.w.Step(1.0 / 60)
				runtime.ReadMemStats(&after)
				if after.HeapInuse > before.HeapInuse {
					peak = max(peak, after.HeapInuse-before.HeapInuse)
				}
			}
			if peak > 128<<20 {
				t.Errorf("the process grew by %d MB", peak>>20)
			}
			for _, w := range []*engine.Actor{w1, w2} {
				if n := b.get(w, "Ticks").Num; n != 10 {
					t.Errorf("a witness ticked %v times of 10", n)
				}
			}
			got := b.v.Quarantined()
			if len(got) == 0 {
				t.Fatalf("nothing is quarantined\n%s", b.errors())
			}
			for _, c := range got {
				if c != "Attacker" && c != "SelfSpawner" {
					t.Errorf("%s is quarantined, which did nothing", c)
				}
			}
			if r := b.reload(fmt.Sprintf(attackClasses, "self:Log('well')")); r.Failed {
				t.Fatal(r.Diagnostics)
			}
			b.logs = nil
			b.w.Step(1.0 / 60)
			if len(b.v.Quarantined()) != 0 || len(b.logs) != 1 {
				t.Errorf("saving the file did not lift the quarantine: %v %v", b.v.Quarantined(), b.logs)
			}
		})
	}
}

// TestLatentAttacks does the same from state code.
func TestLatentAttacks(t *testing.T) {
	for name, body := range map[string]string{
		"endless loop":        `while true do end`,
		"sleep in pcall":      `while true do pcall(Sleep, 0) end`,
		"sleep in comparator": `table.sort({ 3, 2, 1 }, function(a, b) Sleep(0) return a < b end)`,
		"sleep in iterator":   `for _ in function() Sleep(0) end do end`,
		"sleep in coroutine":  `coroutine.wrap(function() Sleep(0) end)()`,
		"negative sleep":      `Sleep(-1)`,
		"NaN sleep":           `Sleep(0 / 0)`,
		"yield":               `coroutine.yield()`,
		"bad wait":            `WaitFor(function() error("no") end)`,
		"wait for ever":       `WaitFor(function() while true do end end)`,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			b := newBench(t, fmt.Sprintf(`
local Attacker = class("Attacker", "Actor")
Attacker.auto_state = "A"
Attacker.state("A", {})
function Attacker.state.A:Code()
	%s
end
`, body))
			for range 4 {
				b.spawn("Attacker")
			}
			for range 10 {
				b.w.Step(1.0 / 60)
			}
			if got := fmt.Sprint(b.v.Quarantined()); got != "[Attacker]" {
				t.Errorf("quarantined: %s\n%s", got, b.errors())
			}
		})
	}
}
