package profile

import (
	"fmt"
	"math"
	"testing"
)

// clock is a virtual clock; reading it takes no time.
type clock struct{ now int64 }

func (c *clock) read() int64 { return c.now }

func (c *clock) pass(ms float64) { c.now += int64(ms * 1e6) }

// script runs a call of a script whose functions take the given milliseconds each, in turn, and probes as often as a VM
// would.
func (c *clock) script(p *Profile, ms float64, stack ...int32) {
	for range int(ms * 1000) {
		c.pass(0.001)
		if p.Due() {
			p.Sample(stack)
		}
	}
}

func about(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9+0.03*math.Abs(want) {
		t.Errorf("%s is %.4f ms, want %.4f", what, got*1e3, want*1e3)
	}
}

// TestSumsAreExact: the phases add up to the tick, and classes, functions and stacks each to the scripts' phase, whichever
// ticks are measured (P19, G6).
func TestSumsAreExact(t *testing.T) {
	c := &clock{}
	p := New(c.read, nil, 1)
	brain := p.Function(Function{Class: "Brain", Name: "Think", File: "b.lua", Line: 3})
	path := p.Function(Function{Name: "world.FindPath", Native: true})
	pawn := p.Function(Function{Class: "Pawn", Name: "Tick", File: "p.lua", Line: 9})
	for tick := range 3000 {
		p.Begin()
		p.Phase(Receive)
		c.pass(0.5)
		p.Phase(World)
		c.pass(0.25)
		outer := p.Enter(Scripts)
		p.Called(brain)
		c.script(p, 1, brain)
		c.script(p, 2, brain, path)
		within := p.Enter(Movement) // a script moves its pawn, which touches something
		c.pass(0.5)
		again := p.Enter(Scripts)
		p.Called(pawn)
		c.script(p, 0.5, brain, pawn)
		p.Leave(again)
		p.Leave(within)
		p.Leave(outer)
		outer = p.Enter(Movement)
		c.pass(1)
		p.Leave(outer)
		p.Phase(Evaluate)
		c.pass(1)
		if tick%2 == 0 {
			p.Phase(Encode)
			c.pass(2)
		}
		p.Phase(Send)
		c.pass(0.5)
		p.End()
		c.pass(8)
	}
	r := p.Report()
	if r.Measured < r.Ticks/3/minGap || r.Measured > 3*r.Ticks/minGap {
		t.Errorf("%d of %d ticks are measured", r.Measured, r.Ticks)
	}
	about(t, "a tick", r.Tick, 8.25e-3)
	sum := 0.0
	for i, want := range [...]float64{0.5e-3, 0.25e-3, 1e-3, 1e-3, 0.5e-3, 0, 3.5e-3, 1.5e-3, 0} {
		about(t, Phase(i).String(), r.Phases[i].Time, want)
		sum += r.Phases[i].Time
	}
	if math.Abs(sum-r.Tick) > 1e-12 {
		t.Errorf("the phases add up to %v, the tick is %v", sum, r.Tick)
	}
	classes, functions, stacks := 0.0, 0.0, 0.0
	for _, x := range r.Classes {
		classes += x.Exclusive
	}
	for _, x := range r.Functions {
		functions += x.Exclusive
	}
	for _, x := range r.Stacks {
		stacks += x.Self
	}
	for what, got := range map[string]float64{"classes": classes, "functions": functions, "stacks": stacks} {
		if math.Abs(got-r.Phases[Scripts].Time) > 1e-12 {
			t.Errorf("%s add up to %v, scripts take %v", what, got, r.Phases[Scripts].Time)
		}
	}
	for _, want := range []struct {
		name                 string
		exclusive, inclusive float64
	}{{"Think", 1e-3, 3.5e-3}, {"world.FindPath", 2e-3, 2e-3}, {"Tick", 0.5e-3, 0.5e-3}} {
		for _, f := range r.Functions {
			if f.Name == want.name {
				about(t, f.Name+" exclusive", f.Exclusive, want.exclusive)
				about(t, f.Name+" inclusive", f.Inclusive, want.inclusive)
				if calls := map[bool]float64{true: 0, false: 1}[f.Native]; f.Calls != calls {
					t.Errorf("%s is called %v times a tick, want %v", f.Name, f.Calls, calls)
				}
			}
		}
	}
	if len(r.Classes) != 2 || r.Classes[0].Class != "Brain" {
		t.Fatalf("classes are %+v", r.Classes)
	}
	about(t, "Brain exclusive", r.Classes[0].Exclusive, 3e-3)
	about(t, "Brain inclusive", r.Classes[0].Inclusive, 3.5e-3)
	for _, m := range r.Timeline {
		sum := 0.0
		for _, x := range m.Phases {
			sum += x
		}
		about(t, fmt.Sprintf("the tick %d s ago", m.Ago), sum, 8.25e-3)
	}
	if n := len(r.Timeline); n < 45 || n > seconds {
		t.Errorf("the timeline has %d seconds", n)
	}
}

