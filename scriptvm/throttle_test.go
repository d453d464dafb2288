package scriptvm

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// modFile is a chunk of classes of a mod.
func modFile(mod, text string) classfile.Source {
	return classfile.Source{Path: "mods/" + mod + "/all", Text: text, Multi: true, Trust: classfile.Trust{Layer: classfile.LayerMod, Mod: mod}}
}

const hungry = `
local Hungry = class("Hungry", "Actor")
Hungry.properties { Turns = int(1500), Ticks = int(0), Time = float(0), Late = int(0), Asked = int(0) }
function Hungry:BeginPlay() self:SetTimer(0.11, true, "Chew") end
function Hungry:Work(n) local x = 0 for i = 1, n do x = x + i end return x end
function Hungry:Tick(dt)
	self.Ticks = self.Ticks + 1
	self.Time = self.Time + dt
	self:Work(self.Turns)
end
function Hungry:Chew() self.Late = self.Late + 1 end
function Hungry.server.reliable:Ask() self.Asked = self.Asked + 1 self:Work(self.Turns) end
local Modest = class("Modest", "Actor")
Modest.properties { Ticks = int(0) }
function Modest:Tick(_) self.Ticks = self.Ticks + 1 end
`

// costOf is the account of one function, by its name.
func costOf(v *VM, name string) Cost {
	for _, c := range v.Costs() {
		if c.Class+":"+c.Function == name {
			return c
		}
	}
	return Cost{}
}

// TestAccountsByFunction (G6): what a function costs is counted in units, no matter who calls how often; the same run has the same
// accounts, and they add up to what the sandbox counted.
func TestAccountsByFunction(t *testing.T) {
	run := func() (*bench, string) {
		b := newBench(t, `
local Two = class("Two", "Actor")
function Two:Tick(_) self:Long() self:Short() end
function Two:Long() local x = 0 for i = 1, 300 do x = x + i end end
function Two:Short() local x = 0 for i = 1, 100 do x = x + i end end
`)
		b.spawns(10, "Two")
		b.run(10)
		b.clean()
		return b, fmt.Sprint(b.v.Costs())
	}
	b, first := run()
	if _, again := run(); again != first {
		t.Errorf("the same run again has other accounts:\n%s\n%s", again, first)
	}
	long, short := costOf(b.v, "Two:Long").Units, costOf(b.v, "Two:Short").Units
	if r := float64(long) / float64(short); r < 2.6 || r > 3.4 {
		t.Errorf("Long has %d units and Short %d: %.2f times as many, want 3", long, short, r)
	}
	var sum int64
	for _, c := range b.v.Costs() {
		sum += c.Units
	}
	if spent := b.v.vm.Spent(); sum > spent || float64(sum) < 0.97*float64(spent) {
		t.Errorf("accounts have %d units of %d spent", sum, spent)
	}
}

// TestAccountsOfLinesAndFaults (G6, G12): a line for the log costs whether it is told or dropped, and so does a fault that its caller
// outlives: both are the engine's work and not the script's.
func TestAccountsOfLinesAndFaults(t *testing.T) {
	b := newBench(t, `
local Busy = class("Busy", "Actor")
function Busy:Lines() for i = 1, 100 do log("a line") end end
function Busy:NoLines() for i = 1, 100 do self:IsA("Actor") end end
function Busy:Fails() error("on purpose") end
function Busy:Faults() self:ProtectedCall("Fails") end
function Busy:Passes() end
function Busy:NoFaults() self:ProtectedCall("Passes") end
function Busy:Tick(_) self:Lines() self:NoLines() self:NoFaults() end
function Busy:BeginPlay() self:Faults() end
`)
	b.spawn("Busy")
	b.run(5)
	units := func(name string) int64 { return costOf(b.v, "Busy:"+name).Units }
	if lines, none := units("Lines"), units("NoLines"); lines < none+5*100*lineCost {
		t.Errorf("500 lines have %d units, as many other calls %d: a line costs less than %d", lines, none, lineCost)
	}
	if faults, none := units("Faults")+units("Fails"), units("NoFaults")+units("Passes"); faults < none/5+faultCost {
		t.Errorf("a fault has %d units, five calls without one %d: it costs less than %d", faults, none, faultCost)
	}
}

