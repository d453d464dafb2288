package engine

import "testing"

// readsOnly is a condition that only says what it reads; package scriptvm/condition tests real ones.
type readsOnly struct {
	ScriptCondition
	props  []*Property
	others bool
}

func (c *readsOnly) Props() []*Property { return c.props }
func (c *readsOnly) ReadsOthers() bool  { return c.others }

func TestConnBitsPack(t *testing.T) {
	w := NewWorld(Config{Classes: watchedClasses(t)})
	a := spawn(t, w, "Pawn", SpawnParams{})
	for i := range 256 {
		in := CondInput(i)
		b := in.Bits()
		if b.Role != in.Role() || b.RemoteRole != in.RemoteRole() {
			t.Errorf("%08b unpacks to %+v", in, b)
		}
		if b.Role == RoleNone || b.RemoteRole == RoleNone {
			continue // stands for the actor's own
		}
		if got := b.Input(a); got != in {
			t.Errorf("%08b unpacks to %+v and packs to %08b", in, b, got)
		}
	}
	if in := (ConnBits{}).Input(a); in.Bits().Role != RoleAuthority || in.Bits().RemoteRole != RoleSimulatedProxy {
		t.Errorf("%+v", in.Bits())
	}
}

func TestFaultsAreKeptOnce(t *testing.T) {
	w := NewWorld(Config{Classes: watchedClasses(t)})
	a := spawn(t, w, "Pawn", SpawnParams{})
	c, other := &readsOnly{}, &readsOnly{}
	if f, ok := w.TakeCondFault(c); ok {
		t.Errorf("%+v of a condition that was never evaluated", f)
	}
	a.NoteCondFault(c, "first")
	a.NoteCondFault(c, "second")
	a.NoteCondFault(other, "third")
	if f, ok := w.TakeCondFault(c); !ok || f.Actor != a.ID() || f.Text != "first" {
		t.Errorf("%+v %v", f, ok)
	}
	a.NoteCondFault(c, "again")
	if f, ok := w.TakeCondFault(c); ok {
		t.Errorf("%+v: a condition's fault twice", f)
	}
	if f, ok := w.TakeCondFault(other); !ok || f.Text != "third" {
		t.Errorf("%+v %v", f, ok)
	}
	(&Actor{}).NoteCondFault(c, "of a class's template")
}
