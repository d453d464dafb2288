package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

func (v *VM) beginWalk() { v.memory.walk = v.newWalk(v.memory.each()) }

func (v *VM) newWalk(holders []*holder) *memoryWalk {
	w := &memoryWalk{
		holders: holders, found: v.vm.NewHoldings(),
		actors: map[*class][]*object{}, threads: map[string][]*sandbox.Thread{}, files: map[*lua.FunctionProto]*classfile.File{},
	}
	v.world.EachActor(func(a *engine.Actor) {
		if o, _ := a.Script.(*object); o != nil && !o.gone {
			w.actors[o.class] = append(w.actors[o.class], o)
		}
	})
	for _, t := range v.vm.Suspended() {
		w.threads[t.Owner()] = append(w.threads[t.Owner()], t)
	}
	note := func(f *classfile.File) {
		for _, p := range f.Proto.FunctionPrototypes {
			w.files[p] = f
		}
	}
	for _, f := range v.program.Files {
		note(f)
	}
	for _, f := range v.program.Libs { // any order: each has functions of its own
		note(f)
	}
	return w
}

// openHolder adds what a holder holds to the walk.
func (v *VM) openHolder(w *memoryWalk, h *holder) {
	var file *classfile.File
	if h.module != nil {
		file = h.module.file
	} else if ec := h.class.data; ec != nil {
		file = v.program.File(ec.Spec.Pos.File)
	}
	// A function at the top level of another's file belongs to that file, no matter who keeps it.
	w.found.Foreign = func(p *lua.FunctionProto) bool { f := w.files[p]; return f != nil && f != file }
	if m := h.module; m != nil {
		w.found.Add(m.raw)
		return
	}
	for _, b := range v.bodiesOf(h.class) {
		w.found.Add(b.fn)
	}
	for _, o := range w.actors[h.class] {
		w.found.AddOwn(o.table)
		for _, l := range append(o.stack, o.latent) {
			if l != nil && l.cond != nil {
				w.found.Add(l.cond)
			}
		}
	}
	for _, t := range w.threads[h.name] {
		w.found.AddThread(t)
	}
}

// walked continues a walk and reports whether it is done. Each finished holder is passed to found, which may end
// it.
func (v *VM) walked(w *memoryWalk, steps int, found func(*holder, int64, int64) bool) bool {
	for w.at < len(w.holders) {
		h := w.holders[w.at]
		if !w.began {
			w.began = true
			v.openHolder(w, h)
			steps -= 8
		}
		if steps = w.found.Run(steps); !w.found.Done() {
			return false
		}
		bytes, dead := w.found.Take()
		w.at, w.began = w.at+1, false
		if found(h, bytes, dead) {
			return true
		}
	}
	return true
}

// goOnWalking continues the present walk by some values. When the walk ends, it returns what is to be done.
func (v *VM) goOnWalking(steps int) MemoryDecision {
	m := &v.memory
	w := m.walk
	done := v.walked(w, steps, func(h *holder, bytes, dead int64) bool {
		h.before, h.kept, h.dead = h.kept, bytes, dead
		return false
	})
	if !done {
		return MemoryDecision{}
	}
	m.walk = nil
	for _, h := range m.holders { // any order: each on its own
		m.grown += max(h.kept-h.before, 0)
		h.unjudged += h.sinceWalk
		if h.sinceWalk > h.patience && h.kept < v.limitOf(h)/2 {
			h.patience = min(2*h.patience, mostPatience)
		}
		h.sinceWalk = 0
		h.rebuilt = h.rebuilt && h.litters()
	}
	if v.world.Time-m.judged >= 1 { // before, few sampled ticks are too little to judge by
		v.judgeReleases()
	}
	m.base = max(m.base, m.live)
	return v.judgeMemory()
}

// judgeReleases finds out which holders release what they allocate, from all walks since the last time.
func (v *VM) judgeReleases() {
	m := &v.memory
	var kept float64              // what those allocated that are not known to release it
	for _, h := range m.holders { // any order: it makes a sum
		if !h.churns {
			kept += h.unjudged
		}
	}
	grown := float64(m.grown)     // of all: memory that one holder releases may be kept by others
	for _, h := range m.holders { // any order: each on its own
		switch {
		case h.unjudged < markedGrowth:
		case grown < h.unjudged/churning:
			h.churns, h.doubted = true, false
		case !h.churns || grown-kept <= h.unjudged/8: // a holder that allocated as much meanwhile may have kept it
			h.doubted = false
		case h.doubted:
			h.churns, h.doubted = false, false
		default: // the first time it may be an estimate from few sampled ticks
			h.doubted = true
		}
		h.unjudged = 0
	}
	m.judged, m.grown = v.world.Time, 0
}

