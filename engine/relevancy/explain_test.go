package relevancy

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func TestExplain(t *testing.T) { // R13.2
	type change = func(s *scene, a *engine.Actor)
	for _, c := range []struct {
		name  string
		class string
		x     float64
		do    change
		says  []string
	}{
		{"plain", "Orb", 300, nil, []string{"a is relevant to player by R3.9:", "a is in sight", "300 uu", "NetCullDistance of 15000"}},
		{"never culled", "Orb", 300, func(_ *scene, a *engine.Actor) { a.NetCullDistance = 0 }, []string{"never culled"}},
		{"behind the wall", "Orb", 1000, nil, []string{"a is not relevant to player by R3.9:", "out of sight", "centre, top and sides"}},
		{"heard", "Orb", 1000, func(_ *scene, a *engine.Actor) { a.AmbientSound = "hum" }, []string{"is relevant", "heard (hum)", "SoundRadius of 1500"}},
		{"sight off", "Ghost", 1000, nil, []string{"is relevant", "sight is turned off"}},
		{"far", "Orb", 16000, nil, []string{"not relevant", "R3.8", "16000 uu", "beyond its NetCullDistance of 15000"}},
		{"at its cull distance", "Orb", 300, func(_ *scene, a *engine.Actor) { a.NetCullDistance = 300 }, []string{"is relevant", "R3.9"}},
		{"hidden", "Orb", 300, func(_ *scene, a *engine.Actor) { a.BHidden = true }, []string{"not relevant", "R3.7", "bHidden"}},
		{"off", "Orb", 300, func(_ *scene, a *engine.Actor) { a.BReplicates = false }, []string{"not relevant", "R3.1", "bReplicates false"}},
		{"no role", "Orb", 300, func(_ *scene, a *engine.Actor) { a.RemoteRole = engine.RoleNone }, []string{"R3.1", "ROLE_None"}},
		{"game", "GameInfo", 300, nil, []string{"R3.1", "GameInfo, which is never replicated"}},
		{"gone", "Orb", 300, func(_ *scene, a *engine.Actor) { a.Destroy() }, []string{"R3.1", "was destroyed"}},
		{"always", "Orb", 300, func(_ *scene, a *engine.Actor) { a.BAlwaysRelevant = true }, []string{"is relevant", "R3.2", "bAlwaysRelevant"}},
		{"no owner", "Orb", 300, func(_ *scene, a *engine.Actor) { a.BOnlyRelevantToOwner = true }, []string{"not relevant", "R3.4", "bOnlyRelevantToOwner and no owner"}},
		{"own", "Orb", 300, func(s *scene, a *engine.Actor) { a.BOnlyRelevantToOwner = true; s.own(a, s.pawn) }, []string{"is relevant", "R3.4", "top owner is player"}},
		{"another's", "Orb", 300, func(s *scene, a *engine.Actor) {
			a.BOnlyRelevantToOwner = true
			s.own(a, s.spawn("PlayerController", "other", geom.Vector{}, nil))
		}, []string{"not relevant", "R3.4"}},
		{"in a hand that all can see", "Orb", 300, func(s *scene, a *engine.Actor) {
			a.BOnlyRelevantToOwner = true
			s.own(a, s.orb("other", 300, 0, 0))
			s.base(a, s.w.Actor(a.Owner), true)
		}, []string{"not relevant", "R3.4"}},
		{"owned", "Orb", 1000, func(s *scene, a *engine.Actor) { s.own(a, s.pawn) }, []string{"R3.5", "owned by the player"}},
		{"cause", "Orb", 1000, func(s *scene, a *engine.Actor) { a.SetInstigator(s.pawn) }, []string{"R3.5", "instigator of a is the player's pawn pawn"}},
		{"watched", "Orb", 1000, func(s *scene, a *engine.Actor) { s.v.Target = a }, []string{"R3.5", "view target"}},
		{"body", "Pawn", 1000, func(s *scene, a *engine.Actor) { s.v.Pawn = a }, []string{"R3.5", "player's pawn"}},
		{"mind", "Orb", 1000, func(s *scene, a *engine.Actor) { s.v.Player = a }, []string{"R3.5", "PlayerController"}},
		{"nobody", "Orb", 300, func(s *scene, _ *engine.Actor) { s.v.Player = nil }, []string{"a viewer without a player"}},
		{"script", "Choosy", 300, func(s *scene, a *engine.Actor) { s.s.relevant[a] = false }, []string{"not relevant", "R3.11", "IsNetRelevantFor of class Choosy says false"}},
		{"hung", "Orb", 1000, func(s *scene, a *engine.Actor) { s.base(a, s.orb("base", 300, 0, 0), true) }, []string{"is relevant", "R3.6", "a is attached to base, which answers by R3.9: base is in sight"}},
		{"chain", "Orb", 1000, func(s *scene, a *engine.Actor) {
			b, top := s.orb("b", 300, 0, 0), s.orb("top", 1000, 0, 0)
			s.own(a, b)
			s.base(b, top, true)
			a.BNetUseOwnerRelevancy = true
		}, []string{"not relevant", "R3.3", "a uses the relevancy of its owner b, b is attached to top, which answers by R3.9: top is out of sight"}},
		{"long chain", "Orb", 300, func(s *scene, a *engine.Actor) {
			for range maxNamed + 5 {
				b := s.orb("", 300, 0, 0)
				s.base(a, b, true)
				a = b
			}
		}, []string{", and so on, which answers by R3.9"}},
	} {
		s := open(t, Config{}, wall)
		s.v.Location = geom.V(0, 0, 0)
		a := s.spawn(c.class, "a", geom.V(c.x, 0, 0), nil)
		if c.do != nil {
			c.do(s, a)
		}
		v, text := s.x.Explain(&s.v, a, &Sight{}, 0)
		contains(t, text, c.says...)
		if strings.Contains(text, "\n") {
			t.Errorf("%s: %q is more than a line", c.name, text)
		}
		if got := s.x.Decide(&s.v, a, &Sight{}, 0); got != v {
			t.Errorf("%s: explained %s, decided %s", c.name, verdictText(v), verdictText(got))
		}
	}
}

