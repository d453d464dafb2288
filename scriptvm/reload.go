package scriptvm

import (
	"fmt"
	"slices"
	"sort"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// ReloadResult is the result of a reload: what it changed, or why it failed.
type ReloadResult struct {
	// Files lists the paths that changed; Classes those classes whose functions or variables are new.
	Files, Classes []string
	// Functions is how many function bodies were replaced, Variables how many variables were added, removed or
	// changed their type, Actors how many live actors have the classes listed.
	Functions, Variables, Actors int
	// Diagnostics holds the errors and warnings of the check; with an error nothing changed.
	Diagnostics []engine.Diagnostic
	// Swap is how long the world was paused for it; 0 if Options has no clock.
	Swap time.Duration
	// Failed is set if the old code stays.
	Failed bool
	// Kept lists classes whose files were deleted and that stay because actors of them, or of their children,
	// exist.
	Kept []string
	// Notes holds further lines for the log: variables reset, states lost, classes kept.
	Notes []string

	// Input of Changes.
	old, now *classfile.Program
	defaults []engine.DefaultChange
	touched  map[string]bool
}

// Prepared is a reload that was checked and can be applied between two ticks.
type Prepared struct {
	vm      *VM
	sources []classfile.Source
	staged  *staged
	result  ReloadResult
	back    bool
}

// Back says that the set ran before and is brought back: living actors get the values again that variables had when a reload
// removed them. Call it before Apply.
func (p *Prepared) Back() { p.back = true }

// Prepare checks a complete new set of files without changing anything. It may take long (it compiles); Apply is
// short. A result with Failed set cannot be applied. A class whose file was deleted while actors of it exist is
// kept as it was: see Sources.
func (v *VM) Prepare(sources []classfile.Source) *Prepared {
	p := &Prepared{vm: v}
	k := v.keep(sources)
	p.sources = k.with(sources)
	prog, diags := v.compile(p.sources)
	if prog == nil && k.spread(diags) {
		p.sources = k.with(sources)
		prog, diags = v.compile(p.sources)
	}
	p.result.Kept, p.result.Notes = k.classes, k.notes
	p.result.Diagnostics = diags
	p.result.Files = changedFiles(v.sources, p.sources)
	if prog == nil {
		p.result.Failed = true
		return p
	}
	if d := v.orphans(prog.Classes); len(d) > 0 {
		p.result.Diagnostics = append(p.result.Diagnostics, d...)
		p.result.Failed = true
		return p
	}
	p.staged = v.stage(prog, v.program)
	if errs := p.staged.run(); len(errs) > 0 {
		p.result.Diagnostics = append(p.result.Diagnostics, errs...)
		p.Drop()
	}
	return p
}

// compile builds the program of a set of files that succeeds the present one.
func (v *VM) compile(sources []classfile.Source) (*classfile.Program, []engine.Diagnostic) {
	return classfile.Load(sources, classfile.Options{
		Prev: v.program.Classes, Last: v.program, Cache: v.opt.Cache, Content: v.opt.Content, Reserved: v.opt.Reserved, Calls: v.opt.Calls,
	})
}

// Sources returns the files that Apply puts into use: those given, and deleted files that are kept because actors
// of their classes exist. Clients need all of them.
func (p *Prepared) Sources() []classfile.Source { return p.sources }

// Drop abandons a reload that will not be applied.
func (p *Prepared) Drop() {
	p.result.Failed = true
	if p.staged == nil {
		return
	}
	for _, c := range p.staged.classes { // any order: each is dropped: nobody will hold it
		delete(p.vm.classByTable, c.table)
		delete(p.vm.classByTable, c.super)
	}
	p.staged = nil
}

// Result returns the result of Apply, or what is known before it.
func (p *Prepared) Result() ReloadResult { return p.result }

// orphans returns errors for removed classes that still have actors and that shared a file with others.
func (v *VM) orphans(cs *engine.Classes) []engine.Diagnostic {
	count := map[*engine.Class]int{}
	v.world.EachActor(func(a *engine.Actor) {
		if cs.Find(a.Class.Name) == nil {
			count[a.Class]++
		}
	})
	var out []engine.Diagnostic
	for c, n := range count { // any order: sorted below
		out = append(out, engine.Diagnostic{
			Pos: c.Spec.Pos, Severity: engine.SevError, Rule: "class-in-use",
			Text: fmt.Sprintf("class %s is gone, but %d of its actors are alive; destroy them first or restore the file", c.Name, n),
		})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Text < out[j].Text })
	return out
}

// Reload is Prepare and Apply in one.
func (v *VM) Reload(sources []classfile.Source) ReloadResult {
	return v.Prepare(sources).Apply(nil)
}

