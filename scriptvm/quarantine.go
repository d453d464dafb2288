package scriptvm

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Quarantine (G2) disables a function that keeps failing: calls use the nearest ancestor's version, or do nothing
// if there is none. A whole class is quarantined when more than half of its functions in use are. Core's functions
// only rest, for a growing time. A reload ends every quarantine (G3).

// Bounds of quarantine.
const (
	// QuarantineFaults within QuarantineSeconds of world time quarantine a function.
	QuarantineFaults  = 3
	QuarantineSeconds = 10
	// FirstRest and LongestRest are for how many seconds of world time a function of core rests: each rest is twice
	// as long as the previous one, until none was needed for LongestRest.
	FirstRest   = 1
	LongestRest = 60
)

// decides lists events whose result admits a player or makes an actor visible: without them the result is no, and
// no ancestor is called.
var decides = map[string]bool{"PreLogin": true, "IsNetRelevantFor": true}

// runnable returns the body to call for a function: its own or, while that is disabled, the nearest ancestor's; nil
// for none.
func (v *VM) runnable(f *engine.Function) *bodyOf {
	b := v.body(f.Script)
	if b == nil || b.duty == onDuty {
		return b
	}
	if f = v.standIn(f); f == nil {
		return nil
	}
	return v.body(f.Script)
}

// standIn returns the nearest ancestor's version of a function that is in use, nil for none.
func (v *VM) standIn(f *engine.Function) *engine.Function {
	if decides[f.Name] {
		return nil
	}
	for f = v.super(f); f != nil; f = v.super(f) {
		if b := v.body(f.Script); b != nil && b.duty == onDuty {
			return f
		}
	}
	return nil
}

// super returns the value of C.super in a function.
func (v *VM) super(f *engine.Function) *engine.Function {
	if f.State != "" {
		if s := f.Class.StateSuper(f.State, f.Name); s != nil {
			return s
		}
	}
	if f.Class.Parent == nil {
		return nil
	}
	return f.Class.Parent.Functions[f.Name]
}

// strike counts a fault of a function, and quarantines it at the third within ten seconds.
func (v *VM) strike(d *classfile.Def, t classfile.Trust) {
	b := v.body(d)
	if b == nil || b.duty != onDuty {
		return
	}
	now := v.world.Time
	b.called, b.wasCalled = now, true
	kept := b.strikes[:0]
	for _, at := range b.strikes {
		if now-at < QuarantineSeconds {
			kept = append(kept, at)
		}
	}
	b.strikes = append(kept, now)
	if len(b.strikes) < QuarantineFaults {
		return
	}
	b.strikes = nil
	b.def = d
	after := fmt.Sprintf(" after %d faults in %d s", QuarantineFaults, QuarantineSeconds)
	if t.Layer == classfile.LayerCore {
		v.rest(b, after)
		return
	}
	v.dismiss(b, quarantined)
	v.notice(d, t, "function quarantined"+after+": "+v.instead(d)+"; the next reload lifts it")
	v.follow(b, t, after)
}

// rest disables a function of core for a while; why is the reason in the log line.
func (v *VM) rest(b *bodyOf, why string) {
	now := v.world.Time
	if b.rested == 0 || now-b.until > LongestRest {
		b.rested = FirstRest
	} else {
		b.rested = min(2*b.rested, LongestRest)
	}
	b.until = now + b.rested
	v.dismiss(b, resting)
	v.resting = append(v.resting, b)
	v.notice(b.def, classfile.Trust{Layer: classfile.LayerCore}, fmt.Sprintf("function of core rests for %g s%s: %s meanwhile",
		b.rested, why, v.instead(b.def)))
}

// wakeRested enables functions of core again whose rest is over.
func (v *VM) wakeRested() {
	v.resting = slices.DeleteFunc(v.resting, func(b *bodyOf) bool {
		if b.duty == resting && b.until > v.world.Time+1e-9 {
			return false
		}
		if b.duty == resting {
			b.duty = onDuty
			v.duties++
			v.redispatch(b.class.data)
			v.restartLatent(b)
		}
		return true
	})
}

// instead returns what calls of a function do while it is disabled.
func (v *VM) instead(d *classfile.Def) string {
	switch d.What {
	case classfile.DefValidator:
		return "calls that it would judge are dropped"
	case classfile.DefCondition:
		return "the answer is no"
	case classfile.DefCode:
		return "actors in that state stand still"
	case classfile.DefFunction:
	}
	if decides[d.Name] {
		return "the answer is no"
	}
	if f := v.functionOf(d); f != nil {
		if f = v.standIn(f); f != nil {
			return "calls go to " + f.Class.Name + "'s version"
		}
	}
	return "calls do nothing"
}

