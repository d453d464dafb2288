package rewind

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// TestSolids: what is shown of a pawn is what is hit of it: a line that ends at the middle of a solid, from just outside of one of its faces, meets that
// solid or a head in front of it, now and in the past; and what was not recorded has none.
func TestSolids(t *testing.T) {
	for _, class := range []string{"Soldier", "Blob"} {
		s, a := strafing(t, class)
		s.set(a, "ViewPitch", engine.Int(40))
		a.SetRotation(geom.Rot(0, 5000, 0))
		s.record(1.1)
		want := len(soldier)
		if class == "Blob" {
			want = 1
		}
		now := s.h.SolidsNow(a, nil)
		then := s.h.Solids(a, 0.8, nil)
		if len(now) != want || len(then) != want {
			t.Fatalf("%s: %d solids now, %d then", class, len(now), len(then))
		}
		past, _ := s.h.At(a, 0.8)
		for i := range now {
			for k, axis := range now[i].Axes {
				from := now[i].Centre.MulAdd(axis, now[i].Half[k]+0.01)
				hit, ok := s.h.TraceNow(a, from, now[i].Centre)
				if !ok || hit.Name != now[i].Name && !hit.Head || hit.Name == now[i].Name && math.Abs(hit.Distance-0.01) > 1e-6 {
					t.Errorf("%s: %q from outside along axis %d: %+v %v", class, now[i].Name, k, hit, ok)
				}
			}
			if now[i].Name != then[i].Name || now[i].Half != then[i].Half {
				t.Errorf("%s: %q is %q in the past", class, now[i].Name, then[i].Name)
			}
			if class == "Blob" || i == 1 { // upright, so that it moved as the pawn did
				near(t, "how far it moved", now[i].Centre.Distance(then[i].Centre), a.Location.Distance(past.Location), 1e-9)
			}
		}
		if n := len(s.h.Solids(a, -5, nil)) + len(s.h.Solids(nil, 0.5, nil)) + len(s.h.SolidsNow(nil, nil)); n != 0 {
			t.Errorf("%d solids of nothing", n)
		}
		if s.h.Solids(s.pawn("Officer", geom.V(0, 900, 0)), -9, nil) != nil {
			t.Error("solids of a time before it came")
		}
	}
}
