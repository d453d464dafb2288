package navigation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

var levels = []string{"flat", "wall", "steps", "arena", "estuary"}

// big are the levels with everything in them. With -short, which is how the race detector runs what one goroutine does, the
// largest is left out.
func big() []string {
	if testing.Short() {
		return []string{"arena"}
	}
	return []string{"arena", "estuary"}
}

func starts(w *engine.World) (out []vec) {
	for _, a := range w.ActorsOf("PlayerStart") {
		out = append(out, a.Location)
	}
	return out
}

func TestLevels(t *testing.T) {
	for _, name := range levels {
		if testing.Short() && name == "estuary" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := content(t, name)
			g := build(t, w)
			firm(t, g)
			noLinkIsLost(t, name, g)
			widePathsAreWide(t, w, g)
			startsReachEachOther(t, w, g)
			pathsAreWalked(t, name, w, g)
		})
	}
}

// Each start reaches every other.
func startsReachEachOther(t *testing.T, w *engine.World, g *Graph) {
	all := starts(w)
	few := all[:min(len(all), 12)]
	for _, a := range few {
		for _, b := range few {
			p, ok := g.Path(a, b)
			if !ok || p.Partial || p.Steps[len(p.Steps)-1].To.Distance(b) > 1 {
				t.Errorf("no way from %v to %v: %v", a, b, p)
			}
		}
	}
}

// What a path says a Character can do in the engine: it arrives within three times the estimate.
func pathsAreWalked(t *testing.T, name string, w *engine.World, g *Graph) {
	all := starts(w)
	var r engine.Rand
	r.Seed(7)
	used := [4]int{}
	for range 50 {
		a, b := someWay(g, &r, all)
		p, ok := g.Path(a, b)
		if !ok || p.Partial {
			t.Errorf("no way from %v to %v", a, b)
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
			t.Errorf("from %v to %v: at %v (%v) after %.1f s, estimated %.1f: %v", a, b, pawn.Location, pawn.Physics, took, p.Seconds, p.Steps)
		}
		pawn.Destroy()
		for range 8 * 4 { // lifts go home
			w.Step(0.25)
		}
	}
	t.Logf("%d nodes, %d components, %d sweeps; steps walked, dropped, jumped and ridden: %v", g.Len(), g.Components(), g.body.q.Sweeps, used)
	if (name == "arena" || name == "steps") && (used[Jump] == 0 || used[Lift] == 0) || name == "arena" && used[Drop] == 0 {
		t.Errorf("not every kind of link was tried: %v", used)
	}
}

// someWay draws two places that the starts reach, not next to each other and not at the far ends of open floor;
// every other one ends above the ground where there is anything.
func someWay(g *Graph, r *engine.Rand, all []vec) (from, to vec) {
	start, _ := g.Nearest(all[r.Intn(len(all))])
	reached := g.reach([]NodeID{start})
	draw := func(ok func(Node) bool) vec {
		var list []vec
		for id, yes := range reached {
			if n := g.Node(NodeID(id)); yes && n.Mover == 0 && n.Location.Size2D() < 3200 && ok(n) {
				list = append(list, n.Location)
			}
		}
		if len(list) == 0 {
			return from
		}
		return list[r.Intn(len(list))]
	}
	high := r.Intn(2) == 0
	from = draw(func(Node) bool { return true })
	to = draw(func(n Node) bool { return n.Location.Distance(from) > 300 && (!high || n.Location.Z > 100) })
	if to.Distance(from) <= 300 {
		return from, draw(func(n Node) bool { return n.Location.Distance(from) > 300 })
	}
	return from, to
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
		return p, ok && !p.Partial
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

// box is a brush of a map.
func box(x0, y0, z0, x1, y1, z1 float64) string {
	p := func(v [9]float64) string {
		return fmt.Sprintf("( %v %v %v ) ( %v %v %v ) ( %v %v %v ) floor 0 0 0 1 1\n", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8])
	}
	return "{\n" + p([9]float64{x0, y0, z0, x1, y0, z0, x1, y1, z0}) + p([9]float64{x1, y1, z1, x1, y0, z1, x0, y0, z1}) +
		p([9]float64{x0, y0, z1, x1, y0, z0, x0, y0, z0}) + p([9]float64{x1, y0, z1, x1, y1, z0, x1, y0, z0}) +
		p([9]float64{x1, y1, z1, x0, y1, z0, x1, y1, z0}) + p([9]float64{x0, y1, z1, x0, y0, z0, x0, y1, z0}) + "}\n"
}

