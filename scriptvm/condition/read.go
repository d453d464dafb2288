package condition

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Variables, members and elements.

// connection maps the names that only exist in conditions to the connection's properties.
var connection = map[string]engine.CondMask{
	"bNetInitial": engine.MaskInitial, "bNetOwner": engine.MaskOwner, "bNetDirty": engine.MaskDirty, "bIsPlayer": engine.MaskIsPlayer,
}

// worldMembers holds the members of world that conditions may read.
var worldMembers = map[string]func(*engine.World) float64{
	"TimeSeconds":  func(w *engine.World) float64 { return w.Time },
	"DeltaSeconds": func(w *engine.World) float64 { return w.Delta },
	"NetMode":      func(w *engine.World) float64 { return float64(w.NetMode) },
	"Gravity":      func(w *engine.World) float64 { return w.Gravity },
}

// index compiles x.name.
func (c *compiler) index(pos engine.Pos, x *node, name string) *node {
	if x.self {
		return c.selfMember(pos, x, name)
	}
	const indexable = typeVector | typeRotator | typeRef | typePlace | typeWorld | typeClass
	known := x.types & indexable
	switch {
	case x.types&typeString != 0:
		return c.slow(pos, "it takes a member of a string", x)
	case known == 0:
		return c.wrong(pos, "attempt to index "+x.types.word()+" with "+strconv.Quote(name), x)
	case !known.one():
		return c.slow(pos, "the type of what "+name+" is taken of is not certain", x)
	}
	switch known {
	case typeVector, typeRotator:
		return c.axis(pos, x, name)
	case typePlace:
		return c.structMember(pos, x, name)
	case typeWorld:
		c.others = true
		if read := worldMembers[name]; read != nil {
			return found(x, numberNode(false, func(a *engine.Actor, _ engine.CondInput) (float64, bool) { return read(a.World()), true }))
		}
		return c.slow(pos, "it looks at world."+name, x)
	case typeRef:
		return c.otherMember(pos, x, name)
	default:
	}
	return c.slow(pos, "it takes a member of a class", x)
}

// found returns a node derived from x, about which nothing is known.
func found(x, n *node) *node { return (&call{on: x}).looked(n.guessed(everySide(anything))) }

// selfMember compiles a variable of the actor, or a property of the connection.
func (c *compiler) selfMember(pos engine.Pos, x *node, name string) *node {
	p := c.Class.Property(name)
	mask := connection[name]
	switch {
	case p == nil && mask != 0:
		c.mask |= mask
		bit := engine.CondInput(mask)
		n := testNode(true, func(_ *engine.Actor, in engine.CondInput) verdict { return verdictOf(in&bit != 0) })
		return n.guessed(eachSide(anything, func(s side) *value {
			if s.client && mask != engine.MaskIsPlayer {
				return &value{kind: typeFalse}
			}
			return nil
		}))
	case p == nil && (c.Class.Functions[name] != nil || isEvent(name)):
		return c.slow(pos, "it takes the function "+name+" without calling it", x)
	case p == nil:
		for i := range c.Class.Components {
			if c.Class.Components[i].Name == name {
				return c.slow(pos, "it looks at the component "+name, x)
			}
		}
		return c.slow(pos, "self."+name+" is no declared variable", x)
	case p.Native != nil && name == "Role":
		return c.connectionRole(engine.MaskRole, engine.CondInput.Role, func(s side) engine.Role { return s.role })
	case p.Native != nil && name == "RemoteRole":
		return c.connectionRole(engine.MaskRemoteRole, engine.CondInput.RemoteRole, func(s side) engine.Role { return s.remote })
	}
	c.props[p] = true
	n := c.load(pos, &place{prop: p, typ: p.Type, word: p.Word(), str: p.Str()})
	g := guess{canTrue: true} // also 0 and ""
	switch p.Type.Kind {
	case engine.KindBool, engine.KindRef, engine.KindClass:
		g = anything
	default:
	}
	return n.guessed(eachSide(g, func(side) *value { return nil }))
}

func isEvent(name string) bool {
	_, ok := engine.EventNamed(name)
	return ok
}

// connectionRole compiles Role or RemoteRole.
func (c *compiler) connectionRole(mask engine.CondMask, read func(engine.CondInput) engine.Role, on func(side) engine.Role) *node {
	c.mask |= mask
	n := numberNode(true, func(_ *engine.Actor, in engine.CondInput) (float64, bool) { return float64(read(in)), true })
	n.guess = eachSide(guess{mentions: mask == engine.MaskRole}, func(s side) *value {
		v := number(float64(on(s)))
		return &v
	})
	return n
}

