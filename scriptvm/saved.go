package scriptvm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/archive"
	"github.com/tidelock/tidelock/engine/geom"
)

// The script side of a saved world (C3): private fields of actors that are plain data, and whether latent code had ended. Plain data
// is nil, booleans, numbers, strings, vectors, rotators, actors, classes, arrays and structs of actors, and tables of these without
// a metatable. A table that an actor holds in several places is one table again after loading, also within itself; one that two
// actors hold is two. Anything else stays out with its whole field, and is noted once.

// Bounds of the private fields of one actor. A field that would exceed them is not saved.
const (
	maxSavedDepth  = 64      // tables within tables
	maxSavedValues = 1 << 16 // values of all its fields
	maxSavedText   = 1 << 20 // bytes of one string
	maxSavedGaps   = 1 << 16 // missing items before the last one of lists: each takes memory
	maxSavedNotes  = 200     // fields noted in a VM's life
)

// ORDER: tags of values in an archive.
const (
	tagEnd byte = iota // of a table or of the fields of an actor
	tagNil
	tagFalse
	tagTrue
	tagInteger
	tagNumber
	tagString
	tagVector
	tagRotator
	tagActor
	tagGone // a destroyed actor, of which scripts may read bDeleteMe
	tagClass
	tagPart
	tagTable
	tagSame // a table that the actor holds elsewhere, too
	tagWorld
)

// saving writes the private fields of one actor after the other.
type saving struct {
	v      *VM
	out    *archive.Writer
	tables []*lua.LTable // of the present actor, in order of writing
	number map[*lua.LTable]int
	values int
	gaps   int
	note   func(class, field, why string)
	// sorted writes keys in an order that does not depend on when they were set: for hashes.
	sorted bool
	keys   []sortedKey // a stack
}

// sortedKey is a key of a table with what is written of it.
type sortedKey struct {
	key, value lua.LValue
	text       string
}

// SaveState writes the script side. Fields that cannot be saved are noted for [VM.TakeUnsaved].
func (v *VM) SaveState(out *archive.Writer) {
	s := saving{v: v, out: out, number: map[*lua.LTable]int{}, note: v.noteUnsaved}
	v.world.EachActor(func(a *engine.Actor) {
		o, _ := a.Script.(*object)
		if o == nil {
			return
		}
		engine.SaveID(out, a.ID())
		s.fields(o)
		out.Bool(ended(o, o.latent, a.State))
		states := a.PushedStates()
		out.Uint(uint64(len(states)))
		for i, st := range states {
			var l *latent
			if i < len(o.stack) {
				l = o.stack[i]
			}
			out.Bool(ended(o, l, st))
		}
	})
	engine.SaveID(out, 0)
}

// ended reports whether the code of a state has run to its end.
func ended(o *object, l *latent, s *engine.State) bool {
	return s != nil && s.Code != nil && l == nil && !o.halted
}

// HashPrivate adds what SaveState writes of private fields, in the order of their names: the order in which keys of a table are
// visited is saved, but a key that is set again after it was nil comes at its old place only as long as the table lives.
func (v *VM) HashPrivate(h *engine.Hash) {
	var out archive.Writer
	s := saving{v: v, out: &out, number: map[*lua.LTable]int{}, sorted: true, note: func(_, _, _ string) {}}
	v.world.EachActor(func(a *engine.Actor) {
		if o, _ := a.Script.(*object); o != nil {
			out.Truncate(0)
			s.fields(o)
			h.Word(uint64(a.ID()))
			h.String(string(out.Bytes()))
		}
	})
}

// TakeUnsaved returns, each once in the VM's life, the private fields that SaveState left out, as "Class.field: why".
func (v *VM) TakeUnsaved() []string {
	list := v.unsaved
	v.unsaved = nil
	return list
}

func (v *VM) noteUnsaved(class, field, why string) {
	line := class + "." + field + ": " + why
	if v.noted[line] || len(v.noted) >= maxSavedNotes {
		return
	}
	if v.noted == nil {
		v.noted = map[string]bool{}
	}
	v.noted[line] = true
	v.unsaved = append(v.unsaved, line)
}

