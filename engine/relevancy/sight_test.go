package relevancy

import (
	"math"
	"testing"
	"unsafe"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func TestSightIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Sight{}); n > 24 {
		t.Errorf("%d bytes a connection and actor, want at most 24", n)
	}
	if _, ok := new(Sight).LastSeen(); ok {
		t.Error("a fresh sight has seen something")
	}
}

// until asks at 20 Hz from a time on and gives when the answer was last yes.
func (s *scene) until(a *engine.Actor, from, to float64) float64 {
	last := math.Inf(-1)
	for i := 0; ; i++ {
		now := from + float64(i)/20
		if now > to {
			return last
		}
		if s.at(a, now).Relevant {
			last = now
		}
	}
}

func TestTimeout(t *testing.T) { // R3.10
	behind := geom.V(1000, 0, 0)
	for _, c := range []struct {
		set, want float64
	}{{0, 5}, {-1, 5}, {math.NaN(), 5}, {3, 3}, {1, 2}, {60, 10}} {
		s := open(t, Config{Timeout: c.set}, wall)
		if got := s.x.Config().Timeout; got != c.want {
			t.Errorf("Timeout %g: %g, want %g", c.set, got, c.want)
		}
		a := s.orb("a", 100, 0, 0)
		s.until(a, 0, 2)
		s.change(a, func(a *engine.Actor) { a.SetLocation(behind) })
		// Out of sight since 2; that is noticed by the next look, at most a second later.
		if got := s.until(a, 2, 20); got < 2+c.want-0.1 || got > 3+c.want+0.1 {
			t.Errorf("Timeout %g: relevant until %g s after it went out of sight", c.set, got-2)
		}
		if got := s.at(a, 21); got != (Verdict{Rule: Rule3_9}) {
			t.Errorf("afterwards: %s", verdictText(got))
		}
	}
}

func TestTimeoutOverridesWhichRules(t *testing.T) { // R3.10
	yes := Verdict{Relevant: true, Rule: Rule3_10}
	for _, c := range []struct {
		name string
		do   func(s *scene, a *engine.Actor)
		want Verdict // 2 s after it was seen, looked at again
		end  Rule    // 6 s after
	}{
		{"R3.7", func(_ *scene, a *engine.Actor) { a.BHidden = true }, yes, Rule3_7},
		{"R3.8", func(_ *scene, a *engine.Actor) { a.SetLocation(geom.V(-30000, 0, 0)) }, yes, Rule3_8},
		{"R3.9", func(_ *scene, a *engine.Actor) { a.SetLocation(geom.V(1000, 0, 0)) }, yes, Rule3_9},
		{"R3.1", func(_ *scene, a *engine.Actor) { a.RemoteRole = engine.RoleNone }, Verdict{Rule: Rule3_1}, Rule3_1},
		{"R3.4", func(_ *scene, a *engine.Actor) { a.BOnlyRelevantToOwner = true }, Verdict{Rule: Rule3_4}, Rule3_4},
		{"R3.11", func(s *scene, a *engine.Actor) { s.s.relevant[a] = false }, Verdict{Rule: Rule3_11}, Rule3_11},
	} {
		s := open(t, Config{}, wall)
		a := s.spawn("Moody", "a", geom.V(100, 0, 0), nil)
		if got := s.at(a, 0); !got.Relevant {
			t.Fatal(verdictText(got))
		}
		s.change(a, func(a *engine.Actor) { c.do(s, a) })
		if got := s.at(a, 2); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, verdictText(got), verdictText(c.want))
		}
		if got := s.at(a, 6); got != (Verdict{Rule: c.end}) {
			t.Errorf("%s: at the end %s", c.name, verdictText(got))
		}
	}
	// What was relevant by another rule than R3.9 is not kept.
	s := open(t, Config{}, wall)
	a := s.orb("a", 1000, 0, 0)
	s.change(a, func(a *engine.Actor) { a.BAlwaysRelevant = true })
	s.at(a, 0)
	s.change(a, func(a *engine.Actor) { a.BAlwaysRelevant = false })
	if got := s.at(a, 0.1); got.Relevant {
		t.Error(verdictText(got))
	}
	// What is heard is.
	s.change(a, func(a *engine.Actor) { a.AmbientSound = "hum" })
	s.at(a, 1)
	s.change(a, func(a *engine.Actor) { a.AmbientSound = "" })
	if got := s.at(a, 4); got != yes {
		t.Error(verdictText(got))
	}
}

// With nothing remembered, every question traces and nothing is kept.
func TestNoSightGiven(t *testing.T) {
	s := open(t, Config{}, wall)
	a := s.orb("a", 100, 0, 0)
	if !s.x.Decide(&s.v, a, nil, 0).Relevant {
		t.Error("not relevant")
	}
	a.SetLocation(geom.V(1000, 0, 0))
	if s.x.Decide(&s.v, a, nil, 0.01).Relevant {
		t.Error("kept without a sight")
	}
}

