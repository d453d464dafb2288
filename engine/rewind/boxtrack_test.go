package rewind

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func TestBoxTrackOffset(t *testing.T) {
	up := func(z float64) []geom.Vector { return []geom.Vector{{Z: z}, {X: 5}} }
	track := BoxTrack{{Time: 1, Offsets: up(10)}, {Time: 2, Offsets: up(30)}, {Time: 2}, {Time: 3, Offsets: up(40)}}
	for _, c := range []struct {
		at, want float64
	}{{0.9, 0}, {1, 10}, {1.5, 20}, {2, 30}, {2.5, 20}, {3, 40}, {3.1, 0}, {math.Inf(1), 0}} {
		if got := track.offset(0, c.at).Z; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("at %v: %v, expected %v", c.at, got, c.want)
		}
	}
	if got := track.offset(7, 1.5); !got.IsZero() {
		t.Errorf("a box that no key names is moved by %v", got)
	}
	if got := track.farthest(); got != 40 {
		t.Errorf("farthest %v", got)
	}
}

func TestBoxTrackCheck(t *testing.T) {
	for _, c := range []struct {
		track BoxTrack
		want  string
	}{
		{BoxTrack{}, "0 keys"},
		{make(BoxTrack, MaxBoxKeys+1), "65 keys"},
		{BoxTrack{{Time: -1}}, "key 1"},
		{BoxTrack{{Time: 1}, {Time: 0.5}}, "order of time"},
		{BoxTrack{{Time: math.NaN()}}, "key 1"},
		{BoxTrack{{Time: 61}}, "key 1"},
		{BoxTrack{{Offsets: make([]geom.Vector, MaxBoxes+1)}}, "33 boxes"},
		{BoxTrack{{Offsets: []geom.Vector{{X: math.Inf(1)}}}}, "within"},
	} {
		if err := c.track.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: expected an error with %q, got %v", c.track, c.want, err)
		}
	}
	if err := (BoxTrack{{Time: 0}, {Time: 0}}).Check(); err != nil {
		t.Error(err)
	}
}

// A box that a track carries far away is hit there, though a pawn's own boxes do not reach so far; a track that is over
// or whose pawn is gone is forgotten.
func TestBoxTrackReaches(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	a, b := s.pawn("Soldier", geom.V(0, 0, 0)), s.pawn("Soldier", geom.V(0, 500, 0))
	far := []geom.Vector{{Z: 1000}}
	if err := s.h.PlayBoxes(a, BoxTrack{{Offsets: far}, {Time: 1, Offsets: far}}, 0); err != nil {
		t.Fatal(err)
	}
	s.record(0.5)
	head := soldier[0].Standing.Offset
	at := geom.V(head.X, 0, head.Z+1000)
	hit, ok := s.h.Trace(Shot{Start: at.Add(geom.V(-500, 0, 0)), End: at, Time: 0.5, Targets: []*engine.Actor{a}})
	if !ok || hit.Actor != a || !hit.Head {
		t.Errorf("got %v %+v", ok, hit)
	}
	a.Destroy()
	s.w.Step(1e-6)
	if err := s.h.PlayBoxes(b, BoxTrack{{Offsets: far}}, 5); err != nil {
		t.Fatal(err)
	}
	if n := len(s.h.playing); n != 1 {
		t.Errorf("%d tracks play", n)
	}
	if err := s.h.PlayBoxes(b, nil, 5); err != nil || len(s.h.playing) != 0 {
		t.Errorf("ended: %v, %d tracks play", err, len(s.h.playing))
	}
	if err := s.h.PlayBoxes(nil, nil, 5); err == nil {
		t.Error("no pawn: expected an error")
	}
}

func TestClockRoundTrip(t *testing.T) {
	var c Clock
	if _, ok := c.RoundTrip(); ok {
		t.Error("a round trip without a sample")
	}
	for i, rtt := range []float64{9, 0.1, 0.3, 0.2} {
		c.Add(TimeSample{Stamp: float64(i), Server: float64(i), RoundTrip: rtt})
	}
	if got, _ := c.RoundTrip(); got != 0.3 {
		t.Errorf("median of four: %v", got)
	}
	for range 2 {
		c.Add(TimeSample{RoundTrip: 0.2})
	}
	if got, _ := c.RoundTrip(); got != 0.2 {
		t.Errorf("median of the newest five: %v", got)
	}
}

func TestTraceNow(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	a := s.spawn("Soldier", geom.V(0, 0, 0)) // nobody remembers it
	head := soldier[0].Standing.Offset
	start := geom.V(head.X-300, head.Y, head.Z)
	if hit, ok := s.h.TraceNow(a, start, start.Add(geom.V(600, 0, 0))); !ok || hit.Actor != a || !hit.Head || hit.Name != soldier[0].Name {
		t.Errorf("got %v %+v", ok, hit)
	}
	if _, ok := s.h.TraceNow(a, start, start.Add(geom.V(200, 0, 0))); ok {
		t.Error("the line ends before")
	}
	a.Move(geom.V(0, 500, 0))
	if _, ok := s.h.TraceNow(a, start, start.Add(geom.V(600, 0, 0))); ok {
		t.Error("it is away")
	}
	a.SetCollision(false, false, false)
	if _, ok := s.h.TraceNow(a, start.Add(geom.V(0, 500, 0)), start.Add(geom.V(600, 500, 0))); ok {
		t.Error("a ghost is hit")
	}
	blob := s.spawn("Blob", geom.V(0, 0, 0))
	if hit, ok := s.h.TraceNow(blob, geom.V(-300, 0, 0), geom.V(300, 0, 0)); !ok || hit.Box != CylinderHit {
		t.Errorf("cylinder: %v %+v", ok, hit)
	}
	if n := testing.AllocsPerRun(100, func() { s.h.TraceNow(blob, geom.V(-300, 0, 0), geom.V(300, 0, 0)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
