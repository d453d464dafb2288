package engine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// What the tests of movement share: classes as scripts/core declares them, levels from boxes and from
// content/, and a script that writes down the events of bodies.

func float(name string, def float64) PropertySpec {
	return PropertySpec{Name: name, Type: &Type{Kind: KindFloat}, Default: Float(def)}
}

func defaults(kv ...any) []DefaultSpec {
	var out []DefaultSpec
	for i := 0; i < len(kv); i += 2 {
		var v Value
		switch x := kv[i+1].(type) {
		case bool:
			v = Bool(x)
		case int:
			v = Float(float64(x))
		case float64:
			v = Float(x)
		case Physics:
			v = Int(int(x))
		case vec:
			v = Vec(x)
		case string:
			v = String(x)
		}
		out = append(out, DefaultSpec{Name: kv[i].(string), Value: v})
	}
	return out
}

var bodyEvents = []string{"Touch", "UnTouch", "Bump", "HitWall", "Landed", "Falling", "BaseChange", "Attach", "Detach", "EncroachedBy", "ReachedDestination"}

// bodyClasses are the base classes with bodies. Their functions are those named.
func bodyClasses(events ...string) []*ClassSpec {
	return []*ClassSpec{
		{Name: "Actor", Native: NativeActor, Functions: functions(events...)},
		{Name: "ActorComponent", Native: NativeComponent},
		{Name: "Controller", Parent: "Actor", Properties: []PropertySpec{{Name: "Pawn", Type: &Type{Kind: KindRef, Class: "Pawn"}}}},
		{
			Name: "Pawn", Parent: "Actor",
			Properties: []PropertySpec{
				{Name: "Controller", Type: &Type{Kind: KindRef, Class: "Controller"}},
				float("GroundSpeed", 440), float("AirSpeed", 440), float("AccelRate", 2048), float("AirControl", 0.05),
				float("JumpZ", 420), float("GravityScale", 1), float("MaxStepHeight", 35), float("EyeHeight", 64),
			},
			Defaults: defaults("bCollideActors", true, "bCollideWorld", true, "bBlockActors", true, "bBlockPlayers", true, "bSimulateGravity", true),
		},
		{Name: "Character", Parent: "Pawn", Defaults: defaults("CollisionRadius", 34, "CollisionHeight", 88, "Physics", PhysWalking)},
		{
			Name: "Projectile", Parent: "Actor",
			Properties: []PropertySpec{float("Speed", 1000), float("MaxSpeed", 0), float("GravityScale", 0), float("Bounce", 0)},
			Defaults:   defaults("Physics", PhysProjectile, "bCollideActors", true, "bCollideWorld", true, "CollisionRadius", 4, "CollisionHeight", 4),
		},
		{
			Name: "Mover", Parent: "Actor",
			Properties: []PropertySpec{
				{Name: "MoveTo", Type: &Type{Kind: KindVector}},
				float("MoveTime", 1), float("StayOpenTime", 2), float("EncroachDamage", 0),
				{Name: "EncroachType", Type: &Type{Kind: KindEnum, Enum: []string{"Return", "Stop", "Crush", "Ignore"}}},
			},
			Defaults: defaults("Physics", PhysInterpolating, "bNoDelete", true, "bCollideActors", true, "bBlockActors", true, "bBlockPlayers", true),
		},
		{Name: "Pickup", Parent: "Actor", Defaults: defaults("bCollideActors", true, "CollisionRadius", 30, "CollisionHeight", 30)},
		{Name: "PlayerStart", Parent: "Actor", Defaults: defaults("bStatic", true, "CollisionRadius", 34, "CollisionHeight", 88)},
		{Name: "Trigger", Parent: "Actor", Defaults: defaults("bCollideActors", true, "CollisionRadius", 64, "CollisionHeight", 64)},
		{Name: "Crate", Parent: "Actor", Properties: []PropertySpec{float("Bounce", 0)}, Defaults: defaults("bCollideActors", true, "bCollideWorld", true, "bBlockActors", true, "bBlockPlayers", true)},
		{Name: "Boulder", Parent: "Crate", Properties: []PropertySpec{float("Mass", 500)}},
		{Name: "Sentry", Parent: "Pawn", Defaults: defaults("CollisionRadius", 20, "CollisionHeight", 20, "Physics", PhysFlying)},
	}
}

func buildBodies(t rapid.TB, events ...string) *Classes {
	t.Helper()
	return classes(t, bodyClasses(events...), nil)
}

// diary writes down the events of bodies and their arguments.
type diary struct {
	recorder
}

