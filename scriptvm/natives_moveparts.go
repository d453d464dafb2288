package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// movePartNatives returns natives that create, send and perform moves in which components and weapons take part
// (R9.9).
func movePartNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "GetMoveParts", Params: "weapon?: Actor, inputs?: moveinputs, named?: Actor", Returns: "parts?: table?, agrees: boolean, all: boolean", Pure: true,
			Doc:     "The parts of a pawn's moves besides the pawn itself (R9.9): its components whose class declares .moves, in order, and the weapon in its hand; nil if there are none. With the inputs of a move it returns the parts that the inputs name and that exist here (named is the weapon they name); agrees tells whether these are the parts that take part here anyway, all whether every named part exists. Do not change the array.",
			Example: "local parts = pawn:GetMoveParts(pawn.Weapon)",
			Do:      (*VM).getMoveParts,
		},
		{
			Space: api.Actor, Name: "GetMoveWeaponClass", Params: "inputs?: moveinputs", Returns: "string?", Pure: true,
			Doc:     "The class of the weapon that takes part in a move, nil for none.",
			Example: "local class = pawn:GetMoveWeaponClass(inputs)",
			Do:      (*VM).getMoveWeaponClass,
		},
		{
			Space: api.Actor, Name: "SaveMoveInputs", Params: "parts: table", Returns: "inputs: moveinputs, asks: boolean, presses: boolean",
			Doc:     "The inputs of the parts for a move: the variables that their .moves name as presses, flags and fields, rounded as they are on the wire. Equal inputs in a row are the same value. asks tells whether any is not at its default, presses whether a press is set.",
			Example: "local inputs = pawn:SaveMoveInputs(parts)",
			Do:      (*VM).saveMoveInputs,
		},
		{
			Space: api.Actor, Name: "LoadMoveInputs", Params: "parts: table, inputs?: moveinputs",
			Doc:     "Sets these variables to the inputs of a move; those of parts that the inputs do not name, to their defaults.",
			Example: "pawn:LoadMoveInputs(parts, inputs)",
			Do:      (*VM).loadMoveInputs,
		},
		{
			Space: api.Actor, Name: "ClearMovePresses", Params: "parts: table",
			Doc:     "Sets the presses of the parts to false, after a move has taken them.",
			Example: "pawn:ClearMovePresses(parts)",
			Do:      (*VM).clearMovePresses,
		},
		{
			Space: api.Actor, Name: "PackMoveInputs", Params: "newest: table, one?: table, two?: table, three?: table", Returns: "string", Pure: true,
			Doc:     "Packs the inputs and views of the moves in one call of ServerMoveWith into a string; \"\" if only static components take part, no input is set and every view equals that of the newest move. Each move is a table with Inputs, View and KeepsView.",
			Example: "local text = pawn:PackMoveInputs(move)",
			Do:      (*VM).packMoveInputs,
		},
		{
			Space: api.Actor, Name: "UnpackMoveInputs", Params: "text: string, n: integer, view: rotator", Returns: "newest?: moveinputs|false, one?: moveinputs|string|nil, two?: moveinputs?, three?: moveinputs?", Pure: true,
			Doc:     "Unpacks the inputs of the n moves of a call; view is the view of the newest move. false and the reason if the text cannot be read.",
			Example: "local inputs, why = pawn:UnpackMoveInputs(text, 1, view)",
			Do:      (*VM).unpackMoveInputs,
		},
		{
			Space: api.Actor, Name: "GetMoveView", Params: "inputs: moveinputs", Returns: "rotator", Pure: true,
			Doc:     "The player's view in a move from UnpackMoveInputs; exact if an input is set in it.",
			Example: "local view = pawn:GetMoveView(inputs)",
			Do:      (*VM).getMoveView,
		},
		{
			Space: api.Actor, Name: "DescribeMoveInputs", Params: "inputs?: moveinputs", Returns: "table", Pure: true,
			Doc:     "The inputs that are not at their defaults, by name: Charge of the pawn itself, Jet.bThrust of a component, Cannon.Aim of a weapon.",
			Example: "local list = pawn:DescribeMoveInputs(inputs)",
			Do:      (*VM).describeMoveInputs,
		},
		{
			Space: api.Actor, Name: "SaveMoveState", Params: "parts: table", Returns: "partstate", Pure: true,
			Doc:     "Saves what the next move of the parts depends on: the variables that their .moves name as state, and the results of GetMoveState of components and weapons.",
			Example: "local state = pawn:SaveMoveState(parts)",
			Do:      (*VM).saveMoveState,
		},
		{
			Space: api.Actor, Name: "LoadMoveState", Params: "state?: partstate, weapon?: Actor",
			Doc:     "Restores that state of the parts; weapon is the one of an unpacked state.",
			Example: "pawn:LoadMoveState(state)",
			Do:      (*VM).loadMoveState,
		},
		{
			Space: api.Actor, Name: "PackMoveState", Params: "parts: table", Returns: "string",
			Doc:     "Packs the state of the parts for a correction; \"\" if only static components take part and everything is at its default. Variables are rounded as they are on the wire.",
			Example: "local text = pawn:PackMoveState(parts)",
			Do:      (*VM).packMoveState,
		},
		{
			Space: api.Actor, Name: "UnpackMoveState", Params: "text: string", Returns: "state?: partstate?, weapon?: string?", Pure: true,
			Doc:     "The state from PackMoveState, nil if it cannot be read, and the class of the weapon in it.",
			Example: "local state, class = pawn:UnpackMoveState(text)",
			Do:      (*VM).unpackMoveState,
		},
		{
			Space: api.Actor, Name: "CompareMoveState", Params: "mine?: partstate, theirs?: partstate", Returns: "name?: string?, mine?: any, theirs?: any", Pure: true,
			Doc:     "The name of the first variable in which two states differ by more than rounding, and both values; nil if there is none.",
			Example: "local field, a, b = pawn:CompareMoveState(mine, theirs)",
			Do:      (*VM).compareMoveState,
		},
	}
}

