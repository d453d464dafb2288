package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestSlopedBrushes: bodies that walk about among random sloped brushes, which meet in grooves, corners and under low
// ceilings, at 20, 30, 60 and 144 Hz. A body that holds a direction moves for as long as it has a way on: see wayOn. It
// never hangs in the air, and never gets into a brush. From wherever it was stopped, a direction leads 100 uu away within 2 s if
// the place has a way out at all: see wayOut.
//
// TIDELOCK_LONG=1 tries 1 000 levels instead of 60.
func TestSlopedBrushes(t *testing.T) {
	levels := uint64(60)
	if tier.IsLong() {
		levels = 1000
	} else if testing.Short() {
		levels = 10
	}
	cs := buildBodies(t)
	seeds := []uint64{268, 325, 516} // where longer runs found something: low walls that meet in a corner
	for seed := range levels {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		lv := slopedLevel(rand.New(rand.NewPCG(seed, 1)))
		var starts []vec
		r := rand.New(rand.NewPCG(seed, 2))
		for range 6 {
			starts = append(starts, geom.V(r.Float64()*500-250, r.Float64()*500-250, 1000))
		}
		for _, hz := range wedgeRates {
			roam(t, cs, lv, starts, seed, hz)
		}
		if t.Failed() {
			t.Fatalf("level %d", seed)
		}
	}
}

// slopedLevel is a floor with a heap of random brushes on it.
func slopedLevel(r *rand.Rand) *level.Level {
	between := func(lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }
	towards := func(degrees float64) vec { // a random direction that rises by so much
		s, c := math.Sincos(r.Float64() * 2 * math.Pi)
		up, level := math.Sincos(degrees * math.Pi / 180)
		return geom.V(c*level, s*level, up)
	}
	top := 0.0
	if r.IntN(4) == 0 {
		top = -500 // nothing but slopes to stand on
	}
	lv := boxes([6]float64{-3000, -3000, top - 128, 3000, 3000, top})
	for range 2 + r.IntN(6) {
		at := geom.V(between(-150, 150), between(-150, 150), between(-20, 60))
		ext := geom.V(between(60, 400), between(60, 400), between(100, 400))
		var normal vec
		switch r.IntN(8) {
		case 0, 1: // too steep to stand on
			normal = towards(between(5, 44))
		case 2:
			normal = towards(between(46, 85))
		case 3: // about as steep as can be stood on
			normal = towards(between(43, 47))
		case 4: // upright
			normal = towards(0)
		case 5: // a ceiling that slopes
			normal = towards(between(-80, -5))
			at.Z += between(50, 200)
		case 6: // on a grid, as editors make them
			normal = geom.V(float64(r.IntN(5)-2), float64(r.IntN(5)-2), float64(1+r.IntN(2)))
			round := func(v vec) vec {
				return geom.V(math.Round(v.X/16)*16, math.Round(v.Y/16)*16, math.Round(v.Z/16)*16)
			}
			at, ext = round(at), round(ext)
		default: // a rock
			var planes []collision.Plane
			for range 8 + r.IntN(6) {
				n := towards(between(-90, 90))
				planes = append(planes, collision.Plane{Normal: n, Dist: n.Dot(at) + between(30, 150)})
			}
			if h, err := collision.NewHull(planes); err == nil {
				lv.Brushes = append(lv.Brushes, level.Brush{Hull: h})
			}
			continue
		}
		if b, ok := slopeBrush(at, normal, ext); ok {
			lv.Brushes = append(lv.Brushes, b)
		}
	}
	return lv
}

// roam has bodies start at some places and hold eight random directions, each for 2 s, and judges the second half of each.
func roam(t *testing.T, cs *Classes, lv *level.Level, starts []vec, seed uint64, hz float64) {
	t.Helper()
	type walker struct {
		pawn        *Actor
		dir, anchor vec
		far         float64
	}
	r := rand.New(rand.NewPCG(seed, 3))
	w, _ := inLevelOf(cs, lv)
	var list []*walker
	for _, at := range starts {
		a := spawn(t, w, "Character", SpawnParams{Location: at})
		a.SetPhysics(PhysFalling)
		a.SetCollision(true, true, false)
		list = append(list, &walker{pawn: a})
	}
	run(w, 2, hz)
	tried := false
	for range 8 {
		for _, x := range list {
			if a := x.pawn; !a.Deleted() {
				s, c := math.Sincos(r.Float64() * 2 * math.Pi)
				x.dir = geom.V(c, s, 0)
				if a.Location.Size2D() > 400 && r.IntN(3) > 0 {
					x.dir = a.Location.Neg().Normal2D() // back to where the brushes are
				}
				a.Acceleration = x.dir.Mul(2048)
			}
		}
		run(w, 1, hz)
		for _, x := range list {
			x.anchor, x.far = x.pawn.Location, 0
		}
		for range int(hz) {
			w.Step(1 / hz)
			for _, x := range list {
				x.far = max(x.far, x.pawn.Location.Distance(x.anchor))
			}
		}
		for _, x := range list {
			a := x.pawn
			if a.Deleted() {
				continue
			}
			if depth := depthOf(a); depth > 0.1 {
				t.Errorf("level %d, %v Hz: %.3f uu deep at %v", seed, hz, depth, a.Location)
			}
			if x.far > 4 {
				continue
			}
			if a.Physics != PhysWalking {
				t.Errorf("level %d, %v Hz: hangs at %v, %v, velocity %v, going %v", seed, hz, a.Location, a.Physics, a.Velocity, x.dir)
			}
			if on, ok := wayOn(w, a, x.dir); ok {
				t.Errorf("level %d, %v Hz: stands at %v, velocity %v, going %v, and could go %v", seed, hz, a.Location, a.Velocity, x.dir, on)
			}
			if !tried {
				tried = true // once in each run: it is dear
				if from := a.Location; !leaves(t, w, from, hz) && wayOut(w, a, from) {
					t.Errorf("level %d, %v Hz: no direction leads away from %v", seed, hz, from)
				}
			}
		}
	}
}

