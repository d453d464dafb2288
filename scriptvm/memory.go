package scriptvm

import (
	"cmp"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Memory of scripts (G8): so much may a class, a mod and a world keep. gopher-lua has no allocator that could be
// asked, so three measures work together. The live heap after a collection says when to look; what classes allocate, measured
// around the engine's calls, says who; a walk over what they hold (memorywalk.go) confirms it. What follows from that depends
// on the collector and on whatever else the process does, so WatchMemory only proposes it: the host brings it into the world
// by Decide, and a repeated match can be given the same decisions at the same ticks.

// Limits of what scripts keep, in bytes.
const (
	// DefaultMemory is what a class, and all classes and modules of a mod together, may keep.
	DefaultMemory = 64 << 20
	// DefaultWorldMemory is what all scripts of a world may keep. An eighth of it is for core and the game: mods together may
	// keep the rest.
	DefaultWorldMemory = 256 << 20
	reservedPart       = 8
)

const (
	// lookTicks is after how many ticks the heap is looked at.
	lookTicks = 6
	// markedGrowth is by how many bytes the live heap has to grow for a walk.
	markedGrowth = 16 << 20
	// sampledTicks: what is allocated is measured in one of so many ticks, and in all while the heap grows. Which ones is by
	// chance, so that no script knows.
	sampledTicks = 16
	// fading is what part of what a class allocated counts still a second later.
	fading = 0.93
	// walkSteps is how many values a walk visits in a tick, hurriedSteps while the heap has grown by more than a class may keep:
	// 1 and 8 ms.
	walkSteps, hurriedSteps = 16_000, 128_000
	// patience is how many bytes a class may allocate until a walk sees whether it keeps them. Each walk that finds that it does
	// not doubles it, up to mostPatience.
	patience, mostPatience = DefaultMemory, 4 << 30
	// churning: who allocated so many times what all scripts kept of it lets go of it.
	churning = 32
	// manyDead is how many bytes of deleted keys are worth rebuilding tables for.
	manyDead = 8 << 20
)

// Memory is what a class, a module or a mod keeps.
type Memory struct {
	// Name is a class's or a module's; "mod " and its name for all that a mod has, which is a Sum.
	Name string
	Sum  bool
	// Trust is its layer and mod.
	Trust classfile.Trust
	// Kept are the bytes that the last walk found, Allocated those allocated in the last second of world time (an estimate while
	// memory is watched, 0 otherwise), Limit those that it may keep.
	Kept, Allocated, Limit int64
}

// MemoryDecision is what is to be done about somebody's memory. The zero value is nothing.
type MemoryDecision struct {
	// Name is a class or a module of the scripts, "" for nothing to do.
	Name string
	// Rebuild: its tables are to be rebuilt (RebuildTables); otherwise it is over its limit (DropMemory).
	Rebuild bool
	// Kept are the bytes that were found, Limit those that were allowed.
	Kept, Limit int64
	// Allocator is the function that allocated most of late, "" where that is not known.
	Allocator string
	// Where says whose memory it was found in, where that is not Name's own; "all mods" and "all scripts" for their sums.
	Where string
}

// holder is who keeps memory: a class or a module.
type holder struct {
	name   string
	trust  classfile.Trust
	class  *class  // nil for a module
	module *module // nil for a class

	kept, dead int64 // found by the last walk
	before     int64 // kept as the walk before found it
	allocated  float64
	open, last float64 // bytes allocated in the present and in the last second
	sinceWalk  float64
	// churns: a walk found that it had allocated much and kept none of it; doubted: the last walk found more kept than others
	// can have allocated.
	churns, doubted bool

	patience float64
	// forgiven are bytes that others gave it.
	forgiven int64
	rebuilt  bool // since it was last found in order
	told     bool // of core: it is told once
}

// memory is what a VM knows of it.
type memory struct {
	holders map[string]*holder
	bytes   []float64 // allocated of late by classfile.Def.Number
	watched bool
	scale   float64 // what a byte measured in this tick stands for
	ticks   uint64
	walk    *memoryWalk

	samples []metrics.Sample
	cycles  uint64
	live    uint64  // the heap after the last collection
	base    uint64  // what it has to grow from to be looked at
	walked  float64 // world time of the last walk's end
	again   bool    // a walk is due whatever the heap says
	until   float64 // world time until which all is measured
}

// limitOf is what a class or a module may keep: what is allowed by its name, or else to its mod.
func (v *VM) limitOf(h *holder) int64 {
	if n := v.opt.Memory[h.name]; n > 0 {
		return n
	}
	return v.memoryLimit(h.trust.Mod)
}

// memoryLimit is what a mod may keep by its name; "" is no mod's.
func (v *VM) memoryLimit(name string) int64 {
	if n := v.opt.Memory[name]; n > 0 {
		return n
	}
	return DefaultMemory
}

// worldMemory is what all scripts may keep.
func (v *VM) worldMemory() int64 {
	if v.opt.WorldMemory > 0 {
		return v.opt.WorldMemory
	}
	return DefaultWorldMemory
}

// allocated is [sandbox.Options].Allocated.
func (v *VM) allocated(bytes uint64, fn *lua.LFunction) {
	if v.program == nil || v.staging != nil {
		return
	}
	var d *classfile.Def
	if fn == nil {
		d = v.spender()
	} else if !fn.IsG {
		_, d = v.program.CodeOf(fn.Proto)
	}
	m := &v.memory
	if d == nil || d.Number >= len(m.bytes) {
		return
	}
	n := float64(bytes) * m.scale
	m.bytes[d.Number] += n
	if h := m.holders[d.Class]; h != nil {
		h.allocated += n
		h.open += n
		h.sinceWalk += n
	}
}

// keepMemory takes what is known over to a new program.
func (v *VM) keepMemory() {
	m := &v.memory
	m.walk = nil
	m.bytes = make([]float64, len(v.program.Defs))
	old := m.holders
	m.holders = map[string]*holder{}
	add := func(name string, trust classfile.Trust) *holder {
		h := old[name]
		if h == nil {
			h = &holder{name: name, patience: patience}
		}
		h.trust, h.class, h.module = trust, nil, nil
		m.holders[name] = h
		return h
	}
	for _, ec := range v.program.Classes.All() {
		if c := v.classes[ec.Name]; c != nil {
			add(ec.Name, v.trustOfClass(ec)).class = c
		}
	}
	for name, mod := range v.modules { // any order: each by its name
		add(name, mod.file.Trust).module = mod
	}
}

// each visits the holders, the least trusted first, then those that allocated most of late.
func (m *memory) each() []*holder {
	out := make([]*holder, 0, len(m.holders))
	for _, h := range m.holders { // any order: sorted below
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *holder) int {
		if a.trust.Less(b.trust) != b.trust.Less(a.trust) {
			if a.trust.Less(b.trust) {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.allocated, a.allocated), strings.Compare(a.name, b.name))
	})
	return out
}

