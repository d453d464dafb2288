package navigation

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
)

// mover.lua in Go: a lift goes when a pawn steps on it, a door when one runs into it; it waits, and comes back.
type script struct {
	engine.NoScript
	w    *engine.World
	busy map[*engine.Actor]int // 1 on its way out, 2 waiting, 3 on its way back
}

func number(a *engine.Actor, name string) float64 { return a.Get(a.Class.Property(name)).Num }

func (s *script) Event(a *engine.Actor, f *engine.Function, _ []engine.Value) {
	if a.Class.Name != "Mover" {
		return
	}
	switch {
	case (f.Name == "Attach" || f.Name == "Bump") && s.busy[a] == 0:
		s.busy[a] = 1
		if err := a.StartMove(a.Get(a.Class.Property("MoveTo")).Vec, number(a, "MoveTime"), false); err != nil {
			panic(err)
		}
	case f.Name == "ReachedDestination" && s.busy[a] == 1:
		s.busy[a] = 2
		if err := a.SetTimer(number(a, "StayOpenTime"), false, "Back"); err != nil {
			panic(err)
		}
	case f.Name == "ReachedDestination":
		s.busy[a] = 0
	}
}

func (s *script) Timer(a *engine.Actor, _ string) {
	s.busy[a] = 3
	if err := a.StartMove(vec{}, number(a, "MoveTime"), false); err != nil {
		panic(err)
	}
}

func classes(t testing.TB) *engine.Classes {
	t.Helper()
	float := func(name string, def float64) engine.PropertySpec {
		return engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindFloat}, Default: engine.Float(def)}
	}
	def := func(list ...any) (out []engine.DefaultSpec) {
		for i := 0; i < len(list); i += 2 {
			v := engine.Bool(true)
			switch x := list[i+1].(type) {
			case int:
				v = engine.Float(float64(x))
			case engine.Physics:
				v = engine.Int(int(x))
			}
			out = append(out, engine.DefaultSpec{Name: list[i].(string), Value: v})
		}
		return out
	}
	var events []engine.FunctionSpec
	for _, n := range []string{"Attach", "Bump", "ReachedDestination", "Back"} {
		events = append(events, engine.FunctionSpec{Name: n, Script: n})
	}
	set, diags := engine.BuildClasses([]*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{Name: "ActorComponent", Native: engine.NativeComponent},
		{Name: "Controller", Parent: "Actor", Properties: []engine.PropertySpec{{Name: "Pawn", Type: &engine.Type{Kind: engine.KindRef, Class: "Pawn"}}}},
		{
			Name: "Pawn", Parent: "Actor",
			Properties: []engine.PropertySpec{
				{Name: "Controller", Type: &engine.Type{Kind: engine.KindRef, Class: "Controller"}},
				float("GroundSpeed", 440), float("AccelRate", 2048), float("AirControl", 0.05), float("MaxStepHeight", 35),
			},
		},
		{
			Name: "Character", Parent: "Pawn",
			Defaults: def("bCollideActors", true, "bCollideWorld", true, "bBlockActors", true, "CollisionRadius", 34, "CollisionHeight", 88, "Physics", engine.PhysWalking),
		},
		{Name: "PlayerStart", Parent: "Actor", Defaults: def("bStatic", true, "CollisionRadius", 34, "CollisionHeight", 88)},
		{
			Name: "Mover", Parent: "Actor", Functions: events,
			Properties: []engine.PropertySpec{
				{Name: "MoveTo", Type: &engine.Type{Kind: engine.KindVector}},
				{Name: "bTriggerOnly", Type: &engine.Type{Kind: engine.KindBool}},
				{Name: "bLoop", Type: &engine.Type{Kind: engine.KindBool}},
				float("MoveTime", 1), float("StayOpenTime", 2), float("StartDelay", 0),
			},
			Defaults: def("Physics", engine.PhysInterpolating, "bNoDelete", true, "bCollideActors", true, "bBlockActors", true, "bBlockPlayers", true),
		},
	}, nil)
	for _, d := range diags {
		if d.Severity == engine.SevError {
			t.Fatal(d)
		}
	}
	return set
}

