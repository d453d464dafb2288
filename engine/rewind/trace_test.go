package rewind

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// strafing is a soldier that ran along +X at 440 uu/s until time 1, 60 frames a second, and is at the origin then.
func strafing(t testing.TB, class string, list ...box) (*scene, *engine.Actor) {
	s := open(t, Config{Boxes: table()}, list...)
	a := s.pawn(class, geom.V(-440, 0, 0))
	for i := 0; i <= 60; i++ {
		s.record(float64(i) / 60)
		if i < 60 {
			a.Move(geom.V(440.0/60, 0, 0))
		}
	}
	return s, a
}

func TestShotMeetsThePastAndNotThePresent(t *testing.T) {
	for _, class := range []string{"Soldier", "Officer", "Blob"} {
		s, a := strafing(t, class)
		then := geom.V(-88, 0, 0) // 0.2 s ago
		hit, ok := s.shoot(then, 0.8, a)
		if !ok || hit.Actor != a {
			t.Errorf("%s: the past is missed: %+v, %v", class, hit, ok)
		}
		near(t, class+" at", hit.Target.Location.X, -88, 0.01)
		if hit, ok := s.shoot(geom.V(0, 0, 0), 0.8, a); ok {
			t.Errorf("%s: the present body is hit while rewound: %+v", class, hit)
		}
		if _, ok := s.shoot(then, 0.8); ok {
			t.Errorf("%s: hit although it is no target", class)
		}
		if _, ok := s.h.Trace(Shot{Start: geom.V(-88, -500, 0), End: then, Time: 0.8, Shooter: a, Targets: []*engine.Actor{a}}); ok {
			t.Errorf("%s: the shooter hits itself", class)
		}
		if _, ok := s.shoot(geom.V(-440*0.45, 0, 0), 0.55, a); ok {
			t.Errorf("%s: a time before the record hits", class)
		}
		if hit, ok := s.shoot(geom.V(0, 0, 0), 77, a); !ok || hit.Actor != a {
			t.Errorf("%s: a time after the newest frame does not take it", class)
		}
	}
}