func TestExplainOverTime(t *testing.T) {
	s := open(t, Config{}, wall)
	a := s.orb("a", 100, 0, 0)
	say := func(now float64) string {
		_, text := s.x.Explain(&s.v, a, s.sight[a], now)
		return text
	}
	s.at(a, 0)
	contains(t, say(0.0001), "as of the last look; the next is due at")
	s.change(a, func(a *engine.Actor) { a.SetLocation(geom.V(1000, 0, 0)) })
	contains(t, say(3), "is relevant", "R3.10", "3.00 s ago", "stays relevant for 5 s", "although by R3.9", "out of sight")
	s.change(a, func(a *engine.Actor) { a.BHidden = true })
	contains(t, say(3), "R3.10", "although by R3.7", "bHidden")
	s.change(a, func(a *engine.Actor) { a.BHidden = false; a.SetLocation(geom.V(-20000, 0, 0)) })
	contains(t, say(3), "R3.10", "although by R3.8", "beyond its NetCullDistance")
	contains(t, say(30), "not relevant", "R3.8", "last in sight or heard 30.00 s ago, more than 5 s")
}

// Explaining changes no sight, of the actor or of its base, and counts nothing.
func TestExplainChangesNothing(t *testing.T) {
	s := open(t, Config{}, wall)
	base, hat := s.orb("base", 100, 0, 0), s.orb("hat", 100, 0, 0)
	s.base(hat, base, true)
	var mine, its Sight
	s.v.Sights = func(*engine.Actor) *Sight { return &its }
	traces := s.x.Traces()
	v, _ := s.x.Explain(&s.v, hat, &mine, 1)
	if mine != (Sight{}) || its != (Sight{}) || s.x.Traces() != traces {
		t.Errorf("%+v %+v, %d traces", mine, its, s.x.Traces()-traces)
	}
	if got := s.x.Decide(&s.v, hat, &mine, 1); got != v || its == (Sight{}) {
		t.Errorf("%s, %+v", verdictText(got), its)
	}
}