// Apply replaces the code by the prepared code, all of it or nothing, between two ticks. now, which may be nil,
// measures Swap.
func (p *Prepared) Apply(now func() time.Time) ReloadResult {
	if p.result.Failed {
		return p.result
	}
	v, r := p.vm, &p.result
	var start time.Time
	if now != nil {
		start = now()
	}
	old, prog := v.program, p.staged.program

	codes := map[codeKey]*lua.LFunction{} // the previous latent code of the states that actors are in
	v.world.EachActor(func(a *engine.Actor) {
		if s := a.State; s != nil {
			codes[codeKey{a.Class.Name, s.Name}] = v.codeOf(s)
		}
	})
	touched := p.touched(old)
	lifted, notes := v.outOfUse()
	kept := v.persistents()

	v.commit(p.staged, touched)
	done := v.world.Reclass(prog.Classes)
	v.world.EachActor(func(a *engine.Actor) { v.rebind(a) })
	v.reloadPast()
	removed := map[*engine.Actor]map[string]engine.Value{}
	seen := map[*engine.Class]bool{}
	for _, m := range done.Migrations {
		p.migrate(m, !seen[m.Actor.Class], removed)
		seen[m.Actor.Class] = true
	}
	for i := range done.Migrations {
		p.keepPersistent(&done.Migrations[i], kept[done.Migrations[i].Actor])
	}
	p.shelve(done.Migrations)
	r.old, r.now, r.defaults, r.touched = old, prog, done.Defaults, touched
	v.lift(lifted)
	r.Notes = append(r.Notes, notes...)
	v.world.EachActor(func(a *engine.Actor) {
		if touched[a.Class.Name] {
			r.Actors++
		}
		o := a.Script.(*object)
		if l := o.latent; l != nil {
			if a.State == nil || v.codeOf(a.State) != codes[codeKey{a.Class.Name, l.state.Name}] {
				v.stopLatent(o)
				v.startLatent(o)
			} else {
				l.state = a.State
			}
		} else if s := a.State; s != nil && s.Code != nil && (o.halted || codes[codeKey{a.Class.Name, s.Name}] == nil) {
			v.startLatent(o)
		}
	})
	for name := range touched { // any order: sorted below
		r.Classes = append(r.Classes, name)
	}
	sort.Strings(r.Classes)
	v.faults.forget(touched, lifted)
	if now != nil {
		r.Swap = now().Sub(start)
	}
	v.world.FollowDefaults(done)
	// Reloaded is called last, when everything is in place.
	v.world.EachActor(func(a *engine.Actor) {
		if touched[a.Class.Name] && a.Defines(engine.EvReloaded) {
			t := newTable(0, len(removed[a]))
			for _, n := range sortedKeys(removed[a]) {
				t.RawSetString(n, v.toLua(removed[a][n]))
			}
			a.Event(engine.EvReloaded, engine.Value{Any: t})
		}
	})
	return *r
}

// touched returns the classes whose file was run again, and their children: an inherited function is theirs too.
func (p *Prepared) touched(old *classfile.Program) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.staged.program.Files {
		if !p.staged.rerun[f.Path] {
			continue
		}
		for _, c := range f.Classes {
			out[c] = true
		}
		p.result.Functions += len(f.Defs)
	}
	// A file with data only (defaults, declarations) may keep its code and still have changed.
	for _, f := range p.staged.program.Files {
		if o := old.File(f.Path); o == nil || o.Hash != f.Hash {
			for _, c := range f.Classes {
				out[c] = true
			}
		}
	}
	for _, ec := range p.staged.program.Classes.All() {
		if ec.Parent != nil && out[ec.Parent.Name] {
			out[ec.Name] = true
		}
	}
	return out
}

// codeKey identifies a state of a class.
type codeKey struct{ class, state string }

// codeOf returns the latent code of a state, nil if it has none.
func (v *VM) codeOf(s *engine.State) *lua.LFunction {
	if b := v.body(s.Code); b != nil {
		return b.fn
	}
	return nil
}

// rebind adapts an actor's table to its new class: the functions of its state, and slots for new variables.
func (v *VM) rebind(a *engine.Actor) {
	o := a.Script.(*object)
	o.class = v.classes[a.Class.Name]
	o.table.RawSetInt(slotDispatch, v.dispatch(a.Class, a.Dispatch))
	for i, p := range o.class.bySlot {
		if p == nil {
			continue
		}
		switch p.Type.Kind {
		case engine.KindStruct, engine.KindArray, engine.KindFastArray:
			if pt, ok := o.table.RawGetInt(i + slotOffset).(*part); ok && pt.part.Prop.Name == p.Name {
				pt.part = p.Whole() // same slot, new class
			}
		default: // no proxy; migrate replaces one of another type
		}
	}
}

