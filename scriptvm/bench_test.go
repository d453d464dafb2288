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
func benchWorld(tb testing.TB, n, awake int, extra ...string) (*engine.World, *VM) {
	return benchWorldOf(tb, Options{}, benchClass, n, awake, extra...)
}

// benchWorldOf is the same with another Drone.
func benchWorldOf(tb testing.TB, opt Options, drone string, n, awake int, extra ...string) (*engine.World, *VM) {
	v := New(opt)
	sources := []classfile.Source{
		{Path: "Actor.lua", Text: "local Actor = class(\"Actor\")\nreturn Actor"},
		{Path: "Drone.lua", Text: drone},
	}
	for i, text := range extra {
		sources = append(sources, classfile.Source{Path: fmt.Sprintf("Extra%d.lua", i), Text: text, Multi: true})
	}
	for _, d := range v.Load(sources) {
		if d.Severity == engine.SevError {
			tb.Fatal(d)
		}
	}
	w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v})
	v.Bind(w)
	tb.Cleanup(v.Close)
	every := max(n/max(awake, 1), 1)
	for i := range n {
		a, err := w.Spawn(w.Classes.Find("Drone"), engine.SpawnParams{})
		if err != nil {
			tb.Fatal(err)
		}
		a.SetTickEnabled(awake > 0 && i%every == 0 && i/every < awake)
	}
	w.Step(1.0 / 60)
	return w, v
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