// TestAccountsChargeTheLeastTrusted (G1, G6): what core's functions cost is the mod's that calls them.
func TestAccountsChargeTheLeastTrusted(t *testing.T) {
	core := classfile.Source{Path: "scripts/core/Mill.lua", Text: `local Mill = class("Mill", "Actor")
function Mill:Grind() for _ = 1, 2000 do self:IsA("Pawn") end end
return Mill
`}
	b := newBench(t, "", core, modFile("greedy", `
local Greedy = class("Greedy", "Mill")
function Greedy:Tick(_) self:Search() end
function Greedy:Search() self:Grind() end
`))
	b.spawn("Greedy")
	b.run(5)
	b.clean()
	all := b.v.Costs()
	if len(all) == 0 || all[0].Class != "Greedy" || all[0].Trust.Mod != "greedy" {
		t.Errorf("the costliest are %v, want the mod's", all)
	}
	if got := b.v.Costliest("", 1); !strings.HasPrefix(got, "Greedy:Search ") {
		t.Errorf("the costliest is %q", got)
	}
	if got := costOf(b.v, "Mill:Grind"); got.Units > 0 {
		t.Errorf("core's function has %d units", got.Units)
	}
}

// TestThrottled (G6): a mod's class over its share has Tick called less often, with the time since; looping timers fire late and
// never twice for one; others are called as before, and so is what players call.
func TestThrottled(t *testing.T) {
	b := newBench(t, "", modFile("greedy", hungry))
	actors := b.spawns(60, "Hungry")
	modest := b.spawn("Modest")
	b.run(10)
	a := actors[7]
	ticks, late := b.get(a, "Ticks").Num, b.get(a, "Late").Num
	if ticks > 450 || ticks < 100 {
		t.Errorf("an actor of a class at twice its share ticked %v times of 600", ticks)
	}
	if sum := b.get(a, "Time").Num; math.Abs(sum-10) > 0.2 {
		t.Errorf("the time of its ticks adds up to %v s of 10", sum)
	}
	if late > 90 || late < 88 { // held for some ticks, and then on time again
		t.Errorf("a looping timer of 0.11 s fired %v times in 10 s", late)
	}
	if got := b.get(modest, "Ticks").Num; got > 450 && got != 600 {
		t.Errorf("Modest, of the same mod, ticked %v times", got)
	}
	th := b.v.Throttled()
	if len(th) == 0 || th[0].Class != "Hungry" || th[0].Every < 2 {
		t.Errorf("throttled: %v", th)
	}
	if got := b.v.Milliseconds(); got > 1.3*1000/60*DefaultShare {
		t.Errorf("scripts take %.2f ms a tick", got)
	}
	if len(b.v.Quarantined()) != 0 {
		t.Errorf("quarantined %v though it helped", b.v.Quarantined())
	}
	if s := b.errors(); !strings.Contains(s, "Hungry: mods/greedy/all: takes ") || !strings.Contains(s, "Hungry:Work ") || !strings.Contains(s, "[mod greedy]") {
		t.Errorf("told %s", s)
	}
	for range 60 {
		b.v.Event(a, a.Class.Functions["Ask"], nil)
	}
	if got := b.get(a, "Asked").Num; got != 60 {
		t.Errorf("a replicated function ran %v times of 60", got)
	}
	// Once it takes less, it is called every tick again.
	for _, a := range actors {
		b.set(a, "Turns", engine.Int(1))
	}
	b.run(12)
	if th := b.v.Throttled(); len(th) != 0 {
		t.Errorf("still throttled: %v", th)
	}
	before := b.get(a, "Ticks").Num
	b.run(1)
	if got := b.get(a, "Ticks").Num - before; got != 60 {
		t.Errorf("it ticked %v times in the next second", got)
	}
}

