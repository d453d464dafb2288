package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Calls in conditions: natives that are pure, and the class's own pure functions, which are compiled in
// place. A function that subclasses or states override is chosen by the actor's class and state.

// maxCondCalls bounds how deep functions are compiled into one another; recursion ends there.
const maxCondCalls = 8

func (c *condCompiler) method(e *Expr, env []*condNode) *condNode {
	x := c.expr(e.Args[0], env)
	if x.self {
		if n := c.ownMethod(e, env); n != nil {
			return n
		}
		return c.actorMethod(e, x, env)
	}
	const callable = typeVector | typeRotator | typeRef | typeString | typePlace | typeWorld
	switch {
	case x.types&callable == 0:
		return c.wrong(e, "attempt to call %s of %s", e.Str, x.types.word())
	case x.types == typeVector:
		return c.vectorMethod(e, x, env)
	case x.types == typeRotator && e.Str == "Vector":
		any := x.any
		return anyNode(typeVector, x.fails, x.bitsOnly, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			if v.kind == typeError {
				return v
			}
			return condValue{kind: typeVector, vec: geom.UnpackRotator(v.bits).Vector()}
		})
	case x.types&callable == typeRef:
		c.others = true
		if x.class != nil && c.overridden(x.class, e.Str) {
			return c.slow(e, "it calls the function %s of another actor", e.Str)
		}
		return c.actorMethod(e, x, env)
	}
	return c.slow(e, "it calls %s", e.Str)
}

// args compiles the arguments of a call.
func (c *condCompiler) args(e *Expr, from int, env []*condNode) []*condNode {
	var out []*condNode
	for _, a := range e.Args[from:] {
		out = append(out, c.expr(a, env))
	}
	return out
}

// overridden reports whether a class, a parent, a child or a state of one has a function of that name.
func (c *condCompiler) overridden(k *Class, name string) bool {
	if k.Functions[name] != nil {
		return true
	}
	for _, d := range c.src.Classes.sorted {
		if d.Descends(k) {
			if d.Functions[name] != nil {
				return true
			}
			for _, s := range d.States { // any order: it asks whether any state has one
				if s.Dispatch.Functions[name] != nil || s.Dispatch.Ignored[name] {
					return true
				}
			}
		}
	}
	return false
}

// actorMethod is a native of an actor that is known by a node.
func (c *condCompiler) actorMethod(e *Expr, x *condNode, env []*condNode) *condNode {
	args := c.args(e, 1, env)
	self := x.self
	// on makes a node of a question about the actor.
	on := func(bitsOnly bool, ask func(*Actor, CondInput) bool) *condNode {
		if self {
			return sequence(args, boolNode(ask, bitsOnly))
		}
		any := x.any
		none, gone := "attempt to call "+e.Str+" of nil", "the actor that is asked "+e.Str+" is destroyed"
		return sequence(args, anyNode(typeBool, true, false, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			switch {
			case v.kind == typeError:
				return v
			case v.kind != typeRef:
				return errorValue(none)
			case v.ref.deleted:
				return errorValue(gone)
			}
			return boolValue(ask(v.ref, in))
		}))
	}
	switch e.Str {
	case "HasAuthority":
		if self {
			c.mask |= MaskRole
			return on(true, func(_ *Actor, in CondInput) bool { return Role(in>>inRoleShift&3) == RoleAuthority })
		}
		return on(false, func(o *Actor, _ CondInput) bool { return o.HasAuthority() })
	case "IsA":
		if len(e.Args) < 2 || e.Args[1].Op != ExprString && e.Args[1].Op != ExprClass {
			return c.slow(e, "it calls IsA with an expression")
		}
		k := c.src.Classes.Find(e.Args[1].Str)
		if k == nil {
			return c.slow(e, "it calls IsA with an unknown class")
		}
		// An actor's class never changes, so this counts as the actor's own.
		return on(false, func(o *Actor, _ CondInput) bool { return o.Class.Descends(k) })
	case "IsInState":
		c.others = true
		if len(e.Args) < 2 || e.Args[1].Op != ExprString {
			return c.slow(e, "it calls IsInState with an expression")
		}
		name := e.Args[1].Str
		return on(false, func(o *Actor, _ CondInput) bool { return o.State.Is(name) })
	case "GetStateName":
		if self {
			c.others = true
			return sequence(args, stringNode(func(a *Actor) string {
				if a.State == nil {
					return ""
				}
				return a.State.Name
			}))
		}
	case "GetClass":
		if self {
			return sequence(args, stringNode(func(a *Actor) string { return a.Class.Name }))
		}
	}
	return c.slow(e, "it calls %s, which only the script VM can", e.Str)
}