// inputsArg returns inputs in the present layout; nil if the argument is nil.
func (v *VM) inputsArg(L *lua.LState, i int, l *moves.Layout) *moveInputs {
	switch x := L.Get(i).(type) {
	case *moveInputs:
		return x.in(l)
	case *lua.LNilType:
		return nil
	}
	argError(L, i, "what SaveMoveInputs or UnpackMoveInputs gave")
	return nil
}

// getMoveWeaponClass is GetMoveWeaponClass(inputs): the class of the weapon in them.
func (v *VM) getMoveWeaponClass(L *lua.LState) int {
	a := v.pawn(L)
	l := v.moveLayout(a)
	in := v.inputsArg(L, 2, l)
	if in == nil || in.Roster.Held == 0 {
		return 0
	}
	L.Push(lua.LString(l.Held[in.Roster.Held-1].Class.Name))
	return 1
}

// saveMoveInputs is SaveMoveInputs(parts) → inputs, asks, presses. Afterwards the variables are rounded as they
// will be sent.
func (v *VM) saveMoveInputs(L *lua.LState) int {
	a := v.pawn(L)
	p := v.partsArg(L, a)
	values := p.layout.Inputs(p.roster)
	p.read(values.EachInput)
	text := v.packer.Text(values)
	book := v.moveBookOf(a)
	if last := book.inputs; last == nil || last.Layout != p.layout || last.text != text {
		if values.Lossy() {
			crossed, err := p.layout.UnpackInputs(text, 1, geom.Rotator{})
			if err != nil {
				L.RaiseError("SaveMoveInputs: %v", err) // the content of a variable fits its type
			}
			values = crossed[0].Inputs
		}
		in := &moveInputs{Values: values, text: text}
		in.asks, in.presses = values.Asks()
		book.inputs = in
	}
	in := book.inputs
	in.EachInput(func(i int, b *moves.Block, words []uint64, strs []string) {
		if b.Lossy {
			v.store(p.members[i], b, words, strs)
		}
	})
	L.Push(in)
	L.Push(lua.LBool(in.asks))
	L.Push(lua.LBool(in.presses))
	return 3
}