// TestGameIsHeldOnlyWhenBusy (G6): a class of the game may take more than its share as long as all scripts together leave
// the tick room; then it is throttled as others are.
func TestGameIsHeldOnlyWhenBusy(t *testing.T) {
	long(t)
	tier.Change(t)
	b := newBench(t, hungry)
	b.spawns(60, "Hungry")
	b.run(5)
	if th := b.v.Throttled(); len(th) != 0 || b.errors() != "" {
		t.Errorf("throttled at %.1f ms a tick: %v\n%s", b.v.Milliseconds(), th, b.errors())
	}
	b.v.SetCostScale(3 * DefaultCostScale) // a slower machine
	b.run(5)
	if th := b.v.Throttled(); len(th) != 1 || th[0].Class != "Hungry" {
		t.Errorf("throttled at %.1f ms a tick: %v", b.v.Milliseconds(), th)
	}
}

// TestGameGivesWayToNoMod (G6): what a mod takes beyond its share is not a reason to call classes of the game less often: the mod
// is brought to its share, and then there is room for them.
func TestGameGivesWayToNoMod(t *testing.T) {
	long(t)
	tier.Change(t)
	b := newBench(t, hungry, modFile("greedy", strings.ReplaceAll(hungry, "Hungry", "Greedy")[:strings.Index(hungry, "local Modest")]))
	b.spawns(60, "Hungry")
	b.spawns(120, "Greedy")
	most := 0.0
	for range 8 {
		b.run(1)
		most = max(most, b.v.Milliseconds())
		for _, th := range b.v.Throttled() {
			if th.Class != "Greedy" {
				t.Errorf("%s is called every %d ticks at %.1f ms a tick", th.Class, th.Every, b.v.Milliseconds())
			}
		}
	}
	if most < 1000.0/60*busy {
		t.Fatalf("all take %.1f ms a tick: nothing is tried", most)
	}
	if s := b.errors(); strings.Contains(s, "Hungry") || !strings.Contains(s, "Greedy") {
		t.Errorf("told %s", s)
	}
}

// TestHopelessIsQuarantined (G6): where calling Tick less often does not help within five seconds, because another function
// takes the time, or because one call takes longer than scripts may take in a tick, the most expensive function is quarantined.
func TestHopelessIsQuarantined(t *testing.T) {
	long(t)
	tier.Change(t)
	const text = `
local Rung = class("Rung", "Actor")
Rung.properties { Calls = int(0) }
function Rung:BeginPlay() self:SetTimer(0.01, false, "Again") end
function Rung:Again()
	self:SetTimer(0.01, false, "Again")
	self.Calls = self.Calls + 1
	local x = 0
	for i = 1, 3000 do x = x + i end
end
local Slab = class("Slab", "Actor")
function Slab:Tick(_) local x = 0 for i = 1, 400000 do x = x + i end end
`
	for _, c := range []struct {
		class string
		n     int
		want  string
		told  string
	}{{"Rung", 60, "[Rung]", "its share is"}, {"Slab", 1, "[Slab]", "in single ticks"}} {
		b := newBench(t, "", modFile("greedy", text))
		b.spawns(c.n, c.class)
		b.run(3)
		if q := b.v.Quarantined(); len(q) != 0 {
			t.Fatalf("%s: quarantined %v in the first seconds", c.class, q)
		}
		b.run(6)
		if got := b.quarantined(); got != c.want && !strings.HasPrefix(got, strings.TrimSuffix(c.want, "]")+":") {
			t.Errorf("%s: quarantined %s, want %s\n%s", c.class, got, c.want, b.errors())
		}
		if s := b.errors(); !strings.Contains(s, "calling its Tick less often did not help") || !strings.Contains(s, "[mod greedy]") || !strings.Contains(s, c.told) {
			t.Errorf("%s: told %s", c.class, s)
		}
		b.run(2)
		if ms := b.v.Milliseconds(); ms > 0.5 {
			t.Errorf("%s: scripts still take %.1f ms a tick", c.class, ms)
		}
	}
}

