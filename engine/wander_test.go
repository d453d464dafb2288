package engine

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestWander: an hour of pawns (all of them together, at 20, 60 and 144 Hz) running, jumping and turning about
// in every level, its lifts going. Nobody is ever deeper than 0.1 uu in a solid, nobody falls out of the arena or the estuary,
// and anyone who holds one direction for 10 s gets 50 uu away, as long as there is a way on: see wayOn. A last part is
// walked as a crowd that stands in its own way, for which only the depth is judged.
//
// TIDELOCK_LONG=1 makes it a day, TIDELOCK_FOREIGN_MAPS is a folder of further levels, by other people: at scale 3.2 they load with one
// warning a kind, and a Character fits every start.
func TestWander(t *testing.T) {
	hours := 1.0
	if tier.IsLong() {
		hours = 24
	} else if testing.Short() {
		hours = 0.1
	}
	levels := map[string]*level.Level{}
	for _, name := range []string{"flat", "wall", "steps", "arena", "estuary"} {
		levels[name] = content(t, name)
	}
	if dir := os.Getenv("TIDELOCK_FOREIGN_MAPS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*.map"))
		for _, f := range files {
			levels[filepath.Base(f)] = readLevel(t, f, 3.2)
		}
	} else {
		t.Log("TIDELOCK_FOREIGN_MAPS is not set: own levels only")
	}
	for name, lv := range levels {
		t.Run(name, func(t *testing.T) {
			wander(t, lv, hours*3600*0.2, 20, 1, false)
			wander(t, lv, hours*3600*0.4, 60, 2, false)
			wander(t, lv, hours*3600*0.2, 144, 3, false)
			wander(t, lv, hours*3600*0.2, 60, 4, true)
		})
	}
}

// walkers are how many pawns share the hour.
const walkers = 12

type wanderer struct {
	pawn   *Actor
	dir    vec
	anchor vec
	far    float64 // the farthest from the anchor
	until  int     // tick at which the direction changes
	jumps  bool
}

func wander(t *testing.T, lv *level.Level, seconds, hz float64, seed uint64, crowd bool) {
	w, d := inLevel(t, lv, "FellOutOfWorld", "Touch", "Falling")
	told := map[string]bool{}
	for _, warning := range append(w.LoadEntities(lv), lv.Warnings...) {
		if told[warning.Text] {
			t.Errorf("twice: %s", warning)
		}
		told[warning.Text] = true
	}
	starts := w.ActorsOf("PlayerStart")
	if len(starts) == 0 {
		t.Fatal("no player start")
	}
	for _, s := range starts {
		if depth := depthOf(s); depth > 0.001 {
			t.Errorf("a Character is %v deep at %v", depth, s.Location)
		}
	}
	r := rand.New(rand.NewPCG(seed, 10))
	d.on["FellOutOfWorld"] = func(a *Actor, _ []Value) { a.Destroy() }
	movers := w.ActorsOf("Mover")
	var list []*wanderer
	born := func(x *wanderer, tick int) {
		s := starts[r.IntN(len(starts))]
		x.pawn = spawn(t, w, "Character", SpawnParams{Location: s.Location})
		x.pawn.SetCollision(true, true, crowd)
		x.until = tick
	}
	for range walkers {
		x := &wanderer{}
		list = append(list, x)
		born(x, 0)
	}
	ticks := int(seconds / walkers * hz)
	worst, fell, shuts, judged, minFar := 0.0, 0, 0, 0, math.Inf(1)
	before := w.Sweeps()
	for tick := range ticks {
		for _, x := range list {
			a := x.pawn
			if tick == x.until {
				if x.far < 50 && x.dir != (vec{}) && !crowd {
					if on, ok := wayOn(w, a, x.dir); !ok {
						shuts++
					} else {
						t.Errorf("tick %d: %s at %v, %v, v %v: within %.1f uu of %v for 10 s, going %v, and could go %v", tick, a, a.Location, a.Physics, a.Velocity, x.far, x.anchor, x.dir, on)
					}
				} else if x.dir != (vec{}) {
					minFar = min(minFar, x.far)
				}
				judged++
				s, c := math.Sincos(r.Float64() * 2 * math.Pi)
				x.dir = geom.V(c, s, 0)
				x.jumps = r.IntN(2) == 0
				x.until = tick + int(10*hz)
				x.anchor, x.far = a.Location, 0
			}
			a.Acceleration = x.dir.Mul(2048)
			if x.jumps && r.IntN(int(hz)) == 0 && a.Physics == PhysWalking {
				a.Velocity.Z += 420
				a.SetPhysics(PhysFalling)
			}
		}
		if len(movers) > 0 && tick%int(8*hz) == 0 {
			for _, m := range movers {
				to := m.Get(m.Class.Property("MoveTo")).Vec
				if m.Location.Sub(m.Home()).Size() > 1 {
					to = vec{}
				}
				must(t, m.StartMove(to, 2, false))
			}
		}
		w.Step(1 / hz)
		for _, x := range list {
			a := x.pawn
			if a.Deleted() {
				fell++
				born(x, tick+1)
				x.dir, x.until = vec{}, tick+1
				continue
			}
			x.far = max(x.far, a.Location.Distance(x.anchor))
			if depth := depthOf(a); depth > worst {
				worst = depth
				if depth > 0.1 {
					t.Fatalf("tick %d: %s is %.3f uu deep at %v, %v", tick, a, depth, a.Location, a.Physics)
				}
			}
			if !a.Location.IsFinite() || !a.Velocity.IsFinite() {
				t.Fatalf("lost: %v %v", a.Location, a.Velocity)
			}
		}
	}
	moves := float64(ticks * walkers)
	t.Logf("%g Hz, %.0f s: deepest %.6f uu, fell out %d times, shut in %d of %d times, least way in 10 s else %.0f uu, %.2f sweeps a move",
		hz, seconds, worst, fell, shuts, judged, minFar, float64(w.Sweeps()-before)/moves)
	if fell > 0 && (strings.HasPrefix(lv.Name, "arena") || strings.HasPrefix(lv.Name, "estuary")) {
		t.Errorf("%d fell out of the arena", fell)
	}
}