// TestWindow: what is over a minute ago is forgotten.
func TestWindow(t *testing.T) {
	c := &clock{}
	p := New(c.read, nil, 1)
	f := p.Function(Function{Class: "Old", Name: "Tick"})
	run := func(seconds int, f int32) {
		for range seconds * 60 {
			p.Begin()
			outer := p.Enter(Scripts)
			c.script(p, 1, f)
			p.Leave(outer)
			p.End()
			c.pass(1000.0/60 - 1)
		}
	}
	run(5, f)
	if r := p.Report(); len(r.Functions) != 1 || r.Seconds < 4 || r.Seconds > 6 {
		t.Errorf("after 5 s: %+v", r)
	}
	run(61, p.Function(Function{Class: "New", Name: "Tick"}))
	r := p.Report()
	if len(r.Functions) != 1 || r.Functions[0].Class != "New" || r.Seconds < 50 || r.Seconds > 60 {
		t.Errorf("after a minute: %.1f s, %+v", r.Seconds, r.Functions)
	}
	c.pass(1e6)
	if r := p.Report(); r.Ticks != 0 || r.Tick != 0 || len(r.Timeline) != 0 || len(r.Stacks) != 0 {
		t.Errorf("after a long pause: %+v", r)
	}
}

// TestBounds: endlessly many functions and stacks take bounded memory; what does not fit counts for its caller, and is
// told.
func TestBounds(t *testing.T) {
	c := &clock{}
	p := New(c.read, nil, 1)
	root := p.Function(Function{Class: "Root", Name: "Tick"})
	deep := make([]int32, 3*MaxDepth)
	for i := range deep {
		deep[i] = root
	}
	few := make([]int32, 100)
	for i := range few {
		few[i] = p.Function(Function{Class: "Few", Name: fmt.Sprint("f", i)})
	}
	for n := range 20_000 {
		p.Begin()
		outer := p.Enter(Scripts)
		f := p.Function(Function{Class: "C", Name: fmt.Sprint("f", n)})
		p.Called(f)
		c.script(p, 0.05, root, f, p.Function(Function{Class: "D", Name: fmt.Sprint("f", n/2)}))
		c.script(p, 0.05, deep...)
		c.script(p, 0.05, few[n%100], few[n/100%100], few[n/7%100])
		p.Leave(outer)
		p.End()
	}
	if len(p.tree.nodes) > MaxStacks+2 || len(p.tree.functions) > MaxFunctions+2 {
		t.Errorf("%d stacks, %d functions", len(p.tree.nodes), len(p.tree.functions))
	}
	r := p.Report()
	if r.Cut == 0 {
		t.Error("nothing says that something did not fit")
	}
	sum := 0.0
	for _, s := range r.Stacks {
		sum += s.Self
		if s.Parent >= 0 && r.Stacks[s.Parent].Total < s.Total-1e-12 {
			t.Fatal("a stack takes more than its caller")
		}
	}
	if math.Abs(sum-r.Phases[Scripts].Time) > 1e-12 {
		t.Errorf("stacks add up to %v, scripts take %v", sum, r.Phases[Scripts].Time)
	}
	// Later there is room again.
	c.pass(120_000)
	p.Begin()
	p.End()
	if p.Generation() == 0 || len(p.tree.nodes) != 0 || len(p.tree.functions) != 0 {
		t.Errorf("generation %d, %d stacks, %d functions", p.Generation(), len(p.tree.nodes), len(p.tree.functions))
	}
}

