package engine

import (
	"math"
	"sync"

	"github.com/tidelock/tidelock/engine/geom"
)

// Reading variables, members and elements in conditions, and calling what conditions may call.

// condNative reads one of the engine's own variables without a Value in between; nil where nothing
// faster than [NativeProperty.Read] is worth it.
type condNative struct {
	test func(*Actor, CondInput) bool
	num  func(*Actor, CondInput) float64
	vec  func(*Actor, CondInput) geom.Vector
	rot  func(*Actor) *geom.Rotator
	ref  func(*Actor) *ActorID
	text func(*Actor) *string
}

// condNatives is by name. A test holds it to the table of native variables.
var condNatives = sync.OnceValue(func() map[string]condNative {
	test := func(f func(*Actor, CondInput) bool) condNative { return condNative{test: f} }
	num := func(f func(*Actor, CondInput) float64) condNative { return condNative{num: f} }
	return map[string]condNative{
		"Location":     {vec: func(a *Actor, _ CondInput) geom.Vector { return a.Location }},
		"Velocity":     {vec: func(a *Actor, _ CondInput) geom.Vector { return a.Velocity }},
		"Acceleration": {vec: func(a *Actor, _ CondInput) geom.Vector { return a.Acceleration }},
		"Rotation":     {rot: func(a *Actor) *geom.Rotator { return &a.Rotation }},
		"RotationRate": {rot: func(a *Actor) *geom.Rotator { return &a.RotationRate }},
		"Instigator":   {ref: func(a *Actor) *ActorID { return &a.Instigator }},
		"Base":         {ref: func(a *Actor) *ActorID { return &a.Base }},
		"AmbientSound": {text: func(a *Actor) *string { return &a.AmbientSound }},
		"Tag":          {text: func(a *Actor) *string { return &a.Tag }},
		"Name":         {text: func(a *Actor) *string { return &a.Name }},

		"Physics":               num(func(a *Actor, _ CondInput) float64 { return float64(a.Physics) }),
		"NetDormancy":           num(func(a *Actor, _ CondInput) float64 { return float64(a.NetDormancy) }),
		"NetPriority":           num(func(a *Actor, _ CondInput) float64 { return a.NetPriority }),
		"NetUpdateFrequency":    num(func(a *Actor, _ CondInput) float64 { return a.NetUpdateFrequency }),
		"MinNetUpdateFrequency": num(func(a *Actor, _ CondInput) float64 { return a.MinNetUpdateFrequency }),
		"NetCullDistance":       num(func(a *Actor, _ CondInput) float64 { return a.NetCullDistance }),
		"CollisionRadius":       num(func(a *Actor, _ CondInput) float64 { return a.CollisionRadius }),
		"CollisionHeight":       num(func(a *Actor, _ CondInput) float64 { return a.CollisionHeight }),
		"SoundRadius":           num(func(a *Actor, _ CondInput) float64 { return a.SoundRadius }),
		"DrawScale":             num(func(a *Actor, _ CondInput) float64 { return a.DrawScale }),

		"bHidden":                       test(func(a *Actor, _ CondInput) bool { return a.BHidden }),
		"bAttached":                     test(func(a *Actor, _ CondInput) bool { return a.BAttached }),
		"bTearOff":                      test(func(a *Actor, _ CondInput) bool { return a.BTearOff }),
		"bNetTemporary":                 test(func(a *Actor, _ CondInput) bool { return a.BNetTemporary }),
		"bAlwaysRelevant":               test(func(a *Actor, _ CondInput) bool { return a.BAlwaysRelevant }),
		"bOnlyRelevantToOwner":          test(func(a *Actor, _ CondInput) bool { return a.BOnlyRelevantToOwner }),
		"bNetUseOwnerRelevancy":         test(func(a *Actor, _ CondInput) bool { return a.BNetUseOwnerRelevancy }),
		"bReplicates":                   test(func(a *Actor, _ CondInput) bool { return a.BReplicates }),
		"bCollideActors":                test(func(a *Actor, _ CondInput) bool { return a.BCollideActors }),
		"bCollideWorld":                 test(func(a *Actor, _ CondInput) bool { return a.BCollideWorld }),
		"bBlockPlayers":                 test(func(a *Actor, _ CondInput) bool { return a.BBlockPlayers }),
		"bBlockActors":                  test(func(a *Actor, _ CondInput) bool { return a.BBlockActors }),
		"bNetInitialRotation":           test(func(a *Actor, _ CondInput) bool { return a.BNetInitialRotation }),
		"bReplicateMovementToOwner":     test(func(a *Actor, _ CondInput) bool { return a.BReplicateMovementToOwner }),
		"bUpdateSimulatedPosition":      test(func(a *Actor, _ CondInput) bool { return a.BUpdateSimulatedPosition }),
		"bReplicateInstigator":          test(func(a *Actor, _ CondInput) bool { return a.BReplicateInstigator }),
		"bSkipActorPropertyReplication": test(func(a *Actor, _ CondInput) bool { return a.BSkipActorPropertyReplication }),
		"bOnlyDirtyReplication":         test(func(a *Actor, _ CondInput) bool { return a.BOnlyDirtyReplication }),
		"bStatic":                       test(func(a *Actor, _ CondInput) bool { return a.BStatic }),
		"bNoDelete":                     test(func(a *Actor, _ CondInput) bool { return a.BNoDelete }),
		"bSimulateGravity":              test(func(a *Actor, _ CondInput) bool { return a.BSimulateGravity }),
		"bSimGravityDisabled":           test(func(a *Actor, _ CondInput) bool { return a.BSimGravityDisabled }),
		"bDeleteMe":                     test(func(a *Actor, _ CondInput) bool { return a.deleted }),
	}
})

