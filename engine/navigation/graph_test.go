package navigation

import (
	"math"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

var levels = []string{"flat", "wall", "steps", "arena"}

func starts(w *engine.World) (out []vec) {
	for _, a := range w.ActorsOf("PlayerStart") {
		out = append(out, a.Location)
	}
	return out
}

func TestEveryStartReachesEveryOther(t *testing.T) {
	for _, name := range levels {
		w := content(t, name)
		g := build(t, w)
		kinds := [4]int{}
		for id := range g.Len() {
			for _, l := range g.Links(NodeID(id)) {
				kinds[l.Kind]++
			}
		}
		t.Logf("%s: %d nodes, links %v, %d components, %d sweeps", name, g.Len(), kinds, g.Components(), g.body.q.Sweeps)
		for _, a := range starts(w) {
			for _, b := range starts(w) {
				p, ok := g.Path(a, b)
				if !ok || p.Steps[len(p.Steps)-1].To.Distance(b) > 5 {
					t.Errorf("%s: no way from %v to %v: %v", name, a, b, p)
				}
			}
		}
	}
}

// What a path says is what a Character can do in the engine.
func TestPathsCanBeWalked(t *testing.T) {
	for _, name := range levels {
		w := content(t, name)
		g := build(t, w)
		var r engine.Rand
		r.Seed(7)
		all := starts(w)
		used := [4]int{}
		for i := range 50 {
			id, _ := g.Nearest(all[r.Intn(len(all))])
			from, to := g.Random(&r, id), g.Random(&r, id)
			if i%2 == 0 || g.Node(from).Mover != 0 {
				from = id
			}
			if g.Node(to).Mover != 0 {
				continue
			}
			a, b := g.Node(from).Location, g.Node(to).Location
			if name != "arena" { // where it is not open floor for minutes
				a, b = a.ClampSize(2500), b.ClampSize(2500)
				a.Z, b.Z = g.Node(from).Location.Z, g.Node(to).Location.Z
				if o, ok := g.Nearest(b); ok {
					b = g.Node(o).Location
				}
				if o, ok := g.Nearest(a); ok {
					a = g.Node(o).Location
				}
			}
			p, ok := g.Path(a, b)
			if !ok {
				if g.Reaches(from, to) && name == "arena" {
					t.Errorf("%s: no way from %v to %v", name, a, b)
				}
				continue
			}
			for _, st := range p.Steps {
				used[st.Kind]++
			}
			pawn, err := w.Spawn(w.Classes.Find("Character"), engine.SpawnParams{Location: a})
			if err != nil {
				t.Fatal(err)
			}
			if took, ok := follow(w, g, pawn, p); !ok {
				t.Errorf("%s: from %v to %v: at %v (%v) after %.1f s, estimated %.1f: %v", name, a, b, pawn.Location, pawn.Physics, took, p.Seconds, p.Steps)
			}
			pawn.Destroy()
			for range 8 * 4 { // lifts go home
				w.Step(0.25)
			}
		}
		t.Logf("%s: steps by kind %v", name, used)
	}
}

func TestRoundTheWall(t *testing.T) {
	w := content(t, "wall")
	g := build(t, w)
	p, ok := g.Path(geom.V(300, 0, 88), geom.V(700, 0, 88))
	if !ok {
		t.Fatal("no way")
	}
	far, at := 0.0, geom.V(300, 0, 88)
	for _, st := range p.Steps {
		far += st.To.Distance(at)
		at = st.To
		if st.Kind != Walk {
			t.Errorf("a %v round a wall", st.Kind)
		}
	}
	// Straight lines past the corner, 34 uu from it.
	if best := 2 * math.Hypot(2034, 200); far < best || far > best*1.1 {
		t.Errorf("%.0f uu, expected %.0f: %v", far, best, p.Steps)
	}
}

func TestUpStairsAndRampNotUpTheSteep(t *testing.T) {
	w := content(t, "steps")
	g := build(t, w)
	up := func(y float64) (Path, bool) {
		x, z := 1300.0, 256.0
		if y == 0 {
			x = 950
		}
		p, ok := g.Path(geom.V(0, y, 88), geom.V(x, y, z+88))
		return p, ok && p.Steps[len(p.Steps)-1].To.Distance(geom.V(x, y, z+88)) < 5
	}
	for _, y := range []float64{-1600, -800} {
		p, ok := up(y)
		if !ok || p.Seconds > 1300.0/440*1.2 || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kind != Walk }) {
			t.Errorf("y = %v: %v %v", y, p, ok)
		}
	}
	if p, ok := up(0); ok {
		t.Errorf("up a ramp of 60 degrees: %v", p)
	}
	// The ledge of 40 uu is jumped on, and the lift leads to its platform.
	for _, c := range []struct {
		to   vec
		kind Kind
	}{{geom.V(800, 800, 128), Jump}, {geom.V(1100, 1600, 360), Lift}} {
		p, ok := g.Path(geom.V(0, 800, 88), c.to)
		if !ok || !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kind == c.kind }) {
			t.Errorf("%v: %v %v", c.kind, p, ok)
		}
	}
}

func TestSameLevelSameGraph(t *testing.T) {
	a, b := build(t, content(t, "arena")), build(t, content(t, "arena"))
	if !slices.Equal(a.nodes, b.nodes) {
		t.Fatal("other nodes")
	}
	for id := range a.links {
		if !slices.Equal(a.links[id], b.links[id]) {
			t.Fatalf("node %d has other links", id)
		}
	}
}

func TestBounds(t *testing.T) {
	w := content(t, "arena")
	for _, o := range []Options{{MaxNodes: 10}, {MaxSweeps: 1000}, {Spacing: 5}, {Radius: math.NaN()}, {Gravity: math.Inf(-1)}} {
		if _, err := Build(w, o); err == nil {
			t.Errorf("%+v: no error", o)
		} else {
			t.Log(err)
		}
	}
}

func BenchmarkBuildArena(b *testing.B) {
	w := content(b, "arena")
	for b.Loop() {
		g := build(b, w)
		b.ReportMetric(float64(g.Len()), "nodes")
	}
}

func BenchmarkPathArena(b *testing.B) {
	w := content(b, "arena")
	g := build(b, w)
	all := starts(w)
	for i := 0; b.Loop(); i++ {
		g.Path(all[i%len(all)], all[(i/len(all)+1+i)%len(all)])
	}
}
