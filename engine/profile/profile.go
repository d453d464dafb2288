// Package profile measures where the time of ticks goes: by phase, and in some ticks by class, function and call stack
// of scripts. Chance decides which ticks those are. It is always on.
//
// It owns the figures of the last minute and their bounds. A measured tick reads the clock at every entry into scripts and
// movement, and about every [Spacing] of script time its caller walks the stack ([Profile.Due], [Profile.Sample]). How often
// a tick is measured follows from what measuring costs, so that it takes at most [share] of all ticks' time. Sums are exact:
// every nanosecond of a tick belongs to one phase, and the scripts' phase is divided among stacks in proportion to their
// samples.
//
// It deliberately does not: read a clock of its own (the host gives one; a world without a profile measures nothing), know
// Lua, or decide anything: budgets and throttling follow from cost units (G6), which repeat exactly, not from wall time.
//
//	p := profile.New(clock, seed)
//	for each tick {
//		p.Begin()
//		p.Phase(profile.Receive)
//		…
//		p.End()
//	}
//	report := p.Report()
//
// A nil *Profile is valid and does nothing. All methods are for the goroutine that steps the world.
//
// Guarantees: Its clock is given, and it decides nothing. Sums are exact; memory and cost are bounded; a tick allocates
// nothing.
package profile

import (
	"slices"
	"time"
)

// Phase is a part of a tick. The first ones follow one another; Scripts, Movement and Profiler happen inside them and are
// measured apart.
type Phase uint8

// The phases.
const (
	// Receive is what players sent: decoding, and what their calls and moves do in the engine.
	Receive Phase = iota
	// World is what a world's step does besides scripts and movement: timers, touching, animation, lists.
	World
	// Evaluate decides what is sent: comparing variables, conditions, relevancy.
	Evaluate
	// Encode writes datagrams. With several cores it includes waiting for the workers.
	Encode
	// Send hands datagrams to the transport.
	Send
	// Rest is everything else in a tick.
	Rest
	// Scripts is all that runs inside a call of a script, natives included, except Movement.
	Scripts
	// Movement is physics: of actors in a tick, of players' moves, of rigid bodies.
	Movement
	// Profiler is what measuring took.
	Profiler
	// Phases is the number of phases.
	Phases
)

// String returns the phase's name for people and programs.
func (p Phase) String() string {
	return [Phases]string{"receive", "world", "evaluate", "encode", "send", "rest", "scripts", "movement", "profiler"}[p]
}

const (
	// coarse is the number of phases that follow one another, parts the number of what is told apart in each: itself,
	// Scripts, Movement, Profiler.
	coarse, parts = int(Rest) + 1, 4

	// Spacing is the script time between two samples, on average, in nanoseconds. A sample takes about 2 µs.
	Spacing = 20_000
	// long is the script time between two samples, in nanoseconds, from which it is found out whether the thread ran.
	long = 5 * Spacing
	// longWalk bounds what a sample counts for how often ticks are measured, in nanoseconds: one that takes longer was
	// interrupted.
	longWalk = Spacing
	// share is the part of all ticks' time that measuring may take.
	share = 0.004
	// minGap and maxGap bound how many ticks there are from one measured tick to the next, on average.
	minGap, maxGap = 8, 512

	// seconds is the length of the timeline.
	seconds = 60
	// slots parts of slotSeconds each keep the sums by phase and by stack; the oldest is dropped when a new one begins,
	// so that they cover 50 to 60 s.
	slots, slotSeconds = 6, 10

	// MaxFunctions and MaxStacks bound the memory of the tree (300 KB). What does not fit is charged to the caller that
	// does, and counted.
	MaxFunctions, MaxStacks = 2048, 4096
	// MaxDepth bounds a stack; deeper frames are charged to the frame at this depth.
	MaxDepth = 64
)

// times are sums over some ticks.
type times struct {
	ticks, measured int
	longest         int64         // tick, in nanoseconds
	all             [coarse]int64 // by phase, of all ticks
	split           [coarse][parts]int64
}

