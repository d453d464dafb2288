// Package fuzz calls every native, library function and operator of scripts with values of every kind, odd numbers and
// odd counts. It checks what comes of it (G7): no panic, no call that takes long, no memory that stays.
//
// The calls follow from a seed. What fails is told as a line of Lua that does it again in a function of driver.lua's class.
//
// Guarantees: The seed decides the calls; a finding is a line of Lua.
package fuzz

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

//go:embed driver.lua
var driver string

const (
	// Longest is how much processor time a call may take, on a machine that is not slow in all it does (tooLong).
	Longest = 50 * time.Millisecond
	// perWorld is how many calls a world sees before there is a new one, and perTick how many between two ticks.
	perWorld, perTick = 20_000, 64
	// mostArgs bounds the arguments of a call: so many driver.lua passes on.
	mostArgs = 8
	// mostFaults is how many calls of a world may end in a fault, such as a spent budget, before there is a new one: with three in
	// 10 s a class's function is quarantined.
	mostFaults = 2
	// retries is how often a call that took long is done again, alone: a busy machine does not make all of them long.
	retries = 3
)

// Options say what to call.
type Options struct {
	Root  string // of the repository
	Seed  uint64
	Calls int
	// Log is told of progress; may be nil.
	Log func(string)
}

// Finding is a call that did what none may.
type Finding struct {
	Line string // of Lua
	Peer string // of which world
	What string
	At   int // the number of the call
}

func (f Finding) String() string {
	return fmt.Sprintf("call %d (%s): %s\n\t%s", f.At, f.Peer, f.What, f.Line)
}

// Result is what Run did.
type Result struct {
	Calls, Worlds, Faults int
	Findings              []Finding
	// Early and Late are bytes that lived after a collection, at the end of a server's world: of the first one after a tenth of the
	// calls, and of the last one; 0 where there was none.
	Early, Late uint64
	// Erred counts calls that raised an error, as most with wrong arguments have to.
	Erred int
	// Longest is the call that took the most processor time.
	Longest     time.Duration
	LongestLine string
	// Costs are in the order of targets.
	Costs []Cost
}

// Cost is how long all calls of a target took by the units that they declared.
type Cost struct {
	Name  string
	Calls int
	// PerUnit is in nanoseconds, making the arguments included.
	PerUnit float64
	Took    time.Duration
}

// spent is what the calls of a target took.
type spent struct {
	calls int
	took  time.Duration
	units int64
}

type fuzzer struct {
	opt     Options
	rand    *rand.Rand
	values  []value
	targets []target
	kinds   map[string][]int
	sources []classfile.Source
	assets  *assets.Assets
	cache   *classfile.Cache

	match   *match.Match
	outside *outside // nil on a client
	peer    string
	self    *engine.Actor
	keep    map[engine.ActorID]bool
	faults  int
	reports []string
	at      int
	clock   func() int64 // processor time, in nanoseconds
	machine *yardstick
	spent   []spent
	res     Result
}

// Run makes the calls, and stops after ten findings.
func Run(o Options) (Result, error) {
	a, err := assets.Open(assets.Options{Root: o.Root})
	if err != nil {
		return Result{}, err
	}
	list, err := a.Scripts(nil)
	if err != nil {
		return Result{}, err
	}
	f := &fuzzer{opt: o, rand: rand.New(rand.NewPCG(o.Seed, 1)), values: values(), targets: targets(), kinds: map[string][]int{}, assets: a, cache: classfile.NewCache(scriptvm.Natives()), clock: cputime.New()}
	for _, s := range list {
		f.sources = append(f.sources, classfile.Source{Path: s.Path, Text: s.Text, Lib: s.Lib})
	}
	if f.machine, err = newYardstick(); err != nil {
		return Result{}, err
	}
	defer f.machine.close()
	f.spent = make([]spent, len(f.targets))
	f.sources = append(f.sources, classfile.Source{Path: "fuzz", Text: f.script(), Multi: true})
	defer f.close()
	for f.at = 0; f.at < o.Calls && len(f.res.Findings) < 10; f.at++ {
		if f.match == nil || f.at%perWorld == 0 || f.faults >= mostFaults {
			if err := f.open(); err != nil {
				return f.res, err
			}
		}
		if err := f.one(f.choose()); err != nil {
			return f.res, err
		}
		if f.at%perTick == perTick-1 {
			f.tick()
		}
		f.sample()
	}
	f.res.Calls = f.at
	for i := range f.spent {
		if s := &f.spent[i]; s.units > 0 {
			f.res.Costs = append(f.res.Costs, Cost{f.targets[i].self + " " + f.targets[i].name, s.calls, float64(s.took.Nanoseconds()) / float64(s.units), s.took})
		}
	}
	return f.res, nil
}