// otherMember compiles a variable of another actor, reached by a reference.
func (c *compiler) otherMember(pos engine.Pos, x *node, name string) *node {
	c.others = true
	if x.class == nil {
		return c.slow(pos, "the class of what "+name+" is taken of is not certain", x)
	}
	p := x.class.Property(name)
	switch {
	case p == nil:
		return c.slow(pos, name+" is no declared variable of "+x.class.Name, x)
	case p.Native != nil && name == "bDeleteMe": // the only thing that can be read of a destroyed actor
		return c.slow(pos, "it asks another actor's bDeleteMe", x)
	}
	return found(x, c.load(pos, &place{prop: p, typ: p.Type, word: p.Word(), str: p.Str(), obj: x}))
}

// structMember compiles a member of a struct.
func (c *compiler) structMember(pos engine.Pos, x *node, name string) *node {
	p := x.place
	if p == nil || p.typ.Kind != engine.KindStruct {
		return c.slow(pos, "it takes "+name+" of an array", x)
	}
	f := p.typ.FieldNamed(name)
	if f == nil {
		names := make([]string, len(p.typ.Fields))
		for i := range names {
			names[i] = p.typ.Fields[i].Name
		}
		return c.problem(IssueName, pos, p.prop.Name+" has no member "+name+engine.Nearest(name, names), []*node{x})
	}
	q := *p
	q.typ, q.word, q.str = f.Type, p.word+f.Word(), p.str+f.Str()
	return found(x, sequence([]*node{x}, c.load(pos, &q)))
}

// elem compiles x[i].
func (c *compiler) elem(pos engine.Pos, x, i *node) *node {
	p := x.place
	if x.types != typePlace || p == nil || p.typ.Kind != engine.KindArray {
		if x.types&(typeVector|typeRotator|typeRef|typePlace|typeString|typeClass|typeWorld) == 0 {
			return c.wrong(pos, "attempt to index "+x.types.word(), x, i)
		}
		return c.slow(pos, "it looks up a member by an expression", x, i)
	}
	length := strconv.Itoa(p.typ.Len)
	if i.types&typeNumber == 0 {
		return c.wrong(pos, p.prop.Name+": an index is a number of 1…"+length+", got "+i.types.word(), x, i)
	}
	q := *p
	q.typ = p.typ.Elem
	if i.lit == nil {
		q.indices = append(q.indices[:len(q.indices):len(q.indices)], index{i.any, p.typ})
	} else if at, ok := element(p.typ, *i.lit); ok {
		q.word, q.str = p.word+at*q.typ.Words(), p.str+at*q.typ.Strs()
	} else {
		return c.wrong(pos, p.prop.Name+": index "+fmt.Sprint(i.lit.n.X)+" is outside 1…"+length, x, i)
	}
	return found(i, found(x, sequence([]*node{x}, c.load(pos, &q))))
}

// axes holds the members of vectors and rotators.
var axes = map[types][]string{typeVector: {"X", "Y", "Z"}, typeRotator: {"Pitch", "Yaw", "Roll"}}

// valueMethods holds the methods of vectors and rotators.
var valueMethods = []string{"Size", "Size2D", "Dot", "Cross", "Normal", "Rotation", "Distance", "With", "Vector", "Axes"}

// axis compiles X, Y, Z of a vector, Pitch, Yaw, Roll of a rotator.
func (c *compiler) axis(pos engine.Pos, x *node, name string) *node {
	const both = typeVector | typeRotator
	names := axes[x.types&both]
	i := slices.Index(names, name)
	if i < 0 {
		if slices.Contains(valueMethods, name) {
			return c.slow(pos, "it takes a method without calling it", x)
		}
		return c.problem(IssueName, pos, "a "+(x.types&both).word()+" has no member "+name+"; it has "+names[0]+", "+names[1]+" and "+names[2], []*node{x})
	}
	n := unary(x, typeNumber, x.types&^both != 0, func(v value) value {
		if v.kind&both == 0 {
			return failure("attempt to index a value that is no vector")
		}
		return number([3]float64{v.n.X, v.n.Y, v.n.Z}[i])
	})
	if p := x.place; p != nil && !n.fails && x.types == typeVector {
		n.num = p.part(i)
	}
	return found(x, n)
}

// place is a variable of an actor, or a part of it.
type place struct {
	prop    *engine.Property
	typ     *engine.Type // of the part
	word    int          // from the start of an actor's words
	str     int
	obj     *node   // nil for the actor itself
	indices []index // those that are not constant
}

// index is an index into an array.
type index struct {
	of    anyFunc
	array *engine.Type
}

