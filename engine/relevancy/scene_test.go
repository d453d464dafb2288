package relevancy

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// voice is the scripts of a test: what IsNetRelevantFor answers, and what was reported.
type voice struct {
	engine.NoScript
	relevant map[*engine.Actor]bool // asked only of these
	asked    int
	reports  []string
}

func (s *voice) Relevant(a, _ *engine.Actor) (relevant, asked bool) {
	s.asked++
	relevant, asked = s.relevant[a]
	return relevant, asked
}

func (s *voice) Report(_ engine.Severity, _ *engine.Actor, text string) {
	s.reports = append(s.reports, text)
}

func boolean(name string, on bool) engine.PropertySpec {
	return engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindBool}, Default: engine.Bool(on)}
}

func reference(name, class string) engine.PropertySpec {
	return engine.PropertySpec{Name: name, Type: &engine.Type{Kind: engine.KindRef, Class: class}}
}

func specs() []*engine.ClassSpec {
	num := func(n float64) engine.Value { return engine.Float(n) }
	override := []engine.FunctionSpec{{Name: overrideName, Script: 1}}
	return []*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{Name: "ActorComponent", Native: engine.NativeComponent},
		{Name: "Part", Parent: "ActorComponent"},
		{Name: "GameInfo", Parent: "Actor"},
		{Name: "Controller", Parent: "Actor", Properties: []engine.PropertySpec{reference("Pawn", "Pawn")}},
		{Name: "PlayerController", Parent: "Controller", Properties: []engine.PropertySpec{
			{Name: "ViewRotation", Type: &engine.Type{Kind: engine.KindRotator}}, reference("ViewTarget", "Actor"),
		}, Defaults: []engine.DefaultSpec{{Name: "bHidden", Value: engine.Bool(true)}, {Name: "bOnlyRelevantToOwner", Value: engine.Bool(true)}}},
		{Name: "Pawn", Parent: "Actor", Properties: []engine.PropertySpec{
			reference("Controller", "Controller"),
			{Name: "EyeHeight", Type: &engine.Type{Kind: engine.KindFloat}, Default: num(64)},
			{Name: "ViewPitch", Type: &engine.Type{Kind: engine.KindInt, Ranged: true, Max: 255}},
		}},
		{Name: "Choosy", Parent: "Actor", Functions: override},
		{Name: "Moody", Parent: "Actor", States: []engine.StateSpec{{Name: "Sulking", Functions: override}}},
		{Name: "Ghost", Parent: "Actor", Properties: []engine.PropertySpec{boolean(noSightName, true)}},
		{Name: "Mover", Parent: "Actor"},
		{Name: "Orb", Parent: "Actor"},
	}
}

func classes(t testing.TB, list []*engine.ClassSpec) *engine.Classes {
	t.Helper()
	cs, diags := engine.BuildClasses(list, nil)
	for _, d := range diags {
		if d.Severity == engine.SevError {
			t.Fatal(d)
		}
	}
	return cs
}

// scene is a world with one player, their pawn at the origin and an index of everything.
type scene struct {
	t     testing.TB
	w     *engine.World
	s     *voice
	x     *Index
	pc    *engine.Actor
	pawn  *engine.Actor
	v     Viewer
	sight map[*engine.Actor]*Sight
}

// box is a brush from two corners.
type box [6]float64

func boxes(list ...box) *level.Level {
	lv := &level.Level{Name: "boxes", Scale: 1, Gravity: math.NaN(), KillZ: math.NaN()}
	for _, b := range list {
		lv.Brushes = append(lv.Brushes, brush(b))
	}
	return lv
}

func brush(b box) level.Brush {
	return level.Brush{Hull: collision.BoxHull(geom.Bounds{Min: geom.V(b[0], b[1], b[2]), Max: geom.V(b[3], b[4], b[5])})}
}

// wall stands between the player at the origin and everything behind x 420; what is higher than z 1000 at its foot
// shows above it.
var wall = box{400, -5000, -5000, 420, 5000, 1000}