// connNames are the variables that exist in conditions only.
var connNames = map[string]struct {
	bit  CondInput
	mask CondMask
}{
	"bNetInitial": {inInitial, MaskInitial},
	"bNetOwner":   {inOwner, MaskOwner},
	"bNetDirty":   {inDirty, MaskDirty},
	"bIsPlayer":   {inPlayer, MaskIsPlayer},
}

// index is x.Name.
func (c *condCompiler) index(e *Expr, env []*condNode) *condNode {
	x := c.expr(e.Args[0], env)
	if x.self {
		return c.selfMember(e)
	}
	const indexable = typeVector | typeRotator | typeRef | typePlace | typeWorld | typeClass
	switch {
	case x.types&typeString != 0:
		return c.slow(e, "it takes a member of a string")
	case x.types&indexable == 0:
		return c.wrong(e, "attempt to index %s with %q", x.types.word(), e.Str)
	case !(x.types & indexable).one():
		return c.slow(e, "the type of what %s is taken of is not certain", e.Str)
	}
	certain := x.types&^indexable == 0
	switch x.types & indexable {
	case typeVector, typeRotator:
		return c.axis(e, x, certain)
	case typePlace:
		return c.member(e, x)
	case typeWorld:
		return c.worldMember(e)
	case typeRef:
		return c.otherMember(e, x)
	default:
	}
	return c.slow(e, "it takes a member of a class")
}

// axis is X, Y, Z of a vector, Pitch, Yaw, Roll of a rotator.
func (c *condCompiler) axis(e *Expr, x *condNode, certain bool) *condNode {
	axes := map[string]int{"X": 0, "Y": 1, "Z": 2}
	rotator := x.types&typeRotator != 0
	if rotator {
		axes = map[string]int{"Pitch": 0, "Yaw": 1, "Roll": 2}
	}
	i, ok := axes[e.Str]
	if !ok {
		word, parts := "vector", "X, Y and Z"
		if rotator {
			word, parts = "rotator", "Pitch, Yaw and Roll"
		}
		for _, m := range []string{"Size", "Size2D", "Dot", "Cross", "Normal", "Rotation", "Distance", "With", "Vector", "Axes"} {
			if m == e.Str {
				return c.slow(e, "it takes a method without calling it")
			}
		}
		panic(condBail{CondIssue{e.Pos, IssueName, "a " + word + " has no member " + e.Str + "; it has " + parts}})
	}
	// A declared or native vector of the actor itself: one word.
	if p := x.place; p != nil && p.obj == nil && len(p.dyn) == 0 && certain && !x.fails {
		if p.prop.Native == nil && !rotator {
			w := p.word + i
			return numberNode(func(a *Actor, _ CondInput) float64 { return math.Float64frombits(a.words[w]) }, false)
		}
		if f := condNatives()[p.prop.Name].vec; f != nil && p.prop.Native != nil {
			switch i {
			case 0:
				return numberNode(func(a *Actor, in CondInput) float64 { return f(a, in).X }, false)
			case 1:
				return numberNode(func(a *Actor, in CondInput) float64 { return f(a, in).Y }, false)
			}
			return numberNode(func(a *Actor, in CondInput) float64 { return f(a, in).Z }, false)
		}
	}
	any := x.any
	return anyNode(typeNumber, x.fails || !certain, x.bitsOnly, func(a *Actor, in CondInput) condValue {
		v := any(a, in)
		switch v.kind {
		case typeVector:
			return condValue{kind: typeNumber, num: [3]float64{v.vec.X, v.vec.Y, v.vec.Z}[i]}
		case typeRotator:
			return condValue{kind: typeNumber, num: float64(uint16(v.bits >> (16 * i)))}
		case typeError:
			return v
		default:
		}
		return errorValue("attempt to index a value that is no vector")
	})
}