// TestCostIsBounded: ticks are measured the less often the more measuring costs (P19).
func TestCostIsBounded(t *testing.T) {
	c := &clock{}
	dear := func() int64 { c.now += 1000; return c.now }
	p := New(dear, nil, 1)
	f := p.Function(Function{Class: "C", Name: "Tick"})
	var tick, own int64
	for n := range 40_000 {
		p.Begin()
		for range 200 {
			outer := p.Enter(Scripts)
			c.script(p, 0.005, f)
			p.Leave(outer)
		}
		p.End()
		if n > 1000 {
			for _, x := range p.tick.all {
				tick += x
			}
			for _, x := range p.tick.split {
				own += x[Profiler-Rest]
			}
		}
		c.pass(1)
	}
	if got := float64(own) / float64(tick); got > 1.5*share {
		t.Errorf("measuring takes %.2f %% of all ticks", 100*got)
	}
}

// TestWaiting: time in which the machine ran something else is nobody's code.
func TestWaiting(t *testing.T) {
	c, away := &clock{}, int64(0)
	p := New(c.read, func() int64 { return c.now - away }, 1)
	f, slow := p.Function(Function{Class: "C", Name: "Tick"}), p.Function(Function{Name: "world.FindPath", Native: true})
	for n := range 1000 {
		p.untimed = 0
		p.Begin()
		outer := p.Enter(Scripts)
		c.script(p, 0.5, f)
		if n%10 == 0 {
			c.pass(50)
			away += 50e6
		}
		c.script(p, 0.5, f)
		c.pass(3) // a native that takes long is no wait
		if p.Due() {
			p.Sample([]int32{f, slow})
		}
		p.Leave(outer)
		p.End()
	}
	r := p.Report()
	for _, want := range []FunctionTime{{Function: Function{Name: "Tick"}, Exclusive: 1e-3}, {Function: Function{Name: "world.FindPath"}, Exclusive: 3e-3}, {Function: Function{Name: Waiting}, Exclusive: 5e-3}} {
		for _, f := range r.Functions {
			if f.Name == want.Name {
				about(t, f.Name, f.Exclusive, want.Exclusive)
			}
		}
	}
	if len(r.Functions) != 3 {
		t.Errorf("%+v", r.Functions)
	}
}

// TestNothing: a nil profile, and what happens between ticks, does nothing.
func TestNothing(*testing.T) {
	c := &clock{}
	for _, p := range []*Profile{nil, New(c.read, nil, 1)} {
		p.Phase(World)
		p.Leave(p.Enter(Scripts))
		p.Called(0)
		p.Sample(nil)
		p.End()
		_ = p.Due() || p.Measured()
		_ = p.Report()
		_, _ = p.Phases()
	}
}

// TestNoAllocations: a measured tick allocates nothing once its functions are known.
func TestNoAllocations(t *testing.T) {
	c := &clock{}
	p := New(c.read, nil, 1)
	stack := []int32{p.Function(Function{Class: "C", Name: "Tick"}), p.Function(Function{Class: "C", Name: "Look"})}
	tick := func() {
		p.untimed = 0
		p.Begin()
		outer := p.Enter(Scripts)
		p.Called(p.Function(Function{Class: "C", Name: "Tick"}))
		c.script(p, 0.2, stack...)
		p.Leave(outer)
		p.End()
	}
	tick()
	if n := testing.AllocsPerRun(100, tick); n > 0 {
		t.Errorf("a tick allocates %v times", n)
	}
}