// ownMethod compiles a call of a function of the class, nil where no class defines one of that name.
func (c *condCompiler) ownMethod(e *Expr, env []*condNode) *condNode {
	class, name := c.src.Class, e.Str
	if !c.overridden(class, name) {
		return nil
	}
	if c.depth >= maxCondCalls {
		return c.slow(e, "its functions call one another more than %d deep", maxCondCalls)
	}
	c.depth++
	defer func() { c.depth-- }()
	args := c.args(e, 1, env)

	made := map[*FunctionSpec]*condNode{}
	nothing := literalNode(condValue{kind: typeNil}) // an ignored function
	body := func(d *Dispatch) *condNode {
		f := d.Functions[name]
		if f == nil {
			if d.Ignored[name] {
				return nothing
			}
			return c.slow(e, "%s is a native in some classes and a function in others", name)
		}
		if n := made[f.Spec]; n != nil {
			return n
		}
		b := c.src.Body(f)
		if b == nil {
			return c.slow(e, "it calls %s of class %s, which is more than one expression", name, f.Class.Name)
		}
		n := c.inline(e, f, b, args)
		made[f.Spec] = n
		return n
	}
	var only *condNode
	single := true
	note := func(n *condNode) {
		if only == nil {
			only = n
		}
		single = single && only == n
	}
	type byState struct {
		outside *condNode
		states  map[*State]*condNode
	}
	table := make([]byState, len(c.src.Classes.sorted))
	stateful := false
	for _, d := range c.src.Classes.sorted {
		if !d.Descends(class) {
			continue
		}
		row := byState{outside: body(d.Dispatch)}
		note(row.outside)
		for _, s := range d.SortedStates() { // what is wrong with them is said in this order
			if n := body(s.Dispatch); n != row.outside {
				if row.states == nil {
					row.states = map[*State]*condNode{}
				}
				row.states[s] = n
				stateful = true
				note(n)
			}
		}
		table[d.Index] = row
	}
	if single {
		return sequence(args, only)
	}
	c.others = c.others || stateful
	pick := func(a *Actor) *condNode {
		row := &table[a.Class.Index]
		if row.states != nil && a.State != nil {
			if n := row.states[a.State]; n != nil {
				return n
			}
		}
		return row.outside
	}
	out := &condNode{types: typeNil}
	for _, n := range made { // any order: a union of types
		out.types |= n.types
		out.fails = out.fails || n.fails
	}
	out.any = func(a *Actor, in CondInput) condValue { return pick(a).any(a, in) }
	if !out.fails {
		for _, n := range made { // any order: each on its own
			n.test = n.truth()
		}
		out.test = func(a *Actor, in CondInput) bool { return pick(a).test(a, in) }
	}
	return sequence(args, out)
}

// inline compiles a function in the place of its call. What is wrong in it is said of the call, since the
// same function may be right elsewhere.
func (c *condCompiler) inline(e *Expr, f *Function, b *ExprFunc, args []*condNode) *condNode {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case condBail:
			r.issue.Pos = e.Pos
			r.issue.Text = "it calls " + f.Name + " of class " + f.Class.Name + ", and there " + r.issue.Text
			panic(r)
		default:
			panic(r)
		}
	}()
	return c.function(b, args)
}