// leaves reports whether one of 16 directions leads a body 100 uu away from a place within 2 s.
func leaves(t *testing.T, w *World, from vec, hz float64) bool {
	var list []*Actor
	for i := range 16 {
		s, c := math.Sincos(float64(i) * math.Pi / 8)
		a := spawn(t, w, "Character", SpawnParams{Location: from})
		a.SetCollision(false, false, false)
		a.Acceleration = geom.V(c, s, 0).Mul(2048)
		list = append(list, a)
	}
	out := false
	for range int(2 * hz) {
		for _, a := range list {
			w.move(a, 1/hz)
			out = out || a.Deleted() || a.Location.Distance(from) > 100
		}
	}
	for _, a := range list {
		a.Destroy()
	}
	return out
}

// hop is where a body gets by rising at most so much, going on by a way and coming down. ok is false where it is stopped, or
// would come down on something too steep that is not well below it.
func hop(q *collision.Query, at, way, half vec, rise float64) (to vec, ok bool) {
	up := q.Sweep(at, at.Add(geom.V(0, 0, rise)), half, collision.Filter{})
	if up.Location.Z < at.Z+rise*0.9 {
		return at, false
	}
	on := q.Sweep(up.Location, up.Location.Add(way), half, collision.Filter{})
	if on.Fraction < 0.5 {
		return at, false
	}
	down := q.Sweep(on.Location, on.Location.Sub(geom.V(0, 0, rise+40)), half, collision.Filter{})
	return down.Location, !down.Blocked() || down.Normal.Z >= Walkable || down.Location.Z < at.Z-8
}

// creep reports whether a body gets on by 4 uu over ground that rises by at most 45°.
func creep(q *collision.Query, at, dir, half vec) bool {
	from := at
	for range 4 {
		to, ok := hop(q, at, dir, half, 1.05)
		if !ok {
			if to, ok = hop(q, at, dir, half, 0); !ok {
				return false
			}
		}
		at = to
	}
	return at.Sub(from).Dot(dir) > 2
}

// wayOn is a direction in which a body that goes in another could slide or step, asked of sweeps alone: within 45° of its own it
// gets on over the ground, or straight on, or along what is in its way, with a step.
func wayOn(w *World, a *Actor, dir vec) (vec, bool) {
	q := &collision.Query{World: w.space.solid}
	half, at := a.half(), a.Location
	for degrees := -45; degrees <= 45; degrees += 5 {
		s, c := math.Sincos(float64(degrees) * math.Pi / 180)
		e := geom.V(dir.X*c-dir.Y*s, dir.X*s+dir.Y*c, 0)
		if creep(q, at, e, half) {
			return e, true
		}
		steps := []vec{}
		if degrees == 0 {
			steps = append(steps, e)
		}
		if h := q.Sweep(at, at.MulAdd(e, 2), half, collision.Filter{}); h.Blocked() {
			n := h.Normal.Normal2D()
			if line := dir.MulAdd(n, -dir.Dot(n)); dir.Dot(n) < 0 && line.Size() > 0.2 {
				steps = append(steps, line.Normal())
			}
		}
		for _, e := range steps {
			for _, rise := range []float64{0, 7, 16, 24, 34} {
				if _, ok := hop(q, at, e.Mul(6), half, rise); ok {
					return e, true
				}
			}
		}
	}
	return vec{}, false
}

// wayOut reports whether hops of a step's height lead from a place to one 150 uu off.
func wayOut(w *World, a *Actor, from vec) bool {
	q := &collision.Query{World: w.space.solid}
	half := a.half()
	seen := map[[3]int]bool{}
	todo := []vec{from}
	for n := 0; n < len(todo) && n < 2000; n++ {
		at := todo[n]
		if at.Distance(from) > 150 {
			return true
		}
		for i := range 16 {
			s, c := math.Sincos(float64(i) * math.Pi / 8)
			for _, rise := range []float64{0, 7, 16, 24, 34} {
				to, ok := hop(q, at, geom.V(c, s, 0).Mul(8), half, rise)
				if !ok {
					continue
				}
				if key := [3]int{int(math.Floor(to.X / 4)), int(math.Floor(to.Y / 4)), int(math.Floor(to.Z / 8))}; !seen[key] {
					seen[key] = true
					todo = append(todo, to)
				}
				break
			}
		}
	}
	return false
}
