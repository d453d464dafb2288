package scriptvm

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// The guard checks arguments of all natives (G7). It follows from the parameters that the registry declares, so
// that a native only gets numbers and vectors that the engine accepts: other values are the caller's error, the end
// of a line is clipped, and denormals become 0. A declared type that the guard does not know is a panic when a VM
// is created.

const (
	kindOwn      kind = iota // without numbers: an actor, a class, a boolean, a handle; the native itself checks it
	kindNumber               // a number
	kindConstant             // one of the constants of a prefix
	kindVector
	kindRotator
	kindString
	kindText   // a string or a number
	kindRecord // a table of fixed members
	kindList   // a list of such tables
	kindEither // such a table, or something that the native itself checks
	kindTable  // any table: its numbers and vectors are checked
)

// guardOf returns the guard for a function's parameters; an error names a parameter of unknown type, or a vector of
// unknown meaning.
func guardOf(f *api.Function) ([]guarded, error) {
	list := make([]guarded, 0, len(f.Params))
	for _, p := range f.Params {
		g, err := guardedOf(p.Name, p.Type, p.Measure, p.Optional)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", f.Space, f.Name, err)
		}
		list = append(list, g)
	}
	if err := joinLines(list); err != nil {
		return nil, fmt.Errorf("%s.%s: %w", f.Space, f.Name, err)
	}
	for len(list) > 0 && list[len(list)-1].kind == kindOwn {
		list = list[:len(list)-1]
	}
	return list, nil
}

// joinLines finds the start of each line that ends in one of the arguments.
func joinLines(list []guarded) error {
	for i := range list {
		g := &list[i]
		g.from = -1
		if g.measure != api.LineEnd {
			continue
		}
		for j := range list {
			if list[j].name == "from" && list[j].measure == api.Place {
				g.from = j
			}
		}
		if g.from < 0 {
			return fmt.Errorf("parameter %s ends a line, but there is no place named from", g.name)
		}
	}
	return nil
}