// vectorMethod is a method of a vector.
func (c *condCompiler) vectorMethod(e *Expr, x *condNode, env []*condNode) *condNode {
	args := c.args(e, 1, env)
	any := x.any
	switch e.Str {
	case "Size", "Size2D":
		f := geom.Vector.Size
		if e.Str == "Size2D" {
			f = geom.Vector.Size2D
		}
		if !x.fails {
			vec := x.vector()
			return sequence(args, numberNode(func(a *Actor, in CondInput) float64 { return f(vec(a, in)) }, x.bitsOnly))
		}
		return sequence(args, anyNode(typeNumber, x.fails, x.bitsOnly, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			if v.kind == typeError {
				return v
			}
			return condValue{kind: typeNumber, num: f(v.vec)}
		}))
	case "Normal":
		return sequence(args, anyNode(typeVector, x.fails, x.bitsOnly, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			if v.kind != typeError {
				v.vec = v.vec.Normal()
			}
			return v
		}))
	case "Rotation":
		return sequence(args, anyNode(typeRotator, x.fails, x.bitsOnly, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			if v.kind == typeError {
				return v
			}
			return condValue{kind: typeRotator, bits: v.vec.Rotation().Pack()}
		}))
	case "Dot", "Distance", "Cross":
		if len(args) == 0 || args[0].types&typeVector == 0 {
			return c.wrong(e, "%s takes a vector", e.Str)
		}
		b := args[0]
		if !x.fails && !b.fails && b.types == typeVector && e.Str != "Cross" {
			v, w := x.vector(), b.vector()
			f := geom.Vector.Dot
			if e.Str == "Distance" {
				f = geom.Vector.Distance
			}
			return sequence(args[1:], numberNode(func(a *Actor, in CondInput) float64 { return f(v(a, in), w(a, in)) }, x.bitsOnly && b.bitsOnly))
		}
		bAny, name := b.any, e.Str
		wrong := name + ": expected a vector"
		out := typeNumber
		if name == "Cross" {
			out = typeVector
		}
		return sequence(args[1:], anyNode(out, x.fails || b.fails || b.types != typeVector, x.bitsOnly && b.bitsOnly, func(a *Actor, in CondInput) condValue {
			v := any(a, in)
			if v.kind == typeError {
				return v
			}
			w := bAny(a, in)
			switch {
			case w.kind == typeError:
				return w
			case w.kind != typeVector:
				return errorValue(wrong)
			case name == "Dot":
				return condValue{kind: typeNumber, num: v.vec.Dot(w.vec)}
			case name == "Distance":
				return condValue{kind: typeNumber, num: v.vec.Distance(w.vec)}
			}
			return condValue{kind: typeVector, vec: v.vec.Cross(w.vec)}
		}))
	}
	return c.slow(e, "it calls %s of a vector", e.Str)
}

// call is a global function.
func (c *condCompiler) call(e *Expr, env []*condNode) *condNode {
	args := c.args(e, 0, env)
	numbers := true
	bitsOnly, fails := true, false
	for _, a := range args {
		numbers = numbers && a.types == typeNumber
		bitsOnly = bitsOnly && a.bitsOnly
		fails = fails || a.fails
	}
	if !numbers || fails || len(args) == 0 && e.Str != "vector" {
		return c.slow(e, "it calls %s with more than plain numbers", e.Str)
	}
	one := map[string]func(float64) float64{
		"math.abs": math.Abs, "math.floor": math.Floor, "math.ceil": math.Ceil, "math.sqrt": math.Sqrt,
	}
	if f := one[e.Str]; f != nil {
		x := args[0].number()
		return numberNode(func(a *Actor, in CondInput) float64 { return f(x(a, in)) }, bitsOnly)
	}
	switch e.Str {
	case "math.max", "math.min":
		n := args[0]
		for _, b := range args[1:] {
			l, r := n.number(), b.number()
			if e.Str == "math.max" {
				n = numberNode(func(a *Actor, in CondInput) float64 {
					x, y := l(a, in), r(a, in)
					if y > x {
						return y
					}
					return x
				}, bitsOnly)
			} else {
				n = numberNode(func(a *Actor, in CondInput) float64 {
					x, y := l(a, in), r(a, in)
					if y < x {
						return y
					}
					return x
				}, bitsOnly)
			}
		}
		return n
	case "vector":
		get := [3]func(*Actor, CondInput) float64{}
		for i := range get {
			get[i] = func(*Actor, CondInput) float64 { return 0 }
			if i < len(args) {
				get[i] = args[i].number()
			}
		}
		return anyNode(typeVector, false, bitsOnly, func(a *Actor, in CondInput) condValue {
			return condValue{kind: typeVector, vec: geom.Vector{X: get[0](a, in), Y: get[1](a, in), Z: get[2](a, in)}}
		})
	}
	return c.slow(e, "it calls %s, which only the script VM can", e.Str)
}
