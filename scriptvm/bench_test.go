package scriptvm

import (
	"fmt"
	"runtime"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// benchClass is run by both sides of BenchmarkAwake from the same text: twenty variables, eight of them
// replicated, and a Tick as games write them: a few reads, some arithmetic, a decision, a few writes.
const benchClass = `
local Drone = class("Drone", "Actor")
Drone.properties {
	Age = float(0), Fuel = float(100), MaxFuel = float(100), Burn = float(7),
	Heading = float(0), TurnRate = float(45), Thrust = float(0), Throttle = float(0.5),
	Heat = float(0), Cooling = float(3), Refuels = int(0), Laps = int(0),
	Gear = int(1), Team = int(0), Score = int(0), Hits = int(0),
	bBoost = false, bArmed = true, bAlarm = false, Mode = int(0),
}
Drone.replication {
	{ "Fuel", "Heading", "Thrust", "Heat", "Laps", "Team", "Score", "bAlarm" },
}
function Drone:Tick(dt)
	self.Age = self.Age + dt
	local fuel = self.Fuel - self.Burn * self.Throttle * dt
	if fuel < 0 then
		fuel = self.MaxFuel
		self.Refuels = self.Refuels + 1
	end
	self.Fuel = fuel
	local heading = self.Heading + self.TurnRate * dt
	if heading >= 360 then
		heading = heading - 360
		self.Laps = self.Laps + 1
	end
	self.Heading = heading
	local heat = self.Heat + self.Throttle * dt - self.Cooling * dt
	if self.bBoost then
		heat = heat + dt
	end
	if heat < 0 then
		heat = 0
	end
	if heat ~= self.Heat then
		self.Heat = heat
	end
	if self.bArmed and heat > 50 and not self.bAlarm then
		self.bAlarm = true
	end
end
return Drone
`

var benchReplicated = []string{"Fuel", "Heading", "Thrust", "Heat", "Laps", "Team", "Score", "bAlarm"}

// benchWorld is a world of n drones of which the first awake tick.
func benchWorld(tb testing.TB, n, awake int) (*engine.World, *VM) {
	v := New(Options{})
	for _, d := range v.Load([]classfile.Source{{Path: "Actor.lua", Text: "local Actor = class(\"Actor\")\nreturn Actor"}, {Path: "Drone.lua", Text: benchClass}}) {
		if d.Severity == engine.SevError {
			tb.Fatal(d)
		}
	}
	w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v})
	v.Bind(w)
	tb.Cleanup(v.Close)
	for i := range n {
		every := max(n/max(awake, 1), 1)
		drone(tb, w).SetTickEnabled(awake > 0 && i%every == 0 && i/every < awake)
	}
	w.Step(1.0 / 60)
	return w, v
}