func open(t testing.TB, c Config, list ...box) *scene {
	t.Helper()
	s := &scene{t: t, s: &voice{relevant: map[*engine.Actor]bool{}}, sight: map[*engine.Actor]*Sight{}}
	var lv *level.Level
	if len(list) > 0 {
		lv = boxes(list...)
	}
	s.w = engine.NewWorld(engine.Config{Classes: classes(t, specs()), Script: s.s, Seed: 1, Level: lv})
	s.x = New(s.w, c)
	s.pc = s.spawn("PlayerController", "player", geom.V(0, 0, 0), nil)
	s.pawn = s.spawn("Pawn", "pawn", geom.V(0, 0, 0), nil)
	s.w.Possess(s.pc, s.pawn)
	s.x.Update(s.pawn)
	s.look()
	return s
}

// look takes the view again.
func (s *scene) look() { s.v = s.x.View(s.pc) }

func (s *scene) spawn(class, name string, at geom.Vector, change func(a *engine.Actor)) *engine.Actor {
	s.t.Helper()
	a, err := s.w.Spawn(s.w.Classes.Find(class), engine.SpawnParams{Name: name, Location: at})
	if err != nil {
		s.t.Fatal(err)
	}
	if change != nil {
		change(a)
	}
	s.x.Add(a)
	return a
}

// orb is a plain actor.
func (s *scene) orb(name string, x, y, z float64) *engine.Actor {
	return s.spawn("Orb", name, geom.V(x, y, z), nil)
}

// change sets variables and tells the index.
func (s *scene) change(a *engine.Actor, f func(a *engine.Actor)) {
	f(a)
	s.x.Update(a)
}

func (s *scene) own(a, owner *engine.Actor) {
	s.t.Helper()
	if err := a.SetOwner(owner); err != nil {
		s.t.Fatal(err)
	}
	s.x.Update(a)
}

func (s *scene) base(a, b *engine.Actor, attach bool) {
	s.t.Helper()
	if err := a.SetBase(b, attach); err != nil {
		s.t.Fatal(err)
	}
	s.x.Update(a)
}

// at is Decide with the sight that the scene keeps of each actor.
func (s *scene) at(a *engine.Actor, now float64) Verdict {
	if s.sight[a] == nil {
		s.sight[a] = &Sight{}
	}
	return s.x.Decide(&s.v, a, s.sight[a], now)
}

// fresh is Decide by a first look.
func (s *scene) fresh(a *engine.Actor) Verdict { return s.x.Decide(&s.v, a, &Sight{}, 0) }

func (s *scene) wantYes(a *engine.Actor, r Rule) {
	s.t.Helper()
	s.want(a, Verdict{Relevant: true, Rule: r})
}

func (s *scene) wantNo(a *engine.Actor, r Rule) {
	s.t.Helper()
	s.want(a, Verdict{Rule: r})
}

// want checks the answer to a first look, and that the candidates hold whatever is relevant.
func (s *scene) want(a *engine.Actor, want Verdict) {
	s.t.Helper()
	if got := s.fresh(a); got != want {
		_, why := s.x.Explain(&s.v, a, nil, 0)
		s.t.Errorf("%s: %s, want %s (%s)", a, verdictText(got), verdictText(want), why)
	}
	if n := times(s.x.Candidates(&s.v, nil), a); want.Relevant && n != 1 {
		s.t.Errorf("%s is %d times among the candidates, want once", a, n)
	}
}

func verdictText(v Verdict) string {
	out := "no"
	if v.Relevant {
		out = "yes"
	}
	out += " by " + v.Rule.String()
	if v.By != nil {
		out += " of " + v.By.Name
	}
	return out
}

func times(list []*engine.Actor, a *engine.Actor) int {
	n := 0
	for _, b := range list {
		if a == b {
			n++
		}
	}
	return n
}

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
}