// fields writes the private fields of an actor, in the order in which they were set.
func (s *saving) fields(o *object) {
	clear(s.number)
	clear(s.tables)
	s.tables, s.values, s.gaps = s.tables[:0], 0, 0
	out := s.out
	if o.class.own > 0 {
		_ = s.each(o.table, o.table.MaxN(), func(k, x lua.LValue) error { // slots are no fields
			name, ok := k.(lua.LString)
			if !ok {
				return nil // a slot
			}
			at, tables := out.Len(), len(s.tables)
			out.Byte(tagString)
			out.String(string(name))
			if err := s.value(x, 0); err != nil {
				out.Truncate(at)
				for _, t := range s.tables[tables:] {
					delete(s.number, t)
				}
				s.tables = s.tables[:tables]
				s.note(o.class.data.Name, string(name), err.Error())
			}
			return nil
		})
	}
	out.Byte(tagEnd)
}

// each visits the pairs of a table until f returns an error, but for the first items of its list, at most as many as its MaxN.
func (s *saving) each(t *lua.LTable, items int, f func(k, x lua.LValue) error) error {
	first := lua.LValue(lua.LNil)
	if items > 0 {
		first = lua.LNumber(items) // Next of this is right only if the list has as many
	}
	if !s.sorted {
		for k, x := t.Next(first); k != lua.LNil; k, x = t.Next(k) {
			if err := f(k, x); err != nil {
				return err
			}
		}
		return nil
	}
	base := len(s.keys)
	defer func() { s.keys = s.keys[:base] }()
	for k, x := t.Next(first); k != lua.LNil; k, x = t.Next(k) {
		s.keys = append(s.keys, sortedKey{k, x, keyOrder(k)})
	}
	list := s.keys[base:]
	slices.SortStableFunc(list, func(a, b sortedKey) int { return strings.Compare(a.text, b.text) })
	for _, e := range list {
		if err := f(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// keyOrder returns a text by which keys are sorted. Tables as keys, which have none, stay in their order.
func keyOrder(k lua.LValue) string {
	if t, ok := k.(*lua.LTable); ok {
		if o := objectOf(t); o != nil {
			return fmt.Sprintf("a%016x", uint64(o.actor.ID()))
		}
		return "t"
	}
	return k.Type().String() + k.String()
}

// errSize is a field beyond the bounds above.
var errSize = errors.New("too many or too large values")

func (s *saving) value(x lua.LValue, depth int) error {
	out := s.out
	if s.values++; s.values > maxSavedValues {
		return errSize
	}
	switch x := x.(type) {
	case *lua.LNilType:
		out.Byte(tagNil)
	case lua.LBool:
		if x {
			out.Byte(tagTrue)
		} else {
			out.Byte(tagFalse)
		}
	case lua.LNumber:
		if i := int64(x); lua.LNumber(i) == x && i > -1<<53 && i < 1<<53 && (i != 0 || !math.Signbit(float64(x))) {
			out.Byte(tagInteger)
			out.Int(i)
		} else {
			out.Byte(tagNumber)
			out.Float(float64(x))
		}
	case lua.LString:
		if len(x) > maxSavedText {
			return errSize
		}
		out.Byte(tagString)
		out.String(string(x))
	case vec:
		out.Byte(tagVector)
		for _, f := range [...]float64{x.X, x.Y, x.Z} {
			out.Float(f)
		}
	case rot:
		out.Byte(tagRotator)
		out.Word(geom.Rotator(x).Pack())
	case *worldValue:
		out.Byte(tagWorld)
	case *part:
		if x.object.gone || x.part.Type != x.part.Prop.Type {
			return fmt.Errorf("a part of the variable %s", x.part.Prop.Name)
		}
		out.Byte(tagPart)
		engine.SaveID(out, x.object.actor.ID())
		out.String(x.part.Prop.Name)
	case *lua.LTable:
		return s.table(x, depth)
	case *lua.LFunction:
		return errors.New("a function")
	case *lua.LState:
		return errors.New("a thread")
	default:
		return errors.New("a " + typeName(x))
	}
	return nil
}

func (s *saving) table(x *lua.LTable, depth int) error {
	out := s.out
	if o := objectOf(x); o != nil {
		if o.gone {
			out.Byte(tagGone)
			engine.SaveID(out, o.actor.ID())
			out.String(o.class.data.Name)
			out.String(o.actor.Name)
		} else {
			out.Byte(tagActor)
			engine.SaveID(out, o.actor.ID())
		}
		return nil
	}
	if c := s.v.classOf(x); c != nil {
		out.Byte(tagClass)
		out.String(c.data.Name)
		return nil
	}
	if n, known := s.number[x]; known {
		out.Byte(tagSame)
		out.Uint(uint64(n))
		return nil
	}
	switch {
	case x.Metatable != lua.LNil:
		return errors.New("a table with a metatable")
	case depth >= maxSavedDepth:
		return fmt.Errorf("tables within tables, more than %d deep", maxSavedDepth)
	}
	s.number[x] = len(s.tables)
	s.tables = append(s.tables, x)
	out.Byte(tagTable)
	next := 1
	gap := func(n int) error {
		if s.gaps += n - next; s.gaps > maxSavedGaps {
			return errSize
		}
		next = n
		return nil
	}
	items := 0
	if !s.sorted { // the list without an interface for each number
		items = x.MaxN()
	}
	for i := 1; i <= items; i++ {
		e := x.RawGetInt(i)
		if e == lua.LNil {
			continue
		}
		if i > next {
			if err := gap(i); err != nil {
				return err
			}
		}
		next++
		if s.values++; s.values > maxSavedValues {
			return errSize
		}
		out.Byte(tagInteger)
		out.Int(int64(i))
		if err := s.value(e, depth+1); err != nil {
			return err
		}
	}
	err := s.each(x, items, func(k, e lua.LValue) error {
		if n, ok := k.(lua.LNumber); ok && !s.sorted && n > lua.LNumber(next) && n < lua.LNumber(lua.MaxArrayIndex) && n == lua.LNumber(int(n)) {
			if err := gap(int(n)); err != nil {
				return err
			}
		}
		next++
		if err := s.value(k, depth+1); err != nil {
			return fmt.Errorf("%w as a key", err)
		}
		return s.value(e, depth+1)
	})
	if err != nil {
		return err
	}
	out.Byte(tagEnd)
	return nil
}

// restoring reads the private fields of one actor after the other.
type restoring struct {
	v      *VM
	in     *archive.Reader
	tables []*lua.LTable
	gone   map[engine.ActorID]*object
	values int
	gaps   int
}

// maxGapsLoaded bounds the missing items of all lists of a world.
const maxGapsLoaded = 1 << 21

// LoadState reads what SaveState wrote. The code of states begins with [VM.Restored].
func (v *VM) LoadState(in *archive.Reader, note func(line string)) {
	r := restoring{v: v, in: in, gone: map[engine.ActorID]*object{}}
	for in.Err() == nil {
		id := engine.LoadID(in)
		if id == 0 {
			break
		}
		var o *object
		if a := v.world.Actor(id); a != nil {
			o, _ = a.Script.(*object)
			in.Reading("private fields of " + a.Name)
		}
		r.fields(o, note)
		done := in.Bool()
		stack := make([]bool, in.Count(engine.MaxStateStack, 1))
		for i := range stack {
			stack[i] = in.Bool()
		}
		if o != nil && in.Err() == nil {
			v.restart(o, done, stack)
		}
	}
	in.End()
}

// restart prepares the code of the states of an actor, except what had ended.
func (v *VM) restart(o *object, done bool, stack []bool) {
	states := o.actor.PushedStates()
	same := len(stack) == len(states) // no state is gone
	for i, s := range states {
		var l *latent
		if !same || !stack[i] {
			if l = v.newLatent(o, s); l != nil {
				l.parked = true
			}
		}
		o.stack = append(o.stack, l)
	}
	if !done {
		v.startLatent(o)
	}
}

// Restored calls the event of that name on all actors, in order of spawning. The code of states runs in the next tick.
func (v *VM) Restored() {
	v.world.EachActor(func(a *engine.Actor) {
		if a.Defines(engine.EvRestored) {
			a.Event(engine.EvRestored)
		}
	})
}

// fields reads the private fields of an actor; o is nil for one that was left out.
func (r *restoring) fields(o *object, note func(line string)) {
	r.tables, r.values = r.tables[:0], 0
	in := r.in
	for in.Err() == nil {
		switch tag := in.Byte(); tag {
		case tagEnd:
			return
		case tagString:
		default:
			in.Failf("expected a field, got the tag %d", tag)
			return
		}
		name := in.String(maxSavedText)
		x := r.value(0)
		if o == nil || in.Err() != nil {
			continue
		}
		switch p := o.class.data.Property(name); {
		case p != nil:
			note(fmt.Sprintf("%s.%s is a variable of the class now: the private field of that name is dropped", o.class.data.Name, name))
		case o.dispatch().RawGetString(name) != lua.LNil || o.actor.ComponentNamed(name) != nil:
			note(fmt.Sprintf("%s.%s is a function or a component now: the private field of that name is dropped", o.class.data.Name, name))
		default:
			o.class.own = 1
			o.table.RawSetString(name, x)
		}
	}
}

func (r *restoring) value(depth int) lua.LValue {
	in := r.in
	if r.values++; r.values > maxSavedValues {
		in.Failf("an actor has more than %d values", maxSavedValues)
		return lua.LNil
	}
	switch tag := in.Byte(); tag {
	case tagNil:
	case tagFalse:
		return lua.LFalse
	case tagTrue:
		return lua.LTrue
	case tagInteger:
		return lua.LNumber(in.Int())
	case tagNumber:
		return lua.LNumber(math.Float64frombits(in.Word())) // any: scripts have infinities, too
	case tagString:
		return lua.LString(in.String(maxSavedText))
	case tagVector:
		var f [3]float64
		for i := range f {
			f[i] = math.Float64frombits(in.Word())
		}
		return vec{X: f[0], Y: f[1], Z: f[2]}
	case tagRotator:
		return rot(geom.UnpackRotator(in.Word()))
	case tagWorld:
		return r.v.vm.Globals().RawGetString("world")
	case tagActor:
		return luaActor(r.v.world.Actor(engine.LoadID(in)))
	case tagGone:
		return r.goneActor()
	case tagClass:
		return r.v.classValue(in.String(maxSavedText))
	case tagPart:
		a := r.v.world.Actor(engine.LoadID(in))
		name := in.String(maxSavedText)
		if a == nil {
			return lua.LNil
		}
		if p := a.Class.Property(name); p != nil && p.Native == nil {
			return r.v.read(a.Script.(*object), p)
		}
	case tagTable:
		return r.table(depth)
	case tagSame:
		if n := in.Uint(uint64(max(len(r.tables)-1, 0))); len(r.tables) > 0 {
			return r.tables[n]
		}
		in.Failf("a table that was not before")
	default:
		in.Failf("there is no value with the tag %d", tag)
	}
	return lua.LNil
}

func (r *restoring) table(depth int) lua.LValue {
	in := r.in
	if depth >= maxSavedDepth {
		in.Failf("tables within tables, more than %d deep", maxSavedDepth)
		return lua.LNil
	}
	t := newTable(0, 0)
	r.tables = append(r.tables, t)
	next := 1
	for in.Err() == nil {
		if in.Peek() == tagEnd {
			in.Byte()
			break
		}
		k := r.value(depth + 1)
		x := r.value(depth + 1)
		n, number := k.(lua.LNumber)
		switch {
		case in.Err() != nil:
		case k == lua.LNil: // an actor that was left out
		case number && n != n:
			in.Failf("a key that is no number")
		case number && n > lua.LNumber(next) && n < lua.LNumber(lua.MaxArrayIndex) && n == lua.LNumber(int(n)):
			if r.gaps += int(n) - next; r.gaps > maxGapsLoaded {
				in.Failf("lists with more than %d missing items", maxGapsLoaded)
				break
			}
			next = int(n) + 1
			t.RawSet(k, x)
		default:
			next++
			t.RawSet(k, x)
		}
	}
	return t
}

// goneActor returns the value of an actor that was destroyed before the world was saved: the same for all who hold it.
func (r *restoring) goneActor() lua.LValue {
	in := r.in
	id := engine.LoadID(in)
	class, name := in.String(maxSavedText), in.String(maxSavedText)
	if o := r.gone[id]; o != nil {
		return o.table
	}
	c := r.v.classes[class]
	if c == nil || in.Err() != nil || r.v.world.Actor(id) != nil {
		return lua.LNil
	}
	o := &object{actor: engine.Ghost(r.v.world, c.data, id, name), class: c, vm: r.v, gone: true, table: newTable(1, 0)}
	o.table.RawSetInt(slotObject, o)
	o.table.Metatable = r.v.actorMeta
	r.gone[id] = o
	return o.table
}
