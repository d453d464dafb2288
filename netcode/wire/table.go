package wire

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// The class table defines the numbers of classes, variables and functions (R5.23). It is a file, generated
// identically on every peer from the same classes, and named by its hash: peers whose hashes agree never send it.
//
//	[version, class, class, …]             a class's number is its place, from 0
//	class     [name, parent, [variable…], [function…]]
//	variable  [name, type]                 those replicated; its number is its place, from 0
//	function  [name, runs, reliable, [type…]]
//	                                       those replicated, by name; its number is its place, from 0
//
// parent is the parent's number, or nil. Variables and functions include inherited ones. runs is an
// engine.CallKind: 1 server, 2 client, 3 multicast, 4 remote. Types:
//
//	1 bool    2 int   3 float   4 string   5 enum   6 vector   7 rotator   8 classref   9 ref   13 any
//	[2|3, min, max]        declared range
//	[4, n]                 longest, in bytes; always
//	[5, name…]
//	[6, scale]             10 or 100; 32 767 for a normal
//	[8|9, class]           a class's name, where one is demanded
//	[9, class, true]       a call waits for the actor
//	[10, name, type, …]    struct: the members that cross
//	[11, type, n]          static array
//	[12, type]             fast array
//
// ORDER: engine.Kind. Conditions, defaults and local members are not in it: they affect what is sent, not how it is
// read. Peers that must run the same scripts compare manifests.

// AppendTable appends the class table of a set of classes.
func AppendTable(b []byte, classes *engine.Classes) []byte {
	all := classes.All()
	b = AppendUint(AppendArray(b, 1+len(all)), Version)
	var fns []*engine.Function
	for _, c := range all {
		b = AppendString(AppendArray(b, 4), c.Name)
		if c.Parent != nil {
			b = AppendUint(b, uint64(c.Parent.Index))
		} else {
			b = append(b, mpNil)
		}
		b = AppendArray(b, len(c.Replicated))
		for _, p := range c.Replicated {
			b = appendType(AppendString(AppendArray(b, 2), p.Name), p.Type, false)
		}
		fns = Functions(c, fns[:0])
		b = AppendArray(b, len(fns))
		for _, f := range fns {
			b = AppendString(AppendArray(b, 4), f.Name)
			b = AppendBool(append(b, byte(f.Kind)), f.Reliable)
			b = AppendArray(b, len(f.Params))
			for i := range f.Params {
				b = appendType(b, f.Params[i].Type, f.Params[i].Type.Wait)
			}
		}
	}
	return b
}

// Functions appends the replicated functions of a class to out, each at the index of its number.
func Functions(c *engine.Class, out []*engine.Function) []*engine.Function {
	at := len(out)
	for _, f := range c.Functions { // any order: sorted below, by names that are unique
		if f.Kind != engine.CallLocal {
			out = append(out, f)
		}
	}
	slices.SortFunc(out[at:], func(a, b *engine.Function) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func appendType(b []byte, t *engine.Type, wait bool) []byte {
	k := byte(t.Kind)
	switch t.Kind {
	case engine.KindInt, engine.KindFloat:
		if t.Ranged {
			return appendBound(appendBound(append(b, mpFixArray|3, k), t.Min), t.Max)
		}
	case engine.KindString:
		return AppendUint(append(b, mpFixArray|2, k), uint64(t.StringLimit()))
	case engine.KindEnum:
		b = append(AppendArray(b, 1+len(t.Enum)), k)
		for _, n := range t.Enum {
			b = AppendString(b, n)
		}
		return b
	case engine.KindVector:
		if g := GridOf(t); g.Scale != 1 {
			return AppendUint(append(b, mpFixArray|2, k), uint64(g.Scale))
		}
	case engine.KindClass, engine.KindRef:
		if wait {
			return append(AppendString(append(b, mpFixArray|3, k), t.Class), mpTrue)
		}
		if t.Class != "" {
			return AppendString(append(b, mpFixArray|2, k), t.Class)
		}
	case engine.KindStruct:
		b = append(AppendArray(b, 1+2*crossing(t)), k)
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local {
				b = appendType(AppendString(b, f.Name), f.Type, false)
			}
		}
		return b
	case engine.KindArray:
		return AppendUint(appendType(append(b, mpFixArray|3, k), t.Elem, false), uint64(t.Len))
	case engine.KindFastArray:
		return appendType(append(b, mpFixArray|2, k), t.Elem, false)
	default:
	}
	return append(b, k)
}

// appendBound appends a bound of a range, as an integer if it is one.
func appendBound(b []byte, f float64) []byte {
	if i := int64(f); f > -1<<53 && f < 1<<53 && float64(i) == f {
		return AppendInt(b, i)
	}
	return AppendFloat64(b, f)
}

// HashOf returns the name of a file.
func HashOf(b []byte) Hash { return sha256.Sum256(b) }

// TableClass is the head of a class in a table. Name is a slice of the input. Variables variables follow, each read
// by [Reader.TableVariable], then the count of functions by Array, and each of them by [Reader.TableFunction].
type TableClass struct {
	Name      []byte
	Parent    int // −1 for a root
	Variables int
}

// Table reads the head of a class table and returns the number of its classes. A table is read in place: a program
// that wants structures builds them itself, within its own bounds.
func (r *Reader) Table() int {
	n := r.Array()
	if n == 0 {
		r.Fail(ErrFields)
		return 0
	}
	if r.IntIn(0, 1<<16-1) != Version {
		r.Fail(ErrKind)
		return 0
	}
	return n - 1
}

// TableClass reads the head of a class.
func (r *Reader) TableClass() (c TableClass) {
	if r.Array() != 4 {
		r.Fail(ErrFields)
	}
	c.Name, c.Parent = r.Bytes(MaxText), -1
	if !r.Nil() {
		c.Parent = int(r.IntIn(0, 1<<16-1))
	}
	c.Variables = r.Array()
	if c.Variables > MaxVariables {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return TableClass{}
	}
	return c
}

// TableVariable reads a variable: its name, and its encoded type.
func (r *Reader) TableVariable() (name, typ []byte) {
	if r.Array() != 2 {
		r.Fail(ErrFields)
	}
	return r.Bytes(MaxText), r.Skip()
}

// TableFunction is a function in a table. Its slices point into the input.
type TableFunction struct {
	Name     []byte
	Kind     engine.CallKind
	Reliable bool
	// Params is the encoded array of the parameters' types.
	Params []byte
}

// TableFunction reads a function.
func (r *Reader) TableFunction() (f TableFunction) {
	if r.Array() != 4 {
		r.Fail(ErrFields)
	}
	f.Name = r.Bytes(MaxText)
	f.Kind = engine.CallKind(r.IntIn(int64(engine.CallServer), int64(engine.CallRemote)))
	f.Reliable = r.Bool()
	f.Params = r.Skip()
	if r.err != nil {
		return TableFunction{}
	}
	return f
}