// element returns the index, from 0, that a value means for an array.
func element(array *engine.Type, v value) (i int, ok bool) {
	x := v.n.X
	return int(x) - 1, v.kind == typeNumber && x == math.Trunc(x) && x >= 1 && x <= float64(array.Len)
}

// kindTypes maps kinds of variables to types of values.
var kindTypes = map[engine.Kind]types{
	engine.KindBool: typeBool, engine.KindInt: typeNumber, engine.KindFloat: typeNumber, engine.KindString: typeString,
	engine.KindEnum: typeString, engine.KindVector: typeVector, engine.KindRotator: typeRotator,
	engine.KindClass: typeClass | typeNil, engine.KindRef: typeRef | typeNil,
	engine.KindStruct: typePlace, engine.KindArray: typePlace, engine.KindFastArray: typePlace,
}

// load compiles reading a location.
func (c *compiler) load(pos engine.Pos, p *place) *node {
	kind, native := p.typ.Kind, p.prop.Native
	n := &node{types: kindTypes[kind], guess: everySide(anything)}
	switch kind {
	case engine.KindRef:
		name := p.typ.Class
		if name == "" {
			name = "Actor"
		}
		n.class = c.Classes.Find(name)
	case engine.KindVector, engine.KindRotator, engine.KindStruct, engine.KindArray, engine.KindFastArray:
		n.place = p
	case engine.KindNone, engine.KindAny:
		return c.slow(pos, "it reads a "+kind.String())
	default:
	}
	if p.obj != nil || len(p.indices) > 0 {
		n.fails = true
		p.loadFound(n)
		return n
	}
	n.any = func(a *engine.Actor, _ engine.CondInput) value { return p.value(a, p.word, p.str) }
	if native != nil {
		p.loadNative(n)
		return n
	}
	w := p.word
	switch kind {
	case engine.KindBool, engine.KindClass:
		n.test = func(a *engine.Actor, _ engine.CondInput) verdict { return verdictOf(a.WordAt(w) != 0) }
	case engine.KindInt:
		n.place = p
		n.num = func(a *engine.Actor, _ engine.CondInput) (float64, bool) { return float64(int64(a.WordAt(w))), true }
	case engine.KindFloat:
		n.num = func(a *engine.Actor, _ engine.CondInput) (float64, bool) {
			return math.Float64frombits(a.WordAt(w)), true
		}
	case engine.KindEnum:
		n.place = p
	case engine.KindVector:
		n.vec = func(a *engine.Actor, _ engine.CondInput) (geom.Vector, bool) { return vectorAt(a, w), true }
	case engine.KindRef:
		n.ref = func(a *engine.Actor, _ engine.CondInput) *engine.Actor { return actorOf(a, a.WordAt(w)) }
	default:
	}
	return n
}

// loadNative sets the fast closures of a node for one of the engine's own variables.
func (p *place) loadNative(n *node) {
	kind := p.typ.Kind
	read, vec, _ := p.prop.Native.Stored()
	flag, real := p.prop.Native.Pointers()
	switch {
	case flag != nil:
		n.test = func(a *engine.Actor, _ engine.CondInput) verdict { return verdictOf(*flag(a)) }
	case real != nil:
		n.num = func(a *engine.Actor, _ engine.CondInput) (float64, bool) { return *real(a), true }
	case vec != nil:
		n.vec = func(a *engine.Actor, _ engine.CondInput) (geom.Vector, bool) { return *vec(a), true }
	case kind == engine.KindBool:
		n.test = func(a *engine.Actor, _ engine.CondInput) verdict { return verdictOf(read(a) != 0) }
	case kind == engine.KindInt, kind == engine.KindFloat:
		n.num = func(a *engine.Actor, _ engine.CondInput) (float64, bool) { return numberOf(kind, read(a)), true }
	case kind == engine.KindRef:
		n.ref = func(a *engine.Actor, _ engine.CondInput) *engine.Actor { return actorOf(a, read(a)) }
	}
}

// loadFound sets the closures of a node whose location must be computed.
func (p *place) loadFound(n *node) {
	find, kind := p.finder(), p.typ.Kind
	n.any = func(a *engine.Actor, in engine.CondInput) value {
		o, word, str, bad := find(a, in)
		if bad != "" {
			return failure(bad)
		}
		return p.value(o, word, str)
	}
	switch kind {
	case engine.KindBool:
		n.test = func(a *engine.Actor, in engine.CondInput) verdict {
			o, word, _, bad := find(a, in)
			if bad != "" {
				return fault
			}
			return verdictOf(p.read(o, word) != 0)
		}
	case engine.KindInt, engine.KindFloat:
		n.num = func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			o, word, _, bad := find(a, in)
			if bad != "" {
				return 0, false
			}
			return numberOf(kind, p.read(o, word)), true
		}
	default:
	}
}

