package wire

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// GivenArgs returns how many arguments of a call must be sent: trailing ones that equal the parameters' defaults
// are omitted.
func GivenArgs(params []engine.Param, args []engine.Value) int {
	n := min(len(args), len(params))
	for n > 0 && isDefault(&params[n-1].Default, &args[n-1]) {
		n--
	}
	return n
}

func isDefault(d, v *engine.Value) bool {
	if v.Kind == engine.KindNone {
		return true
	}
	return v.Kind == d.Kind && v.Num == d.Num && v.Str == d.Str && v.Vec == d.Vec && v.Rot == d.Rot && v.Ref == d.Ref &&
		len(v.List) == 0 && len(d.List) == 0 && !(v.Num == 0 && math.Signbit(v.Num) != math.Signbit(d.Num))
}

// Args reads the arguments of calls. It reuses its memory, whose size depends on the parameters that classes
// declare, never on what a peer sends. The zero Args is ready to use.
type Args struct {
	args []engine.Value
	list []engine.Value // the members and elements of all arguments
}

// slots returns how many members and elements a value of the type has, on all levels.
func slots(t *engine.Type) int {
	n := 0
	switch t.Kind {
	case engine.KindStruct:
		for i := range t.Fields {
			n += 1 + slots(t.Fields[i].Type)
		}
	case engine.KindArray:
		n = t.Len * (1 + slots(t.Elem))
	default:
	}
	return n
}

// Read reads n arguments for the given parameters; n is at most their number. Arguments that are omitted or sent as
// nil have the parameter's default. The result is valid until the next Read.
func (a *Args) Read(r *Reader, params []engine.Param, n int, names Names, classes *engine.Classes) []engine.Value {
	if n > len(params) || n > MaxArgs {
		r.Fail(ErrFields)
		return nil
	}
	need := 0
	for i := range params[:n] {
		need += slots(params[i].Type)
	}
	if cap(a.list) < need {
		a.list = make([]engine.Value, 0, need)
	}
	clear(a.list[:need])
	a.list = a.list[:0]
	clear(a.args)
	a.args = a.args[:0]
	for i := range params {
		v := params[i].Default
		if i < n && !r.Nil() {
			v = a.value(r, params[i].Type, names, classes)
		}
		a.args = append(a.args, v)
	}
	if r.err != nil {
		return nil
	}
	return a.args
}

// take returns n fresh values of the list.
func (a *Args) take(n int) []engine.Value {
	l := len(a.list)
	a.list = a.list[:l+n]
	return a.list[l : l+n : l+n]
}