// selfMember is a variable of the actor, or what is known of the connection.
func (c *condCompiler) selfMember(e *Expr) *condNode {
	name := e.Str
	p := c.src.Class.byName[name]
	if p == nil {
		if b, ok := connNames[name]; ok {
			c.mask |= b.mask
			bit := b.bit
			return boolNode(func(_ *Actor, in CondInput) bool { return in&bit != 0 }, true)
		}
		switch {
		case c.src.Class.Functions[name] != nil || isEventName(name):
			return c.slow(e, "it takes the function %s without calling it", name)
		case c.src.Class.componentNamed(name):
			return c.slow(e, "it looks at the component %s", name)
		}
		return c.slow(e, "self.%s is no declared variable", name)
	}
	if p.Native != nil {
		switch name {
		case "Role":
			c.mask |= MaskRole
			return roleNode(inRoleShift)
		case "RemoteRole":
			c.mask |= MaskRemoteRole
			return roleNode(inRemoteShift)
		}
	}
	c.props[p] = true
	return c.load(e, &condPlace{prop: p, typ: p.Type, word: p.word, str: p.str})
}

func (c *Class) componentNamed(name string) bool {
	for i := range c.Components {
		if c.Components[i].Name == name {
			return true
		}
	}
	return false
}

func roleNode(shift uint) *condNode {
	return numberNode(func(_ *Actor, in CondInput) float64 { return float64(in >> shift & 3) }, true)
}

// otherMember is a variable of another actor, found by a reference.
func (c *condCompiler) otherMember(e *Expr, x *condNode) *condNode {
	c.others = true
	if x.class == nil {
		return c.slow(e, "the class of what %s is taken of is not certain", e.Str)
	}
	p := x.class.byName[e.Str]
	if p == nil {
		return c.slow(e, "%s is no declared variable of %s", e.Str, x.class.Name)
	}
	// bDeleteMe is the one thing that a destroyed actor still tells.
	if p.Native != nil && p.Name == "bDeleteMe" {
		return c.slow(e, "it asks another actor's bDeleteMe")
	}
	return c.load(e, &condPlace{prop: p, typ: p.Type, word: p.word, str: p.str, obj: x})
}

// member is a member of a struct.
func (c *condCompiler) member(e *Expr, x *condNode) *condNode {
	pl := x.place
	if pl == nil || pl.typ.Kind != KindStruct {
		return c.slow(e, "it takes %s of an array", e.Str)
	}
	f := pl.typ.FieldNamed(e.Str)
	if f == nil {
		names := make([]string, len(pl.typ.Fields))
		for i := range names {
			names[i] = pl.typ.Fields[i].Name
		}
		panic(condBail{CondIssue{e.Pos, IssueName, pl.prop.Name + " has no member " + e.Str + Nearest(e.Str, names)}})
	}
	np := *pl
	np.typ, np.word, np.str = f.Type, pl.word+f.word, pl.str+f.str
	return sequence([]*condNode{x}, c.load(e, &np))
}