// Of a base or owner, what hangs on it knows only what the base itself does (R3.3, R3.6).
func TestSightOfAnother(t *testing.T) {
	behind := geom.V(1000, 0, 0)
	for _, shared := range []bool{false, true} {
		s := open(t, Config{}, wall)
		if shared {
			s.v.Sights = func(a *engine.Actor) *Sight {
				if s.sight[a] == nil {
					s.sight[a] = &Sight{}
				}
				return s.sight[a]
			}
		}
		seen, hidden := s.orb("seen", 100, 0, 0), s.orb("hidden", 1000, 0, 0)
		flag := s.orb("flag", 100, 0, 0)
		s.base(flag, seen, true)
		check := func(now float64, want bool, what string) {
			t.Helper()
			if got := s.at(flag, now); got.Relevant != want {
				t.Errorf("shared %v, %s: %s", shared, what, verdictText(got))
			}
		}
		check(0, true, "on a base in sight")
		s.base(flag, hidden, true)
		check(0.1, false, "on a base out of sight, though it was seen on the other")
		s.base(flag, seen, true)
		check(0.2, true, "back on the first")
		s.base(flag, nil, false)
		s.change(flag, func(a *engine.Actor) { a.SetLocation(behind) })
		check(1, true, "let go out of sight: it was seen just now (R3.10)")
		check(6, false, "long after")

		// The base was seen a while ago and is relevant still.
		s.at(seen, 10)
		s.change(seen, func(a *engine.Actor) { a.SetLocation(behind) })
		s.at(seen, 12)
		s.base(flag, seen, true)
		check(12, shared, "on a base that is relevant by R3.10")
	}
	s := open(t, Config{}, wall) // no Sight for that one
	s.v.Sights = func(*engine.Actor) *Sight { return nil }
	base, hat := s.orb("base", 100, 0, 0), s.orb("hat", 100, 0, 0)
	s.base(hat, base, true)
	s.want(hat, Verdict{Relevant: true, Rule: Rule3_6, By: base})
}

// While the answer stays, an actor is looked at once a second in sight and a few times out of it, and the looks of
// many spread over the ticks (R3.9, R3.11).
func TestLooksAreSpread(t *testing.T) {
	const hz, seconds, actors = 30, 4, 600
	for _, c := range []struct {
		name   string
		x      float64
		atMost float64 // a second and pair
	}{{"in sight", 100, 1}, {"out of sight", 1000, 4}} {
		s := open(t, Config{}, wall)
		var all []*engine.Actor
		for range actors {
			all = append(all, s.orb("", c.x, 0, 0))
		}
		for _, a := range all {
			s.at(a, 0)
		}
		first := s.x.Traces()
		if first != actors {
			t.Errorf("%s: %d first looks", c.name, first)
		}
		most, looks := uint64(0), map[*engine.Actor]int{}
		for i := 1; i <= hz*seconds; i++ {
			before := s.x.Traces()
			for _, a := range all {
				n := s.x.Traces()
				s.at(a, float64(i)/hz)
				looks[a] += int(s.x.Traces() - n)
			}
			most = max(most, s.x.Traces()-before)
		}
		want := c.atMost * actors * seconds
		if got := float64(s.x.Traces() - first); math.Abs(got-want) > want/50 {
			t.Errorf("%s: %g looks, want about %g", c.name, got, want)
		}
		if even := c.atMost * actors / hz; float64(most) > 2*even {
			t.Errorf("%s: %d looks in one tick; evenly spread it would be %g", c.name, most, even)
		}
		for a, n := range looks {
			if n > int(c.atMost*seconds) || n < int(c.atMost*seconds)-1 {
				t.Fatalf("%s: %d looks at %s in %d s", c.name, n, a, seconds)
			}
		}
	}
}

func TestLooksOfSeveralViewersAreSpread(t *testing.T) {
	s := open(t, Config{}, wall)
	a := s.orb("a", 100, 0, 0)
	at := map[float64]int{}
	for range 50 {
		pc := s.spawn("PlayerController", "", geom.V(0, 0, 0), nil)
		v := s.x.View(pc)
		var sight Sight
		s.x.Decide(&v, a, &sight, 0)
		at[sight.next]++
		if sight.next <= 0 || sight.next > 1 {
			t.Errorf("next look at %g", sight.next)
		}
	}
	if len(at) < 45 {
		t.Errorf("50 viewers look at one actor at %d different times", len(at))
	}
}

func TestNewlyInSightIsNoticedSoon(t *testing.T) { // R3.10: looked at again at least once a second
	for _, c := range []struct {
		config Config
		most   float64
	}{{Config{}, DefaultUnseenEvery}, {Config{UnseenEvery: 0.1}, 0.1}, {Config{UnseenEvery: 30, SeenEvery: 30}, 1}} {
		s := open(t, c.config, wall)
		a := s.orb("a", 1000, 0, 0)
		for i := range 20 { // whatever its phase
			now := 10 * float64(i)
			s.change(a, func(a *engine.Actor) { a.SetLocation(geom.V(1000, 0, 0)) })
			if s.at(a, now).Relevant {
				t.Fatal("in sight")
			}
			s.change(a, func(a *engine.Actor) { a.SetLocation(geom.V(100, 0, 0)) })
			if !s.at(a, now+c.most).Relevant {
				t.Errorf("%+v: not noticed in %g s", c.config, c.most)
			}
		}
	}
}
