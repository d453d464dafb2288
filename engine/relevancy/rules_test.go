package relevancy

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

func TestComponentsAreAsTheirActor(t *testing.T) {
	s := open(t, Config{}, wall)
	a := s.orb("a", 100, 0, 0)
	k, err := a.AddComponent(s.w.Classes.Find("Part"), "part")
	if err != nil {
		t.Fatal(err)
	}
	s.x.Add(k)
	if got := s.fresh(k); got != (Verdict{Relevant: true, Rule: Rule3_9}) {
		t.Errorf("%s", verdictText(got))
	}
	if _, why := s.x.Explain(&s.v, k, nil, 0); why[:2] != "a " {
		t.Errorf("%q is not about the actor", why)
	}
	if weight(s.x.Weigh(&s.v, k)) != weight(s.x.Weigh(&s.v, a)) {
		t.Error("a component has a priority of its own")
	}
	if times(s.x.Candidates(&s.v, nil), k) != 0 {
		t.Error("a component is a candidate")
	}
	a.RemoteRole = engine.RoleNone
	if got := s.fresh(k); got != (Verdict{Rule: Rule3_1}) {
		t.Errorf("%s", verdictText(got))
	}
}

func TestFollowersOfWhatIsNotInTheIndex(t *testing.T) {
	s := open(t, Config{}, wall)
	base, hat := s.orb("base", 100, 0, 0), s.orb("hat", 100, 0, 0)
	s.base(hat, base, true)
	s.x.Remove(base) // torn off, say: it is still there
	s.want(hat, Verdict{Relevant: true, Rule: Rule3_6, By: base})
	s.x.Add(base)
	s.want(hat, Verdict{Relevant: true, Rule: Rule3_6, By: base})
	if len(s.x.loose) != 0 {
		t.Error("the base is back, and everybody still looks at what hangs on it")
	}
	s.x.Remove(hat)
	if times(s.x.Candidates(&s.v, nil), hat) != 0 {
		t.Error("the hat was taken out")
	}
}

func TestLoopsAreReportedOnce(t *testing.T) { // R3.3, R3.6
	s := open(t, Config{})
	a, b := s.orb("a", 10, 0, 0), s.orb("b", 20, 0, 0)
	tail := s.orb("tail", 30, 0, 0)
	s.base(b, a, true)
	s.base(tail, b, true)
	s.own(a, b)
	if len(s.s.reports) != 0 {
		t.Fatalf("reported before there is a loop: %v", s.s.reports)
	}
	s.change(a, func(a *engine.Actor) { a.BNetUseOwnerRelevancy = true })
	if len(s.s.reports) != 1 { // nobody in it is a candidate, so nobody else would find out
		t.Fatalf("%d reports of the loop when it came about", len(s.s.reports))
	}
	for range 3 {
		s.fresh(a)
		s.fresh(b)
		s.fresh(tail)
		s.x.Candidates(&s.v, nil)
	}
	if len(s.s.reports) != 1 {
		t.Fatalf("%d reports, want 1: %v", len(s.s.reports), s.s.reports)
	}
	contains(t, s.s.reports[0], ": b -> a -> b;", "bNetUseOwnerRelevancy", "SetBase")
	for _, a := range []*engine.Actor{a, b, tail} {
		if got := s.fresh(a); got.Relevant {
			t.Errorf("%s: %s", a, verdictText(got))
		}
	}
	_, why := s.x.Explain(&s.v, a, nil, 0)
	contains(t, why, "not relevant", "R3.3", "leads back to")
	// Mended, all is well.
	s.change(a, func(a *engine.Actor) { a.BNetUseOwnerRelevancy = false })
	s.wantYes(a, Rule3_9)
	s.want(tail, Verdict{Relevant: true, Rule: Rule3_6, By: a})
}

