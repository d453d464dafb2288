package rewind

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

func classes(t testing.TB) *engine.Classes {
	t.Helper()
	boolean := func(name string) engine.PropertySpec {
		return engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindBool}}
	}
	on := func(names ...string) (list []engine.DefaultSpec) {
		for _, n := range names {
			list = append(list, engine.DefaultSpec{Name: n, Value: engine.Bool(true)})
		}
		return list
	}
	size := []engine.DefaultSpec{{Name: "CollisionRadius", Value: engine.Float(34)}, {Name: "CollisionHeight", Value: engine.Float(88)}}
	cs, diags := engine.BuildClasses([]*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{Name: "Pawn", Parent: "Actor", Properties: []engine.PropertySpec{
			boolean("bCrouching"),
			{Name: "ViewPitch", Type: &engine.Type{Kind: engine.KindInt, Ranged: true, Max: 255}},
		}, Defaults: append(on("bCollideActors", "bBlockActors", "bBlockPlayers"), size...)},
		{Name: "Soldier", Parent: "Pawn"},
		{Name: "Officer", Parent: "Soldier"},
		{Name: "Blob", Parent: "Soldier"},
		{Name: "Crate", Parent: "Actor", Defaults: on("bCollideActors", "bBlockActors", "bBlockPlayers")},
	}, nil)
	for _, d := range diags {
		if d.Severity == engine.SevError {
			t.Fatal(d)
		}
	}
	return cs
}

// soldier has a head that turns with the view about its neck, a body and an arm to the right.
var soldier = []Box{
	{
		Name: "head", Pitch: 1,
		Standing:  Place{Offset: geom.V(6, 0, 74), Half: geom.V(10, 9, 12), Joint: geom.V(0, 0, 60)},
		Crouching: Place{Offset: geom.V(12, 0, 30), Half: geom.V(10, 9, 12), Joint: geom.V(6, 0, 16)},
	},
	{
		Name:      "body",
		Standing:  Place{Offset: geom.V(0, 0, -14), Half: geom.V(16, 22, 74)},
		Crouching: Place{Offset: geom.V(0, 0, -36), Half: geom.V(20, 22, 52)},
	},
	{Name: "arm", Pitch: 0.5, Standing: Place{Offset: geom.V(30, 26, 40), Half: geom.V(26, 5, 5), Joint: geom.V(0, 26, 40)}},
}

func table() Table { return Table{"Soldier": soldier, "Blob": nil} }

// box is a brush from two corners.
type box [6]float64

// scene is a world and its history.
type scene struct {
	t testing.TB
	w *engine.World
	h *History
}

func open(t testing.TB, c Config, list ...box) *scene {
	t.Helper()
	lv := &level.Level{Name: "boxes", Scale: 1, Gravity: math.NaN(), KillZ: math.NaN()}
	for _, b := range list {
		hull := collision.BoxHull(geom.Bounds{Min: geom.V(b[0], b[1], b[2]), Max: geom.V(b[3], b[4], b[5])})
		lv.Brushes = append(lv.Brushes, level.Brush{Hull: hull})
	}
	w := engine.NewWorld(engine.Config{Classes: classes(t), Seed: 1, Level: lv})
	h, err := New(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return &scene{t: t, w: w, h: h}
}

// spawn makes an actor without registering it.
func (s *scene) spawn(class string, at geom.Vector) *engine.Actor {
	s.t.Helper()
	a, err := s.w.Spawn(s.w.Classes.Find(class), engine.SpawnParams{Location: at})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *scene) pawn(class string, at geom.Vector) *engine.Actor {
	s.t.Helper()
	a := s.spawn(class, at)
	if err := s.h.Register(a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *scene) set(a *engine.Actor, name string, v engine.Value) {
	s.t.Helper()
	if err := a.Set(a.Class.Property(name), v); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) record(now float64) {
	s.t.Helper()
	if err := s.h.Record(now); err != nil {
		s.t.Fatal(err)
	}
}

func near(t testing.TB, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// shoot fires at where a target stood, at a height over its centre, along +Y from 500 uu away.
func (s *scene) shoot(at geom.Vector, when float64, targets ...*engine.Actor) (Hit, bool) {
	return s.h.Trace(Shot{Start: at.Sub(geom.V(0, 500, 0)), End: at, Time: when, Targets: targets})
}
