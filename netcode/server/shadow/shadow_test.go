package shadow_test

import (
	"testing"

	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// TestPlaces: a view finds the place of a net update among the last ones, and none that is too old or forgotten.
func TestPlaces(t *testing.T) {
	s := shadow.New(7, 9)
	v := s.View()
	if v.Slot() != 7 || v.Rank() != 9 {
		t.Errorf("slot %d, rank %d", v.Slot(), v.Rank())
	}
	if _, ok := v.PositionOf(5); ok || s.Traced() {
		t.Error("a place before any was kept")
	}
	s.Trace(new(shadow.Positions))
	last := uint32(10 * (wire.MaxAge + 5))
	for u := uint32(10); u <= last; u += 10 { // it moves in every tenth net update
		s.At = wire.Quantised{}
		s.At[0] = int32(u)
		s.Note(u)
	}
	for _, x := range []struct {
		update uint32
		at     int32
		ok     bool
	}{{0, 0, false}, {10, 0, false}, {last, int32(last), true}, {last - 1, int32(last) - 10, true}, {last + 3, int32(last), true}} {
		if at, ok := v.PositionOf(x.update); ok != x.ok || at[0] != x.at {
			t.Errorf("net update %d: %v %t, want %d %t", x.update, at, ok, x.at, x.ok)
		}
	}
	if s.Forget(); v.At()[0] != int32(last) {
		t.Error("forgetting places moved it")
	}
	if _, ok := v.PositionOf(last); ok {
		t.Error("a place that was forgotten")
	}
}