func (t *times) add(x *times) {
	t.ticks += x.ticks
	t.measured += x.measured
	t.longest = max(t.longest, x.longest)
	for c := range coarse {
		t.all[c] += x.all[c]
		for k := range parts {
			t.split[c][k] += x.split[c][k]
		}
	}
}

// Profile is the profile of one host. It outlives its matches.
type Profile struct {
	now, cpu func() int64
	reading  int64 // what one reading of the clock takes
	random   uint64

	tick     times // the present one
	began    int64
	at       int64 // since when the present phase and part run
	phase    Phase
	part     Phase // Scripts or Movement; anything else is the phase itself
	measured bool
	ticking  bool
	untimed  int // ticks until the next measured one
	gap      int
	taken    float64 // average time of a tick, and
	overhead float64 // of measuring in a measured one, in nanoseconds
	own      int64   // of measuring in the present tick, without what the machine did meanwhile

	// spent and spentAt are cpu and now when they were compared last.
	spent, spentAt int64

	script  int64 // script time of measured ticks
	sampled int64 // of it, up to the last sample
	due     int64 // when the next sample is due

	start  int64
	second int64
	line   [seconds]times // by second modulo seconds
	slot   int64
	sums   [slots]times
	tree   tree
}

// New makes a profile. now is a clock in nanoseconds from any origin; cpu, which may be nil, the processor time of the thread
// that runs the ticks, which tells scripts from a busy machine. seed chooses the ticks that are measured.
func New(now, cpu func() int64, seed uint64) *Profile {
	p := &Profile{now: now, cpu: cpu, random: seed, gap: minGap}
	p.reading = readingTime(now)
	p.start = now()
	p.tree.init()
	p.untimed = p.below(2 * p.gap)
	p.due = int64(p.below(2 * Spacing))
	return p
}

// readingTime measures one reading of the clock: the least of some attempts, since others may have been interrupted.
func readingTime(now func() int64) int64 {
	const attempts, readings = 8, 64
	least := int64(time.Second)
	for range attempts {
		from := now()
		for range readings - 1 {
			now()
		}
		least = min(least, (now()-from)/readings)
	}
	return least
}