// inLevel is a world of a level's text.
func inLevel(t testing.TB, name string, text []byte) *engine.World {
	t.Helper()
	lv, err := level.Parse(name, text, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{busy: map[*engine.Actor]int{}}
	w := engine.NewWorld(engine.Config{Classes: classes(t), Script: s, Seed: 1, Level: lv})
	s.w = w
	w.LoadEntities(lv)
	return w
}

func content(t testing.TB, name string) *engine.World {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "content", "levels", name+".map"))
	if err != nil {
		t.Fatal(err)
	}
	return inLevel(t, name+".map", text)
}

// renumbered is the same with other numbers of actors.
func renumbered(t testing.TB, name string) *engine.World {
	t.Helper()
	w := content(t, name)
	lv := w.Level
	o := engine.NewWorld(engine.Config{Classes: w.Classes, Script: &script{busy: map[*engine.Actor]int{}}, Seed: 1, Level: lv})
	for range 3 {
		if _, err := o.Spawn(o.Classes.Find("Controller"), engine.SpawnParams{}); err != nil {
			t.Fatal(err)
		}
	}
	o.LoadEntities(lv)
	return o
}

func build(t testing.TB, w *engine.World) *Graph {
	t.Helper()
	g, err := Build(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// follow steers a Character along a path as a bot would and gives how long it took; false where it does not come
// within 60 uu of the end in three times the estimate.
func follow(w *engine.World, g *Graph, pawn *engine.Actor, p Path) (float64, bool) {
	const dt = 1.0 / 30
	i, launched := 0, false
	for t := 0.0; t < 3*p.Seconds; t += dt {
		for i < len(p.Steps) && there(pawn, &p, i) {
			i++
			launched = false
		}
		if i == len(p.Steps) {
			pawn.Acceleration = vec{}
			return t, pawn.Location.Distance(p.Steps[i-1].To) < 60
		}
		st := &p.Steps[i]
		way := st.To.Sub(pawn.Location)
		way.Z = 0
		// Full speed, less where the step ends and the next is no walk.
		share := 1.0
		if i+1 < len(p.Steps) {
			share = math.Min(1, way.Size()/60+0.05)
		}
		pawn.Acceleration = way.Normal().Mul(2048 * share)
		switch {
		case st.Kind == Lift:
			pawn.Acceleration = vec{}
		case st.Kind == Jump && !launched && pawn.Physics == engine.PhysWalking:
			launched = true
			if v, ok := g.JumpVelocity(pawn.Location, st.To); ok {
				pawn.SetPhysics(engine.PhysFalling)
				pawn.Velocity = v
			}
		case st.Kind == Drop && !launched && pawn.Physics == engine.PhysFalling:
			launched = true
			if v, ok := g.DropVelocity(pawn.Location, st.To); ok {
				pawn.Velocity = v
			}
		case st.Kind == Walk && st.Mover != 0 && i+1 < len(p.Steps) && p.Steps[i+1].Kind == Lift:
			if m := w.Actor(st.Mover); m.Location.Distance(m.Home()) > 1 && way.Size() > 250 {
				pawn.Acceleration = vec{} // it is away: wait beside it
			}
		}
		if pawn.Physics == engine.PhysFalling && launched {
			pawn.Acceleration = vec{}
		}
		w.Step(dt)
	}
	return 0, false
}

// there reports whether a step of a path is done.
func there(pawn *engine.Actor, p *Path, i int) bool {
	way := p.Steps[i].To.Sub(pawn.Location)
	if i+1 < len(p.Steps) && p.Steps[i+1].Kind == Lift { // it may have set out already
		return way.Size2D() < 60 && pawn.Base == p.Steps[i].Mover
	}
	if pawn.Physics == engine.PhysFalling || math.Abs(way.Z) > 40 {
		return false
	}
	near := 16.0
	if i+1 < len(p.Steps) && p.Steps[i+1].Kind == Jump {
		near = 8
	}
	if p.Steps[i].Kind == Lift {
		return math.Abs(way.Z) < 4 && way.Size2D() < 60
	}
	return way.Size2D() < near
}
