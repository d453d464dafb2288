// Package schema describes a set of classes as the wire knows it: numbers, layouts, and which rule applies to which
// variables (R5.23). Classes, variables and functions have numbers. Both ends create the same one from the same
// classes; a reload creates another with the next epoch.
//
// A Set is immutable and may be shared by all connections and goroutines.
//
// Guarantees: Immutable; the same classes give the same schema on both ends.
package schema

import (
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Set is a set of classes with its numbers.
type Set struct {
	Classes *engine.Classes
	// Epoch counts reloads, modulo 128.
	Epoch uint8
	// Table is the class table as a file, Hash is its name.
	Table []byte
	Hash  wire.Hash

	list []*Class
}

// Class is a class with its numbers.
type Class struct {
	Class *engine.Class
	Index uint32
	// Vars holds the replicated variables, each at the index of its number.
	Vars []Var
	// Functions holds the replicated functions, each at the index of its number.
	Functions []*engine.Function
	// Layout encodes variables from a shadow of Words and Strs.
	Layout      *wire.Layout
	Words, Strs int
	// Rules holds the rules with the variables of each; downstream ones only.
	Rules []Rule
	// Down and Up are the variables sent to clients and to the server (R5.16).
	Down, Up wire.Mask
	// Refs are the variables that hold actor references; Arrays and Fasts those that are sent by elements and by
	// items; Always those whose notify runs on every arrival (R5.14).
	Refs, Arrays, Fasts, Always wire.Mask
	// Own are the variables that are encoded for each connection separately.
	Own wire.Mask
	// Alone are those of Own and variables without a useful bound on their size.
	Alone wire.Mask
	// Elements is how many of the variables are sent by elements or items; each has its own index in Var.Piece.
	Elements int
	// Initial are the variables whose condition depends on bNetInitial, or may.
	Initial wire.Mask
	// InputMask holds the bits of a connection on which any rule depends.
	InputMask engine.CondInput
	// Volatile: some rule reads more than the actor's own variables, or runs in the VM, so its result can change
	// without a mark.
	Volatile bool
	// Eager: a change is processed in the next net update, whatever NetUpdateFrequency is (R5.24).
	Eager bool
	// Small: no variable has a number above 63.
	Small bool
	// Steady: results of conditions depend only on an actor's marks, owner and roles.
	Steady bool
	// Groups: some rule requires a group of connections (COND_NetGroup).
	Groups bool
	// Location and Rotation are the numbers of these variables, −1 if the class does not replicate them.
	Location, Rotation int
	// Grid is that of Location.
	Grid wire.Grid

	defWords []uint64
	defStrs  []string
	numbers  map[*engine.Function]uint16
	byName   map[string]uint16
	full     func() []string // of Vars, then of Functions; made when somebody asks
}

// VarName returns the name of a variable with its class's: Pawn.Health.
func (k *Class) VarName(n int) string { return k.full()[n] }

// FunctionName returns the name of a function with its class's: Pawn.ServerJump.
func (k *Class) FunctionName(n int) string { return k.full()[len(k.Vars)+n] }

func (k *Class) fullNames() []string {
	out := make([]string, 0, len(k.Vars)+len(k.Functions))
	for i := range k.Vars {
		out = append(out, k.Class.Name+"."+k.Vars[i].Prop.Name)
	}
	for _, f := range k.Functions {
		out = append(out, k.Class.Name+"."+f.Name)
	}
	return out
}

// Var is a replicated variable.
type Var struct {
	Prop *engine.Property
	Type *engine.Type
	// Word and Str are its indexes in a shadow.
	Word, Str int
	// Piece is its index among those that are sent by elements or items, −1 for others.
	Piece  int
	Notify engine.Notify
	// Rule is the index of its rule in Class.Rules, −1 for an upstream one.
	Rule int

	most int // its maximum size on the wire in bytes, 0 for one of Class.Alone
}

// In returns the variable's part of a shadow, or of the defaults.
func (v *Var) In(words []uint64, strs []string) ([]uint64, []string) {
	return words[v.Word:][:v.Type.Words()], strs[v.Str:][:v.Type.Strs()]
}

// Rule is a replication rule.
type Rule struct {
	Rule *engine.Rule
	Mask wire.Mask
}

// New returns the set of classes. Everything except the epoch is created once for all worlds that share the
// classes.
func New(classes *engine.Classes, epoch uint8) *Set {
	s := *classes.Derive(func() any {
		s := &Set{Classes: classes, Table: wire.AppendTable(nil, classes)}
		s.Hash = wire.HashOf(s.Table)
		for _, c := range classes.All() {
			s.list = append(s.list, newClass(c))
		}
		return s
	}).(*Set)
	s.Epoch = epoch & 127
	return &s
}

// Of returns a class with its numbers, nil if the class is not in the set.
func (s *Set) Of(c *engine.Class) *Class {
	if c.Index < len(s.list) && s.list[c.Index].Class == c {
		return s.list[c.Index]
	}
	return nil
}

// ByIndex returns the class with a number on the wire, or nil.
func (s *Set) ByIndex(n uint32) *Class {
	if uint64(n) < uint64(len(s.list)) {
		return s.list[n]
	}
	return nil
}

// ClassFits reports whether word, a class's number + 1, is a class that fits a type.
func (s *Set) ClassFits(word uint32, t *engine.Type) bool {
	if word == 0 {
		return true
	}
	c := s.ByIndex(word - 1)
	return c != nil && (t == nil || t.Class == "" || c.Class.IsA(t.Class))
}

func newClass(c *engine.Class) *Class {
	k := &Class{Class: c, Index: uint32(c.Index), Location: -1, Rotation: -1, numbers: map[*engine.Function]uint16{}, byName: map[string]uint16{}}
	k.full = sync.OnceValue(k.fullNames)
	k.Eager = c.IsA("ReplicationInfo")
	rules := map[*engine.Rule]int{}
	vars := make([]wire.Variable, 0, len(c.Replicated))
	for n, p := range c.Replicated {
		v := Var{Prop: p, Type: p.Type, Word: k.Words, Str: k.Strs, Piece: -1, Rule: -1}
		if p.Rule != nil {
			v.Notify = p.Rule.Notify
		}
		vars = append(vars, wire.Variable{Type: p.Type, Word: v.Word, Str: v.Str})
		k.Words += p.Type.Words()
		k.Strs += p.Type.Strs()
		switch p.Type.Kind {
		case engine.KindArray:
			k.Arrays.Set(n)
			v.Piece = k.Elements
			k.Elements++
		case engine.KindFastArray:
			k.Fasts.Set(n)
			v.Piece = k.Elements
			k.Elements++
		default:
		}
		if hasRef(p.Type) {
			k.Refs.Set(n)
		}
		if v.Notify == engine.NotifyAlways {
			k.Always.Set(n)
		}
		if p.Rule != nil && p.Rule.Upstream {
			k.Up.Set(n)
		} else {
			k.Down.Set(n)
			i, ok := rules[p.Rule]
			if !ok {
				i = len(k.Rules)
				rules[p.Rule] = i
				k.Rules = append(k.Rules, Rule{Rule: p.Rule})
			}
			k.Rules[i].Mask.Set(n)
			v.Rule = i
		}
		if p.Native != nil {
			switch p.Name {
			case "Location":
				k.Location, k.Grid = n, wire.GridOf(p.Type)
			case "Rotation":
				k.Rotation = n
			}
		}
		if v.most = most(p.Type); v.most == 0 || hasRef(p.Type) {
			k.Alone.Set(n)
		}
		k.Vars = append(k.Vars, v)
	}
	for i := range k.Own {
		k.Own[i] = k.Refs[i] | k.Arrays[i] | k.Fasts[i]
	}
	k.Layout = wire.NewLayout(vars)
	k.defWords, k.defStrs = make([]uint64, k.Words), make([]string, k.Strs)
	t := c.Template()
	for n := range k.Vars {
		if v := &k.Vars[n]; v.Type.Kind != engine.KindFastArray {
			t.ReadProperty(v.Prop, k.defWords[v.Word:], k.defStrs[v.Str:])
		}
	}
	for i := range k.Rules {
		if k.inputs(k.Rules[i].Rule)&engine.CondInput(engine.MaskInitial) != 0 {
			for n := range k.Rules[i].Mask.All() {
				k.Initial.Set(n)
			}
		}
	}
	k.Small = len(k.Vars) <= 64
	k.Steady = !k.Volatile && !k.Groups && k.InputMask&engine.CondInput(engine.MaskIsPlayer) == 0
	k.Functions = wire.Functions(c, nil)
	for i, f := range k.Functions {
		k.numbers[f] = uint16(i)
		k.byName[f.Name] = uint16(i)
	}
	return k
}

// inputs adds the dependencies of a rule, and returns the bits of a connection among them.
func (k *Class) inputs(r *engine.Rule) (in engine.CondInput) {
	switch r.Named {
	case engine.CondNone:
		switch c := r.Cond; {
		case c != nil && c.Native():
			in = engine.CondInput(c.Mask())
			k.Volatile = k.Volatile || c.ReadsOthers()
		case c != nil, r.Script != nil:
			in, k.Volatile = 0xff, true
		}
	case engine.CondDynamic:
		in = engine.CondInput(engine.MaskInitial | engine.MaskOwner | engine.MaskRemoteRole)
	case engine.CondNetGroup:
		k.Groups = true
	default:
		in = engine.CondInput(NamedMask(r.Named))
	}
	k.InputMask |= in
	return in
}

// Number returns a function's number; ok is false for one that is not replicated.
func (k *Class) Number(f *engine.Function) (n uint16, ok bool) {
	if n, ok = k.numbers[f]; ok {
		return n, true
	}
	n, ok = k.byName[f.Name] // an override in a state
	return n, ok
}

// Present returns the function of these classes that corresponds to one of earlier classes: with the same name and
// parameters. It is nil if there is none.
func (k *Class) Present(f *engine.Function) *engine.Function {
	n, ok := k.Number(f)
	if !ok {
		return nil
	}
	g := k.Functions[n]
	same := func(a, b engine.Param) bool { return SameType(a.Type, b.Type) }
	if f != g && !slices.EqualFunc(f.Params, g.Params, same) {
		return nil
	}
	return g
}

// Most returns the maximum size of the values of a set of variables in bytes, without those of Alone.
func (k *Class) Most(mask uint64) (n int) {
	for ; mask != 0; mask &= mask - 1 {
		n += k.Vars[bits.TrailingZeros64(mask)].most
	}
	return n
}

// most returns the maximum size of a value on the wire in bytes, 0 if it has no useful bound.
func most(t *engine.Type) int {
	switch t.Kind {
	case engine.KindBool:
		return 1
	case engine.KindInt, engine.KindFloat, engine.KindEnum, engine.KindClass:
		return 5
	case engine.KindVector:
		return 2 + int(3*wire.GridOf(t).Bits+7)/8
	case engine.KindRotator:
		return 5
	case engine.KindStruct:
		n := 3
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local {
				m := most(f.Type)
				if m == 0 {
					return 0
				}
				n += m
			}
		}
		return n
	default:
		return 0
	}
}

func hasRef(t *engine.Type) bool {
	switch t.Kind {
	case engine.KindRef:
		return true
	case engine.KindArray, engine.KindFastArray:
		return hasRef(t.Elem)
	case engine.KindStruct:
		for i := range t.Fields {
			if !t.Fields[i].Local && hasRef(t.Fields[i].Type) {
				return true
			}
		}
	default:
	}
	return false
}

// DefaultStorage returns a variable's stored default. It must not be changed.
func (k *Class) DefaultStorage(n int) (words []uint64, strs []string) {
	return k.Vars[n].In(k.defWords, k.defStrs)
}

// Default reports whether a variable in a shadow has its default.
func (k *Class) Default(n int, words []uint64, strs []string) bool {
	w, s := k.DefaultStorage(n)
	words, strs = k.Vars[n].In(words, strs)
	return slices.Equal(w, words) && slices.Equal(s, strs)
}

// SameType reports whether values of one type are values of the other, with the same encoding.
func SameType(a, b *engine.Type) bool { return reflect.DeepEqual(a, b) }