// functionOf returns the function whose body a def is, nil for none.
func (v *VM) functionOf(d *classfile.Def) *engine.Function {
	c := v.program.Classes.Find(d.Class)
	if c == nil {
		return nil
	}
	if d.State != "" {
		if s := c.States[d.State]; s != nil {
			return s.Dispatch.Functions[d.Name]
		}
		return nil
	}
	return c.Functions[d.Name]
}

// follow quarantines a whole class when more than half of its functions in use are; why is the reason in the log
// line.
func (v *VM) follow(b *bodyOf, t classfile.Trust, why string) {
	out, used := 0, 0
	for _, o := range v.inUse(b.class) {
		used++
		if o.duty == quarantined {
			out++
		}
	}
	if 2*out <= used {
		return
	}
	b.class.quarantined = true
	v.duties++
	for _, o := range v.bodiesOf(b.class) {
		o.duty = quarantined
	}
	v.redispatch(b.class.data)
	for _, o := range v.bodiesOf(b.class) {
		v.haltLatent(o)
	}
	spec := b.class.data.Spec
	v.opt.Report(Report{
		Kind: ReportQuarantine, Class: spec.Name, Count: 1, File: spec.Pos.File, Line: spec.Pos.Line, Trust: t,
		Text: fmt.Sprintf("%s: %s: class quarantined%s, since %d of its %d functions in use are: its functions stop, its actors stay; the next reload lifts it (%s)%s",
			spec.Name, spec.Pos.File, why, out, used, v.peerName(), bracket(t)),
	})
}

// bodiesOf returns the bodies that a class itself defines, in the order of their file.
func (v *VM) bodiesOf(c *class) []*bodyOf {
	var out []*bodyOf
	for _, b := range v.fns {
		if b != nil && b.class == c {
			out = append(out, b)
		}
	}
	return out
}

// inUse returns the bodies of a class that the engine called or that failed in the last ten seconds, and those of
// the class that these call by name: calls between scripts are not recorded.
func (v *VM) inUse(c *class) []*bodyOf {
	all := v.bodiesOf(c)
	byName := map[string][]*bodyOf{}
	for _, b := range all {
		if d := v.defOf(b); d != nil {
			byName[d.Name] = append(byName[d.Name], b)
		}
	}
	seen := map[*bodyOf]bool{}
	var used []*bodyOf
	add := func(b *bodyOf) {
		if !seen[b] {
			seen[b] = true
			used = append(used, b)
		}
	}
	for _, b := range all {
		if b.wasCalled && v.world.Time-b.called < QuarantineSeconds {
			add(b)
		}
	}
	for i := 0; i < len(used); i++ {
		for _, name := range calledNames(used[i].fn.Proto) {
			for _, b := range byName[name] {
				add(b)
			}
		}
	}
	return used
}

// calledNames returns the names that a function looks up: its methods are among them.
func calledNames(p *lua.FunctionProto) []string {
	var names []string
	for _, inst := range p.Code {
		if op := opcode(inst); op == lua.OP_SELF || op == lua.OP_GETTABLE { // class code calls methods by either
			if c := operandC(inst); c >= firstConstant && c-firstConstant < len(p.Constants) {
				if s, ok := p.Constants[c-firstConstant].(lua.LString); ok {
					names = append(names, string(s))
				}
			}
		}
	}
	for _, inner := range p.FunctionPrototypes {
		names = append(names, calledNames(inner)...)
	}
	return names
}

// defOf returns the def of a body.
func (v *VM) defOf(b *bodyOf) *classfile.Def {
	if b.def == nil || b.def.Program != v.program {
		for _, d := range v.program.Defs {
			if v.fns[d.Number] == b {
				b.def = d
			}
		}
	}
	return b.def
}

// dismiss disables a function.
func (v *VM) dismiss(b *bodyOf, how duty) {
	b.duty = how
	v.duties++
	v.redispatch(b.class.data)
	v.haltLatent(b)
}

// redispatch rebuilds the tables of a class and its children in place, because actors hold them.
func (v *VM) redispatch(ec *engine.Class) {
	for _, child := range v.program.Classes.All() {
		if !child.Descends(ec) {
			continue
		}
		v.refill(child, child.Dispatch)
		for _, s := range child.States { // any order: each has a table of its own
			v.refill(child, s.Dispatch)
		}
	}
}

func (v *VM) refill(ec *engine.Class, d *engine.Dispatch) {
	t := v.tables[d.Index]
	if t == nil { // not created yet, and correct when it is
		return
	}
	for name, f := range d.Functions { // any order: scripts cannot list the table
		t.RawSetString(name, v.cued(ec, name, f))
	}
}