// sample takes how much lives at the end of a server's world.
func (f *fuzzer) sample() {
	if f.at%perWorld != perWorld-1 || f.match == nil || f.peer != "server" {
		return
	}
	f.res.Late = live()
	if f.res.Early == 0 && f.at >= f.opt.Calls/10 {
		f.res.Early = f.res.Late
	}
}

// script is driver.lua with the values and the targets.
func (f *fuzzer) script() string {
	var b strings.Builder
	head, rest, _ := strings.Cut(driver, "local P, C\n")
	b.WriteString(head)
	// A function has room for 200 local names and a table constructor for many, but no chunk for more than some functions at once.
	b.WriteString("local P, C = {}, {}\n")
	part := func(name string, texts []string) {
		const most = 100
		for from := 0; from < len(texts); from += most {
			fmt.Fprintf(&b, "function Fuzz:Make%s%d()\n", name, from/most)
			for i, t := range texts[from:min(from+most, len(texts))] {
				fmt.Fprintf(&b, "%s[%d] = %s\n", name, from+i+1, t)
			}
			b.WriteString("end\n")
		}
	}
	var ps, cs []string
	for _, v := range f.values {
		ps = append(ps, "function(self) return "+v.text+" end")
	}
	for _, t := range f.targets {
		cs = append(cs, "function(self, r, ...) "+t.code+" end")
	}
	part("P", ps)
	part("C", cs)
	b.WriteString(rest)
	return b.String()
}

func (f *fuzzer) close() {
	if f.match != nil {
		f.match.Close()
	}
	f.match, f.self, f.keep = nil, nil, nil
}

// open makes the next world: a server's, then a client's.
func (f *fuzzer) open() error {
	f.close()
	mode := engine.NMListenServer
	f.peer = "server"
	if f.res.Worlds%2 == 1 {
		mode, f.peer = engine.NMClient, "client"
	}
	f.res.Worlds++
	o := match.Options{
		Sources: f.sources, Content: f.assets.Content(), URL: "steps?game=GameInfo", NetMode: mode, Seed: f.opt.Seed,
		VM: scriptvm.Options{Peer: f.peer, Cache: f.cache, Report: func(r scriptvm.Report) { f.reports = append(f.reports, r.String()) }, Log: func(*engine.Actor, string) {}},
	}
	f.outside = nil
	if mode != engine.NMClient {
		f.outside = newOutside()
		f.outside.give(&o.VM)
	}
	m, err := match.Open(o)
	if err != nil {
		return err
	}
	f.match, f.faults = m, 0
	w := m.World
	f.keep = map[engine.ActorID]bool{}
	w.EachActor(func(a *engine.Actor) { f.keep[a.ID()] = true })
	f.reports = nil
	return f.prepare()
}

// prepare makes what values name, where it is gone.
func (f *fuzzer) prepare() error {
	w, v := f.match.World, f.match.VM
	if f.self == nil || f.self.Deleted() {
		a, err := w.Spawn(w.Classes.Find("Fuzz"), engine.SpawnParams{Location: geom.V(0, 0, 200)})
		if err != nil || a == nil {
			return fmt.Errorf("fuzz: spawn: %v %v %v", a, err, f.reports)
		}
		f.self = a
		for _, name := range []string{"P", "C"} {
			for i := 0; a.Class.Functions[fmt.Sprintf("Make%s%d", name, i)] != nil; i++ {
				if _, err := v.Call(a, fmt.Sprintf("Make%s%d", name, i)); err != nil {
					return fmt.Errorf("fuzz: %w", err)
				}
			}
		}
	}
	out, err := v.Call(f.self, "Prepare")
	if err != nil || len(out) == 0 {
		return fmt.Errorf("fuzz: prepare: %w %v", err, f.reports)
	}
	w.SetLocalPlayer(w.Actor(out[0].Ref))
	return nil
}