func guardedOf(name, typ string, m api.Measure, optional bool) (guarded, error) {
	g := guarded{measure: m, optional: optional, name: name, from: -1}
	switch base := baseType(typ); base {
	case "number", "integer":
		g.kind, g.whole = kindNumber, base == "integer"
		if prefix := prefixOf(typ); prefix != "" {
			g.kind, g.prefix, g.values = kindConstant, prefix, constantsOf(prefix)
			return g, nil
		}
		if m != api.Number && m != api.Free {
			return g, fmt.Errorf("parameter %s is a number and cannot measure a %v", name, m)
		}
		if m == api.Free {
			g.kind = kindOwn
		}
	case "vector":
		if g.kind = kindVector; m == api.Number {
			return g, fmt.Errorf("parameter %s is a vector: declare what it measures (api.Measure)", name)
		}
		if m == api.Free {
			g.kind = kindOwn // the native checks its type: it is a value's own method
		}
	case "rotator":
		g.kind = kindRotator
	case "string":
		g.kind = kindString
	case "string|number":
		g.kind = kindText
	case "table":
		g.kind = kindTable
	case "boolean", "any", "class", "fun(): boolean", "function", "fun(error: string?)", "Actor", "Pawn", "PlayerReplicationInfo", "PlayerReplicationInfo[]", "Actor|Actor[]",
		"moveinputs", "movestate", "partstate", api.SpawnTable, api.ItemTable: // tables of variables are checked by the variables' types
	default:
		g.kind = kindRecord
		if t, ok := strings.CutSuffix(base, "[]"); ok {
			base, g.kind = t, kindList
		} else if _, t, ok := strings.Cut(base, "|"); ok {
			base, g.kind = t, kindEither
		}
		r := recordNamed(base)
		if r == nil {
			return g, fmt.Errorf("parameter %s: the guard does not know the type %s", name, typ)
		}
		for _, f := range r.Fields {
			member, err := guardedOf(f.Name, f.Type, r.Measure(f.Name), f.Optional)
			if err != nil {
				return g, fmt.Errorf("%s: %w", r.Name, err)
			}
			g.members = append(g.members, member)
		}
		if err := joinLines(g.members); err != nil {
			return g, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return g, nil
}

// baseType returns the underlying type of a named type.
func baseType(typ string) string {
	for _, a := range api.Aliases() {
		if a.Name == typ && a.Of != "table" {
			return a.Of
		}
	}
	return typ
}

// prefixOf returns the prefix of the constants of a type, "" for other types.
func prefixOf(typ string) string {
	for _, a := range api.Aliases() {
		if a.Name == typ {
			return a.Prefix
		}
	}
	return ""
}

func constantsOf(prefix string) (n int) {
	for name := range constants() { // any order: they are counted
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

func recordNamed(name string) *api.Record {
	for _, r := range api.Records() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// guard checks the arguments of a call and replaces them by what natives accept.
func (n *bound) guard(L *lua.LState) {
	first := 1
	if n.self {
		if !n.vm.ownsSelf(n.Space, L.Get(1)) {
			return // the native reports it
		}
		first = 2
	}
	for i := range n.args {
		g := &n.args[i]
		if g.kind == kindOwn {
			continue
		}
		at := first + i
		x := L.Get(at)
		switch y := x.(type) {
		case *lua.LNilType:
			if g.optional {
				continue
			}
		case lua.LNumber: // most of them, and without a closure
			if f := math.Abs(float64(y)); g.kind == kindNumber && (f >= smallest && f <= wholeMost || f == 0) {
				continue
			}
		case vec:
			if g.kind == kindVector && g.plain(geom.Vector(y)) {
				continue
			}
		}
		if y := g.clean(L, at, "", x, 0, func() geom.Vector { return n.begin(L, first, g) }); y != x {
			L.Replace(at, y)
		}
	}
}

// plain reports whether a vector is passed to the native unchanged.
func (g *guarded) plain(x geom.Vector) bool {
	most := farthest
	switch g.measure {
	case api.Amount:
		most = strongest
	case api.Offset:
		most = 2 * farthest
	case api.Number, api.Free, api.Place, api.LineEnd:
	}
	return within(x, most) && flat(x) == x
}

// begin returns the start of the line that an argument ends.
func (n *bound) begin(L *lua.LState, first int, g *guarded) geom.Vector {
	if g.from >= 0 {
		if x, ok := L.Get(first + g.from).(vec); ok {
			return geom.Vector(x)
		}
	}
	if o := objectOf(L.Get(1)); o != nil {
		return o.actor.Location
	}
	return geom.Vector{}
}

// ownsSelf reports whether a value is a receiver of the natives of a namespace.
func (v *VM) ownsSelf(space api.Namespace, x lua.LValue) bool {
	switch space {
	case api.Actor, api.Component, api.Controller, api.PlayerController:
		o := objectOf(x)
		return o != nil && !o.gone
	case api.World:
		_, ok := x.(*worldValue)
		return ok
	case api.Store:
		_, ok := x.(*storeValue)
		return ok
	case api.Cluster:
		_, ok := x.(*clusterValue)
		return ok
	case api.Vector:
		_, ok := x.(vec)
		return ok
	case api.Rotator:
		_, ok := x.(rot)
		return ok
	case api.FastArray:
		p, ok := x.(*part)
		return ok && !p.object.gone
	case api.Canvas:
		_, ok := x.(*canvasValue)
		return ok
	case api.Global, api.Latent, api.Define, api.Profile:
	}
	return true
}

// clean returns the value as natives get it; in is the member of argument i that it is, "" for the argument itself.
// begin returns the start of a line.
func (g *guarded) clean(L *lua.LState, i int, in string, x lua.LValue, depth int, begin func() geom.Vector) lua.LValue {
	switch g.kind {
	case kindOwn:
	case kindNumber:
		n, ok := x.(lua.LNumber)
		if !ok {
			wrongArgument(L, i, in, x, "a number")
		}
		return cleanNumber(L, i, in, n, g.whole)
	case kindConstant:
		n, ok := x.(lua.LNumber)
		if whole := lua.LNumber(int(n)); !ok || n != whole || n < 0 || int(n) >= g.values {
			wrongArgument(L, i, in, x, "one of the "+g.prefix+" constants")
		}
	case kindVector:
		p, ok := x.(vec)
		if !ok {
			wrongArgument(L, i, in, x, "a vector")
		}
		y := g.cleanVector(L, i, in, geom.Vector(p), begin)
		if y == geom.Vector(p) { // without an allocation
			return x
		}
		return vec(y)
	case kindRotator:
		if _, ok := x.(rot); !ok {
			wrongArgument(L, i, in, x, "a rotator")
		}
	case kindString:
		s, ok := x.(lua.LString)
		if !ok {
			wrongArgument(L, i, in, x, "a string")
		}
		chargeText(L, string(s))
	case kindText:
		switch x := x.(type) {
		case lua.LNumber:
			return cleanNumber(L, i, in, x, false)
		case lua.LString:
			chargeText(L, string(x))
		}
	case kindRecord, kindEither:
		if t, ok := plainTable(x); ok {
			return g.cleanRecord(L, i, in, t)
		}
		if s, ok := x.(lua.LString); ok {
			chargeText(L, string(s))
		}
	case kindList:
		if t, ok := plainTable(x); ok {
			return cleanEach(L, t, func(k, e lua.LValue) lua.LValue {
				if member, ok := plainTable(e); ok {
					return g.cleanRecord(L, i, joined(in, k), member)
				}
				return e
			})
		}
	case kindTable:
		if t, ok := plainTable(x); ok {
			return cleanTable(L, i, in, t, depth)
		}
	}
	return x
}

func cleanNumber(L *lua.LState, i int, in string, n lua.LNumber, whole bool) lua.LValue {
	f := float64(n)
	switch {
	case f-f != 0:
		wrongArgument(L, i, in, n, "a finite number")
	case whole && math.Abs(f) > wholeMost:
		wrongArgument(L, i, in, n, "a whole number within 2^53 of 0")
	case f != 0 && math.Abs(f) < smallest:
		return lua.LNumber(0)
	}
	return n
}

func (g *guarded) cleanVector(L *lua.LState, i int, in string, x geom.Vector, begin func() geom.Vector) geom.Vector {
	switch g.measure {
	case api.Number, api.Free:
	case api.Place:
		if !within(x, farthest) {
			wrongArgument(L, i, in, vec(x), placeWanted)
		}
	case api.LineEnd:
		if !x.IsFinite() {
			wrongArgument(L, i, in, vec(x), "a finite vector")
		}
		if !within(x, farthest) {
			return clip(begin(), x)
		}
	case api.Offset:
		if !within(x, 2*farthest) {
			wrongArgument(L, i, in, vec(x), fmt.Sprintf("a vector of parts up to %d uu", int(2*farthest)))
		}
	case api.Amount:
		if !within(x, strongest) {
			wrongArgument(L, i, in, vec(x), amountWanted)
		}
	}
	return flat(x)
}

// cleanRecord checks the declared members of a table.
func (g *guarded) cleanRecord(L *lua.LState, i int, in string, t *lua.LTable) lua.LValue {
	out := t
	for k := range g.members {
		m := &g.members[k]
		x := t.RawGetString(m.name)
		if m.kind == kindOwn || x == lua.LNil {
			continue // the native reports missing ones
		}
		y := m.clean(L, i, joined(in, lua.LString(m.name)), x, 1, func() geom.Vector {
			if m.from >= 0 {
				if from, ok := t.RawGetString(g.members[m.from].name).(vec); ok {
					return geom.Vector(from)
				}
			}
			return geom.Vector{}
		})
		if y != x {
			if out == t {
				out = copied(t)
			}
			out.RawSetString(m.name, y)
		}
	}
	return out
}

// cleanTable checks all numbers and vectors in a table.
func cleanTable(L *lua.LState, i int, in string, t *lua.LTable, depth int) lua.LValue {
	if depth >= deepest {
		raiseArgument(L, i, fmt.Sprintf("at most %d tables within each other", deepest))
	}
	return cleanEach(L, t, func(k, x lua.LValue) lua.LValue {
		switch y := x.(type) {
		case lua.LNumber:
			return cleanNumber(L, i, joined(in, k), y, false)
		case vec:
			g := guarded{kind: kindVector, measure: api.Amount}
			if z := g.cleanVector(L, i, joined(in, k), geom.Vector(y), nil); z != geom.Vector(y) {
				return vec(z)
			}
		case lua.LString:
			chargeText(L, string(y))
		case *lua.LTable:
			if inner, ok := plainTable(y); ok {
				return cleanTable(L, i, joined(in, k), inner, depth+1)
			}
		}
		return x
	})
}

// cleanEach visits a table, and returns a copy of it if a value must be replaced.
func cleanEach(L *lua.LState, t *lua.LTable, clean func(k, x lua.LValue) lua.LValue) lua.LValue {
	out := t
	each(t, func(k, x lua.LValue) {
		charge(L, memberCost)
		if y := clean(k, x); y != x {
			if out == t {
				out = copied(t)
			}
			out.RawSet(k, y)
		}
	})
	return out
}

func copied(t *lua.LTable) *lua.LTable {
	out := newTable(t.Len(), 0)
	each(t, func(k, x lua.LValue) { out.RawSet(k, x) })
	return out
}

// plainTable returns a table of the script's own, not an actor's.
func plainTable(x lua.LValue) (*lua.LTable, bool) {
	t, ok := x.(*lua.LTable)
	return t, ok && objectOf(t) == nil
}

func joined(in string, k lua.LValue) string {
	name := engine.OneLine(k.String(), 40)
	if in == "" {
		return name
	}
	return in + "." + name
}

// wrongArgument raises an error that says what an argument, or a member of it, must be.
func wrongArgument(L *lua.LState, i int, in string, x lua.LValue, expected string) {
	if in == "" {
		argError(L, i, expected)
	}
	raiseArgument(L, i, fmt.Sprintf("%s: expected %s, got %s", in, expected, valueText(x)))
}

// chargeText charges for a long text what reading it costs.
func chargeText(L *lua.LState, s string) {
	if len(s) >= longText {
		charge(L, int64(len(s)/textShare))
	}
}

// charge is VM.Charge for the native that a state runs.
func charge(L *lua.LState, n int64) {
	if r := running(L); r != nil {
		r.vm.vm.Charge(L, n)
	}
}

// call runs the native after its guard, and charges it for the work that the engine does.
func (n *bound) call(L *lua.LState) int {
	v := n.vm
	if v.profiler.of != nil {
		v.profiler.look(nil, true)
	}
	if len(n.args) > 0 {
		n.guard(L)
	}
	outer := v.inner
	v.inner = 0
	defer v.charge(v.worked(), outer)
	return n.do(v, L)
}
