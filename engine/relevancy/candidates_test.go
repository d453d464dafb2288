package relevancy

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// byTheBook is the rules of R3 written down once more, without index or memory, as plainly as they read: what a first
// look must answer. Without a level nothing is out of sight.
func byTheBook(w *engine.World, s *voice, v *Viewer, a *engine.Actor, depth int) bool {
	at := func(id engine.ActorID) *engine.Actor { return w.Actor(id) }
	if a.Deleted() || !a.BReplicates || a.RemoteRole == engine.RoleNone { // R3.1
		return false
	}
	if depth > 1000 { // a loop
		return false
	}
	if yes, asked := s.relevant[a]; asked && a.Class.IsA("Choosy") { // R3.11
		return yes
	}
	if a.BAlwaysRelevant { // R3.2
		return true
	}
	if a.BNetUseOwnerRelevancy && at(a.Owner) != nil { // R3.3
		return byTheBook(w, s, v, at(a.Owner), depth+1)
	}
	top := a
	for at(top.Owner) != nil {
		top = at(top.Owner)
	}
	if a.BOnlyRelevantToOwner { // R3.4
		return top == v.Player
	}
	if top == v.Player || a == v.Player || a == v.Target || a == v.Pawn || v.Pawn != nil && at(a.Instigator) == v.Pawn { // R3.5
		return true
	}
	if a.BAttached && at(a.Base) != nil { // R3.6
		return byTheBook(w, s, v, at(a.Base), depth+1)
	}
	if a.BHidden && !a.BBlockPlayers && a.AmbientSound == "" { // R3.7
		return false
	}
	d := a.Location.Sub(v.Location)
	return a.NetCullDistance == 0 || d.Dot(d) <= a.NetCullDistance*a.NetCullDistance // R3.8, R3.9
}