// finder returns the closure that computes a location for an actor, with its possible error.
func (p *place) finder() func(a *engine.Actor, in engine.CondInput) (o *engine.Actor, word, str int, bad string) {
	find := func(a *engine.Actor, _ engine.CondInput) (*engine.Actor, int, int, string) {
		return a, p.word, p.str, ""
	}
	if obj := p.obj; obj != nil {
		none := "attempt to index nil with " + p.prop.Name
		gone := "the actor whose " + p.prop.Name + " is asked for is destroyed"
		ref, any := obj.ref, obj.any
		find = func(a *engine.Actor, in engine.CondInput) (o *engine.Actor, _, _ int, _ string) {
			if ref != nil {
				o = ref(a, in)
			} else {
				v := any(a, in)
				if v.kind == typeError {
					return nil, 0, 0, v.str
				}
				o = v.ref
			}
			switch {
			case o == nil:
				return nil, 0, 0, none
			case o.Deleted():
				return nil, 0, 0, gone
			}
			return o, p.word, p.str, ""
		}
	}
	outside := p.prop.Name + ": the index is outside the array"
	for _, x := range p.indices {
		inner, words, strs := find, x.array.Elem.Words(), x.array.Elem.Strs()
		find = func(a *engine.Actor, in engine.CondInput) (*engine.Actor, int, int, string) {
			o, word, str, bad := inner(a, in)
			if bad != "" {
				return nil, 0, 0, bad
			}
			v := x.of(a, in)
			if v.kind == typeError {
				return nil, 0, 0, v.str
			}
			i, ok := element(x.array, v)
			if !ok {
				return nil, 0, 0, outside
			}
			return o, word + i*words, str + i*strs, ""
		}
	}
	return find
}

// read returns the word of a location that takes one.
func (p *place) read(o *engine.Actor, word int) uint64 {
	if p.prop.Native == nil {
		return o.WordAt(word)
	}
	read, _, _ := p.prop.Native.Stored()
	return read(o)
}

// value returns the value at a computed location.
func (p *place) value(o *engine.Actor, word, str int) value {
	switch p.typ.Kind {
	case engine.KindString:
		if n := p.prop.Native; n != nil {
			_, _, read := n.Stored()
			return text(read(o))
		}
		return text(o.StrAt(str))
	case engine.KindVector:
		if n := p.prop.Native; n != nil {
			_, read, _ := n.Stored()
			return vector(*read(o))
		}
		return vector(vectorAt(o, word))
	case engine.KindStruct, engine.KindArray, engine.KindFastArray:
		return value{kind: typePlace} // read when a part of it is
	default:
	}
	w := p.read(o, word)
	switch p.typ.Kind {
	case engine.KindBool:
		return boolean(w != 0)
	case engine.KindEnum:
		return text(p.typ.Enum[w])
	case engine.KindRotator:
		return rotator(geom.UnpackRotator(w))
	case engine.KindRef:
		return actor(actorOf(o, w))
	case engine.KindClass:
		if w == 0 {
			return value{kind: typeNil}
		}
		return value{kind: typeClass, n: scalar(float64(w))}
	default:
	}
	return number(numberOf(p.typ.Kind, w))
}

// part returns X, Y or Z of a vector of the actor's own.
func (p *place) part(i int) numFunc {
	if n := p.prop.Native; n != nil {
		_, read, _ := n.Stored()
		return func(a *engine.Actor, _ engine.CondInput) (float64, bool) {
			v := read(a)
			return [3]float64{v.X, v.Y, v.Z}[i], true
		}
	}
	w := p.word + i
	return func(a *engine.Actor, _ engine.CondInput) (float64, bool) {
		return math.Float64frombits(a.WordAt(w)), true
	}
}

// enumTest tests whether an enum of the actor's own has a value.
func (p *place) enumTest(name string) testFunc {
	w, i := p.word, p.typ.EnumIndex(name)
	return func(a *engine.Actor, _ engine.CondInput) verdict { return verdictOf(int(a.WordAt(w)) == i) }
}

func vectorAt(a *engine.Actor, word int) geom.Vector {
	return geom.V(math.Float64frombits(a.WordAt(word)), math.Float64frombits(a.WordAt(word+1)), math.Float64frombits(a.WordAt(word+2)))
}

func numberOf(kind engine.Kind, w uint64) float64 {
	if kind == engine.KindFloat {
		return math.Float64frombits(w)
	}
	return float64(int64(w))
}

func actorOf(a *engine.Actor, id uint64) *engine.Actor {
	if id == 0 {
		return nil
	}
	return a.World().Actor(engine.ActorID(id))
}
