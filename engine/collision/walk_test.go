package collision_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// walker slides, steps and falls with nothing but sweeps: enough of a Character to try geometry with. The
// engine's own movement has its own tests.
type walker struct {
	q        collision.Query
	at, v    geom.Vector
	half     geom.Vector
	grounded bool
}

const (
	dt       = 1.0 / 60
	stepUp   = 35.0
	walkable = 0.7071
)

// slide moves by d, along up to four surfaces.
func (w *walker) slide(d geom.Vector) (hitWall bool) {
	var planes [4]geom.Vector
	n := 0
	for range 4 {
		h := w.q.Sweep(w.at, w.at.Add(d), w.half, none)
		w.at = h.Location
		if !h.Blocked() {
			return hitWall
		}
		if h.Normal.Z < walkable {
			hitWall = true
		}
		d = d.Mul(1 - h.Fraction)
		planes[n] = h.Normal
		n++
		for i := range n {
			p := planes[i]
			if d.Dot(p) >= 0 {
				continue
			}
			d = d.MulAdd(p, -d.Dot(p)*1.0001)
			w.v = w.v.MulAdd(p, min(0, w.v.Dot(p))*-1.0001)
			for j := range n {
				if j != i && d.Dot(planes[j]) < 0 {
					crease := p.Cross(planes[j]).Normal()
					d = crease.Mul(d.Dot(crease))
				}
			}
		}
		if d.SizeSquared() < 1e-12 {
			return hitWall
		}
	}
	return hitWall
}

func (w *walker) tick(wish geom.Vector, jump bool) {
	w.v.X, w.v.Y = wish.X, wish.Y
	if w.grounded && jump {
		w.v.Z, w.grounded = 420, false
	}
	if !w.grounded {
		w.v.Z -= 980 * dt
		w.slide(w.v.Mul(dt))
		if w.v.Z < 1 { // sliding leaves a little upwards
			h := w.q.Sweep(w.at, w.at.Add(geom.V(0, 0, -0.5)), w.half, none)
			w.grounded = h.Blocked() && h.Normal.Z >= walkable
		}
		return
	}
	w.v.Z = 0
	from, before := w.at, w.v
	if w.slide(w.v.Mul(dt)) {
		flat := w.at
		w.at, w.v = from, before
		up := w.q.Sweep(w.at, w.at.Add(geom.V(0, 0, stepUp)), w.half, none)
		w.at = up.Location
		w.slide(before.Mul(dt))
		down := w.q.Sweep(w.at, w.at.Add(geom.V(0, 0, -(up.Location.Z-from.Z))), w.half, none)
		w.at = down.Location
		if down.Blocked() && down.Normal.Z < walkable || w.at.Sub(from).Size2D() <= flat.Sub(from).Size2D() {
			w.at = flat
		}
	}
	h := w.q.Sweep(w.at, w.at.Add(geom.V(0, 0, -stepUp)), w.half, none)
	if w.grounded = h.Blocked() && h.Normal.Z >= walkable; w.grounded {
		w.at = h.Location
	}
}

// TestWalkOfAnHour: an hour of running, turning and jumping about in each level leaves nobody in a solid by
// more than 0.1 uu, and everyone gets away.
func TestWalkOfAnHour(t *testing.T) {
	paths, _ := filepath.Glob("../../content/levels/*.map")
	if dir := os.Getenv("TIDELOCK_FOREIGN_MAPS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.map"))
		paths = append(paths, more...)
	} else {
		t.Log("TIDELOCK_FOREIGN_MAPS is not set: own levels only")
	}
	if len(paths) < 4 {
		t.Fatal("no levels")
	}
	seconds := 3600
	if testing.Short() {
		seconds = 300
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o := level.Options{}
		if strings.Contains(path, "dm4") || strings.Contains(path, "example") {
			o.Scale = 3.2
		}
		lv, err := level.Parse(filepath.Base(path), src, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(lv.Name, func(t *testing.T) { walkAbout(t, lv, seconds) })
	}
}

func walkAbout(t *testing.T, lv *level.Level, seconds int) {
	w := walker{q: collision.Query{World: collision.NewWorld(lv.Solids())}, half: geom.V(34, 34, 88)}
	var starts []geom.Vector
	for i := range lv.Entities {
		e := &lv.Entities[i]
		if e.ClassName == "PlayerStart" || strings.HasPrefix(e.ClassName, "info_player") {
			if way, ok := w.q.Depenetrate(e.Origin, w.half, 100, none); ok {
				starts = append(starts, e.Origin.Add(way))
			}
		}
	}
	if len(starts) == 0 {
		t.Skip("no room at any start")
	}
	r := rand.New(rand.NewPCG(9, 10))
	w.at = starts[0]
	bounds, _ := w.q.World.Bounds()
	worst, deepTicks, respawns, idle := 0.0, 0, 0, 0
	yaw, moves := 0.0, 0
	anchor, since := w.at, 0
	for tick := range seconds * 60 {
		switch {
		case tick%(60*60) == 0:
			w.at, w.v = starts[r.IntN(len(starts))], geom.Vector{}
			anchor, since = w.at, 0
		case r.IntN(40) == 0:
			yaw = r.Float64() * 2 * math.Pi
		}
		s, c := math.Sincos(yaw)
		w.tick(geom.V(c, s, 0).Mul(440), r.IntN(90) == 0)
		moves++
		depth := w.q.Deepest(w.at, w.half, none).Depth
		worst = max(worst, depth)
		if depth > 0.1 {
			deepTicks++
		}
		if since++; w.at.Distance(anchor) > 50 {
			anchor, since = w.at, 0
		} else if since > 600 {
			idle++
			if idle < 5 {
				t.Errorf("tick %d: within 50 uu of %v for 10 s", tick, anchor)
			}
			w.at, w.v = starts[r.IntN(len(starts))], geom.Vector{}
			anchor, since = w.at, 0
		}
		if w.at.Z < bounds.Min.Z-500 {
			respawns++
			w.at, w.v = starts[r.IntN(len(starts))], geom.Vector{}
			anchor, since = w.at, 0
		}
		if !w.at.IsFinite() {
			t.Fatal("lost")
		}
	}
	t.Logf("deepest %.6f uu, left the level %d times, %.2f sweeps a move", worst, respawns, float64(w.q.Sweeps)/float64(moves))
	if worst > 0.1 {
		t.Errorf("%.3f uu deep in a solid (in %d ticks)", worst, deepTicks)
	}
	if strings.HasPrefix(lv.Name, "arena") && respawns > 0 {
		t.Errorf("left the arena %d times", respawns)
	}
}