// migrate updates an actor's read copies after the engine changed its variables. first is set for the first actor
// of a class: messages are reported once per class.
func (p *Prepared) migrate(m engine.Migration, first bool, removed map[*engine.Actor]map[string]engine.Value) {
	v, a, r := p.vm, m.Actor, &p.result
	o := a.Script.(*object)
	if first {
		r.Variables += len(m.Added) + len(m.Removed) + len(m.Reset)
	}
	told := a.Defines(engine.EvReloaded)
	note := func(as engine.Former) {
		if !told {
			return
		}
		if removed[a] == nil {
			removed[a] = map[string]engine.Value{}
		}
		removed[a][as.Name] = as.Value
	}
	for _, ap := range m.Added {
		o.table.RawSetString(ap.Name, lua.LNil) // a private value with that name is dropped
		o.table.RawSetInt(ap.Slot+slotOffset, lua.LNil)
		v.refresh(o, ap)
	}
	for _, as := range m.Reset {
		if np := a.Class.Property(as.Name); np != nil {
			o.table.RawSetInt(np.Slot+slotOffset, lua.LNil)
			v.refresh(o, np)
		}
		if first {
			what := "; it was reset to its default"
			if np := a.Class.Property(as.Name); np != nil && np.Persistent {
				what = "; players keep what fits"
			}
			r.Notes = append(r.Notes, fmt.Sprintf("%s.%s has another type or range now%s", a.Class.Name, as.Name, what))
		}
		note(as)
	}
	for _, as := range m.Removed {
		note(as)
	}
	for _, f := range m.Followed {
		v.refresh(o, f.Prop)
	}
	if len(m.Removed) > 0 {
		// Slots of removed variables read as nil.
		for i, q := range o.class.bySlot {
			if i > 0 && q == nil {
				o.table.RawSetInt(i+slotOffset, lua.LNil)
			}
		}
	}
	if m.StateLost != "" {
		v.stopLatent(o)
		r.Notes = append(r.Notes, fmt.Sprintf("%s was in state %s, which is gone; it is in no state now", a, m.StateLost))
	}
}

func sortedKeys(m map[string]engine.Value) []string {
	keys := make([]string, 0, len(m))
	for k := range m { // any order: sorted below
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func changedFiles(old, now []classfile.Source) []string {
	var out []string
	if slices.EqualFunc(old, now, func(a, b classfile.Source) bool { return a.Path == b.Path }) { // nearly always
		for i := range now {
			if now[i].Text != old[i].Text {
				out = append(out, now[i].Path)
			}
		}
		sort.Strings(out)
		return out
	}
	before := map[string]string{}
	for _, s := range old {
		before[s.Path] = s.Text
	}
	for _, s := range now {
		if t, ok := before[s.Path]; !ok || t != s.Text {
			out = append(out, s.Path)
		}
		delete(before, s.Path)
	}
	for p := range before { // any order: sorted below
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// forget drops the error counts of classes whose code is new, and of those whose quarantine is over.
func (b *faultBook) forget(touched, lifted map[string]bool) {
	kept := b.order[:0]
	for _, k := range b.order {
		if r := b.seen[k]; r != nil && (touched[r.Class] || lifted[r.Class]) {
			delete(b.seen, k)
			continue
		}
		kept = append(kept, k)
	}
	b.order = kept
}

// keepPersistent gives persistent variables that a reload added, or reset because their type changed, what the profile has of them, as
// far as it fits: the next save would else write the default over what a player has earned.
func (p *Prepared) keepPersistent(m *engine.Migration, kept *store.Table) {
	if kept == nil || m.Actor.Deleted() {
		return
	}
	give := func(q *engine.Property) {
		if q == nil || !q.Persistent {
			return
		}
		if x := keptIn(kept, q); x != nil {
			p.vm.setPersistent(m.Actor, q, x)
		}
	}
	for _, q := range m.Added {
		give(q)
	}
	for _, as := range m.Reset {
		give(m.Actor.Class.Property(as.Name))
	}
}

// shelve keeps what a reload took from actors, and gives back what it brings back.
func (p *Prepared) shelve(migrations []engine.Migration) {
	v := p.vm
	v.shelf.sweep()
	if p.back {
		for i := range migrations {
			v.unshelve(&migrations[i])
		}
	}
	if v.world.NetMode == engine.NMClient {
		return // the server sends what it has
	}
	for i := range migrations {
		m := &migrations[i]
		v.shelf.put(m.Actor, m.Removed)
		v.shelf.put(m.Actor, m.Reset)
	}
}

// unshelve gives an actor the values of variables that are new or of another type, where they fit.
func (v *VM) unshelve(m *engine.Migration) {
	kept := v.shelf[m.Actor]
	if kept == nil || m.Actor.Deleted() {
		return
	}
	names := make([]string, 0, len(m.Added)+len(m.Reset))
	for _, p := range m.Added {
		names = append(names, p.Name)
	}
	for _, as := range m.Reset {
		names = append(names, as.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		x, ok := kept[name]
		p := m.Actor.Class.Property(name)
		if !ok || p == nil {
			continue
		}
		delete(kept, name)
		if m.Actor.Set(p, x) == nil { // one of another type does not fit, and stays at its default
			v.Changed(m.Actor, p)
		}
	}
}