func (d *diary) Event(a *Actor, f *Function, args []Value) {
	s := a.Name + "." + f.Name
	for _, v := range args {
		switch {
		case v.Kind == KindRef && v.Ref != 0:
			s += " " + d.w.Actor(v.Ref).Name
		case v.Kind == KindVector:
			s += fmt.Sprintf(" (%d,%d,%d)", int(math.Round(v.Vec.X)), int(math.Round(v.Vec.Y)), int(math.Round(v.Vec.Z)))
		}
	}
	d.log = append(d.log, s)
	if fn := d.on[f.Name]; fn != nil {
		fn(a, args)
	}
}

// boxes makes a level of axis-aligned boxes: x0, y0, z0, x1, y1, z1 each.
func boxes(list ...[6]float64) *level.Level {
	lv := &level.Level{Name: "boxes", Scale: 1, Gravity: math.NaN(), KillZ: math.NaN()}
	for _, b := range list {
		lv.Brushes = append(lv.Brushes, brush(b))
	}
	return lv
}

func brush(b [6]float64) level.Brush {
	return level.Brush{Hull: collision.BoxHull(geom.Bounds{Min: geom.V(b[0], b[1], b[2]), Max: geom.V(b[3], b[4], b[5])})}
}

// ramp is a wedge rising along +x from x0 at z 0 to x1 at height h, y0 to y1.
func ramp(x0, x1, y0, y1, h float64) level.Brush {
	slope := geom.V(-h, 0, x1-x0).Normal()
	hull, err := collision.NewHull([]collision.Plane{
		{Normal: slope, Dist: slope.Dot(geom.V(x0, 0, 0))},
		{Normal: geom.V(1, 0, 0), Dist: x1},
		{Normal: geom.V(0, 0, -1), Dist: 16},
		{Normal: geom.V(0, 1, 0), Dist: y1},
		{Normal: geom.V(0, -1, 0), Dist: -y0},
		{Normal: geom.V(-1, 0, 0), Dist: -x0 + 32},
	})
	if err != nil {
		panic(err)
	}
	return level.Brush{Hull: hull}
}

var floorBox = [6]float64{-8000, -8000, -128, 8000, 8000, 0}

func content(t testing.TB, name string) *level.Level {
	t.Helper()
	return readLevel(t, filepath.Join("..", "content", "levels", name+".map"), 0)
}

func readLevel(t testing.TB, file string, scale float64) *level.Level {
	t.Helper()
	src, err := os.ReadFile(file)
	must(t, err)
	lv, err := level.Parse(filepath.Base(file), src, level.Options{Scale: scale})
	must(t, err)
	return lv
}

// inLevel opens a world of a level with the base classes; the diary has the events named.
func inLevel(t testing.TB, lv *level.Level, events ...string) (*World, *diary) {
	t.Helper()
	return inLevelOf(buildBodies(t, events...), lv)
}

func inLevelOf(cs *Classes, lv *level.Level) (*World, *diary) {
	d := &diary{recorder{on: map[string]func(*Actor, []Value){}}}
	d.w = NewWorld(Config{Classes: cs, Script: d, Seed: 1, Level: lv})
	return d.w, d
}

func put(t testing.TB, w *World, class, name string, x, y, z float64) *Actor {
	t.Helper()
	return spawn(t, w, class, SpawnParams{Name: name, Location: geom.V(x, y, z)})
}

// spawnMover makes a mover of boxes.
func spawnMover(t testing.TB, w *World, name string, list ...[6]float64) *Actor {
	t.Helper()
	lv := &level.Level{Scale: 1}
	e := brushEntity("Mover", name, list...)
	lv.Entities = []level.Entity{e}
	for _, warning := range w.LoadEntities(lv) {
		t.Fatal(warning)
	}
	return w.ActorByName(name)
}

func set(t testing.TB, a *Actor, name string, v Value) {
	t.Helper()
	must(t, a.Set(a.Class.Property(name), v))
}

func run(w *World, seconds, hz float64) {
	for range int(math.Round(seconds * hz)) {
		w.Step(1 / hz)
	}
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, within)
	}
}

func nearVec(t testing.TB, what string, got, want vec, within float64) {
	t.Helper()
	if !(got.Distance(want) <= within) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, within)
	}
}

// depthOf is how deep an actor is in brushes.
func depthOf(a *Actor) float64 {
	q := collision.Query{World: a.world.space.solid}
	return q.Deepest(a.Location, a.half(), collision.Filter{}).Depth
}

func brushEntity(class, name string, list ...[6]float64) level.Entity {
	e := level.Entity{ClassName: class, Keys: level.Keys{{Name: "targetname", Value: name}}}
	for _, b := range list {
		e.Brushes = append(e.Brushes, brush(b))
	}
	e.Origin = e.Brushes[0].Bounds.Centre()
	return e
}