// Of any world, after any changes, Decide says what the rules say, and whatever is relevant is among the candidates,
// once.
func TestCandidatesAgainstBruteForce(t *testing.T) {
	tier.Check(t, func(rt *rapid.T) {
		s := open(t, Config{NoSight: rapid.Bool().Draw(rt, "no sight")})
		memory, now := map[[2]*engine.Actor]Sight{}, 0.0
		span := rapid.SampledFrom([]float64{2000, 30000, 200000}).Draw(rt, "span")
		coordinate := rapid.Float64Range(-span, span)
		place := func() geom.Vector { return geom.V(coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y"), 0) }
		others := []*engine.Actor{s.spawn("PlayerController", "other", place(), nil), s.spawn("PlayerController", "third", place(), nil)}
		actors := slices.Concat([]*engine.Actor{s.pc, s.pawn}, others)
		for i, pc := range others {
			pawn := s.spawn("Pawn", []string{"pawn2", "pawn3"}[i], place(), nil)
			s.w.Possess(pc, pawn)
			s.x.Update(pawn)
			actors = append(actors, pawn)
		}
		pick := func(label string) *engine.Actor { return actors[rapid.IntRange(0, len(actors)-1).Draw(rt, label)] }
		flip := func(p *bool) { *p = !*p }
		check := func() {
			pc := append(others, s.pc)[rapid.IntRange(0, 2).Draw(rt, "whose view")]
			if pc.Deleted() {
				return
			}
			v := s.x.View(pc)
			switch rapid.IntRange(0, 5).Draw(rt, "view") {
			case 0:
				v.Location = place()
			case 1:
				if b := pick("target"); !b.Deleted() {
					v.Target = b
				}
			case 2:
				if b := pick("edge of"); !b.Deleted() {
					v.Location = b.Location.Add(geom.V(0, b.NetCullDistance, 0))
				}
			}
			got := s.x.Candidates(&v, nil)
			now += rapid.Float64Range(0, 4).Draw(rt, "dt")
			for _, f := range s.x.Near(&v, nil) {
				if !f.Plain {
					continue
				}
				a := s.x.Actor(f.Number)
				short, long := memory[[2]*engine.Actor{pc, a}], memory[[2]*engine.Actor{pc, a}]
				yes, d := s.x.Sensed(nil, &v, f, &short, now), s.x.Decide(&v, a, &long, now)
				if yes != d.Relevant || short != long {
					rt.Fatalf("%s is plain: %v and %v, decided %s and %v", a, yes, short, verdictText(d), long)
				}
				memory[[2]*engine.Actor{pc, a}] = long
			}
			for _, a := range got {
				if a == nil || a.Deleted() {
					rt.Fatalf("a candidate that is gone: %s", a)
				}
			}
			for _, a := range actors {
				want := byTheBook(s.w, s.s, &v, a, 0)
				d := s.x.Decide(&v, a, &Sight{}, 0)
				if d.Relevant != want {
					rt.Fatalf("%s: %s, want %v", a, verdictText(d), want)
				}
				if e, text := s.x.Explain(&v, a, &Sight{}, 0); e != d || text == "" {
					rt.Fatalf("%s: explained %s, decided %s", a, verdictText(e), verdictText(d))
				}
				n := times(got, a)
				if n > 1 || want && !a.Deleted() && n != 1 {
					rt.Fatalf("%s is relevant: %v, and %d times a candidate", a, want, n)
				}
				if n == 1 && (!a.BReplicates || a.RemoteRole == engine.RoleNone) {
					rt.Fatalf("%s never replicates and is a candidate", a)
				}
			}
		}
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			a := pick("actor")
			what := rapid.IntRange(0, 14).Draw(rt, "what")
			if what > 12 || len(actors) < 10 {
				class := rapid.SampledFrom([]string{"Orb", "Orb", "Choosy", "Ghost"}).Draw(rt, "class")
				b := s.spawn(class, "", place(), func(a *engine.Actor) {
					a.NetCullDistance = math.Exp(rapid.Float64Range(4, 14).Draw(rt, "cull"))
				})
				if class == "Choosy" && rapid.Bool().Draw(rt, "asked") {
					s.s.relevant[b] = rapid.Bool().Draw(rt, "answer")
				}
				actors = append(actors, b)
				continue
			}
			if a.Deleted() {
				continue
			}
			switch what {
			case 0, 1:
				a.SetLocation(place())
			case 2:
				if rapid.IntRange(0, 3).Draw(rt, "end") == 0 && a != s.pc {
					if rapid.Bool().Draw(rt, "told") {
						s.x.Remove(a)
					}
					a.Destroy()
				}
			case 3:
				flip(&a.BAlwaysRelevant)
			case 4:
				flip(&a.BOnlyRelevantToOwner)
			case 5:
				flip(&a.BNetUseOwnerRelevancy)
			case 6:
				flip(&a.BHidden)
			case 7:
				flip(&a.BReplicates)
			case 8:
				a.NetCullDistance = rapid.SampledFrom([]float64{0, 100, 1024, 15000, 262144, 500000, 1e6}).Draw(rt, "cull")
			case 9:
				if b := pick("instigator"); !b.Deleted() && b.Class.IsPawn() {
					a.SetInstigator(b)
				}
			case 10:
				var b *engine.Actor
				if b = pick("owner"); b.Deleted() || rapid.IntRange(0, 4).Draw(rt, "nobody") == 0 {
					b = nil
				}
				_ = a.SetOwner(b) // a circle is refused
			case 11, 12:
				var b *engine.Actor
				if b = pick("base"); b.Deleted() || rapid.IntRange(0, 4).Draw(rt, "none") == 0 {
					b = nil
				}
				_ = a.SetBase(b, rapid.IntRange(0, 3).Draw(rt, "attach") > 0)
			}
			// Whatever that changed is marked, as in a net update.
			for _, b := range s.w.DirtyActors() {
				s.x.Update(b)
			}
			s.w.ClearDirty()
			s.x.Update(a)
			if rapid.IntRange(0, 3).Draw(rt, "check") == 0 {
				check()
			}
		}
		for range 3 {
			check()
		}
	})
}

// What is far away, or not for this player, is not even looked at (R3.11).
func TestCandidatesAreFew(t *testing.T) {
	s := open(t, Config{})
	other := s.spawn("PlayerController", "other", geom.V(0, 0, 0), nil)
	for i := range 1000 {
		s.orb("", 20000+float64(i)*100, 0, 0)
		s.spawn("Orb", "", geom.V(0, 0, 0), func(a *engine.Actor) { a.BOnlyRelevantToOwner = true; _ = a.SetOwner(other) })
		s.spawn("Orb", "", geom.V(0, 0, 0), func(a *engine.Actor) { a.RemoteRole = engine.RoleNone })
	}
	near := s.orb("near", 100, 0, 0)
	got := s.x.Candidates(&s.v, nil)
	if len(got) > 3 || times(got, near) != 1 {
		t.Errorf("%d candidates: %v", len(got), got)
	}
	if n := s.x.Len(); n != 3004 {
		t.Errorf("%d actors in the index", n)
	}
}

// Most of what is near is judged without a look at the actor; not what can be heard, nor what the viewer looks from.
func TestPlainOnesAreSensed(t *testing.T) {
	s := open(t, Config{}, wall)
	a, sights := s.orb("a", 1000, 0, 0), map[int32]*Sight{}
	now := 0.0
	sensed := func() (yes, candidates int) {
		now += 1.0 / 30
		for _, f := range s.x.Near(&s.v, nil) {
			if f.Number != number(a.ID()) {
				continue
			}
			candidates++
			if sights[f.Number] == nil {
				sights[f.Number] = &Sight{}
			}
			if f.Plain && s.x.Sensed(nil, &s.v, f, sights[f.Number], now) {
				yes++
			}
		}
		return yes, candidates
	}
	check := func(what string, wantYes int) {
		t.Helper()
		for range 3 {
			if yes, n := sensed(); yes != wantYes || n != 1 {
				t.Fatalf("%s: relevant %d times, found %d times", what, yes, n)
			}
		}
	}
	check("behind a wall", 0)
	s.change(a, func(a *engine.Actor) { a.AmbientSound, a.SoundRadius = "hum", 2000 })
	check("heard through it", 1)
	s.change(a, func(a *engine.Actor) { a.AmbientSound = "" })
	now += 20
	check("silent again", 0)
	s.v.Target = a
	check("what is looked from", 1)
	s.v.Target = nil
	now += 20
	check("no more", 0)
}

func TestIndexForgetsTheDead(t *testing.T) {
	s := open(t, Config{})
	a := s.orb("a", 100, 0, 0)
	hat := s.orb("hat", 100, 0, 0)
	s.base(hat, a, true)
	a.Destroy() // and nobody says so
	b := s.orb("b", 200, 0, 0)
	if number(b.ID()) != number(a.ID()) {
		t.Fatalf("the place of %d was not used again", number(a.ID()))
	}
	s.x.Update(a)
	s.x.Remove(a)
	s.wantYes(b, Rule3_9)
	s.x.Update(hat)
	s.wantYes(hat, Rule3_9)
	for _, a := range s.x.Candidates(&s.v, nil) {
		if a.Deleted() {
			t.Errorf("%s is gone", a)
		}
	}
	s.x.Remove(b)
	s.x.Remove(b)
	s.x.Update(b)
	s.x.Add(nil)
	s.x.Update(nil)
	s.x.Remove(nil)
	if got := s.x.Candidates(&Viewer{}, nil); times(got, b) != 0 {
		t.Error("a candidate after Remove")
	}
}

// The search's marks start again when their number runs over.
func TestStampsRunOver(t *testing.T) {
	s := open(t, Config{})
	a := s.orb("a", 100, 0, 0)
	s.wantYes(a, Rule3_9)
	if s.x.search.stamp != 1 {
		t.Fatalf("the first search has the number %d", s.x.search.stamp)
	}
	s.x.search.stamp = math.MaxUint32 // the next has the same
	s.wantYes(a, Rule3_9)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	s := open(t, Config{}, wall)
	var all []*engine.Actor
	for i := range 200 {
		a := s.orb("", float64(i*20), float64(i%7)*100, 0)
		if i%5 == 1 {
			s.base(a, all[i-1], true)
		}
		all = append(all, a)
	}
	sights := map[*engine.Actor]*Sight{}
	var out []*engine.Actor
	var q Search
	var w Watch
	var found []Found
	now := 0.0
	run := func() {
		now += 0.05
		for i, a := range all {
			if i%3 == 0 {
				a.Location.X += 40 * float64(1-2*(int(now)%2))
				s.x.Update(a)
			}
		}
		v := s.x.View(s.pc)
		out = s.x.Candidates(&v, out[:0])
		for _, a := range out {
			k := sights[a]
			if k == nil {
				k = &Sight{}
				sights[a] = k
			}
			s.x.Decide(&v, a, k, now)
			s.x.Weigh(&v, a)
		}
		v.Location.X = 300 * math.Sin(now) // now and then beyond its watch's skin
		found = s.x.NearRest(&q, &w, &v, now, false, found[:0])
		for _, n := range w.Lost {
			sights[s.x.Actor(n)].Seen(w.Before)
		}
		for _, f := range found {
			if k := sights[s.x.Actor(f.Number)]; k != nil && f.Plain {
				s.x.Sensed(&w, &v, f, k, now)
			}
		}
	}
	for range 200 {
		run()
	}
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%g allocations a net update", n)
	}
}
