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

// Memory of scripts (G8): how much a class, a mod and a world may keep. gopher-lua has no allocator with figures,
// so three measurements work together. The live heap after a collection says when to look; the allocations of
// classes, measured around the engine's calls, say where; a walk over what they hold (memorywalk.go) confirms it.
// The result depends on the garbage collector and on the rest of the process, so WatchMemory only proposes a
// decision: the host applies it to the world by Decide, and a repeated match can be given the same decisions at the
// same ticks.

// Bounds of the memory that scripts keep, in bytes.
const (
	// DefaultMemory is what a class, and all classes and modules of a mod together, may keep.
	DefaultMemory = 64 << 20
	// DefaultWorldMemory is what all scripts of a world may keep. An eighth of it is reserved for core and the
	// game: mods together may keep the rest.
	DefaultWorldMemory = 256 << 20
	reservedPart       = 8
)

const (
	// lookTicks is the number of ticks between two checks of the heap.
	lookTicks = 6
	// markedGrowth is the growth of the live heap, in bytes, that triggers a walk.
	markedGrowth = 16 << 20
	// sampledTicks: allocations are measured in one of this many ticks, and in all while the heap grows. Ticks are
	// chosen at random, so that no script can know them.
	sampledTicks = 16
	// fading is the part of a class's allocations that still counts one second later.
	fading = 0.93
	// walkSteps is how many values a walk visits per tick, hurriedSteps while the heap has grown by more than a
	// class may keep: 1 and 8 ms.
	walkSteps, hurriedSteps = 16_000, 128_000
	// patience is how many bytes a class may allocate before a walk checks whether it keeps them. Each walk that
	// finds that it does not doubles it, up to mostPatience.
	patience, mostPatience = DefaultMemory, 4 << 30
	// churning: a class that allocated this many times what all scripts kept of it releases what it allocates.
	churning = 32
	// manyDead is how many bytes of deleted keys justify rebuilding tables.
	manyDead = 8 << 20
)

// Memory is the memory that a class, a module or a mod keeps.
type Memory struct {
	// Name is that of a class or a module; "mod " and its name for the total of a mod, which is a Sum.
	Name string
	Sum  bool
	// Trust is its layer and mod.
	Trust classfile.Trust
	// Kept is how many bytes the last walk found, Allocated how many were allocated in the last second of world
	// time (an estimate while memory is watched, 0 otherwise), Limit how many may be kept.
	Kept, Allocated, Limit int64
}

// MemoryDecision is what to do about the memory of a class or module. The zero value is nothing.
type MemoryDecision struct {
	// Name is a class or a module, "" for nothing to do.
	Name string
	// Rebuild: its tables are to be rebuilt (RebuildTables); otherwise it is over its limit (DropMemory).
	Rebuild bool
	// Kept is how many bytes were found, Limit how many are allowed.
	Kept, Limit int64
	// Allocator is the function that recently allocated most, "" if it is unknown.
	Allocator string
	// Where says whose memory it was found in, if that is not Name's own; "all mods" and "all scripts" for their
	// totals.
	Where string
}

// limitOf returns what a class or a module may keep: the limit under its name, or else its mod's.
func (v *VM) limitOf(h *holder) int64 {
	if n := v.opt.Memory[h.name]; n > 0 {
		return n
	}
	return v.memoryLimit(h.trust.Mod)
}

// memoryLimit returns what a mod may keep by its name; "" is no mod.
func (v *VM) memoryLimit(name string) int64 {
	if n := v.opt.Memory[name]; n > 0 {
		return n
	}
	return DefaultMemory
}

// worldMemory returns what all scripts may keep.
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

// keepMemory copies what is known to a new program.
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

// each returns the holders, the least trusted first, then those that recently allocated most.
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

// WatchMemory checks the memory after a tick and returns what is to be done: usually nothing. It does not change
// the world; the host applies the decision by Decide, or ends the world. A world that nobody watches is never
// measured. It costs two readings of counters in every sixth tick until the heap grows by 16 MB.
func (v *VM) WatchMemory() MemoryDecision {
	m := &v.memory
	if v.program == nil || v.world == nil {
		return MemoryDecision{}
	}
	if !m.watched {
		m.watched, m.again = true, true // what exists from the beginning
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

// lookAtHeap begins a walk if the heap has grown, or a holder allocated much.
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

// AskMemory makes the next ticks of a watched world walk over everything that scripts hold, whether the heap grew
// or not.
func (v *VM) AskMemory() { v.memory.again = true }

// MemoryKnown reports whether no walk is due or in progress: Memory then returns the result of the last one.
func (v *VM) MemoryKnown() bool { return !v.memory.again && v.memory.walk == nil }

// MemoryKept returns how many bytes the last walk found that scripts keep, together. It allocates nothing.
func (v *VM) MemoryKept() (bytes int64) {
	for _, h := range v.memory.holders { // any order: the sum is the same
		bytes += h.kept
	}
	return bytes
}

// Memory returns what classes, modules and mods keep, the largest first. Unmeasured ones are left out.
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