// judgeMemory finds holders that keep too much by the last walk.
func (v *VM) judgeMemory() MemoryDecision {
	m := &v.memory
	holders := m.each()
	mods := map[string]int64{}
	var ofMods, all int64
	for _, h := range holders {
		n := h.counted()
		all += n
		if h.trust.Layer == classfile.LayerMod {
			mods[h.trust.Mod] += n
			ofMods += n
		}
	}
	for _, h := range holders {
		if h.litters() && !h.rebuilt {
			h.rebuilt, m.again = true, true
			return MemoryDecision{Name: h.name, Rebuild: true, Kept: h.kept, Limit: v.limitOf(h)}
		}
	}
	for _, h := range holders {
		if limit := v.limitOf(h); h.counted() > limit {
			if d := v.against(h, h.kept, limit, ""); d.Name != "" {
				return d
			}
		}
	}
	largest := func(of func(*holder) bool) *holder {
		var worst *holder
		for _, h := range holders {
			if of(h) && (worst == nil || h.counted() > worst.counted()) {
				worst = h
			}
		}
		return worst
	}
	for _, h := range holders {
		mod := h.trust.Mod
		if limit := v.memoryLimit(mod); h.trust.Layer == classfile.LayerMod && mods[mod] > limit {
			worst := largest(func(h *holder) bool { return h.trust.Layer == classfile.LayerMod && h.trust.Mod == mod })
			return v.against(worst, mods[mod], limit, "mod "+mod)
		}
	}
	world := v.worldMemory()
	if limit := world - world/reservedPart; ofMods > limit {
		return v.against(largest(func(h *holder) bool { return h.trust.Layer == classfile.LayerMod }), ofMods, limit, "all mods")
	}
	if all > world {
		if worst := largest(func(h *holder) bool { return h.trust.Layer != classfile.LayerCore }); worst != nil && worst.counted() > 0 {
			return v.against(worst, all, world, "all scripts")
		}
	}
	return MemoryDecision{}
}

// litters reports whether a large part of what it holds is deleted keys.
func (h *holder) litters() bool { return h.dead > manyDead && h.dead > h.kept/4 }

// counted returns how many bytes it is charged with.
func (h *holder) counted() int64 { return max(h.kept-h.forgiven, 0) }

// against decides what to do about memory that was found with a holder; where names a total that it is part of.
func (v *VM) against(h *holder, kept, limit int64, where string) MemoryDecision {
	d := MemoryDecision{Name: h.name, Kept: kept, Limit: limit, Where: where}
	who := v.allocatorOf(h)
	if who != h && !(who.trust == h.trust && h.trust.Layer == classfile.LayerMod) { // within a mod, the holder that keeps it is charged
		h.forgiven = h.kept
		d.Name, d.Where = who.name, h.name
		h = who
	}
	if h.trust.Layer == classfile.LayerCore {
		if h.told {
			return MemoryDecision{}
		}
		h.told = true
	}
	if h.class != nil && h.class.dropped {
		return MemoryDecision{} // nothing of it runs
	}
	d.Allocator = v.greatestAllocator(who)
	return d
}

// allocatorOf returns the holder that allocated what a holder keeps. A holder also keeps what others pass to it: if
// another one that calls its functions recently allocated much more than it did itself, that one is charged; for a
// mod, half of what core or the game allocated is enough. Memory that a holder is known to release counts little.
func (v *VM) allocatorOf(h *holder) *holder {
	allocated := func(h *holder) float64 {
		if h.churns {
			return h.allocated / churning
		}
		return h.allocated
	}
	grown := float64(max(h.kept-h.before, markedGrowth/2))
	own := allocated(h)
	if h.class == nil || own < grown/4 {
		own = 0
	}
	best := h
	for _, o := range v.memory.each() { // the least trusted first
		enough := 4 * own
		if o.trust.Layer == classfile.LayerMod && h.trust.Layer != classfile.LayerMod {
			enough = own / 2
		}
		if o == h || o.class == nil || o.class.dropped || allocated(o) < max(grown/8, enough) || !v.reaches(o, h) {
			continue
		}
		if best == h || !best.trust.Less(o.trust) && allocated(o) > allocated(best) {
			best = o
		}
	}
	return best
}

// reaches reports whether a class can have passed something to another holder: it names a function of the other, is
// its parent, or requires the module.
func (v *VM) reaches(o, h *holder) bool {
	file := o.class.data.Spec.Pos.File
	if h.module != nil {
		return h.module.users[file]
	}
	if h.class.data.Descends(o.class.data) {
		return true
	}
	for _, b := range v.bodiesOf(o.class) {
		for _, name := range calledNames(b.fn.Proto) {
			if v.events[name] {
				continue // the engine calls these
			}
			if h.class.data.Functions[name] != nil || h.class.data.Property(name) != nil {
				return true
			}
		}
	}
	return false
}

// greatestAllocator returns the function of a class that recently allocated most, "" if it is unknown.
func (v *VM) greatestAllocator(h *holder) string {
	var worst *classfile.Def
	for _, d := range v.program.Defs {
		if d.Class == h.name && v.memory.bytes[d.Number] > 0 && (worst == nil || v.memory.bytes[d.Number] > v.memory.bytes[worst.Number]) {
			worst = d
		}
	}
	if worst == nil {
		return ""
	}
	return functionName(worst)
}