// closeMemory ends a second of world time.
func (v *VM) closeMemory(seconds float64) {
	m := &v.memory
	if !m.watched || seconds <= 0 {
		return
	}
	for _, h := range m.holders { // any order: each on its own
		h.last, h.open = h.open/seconds, 0
		h.allocated *= fading
	}
	for i := range m.bytes {
		m.bytes[i] *= fading
	}
}

// WatchMemory looks at the memory after a tick and says what is to be done: nothing, mostly. It changes nothing of the
// world; the host does what it says by Decide, or ends the world. A world that nobody watches is never measured. It
// costs two readings of counters in every sixth tick until the heap grows by 16 MB.
func (v *VM) WatchMemory() MemoryDecision {
	m := &v.memory
	if v.program == nil || v.world == nil {
		return MemoryDecision{}
	}
	if !m.watched {
		m.watched, m.again = true, true // what there is from the beginning
	}
	if m.ticks++; m.ticks%lookTicks == 0 {
		v.lookAtHeap()
	}
	var d MemoryDecision
	if m.walk != nil {
		steps := walkSteps
		if m.live > m.base+uint64(DefaultMemory)/2 {
			steps = hurriedSteps
		}
		d = v.goOnWalking(steps)
	}
	all := m.walk != nil || v.world.Time < m.until
	m.scale = 1
	if !all {
		m.scale = sampledTicks
	}
	v.vm.MeasureAllocations(all || rand.IntN(sampledTicks) == 0)
	return d
}

// lookAtHeap begins a walk if the heap has grown, or somebody allocated much.
func (v *VM) lookAtHeap() {
	m := &v.memory
	if m.samples == nil {
		m.samples = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	}
	metrics.Read(m.samples)
	cycles, live := m.samples[0].Value.Uint64(), m.samples[1].Value.Uint64()
	if cycles != m.cycles {
		if m.cycles == 0 || live < m.base {
			m.base = live
		}
		m.cycles, m.live = cycles, live
	}
	if m.walk != nil {
		return
	}
	if m.again {
		m.again = false
		v.beginWalk()
		return
	}
	if m.live > m.base+markedGrowth {
		m.until = v.world.Time + 2
		v.beginWalk()
		return
	}
	for _, h := range m.holders { // any order: whether there is any
		if h.sinceWalk > h.patience {
			v.beginWalk()
			return
		}
	}
}

// AskMemory has the next ticks of a watched world walk over all that scripts hold, whether the heap grew or not.
func (v *VM) AskMemory() { v.memory.again = true }

// MemoryKnown reports whether no walk is due or under way: Memory tells what the last one found.
func (v *VM) MemoryKnown() bool { return !v.memory.again && v.memory.walk == nil }

// Memory is what classes, modules and mods keep, those that keep most first. Those of which nothing is known are left out.
func (v *VM) Memory() []Memory {
	var out []Memory
	mods := map[string]*Memory{}
	for _, h := range v.memory.each() {
		if h.kept == 0 && h.last < 1 {
			continue
		}
		out = append(out, Memory{Name: h.name, Trust: h.trust, Kept: h.kept, Allocated: int64(h.last), Limit: v.limitOf(h)})
		if h.trust.Layer == classfile.LayerMod {
			sum := mods[h.trust.Mod]
			if sum == nil {
				sum = &Memory{Name: "mod " + h.trust.Mod, Sum: true, Trust: h.trust, Limit: v.memoryLimit(h.trust.Mod)}
				mods[h.trust.Mod] = sum
			}
			sum.Kept += h.kept
			sum.Allocated += int64(h.last)
		}
	}
	for _, sum := range mods { // any order: sorted below
		out = append(out, *sum)
	}
	slices.SortFunc(out, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(b.Kept, a.Kept), cmp.Compare(b.Allocated, a.Allocated), strings.Compare(a.Name, b.Name))
	})
	return out
}