// loadMoveInputs is LoadMoveInputs(parts, inputs): participants that are not in them have no input.
func (v *VM) loadMoveInputs(L *lua.LState) int {
	a := v.pawn(L)
	p := v.partsArg(L, a)
	in := v.inputsArg(L, 3, p.layout)
	named := in != nil && in.Layout == p.layout
	at := 0
	var words []uint64
	var strs []string
	if named {
		words, strs = in.Words, in.Strs
	}
	for i, e := range p.entries {
		b := &e.Part.Inputs
		for named && at < len(in.Entries) && in.Entries[at].Key < e.Key { // of one that is not here
			skip := &in.Entries[at].Part.Inputs
			words, strs, at = words[skip.Words:], strs[skip.Strs:], at+1
		}
		if named && at < len(in.Entries) && in.Entries[at].Key == e.Key {
			v.store(p.members[i], b, words, strs)
			words, strs, at = words[b.Words:], strs[b.Strs:], at+1
			continue
		}
		rest, restStrs := b.Rest()
		v.store(p.members[i], b, rest, restStrs)
	}
	return 0
}

// clearMovePresses is ClearMovePresses(parts).
func (v *VM) clearMovePresses(L *lua.LState) int {
	p := v.partsArg(L, v.pawn(L))
	for i, e := range p.entries {
		o := p.members[i]
		if o.gone {
			continue
		}
		for j := range e.Part.Inputs.Vars {
			x := &e.Part.Inputs.Vars[j]
			if x.Use != engine.MoveUsePress {
				break // they come first
			}
			if o.actor.StoreProperty(x.Prop, pressOff[:], nil) {
				v.refresh(o, x.Prop)
			}
		}
	}
	return 0
}

var pressOff = [1]uint64{}

// packMoveInputs is PackMoveInputs(newest, …) → string: the input of the moves of one call.
func (v *VM) packMoveInputs(L *lua.LState) int {
	a := v.pawn(L)
	l := v.moveLayout(a)
	n := L.GetTop() - 1
	if n < 1 || n > moves.MaxJoined {
		L.RaiseError("PackMoveInputs takes 1 to %d moves, got %d", moves.MaxJoined, n)
	}
	var list [moves.MaxJoined]moves.Move
	for i := range n {
		list[i] = v.moveArg(L, i+2, l)
	}
	L.Push(lua.LString(v.packer.PackInputs(list[:n]...)))
	return 1
}

// moveArg returns the part of a move's table that is sent; one without inputs requests nothing.
func (v *VM) moveArg(L *lua.LState, i int, l *moves.Layout) moves.Move {
	t, ok := L.Get(i).(*lua.LTable)
	if !ok || objectOf(t) != nil {
		argError(L, i, "a move")
	}
	view, _ := t.RawGetString("View").(rot)
	m := moves.Move{View: geom.Rotator(view), KeepsView: lua.LVAsBool(t.RawGetString("KeepsView"))}
	if in, _ := t.RawGetString("Inputs").(*moveInputs); in != nil {
		in = in.in(l)
		m.Inputs, m.Text = in.Values, in.text
	} else {
		m.Inputs = l.Inputs(l.Plain())
	}
	if m.Text == "" {
		m.Text = v.packer.Text(m.Inputs)
	}
	return m
}

// in returns the inputs in the present layout of the pawn's class.
func (in *moveInputs) in(l *moves.Layout) *moveInputs {
	if in.Layout == l {
		return in
	}
	now := &moveInputs{Values: in.To(l), view: in.view}
	now.asks, now.presses = now.Asks()
	return now
}