func drone(tb testing.TB, w *engine.World) *engine.Actor {
	a, err := w.Spawn(w.Classes.Find("Drone"), engine.SpawnParams{})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// plainWorld is the same with string-keyed tables, presized, and polling of what is awake.
type plainWorld struct {
	vm     *sandbox.VM
	tick   *lua.LFunction
	actors []*lua.LTable
	awake  []*lua.LTable
	last   [][]lua.LValue
	dirty  int
}

type fixedRand struct{}

func (fixedRand) Uint64() uint64 { return 4 }

func newPlainWorld(tb testing.TB, n, awake int) *plainWorld {
	vm, err := sandbox.New(sandbox.Options{Rand: fixedRand{}})
	if err != nil {
		tb.Fatal(err)
	}
	p := &plainWorld{vm: vm}
	class := newTable(0, 8)
	var names []string
	defaults := map[string]lua.LValue{}
	class.RawSetString("properties", vm.NewPlainFunction(func(L *lua.LState) int {
		each(L.Get(1).(*lua.LTable), func(k, x lua.LValue) {
			names = append(names, k.String())
			defaults[k.String()] = x
		})
		return 0
	}))
	class.RawSetString("replication", vm.NewPlainFunction(func(*lua.LState) int { return 0 }))
	first := vm.NewPlainFunction(func(L *lua.LState) int { L.Push(L.Get(1)); return 1 })
	vm.SetGlobal("class", vm.NewPlainFunction(func(L *lua.LState) int { L.Push(class); return 1 }))
	vm.SetGlobal("float", first)
	vm.SetGlobal("int", first)
	chunk, err := syntax.Parse("Drone.lua", benchClass)
	if err != nil {
		tb.Fatal(err)
	}
	if err := syntax.Harden(chunk, vm.HardenOptions()); err != nil {
		tb.Fatal(err)
	}
	proto, err := syntax.Compile(chunk)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := vm.Call("", vm.Load(proto, vm.Globals())); err != nil {
		tb.Fatal(err)
	}
	p.tick = class.RawGetString("Tick").(*lua.LFunction)
	meta := newTable(0, 1)
	meta.RawSetString("__index", class)
	for i := range n {
		t := newTable(0, len(names))
		for _, name := range names {
			t.RawSetString(name, defaults[name])
		}
		t.Metatable = meta
		p.actors = append(p.actors, t)
		if every := max(n/max(awake, 1), 1); i%every == 0 && i/every < awake {
			p.awake = append(p.awake, t)
			last := make([]lua.LValue, len(benchReplicated))
			for j, name := range benchReplicated {
				last[j] = t.RawGetString(name)
			}
			p.last = append(p.last, last)
		}
	}
	return p
}

func (p *plainWorld) step(dt lua.LValue) {
	for i, t := range p.awake {
		_, _ = p.vm.Call("Drone", p.tick, t, dt)
		last := p.last[i]
		for j, name := range benchReplicated {
			if v := t.RawGetString(name); v != last[j] {
				last[j] = v
				p.dirty++
			}
		}
	}
}

// BenchmarkAwake measures the time per awake actor of 1 000 awake among more, slots against plain tables.
func BenchmarkAwake(b *testing.B) {
	measure := func(b *testing.B, step func()) {
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			step()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/awake")
	}
	for _, n := range []int{1000, 10000, 50000} {
		b.Run(fmt.Sprintf("slots/%d", n), func(b *testing.B) {
			w, _ := benchWorld(b, n, 1000)
			measure(b, func() {
				w.Step(1.0 / 60)
				w.ClearDirty()
			})
		})
		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) {
			p := newPlainWorld(b, n, 1000)
			measure(b, func() { p.step(lua.LNumber(1.0 / 60)) })
		})
	}
}

// BenchmarkIdle measures what 50 000 idle actors add to the tick of 1 000 awake ones.
func BenchmarkIdle(b *testing.B) {
	for _, idle := range []int{0, 50000} {
		b.Run(fmt.Sprint(idle), func(b *testing.B) {
			w, _ := benchWorld(b, 1000, 1000)
			for range idle {
				drone(b, w).SetTickEnabled(false)
			}
			w.Step(1.0 / 60)
			runtime.GC()
			b.ResetTimer()
			for range b.N {
				w.Step(1.0 / 60)
				w.ClearDirty()
			}
		})
	}
}

// BenchmarkMemory measures how many bytes an actor of twenty variables takes in the heap, on both sides.
func BenchmarkMemory(b *testing.B) {
	const n = 20000
	measure := func(b *testing.B, make func() any) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&before)
		keep := make()
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		for range b.N {
			runtime.KeepAlive(keep)
		}
		b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/n, "B/actor")
	}
	b.Run("slots", func(b *testing.B) {
		measure(b, func() any { w, v := benchWorld(b, n, 0); return []any{w, v} })
	})
	b.Run("slots-engine-part", func(b *testing.B) {
		// The same actors without a script side: what the engine's own variables take.
		_, v := benchWorld(b, 0, 0)
		measure(b, func() any {
			w := engine.NewWorld(engine.Config{Classes: v.Classes()})
			for range n {
				drone(b, w)
			}
			return w
		})
	})
	b.Run("plain", func(b *testing.B) {
		measure(b, func() any { return newPlainWorld(b, n, 0) })
	})
}
