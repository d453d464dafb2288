package moves

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// Part is what the instances of one class contribute to moves.
type Part struct {
	Class *engine.Class
	// Inputs are the variables that a move carries, presses and flags before fields. State are those that the
	// move depends on.
	Inputs, State Block
	// Text is set if the class itself overrides GetMoveState.
	Text bool
}

// Block is a list of variables, whose values are stored one after another.
type Block struct {
	Vars []Var
	// Words and Strs are how much storage the values take.
	Words, Strs int
	// Lossy is set if a value may change when it is sent.
	Lossy bool

	flags    int // how many of Vars are presses or flags
	bits     int // at most
	rest     []uint64
	restStrs []string
}

// Var is a variable of a block.
type Var struct {
	Prop *engine.Property
	Use  engine.MoveUse
	// Pos is where its class names it.
	Pos engine.Pos
	// Word and Str are the offsets of its value in the block's storage.
	Word, Str int

	leaves []leaf
	bits   int // at most, with the bit that says whether it is at rest
}

// Rest returns the values of the class's defaults, which need no bits. They must not be changed.
func (b *Block) Rest() ([]uint64, []string) { return b.rest, b.restStrs }

func newPart(c *engine.Class) *Part {
	p := &Part{Class: c, Text: ownText(c)}
	for _, input := range []bool{true, false} {
		b := &p.State
		if input {
			b = &p.Inputs
		}
		for _, m := range c.MoveVars {
			if input == (m.Use != engine.MoveUseState) {
				b.Vars = append(b.Vars, Var{Prop: m.Prop, Use: m.Use, Pos: m.Pos})
			}
		}
		b.layout(c.Template())
	}
	return p
}

// ownText reports whether a component or a weapon overrides the GetMoveState of its base class. For a pawn the
// scripts handle it.
func ownText(c *engine.Class) bool {
	f := c.Functions["GetMoveState"]
	if f == nil || c.IsPawn() {
		return false
	}
	for k := f.Class.Parent; k != nil; k = k.Parent {
		if k.Functions["GetMoveState"] != nil {
			return true
		}
	}
	return false
}

func (b *Block) layout(defaults *engine.Actor) {
	isFlag := func(u engine.MoveUse) bool { return u == engine.MoveUsePress || u == engine.MoveUseFlag }
	slices.SortStableFunc(b.Vars, func(x, y Var) int {
		switch {
		case isFlag(x.Use) == isFlag(y.Use):
			return 0
		case isFlag(x.Use):
			return -1
		default:
			return 1
		}
	})
	for i := range b.Vars {
		v := &b.Vars[i]
		t := v.Prop.Type
		v.Word, v.Str = b.Words, b.Strs
		b.Words += t.Words()
		b.Strs += t.Strs()
		v.leaves = leaves(nil, t, v.Word, v.Str)
		v.bits = 1
		if isFlag(v.Use) {
			b.flags++
		} else if t.Kind != engine.KindBool {
			for j := range v.leaves {
				v.bits += v.leaves[j].bits
				b.Lossy = b.Lossy || v.leaves[j].lossy
			}
		}
		b.bits += v.bits
	}
	b.rest, b.restStrs = make([]uint64, b.Words), make([]string, b.Strs)
	for i := range b.Vars {
		v := &b.Vars[i]
		defaults.ReadProperty(v.Prop, b.rest[v.Word:], b.restStrs[v.Str:])
	}
}

// atRest reports whether a variable has its class's default.
func (b *Block) atRest(v *Var, words []uint64, strs []string) bool {
	return v.same(words, strs, b.rest, b.restStrs)
}

// A block is written as a bit for each flag, and for every other variable a bit and, if that is set, the value.

func (b *Block) writeFlags(w *writer, words []uint64) {
	for i := range b.flags {
		w.put(words[b.Vars[i].Word], 1)
	}
}

func (b *Block) readFlags(r *reader, words []uint64) {
	for i := range b.flags {
		words[b.Vars[i].Word] = r.get(1)
	}
}

func (b *Block) writeFields(w *writer, words []uint64, strs []string) {
	for i := b.flags; i < len(b.Vars); i++ {
		b.writeField(w, &b.Vars[i], words, strs)
	}
}

func (b *Block) readFields(r *reader, words []uint64, strs []string) {
	for i := b.flags; i < len(b.Vars); i++ {
		b.readField(r, &b.Vars[i], words, strs)
	}
}

// writeField writes a variable: the bit says that it is not at rest. For a variable with two values the bit is
// enough.
func (b *Block) writeField(w *writer, v *Var, words []uint64, strs []string) {
	rest := b.atRest(v, words, strs)
	w.flag(!rest)
	if rest || v.bits == 1 {
		return
	}
	for i := range v.leaves {
		v.leaves[i].write(w, words, strs)
	}
}

func (b *Block) readField(r *reader, v *Var, words []uint64, strs []string) {
	v.copy(words, strs, b.rest, b.restStrs)
	switch {
	case !r.flag():
	case v.bits == 1:
		words[v.Word] = 1 - words[v.Word]
	default:
		for i := range v.leaves {
			v.leaves[i].read(r, words, strs)
		}
	}
}

// writeChanges writes the fields in which a move differs from another one, was: the bit says that one does.
func (b *Block) writeChanges(w *writer, words []uint64, strs []string, was []uint64, wasStrs []string) {
	for i := b.flags; i < len(b.Vars); i++ {
		v := &b.Vars[i]
		same := v.same(words, strs, was, wasStrs)
		w.flag(!same)
		if !same {
			b.writeField(w, v, words, strs)
		}
	}
}

func (b *Block) readChanges(r *reader, words []uint64, strs []string, was []uint64, wasStrs []string) {
	for i := b.flags; i < len(b.Vars); i++ {
		v := &b.Vars[i]
		v.copy(words, strs, was, wasStrs)
		if r.flag() {
			b.readField(r, v, words, strs)
		}
	}
}

// copy copies the variable's values from another block of the class, and same compares the two.
func (v *Var) copy(words []uint64, strs []string, from []uint64, fromStrs []string) {
	t := v.Prop.Type
	copy(words[v.Word:v.Word+t.Words()], from[v.Word:])
	copy(strs[v.Str:v.Str+t.Strs()], fromStrs[v.Str:])
}

func (v *Var) same(words []uint64, strs []string, as []uint64, asStrs []string) bool {
	t := v.Prop.Type
	return slices.Equal(words[v.Word:v.Word+t.Words()], as[v.Word:v.Word+t.Words()]) &&
		slices.Equal(strs[v.Str:v.Str+t.Strs()], asStrs[v.Str:v.Str+t.Strs()])
}

// find returns the variable of that name, or nil.
func (b *Block) find(name string) *Var {
	for i := range b.Vars {
		if b.Vars[i].Prop.Name == name {
			return &b.Vars[i]
		}
	}
	return nil
}
