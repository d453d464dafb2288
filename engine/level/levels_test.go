package level_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// The levels in content/levels are written by the functions below (dimensions of scenario.md and of the
// default Character: radius 34, half height 88, step 35, jump 90 uu high). An editor opens them like any
// other; whoever goes on by hand deletes the function and the case.
var update = flag.Bool("update", false, "write content/levels from the functions in this file")

const levels = "../../content/levels"

var (
	pawn     = geom.V(34, 34, 88)
	builders = map[string]func(*writer){"flat": flat, "wall": wall, "steps": steps, "arena": arena}
)

func TestLevelsAreAsWritten(t *testing.T) {
	for name, build := range builders {
		w := &writer{}
		build(w)
		path := filepath.Join(levels, name+".map")
		if *update {
			if err := os.WriteFile(path, []byte(w.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != w.String() {
			t.Errorf("%s differs from what its function writes; run with -update, or delete the function", path)
		}
	}
}

func load(t testing.TB, name string) *level.Level {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(levels, name+".map"))
	if err != nil {
		t.Fatal(err)
	}
	lv, err := level.Parse(name+".map", src, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return lv
}

// TestLevelsLoad: no warnings, every start stands on something and in nothing, every pickup is in reach of a
// floor, movers have what Mover.lua reads.
func TestLevelsLoad(t *testing.T) {
	for name := range builders {
		lv := load(t, name)
		for _, w := range lv.Warnings {
			t.Errorf("warning %s", w)
		}
		q := collision.Query{World: collision.NewWorld(lv.Solids())}
		starts := 0
		for i := range lv.Entities {
			e := &lv.Entities[i]
			switch e.ClassName {
			case "PlayerStart":
				starts++
				if c := q.Deepest(e.Origin, pawn, collision.Filter{}); c.Depth > 0.001 {
					t.Errorf("%s: start %d at %v is %g uu in brush %d", name, starts, e.Origin, c.Depth, c.Brush)
				}
				if h := q.Sweep(e.Origin, e.Origin.Add(geom.V(0, 0, -1)), pawn, collision.Filter{}); h.Normal != geom.V(0, 0, 1) || h.Fraction != 0 {
					t.Errorf("%s: start %d at %v stands on nothing: %+v", name, starts, e.Origin, h)
				}
			case "Pickup":
				if h := q.Line(e.Origin, e.Origin.Add(geom.V(0, 0, -48)), collision.Filter{}); !h.Blocked() || h.StartSolid {
					t.Errorf("%s: pickup at %v is over no floor: %+v", name, e.Origin, h)
				}
			case "Mover":
				if len(level.Solids(e.Brushes)) == 0 {
					t.Errorf("%s: Mover in line %d has no solid brush", name, e.Line)
				}
				s, _ := e.Keys.Get("MoveTo")
				if v, ok := level.ParseVector(s); !ok || v.IsZero() {
					t.Errorf("%s: Mover in line %d: MoveTo %q", name, e.Line, s)
				}
				for _, k := range []string{"MoveTime", "StayOpenTime"} {
					s, _ := e.Keys.Get(k)
					if f, err := strconv.ParseFloat(s, 64); err != nil || f <= 0 {
						t.Errorf("%s: Mover in line %d: %s %q", name, e.Line, k, s)
					}
				}
			default:
				t.Errorf("%s: unexpected class %s", name, e.ClassName)
			}
		}
		if starts < 8 {
			t.Errorf("%s: %d player starts", name, starts)
		}
	}
}

// TestFlatIsWhatScenariosRelyOn holds the numbers of scenario.md.
func TestFlatIsWhatScenariosRelyOn(t *testing.T) {
	for _, name := range []string{"flat", "wall", "steps"} {
		lv := load(t, name)
		if b := lv.Brushes[0].Bounds; b.Min.X != -16000 || b.Max.X != 16000 || b.Min.Y != -16000 || b.Max.Y != 16000 || b.Max.Z != 0 {
			t.Errorf("%s: floor %v", name, b)
		}
		n := 0
		for i := range lv.Entities {
			e := &lv.Entities[i]
			if e.ClassName != "PlayerStart" {
				continue
			}
			if want := geom.V(0, float64(-2000+400*n), 88); e.Origin != want || e.Rotation() != (geom.Rotator{}) {
				t.Errorf("%s: start %d at %v facing %v, want %v", name, n, e.Origin, e.Rotation(), want)
			}
			n++
		}
		if n != 11 {
			t.Errorf("%s: %d starts", name, n)
		}
	}
	if n := len(load(t, "flat").Brushes); n != 1 {
		t.Errorf("flat has %d brushes", n)
	}
	lv := load(t, "wall")
	if b := lv.Brushes[1].Bounds; len(lv.Brushes) != 2 || b.Min != geom.V(500, -2000, 0) || b.Max != geom.V(520, 2000, 1000) {
		t.Errorf("wall: %v", b)
	}
	// The slopes are exact to what a walkable limit could notice.
	slopes := map[int]bool{}
	lv = load(t, "steps")
	for _, b := range lv.Brushes {
		for _, p := range b.Planes {
			deg := math.Acos(p.Normal.Z) * 180 / math.Pi
			if deg > 1 && deg < 89 && math.Abs(deg-math.Round(deg)) < 1e-6 {
				slopes[int(math.Round(deg))] = true
			}
		}
	}
	if !slopes[30] || !slopes[60] {
		t.Errorf("steps: slopes %v", slopes)
	}
}

// TestArenaIsFair: half a turn maps the arena onto itself, so no side has more.
func TestArenaIsFair(t *testing.T) {
	lv := load(t, "arena")
	seen := map[string]int{}
	key := func(class string, b geom.Bounds, turn bool) string {
		if turn {
			b.Min.X, b.Max.X = -b.Max.X, -b.Min.X
			b.Min.Y, b.Max.Y = -b.Max.Y, -b.Min.Y
		}
		zero := geom.Vector{} // makes −0 print as 0
		return class + b.Min.Add(zero).String() + b.Max.Add(zero).String()
	}
	for _, turn := range []bool{false, true} {
		step := 1
		if turn {
			step = -1
		}
		for _, b := range lv.Brushes {
			seen[key("", b.Bounds, turn)] += step
		}
		for i := range lv.Entities {
			e := &lv.Entities[i]
			b := geom.Bounds{Min: e.Origin, Max: e.Origin}
			seen[key(e.ClassName, b, turn)] += step
		}
	}
	for k, n := range seen {
		if n != 0 {
			t.Errorf("%s has no counterpart", k)
		}
	}
}

// writer writes .map text.
type writer struct {
	strings.Builder
	half bool // give what is written half a turn about z
	open bool // an entity's brace is
}

func (w *writer) note(format string, args ...any) { fmt.Fprintf(w, "// "+format+"\n", args...) }

func (w *writer) entity(class string, keys ...string) {
	w.end()
	fmt.Fprintf(w, "{\n\"classname\" %q\n", class)
	for i := 0; i < len(keys); i += 2 {
		fmt.Fprintf(w, "%q %q\n", keys[i], keys[i+1])
	}
	w.open = true
}

func (w *writer) end() {
	if w.open {
		w.WriteString("}\n")
		w.open = false
	}
}

func (w *writer) at(v geom.Vector) geom.Vector {
	if w.half {
		return geom.V(0-v.X, 0-v.Y, v.Z)
	}
	return v
}

// twice writes things and their counterparts half a turn on, so that opposite sides are equal.
func (w *writer) twice(fn func()) {
	fn()
	w.half = true
	fn()
	w.half = false
}

func num(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func vec(v geom.Vector) string { return num(v.X) + " " + num(v.Y) + " " + num(v.Z) }

// solid writes a brush from three points a face, turned outward from inside.
func (w *writer) solid(texture string, inside geom.Vector, faces ...[3]geom.Vector) {
	w.WriteString("{\n")
	for _, f := range faces {
		for i := range f {
			f[i] = w.at(f[i])
		}
		if f[0].Sub(f[1]).Cross(f[2].Sub(f[1])).Dot(w.at(inside).Sub(f[0])) > 0 {
			f[0], f[2] = f[2], f[0]
		}
		fmt.Fprintf(w, "( %s ) ( %s ) ( %s ) %s 0 0 0 1 1\n", vec(f[0]), vec(f[1]), vec(f[2]), texture)
	}
	w.WriteString("}\n")
}

// prism is an upright column over a convex outline.
func (w *writer) prism(texture string, z0, z1 float64, outline ...geom.Vector) {
	var inside geom.Vector
	for _, v := range outline {
		inside = inside.MulAdd(v, 1/float64(len(outline)))
	}
	inside.Z = (z0 + z1) / 2
	up := func(v geom.Vector, z float64) geom.Vector { return geom.V(v.X, v.Y, z) }
	faces := [][3]geom.Vector{
		{up(outline[0], z0), up(outline[1], z0), up(outline[2], z0)},
		{up(outline[0], z1), up(outline[1], z1), up(outline[2], z1)},
	}
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		faces = append(faces, [3]geom.Vector{up(a, z0), up(b, z0), up(a, z1)})
	}
	w.solid(texture, inside, faces...)
}

func (w *writer) box(texture string, x0, y0, z0, x1, y1, z1 float64) {
	w.prism(texture, z0, z1, geom.V(x0, y0, 0), geom.V(x1, y0, 0), geom.V(x1, y1, 0), geom.V(x0, y1, 0))
}

// ramp fills the part of a box under the slope that rises from its low edge (at from) to its high one (at to)
// along x or y.
func (w *writer) ramp(texture string, alongX bool, from, to, side0, side1, z0, z1 float64) {
	v := func(along, side, z float64) geom.Vector {
		if alongX {
			return geom.V(along, side, z)
		}
		return geom.V(side, along, z)
	}
	inside := v(from*0.25+to*0.75, (side0+side1)/2, z0*0.75+z1*0.25)
	w.solid(texture, inside,
		[3]geom.Vector{v(from, side0, z0), v(to, side0, z0), v(to, side1, z0)},
		[3]geom.Vector{v(to, side0, z0), v(to, side0, z1), v(to, side1, z1)},
		[3]geom.Vector{v(from, side0, z0), v(to, side0, z0), v(to, side0, z1)},
		[3]geom.Vector{v(from, side1, z0), v(to, side1, z0), v(to, side1, z1)},
		[3]geom.Vector{v(from, side0, z0), v(from, side1, z0), v(to, side1, z1)})
}

// stairs are solid steps of 16 uu from the floor z0 to one step below z1, with treads of 32 uu; top is where
// the last one ends at what it leads to, dir is +1 or −1: where the stairs lie from there.
func (w *writer) stairs(texture string, alongX bool, top, dir, side0, side1, z0, z1 float64) {
	n := int((z1 - z0) / 16)
	for k := 1; k < n; k++ {
		far := top + dir*32*float64(n-k)
		a, b := min(top, far), max(top, far)
		if alongX {
			w.box(texture, a, side0, z0, b, side1, z0+16*float64(k))
		} else {
			w.box(texture, side0, a, z0, side1, b, z0+16*float64(k))
		}
	}
}

func (w *writer) point(class string, x, y, z float64, keys ...string) {
	w.entity(class, append([]string{"origin", vec(w.at(geom.V(x, y, z)))}, keys...)...)
	w.end()
}

// start places a player whose feet are at z, facing yaw degrees.
func (w *writer) start(x, y, z, yaw float64) {
	if w.half {
		yaw = math.Mod(yaw+180, 360)
	}
	w.point("PlayerStart", x, y, z+pawn.Z, "angle", num(yaw))
}

// ground is what flat, wall and steps have in common, with worldspawn left open.
func (w *writer) ground(title string) {
	w.note("Game: Tidelock")
	w.note("Format: Standard")
	w.entity("worldspawn", "message", title, "killz", "-4000")
	w.note("the floor: its top is z = 0")
	w.box("floor", -16000, -16000, -128, 16000, 16000, 0)
}

func (w *writer) starts() {
	w.end()
	w.note("player starts, used in this order: x = 0, one every 400 uu, facing +x")
	for y := -2000.0; y <= 2000; y += 400 {
		w.start(0, y, 0, 0)
	}
}

func flat(w *writer) {
	w.ground("flat")
	w.starts()
}

func wall(w *writer) {
	w.ground("wall")
	w.note("the wall")
	w.box("wall", 500, -2000, 0, 520, 2000, 1000)
	w.starts()
}

// steps has one obstacle in front of every other start, 320 uu wide, from x = 600 on.
func steps(w *writer) {
	w.ground("steps")
	w.note("y = -1600: 16 steps of 16 uu, up to a platform at z = 256")
	w.stairs("step", true, 1112, -1, -1760, -1440, 0, 256)
	w.box("platform", 1112, -1760, 0, 1512, -1440, 256)
	w.note("y = -800: a ramp of 30 degrees up to a platform at z = 256")
	end := 600 + 256/math.Tan(math.Pi/6)
	w.ramp("ramp", true, 600, end, -960, -640, 0, 256)
	w.box("platform", end, -960, 0, end+400, -640, 256)
	w.note("y = 0: a ramp of 60 degrees, too steep to walk")
	end = 600 + 256/math.Tan(math.Pi/3)
	w.ramp("ramp", true, 600, end, -160, 160, 0, 256)
	w.box("platform", end, -160, 0, end+400, 160, 256)
	w.note("y = 800: a ledge of 40 uu, too high to step on, low enough to jump on")
	w.box("platform", 600, 640, 0, 1000, 960, 40)
	w.note("y = 1600: a platform at z = 272, where the lift ends")
	w.box("platform", 856, 1440, 0, 1256, 1760, 272)
	w.starts()
	w.note("the lift: 16 uu high, rises 256 uu")
	w.entity("Mover", "targetname", "Lift", "MoveTo", "0 0 256", "MoveTime", "2", "StayOpenTime", "3")
	w.box("lift", 600, 1472, 0, 856, 1728, 16)
	w.end()
}

// arena is a deathmatch level for 8: three storeys about a centre, equal under half a turn.
//
//	448  balconies west and east, and the bridge between them with a hole over the dais
//	352  islands to leap by, from the balconies towards the platforms
//	256  platforms north and south, with an alcove below each
//	128  the dais in the middle
//	  0  the floor, with walls to hide behind
//
// Every way up has a faster way down: stairs and lifts to the balconies, ramps and crates to the platforms,
// and open edges everywhere.
func arena(w *writer) {
	w.note("Game: Tidelock")
	w.note("Format: Standard")
	w.entity("worldspawn", "message", "Spring Tide", "killz", "-1000")
	w.note("shell: floor, walls, sky")
	w.box("floor", -2032, -2032, -32, 2032, 2032, 0)
	w.box("sky1", -2032, -2032, 1200, 2032, 2032, 1232)
	w.twice(func() {
		w.box("wall", 2000, -2032, 0, 2032, 2032, 1200)
		w.box("wall", -2000, 2000, 0, 2000, 2032, 1200)
	})
	w.note("the dais, with stairs west and east, ramps north and south, and four pillars")
	w.prism("dais", 0, 128,
		geom.V(384, -160, 0), geom.V(384, 160, 0), geom.V(160, 384, 0), geom.V(-160, 384, 0),
		geom.V(-384, 160, 0), geom.V(-384, -160, 0), geom.V(-160, -384, 0), geom.V(160, -384, 0))
	w.twice(func() {
		w.stairs("step", true, 384, 1, -160, 160, 0, 128)
		w.ramp("ramp", false, 640, 384, -160, 160, 0, 128)
		w.box("pillar", 200, 200, 128, 248, 248, 320)
		w.box("pillar", -248, 200, 128, -200, 248, 320)
	})
	w.note("balconies, their columns and parapets")
	w.twice(func() {
		w.box("balcony", -2000, -704, 416, -1400, 704, 448)
		for _, y := range []float64{-704, -224, 176, 656} {
			w.box("pillar", -1448, y, 0, -1400, y+48, 416)
		}
		w.box("wall", -1416, 160, 448, -1400, 480, 496)
		w.box("wall", -1416, -480, 448, -1400, -160, 496)
	})
	w.note("the bridge: solid to the sides, two beams over the dais")
	w.twice(func() {
		w.box("bridge", -1400, -96, 416, -224, 96, 448)
		w.box("bridge", -224, -96, 416, 224, -48, 448)
		w.box("pillar", -824, -24, 0, -776, 24, 416)
	})
	w.note("stairs along the side walls up to the balconies")
	w.twice(func() { w.stairs("step", false, 704, 1, -2000, -1760, 0, 448) })
	w.note("platforms with an alcove below, a ramp on one side, crates on the other")
	w.twice(func() {
		w.box("platform", -512, 1440, 216, 512, 2000, 256)
		w.box("pillar", -512, 1440, 0, -464, 1488, 216)
		w.box("pillar", 464, 1440, 0, 512, 1488, 216)
		w.ramp("ramp", true, -960, -512, 1560, 1840, 0, 256)
		w.box("crate", 512, 1480, 0, 640, 1640, 240)
		w.box("crate", 640, 1480, 0, 768, 1640, 160)
		w.box("crate", 768, 1480, 0, 896, 1640, 80)
	})
	w.note("islands, low crates, and the corners to hide behind")
	w.twice(func() {
		w.box("pillar", -1000, 900, 0, -840, 1060, 352)
		w.box("crate", -700, 500, 0, -572, 628, 80)
		w.box("wall", 700, 700, 0, 764, 1100, 192)
		w.box("wall", 764, 700, 0, 1100, 764, 192)
	})
	w.end()

	w.note("lifts to the balconies")
	lift := 0
	w.twice(func() {
		lift++
		w.entity("Mover", "targetname", fmt.Sprintf("Lift%d", lift), "MoveTo", "0 0 432", "MoveTime", "2", "StayOpenTime", "3")
		w.box("lift", -1960, -976, 0, -1704, -720, 16)
		w.end()
	})
	w.note("player starts")
	w.twice(func() { w.start(-1700, 0, 0, 0) })
	w.twice(func() { w.start(-1800, 1800, 0, 315) })
	w.twice(func() { w.start(-1800, -1800, 0, 45) })
	w.twice(func() { w.start(0, 1700, 256, 270) })
	w.twice(func() { w.start(-1200, 1200, 0, 315) })
	w.twice(func() { w.start(-1700, 300, 448, 0) })
	w.note("pickups: the prize on the dais below the hole in the bridge; pairs elsewhere")
	w.point("Pickup", 0, 0, 168, "targetname", "PickupPrize")
	for _, p := range []struct {
		name    string
		x, y, z float64
	}{
		{"Alcove", 0, 1720, 40},
		{"Balcony", -1700, -300, 488},
		{"Bridge", -600, 0, 488},
		{"Corner", 900, 900, 40},
		{"Island", -920, 980, 392},
		{"Hall", -1700, -500, 40},
		{"Platform", 300, 1700, 296},
	} {
		n := 0
		w.twice(func() {
			n++
			w.point("Pickup", p.x, p.y, p.z, "targetname", fmt.Sprintf("Pickup%s%d", p.name, n))
		})
	}
}