// elem is x[i].
func (c *condCompiler) elem(e *Expr, env []*condNode) *condNode {
	x := c.expr(e.Args[0], env)
	i := c.expr(e.Args[1], env)
	if x.types != typePlace || x.place == nil || x.place.typ.Kind != KindArray {
		if x.types&(typeVector|typeRotator|typeRef|typePlace|typeString|typeClass|typeWorld) == 0 {
			return c.wrong(e, "attempt to index %s", x.types.word())
		}
		return c.slow(e, "it looks up a member by an expression")
	}
	if i.types&typeNumber == 0 {
		return c.wrong(e, "%s: an index is a number of 1…%d, got %s", x.place.prop.Name, x.place.typ.Len, i.types.word())
	}
	np := *x.place
	np.typ = x.place.typ.Elem
	if i.isLit {
		n := i.lit.num
		if n != math.Trunc(n) || n < 1 || n > float64(x.place.typ.Len) {
			return c.wrong(e, "%s: index %v is outside 1…%d", x.place.prop.Name, n, x.place.typ.Len)
		}
		np.word += (int(n) - 1) * np.typ.words
		np.str += (int(n) - 1) * np.typ.strs
		return sequence([]*condNode{x}, c.load(e, &np))
	}
	np.dyn = append(append([]condDyn(nil), x.place.dyn...), condDyn{i, x.place.typ, x.place.prop.Name})
	return sequence([]*condNode{x}, c.load(e, &np))
}

// finder makes the closure that finds where a place is for an actor, with the error it may end in.
func (pl *condPlace) finder() func(a *Actor, in CondInput) (o *Actor, word, str int, bad string) {
	find := func(a *Actor, _ CondInput) (*Actor, int, int, string) { return a, pl.word, pl.str, "" }
	if obj := pl.obj; obj != nil {
		none := "attempt to index nil with " + pl.prop.Name
		gone := "the actor whose " + pl.prop.Name + " is asked for is destroyed"
		if obj.ref != nil && !obj.fails {
			ref := obj.ref
			find = func(a *Actor, in CondInput) (*Actor, int, int, string) {
				o := ref(a, in)
				switch {
				case o == nil:
					return nil, 0, 0, none
				case o.deleted:
					return nil, 0, 0, gone
				}
				return o, pl.word, pl.str, ""
			}
		} else {
			any := obj.any
			find = func(a *Actor, in CondInput) (*Actor, int, int, string) {
				v := any(a, in)
				switch {
				case v.kind == typeError:
					return nil, 0, 0, v.str
				case v.kind != typeRef:
					return nil, 0, 0, none
				case v.ref.deleted:
					return nil, 0, 0, gone
				}
				return v.ref, pl.word, pl.str, ""
			}
		}
	}
	for i := range pl.dyn {
		d := &pl.dyn[i]
		outside := d.name + ": the index is outside the array"
		inner, words, strs, length := find, d.typ.Elem.words, d.typ.Elem.strs, float64(d.typ.Len)
		if d.index.types == typeNumber {
			index := d.index.tryNumber()
			find = func(a *Actor, in CondInput) (*Actor, int, int, string) {
				o, word, str, bad := inner(a, in)
				if bad != "" {
					return nil, 0, 0, bad
				}
				n, bad := index(a, in)
				if bad != "" {
					return nil, 0, 0, bad
				}
				if n != math.Trunc(n) || n < 1 || n > length {
					return nil, 0, 0, outside
				}
				return o, word + (int(n)-1)*words, str + (int(n)-1)*strs, ""
			}
			continue
		}
		any := d.index.any
		find = func(a *Actor, in CondInput) (*Actor, int, int, string) {
			o, word, str, bad := inner(a, in)
			if bad != "" {
				return nil, 0, 0, bad
			}
			v := any(a, in)
			switch {
			case v.kind == typeError:
				return nil, 0, 0, v.str
			case v.kind != typeNumber || v.num != math.Trunc(v.num) || v.num < 1 || v.num > length:
				return nil, 0, 0, outside
			}
			return o, word + (int(v.num)-1)*words, str + (int(v.num)-1)*strs, ""
		}
	}
	return find
}

// load reads a place.
func (c *condCompiler) load(e *Expr, pl *condPlace) *condNode {
	n := c.loadAny(e, pl)
	if n.types&(typeVector|typeRotator) != 0 {
		n.place = pl
	}
	return n
}