// below returns a random number from 0 to n-1 (SplitMix64). The world's generator is not used, so that measuring does not
// change a match.
func (p *Profile) below(n int) int {
	p.random += 0x9e3779b97f4a7c15
	z := p.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// Begin begins a tick in phase Rest, and decides whether it is measured.
func (p *Profile) Begin() {
	if p == nil {
		return
	}
	p.tick = times{ticks: 1}
	if p.untimed--; p.untimed < 0 {
		p.measured, p.tick.measured = true, 1
		p.untimed = p.below(2*p.gap - 1)
	}
	p.ticking, p.phase, p.part = true, Rest, Rest
	p.began = p.now()
	if p.measured && p.cpu != nil {
		p.spent, p.spentAt = p.cpu(), p.began
	}
	p.at = p.began
	p.turn(p.began)
}

// Measured reports whether the present tick is measured; false between ticks.
func (p *Profile) Measured() bool { return p != nil && p.measured }

// Phase begins a phase of the present tick, one of Receive to Rest. Between ticks it does nothing.
func (p *Profile) Phase(to Phase) {
	if p == nil || !p.ticking || to > Rest {
		return
	}
	p.charge()
	p.phase = to
}

// charge charges the time since the last call to the present phase and part.
func (p *Profile) charge() {
	now := p.now()
	took := now - p.at
	p.at = now
	p.tick.all[p.phase] += took
	if !p.measured {
		return
	}
	own := min(p.reading, took)
	took -= own
	p.own += own
	p.tick.split[p.phase][Profiler-Rest] += own
	switch p.part {
	case Scripts:
		p.script += took
		p.tick.split[p.phase][Scripts-Rest] += took
	case Movement:
		p.tick.split[p.phase][Movement-Rest] += took
	default:
		p.tick.split[p.phase][0] += took
	}
}

// Enter begins Scripts or Movement inside the present phase, in a measured tick; it returns what [Profile.Leave] ends it
// with.
func (p *Profile) Enter(part Phase) (outer Phase) {
	if p == nil || !p.measured {
		return Rest
	}
	outer = p.part
	if outer != part {
		p.charge()
		p.part = part
	}
	return outer
}

// Leave ends what Enter began.
func (p *Profile) Leave(outer Phase) {
	if p == nil || !p.measured || p.part == outer {
		return
	}
	p.charge()
	p.part = outer
}

// Due reports whether a sample is due. It is called while a script runs: between instructions and around natives.
func (p *Profile) Due() bool {
	if p == nil || !p.measured || p.part != Scripts {
		return false
	}
	p.charge()
	return p.script >= p.due
}

// Sample charges the script time since the last sample to a stack of functions ([Profile.Function]), the outermost first.
// The walk that found them is the profiler's time.
func (p *Profile) Sample(stack []int32) {
	if p == nil || !p.measured {
		return
	}
	took := p.script - p.sampled
	p.sampled = p.script
	if took > long && p.cpu != nil {
		took -= p.waited(took)
	}
	p.tree.add(stack, took)
	p.due = p.script + Spacing/2 + int64(p.below(Spacing))
	now := p.now()
	own := now - p.at
	p.at = now
	p.own += min(own, longWalk)
	p.tick.all[p.phase] += own
	p.tick.split[p.phase][Profiler-Rest] += own
}

// waited charges the part of a long interval in which the thread did not run to nobody's code, and returns it.
func (p *Profile) waited(took int64) int64 {
	spent := p.cpu()
	waited := min(took, max(0, p.at-p.spentAt-(spent-p.spent)))
	p.spent, p.spentAt = spent, p.at
	if waited > 0 {
		p.tree.nodes[p.tree.special(Waiting)].self[p.tree.slot] += waited
	}
	return waited
}

// Function returns the number of a function, for stacks and calls, -1 if there is no room for it. Numbers are valid as long
// as Generation does not change.
func (p *Profile) Function(f Function) int32 {
	if p == nil {
		return -1
	}
	return p.tree.function(f)
}

// Generation changes when numbers of functions become invalid.
func (p *Profile) Generation() int {
	if p == nil {
		return 0
	}
	return p.tree.generation
}

// Called counts a call of a function by the engine, in a measured tick.
func (p *Profile) Called(function int32) {
	if p != nil && p.measured && function >= 0 {
		p.tree.calls[function][p.slot%slots]++
	}
}

// End ends a tick.
func (p *Profile) End() {
	if p == nil || !p.ticking {
		return
	}
	p.charge()
	t := &p.tick
	t.longest = p.at - p.began
	took := float64(t.longest)
	if p.taken == 0 {
		p.taken = took
	}
	p.taken += (took - p.taken) / 64
	if p.measured {
		if p.overhead == 0 {
			p.overhead = float64(p.own)
		}
		p.overhead += (float64(p.own) - p.overhead) / 4
		p.own = 0
		p.gap = minGap
		if p.taken > 0 {
			p.gap = int(min(maxGap, max(minGap, p.overhead/(share*p.taken)+1)))
		}
	}
	p.line[p.second%seconds].add(t)
	p.sums[p.slot%slots].add(t)
	p.ticking, p.measured = false, false
}

// turn begins the slots that a moment belongs to.
func (p *Profile) turn(now int64) {
	to := max(0, now-p.start) / int64(time.Second)
	for s := max(p.second+1, to-seconds+1); s <= to; s++ {
		p.line[s%seconds] = times{}
	}
	p.second = max(p.second, to)
	to /= slotSeconds
	for s := max(p.slot+1, to-slots+1); s <= to; s++ {
		p.sums[s%slots] = times{}
		p.tree.clear(int(s % slots))
	}
	if to > p.slot {
		p.slot = to
		p.tree.prune()
	}
	p.tree.slot = int(p.slot % slots)
}

// Function is a function of a script, or a native.
type Function struct {
	// Class is the class that declares it, "" for natives and modules. Name has its state, if it belongs to one; of a
	// native it is what scripts write.
	Class string `json:"class"`
	Name  string `json:"name"`
	// File and Line are where it begins, "" and 0 for natives.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Native bool   `json:"native,omitempty"`
}

// node is a function called from a stack.
type node struct {
	parent, function int32 // parent is -1 for functions that the engine called
	self             [slots]int64
}

func (n *node) time() (sum int64) {
	for _, x := range n.self {
		sum += x
	}
	return sum
}

type edge struct{ parent, function int32 }

type functionKey struct {
	class, name, file string
	native            bool
}

// tree holds script time by stack.
//
// Invariant: a node comes after its parent.
type tree struct {
	slot       int
	functions  []Function
	calls      [][slots]int64 // by function
	numbers    map[functionKey]int32
	nodes      []node
	at         map[edge]int32
	samples    [slots]int64
	cut        [slots]int64 // samples of which a part did not fit
	generation int
}

func (t *tree) init() {
	t.numbers, t.at = map[functionKey]int32{}, map[edge]int32{}
}

func (t *tree) function(f Function) int32 {
	key := functionKey{f.Class, f.Name, f.File, f.Native}
	if n, ok := t.numbers[key]; ok {
		t.functions[n].Line = f.Line // edited meanwhile
		return n
	}
	if len(t.functions) >= MaxFunctions {
		return -1
	}
	n := int32(len(t.functions))
	t.functions, t.calls = append(t.functions, f), append(t.calls, [slots]int64{})
	t.numbers[key] = n
	return n
}

func (t *tree) add(stack []int32, took int64) {
	at := int32(-1)
	t.samples[t.slot]++
	for depth, f := range stack {
		if f < 0 || depth == MaxDepth {
			t.cut[t.slot]++
			break
		}
		next, ok := t.at[edge{at, f}]
		if !ok {
			if len(t.nodes) >= MaxStacks {
				t.cut[t.slot]++
				break
			}
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{parent: at, function: f})
			t.at[edge{at, f}] = next
		}
		at = next
	}
	if at < 0 { // no function, or no room even for the outermost one
		at = t.special(Other)
	}
	t.nodes[at].self[t.slot] += took
}

