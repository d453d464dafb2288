package scriptvm

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/moves"
)

// partsKey is an index that ipairs does not visit.
const partsKey = lua.LNumber(0)

func (*moveParts) String() string       { return "moveparts" }
func (*moveParts) Type() lua.LValueType { return lua.LTUserData }

func (*moveInputs) String() string       { return "moveinputs" }
func (*moveInputs) Type() lua.LValueType { return lua.LTUserData }

// partState is the state that moves depend on: values, and whose they are; nil if that is not known yet.
type partState struct {
	*moves.Values
	members []*object
}

func (*partState) String() string       { return "movestate" }
func (*partState) Type() lua.LValueType { return lua.LTUserData }

// moveBookOf returns the pawn's, created if it has none.
func (v *VM) moveBookOf(a *engine.Actor) *moveBook {
	b := v.moveBooks[a.ID()]
	if b == nil {
		if v.moveBooks == nil {
			v.moveBooks = map[engine.ActorID]*moveBook{}
		}
		b = &moveBook{}
		v.moveBooks[a.ID()] = b
	}
	return b
}

// moveLayout returns the layout of a pawn's class.
func (v *VM) moveLayout(a *engine.Actor) *moves.Layout { return v.program.Moves.Of(a.Class) }

// weaponArg returns a weapon that takes part in moves, with its number in a roster; nil and 0 for any other.
func weaponArg(L *lua.LState, i int, l *moves.Layout) (*object, int) {
	if o := objectOf(L.Get(i)); o != nil && !o.gone {
		if n := l.HeldIndex(o.actor.Class); n >= 0 {
			return o, n + 1
		}
	}
	return nil, 0
}

// component returns the live component for an entry of a layout, or nil: a static one by its name, an added one by
// its class.
func component(a *engine.Actor, l *moves.Layout, key int, p *moves.Part) *engine.Actor {
	i := key - 1
	for _, k := range a.Components {
		if k.Class != p.Class || k.Deleted() {
			continue
		}
		if i < len(l.Static) && k.ComponentName == l.Static[i].Name || i >= len(l.Static) && !isStatic(l, k) {
			return k
		}
	}
	return nil
}

func isStatic(l *moves.Layout, k *engine.Actor) bool {
	return slices.ContainsFunc(l.Static, func(s moves.Slot) bool { return s.Name == k.ComponentName })
}

// rosterOf returns which of a pawn's components take part here.
func rosterOf(a *engine.Actor, l *moves.Layout) moves.Roster {
	var r moves.Roster
	for _, k := range a.Components {
		if k.Class.JoinsMoves && !k.Deleted() {
			r = withComponent(r, l, k)
		}
	}
	return r
}

// withComponent returns the roster with one more component.
func withComponent(r moves.Roster, l *moves.Layout, k *engine.Actor) moves.Roster {
	if i := slices.IndexFunc(l.Static, func(s moves.Slot) bool { return s.Name == k.ComponentName }); i >= 0 {
		if l.Static[i].Part.Class == k.Class {
			r.Static |= 1 << i
		}
	} else if i := l.AddedIndex(k.Class); i >= 0 {
		r.Added |= 1 << i
	}
	return r
}

// getMoveParts is GetMoveParts([weapon [, inputs, named]]).
func (v *VM) getMoveParts(L *lua.LState) int {
	a := v.pawn(L)
	l := v.moveLayout(a)
	weapon, held := weaponArg(L, 2, l)
	own := rosterOf(a, l)
	own.Held = held
	book := v.moveBookOf(a)
	in, ok := L.Get(3).(*moveInputs)
	if !ok {
		if p := book.own; p == nil || !p.is(a, l, own, weapon) {
			book.own = v.gather(a, l, own, weapon)
		}
		return pushParts(L, book.own, true, true)
	}
	named, heldNamed := weaponArg(L, 4, l)
	want := in.To(l).Roster
	r := moves.Roster{Static: want.Static & own.Static, Added: want.Added & own.Added}
	if heldNamed == want.Held {
		r.Held = heldNamed
	} else {
		named = nil
	}
	agrees, all := want == own && named == weapon, r == want
	if r == own && named == weapon {
		if p := book.own; p == nil || !p.is(a, l, own, weapon) {
			book.own = v.gather(a, l, own, weapon)
		}
		return pushParts(L, book.own, agrees, all)
	}
	for _, p := range book.named {
		if p != nil && p.is(a, l, r, named) {
			return pushParts(L, p, agrees, all)
		}
	}
	p := v.gather(a, l, r, named)
	book.named[book.next] = p
	book.next = (book.next + 1) % len(book.named)
	return pushParts(L, p, agrees, all)
}

