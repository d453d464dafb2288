package navigation

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// A wide path has floor below both wheels and no wall near them, all the way; and one who sets out from where vehicles
// stand gets far.
func widePathsAreWide(t *testing.T, w *engine.World, g *Graph) {
	all := starts(w)
	var r engine.Rand
	r.Seed(11)
	far := 0.0
	for range 40 {
		a, b := someWay(g, &r, all)
		p, ok := g.WidePath(a, b)
		if !ok {
			continue // it begins where no vehicle comes
		}
		at, _ := g.settle(a)
		for i, st := range p.Steps {
			if st.Kind != Walk || st.Mover != 0 {
				t.Fatalf("from %v to %v: step %d is %+v", a, b, i, st)
			}
			if i > 0 { // from where one gets in to the way it may be narrow
				roomFor(t, g, at, st.To)
			}
			far += st.To.Distance(at)
			at = st.To
		}
		if end := p.Steps[len(p.Steps)-1].To; !p.Partial && end.Distance(b) > 100 {
			t.Errorf("from %v to %v ends at %v", a, b, end)
		}
	}
	if far < 20000 {
		t.Errorf("%.0f uu in all", far)
	}
}

// roomFor looks from the line between two places to its sides.
func roomFor(t *testing.T, g *Graph, from, to vec) {
	t.Helper()
	q := collision.Query{World: g.body.q.World}
	way := to.Sub(from)
	n := math.Ceil(way.Size() / 40)
	side := vec{X: -way.Y, Y: way.X}.Normal().Mul(70)
	for i := range int(n) {
		at := from.Add(way.Mul(float64(i) / n))
		// The line goes straight through dips and humps: the floor may be a little above or below.
		top := q.Line(at.Add(vec{Z: 60}), at.Sub(vec{Z: 300}), collision.Filter{})
		at.Z = top.Location.Z + 60
		for _, s := range [...]vec{side, side.Mul(-1)} {
			if h := q.Line(at, at.Add(s), collision.Filter{}); h.Blocked() && h.Normal.Z < engine.Walkable {
				t.Errorf("from %v to %v: a wall beside %v", from, to, at)
				return
			}
			if h := q.Line(at.Add(s), at.Add(s).Sub(vec{Z: 180}), collision.Filter{}); !h.Blocked() && !h.StartSolid {
				t.Errorf("from %v to %v: no floor beside %v", from, to, at)
				return
			}
		}
	}
}

// Two banks with a bridge between them: one of 140 uu is for people, one of 400 uu for vehicles, too. Stairs of 16 uu are
// driven up, a ledge of 30 uu is not.
func TestWideWays(t *testing.T) {
	for _, c := range []struct {
		name  string
		brush string
		wide  bool
	}{
		{"a narrow bridge", box(400, -70, -16, 1200, 70, 0), false},
		{"a wide bridge", box(400, -200, -16, 1200, 200, 0), true},
		{"a bridge with a beam above", box(400, -200, -16, 1200, 200, 0) + box(700, -300, 100, 740, 300, 400), false},
		{"a bridge with a low step", box(400, -200, -16, 800, 200, 0) + box(800, -200, -16, 1200, 200, 15), true},
		{"a bridge with a high step", box(400, -200, -16, 800, 200, 0) + box(800, -200, -16, 1200, 200, 30), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "{ \"classname\" \"worldspawn\"\n" + box(-1000, -600, -16, 400, 600, 0) + box(1200, -600, -16, 2600, 600, 0) +
				c.brush + "}\n{ \"classname\" \"PlayerStart\" \"origin\" \"0 0 90\" }\n"
			g := build(t, inLevel(t, "bridge.map", []byte(text)))
			from, to := geom.V(-200, 200, 88), geom.V(1900, -300, 88)
			if p, ok := g.Path(from, to); c.name != "a bridge with a beam above" && (!ok || p.Partial) {
				t.Errorf("no way on foot: %v", p)
			}
			p, ok := g.WidePath(from, to)
			if !ok || p.Partial == c.wide {
				t.Fatalf("%v %v", p, ok)
			}
			if end := p.Steps[len(p.Steps)-1].To; (end.Distance(to) < 1) != c.wide {
				t.Errorf("ends at %v", end)
			}
		})
	}
}
