package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Decide applies a decision of WatchMemory, between two ticks. Its effects depend only on the decision and the
// world, so the same decisions at the same ticks repeat a match.
func (v *VM) Decide(d MemoryDecision) {
	switch {
	case d.Name == "":
	case d.Rebuild:
		v.RebuildTables(d.Name)
	default:
		v.DropMemory(d)
	}
}

// MayDecide reports whether a client may apply a decision of its own WatchMemory. Cosmetic data of a mod may be
// dropped on this machine alone; functions that take part in players' moves, the game and core are shared with the
// server: then the client leaves (G17).
func (v *VM) MayDecide(d MemoryDecision) bool {
	h := v.memory.holders[d.Name]
	if d.Rebuild || h == nil {
		return d.Rebuild
	}
	if h.trust.Layer != classfile.LayerMod {
		return false
	}
	if h.class != nil {
		return !v.sharedWithServer(h.class.data)
	}
	for _, ec := range v.program.Classes.All() { // a module is dropped with all of its mod
		if ec.Mod() == h.trust.Mod && v.sharedWithServer(ec) {
			return false
		}
	}
	return true
}

// RebuildTables frees the memory of deleted keys in the tables that a class or a module holds. Values stay, and so
// does the order of pairs; a key that is set again comes last.
func (v *VM) RebuildTables(name string) {
	h := v.memory.holders[name]
	if h == nil {
		return
	}
	w := v.newWalk([]*holder{h})
	v.walked(w, 1<<40, func(*holder, int64, int64) bool { return false })
	v.vm.Rebuild(w.found.Sized)
}

// DropMemory removes what a class keeps, between two ticks: the private fields of its actors and of its children's
// actors, the file locals of its functions, its coroutines; and it quarantines all its functions. The next reload
// runs its file again. For a mod's module it does so for all classes and modules of the mod, because a module's
// functions cannot be quarantined; a module of core or of the game, and a class of core, are only reported.
func (v *VM) DropMemory(d MemoryDecision) {
	h := v.memory.holders[d.Name]
	if h == nil {
		return
	}
	switch {
	case h.trust.Layer == classfile.LayerCore, h.class == nil && h.trust.Layer != classfile.LayerMod:
		v.tellMemory(h, ReportWarning, d, "it stays, for nothing of core is quarantined")
	case h.class == nil:
		for _, ec := range v.program.Classes.All() {
			if ec.Mod() == h.trust.Mod {
				v.dropClass(v.classes[ec.Name])
			}
		}
		for _, o := range v.memory.each() {
			if o.module != nil && o.trust == h.trust {
				v.dropModule(o.module)
				o.kept, o.dead = 0, 0
			}
		}
		v.tellMemory(h, ReportQuarantine, d, "what the mod keeps is dropped, and the functions of its classes are quarantined; the next reload lifts it")
	default:
		v.dropClass(h.class)
		h.kept, h.dead = 0, 0
		v.tellMemory(h, ReportQuarantine, d, "private fields and file locals of the class are dropped, its functions quarantined; the next reload lifts it")
	}
}

// String returns the text of a decision: "keeps 70 MB, at most 64 MB allowed; Hog:Tick allocated most".
func (d MemoryDecision) String() string {
	what := "keeps"
	switch d.Where {
	case "":
	case "all mods", "all scripts":
		what = "keeps most of what " + d.Where + " keep, together"
	default:
		what = "fills " + d.Where + " with"
	}
	s := fmt.Sprintf("%s %d MB, at most %d MB allowed", what, (d.Kept+1<<20-1)>>20, d.Limit>>20)
	if d.Allocator != "" {
		s += "; " + d.Allocator + " allocated most"
	}
	return s
}

func (v *VM) tellMemory(h *holder, kind ReportKind, d MemoryDecision, what string) {
	var pos engine.Pos
	if h.module != nil {
		pos.File = h.module.file.Path
	} else {
		pos = h.class.data.Spec.Pos
	}
	file, line := pos.File, pos.Line
	message := d.String() + ": " + what
	v.opt.Report(Report{
		Kind: kind, Class: h.name, Count: 1, File: file, Line: line, Trust: h.trust, Message: message,
		Text: fmt.Sprintf("%s: %s: %s (%s)%s", h.name, file, message, v.peerName(), bracket(h.trust)),
	})
}

func (v *VM) dropClass(c *class) {
	if c == nil {
		return
	}
	ec := c.data
	var tables []*lua.LTable
	v.world.EachActor(func(a *engine.Actor) {
		o, _ := a.Script.(*object)
		if o == nil || o.gone || !a.Class.Descends(ec) {
			return
		}
		var names []string
		each(o.table, func(k, _ lua.LValue) {
			if name, ok := k.(lua.LString); ok {
				names = append(names, string(name))
			}
		})
		for _, name := range names {
			o.table.RawSetString(name, lua.LNil)
		}
		tables = append(tables, o.table)
	})
	for _, b := range v.bodiesOf(c) {
		v.dropLocals(b.fn)
		b.duty = quarantined
	}
	c.quarantined, c.dropped = true, true
	v.duties++
	v.redispatch(ec)
	for _, b := range v.bodiesOf(c) {
		v.haltLatent(b)
	}
	v.vm.KillCoroutines(ec.Name)
	v.vm.Rebuild(tables)
}

func (v *VM) dropModule(m *module) {
	m.dropped = true
	seen := map[*lua.LTable]bool{}
	var drop func(x lua.LValue)
	drop = func(x lua.LValue) {
		switch x := x.(type) {
		case *lua.LFunction:
			v.dropLocals(x)
		case *lua.LTable:
			if seen[x] {
				return
			}
			seen[x] = true
			var keys []lua.LValue
			each(x, func(k, e lua.LValue) {
				if fn, ok := e.(*lua.LFunction); ok {
					drop(fn)
				} else {
					keys = append(keys, k)
				}
			})
			for _, k := range keys {
				x.RawSet(k, lua.LNil)
			}
			v.vm.Rebuild([]*lua.LTable{x})
		}
	}
	drop(m.raw)
}

// dropLocals clears the file locals that a function reaches, directly and through functions of its file. Classes,
// modules, actors and values that cannot be large stay.
func (v *VM) dropLocals(fn *lua.LFunction) {
	seen := map[*lua.LFunction]bool{}
	var drop func(fn *lua.LFunction)
	drop = func(fn *lua.LFunction) {
		if fn.IsG || seen[fn] {
			return
		}
		seen[fn] = true
		for _, u := range fn.Upvalues {
			switch x := u.Value().(type) {
			case *lua.LFunction:
				drop(x)
			case *lua.LTable:
				if v.classByTable[x] == nil && !v.vm.Sealed(x) {
					u.SetValue(lua.LNil)
				}
			case lua.LString:
				u.SetValue(lua.LNil)
			case *lua.LState:
				u.SetValue(lua.LNil)
			}
		}
	}
	drop(fn)
}