func (c *condCompiler) loadAny(e *Expr, pl *condPlace) *condNode {
	own := pl.obj == nil && len(pl.dyn) == 0
	fails := !own
	if pl.prop.Native != nil {
		return c.loadNative(pl)
	}
	w, s, t := pl.word, pl.str, pl.typ
	find := pl.finder()
	// general wraps a reader of an actor's storage for places that have to be found.
	general := func(ts types, read func(o *Actor, word, str int) condValue) *condNode {
		return anyNode(ts, true, false, func(a *Actor, in CondInput) condValue {
			o, word, str, bad := find(a, in)
			if bad != "" {
				return errorValue(bad)
			}
			return read(o, word, str)
		})
	}
	number := func(read func(uint64) float64) *condNode {
		return tryNumberNode(func(a *Actor, in CondInput) (float64, string) {
			o, word, _, bad := find(a, in)
			if bad != "" {
				return 0, bad
			}
			return read(o.words[word]), ""
		}, false)
	}
	switch t.Kind {
	case KindBool:
		if own {
			return boolNode(func(a *Actor, _ CondInput) bool { return a.words[w] != 0 }, false)
		}
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			o, word, _, bad := find(a, in)
			if bad != "" {
				return false, bad
			}
			return o.words[word] != 0, ""
		}, false)
	case KindInt:
		if own {
			n := numberNode(func(a *Actor, _ CondInput) float64 { return float64(int64(a.words[w])) }, false)
			n.word = w + 1
			return n
		}
		return number(func(w uint64) float64 { return float64(int64(w)) })
	case KindFloat:
		if own {
			return numberNode(func(a *Actor, _ CondInput) float64 { return math.Float64frombits(a.words[w]) }, false)
		}
		return number(math.Float64frombits)
	case KindString:
		if own {
			return stringNode(func(a *Actor) string { return a.strs[s] })
		}
		return general(typeString, func(o *Actor, _, str int) condValue { return condValue{kind: typeString, str: o.strs[str]} })
	case KindEnum:
		names := t.Enum
		if own {
			n := stringNode(func(a *Actor) string { return names[a.words[w]] })
			n.enum = t
			n.index = func(a *Actor, _ CondInput) uint64 { return a.words[w] }
			return n
		}
		return general(typeString, func(o *Actor, word, _ int) condValue {
			return condValue{kind: typeString, str: names[o.words[word]]}
		})
	case KindVector:
		if own {
			return vectorNode(func(a *Actor, _ CondInput) geom.Vector { return LoadVector(a.words[w:]) }, false)
		}
		return general(typeVector, func(o *Actor, word, _ int) condValue {
			return condValue{kind: typeVector, vec: LoadVector(o.words[word:])}
		})
	case KindRotator:
		if own {
			return anyNode(typeRotator, false, false, func(a *Actor, _ CondInput) condValue {
				return condValue{kind: typeRotator, bits: a.words[w]}
			})
		}
		return general(typeRotator, func(o *Actor, word, _ int) condValue {
			return condValue{kind: typeRotator, bits: o.words[word]}
		})
	case KindClass:
		read := func(x uint64) condValue {
			if x == 0 {
				return condValue{kind: typeNil}
			}
			return condValue{kind: typeClass, bits: x}
		}
		if own {
			n := anyNode(typeClass|typeNil, false, false, func(a *Actor, _ CondInput) condValue { return read(a.words[w]) })
			n.test = func(a *Actor, _ CondInput) bool { return a.words[w] != 0 }
			return n
		}
		return general(typeClass|typeNil, func(o *Actor, word, _ int) condValue { return read(o.words[word]) })
	case KindRef:
		var n *condNode
		if own {
			n = refNode(func(a *Actor) ActorID { return ActorID(a.words[w]) })
		} else {
			n = general(typeRef|typeNil, func(o *Actor, word, _ int) condValue { return refValue(o, ActorID(o.words[word])) })
		}
		n.class = c.refClass(t)
		return n
	case KindStruct, KindArray, KindFastArray:
		// A place is read when a part of it is; what can go wrong on the way to it goes wrong then.
		n := anyNode(typePlace, fails, false, func(a *Actor, in CondInput) condValue {
			if _, _, _, bad := find(a, in); bad != "" {
				return errorValue(bad)
			}
			return condValue{kind: typePlace}
		})
		n.place = pl
		return n
	default:
	}
	return c.slow(e, "it reads a %s", t.Kind)
}

func (c *condCompiler) refClass(t *Type) *Class {
	name := t.Class
	if name == "" {
		name = "Actor"
	}
	return c.src.Classes.Find(name)
}

func stringNode(read func(*Actor) string) *condNode {
	return anyNode(typeString, false, false, func(a *Actor, _ CondInput) condValue {
		return condValue{kind: typeString, str: read(a)}
	})
}

