package scriptvm

import (
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

const profiled = `
local Worker = class("Worker", "Actor")
local function sum(n)
	local x = 0
	for i = 1, n do x = x + i end
	return x
end
function Worker:Tick(dt)
	self:Twice()
	sum(300)
end
function Worker:Twice()
	local x = 0
	for i = 1, 600 do x = x + i end
	world:Spawn("Child", { Owner = self }):Destroy()
end
local Child = class("Child", "Actor")
function Child:PostBeginPlay()
	local x = 0
	for i = 1, 300 do x = x + i end
end
`

// TestProfile: samples name functions with their callers, natives and events inside of natives among them; the time of a
// function is what it spends, to within the error of sampling. The clock passes between instructions only, so that the
// result is the same every time. A reload in between replaces the functions; their times go on under the same names.
func TestProfile(t *testing.T) {
	b := newBench(t, profiled)
	now, running := int64(0), false
	p := profile.New(func() int64 {
		if running {
			now += 400 // a step of a probe comes about every 24 units
		}
		return now
	}, nil, 1)
	b.w.Profile = p
	b.spawn("Worker")
	running = true
	spent := b.v.Spent()
	for i := range 3000 {
		if i == 1500 {
			b.reloads("\n\n" + profiled)
		}
		p.Begin()
		b.v.Measure(p)
		p.Phase(profile.World)
		b.w.Step(1.0 / 60)
		now += 2e6 // the rest of the tick
		p.End()
	}
	b.clean()
	if units := float64(b.v.Spent()-spent) / 3000; units < 2000 || units > 8000 {
		t.Errorf("a tick takes %.0f units", units)
	}
	r := p.Report()
	if r.Measured < 50 || r.Samples < 500 {
		t.Fatalf("%d ticks measured, %d samples", r.Measured, r.Samples)
	}
	scripts := r.Phases[profile.Scripts].Time
	classes, by := 0.0, map[string]profile.FunctionTime{}
	for _, c := range r.Classes {
		classes += c.Exclusive
	}
	functions := 0.0
	for _, f := range r.Functions {
		functions += f.Exclusive
		if name := f.Class + ":" + f.Name; by[name].Name != "" {
			t.Errorf("%s is listed twice", name)
		} else {
			by[name] = f
		}
	}
	if math.Abs(classes-scripts) > 1e-9 || math.Abs(functions-scripts) > 1e-9 {
		t.Errorf("classes add up to %v, functions to %v, scripts take %v", classes, functions, scripts)
	}
	for _, want := range []struct {
		name                 string
		exclusive, inclusive float64 // shares
		calls                float64
	}{
		{"Worker:Tick", 0, 1, 1}, {"Worker:Twice", 0.5, 0.75, 0}, {"Worker:sum", 0.25, 0.25, 0}, {"Child:PostBeginPlay", 0.25, 0.25, 1},
	} {
		f, ok := by[want.name]
		if !ok {
			t.Errorf("%s is missing: %+v", want.name, r.Functions)
			continue
		}
		own, all := f.Exclusive/scripts, f.Inclusive/scripts
		if math.Abs(own-want.exclusive) > 0.06 || math.Abs(all-want.inclusive) > 0.06 || f.Calls != want.calls {
			t.Errorf("%s takes %.3f of the scripts' time by itself and %.3f in all, in %v calls a tick; want %+v", want.name, own, all, f.Calls, want)
		}
		if f.File != "scripts" || f.Line == 0 || f.Name == "Tick" && f.Line != 10 {
			t.Errorf("%s is at %s:%d", want.name, f.File, f.Line)
		}
	}
	stack := func(i int) string {
		var names []string
		for ; i >= 0; i = r.Stacks[i].Parent {
			f := r.Functions[r.Stacks[i].Function]
			names = append([]string{strings.TrimPrefix(f.Class+":"+f.Name, ":")}, names...)
		}
		return strings.Join(names, " > ")
	}
	found := map[string]bool{}
	for i := range r.Stacks {
		found[stack(i)] = true
	}
	for _, want := range []string{"Worker:Tick > Worker:sum", "Worker:Tick > Worker:Twice > world.Spawn > Child:PostBeginPlay"} {
		if !found[want] {
			t.Errorf("no stack is %s: %v", want, found)
		}
	}
}

// TestProfileChangesNothing: measuring every tick takes the same samples for the accounts and ends the same calls.
func TestProfileChangesNothing(t *testing.T) {
	run := func(measure bool) (int64, []Cost, string) {
		b := newBench(t, profiled+`
local Endless = class("Endless", "Actor")
function Endless:Tick(dt) while true do self:GetId() end end
`)
		var p *profile.Profile
		if measure {
			now := int64(0)
			p = profile.New(func() int64 { now += 100; return now }, nil, 1)
		}
		b.w.Profile = p
		b.spawn("Worker")
		b.spawn("Endless")
		for range 200 {
			for p.Begin(); measure && !p.Measured(); p.Begin() { // every tick
				p.End()
			}
			b.v.Measure(p)
			b.w.Step(1.0 / 60)
			p.End()
		}
		return b.v.Spent(), b.v.Costs(), b.errors()
	}
	units, costs, errors := run(false)
	units2, costs2, errors2 := run(true)
	if units != units2 || errors != errors2 || len(costs) != len(costs2) {
		t.Fatalf("%d units, %v, %s\nwith measuring %d units, %v, %s", units, costs, errors, units2, costs2, errors2)
	}
	for i := range costs {
		if costs[i] != costs2[i] {
			t.Errorf("%v, with measuring %v", costs[i], costs2[i])
		}
	}
}

// TestProfileNamesWhatHasNoName: code of the engine's own is no place in a script, and a file as a whole begins at its first line.
func TestProfileNamesWhatHasNoName(t *testing.T) {
	b := newBench(t, profiled)
	compile := func(where, text string) *lua.FunctionProto {
		chunk, err := syntax.Parse(where, text)
		if err == nil {
			err = syntax.Harden(chunk, b.v.vm.HardenOptions())
		}
		if err != nil {
			t.Fatal(err)
		}
		proto, err := syntax.Compile(chunk)
		if err != nil {
			t.Fatal(err)
		}
		return proto
	}
	cue, file := compile(cueName, cueSource), compile("Loose", "return function() end")
	for _, c := range []struct {
		proto *lua.FunctionProto
		want  profile.Function
	}{
		{cue, profile.Function{Name: "cue", Native: true}},
		{cue.FunctionPrototypes[0], profile.Function{Name: "cue", Native: true}},
		{file, profile.Function{Name: "main chunk", File: "Loose", Line: 1}},
	} {
		if got := b.v.describe(c.proto); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// TestProfileAllocates: a measured tick allocates what another one does.
func TestProfileAllocates(t *testing.T) {
	b := newBench(t, `
local Worker = class("Worker", "Actor")
function Worker:Tick(dt) for i = 1, 500 do self:GetId() end end
`)
	now := int64(0)
	p := profile.New(func() int64 { now += 400; return now }, nil, 1)
	b.spawn("Worker")
	allocates := func(measure bool) float64 {
		return testing.AllocsPerRun(50, func() {
			for p.Begin(); p.Measured() != measure; p.Begin() {
				p.End()
			}
			b.v.Measure(p)
			b.w.Step(1.0 / 60)
			p.End()
		})
	}
	without := allocates(false)
	b.w.Profile = p
	allocates(true) // functions become known
	if with := allocates(true); with > without {
		t.Errorf("a measured tick allocates %v times, another one %v times", with, without)
	}
}

// TestWrittenName: an anonymous function is shown by the name that its line gives it.
func TestWrittenName(t *testing.T) {
	for line, want := range map[string]string{ // any order: each on its own
		"local function sum(n)": "sum", "function M.each(list)": "M.each", "\tlib.hit =function(a) -- a function": "lib.hit",
		"each(list, function(x) return x end)": "", "functions = malfunction(1)": "", "t[1] = function() local function inner() end": "inner",
	} {
		if got := writtenName(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