// Names of what is no function: time for which no function could be found, or no room, and time in which the machine was
// busy with something else.
const (
	Other   = "(other)"
	Waiting = "(waiting for a processor)"
)

// special returns the node of one of these names. They have a place beyond the bounds.
func (t *tree) special(name string) int32 {
	key := functionKey{name: name}
	f, ok := t.numbers[key]
	if !ok {
		f = int32(len(t.functions))
		t.functions, t.calls = append(t.functions, Function{Name: name}), append(t.calls, [slots]int64{})
		t.numbers[key] = f
	}
	n, ok := t.at[edge{-1, f}]
	if !ok {
		n = int32(len(t.nodes))
		t.nodes = append(t.nodes, node{parent: -1, function: f})
		t.at[edge{-1, f}] = n
	}
	return n
}

// clear empties a slot.
func (t *tree) clear(slot int) {
	for i := range t.nodes {
		t.nodes[i].self[slot] = 0
	}
	for i := range t.calls {
		t.calls[i][slot] = 0
	}
	t.samples[slot], t.cut[slot] = 0, 0
}

// prune forgets stacks and functions without time, if more than half of the room is taken.
func (t *tree) prune() {
	if len(t.nodes) <= MaxStacks/2 && len(t.functions) <= MaxFunctions/2 {
		return
	}
	sum := make([]int64, len(t.nodes))
	for i, n := range slices.Backward(t.nodes) {
		sum[i] += n.time()
		if n.parent >= 0 {
			sum[n.parent] += sum[i]
		}
	}
	old := *t
	t.functions, t.calls, t.nodes = nil, nil, nil
	t.init()
	t.generation++
	to := make([]int32, len(old.nodes))
	for i := range old.nodes {
		if sum[i] == 0 {
			continue
		}
		n := old.nodes[i]
		f := old.functions[n.function]
		key := functionKey{f.Class, f.Name, f.File, f.Native}
		number, ok := t.numbers[key]
		if !ok {
			number = int32(len(t.functions))
			t.functions, t.calls = append(t.functions, f), append(t.calls, old.calls[n.function])
			t.numbers[key] = number
		}
		if n.function = number; n.parent >= 0 {
			n.parent = to[n.parent]
		}
		to[i] = int32(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.at[edge{n.parent, n.function}] = to[i]
	}
}
