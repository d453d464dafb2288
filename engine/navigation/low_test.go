package navigation

import (
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// hall is a level of two rooms on one floor, with what is between them from x = 500 to 800.
func hall(between string) []byte {
	return []byte("{ \"classname\" \"worldspawn\"\n" + box(-1000, -1500, -16, 2000, 1500, 0) + between +
		"}\n{ \"classname\" \"PlayerStart\" \"origin\" \"0 0 90\" }\n")
}

// tunnel is a wall with a passage of 120 uu in breadth and so many in height.
func tunnel(high float64) string {
	return box(500, -1500, 0, 800, -60, 400) + box(500, 60, 0, 800, 1500, 400) + box(500, -60, high, 800, 60, 400)
}

// Where one cannot stand one goes crouching, if one does that at all, and nowhere else.
func TestLowWays(t *testing.T) {
	for _, c := range []struct {
		name       string
		between    string
		stand, low bool // whether there is a way
		crouched   bool // on part of it
	}{
		{"a high tunnel", tunnel(190), true, true, false},
		{"a low tunnel", tunnel(100), false, true, true},
		{"a tunnel too low to crouch in", tunnel(80), false, false, false},
		{"a low tunnel with a step in it", tunnel(130) + box(600, -60, 0, 800, 60, 25), false, true, true},
		{"a beam right across", box(640, -1500, 100, 660, 1500, 400), false, true, true},
		{"a low tunnel and a long way round", box(500, -1500, 0, 800, -60, 400) + box(500, 60, 0, 800, 1350, 400) + box(500, -60, 100, 800, 60, 400), true, true, true},
		{"a low tunnel and a short way round", tunnelBeside(), true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, inLevel(t, "hall.map", hall(c.between)))
			from, to := geom.V(-600, 0, 88), geom.V(1700, 0, 88) // far from what is between
			p, ok := g.Path(from, to)
			if (ok && !p.Partial) != c.stand || isLow(&p) {
				t.Errorf("standing: %v %v", ok, p)
			}
			if p, ok = g.LowPath(from, to); (ok && !p.Partial) != c.low || isLow(&p) != c.crouched {
				t.Fatalf("crouching: %v %v", ok, p)
			}
			if ok && !p.Partial {
				fits(t, g, from, &p)
			}
			if below := g.lowBetweenStanding(); below == 0 && c.name == "a beam right across" {
				t.Error("no link leads below the beam")
			}
		})
	}
}

// lowBetweenStanding counts the low links between two places where one can stand.
func (g *Graph) lowBetweenStanding() (n int) {
	for id := range g.links {
		for _, l := range g.links[id] {
			if l.Low && !g.nodes[id].Low && !g.nodes[l.To].Low {
				n++
			}
		}
	}
	return n
}

// tunnelBeside is a low tunnel with a door beside it.
func tunnelBeside() string {
	return box(500, -1500, 0, 800, -60, 400) + box(500, -60, 100, 800, 60, 400) + box(500, 60, 0, 800, 100, 400) + box(500, 260, 0, 800, 1500, 400)
}

func isLow(p *Path) bool {
	for _, st := range p.Steps {
		if st.Low {
			return true
		}
	}
	return false
}

// fits sweeps a body a little smaller than who goes a path along it, feet above what is stepped over.
func fits(t *testing.T, g *Graph, from vec, p *Path) {
	t.Helper()
	q := collision.Query{World: g.body.q.World}
	for _, st := range p.Steps {
		half := vec{X: 33, Y: 33, Z: 70}
		a, b := from.Add(vec{Z: 17}), st.To.Add(vec{Z: 17})
		if st.Low {
			half.Z = 26
			down := vec{Z: 88 - 44}
			a, b = a.Sub(down), b.Sub(down)
		}
		if h := q.Sweep(a, b, half, collision.Filter{}); h.Blocked() || h.StartSolid {
			t.Errorf("no room from %v to %v: %+v", from, st.To, h)
		}
		from = st.To
	}
}

// A pawn that crouches in a tunnel knows where it is, and what lies there can be fetched.
func TestFromAndToLowPlaces(t *testing.T) {
	g := build(t, inLevel(t, "hall.map", hall(tunnel(100))))
	room, inside := geom.V(0, 300, 88), geom.V(650, 20, 44)
	for _, thing := range []vec{{X: 650, Y: 20, Z: 15}, inside} {
		p, ok := g.LowPath(room, thing)
		if !ok || p.Partial || !isLow(&p) || p.Steps[0].Low {
			t.Errorf("to %v: %v %v", thing, ok, p)
		}
		fits(t, g, room, &p)
		if p, ok = g.Path(room, thing); ok && !p.Partial {
			t.Errorf("to %v without crouching: %v", thing, p)
		}
	}
	p, ok := g.LowPath(inside, room)
	if !ok || p.Partial || !p.Steps[0].Low || p.Steps[len(p.Steps)-1].Low {
		t.Errorf("out: %v %v", ok, p)
	}
	fits(t, g, geom.V(650, 20, 88), &p)
	if p, ok = g.LowPath(inside, geom.V(540, 20, 44)); !ok || p.Seconds < 0.5 || p.Seconds > 1 {
		t.Errorf("in the tunnel: %v %v", ok, p)
	}
	for _, st := range p.Steps {
		if !st.Low {
			t.Errorf("standing in the tunnel: %v", p)
		}
	}
	id, ok := g.Nearest(inside)
	if n := g.Node(id); !ok || !n.Low || n.Location.Z < 87 || n.Location.Z > 90 {
		t.Errorf("nearest: %v", n)
	}
	for id := range g.Len() {
		n := g.Node(NodeID(id))
		if inside := n.Location.X > 470 && n.Location.X < 830; inside != n.Low {
			t.Errorf("node %v", n)
		}
		for _, l := range g.Links(NodeID(id)) {
			if l.Low && (l.Wide || l.Kind != Walk) || (n.Low || g.Node(l.To).Low) && !l.Low {
				t.Errorf("from %v: %v", n, l)
			}
		}
	}
}

// Nobody is sent into a tunnel to roam there, and who never crouches has none.
func TestLowPlacesAreNoGoals(t *testing.T) {
	w := inLevel(t, "hall.map", hall(tunnel(100)))
	g := build(t, w)
	start, _ := g.Nearest(geom.V(0, 0, 88))
	beyond := false
	for range 300 {
		n := g.Node(g.Random(&w.Rand, start))
		beyond = beyond || n.Location.X > 800
		if n.Low {
			t.Fatalf("drawn: %v", n)
		}
	}
	if !beyond {
		t.Error("what is beyond the tunnel was never drawn")
	}
	g, err := Build(w, Options{CrouchHalfHeight: -1})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := g.LowPath(geom.V(0, 0, 88), geom.V(950, 0, 88)); ok && !p.Partial {
		t.Errorf("who never crouches: %v", p)
	}
}