func pushParts(L *lua.LState, p *moveParts, agrees, all bool) int {
	if p.table == nil {
		L.Push(lua.LNil)
	} else {
		L.Push(p.table)
	}
	L.Push(lua.LBool(agrees))
	L.Push(lua.LBool(all))
	return 3
}

// is reports whether they are those of a roster, with that weapon.
func (p *moveParts) is(a *engine.Actor, l *moves.Layout, r moves.Roster, weapon *object) bool {
	if p.layout != l || p.roster != r {
		return false
	}
	for i, o := range p.members {
		switch key := p.entries[i].Key; {
		case o.gone:
			return false
		case key == 0:
		case r.Held > 0 && i == len(p.members)-1:
			if o != weapon {
				return false
			}
		case component(a, l, key, p.entries[i].Part) != o.actor:
			return false
		}
	}
	return true
}

// gather returns the list for a roster; all of its members exist.
func (v *VM) gather(a *engine.Actor, l *moves.Layout, r moves.Roster, weapon *object) *moveParts {
	p := &moveParts{layout: l, roster: r, entries: l.Entries(r)}
	for i, e := range p.entries {
		switch {
		case e.Key == 0:
			p.members = append(p.members, a.Script.(*object))
		case r.Held > 0 && i == len(p.entries)-1:
			p.members = append(p.members, weapon)
		default:
			p.members = append(p.members, component(a, l, e.Key, e.Part).Script.(*object))
		}
	}
	if pawn := l.Pawn; len(p.members) == 1 && len(pawn.Inputs.Vars)+len(pawn.State.Vars) == 0 {
		return p // no participants: no table
	}
	p.table = newTable(len(p.members)-1, 1)
	for i, o := range p.members[1:] {
		p.table.RawSetInt(i+1, o.table)
	}
	p.table.RawSetH(partsKey, p)
	return p
}

// partsArg returns the first argument after self, a result of GetMoveParts for the pawn, in its present form: after
// a reload variables have other slots.
func (v *VM) partsArg(L *lua.LState, a *engine.Actor) *moveParts {
	t, _ := L.Get(2).(*lua.LTable)
	var p *moveParts
	if t != nil {
		p, _ = t.RawGetH(partsKey).(*moveParts)
	}
	if p == nil || p.members[0].actor != a {
		argError(L, 2, "what GetMoveParts gave for this pawn")
	}
	l := v.moveLayout(a)
	if p.layout == l {
		return p
	}
	var r moves.Roster
	var weapon *object
	for _, o := range p.members[1:] {
		switch k := o.actor; {
		case o.gone || !k.Class.JoinsMoves:
		case k.Outer == nil:
			weapon, r.Held = o, l.HeldIndex(k.Class)+1
		default:
			r = withComponent(r, l, k)
		}
	}
	now := v.gather(a, l, r, weapon)
	now.table = t
	t.RawSetH(partsKey, now)
	return now
}

// read copies the present values of members into the values that each visits.
func (p *moveParts) read(each func(func(int, *moves.Block, []uint64, []string))) {
	each(func(i int, b *moves.Block, words []uint64, strs []string) {
		o := p.members[i]
		if o.gone {
			return
		}
		for j := range b.Vars {
			x := &b.Vars[j]
			o.actor.ReadProperty(x.Prop, words[x.Word:], strs[x.Str:])
		}
	})
}

// store sets the variables of a block of a member that still exists.
func (v *VM) store(o *object, b *moves.Block, words []uint64, strs []string) {
	if o.gone {
		return
	}
	for j := range b.Vars {
		x := &b.Vars[j]
		if o.actor.StoreProperty(x.Prop, words[x.Word:], strs[x.Str:]) {
			v.refresh(o, x.Prop)
		}
	}
}

// checkOnlyPart rejects a second component of a class that takes part in a pawn's moves: a move identifies added
// components by their class.
func (v *VM) checkOnlyPart(L *lua.LState, a *engine.Actor, c *engine.Class, name string) {
	if !c.JoinsMoves || !a.Class.IsPawn() {
		return
	}
	l := v.moveLayout(a)
	if slices.ContainsFunc(l.Static, func(s moves.Slot) bool { return s.Name == name }) {
		return
	}
	for _, k := range a.Components {
		if k.Class == c && !k.Deleted() && k.ComponentName != name {
			L.RaiseError("%s has the component %s of class %s already, which takes part in its moves; at run time a pawn gets one of a class: "+
				"name both in %s.components", a, k.ComponentName, c.Name, a.Class.Name)
		}
	}
}