// one makes a call and judges it.
func (f *fuzzer) one(c call) error {
	if f.self.Deleted() {
		f.clean()
	}
	if f.match == nil {
		return nil
	}
	v := f.match.VM
	before := v.Spent()
	start := time.Now()
	f.do(c)
	took := time.Since(start)
	if took < Longest/10 { // longer ones may be the machine's
		s := &f.spent[c.target]
		s.calls++
		s.took += took
		s.units += v.Spent() - before
	}
	machine := time.Duration(0)
	if took > Longest {
		var err error
		if took, machine, err = f.again(c); err != nil {
			return err
		}
	}
	if took > f.res.Longest && took > Longest/4 {
		f.res.Longest, f.res.LongestLine = took, f.line(c)
	}
	if tooLong(took, machine) {
		f.found(c, fmt.Sprintf("takes %d ms of processor time, at most %d are allowed, and as many instructions as a call may run take %d", took.Milliseconds(), Longest.Milliseconds(), machine.Milliseconds()))
	}
	for _, r := range f.reports {
		if strings.Contains(r, "internal error") {
			f.found(c, r)
		}
	}
	f.reports = f.reports[:0]
	return nil
}

// again is the least processor time of some calls, and of as many uses of the yardstick in between.
func (f *fuzzer) again(c call) (least, machine time.Duration, err error) {
	least, machine = time.Hour, time.Hour
	for range retries {
		if f.self.Deleted() {
			f.clean()
		}
		if f.match == nil {
			return 0, 0, nil
		}
		runtime.GC() // so that the call does not pay for what others left
		before := f.clock()
		f.do(c)
		least = min(least, time.Duration(f.clock()-before))
		took, err := f.machine.time(f.clock)
		if err != nil {
			return 0, 0, err
		}
		machine = min(machine, took)
	}
	return least, machine, nil
}

func (f *fuzzer) do(c call) {
	args := make([]engine.Value, 0, 3+mostArgs)
	args = append(args, engine.Float(float64(c.target+1)), engine.Float(float64(c.self+1)), engine.Float(float64(len(c.args))))
	for _, a := range c.args {
		args = append(args, engine.Float(float64(a+1)))
	}
	v := f.match.VM
	if f.targets[c.target].self == "canvas" {
		if _, err := v.Call(f.self, "Hold", args...); err == nil {
			v.DrawHUD(f.match.World.LocalPlayer())
		}
		return
	}
	out, err := v.Call(f.self, "Do", args...)
	switch {
	case err != nil:
		f.faults++
		f.res.Faults++
		if strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "runtime error") {
			f.found(c, err.Error())
		}
	case len(out) > 0 && out[0].Str != "":
		f.res.Erred++
		if strings.Contains(out[0].Str, "internal error") || strings.Contains(out[0].Str, "runtime error") {
			f.found(c, out[0].Str)
		}
	}
}

func (f *fuzzer) found(c call, what string) {
	line := f.line(c)
	for _, x := range f.res.Findings {
		if x.Line == line {
			return
		}
	}
	f.res.Findings = append(f.res.Findings, Finding{line, f.peer, what, f.at})
}

// tick lets the world go on, and takes out what calls left in it.
func (f *fuzzer) tick() {
	if f.match == nil {
		return
	}
	before := f.clock()
	if f.outside != nil {
		f.outside.turn(f.match.VM)
	}
	f.match.World.Step(1.0 / 60)
	if took := time.Duration(f.clock() - before); took > 4*Longest && f.opt.Log != nil {
		f.opt.Log(fmt.Sprintf("the tick after call %d took %v", f.at, took))
	}
	f.clean()
}

func (f *fuzzer) clean() {
	w := f.match.World
	var extra []*engine.Actor
	w.EachActor(func(a *engine.Actor) {
		if !f.keep[a.ID()] && a != f.self && a.Outer == nil {
			extra = append(extra, a)
		}
	})
	for _, a := range extra {
		a.Destroy()
	}
	if err := f.prepare(); err != nil { // the world cannot be used any more, such as after a class was quarantined
		f.close()
	}
}

// live is how many bytes live after a collection.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
