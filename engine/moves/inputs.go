package moves

import (
	"math/bits"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Values are those of one block of all entries of a roster, one after another in the order of [Layout.Entries].
type Values struct {
	Layout  *Layout
	Roster  Roster
	Entries []Entry
	Words   []uint64
	Strs    []string
	// Texts are the results of GetMoveState, by entry; nil in inputs.
	Texts []string
}

// Inputs returns room for the inputs of a roster, all at rest.
func (l *Layout) Inputs(r Roster) *Values { return l.values(r, inputs) }

// State returns room for the state of a roster, all at rest.
func (l *Layout) State(r Roster) *Values {
	v := l.values(r, state)
	v.Texts = make([]string, len(v.Entries))
	return v
}

func inputs(p *Part) *Block { return &p.Inputs }
func state(p *Part) *Block  { return &p.State }

func (l *Layout) values(r Roster, of func(*Part) *Block) *Values {
	v := &Values{Layout: l, Roster: r, Entries: l.Entries(r)}
	for _, e := range v.Entries {
		b := of(e.Part)
		v.Words = append(v.Words, b.rest...)
		v.Strs = append(v.Strs, b.restStrs...)
	}
	return v
}

// cursor walks through values entry by entry.
type cursor struct{ word, str int }

func (c *cursor) next(v *Values, b *Block) (words []uint64, strs []string) {
	words, strs = v.Words[c.word:c.word+b.Words], v.Strs[c.str:c.str+b.Strs]
	c.word += b.Words
	c.str += b.Strs
	return words, strs
}

// EachInput calls f for every entry with the values of its inputs.
func (v *Values) EachInput(f func(i int, b *Block, words []uint64, strs []string)) { v.each(inputs, f) }

// EachState calls f for every entry with the values of its state.
func (v *Values) EachState(f func(i int, b *Block, words []uint64, strs []string)) { v.each(state, f) }

func (v *Values) each(of func(*Part) *Block, f func(i int, b *Block, words []uint64, strs []string)) {
	var c cursor
	for i, e := range v.Entries {
		b := of(e.Part)
		words, strs := c.next(v, b)
		f(i, b, words, strs)
	}
}

// Asks reports whether an input is not at rest, Presses whether a press is set.
func (v *Values) Asks() (asks, presses bool) {
	v.EachInput(func(_ int, b *Block, words []uint64, strs []string) {
		for i := range b.Vars {
			x := &b.Vars[i]
			if !b.atRest(x, words, strs) {
				asks = true
				presses = presses || x.Use == engine.MoveUsePress
			}
		}
	})
	return asks, presses
}

// Lossy reports whether inputs may change when they are sent.
func (v *Values) Lossy() bool {
	return slices.ContainsFunc(v.Entries, func(e Entry) bool { return e.Part.Inputs.Lossy })
}

// Packer keeps scratch between calls. The zero Packer is ready.
type Packer struct{ w, key writer }

func (v *Values) writeInputs(w *writer) {
	v.Layout.writeRoster(w, v.Roster)
	v.EachInput(func(_ int, b *Block, words []uint64, _ []string) { b.writeFlags(w, words) })
	v.EachInput(func(_ int, b *Block, words []uint64, strs []string) { b.writeFields(w, words, strs) })
}

func (l *Layout) readInputs(r *reader) *Values {
	v := l.Inputs(l.readRoster(r))
	v.EachInput(func(_ int, b *Block, words []uint64, _ []string) { b.readFlags(r, words) })
	v.EachInput(func(_ int, b *Block, words []uint64, strs []string) { b.readFields(r, words, strs) })
	return v
}

// writeEarlier writes the inputs of the move before one with other requests: with the same roster, the flags,
// and only those fields that differ.
func (v *Values) writeEarlier(w *writer, after *Values) {
	w.flag(v.Roster != after.Roster)
	if v.Roster != after.Roster {
		v.writeInputs(w)
		return
	}
	v.EachInput(func(_ int, b *Block, words []uint64, _ []string) { b.writeFlags(w, words) })
	var c cursor
	v.EachInput(func(_ int, b *Block, words []uint64, strs []string) {
		was, wasStrs := c.next(after, b)
		b.writeChanges(w, words, strs, was, wasStrs)
	})
}

func (l *Layout) readEarlier(r *reader, after *Values) *Values {
	if r.flag() {
		return l.readInputs(r)
	}
	v := l.Inputs(after.Roster)
	v.EachInput(func(_ int, b *Block, words []uint64, _ []string) { b.readFlags(r, words) })
	var c cursor
	v.EachInput(func(_ int, b *Block, words []uint64, strs []string) {
		was, wasStrs := c.next(after, b)
		b.readChanges(r, words, strs, was, wasStrs)
	})
	return v
}

// Text returns the packed inputs of one move: equal for equal inputs.
func (p *Packer) Text(v *Values) string {
	p.key.reset()
	v.writeInputs(&p.key)
	return p.key.text()
}

// Move is a move of a call: its inputs and the view of its player.
type Move struct {
	Inputs *Values
	View   geom.Rotator
	// Text is the result of [Packer.Text] for the inputs.
	Text string
	// KeepsView is set if the view is sent exactly. An earlier move without it arrives with the view that a
	// steady turn would give.
	KeepsView bool
}

// PackInputs packs the inputs of the moves of one call, the newest first, all of one layout. For each earlier
// one a bit says whether its requests differ from the one after it, and another whether its view differs from
// the continuation of the turn before; the difference follows.
func (p *Packer) PackInputs(list ...Move) string {
	w := &p.w
	w.reset()
	list[0].Inputs.writeInputs(w)
	view, turn := list[0].View, geom.Rotator{}
	for i := 1; i < len(list); i++ {
		m, after := &list[i], &list[i-1]
		other := m.Text != after.Text
		w.flag(other)
		if other {
			m.Inputs.writeEarlier(w, after.Inputs)
		}
		by := turn
		if m.KeepsView {
			by = geom.Rotator{Pitch: view.Pitch - m.View.Pitch, Yaw: view.Yaw - m.View.Yaw}
		}
		w.flag(by != turn)
		if by != turn {
			w.angle(by.Pitch - turn.Pitch)
			w.angle(by.Yaw - turn.Yaw)
			turn = by
		}
		view.Pitch -= turn.Pitch
		view.Yaw -= turn.Yaw
	}
	return w.text()
}

// UnpackInputs reads the inputs of a call with n moves, from 1 to [MaxJoined], the newest first. view is that
// of the newest. Text and KeepsView are left empty.
func (l *Layout) UnpackInputs(text string, n int, view geom.Rotator) ([]Move, error) {
	r := reader{buf: text}
	out := make([]Move, 1, max(1, n))
	out[0] = Move{Inputs: l.readInputs(&r), View: view}
	turn := geom.Rotator{}
	for i := 1; i < n; i++ {
		m := out[i-1]
		if r.flag() {
			m.Inputs = l.readEarlier(&r, m.Inputs)
		}
		if r.flag() {
			turn.Pitch += r.angle()
			turn.Yaw += r.angle()
		}
		m.View.Pitch -= turn.Pitch
		m.View.Yaw -= turn.Yaw
		out = append(out, m)
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return out, nil
}

// angle writes a part of a turn, in the shorter direction: four bits hold the number of further bits; 15 means
// 16.
func (w *writer) angle(a uint16) {
	n := uint64(a) << 1
	if a >= 1<<15 {
		n = uint64(-a)<<1 - 1
	}
	size := bits.Len64(n)
	if size >= 15 {
		size = 16
	}
	w.put(uint64(min(size, 15)), 4)
	w.put(n, size)
}

func (r *reader) angle() uint16 {
	size := int(r.get(4))
	if size == 15 {
		size = 16
	}
	n := r.get(size)
	if n&1 == 0 {
		return uint16(n >> 1)
	}
	return -uint16((n + 1) >> 1)
}

// textBits is how many bits the length of a text takes.
const textBits = 7

// PackState packs a state. Everything at its class's default takes no bytes.
func (p *Packer) PackState(v *Values) string {
	w := &p.w
	w.reset()
	v.Layout.writeRoster(w, v.Roster)
	v.EachState(func(i int, b *Block, words []uint64, strs []string) {
		b.writeFields(w, words, strs)
		if !v.Entries[i].Part.Text {
			return
		}
		text := v.Texts[i]
		w.flag(text != "")
		if text == "" {
			return
		}
		w.put(uint64(len(text)), textBits)
		for j := range len(text) {
			w.put(uint64(text[j]), 8)
		}
	})
	return w.text()
}

// UnpackState reverses PackState.
func (l *Layout) UnpackState(text string) (*Values, error) {
	r := reader{buf: text}
	v := l.State(l.readRoster(&r))
	v.EachState(func(i int, b *Block, words []uint64, strs []string) {
		b.readFields(&r, words, strs)
		if !v.Entries[i].Part.Text || !r.flag() {
			return
		}
		n := int(r.get(textBits))
		if n > MaxTextBytes {
			r.fail(ErrRange)
			return
		}
		t := make([]byte, n)
		for j := range t {
			t[j] = byte(r.get(8))
		}
		v.Texts[i] = string(t)
	})
	if err := r.end(); err != nil {
		return nil, err
	}
	return v, nil
}

// To converts the inputs to the layout of the class after a reload: by the names of components, classes and
// variables. Removed ones are dropped; new ones, and those of another type, are at rest.
func (v *Values) To(l *Layout) *Values {
	if v.Layout == l {
		return v
	}
	r := Roster{}
	for i, s := range v.Layout.Static {
		j := slices.IndexFunc(l.Static, func(o Slot) bool { return o.Name == s.Name })
		if j >= 0 && v.Roster.Static>>i&1 != 0 {
			r.Static |= 1 << j
		}
	}
	find := func(list []*Part, p *Part) int {
		return slices.IndexFunc(list, func(o *Part) bool { return o.Class.Name == p.Class.Name })
	}
	for i, p := range v.Layout.Added {
		if j := find(l.Added, p); j >= 0 && v.Roster.Added>>i&1 != 0 {
			r.Added |= 1 << j
		}
	}
	if v.Roster.Held > 0 {
		r.Held = find(l.Held, v.Layout.Held[v.Roster.Held-1]) + 1
	}
	out := l.Inputs(r)
	out.EachInput(func(i int, b *Block, words []uint64, strs []string) {
		who := l.who(out.Entries[i])
		v.EachInput(func(j int, old *Block, oldWords []uint64, oldStrs []string) {
			if v.Layout.who(v.Entries[j]) == who {
				b.Take(old, oldWords, oldStrs, func(x *Var, from []uint64, fromStrs []string) {
					copy(words[x.Word:x.Word+x.Prop.Type.Words()], from)
					copy(strs[x.Str:x.Str+x.Prop.Type.Strs()], fromStrs)
				})
			}
		})
	})
	return out
}

// identity identifies an entry by name, over reloads.
type identity struct {
	static bool
	name   string
}

func (l *Layout) who(e Entry) identity {
	switch i := e.Key - 1; {
	case e.Key == 0:
		return identity{}
	case i < len(l.Static):
		return identity{true, l.Static[i].Name}
	default:
		return identity{false, e.Part.Class.Name}
	}
}

// Take calls f for every variable that an older block of the class also has, with a value that still fits.
func (b *Block) Take(old *Block, words []uint64, strs []string, f func(x *Var, words []uint64, strs []string)) {
	for i := range b.Vars {
		x := &b.Vars[i]
		o := old.find(x.Prop.Name)
		if o == nil || !o.Prop.Type.Same(x.Prop.Type) {
			continue
		}
		t := o.Prop.Type
		was, wasStrs := words[o.Word:o.Word+t.Words()], strs[o.Str:o.Str+t.Strs()]
		if x.fits(was, wasStrs) {
			f(x, was, wasStrs)
		}
	}
}

// EachAsked calls f for every variable that does not have its class's default.
func (b *Block) EachAsked(words []uint64, strs []string, f func(x *Var, value engine.Value)) {
	for i := range b.Vars {
		if x := &b.Vars[i]; !b.atRest(x, words, strs) {
			f(x, x.Value(words, strs))
		}
	}
}

// Value returns the variable's value among those of its block.
func (v *Var) Value(words []uint64, strs []string) engine.Value {
	return engine.LoadValue(nil, v.Prop.Type, words[v.Word:], strs[v.Str:])
}

// fits reports whether a value of the same type with other ranges fits the variable.
func (v *Var) fits(words []uint64, strs []string) bool {
	_, err := v.Prop.Type.Check(nil, engine.LoadValue(nil, v.Prop.Type, words, strs))
	return err == nil
}
