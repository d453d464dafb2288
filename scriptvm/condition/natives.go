package condition

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// native compiles a call of a native; it returns nil if the call needs the script VM.
type native = func(c *compiler, k *call) *node

// natives holds the pure natives that conditions compile, by namespace and name as in package api; functions of
// Lua's libraries by the names in calls. Arguments of global functions are numbers.
var natives = map[string]native{
	"Actor:HasAuthority": hasAuthority,
	"Actor:IsA":          isA,
	"Actor:IsInState":    isInState,
	"Actor:GetStateName": ownText(true, func(a *engine.Actor) string {
		if a.State == nil {
			return ""
		}
		return a.State.Name
	}),
	"Actor:GetClass": ownText(false, func(a *engine.Actor) string { return a.Class.Name }),

	"vector:Size":     sizeOf(geom.Vector.Size),
	"vector:Size2D":   sizeOf(geom.Vector.Size2D),
	"vector:Normal":   ofVector(typeVector, func(v geom.Vector) value { return vector(v.Normal()) }),
	"vector:Rotation": ofVector(typeRotator, func(v geom.Vector) value { return rotator(v.Rotation()) }),
	"vector:Dot":      between(geom.Vector.Dot),
	"vector:Distance": between(geom.Vector.Distance),
	"vector:Cross":    ofVectors(typeVector, func(v, w geom.Vector) value { return vector(v.Cross(w)) }),
	"rotator:Vector": func(_ *compiler, k *call) *node {
		return unary(k.on, typeVector, false, func(v value) value { return vector(v.rotator().Vector()) })
	},

	"math.abs":   ofNumber(math.Abs),
	"math.floor": ofNumber(math.Floor),
	"math.ceil":  ofNumber(math.Ceil),
	"math.sqrt":  ofNumber(math.Sqrt),
	"math.max":   ofNumbers(func(best, x float64) bool { return x > best }),
	"math.min":   ofNumbers(func(best, x float64) bool { return x < best }),
	"vector":     makeVector,
}

// ask returns a node for a query of the actor that a method is called on.
func (k *call) ask(bits bool, question func(*engine.Actor, engine.CondInput) bool) *node {
	if k.on.self {
		return testNode(bits, func(a *engine.Actor, in engine.CondInput) verdict { return verdictOf(question(a, in)) })
	}
	none, gone := "attempt to call "+k.name+" of nil", "the actor that is asked "+k.name+" is destroyed"
	return unary(k.on, typeBool, true, func(v value) value {
		switch {
		case v.kind != typeRef:
			return failure(none)
		case v.ref.Deleted():
			return failure(gone)
		}
		return boolean(question(v.ref, 0))
	})
}

func hasAuthority(c *compiler, k *call) *node {
	if !k.on.self {
		return k.ask(false, func(o *engine.Actor, _ engine.CondInput) bool { return o.HasAuthority() })
	}
	c.mask |= engine.MaskRole
	n := k.ask(true, func(_ *engine.Actor, in engine.CondInput) bool { return in.Role() == engine.RoleAuthority })
	return n.guessed(eachSide(guess{mentions: true}, func(s side) *value {
		v := boolean(s.role == engine.RoleAuthority)
		return &v
	}))
}

// isA reads a constant property of an actor, so it counts as the actor's own.
func isA(c *compiler, k *call) *node {
	var class *engine.Class
	switch arg := k.literal(typeString | typeClass); {
	case arg == nil:
		return c.slow(k.pos, "it calls IsA with an expression", k.nodes()...)
	case arg.kind == typeClass:
		class = c.Classes.All()[int(arg.n.X)-1]
	default:
		class = c.Classes.Find(arg.str)
	}
	if class == nil {
		return c.slow(k.pos, "it calls IsA with an unknown class", k.nodes()...)
	}
	return k.ask(false, func(o *engine.Actor, _ engine.CondInput) bool { return o.Class.Descends(class) })
}