// A tower is 400 uu high, with a room below its top. Another stands 150 uu away, a third 600 uu. On the other side, whose nodes have lower
// numbers, one jump leads to a fourth tower, and a second jump from there to a fifth.
func TestFloorsGapsAndOneWays(t *testing.T) {
	text := "{ \"classname\" \"worldspawn\"\n" + box(-1000, -1000, -16, 3000, 1000, 0) +
		box(0, -300, 384, 500, 300, 400) + box(650, -300, 0, 1100, 300, 400) + box(1700, -300, 0, 2200, 300, 400) +
		box(-550, -300, 0, -150, -100, 400) + box(-1000, -300, 0, -700, -100, 400) +
		"}\n{ \"classname\" \"PlayerStart\" \"origin\" \"250 0 490\" }\n"
	w := inLevel(t, "towers.map", []byte(text))
	g := build(t, w)
	// Without a start everything counts as reached, and jumps are searched from everywhere.
	if all := build(t, inLevel(t, "nostart.map", []byte(text[:strings.LastIndex(text, "{")]))); 20*g.body.q.Sweeps > 19*all.body.q.Sweeps {
		t.Errorf("%d sweeps, as many as from where nobody can be: %d", g.body.q.Sweeps, all.body.q.Sweeps)
	}
	node := func(x, z float64) NodeID {
		id, ok := g.Nearest(geom.V(x, 0, z))
		if n := g.Node(id); !ok || math.Abs(n.Location.Z-z) > 5 || math.Abs(n.Location.X-x) > 150 {
			return None
		}
		return id
	}
	top, under, other, third := node(250, 488), node(250, 88), node(900, 488), node(1900, 488)
	if top == None || under == None || other == None {
		t.Fatalf("a floor is missing: %v %v %v", top, under, other)
	}
	if third != None {
		t.Error("a place is kept to which nothing leads")
	}
	if g.Component(top) != g.Component(other) || !g.Reaches(top, under) || g.Reaches(under, top) || g.Component(top) == g.Component(under) {
		t.Errorf("components %d %d %d", g.Component(top), g.Component(under), g.Component(other))
	}
	if last := node(-850, 488); last == None || g.Component(top) != g.Component(last) {
		t.Error("one jump is not followed by another")
	}
	kinds := func(from, to NodeID) (out []Kind) {
		p, ok := g.Path(g.Node(from).Location, g.Node(to).Location)
		if !ok {
			t.Errorf("no way from %v to %v", g.Node(from), g.Node(to))
		}
		for _, st := range p.Steps {
			out = append(out, st.Kind)
		}
		return out
	}
	if k := kinds(top, other); !slices.Contains(k, Jump) || slices.Contains(k, Drop) {
		t.Errorf("over a gap by %v", k)
	}
	if k := kinds(top, under); !slices.Contains(k, Drop) && !slices.Contains(k, Jump) {
		t.Errorf("down by %v", k)
	}
	if _, ok := g.Path(g.Node(under).Location, g.Node(top).Location); ok {
		t.Error("up a tower")
	}
	// One who does not jump stays on this side.
	g, err := Build(w, Options{JumpZ: -1})
	if err != nil {
		t.Fatal(err)
	}
	if top, under = node(250, 488), node(250, 88); top == None || under == None || node(900, 488) != None || !g.Reaches(top, under) {
		t.Error("without jumps")
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

func BenchmarkBuild(b *testing.B) {
	for _, name := range big() {
		b.Run(name, func(b *testing.B) {
			w := content(b, name)
			for b.Loop() {
				g := build(b, w)
				b.ReportMetric(float64(g.Len()), "nodes")
				b.ReportMetric(float64(g.body.q.Sweeps), "sweeps")
			}
		})
	}
}

func BenchmarkPath(b *testing.B) {
	for _, name := range big() {
		w := content(b, name)
		g := build(b, w)
		all := starts(w)
		for kind, find := range map[string]func(from, to geom.Vector) (Path, bool){"": g.Path, "-wide": g.WidePath} {
			b.Run(name+kind, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					find(all[i%len(all)], all[(i/len(all)+1+i)%len(all)])
				}
			})
		}
	}
}

// firm checks that who comes to a node a hand's breadth beside it does not fall: jumps are aimed at nodes.
func firm(t *testing.T, g *Graph) {
	t.Helper()
	b := g.body
	for id := range g.Len() {
		n := g.Node(NodeID(id))
		for _, d := range []vec{{X: 15}, {X: -15}, {Y: 15}, {Y: -15}} {
			at := b.sweep(n.Location, n.Location.Add(d)).Location
			if h := b.sweep(at, at.Sub(vec{Z: 36})); n.Mover == 0 && !h.Blocked() {
				t.Fatalf("node %d at %v: no floor beside it, %v", id, n.Location, d)
			}
		}
	}
}

// What is found on the levels does not get less when building is made quicker. After a change of a level, set the figures that
// this prints.
func noLinkIsLost(t *testing.T, name string, g *Graph) {
	least := map[string][4]int{
		"wall": {22628}, "steps": {23962, 288, 243, 1}, "arena": {6689, 1364, 1168, 2}, "estuary": {36240, 4205, 3684, 2},
	}[name]
	got, wide := [4]int{}, 0
	for id := range g.Len() {
		for _, l := range g.Links(NodeID(id)) {
			got[l.Kind]++
			if l.Wide {
				wide++
			}
		}
	}
	t.Logf("%d nodes; walks, drops, jumps and lifts %v, of the walks %d wide", g.Len(), got, wide)
	for kind, n := range least {
		if got[kind] < n {
			t.Errorf("%d links of kind %v, %d expected", got[kind], Kind(kind), n)
		}
	}
}
