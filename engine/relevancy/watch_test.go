package relevancy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// watched is a viewer with a watch, and what it is compared with: everything found again and decided by the rules alone.
type watched struct {
	s     *scene
	v     Viewer
	w     Watch
	q     Search
	sight map[*engine.Actor]*Sight // by the watch
	lags  map[*engine.Actor]bool   // it keeps them
	asked map[*engine.Actor]bool   // of these, those that were asked about since the last search
	hid   map[*engine.Actor]bool   // it passes over them
	book  map[*engine.Actor]*Sight // by Decide
}

func newWatched(s *scene, v Viewer) *watched {
	return &watched{s: s, v: v, sight: map[*engine.Actor]*Sight{}, lags: map[*engine.Actor]bool{}, asked: map[*engine.Actor]bool{}, hid: map[*engine.Actor]bool{}, book: map[*engine.Actor]*Sight{}}
}

func (c *watched) memory(m map[*engine.Actor]*Sight, a *engine.Actor) *Sight {
	if m[a] == nil {
		m[a] = &Sight{}
	}
	return m[a]
}

// look searches with the watch, compares with a search without one, and gives how many were kept and
// passed over.
func (c *watched) look(t rapid.TB, now float64) (kept, hidden int) {
	x := c.s.x
	found := x.NearRest(&c.q, &c.w, &c.v, now, true, x.NearFlat(&c.q, &c.v, nil))
	for _, n := range c.w.Lost {
		if a := x.Actor(n); c.lags[a] {
			delete(c.lags, a)
			if !c.asked[a] {
				c.sight[a].Seen(c.w.Before)
			}
		}
	}
	clear(c.asked)
	for _, n := range c.w.Shown {
		delete(c.hid, x.Actor(n))
	}
	var got []int32
	listed := map[*engine.Actor]Found{}
	for _, f := range found {
		a := x.Actor(f.Number)
		if c.lags[a] || c.hid[a] {
			t.Fatalf("%s is kept or passed over, and listed", a)
		}
		got, listed[a] = append(got, f.Number), f
	}
	for a := range c.lags {
		if a.Deleted() {
			delete(c.lags, a)
			continue
		}
		got = append(got, number(a.ID()))
	}
	for a := range c.hid {
		if a.Deleted() {
			delete(c.hid, a)
			continue
		}
		got = append(got, number(a.ID()))
	}
	if c.w.Kept != len(c.lags) || c.w.Hidden != len(c.hid) {
		t.Fatalf("%d are kept and %d passed over, it says %d and %d", len(c.lags), len(c.hid), c.w.Kept, c.w.Hidden)
	}
	var want []int32
	for _, f := range x.Near(&c.v, nil) {
		want = append(want, f.Number)
		a := x.Actor(f.Number)
		book := c.memory(c.book, a)
		d := x.Decide(&c.v, a, book, now)
		if g := listed[a]; g.Number != 0 {
			s := c.memory(c.sight, a)
			yes := false
			if g.Plain {
				yes = x.Sensed(&c.w, &c.v, g, s, now)
				if c.w.Keeps(g) {
					map[bool]map[*engine.Actor]bool{true: c.lags, false: c.hid}[yes][a] = true
				}
			} else {
				yes = x.Decide(&c.v, a, s, now).Relevant
			}
			if yes != d.Relevant || *s != *book {
				t.Fatalf("%s is %v and %+v, decided %s and %+v", a, yes, *s, verdictText(d), *book)
			}
		} else if d.Relevant != c.lags[a] || d.Rule != Rule3_9 {
			t.Fatalf("%s is kept: %v, decided %s", a, c.lags[a], verdictText(d))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("from %v: found and kept %v, want %v", c.v.Location, got, want)
	}
	return c.w.Kept, c.w.Hidden
}

// ask decides about an actor outside of a search, as an open channel's flags may make a server do.
func (c *watched) ask(a *engine.Actor, now float64) {
	if c.lags[a] && !c.asked[a] {
		c.asked[a] = true
		c.sight[a].Seen(c.w.at)
	}
	c.s.x.Decide(&c.v, a, c.memory(c.sight, a), now)
	c.s.x.Decide(&c.v, a, c.memory(c.book, a), now)
}

// Whatever actors and viewers do, a search with a watch finds what one without finds, and what it keeps is what the rules
// say of it (R3.8, R3.9, R3.11).
func TestWatchAgainstFreshSearches(t *testing.T) {
	kept, hidden := 0, 0
	tier.Check(t, func(rt *rapid.T) {
		s := open(t, Config{NoSight: rapid.IntRange(0, 3).Draw(rt, "no sight") == 0}, wall, box{-2000, -300, -500, -300, -280, 500})
		if rapid.Bool().Draw(rt, "clock runs over") {
			s.x.grid.clock = math.MaxUint32 - 60
		}
		span := rapid.SampledFrom([]float64{800, 3000, 30000}).Draw(rt, "span")
		coordinate := rapid.Float64Range(-span, span)
		place := func() geom.Vector { return geom.V(coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y"), 0) }
		step := func() geom.Vector {
			far := rapid.SampledFrom([]float64{1, 15, 60, 200}).Draw(rt, "far")
			return geom.V(rapid.Float64Range(-far, far).Draw(rt, "dx"), rapid.Float64Range(-far, far).Draw(rt, "dy"), 0)
		}
		var actors []*engine.Actor
		spawn := func() {
			class := rapid.SampledFrom([]string{"Orb", "Orb", "Orb", "Ghost"}).Draw(rt, "class")
			actors = append(actors, s.spawn(class, "", place(), func(a *engine.Actor) {
				a.NetCullDistance = rapid.SampledFrom([]float64{900, 1000, 1024, 3000, 0}).Draw(rt, "cull")
			}))
		}
		for range rapid.IntRange(5, 60).Draw(rt, "actors") {
			spawn()
		}
		viewers := []*watched{newWatched(s, s.v), newWatched(s, Viewer{Location: place()})}
		now := 0.0
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			k := rapid.IntRange(0, len(actors)-1).Draw(rt, "actor")
			a := actors[k]
			c := viewers[rapid.IntRange(0, 1).Draw(rt, "viewer")]
			switch rapid.IntRange(0, 15).Draw(rt, "what") {
			case 0, 1, 2, 3: // as a net update tells of who moved
				for _, b := range actors[k:] {
					b.Location = b.Location.Add(step())
					s.x.Move(b)
				}
			case 4:
				a.Location = place()
				s.x.Move(a)
			case 5, 6:
				c.v.Location = c.v.Location.Add(step())
			case 7:
				c.v.Location = place()
			case 8:
				c.v.Location = a.Location.Add(geom.V(a.NetCullDistance, 0, 0))
			case 9:
				a.Destroy()
				s.x.Remove(a)
				actors = slices.Delete(actors, k, k+1)
				spawn() // in the same place of the table
			case 10:
				s.change(a, func(a *engine.Actor) {
					if a.AmbientSound == "" {
						a.AmbientSound, a.SoundRadius = "hum", 800
					} else {
						a.AmbientSound = ""
					}
				})
				if rapid.Bool().Draw(rt, "ask") {
					c.ask(a, now)
				}
			case 11:
				s.change(a, func(a *engine.Actor) {
					a.NetCullDistance = rapid.SampledFrom([]float64{500, 1500, 2500, 20000, 0}).Draw(rt, "cull")
				})
			case 12:
				b := actors[rapid.IntRange(0, len(actors)-1).Draw(rt, "base")]
				if rapid.Bool().Draw(rt, "none") || b == a {
					b = nil
				}
				if a.SetBase(b, true) == nil {
					s.x.Update(a)
				}
			case 13:
				c.v.Target = nil
				if rapid.Bool().Draw(rt, "looks from") {
					c.v.Target = a
				}
			case 14:
				if c.lags[a] && !c.asked[a] {
					c.sight[a].Seen(c.w.at)
				}
				c.w.Forget(number(a.ID()))
				delete(c.lags, a)
				delete(c.hid, a)
			case 15:
				s.change(a, func(a *engine.Actor) { a.BHidden = !a.BHidden })
			}
			for _, b := range s.w.DirtyActors() {
				s.x.Update(b)
			}
			s.w.ClearDirty()
			if rapid.IntRange(0, 2).Draw(rt, "look") > 0 {
				now += rapid.SampledFrom([]float64{1.0 / 30, 1.0 / 30, 0.3, 6}).Draw(rt, "dt")
				for _, c := range viewers {
					if t := c.v.Target; t != nil && t.Deleted() {
						c.v.Target = nil
					}
					k, h := c.look(rt, now)
					kept, hidden = kept+k, hidden+h
				}
			}
		}
	})
	if kept == 0 || hidden == 0 {
		t.Error("nothing was ever kept, or passed over")
	}
}

// Where nothing comes near, a viewer's search looks at nothing but the tally; and what moves a little is not looked at
// until it has gone a sixteenth of a cell.
func TestWatchFollowsChange(t *testing.T) {
	s := open(t, Config{NoSight: true})
	r := rand.New(rand.NewPCG(5, 6))
	var near []*engine.Actor
	for range 40 {
		near = append(near, s.spawn("Orb", "", geom.V(r.Float64()*800-400, r.Float64()*800-400, 0), func(a *engine.Actor) { a.NetCullDistance = 1000 }))
	}
	c := newWatched(s, s.v)
	c.look(t, 1)
	if n, _ := c.look(t, 2); n != len(near) {
		t.Fatalf("%d of %d are kept", n, len(near))
	}
	far := s.spawn("Orb", "", geom.V(50000, 0, 0), func(a *engine.Actor) { a.NetCullDistance = 1000 })
	tally := func() uint32 { return s.x.grid.clock }
	before := tally()
	for k := range 20 {
		for i, a := range near {
			a.Location.X += float64(1 - 2*(i&1))
			s.x.Move(a)
		}
		far.Location.Y += 40 * float64(1-2*(k&1))
		s.x.Move(far)
		if n, _ := c.look(t, 3); n != len(near) {
			t.Fatalf("%d of %d are kept", n, len(near))
		}
	}
	if n := tally() - before; n != 20 { // far's alone
		t.Errorf("the tally heard %d times, want 20", n)
	}
	for range 20 {
		near[0].Location.X += 1
		s.x.Move(near[0])
	}
	if n := tally() - before; n != 21 {
		t.Errorf("the tally heard %d times, want once more", n-20)
	}
	c.look(t, 4)
}
