package rewind

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// crowd are pawns with boxes, in a level of a floor and pillars, with a full history.
func crowd(t testing.TB, n int) (*scene, []*engine.Actor) {
	list := []box{{-4000, -4000, -110, 4000, 4000, -100}}
	for i := range 64 {
		x, y := float64(i%8)*400-1400, float64(i/8)*400-1400
		list = append(list, box{x, y, -100, x + 20, y + 20, 300})
	}
	s := open(t, Config{Boxes: table()}, list...)
	var pawns []*engine.Actor
	for i := range n {
		a := s.pawn("Officer", geom.V(float64(i%8)*400-1200, float64(i/8)*400-1200, 0))
		s.set(a, "ViewPitch", engine.Int(i))
		pawns = append(pawns, a)
	}
	for i := range 60 {
		s.record(float64(i) / 60)
		for j, a := range pawns {
			a.Move(geom.V(0, 7, 0))
			a.SetRotation(geom.Rot(0, 1000*i*j, 0))
		}
	}
	return s, pawns
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	s, pawns := crowd(t, 64)
	now := 1.0
	shot := Shot{Start: geom.V(-1300, 20, 0), End: geom.V(1300, 20, 0), Targets: pawns}
	hits := 0
	if n := testing.AllocsPerRun(200, func() {
		now += 1.0 / 60
		if err := s.h.Record(now); err != nil {
			t.Fatal(err)
		}
		shot.Time = now - 0.2
		if hit, ok := s.h.Trace(shot); ok && hit.Actor != nil {
			hits++
		}
		s.h.At(pawns[3], now-0.1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if hits == 0 {
		t.Error("nobody was hit")
	}
	var clock Clock
	if n := testing.AllocsPerRun(100, func() {
		now++
		clock.Add(TimeSample{Stamp: now, Server: now, RoundTrip: 0.1})
		clock.Offset()
	}); n != 0 {
		t.Errorf("clock: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		s.h.Unregister(pawns[5])
		if err := s.h.Register(pawns[5]); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("coming and going: %v allocations", n)
	}
}

// A shot at 64 players; the aim is at most 5 µs. The whole line is traced against the level, a row of eight players is
// on it.
func BenchmarkShotAt64(b *testing.B) {
	s, pawns := crowd(b, 64)
	for _, c := range []struct {
		name     string
		from, to geom.Vector
		hit      bool
	}{
		{"hit", geom.V(-1300, -51, 0), geom.V(1300, -51, 0), true},
		{"last", geom.V(1900, -51, 0), geom.V(-1300, -51, 0), true}, // the nearest comes last
		{"miss", geom.V(-1300, -51, 150), geom.V(1300, -51, 150), false},
	} {
		b.Run(c.name, func(b *testing.B) {
			shot := Shot{Start: c.from, End: c.to, Time: 0.83, Targets: pawns}
			if hit, _ := s.h.Trace(shot); (hit.Actor != nil) != c.hit {
				b.Fatalf("got %+v", hit)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.h.Trace(shot)
			}
		})
	}
}

func BenchmarkRecord64(b *testing.B) {
	s, _ := crowd(b, 64)
	now := 1.0
	b.ReportAllocs()
	for b.Loop() {
		now += 1.0 / 60
		if err := s.h.Record(now); err != nil {
			b.Fatal(err)
		}
	}
}