// unpackMoveInputs is UnpackMoveInputs(text, n, view) → the input of each of the n moves of a call; false and the
// reason if it cannot be read.
func (v *VM) unpackMoveInputs(L *lua.LState) int {
	a := v.pawn(L)
	text, n, view := checkString(L, 2), checkNumber(L, 3), geom.Rotator(checkRotator(L, 4))
	if n < 1 || n > moves.MaxJoined || n != math.Trunc(n) {
		argError(L, 3, "a number of moves from 1 to 4")
	}
	refused := func(err error) int {
		L.Push(lua.LFalse)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	l := v.moveLayout(a)
	list, err := l.UnpackInputs(text, int(n), view)
	if err != nil {
		return refused(err)
	}
	for i := range list {
		L.Push(&moveInputs{Values: list[i].Inputs, view: list[i].View})
	}
	return len(list)
}

// getMoveView is GetMoveView(inputs): the player's view rotation.
func (v *VM) getMoveView(L *lua.LState) int {
	in := v.inputsArg(L, 2, v.moveLayout(v.pawn(L)))
	if in == nil {
		argError(L, 2, "what UnpackMoveInputs gave")
	}
	L.Push(rot(in.view))
	return 1
}

// describeMoveInputs is DescribeMoveInputs(inputs) → the names and values of inputs that are not at rest.
func (v *VM) describeMoveInputs(L *lua.LState) int {
	a := v.pawn(L)
	t := newTable(0, 4)
	if in := v.inputsArg(L, 2, v.moveLayout(a)); in != nil {
		in.EachInput(func(i int, b *moves.Block, words []uint64, strs []string) {
			b.EachAsked(words, strs, func(x *moves.Var, value engine.Value) {
				t.RawSetString(in.Layout.Name(in.Entries[i], x.Prop.Name), v.toLuaTyped(x.Prop.Type, value))
			})
		})
	}
	L.Push(t)
	return 1
}

// stateOf returns the state that the next move of the parts depends on.
func (v *VM) stateOf(L *lua.LState, p *moveParts) *partState {
	s := &partState{Values: p.layout.State(p.roster), members: p.members}
	p.read(s.EachState)
	for i, e := range s.Entries {
		if !e.Part.Text || p.members[i].gone {
			continue
		}
		out, err := v.callLua(p.members[i].actor, "GetMoveState", nil)
		if err != nil || len(out) == 0 {
			continue // a fault was reported
		}
		text, ok := out[0].(lua.LString)
		if !ok || len(text) > moves.MaxTextBytes {
			L.RaiseError("%s: GetMoveState: expected a string of at most %d bytes, got %s", p.members[i].actor, moves.MaxTextBytes, describeText(out[0]))
		}
		s.Texts[i] = string(text)
	}
	return s
}

func describeText(x lua.LValue) string {
	if s, ok := x.(lua.LString); ok {
		return formatNumber(float64(len(s))) + " bytes"
	}
	return "a " + typeName(x)
}

// saveMoveState is SaveMoveState(parts) → state.
func (v *VM) saveMoveState(L *lua.LState) int {
	L.Push(v.stateOf(L, v.partsArg(L, v.pawn(L))))
	return 1
}

// stateArg returns a state from SaveMoveState or UnpackMoveState, or nil.
func stateArg(L *lua.LState, i int) *partState {
	switch x := L.Get(i).(type) {
	case *partState:
		return x
	case *lua.LNilType:
		return nil
	}
	argError(L, i, "what SaveMoveState or UnpackMoveState gave")
	return nil
}

// loadMoveState is LoadMoveState(state [, weapon]).
func (v *VM) loadMoveState(L *lua.LState) int {
	a := v.pawn(L)
	s := stateArg(L, 2)
	if s == nil {
		return 0
	}
	l := v.moveLayout(a)
	s.EachState(func(i int, b *moves.Block, words []uint64, strs []string) {
		e := s.Entries[i]
		o := s.member(L, a, i)
		if o == nil || o.gone {
			return
		}
		if s.Layout == l {
			v.store(o, b, words, strs)
		} else if p := v.program.Moves.Part(o.actor.Class); p != nil { // from before a reload
			p.State.Take(b, words, strs, func(x *moves.Var, words []uint64, strs []string) {
				if o.actor.StoreProperty(x.Prop, words, strs) {
					v.refresh(o, x.Prop)
				}
			})
		}
		if e.Part.Text {
			_, _ = v.callLua(o.actor, "SetMoveState", []lua.LValue{lua.LString(s.Texts[i])}) // a fault was reported
		}
	})
	return 0
}

// member returns whose the values of an entry are: for unpacked ones, the pawn's own member with that name, or nil.
func (s *partState) member(L *lua.LState, a *engine.Actor, i int) *object {
	if s.members != nil {
		return s.members[i]
	}
	e := s.Entries[i]
	switch {
	case e.Key == 0:
		return a.Script.(*object)
	case s.Roster.Held > 0 && i == len(s.Entries)-1:
		if o := objectOf(L.Get(3)); o != nil && !o.gone && o.actor.Class == e.Part.Class {
			return o
		}
		return nil
	}
	if k := component(a, s.Layout, e.Key, e.Part); k != nil {
		return k.Script.(*object)
	}
	return nil
}

// packMoveState is PackMoveState(parts) → string. Afterwards the variables are rounded as sent, so that both ends
// continue with the same values.
func (v *VM) packMoveState(L *lua.LState) int {
	p := v.partsArg(L, v.pawn(L))
	s := v.stateOf(L, p)
	text := v.packer.PackState(s.Values)
	if crossed, err := p.layout.UnpackState(text); err == nil {
		crossed.EachState(func(i int, b *moves.Block, words []uint64, strs []string) {
			if b.Lossy {
				v.store(p.members[i], b, words, strs)
			}
		})
	}
	L.Push(lua.LString(text))
	return 1
}

// unpackMoveState is UnpackMoveState(text) → state, the class of the weapon in it; nil if it cannot be read.
func (v *VM) unpackMoveState(L *lua.LState) int {
	a := v.pawn(L)
	text := checkString(L, 2)
	l := v.moveLayout(a)
	s, err := l.UnpackState(text)
	if err != nil {
		return 0
	}
	L.Push(&partState{Values: s})
	if s.Roster.Held == 0 {
		return 1
	}
	L.Push(lua.LString(l.Held[s.Roster.Held-1].Class.Name))
	return 2
}

// stateTolerance is the difference, relative to the size or to 1, up to which two numbers of a state count as
// equal: a lost packet merges two moves into one, which rounds differently.
const stateTolerance = 1e-4

// compareMoveState is CompareMoveState(mine, theirs) → the name of the first variable that differs and both values.
func (v *VM) compareMoveState(L *lua.LState) int {
	v.pawn(L)
	mine, theirs := stateArg(L, 2), stateArg(L, 3)
	if mine == nil || theirs == nil || mine.Layout != theirs.Layout {
		return 0
	}
	found := 0
	theirs.EachState(func(i int, b *moves.Block, words []uint64, strs []string) {
		e := theirs.Entries[i]
		mine.EachState(func(j int, _ *moves.Block, myWords []uint64, myStrs []string) {
			if found > 0 || mine.Entries[j].Key != e.Key {
				return
			}
			for k := range b.Vars {
				x := &b.Vars[k]
				one, other := x.Value(myWords, myStrs), x.Value(words, strs)
				if sameState(one, other) {
					continue
				}
				L.Push(lua.LString(theirs.Layout.Name(e, x.Prop.Name)))
				L.Push(v.toLuaTyped(x.Prop.Type, one))
				L.Push(v.toLuaTyped(x.Prop.Type, other))
				found = 3
				return
			}
			if theirs.Texts[i] != mine.Texts[j] {
				L.Push(lua.LString(theirs.Layout.Name(e, "GetMoveState")))
				L.Push(lua.LString(mine.Texts[j]))
				L.Push(lua.LString(theirs.Texts[i]))
				found = 3
			}
		})
	})
	return found
}

func sameState(a, b engine.Value) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= stateTolerance*max(1, math.Abs(x), math.Abs(y)) }
	for i := range a.List {
		if !sameState(a.List[i], b.List[i]) {
			return false
		}
	}
	return near(a.Num, b.Num) && a.Str == b.Str && a.Rot == b.Rot && near(a.Vec.X, b.Vec.X) && near(a.Vec.Y, b.Vec.Y) && near(a.Vec.Z, b.Vec.Z)
}