// TestDrowned (G6): a class that takes a second's worth of cost in one tick loses its most expensive function within that tick, and
// no other class does; the functions beside the most expensive stay.
func TestDrowned(t *testing.T) {
	b := newBench(t, `
local Calm = class("Calm", "Actor")
Calm.properties { Ticks = int(0) }
function Calm:Tick(_) self.Ticks = self.Ticks + 1 local x = 0 for i = 1, 2000 do x = x + i end end
`, modFile("flood", `
local Flood = class("Flood", "Actor")
Flood.properties { Ticks = int(0) }
function Flood:Tick(_) self.Ticks = self.Ticks + 1 self:Pour() self:Drip() end
function Flood:Pour() local x = 0 for i = 1, 100000 do x = x + i end end
function Flood:Drip() local x = 0 for i = 1, 1000 do x = x + i end end
`))
	b.v.SetCostScale(MaxCostScale)
	calm := b.spawn("Calm")
	b.spawns(200, "Flood")
	before := b.v.vm.Spent()
	b.run(1.0 / 60)
	if got := b.quarantined(); got != "[Flood:Pour]" {
		t.Errorf("quarantined %s\n%s", got, b.errors())
	}
	if took := float64(b.v.vm.Spent()-before) * MaxCostScale / 1e9; took > 2 {
		t.Errorf("the tick took %.1f s", took)
	}
	if s := b.errors(); !strings.Contains(s, "since its class took 1.") || !strings.Contains(s, "in one tick: calls do nothing") || !strings.Contains(s, "[mod flood]") {
		t.Errorf("told %s", s)
	}
	b.run(0.5)
	if got := b.get(calm, "Ticks").Num; got != 31 {
		t.Errorf("the calm one ticked %v times of 31", got)
	}
}

// TestOwedTimeIsPaid (G6): the time of ticks that were held back is part of the next one, also when the class is within its share
// again meanwhile.
func TestOwedTimeIsPaid(t *testing.T) {
	long(t)
	tier.Change(t)
	b := newBench(t, "", modFile("greedy", hungry))
	actors := b.spawns(60, "Hungry")
	b.v.SetCostScale(3 * DefaultCostScale)
	b.run(4)
	b.v.SetCostScale(MinCostScale)
	b.run(12)
	if th := b.v.Throttled(); len(th) != 0 {
		t.Fatalf("still throttled: %v", th)
	}
	for _, a := range actors {
		if sum := b.get(a, "Time").Num; math.Abs(sum-16) > 1.0/60+1e-6 {
			t.Fatalf("the time of %s's ticks adds up to %v s of 16", a, sum)
		}
	}
}

// TestTurns: actors that were spawned one after the other and are called seldom are spread over all ticks; no few ticks have them all.
func TestTurns(t *testing.T) {
	for _, c := range []struct{ actors, every, window, most int }{{30, 450, 15, 2}, {200, 23, 1, 10}, {7, 600, 60, 2}} {
		for _, first := range []uint64{1, 1000, 1 << 40} {
			count := make([]int, c.every)
			for i := range c.actors {
				n := engine.Turn(first+uint64(i), uint64(c.every))
				if n >= uint64(c.every) {
					t.Fatalf("turn %d of %d", n, c.every)
				}
				count[n]++
			}
			for from := range count {
				sum := 0
				for i := range c.window {
					sum += count[(from+i)%c.every]
				}
				if sum > c.most {
					t.Errorf("%d of %d actors within %d of %d ticks", sum, c.actors, c.window, c.every)
				}
			}
		}
	}
}