// haltLatent stops the latent code of actors whose state code is disabled.
func (v *VM) haltLatent(b *bodyOf) {
	v.world.EachActor(func(a *engine.Actor) {
		o, _ := a.Script.(*object)
		if o == nil {
			return
		}
		if o.latent != nil && v.body(o.latent.state.Code) == b {
			v.stopLatent(o)
			o.halted = true
		}
	})
}

// restartLatent starts the latent code that haltLatent stopped.
func (v *VM) restartLatent(b *bodyOf) {
	v.world.EachActor(func(a *engine.Actor) {
		if o, _ := a.Script.(*object); o != nil && o.halted && a.State != nil && v.body(a.State.Code) == b {
			v.startLatent(o)
		}
	})
}

// lift ends every quarantine (G3): the cause of a function's faults may be in another file, so the saved file says
// nothing about it. classes are those that had some before the reload.
func (v *VM) lift(classes map[string]bool) {
	v.resting = nil
	v.duties++
	v.unthrottle()
	for _, b := range v.fns {
		if b != nil {
			b.strikes, b.rested, b.duty, b.mirrored = nil, 0, onDuty, false
		}
	}
	for _, c := range v.classes { // any order: each on its own
		c.quarantined, c.dropped = false, false
	}
	for _, ec := range v.program.Classes.All() {
		if classes[ec.Name] {
			v.redispatch(ec)
		}
	}
}

// outOfUse returns the classes with disabled functions, and a line for each class and function.
func (v *VM) outOfUse() (classes map[string]bool, notes []string) {
	classes = map[string]bool{}
	for _, d := range v.program.Defs {
		b := v.fns[d.Number]
		if b == nil || b.duty == onDuty {
			continue
		}
		switch {
		case !b.class.quarantined:
			notes = append(notes, functionName(d)+" is no longer quarantined")
		case !classes[d.Class]:
			notes = append(notes, "class "+d.Class+" is no longer quarantined")
		}
		classes[d.Class] = true
	}
	return classes, notes
}

// Quarantined lists what is quarantined: classes by name, and functions of other classes as Class:Function. The list is made again only after a
// change, so the caller must not change it; a list that was returned stays as it is.
func (v *VM) Quarantined() []string {
	if v.barredOf == v.program && v.barredAt == v.duties {
		return v.barred
	}
	var out []string
	for _, d := range v.program.Defs {
		b := v.fns[d.Number]
		if b == nil || b.duty == onDuty {
			continue
		}
		name := functionName(d)
		if b.class.quarantined {
			name = d.Class
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	v.barred, v.barredOf, v.barredAt = slices.Clip(out), v.program, v.duties
	return out
}

// notice reports a function's quarantine.
func (v *VM) notice(d *classfile.Def, t classfile.Trust, what string) {
	v.opt.Report(Report{
		Kind: ReportQuarantine, Class: d.Class, Function: d.Name, Count: 1, File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column, Trust: t,
		Text: fmt.Sprintf("%s: %s: %s (%s)%s", functionName(d), d.Pos, what, v.peerName(), bracket(t)),
	})
}

// fault reports the error of a call and charges it (charge.go).
func (v *VM) fault(err error, f *engine.Function, a *engine.Actor) error {
	v.faults.stats.Faults++
	e := structured(err)
	msg := e.Message
	if len(msg) > maxMessage {
		msg = msg[:maxMessage] + "…"
	}
	c := v.culprit(e, f)
	class, function, file, line := f.Class.Name, stateName(f.State, f.Name), e.File, e.Line
	if c.def != nil {
		class, function = c.def.Class, stateName(c.def.State, c.def.Name)
	}
	if len(e.Frames) > 0 && e.Kind != sandbox.KindScript { // pcall and other callers raise the error of a spent budget again further out
		file, line = e.Frames[0].Proto.SourceName, e.Frames[0].Line
	}
	if file == "" {
		file, line = c.path, c.line
	}
	r := Report{
		Kind: ReportError, Class: class, Function: function, File: file, Line: line, Message: msg, Stack: e.Stack,
		Actor: a.String(), Peer: v.peer, Trust: c.trust,
	}
	shown, show := v.file(r)
	if show {
		v.place(&shown, e, &c)
		r.Column = shown.Column
	}
	v.faults.write(&shown, &c, v.who(a))
	if show {
		v.report(shown)
	}
	if v.peer == "" && c.def != nil && !v.chargedAlready(e) {
		v.strike(c.def, c.trust)
	}
	r.Text, r.Count = shown.Text, shown.Count
	return &Fault{r}
}