func newPlainWorld(tb testing.TB, drone string, n, awake int) *plainWorld {
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
	chunk, err := syntax.Parse("Drone.lua", drone)
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
	every := max(n/max(awake, 1), 1)
	for i := range n {
		t := newTable(0, len(names))
		for _, name := range names {
			t.RawSetString(name, defaults[name])
		}
		t.Metatable = meta
		p.actors = append(p.actors, t)
		if i%every == 0 && i/every < awake {
			p.awake = append(p.awake, t)
			last := make([]lua.LValue, len(benchReplicated))
			for j, name := range benchReplicated {
				last[j] = t.RawGetString(name) // nil where this Drone has no such variable
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

// benchSlots and benchPlain run one side.
func benchSlots(b *testing.B, opt Options, drone string, n int) {
	w, _ := benchWorldOf(b, opt, drone, n, 1000)
	runtime.GC()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		w.Step(1.0 / 60)
		w.ClearDirty()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/awake")
}

func benchPlain(b *testing.B, drone string, n int) {
	p := newPlainWorld(b, drone, n, 1000)
	runtime.GC()
	b.ReportAllocs()
	b.ResetTimer()
	dt := lua.LNumber(1.0 / 60)
	for range b.N {
		p.step(dt)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/awake")
	runtime.KeepAlive(p)
}

// BenchmarkAwake measures the time per awake actor of 1 000 awake among more, slots against plain tables.
func BenchmarkAwake(b *testing.B) {
	for _, n := range []int{1000, 10000, 50000} {
		b.Run(fmt.Sprintf("slots/%d", n), func(b *testing.B) { benchSlots(b, Options{}, benchClass, n) })
		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) { benchPlain(b, benchClass, n) })
	}
}

// benchShapes are Ticks of other kinds than benchClass's.
var benchShapes = []struct {
	name, text string
	plain      bool // plain tables can run it too: no vectors
}{
	{"call", `
local Drone = class("Drone", "Actor")
Drone.properties { Fuel = float(100), Burn = float(7), Heat = float(0), Cooling = float(3), Refuels = int(0) }
function Drone:Refuel() self.Refuels = self.Refuels + 1 end
function Drone:Cool(dt) self.Heat = math.max(self.Heat - self.Cooling * dt, 0) end
function Drone:Tick(dt)
	local fuel = self.Fuel - self.Burn * dt
	if fuel < 0 then
		fuel = 100
		self:Refuel()
	end
	self.Fuel = fuel
	self:Cool(dt)
end
return Drone
`, true},
	{"reads", `
local Drone = class("Drone", "Actor")
Drone.properties {
	A = float(1), B = float(2), C = float(3), D = float(4), E = float(5), F = float(6), G = int(7), H = int(8),
	bI = true, bJ = false, bK = true, Best = float(0),
}
function Drone:Tick(dt)
	local score = self.A * 2 + self.B * 3 - self.C / 4 + self.D
	if self.bI and not self.bJ then
		score = score + math.min(self.E, self.F) * self.G
	elseif self.bK then
		score = score - self.H
	end
	if self.A < self.B and self.C < self.D and self.E < self.F and self.G < self.H then
		score = score + math.abs(self.A - self.F)
	end
	if score > self.Best then
		self.Best = score
	end
end
return Drone
`, true},
	{"early-return", `
local Drone = class("Drone", "Actor")
Drone.properties { bOn = false, A = float(0), B = float(0), C = float(0) }
function Drone:Tick(dt)
	if not self.bOn then return end
	self.A = self.A + dt
	self.B = self.B + self.A
	self.C = self.C + self.B
end
return Drone
`, true},
	{"vector", `
local Drone = class("Drone", "Actor")
Drone.properties { Aim = vector(1, 0, 0), Pull = vector(0, 0, -9.8), Offset = vector(0, 0, 0), Swing = float(0) }
function Drone:Tick(dt)
	local v = self.Velocity + self.Pull * dt
	if v:Size() > 400 then
		v = v:Normal() * 400
	end
	self.Velocity = v
	self.Offset = self.Offset + v * dt
	self.Swing = self.Aim:Dot(v) * 0.01
end
return Drone
`, false},
	{"read-back", `
local Drone = class("Drone", "Actor")
Drone.properties { A = float(0), B = float(0), Sum = float(0) }
function Drone:BeginPlay() self:SetTimer(0.0166, true, "Look") end
function Drone:Tick(dt)
	self.A = self.A + dt
	self.B = self.B + self.A
end
function Drone:Look()
	self.Sum = self.A + self.B
	self:Nothing()
end
function Drone:Nothing() end
return Drone
`, false},
}

// BenchmarkShape is Ticks of other kinds.
func BenchmarkShape(b *testing.B) {
	for _, s := range benchShapes {
		b.Run(s.name+"/slots", func(b *testing.B) { benchSlots(b, Options{}, s.text, 1000) })
		if s.plain {
			b.Run(s.name+"/plain", func(b *testing.B) { benchPlain(b, s.text, 1000) })
		}
	}
}

// BenchmarkIdle measures what 50 000 idle actors add to the tick of 1 000 awake ones.
func BenchmarkIdle(b *testing.B) {
	for _, idle := range []int{0, 50000} {
		b.Run(fmt.Sprint(idle), func(b *testing.B) {
			w, _ := benchWorld(b, 1000, 1000)
			for range idle {
				a, err := w.Spawn(w.Classes.Find("Drone"), engine.SpawnParams{})
				if err != nil {
					b.Fatal(err)
				}
				a.SetTickEnabled(false)
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
				if _, err := w.Spawn(w.Classes.Find("Drone"), engine.SpawnParams{}); err != nil {
					b.Fatal(err)
				}
			}
			return w
		})
	})
	b.Run("plain", func(b *testing.B) {
		measure(b, func() any { return newPlainWorld(b, benchClass, n, 0) })
	})
}

// BenchmarkVariable is reading and writing a declared variable in its three ways, a thousand times a call.
func BenchmarkVariable(b *testing.B) {
	const loops = `
local L = class("L", "Actor")
L.properties { N = float(0), Other = ref("L") }
function L:Nothing() for i = 1, 1000 do end end
function L:ReadSelf() local x; for i = 1, 1000 do x = self.N end end
function L:WriteSelf() for i = 1, 1000 do self.N = i end end
function L:ReadOther() local o, x = self.Other; for i = 1, 1000 do x = o.N end end
function L:WriteOther() local o = self.Other; for i = 1, 1000 do o.N = i end end
function L:ReadLocal() local x; self.loose = 1; for i = 1, 1000 do x = self.loose end end
function L:WriteLocal() for i = 1, 1000 do self.loose = i end end
function L:ReadNative() local x; for i = 1, 1000 do x = self.NetPriority end end
function L:CallSelf() for i = 1, 1000 do self:Empty() end end
function L:CallOther() local o = self.Other; for i = 1, 1000 do o:Empty() end end
function L:Empty() end
`
	w, v := benchWorld(b, 0, 0, loops)
	a, _ := w.Spawn(w.Classes.Find("L"), engine.SpawnParams{})
	o, _ := w.Spawn(w.Classes.Find("L"), engine.SpawnParams{})
	a.SetRef(a.Class.Property("Other"), o)
	v.Changed(a, a.Class.Property("Other"))
	for _, fn := range []string{"Nothing", "ReadSelf", "WriteSelf", "ReadOther", "WriteOther", "ReadLocal", "WriteLocal", "ReadNative", "CallSelf", "CallOther"} {
		b.Run(fn, func(b *testing.B) {
			for range b.N {
				if _, err := v.Call(a, fn); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/op1")
		})
	}
}

// BenchmarkEvent is the engine's call of an event.
func BenchmarkEvent(b *testing.B) {
	w, _ := benchWorld(b, 0, 0, `
local E = class("E", "Actor")
function E:Bump(other) end
local F = class("F", "E")
local G = class("G", "Actor")
`)
	for _, tc := range []struct{ name, class string }{{"defined", "E"}, {"inherited", "F"}, {"undefined", "G"}} {
		a, err := w.Spawn(w.Classes.Find(tc.class), engine.SpawnParams{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				a.Event(engine.EvBump, engine.Ref(a))
			}
		})
	}
}