func isInState(c *compiler, k *call) *node {
	c.others = true
	arg := k.literal(typeString)
	if arg == nil {
		return c.slow(k.pos, "it calls IsInState with an expression", k.nodes()...)
	}
	return k.ask(false, func(o *engine.Actor, _ engine.CondInput) bool { return o.State.Is(arg.str) })
}

// literal returns the first argument if it is a literal of some types, else nil.
func (k *call) literal(t types) *value {
	if len(k.args) == 0 || k.args[0].lit == nil || k.args[0].types&t == 0 {
		return nil
	}
	return k.args[0].lit
}

// ownText returns a string of the actor itself; others is set if it can change without a variable.
func ownText(others bool, read func(*engine.Actor) string) native {
	return func(c *compiler, k *call) *node {
		if !k.on.self {
			return nil
		}
		c.others = c.others || others
		return unary(k.on, typeString, false, func(v value) value { return text(read(v.ref)) })
	}
}

func ofVector(t types, f func(geom.Vector) value) native {
	return func(_ *compiler, k *call) *node {
		return unary(k.on, t, false, func(v value) value { return f(v.n) })
	}
}

func ofVectors(t types, f func(v, w geom.Vector) value) native {
	return func(c *compiler, k *call) *node {
		if len(k.args) == 0 || k.args[0].types&typeVector == 0 {
			return c.wrong(k.pos, k.name+" takes a vector", k.nodes()...)
		}
		wrong := k.name + ": expected a vector"
		return binary(k.on, k.args[0], t, k.args[0].types != typeVector, func(v, w value) value {
			if w.kind != typeVector {
				return failure(wrong)
			}
			return f(v.n, w.n)
		})
	}
}

// sizeOf returns a number of one vector.
func sizeOf(f func(geom.Vector) float64) native {
	any := ofVector(typeNumber, func(v geom.Vector) value { return number(f(v)) })
	return func(c *compiler, k *call) *node {
		n, vec := any(c, k), k.on.vector()
		n.num = func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			v, ok := vec(a, in)
			return f(v), ok
		}
		return n
	}
}

// between compiles a number computed from two vectors.
func between(f func(v, w geom.Vector) float64) native {
	any := ofVectors(typeNumber, func(v, w geom.Vector) value { return number(f(v, w)) })
	return func(c *compiler, k *call) *node {
		n := any(c, k)
		if n.types == typeNumber && k.args[0].types == typeVector {
			x, y := k.on.vector(), k.args[0].vector()
			n.num = func(a *engine.Actor, in engine.CondInput) (float64, bool) {
				v, ok := x(a, in)
				if !ok {
					return 0, false
				}
				w, ok := y(a, in)
				return f(v, w), ok
			}
		}
		return n
	}
}

func ofNumber(f func(float64) float64) native {
	return func(_ *compiler, k *call) *node {
		if len(k.args) == 0 {
			return nil
		}
		x := k.args[0].number()
		return numberNode(k.args[0].bits, func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			v, ok := x(a, in)
			return f(v), ok
		})
	}
}

// ofNumbers selects one of its arguments, the first of equal ones.
func ofNumbers(better func(best, x float64) bool) native {
	return func(_ *compiler, k *call) *node {
		if len(k.args) == 0 {
			return nil
		}
		n := k.args[0]
		for _, other := range k.args[1:] {
			x, y := n.number(), other.number()
			n = numberNode(n.bits && other.bits, func(a *engine.Actor, in engine.CondInput) (float64, bool) {
				best, _ := x(a, in)
				if v, _ := y(a, in); better(best, v) {
					best = v
				}
				return best, true
			})
		}
		return n
	}
}

func makeVector(_ *compiler, k *call) *node {
	parts := [3]numFunc{}
	bits := true
	for i := range parts {
		x := literal(number(0))
		if i < len(k.args) {
			x = k.args[i]
		}
		parts[i], bits = x.number(), bits && x.bits
	}
	return &node{types: typeVector, bits: bits, guess: everySide(anything), any: func(a *engine.Actor, in engine.CondInput) value {
		x, _ := parts[0](a, in)
		y, _ := parts[1](a, in)
		z, _ := parts[2](a, in)
		return vector(geom.V(x, y, z))
	}}
}
