package engine

import (
	"math"
	"sort"
)

// Hash sums up state: FNV-1a over 64-bit words with a final mix. Equal states give equal hashes on one
// architecture (facts: Go may fuse multiply-add elsewhere).
type Hash struct{ h uint64 }

// NewHash starts a sum.
func NewHash() *Hash { return &Hash{14695981039346656037} }

// Word adds 64 bits.
func (h *Hash) Word(w uint64) {
	x := h.h ^ w
	x *= 0x9fb21c651e98df25
	x ^= x >> 32
	h.h = x * 1099511628211
}

// Float adds a number.
func (h *Hash) Float(f float64) { h.Word(math.Float64bits(f)) }

// Bool adds a truth.
func (h *Hash) Bool(b bool) {
	if b {
		h.Word(1)
	} else {
		h.Word(2)
	}
}

// String adds a text and its length.
func (h *Hash) String(s string) {
	h.Word(uint64(len(s)))
	for len(s) >= 8 {
		h.Word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		s = s[8:]
	}
	var t uint64
	for i := 0; i < len(s); i++ {
		t = t<<8 | uint64(s[i])
	}
	h.Word(t)
}

// Vector adds three numbers.
func (h *Hash) Vector(v vec) {
	h.Float(v.X)
	h.Float(v.Y)
	h.Float(v.Z)
}

// Sum is the sum so far.
func (h *Hash) Sum() uint64 {
	x := h.h
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// HashState sums up everything a later tick can depend on: every variable of every actor, declared and
// native, states, timers, the random generator, and what the script side adds (latent positions).
func (w *World) HashState() uint64 {
	h := NewHash()
	h.Word(uint64(w.NetMode))
	h.Float(w.Time)
	h.Word(w.frame)
	h.Word(w.nextSeq)
	for _, s := range w.Rand.State() {
		h.Word(s)
	}
	w.EachActor(func(a *Actor) {
		a.hash(h)
		if in, ok := w.inputs[a.id]; ok {
			in.hash(h)
		}
		for _, g := range w.groups[a.id] {
			h.String(g)
		}
	})
	timers := append(timerHeap(nil), w.timers...)
	sort.Slice(timers, func(i, j int) bool { return timers.less(i, j) })
	for _, t := range timers {
		h.Word(uint64(t.actor))
		h.String(t.function)
		h.Float(t.due)
		h.Float(t.every)
	}
	w.Script.Hash(h)
	return h.Sum()
}

// hash adds what a player holds down; it is held until changed.
func (in *Input) hash(h *Hash) {
	h.Float(in.Forward)
	h.Float(in.Strafe)
	h.Float(in.Up)
	for _, b := range [...]bool{in.Jump, in.Fire, in.AltFire, in.Crouch, in.Run, in.Aim, in.Reload, in.Use} {
		h.Bool(b)
	}
	h.Word(uint64(in.Weapon))
	h.Word(in.View.Pack())
}

func (a *Actor) hash(h *Hash) {
	h.Word(uint64(a.id))
	h.Word(a.seq)
	h.String(a.Name)
	h.String(a.Class.Name)
	if a.State != nil {
		h.String(a.State.Name)
	}
	h.Word(uint64(len(a.stack)))
	for _, s := range a.stack {
		h.String(s.name())
	}
	h.Bool(a.tickOff)
	if a.copy != copyNone || a.lapsed {
		h.Word(uint64(a.copy))
		h.Bool(a.lapsed)
	}
	for _, p := range a.Class.Properties {
		if p.Native != nil {
			v := p.Native.get(a)
			h.Float(v.Num)
			h.String(v.Str)
			h.Vector(v.Vec)
			h.Word(v.Rot.Pack())
			h.Word(uint64(v.Ref))
			continue
		}
		if p.Type.Kind == KindFastArray {
			f := a.fasts[p.fast]
			h.Word(uint64(f.Len()))
			if f != nil {
				h.Word(uint64(f.next)) // the next key
			}
			for _, it := range f.Items() {
				h.Word(uint64(it.Key))
				for _, x := range it.Words {
					h.Word(x)
				}
				for _, s := range it.Strs {
					h.String(s)
				}
			}
			continue
		}
		for _, x := range a.Words(p) {
			h.Word(x)
		}
		for _, s := range a.Strs(p) {
			h.String(s)
		}
	}
	a.body.hash(h)
}

// name is the state's name, "" for none.
func (s *State) name() string {
	if s == nil {
		return ""
	}
	return s.Name
}