// A loop that only Decide meets, since nobody told the index, is reported as well; Explain keeps quiet.
func TestLoopsThatTheIndexWasNotTold(t *testing.T) {
	s := open(t, Config{})
	var chain []*engine.Actor
	for i := range 40 {
		a, err := s.w.Spawn(s.w.Classes.Find("Orb"), engine.SpawnParams{Location: geom.V(float64(i), 0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && a.SetBase(chain[i-1], true) != nil {
			t.Fatal("SetBase")
		}
		chain = append(chain, a)
	}
	last := chain[len(chain)-1]
	if err := chain[7].SetOwner(last); err != nil { // the loop does not go through the start
		t.Fatal(err)
	}
	chain[7].BNetUseOwnerRelevancy = true
	v, why := s.x.Explain(&s.v, last, nil, 0)
	if v.Relevant || v.Rule != Rule3_6 || len(s.s.reports) != 0 {
		t.Errorf("%s, %d reports", verdictText(v), len(s.s.reports))
	}
	contains(t, why, "leads back to")
	for _, a := range chain[7:] {
		s.fresh(a)
	}
	if len(s.s.reports) != 1 {
		t.Fatalf("%d reports, want 1", len(s.s.reports))
	}
	contains(t, s.s.reports[0], "…")
	// Above the loop all is as before.
	if got := s.fresh(chain[3]); got != (Verdict{Relevant: true, Rule: Rule3_6, By: chain[0]}) {
		t.Error(verdictText(got))
	}
}

func TestHiddenWithoutBodyOrSound(t *testing.T) { // R3.7
	s := open(t, Config{})
	a := s.orb("a", 100, 0, 0)
	for bits := range 8 {
		a.BHidden, a.BBlockPlayers, a.AmbientSound = bits&1 != 0, bits&2 == 0, ""
		if bits&4 == 0 {
			a.AmbientSound = "hum"
		}
		s.x.Update(a)
		if bits == 7 {
			s.wantNo(a, Rule3_7)
		} else {
			s.wantYes(a, Rule3_9)
		}
	}
}

func TestLineOfSight(t *testing.T) { // R3.9
	s := open(t, Config{}, wall)
	s.v.Location = geom.V(0, 0, 0)
	for _, c := range []struct {
		name         string
		x, y, z      float64
		radius, high float64
		yes          bool
	}{
		{"before the wall", 300, 0, 0, 22, 22, true},
		{"behind it", 500, 0, 0, 22, 22, false},
		{"its top above it", 500, 0, 0, 22, 2000, true},
		{"its near side still behind it", 500, 5900, 0, 22, 22, false},
		{"its near side beside it", 500, 5900, 0, 100, 22, true},
		{"the other side", 500, -5900, 0, 100, 22, true},
		{"wholly beside it", 500, 7500, 0, 22, 22, true},
		{"in the wall", 410, 0, 0, 5, 5, false},
		{"half in the wall, half out of it", 405, 0, 0, 22, 2000, true},
	} {
		a := s.spawn("Orb", c.name, geom.V(c.x, c.y, c.z), func(a *engine.Actor) { a.CollisionRadius, a.CollisionHeight = c.radius, c.high })
		if c.yes {
			s.wantYes(a, Rule3_9)
		} else {
			s.wantNo(a, Rule3_9)
		}
	}
	// A view point inside a solid sees nothing.
	s.v.Location = geom.V(410, 0, 0)
	s.wantNo(s.orb("seen from the wall", 300, 0, 0), Rule3_9)
}

// A huge body of brushes whose middle is hidden is seen by its top.
func TestBrushesAreSeenByTheirBounds(t *testing.T) {
	s := open(t, Config{}, wall)
	lift := func(name string, top float64) *engine.Actor {
		at := geom.V(2000, 0, top/2)
		e := level.Entity{ClassName: "Mover", Origin: at, Brushes: []level.Brush{brush(box{1990, -10, 0, 2010, 10, top})}}
		e.Keys = level.Keys{{Name: "targetname", Value: name}}
		for _, warning := range s.w.LoadEntities(&level.Level{Scale: 1, Entities: []level.Entity{e}}) {
			t.Fatal(warning)
		}
		a := s.w.ActorByName(name)
		s.x.Add(a)
		return a
	}
	s.wantNo(lift("low", 100), Rule3_9)
	s.wantYes(lift("high", 8000), Rule3_9)
}

func TestHeard(t *testing.T) { // R3.9
	s := open(t, Config{}, wall)
	s.v.Location = geom.V(0, 0, 0)
	a := s.orb("a", 1000, 0, 0)
	set := func(sound string, radius float64) func(a *engine.Actor) {
		return func(a *engine.Actor) { a.AmbientSound, a.SoundRadius = sound, radius }
	}
	s.change(a, set("", 1500))
	s.wantNo(a, Rule3_9)
	if s.x.Heard(&s.v, a) {
		t.Error("silence is heard")
	}
	s.change(a, set("hum", 999))
	s.wantNo(a, Rule3_9)
	s.change(a, set("hum", 1000))
	s.wantYes(a, Rule3_9)
	if !s.x.Heard(&s.v, a) {
		t.Error("not heard")
	}
	traces := s.x.Traces()
	s.fresh(a)
	if s.x.Traces() != traces {
		t.Error("what is heard need not be looked for")
	}
	// Beyond NetCullDistance it is not asked (R3.8 before R3.9).
	s.change(a, func(a *engine.Actor) { a.NetCullDistance = 900 })
	s.wantNo(a, Rule3_8)
}

func TestSightTurnedOff(t *testing.T) { // R3.9
	s := open(t, Config{}, wall)
	ghost := s.spawn("Ghost", "ghost", geom.V(1000, 0, 0), nil)
	s.wantYes(ghost, Rule3_9) // by its class
	if err := ghost.Set(ghost.Class.Property(noSightName), engine.Bool(false)); err != nil {
		t.Fatal(err)
	}
	s.wantNo(ghost, Rule3_9)
	s.change(ghost, func(a *engine.Actor) { a.NetCullDistance = 100 })
	s.wantNo(ghost, Rule3_8)

	s = open(t, Config{NoSight: true}, wall) // by the game
	a := s.orb("a", 1000, 0, 0)
	s.wantYes(a, Rule3_9)
	if s.x.Traces() != 0 {
		t.Error("lines were traced")
	}
	for text, want := range map[string]bool{"1": true, "Yes": true, "0": false, "": false} { // by the level
		lv := boxes(wall)
		lv.World = level.Keys{{Name: "nosight", Value: text}}
		w := engine.NewWorld(engine.Config{Classes: s.w.Classes, Level: lv})
		if got := New(w, Config{}).Config().NoSight; got != want {
			t.Errorf("nosight %q: %v", text, got)
		}
	}
}

func TestReloadsAreNoticed(t *testing.T) {
	s := open(t, Config{}, wall)
	a := s.orb("a", 200000, 0, 0)
	s.s.relevant[a] = true
	s.wantNo(a, Rule3_8)
	list := specs()
	for _, k := range list {
		if k.Name == "Orb" {
			k.Functions = []engine.FunctionSpec{{Name: overrideName, Script: 1}}
		}
	}
	old := s.w.Classes
	s.w.Reclass(classes(t, list))
	s.wantYes(a, Rule3_11)
	s.w.Reclass(old)
	s.wantNo(a, Rule3_8)
	if times(s.x.Candidates(&s.v, nil), a) != 0 {
		t.Error("the override is gone, and everybody still looks at it")
	}
}

func TestRuleNames(t *testing.T) {
	for r, want := range map[Rule]string{RuleNone: "no rule", Rule3_1: "R3.1", Rule3_9: "R3.9", Rule3_12: "R3.12", Rule3_12 + 1: "no rule"} {
		if r.String() != want {
			t.Errorf("%d is %q, want %q", r, r, want)
		}
	}
}