func refValue(a *Actor, id ActorID) condValue {
	if id == 0 {
		return condValue{kind: typeNil}
	}
	if t := a.world.Actor(id); t != nil {
		return condValue{kind: typeRef, ref: t}
	}
	return condValue{kind: typeNil}
}

func refNode(read func(*Actor) ActorID) *condNode {
	ref := func(a *Actor, _ CondInput) *Actor {
		if id := read(a); id != 0 {
			return a.world.Actor(id)
		}
		return nil
	}
	n := anyNode(typeRef|typeNil, false, false, func(a *Actor, _ CondInput) condValue { return refValue(a, read(a)) })
	n.ref = ref
	n.test = func(a *Actor, in CondInput) bool { return ref(a, in) != nil }
	return n
}

// loadNative reads one of the engine's own variables.
func (c *condCompiler) loadNative(pl *condPlace) *condNode {
	p, n := pl.prop, pl.prop.Native
	if pl.obj == nil {
		f, ok := condNatives()[p.Name]
		if p.Name == "Owner" && !c.src.Class.IsComponent() { // a component's is its actor
			f, ok = condNative{ref: func(a *Actor) *ActorID { return &a.Owner }}, true
		}
		if ok {
			switch {
			case f.test != nil:
				return boolNode(f.test, false)
			case f.num != nil:
				return numberNode(f.num, false)
			case f.vec != nil:
				return vectorNode(f.vec, false)
			case f.rot != nil:
				return anyNode(typeRotator, false, false, func(a *Actor, _ CondInput) condValue {
					return condValue{kind: typeRotator, bits: f.rot(a).Pack()}
				})
			case f.ref != nil:
				r := refNode(func(a *Actor) ActorID { return *f.ref(a) })
				r.class = c.refClass(p.Type)
				return r
			case f.text != nil:
				return stringNode(func(a *Actor) string { return *f.text(a) })
			}
		}
	}
	// What is left, and other actors' variables: by way of a Value.
	var ts types
	switch p.Type.Kind {
	case KindBool:
		ts = typeBool
	case KindInt, KindFloat:
		ts = typeNumber
	case KindString:
		ts = typeString
	case KindVector:
		ts = typeVector
	case KindRotator:
		ts = typeRotator
	case KindRef:
		ts = typeRef | typeNil
	default:
		panic(condBail{CondIssue{Kind: IssueSlow, Text: "it reads " + p.Name}})
	}
	find := pl.finder()
	if f := condNatives()[p.Name]; pl.obj != nil && (f.num != nil || f.test != nil) {
		if num := f.num; num != nil {
			return tryNumberNode(func(a *Actor, in CondInput) (float64, string) {
				o, _, _, bad := find(a, in)
				if bad != "" {
					return 0, bad
				}
				return num(o, in), ""
			}, false)
		}
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			o, _, _, bad := find(a, in)
			if bad != "" {
				return false, bad
			}
			return f.test(o, in), ""
		}, false)
	}
	node := anyNode(ts, pl.obj != nil, false, func(a *Actor, in CondInput) condValue {
		o, _, _, bad := find(a, in)
		if bad != "" {
			return errorValue(bad)
		}
		v := n.get(o)
		switch v.Kind {
		case KindBool:
			return boolValue(v.Num != 0)
		case KindInt, KindFloat:
			return condValue{kind: typeNumber, num: v.Num}
		case KindString:
			return condValue{kind: typeString, str: v.Str}
		case KindVector:
			return condValue{kind: typeVector, vec: v.Vec}
		case KindRotator:
			return condValue{kind: typeRotator, bits: v.Rot.Pack()}
		default:
		}
		return refValue(o, v.Ref)
	})
	if p.Type.Kind == KindRef {
		node.class = c.refClass(p.Type)
	}
	return node
}

func (c *condCompiler) worldMember(e *Expr) *condNode {
	c.others = true
	switch e.Str {
	case "TimeSeconds":
		return numberNode(func(a *Actor, _ CondInput) float64 { return a.world.Time }, false)
	case "DeltaSeconds":
		return numberNode(func(a *Actor, _ CondInput) float64 { return a.world.Delta }, false)
	case "NetMode":
		return numberNode(func(a *Actor, _ CondInput) float64 { return float64(a.world.NetMode) }, false)
	case "Gravity":
		return numberNode(func(a *Actor, _ CondInput) float64 { return a.world.Gravity }, false)
	}
	return c.slow(e, "it looks at world.%s", e.Str)
}
