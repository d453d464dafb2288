package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

func turned(at, half geom.Vector, r geom.Rotator) *Body {
	f, rt, up := r.Axes()
	reach := half.Size()
	return &Body{
		Centre: at, Radius: reach, HalfHeight: reach, Mask: 1,
		Turned: &Oriented{Axes: [3]geom.Vector{f, rt, up}, Half: half},
	}
}

func TestTurnedBoxUpright(t *testing.T) {
	b := turned(geom.V(100, 0, 0), geom.V(20, 30, 40), geom.Rotator{})
	h, hit := SweepBody(geom.V(0, 0, 0), geom.V(200, 0, 0), 10, 10, b)
	if !hit || math.Abs(h.Location.X-(100-20-10-Gap)) > 1e-9 || h.Normal != geom.V(-1, 0, 0) {
		t.Errorf("%+v %v", h, hit)
	}
	h, hit = SweepBody(geom.V(100, 0, 200), geom.V(100, 0, -200), 10, 15, b)
	if !hit || math.Abs(h.Location.Z-(40+15+Gap)) > 1e-9 || h.Normal != geom.V(0, 0, 1) {
		t.Errorf("%+v %v", h, hit)
	}
	if _, hit = SweepBody(geom.V(0, 45, 0), geom.V(200, 45, 0), 10, 10, b); hit {
		t.Error("passes beside it")
	}
}

func TestTurnedBoxAgainstPoints(t *testing.T) {
	// A line meets a box exactly: compared with the line in the box's own axes.
	r := rand.New(rand.NewPCG(5, 0)).Float64
	for range 5000 {
		half := geom.V(5+40*r(), 5+40*r(), 5+40*r())
		b := turned(geom.V(r()*50, r()*50, r()*50), half, geom.Rotator{Pitch: uint16(r() * 65536), Yaw: uint16(r() * 65536), Roll: uint16(r() * 65536)})
		from := b.Centre.Add(geom.V(r()-0.5, r()-0.5, r()-0.5).Normal().Mul(150))
		to := b.Centre.Add(geom.V(r()-0.5, r()-0.5, r()-0.5).Mul(120))
		local := func(v geom.Vector) geom.Vector {
			d, a := v.Sub(b.Centre), &b.Turned.Axes
			return geom.V(d.Dot(a[0]), d.Dot(a[1]), d.Dot(a[2]))
		}
		p, q := local(from), local(to)
		enter, leave := 0.0, 1.0
		for i := range 3 {
			x, d, h := component(p, i), component(q, i)-component(p, i), component(half, i)
			lo, hi := (-h-x)/d, (h-x)/d
			enter, leave = max(enter, min(lo, hi)), min(leave, max(lo, hi))
		}
		h, hit := sweepOriented(from, to, 0, 0, b, 0, 0)
		if want := enter < leave; hit != want || hit && math.Abs(h.Fraction-enter) > 1e-9 {
			t.Fatalf("hit %v at %v, expected %v at %v", hit, h.Fraction, want, enter)
		}
	}
}

func TestTurnedBoxNeverEntered(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0)).Float64
	b := turned(geom.V(0, 0, 0), geom.V(60, 20, 30), geom.Rotator{Pitch: 3000, Yaw: 7000, Roll: 900})
	at := geom.V(200, 0, 0)
	for range 20000 {
		to := at.Add(geom.V(r()-0.5, r()-0.5, r()-0.5).Mul(200)).Mul(0.9)
		end := to
		if h, hit := SweepBody(at, to, 34, 88, b); hit {
			end = h.Location
		}
		at = end
		if depth, _ := Overlap(&Body{Centre: at, Radius: 34, HalfHeight: 88}, b); depth > 0 {
			t.Fatalf("%v is %v deep", at, depth)
		}
	}
}
