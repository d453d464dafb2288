package relevancy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// crowd is many actors and viewers at a constant density, whatever their number: about 50 actors within the cull
// distance of a viewer, in the middle of the level among pillars that hide some of them.
type crowd struct {
	s       *scene
	actors  []*engine.Actor
	sights  []pairs // by viewer, as are
	watches []Watch
	viewers []Viewer
	search  Search
	walk    geom.Vector // of the viewers in a tick
	out     []Found
	found   int
	now     float64
}

// pairs are the sights of one viewer: a small hash table, as compact as what is near.
type pairs [512]struct {
	number int32
	sight  Sight
}

func (p *pairs) of(n int32) *Sight {
	for i := n & 511; ; i = (i + 1) & 511 {
		switch e := &p[i]; e.number {
		case 0:
			e.number = n
			return &e.sight
		case n:
			return &e.sight
		}
	}
}

const (
	crowdCull    = 1500.0
	crowdNear    = 50
	crowdViewers = 100
	crowdMovers  = 200 // the same in every tick
)

// sideOf is how wide a level with so many actors is, in uu.
func sideOf(actors int) float64 {
	return math.Sqrt(float64(actors) * math.Pi * crowdCull * crowdCull / crowdNear)
}

// newCrowd fills a level; the viewers are all about it, or gathered in as much of its middle as the smallest level has.
func newCrowd(t testing.TB, actors int, pillars, gathered bool) *crowd {
	r := rand.New(rand.NewPCG(1, uint64(actors)))
	side := sideOf(actors)
	place := func(margin float64) geom.Vector {
		return geom.V(margin+r.Float64()*(side-2*margin), margin+r.Float64()*(side-2*margin), 0)
	}
	middle := (side - sideOf(crowdSizes[0])) / 2
	margin := crowdCull // away from the border, where there is less to see
	if gathered {
		margin += middle
	}
	list := []box{{-1e5, -1e5, -300, 1e5, 1e5, -200}}
	if pillars {
		for range crowdSizes[0] / 8 {
			p := place(middle)
			list = append(list, box{p.X - 100, p.Y - 20, -200, p.X + 100, p.Y + 20, 400})
		}
	}
	c := &crowd{s: open(t, Config{}, list...)}
	for range actors {
		c.actors = append(c.actors, c.s.spawn("Orb", "", place(0), func(a *engine.Actor) { a.NetCullDistance = crowdCull }))
	}
	for range crowdViewers {
		pc := c.s.spawn("PlayerController", "", place(margin), nil)
		c.viewers = append(c.viewers, c.s.x.View(pc))
	}
	c.sights, c.watches = make([]pairs, crowdViewers), make([]Watch, crowdViewers)
	return c
}

// move takes some actors a little way, as a tick does, and the viewers where they walk.
func (c *crowd) move(tick int) {
	for i := range c.viewers {
		c.viewers[i].Location = c.viewers[i].Location.MulAdd(c.walk, float64(1-2*(tick/50%2)))
	}
	for i := range crowdMovers {
		a := c.actors[i]
		a.Location.X += 10 * float64(1-2*(tick/50%2))
		c.s.x.Update(a)
	}
}

// view is the relevancy of all viewers once, as a server looks: most candidates are plain.
func (c *crowd) view() {
	c.found = 0
	for i := range c.viewers {
		v := &c.viewers[i]
		w := &c.watches[i]
		c.out = c.s.x.NearRest(&c.search, w, v, c.now, true, c.s.x.NearFlat(&c.search, v, c.out[:0]))
		c.found += len(c.out) + w.Kept + w.Hidden
		for _, n := range w.Lost {
			c.sights[i].of(n).Seen(w.Before)
		}
		for _, f := range c.out {
			if s := c.sights[i].of(f.Number); f.Plain {
				c.s.x.Sensed(w, v, f, s, c.now)
			} else {
				c.s.x.Decide(v, c.s.x.Actor(f.Number), s, c.now)
			}
		}
	}
}

func (c *crowd) tick(i int) {
	c.now += 1.0 / 30
	c.move(i)
	c.view()
}

var crowdSizes = []int{1000, 4000, 16000}

// BenchmarkViewer is the relevancy of one viewer in one net update, by the size of the level; the moves of that tick,
// the same number in each, are in it. Gathered viewers see the same crowd among the same brushes while the level grows
// around them. Scattered ones, in the open, see more different actors in a larger level, most of them one viewer only: what
// their searches touch is what their watches remember. Of each kind the time is to grow by at most a fifth over all
// sizes (R3.11); the work is the same, see TestWorkDoesNotGrowWithTheLevel. Walking ones are scattered and go at 440 uu/s, so that
// their watches are made again every few updates. docs/performance.md has the figures.
func BenchmarkViewer(b *testing.B) {
	for i := range 3 * len(crowdSizes) {
		n, name := crowdSizes[i%len(crowdSizes)], []string{"gathered", "scattered", "walking"}[i/len(crowdSizes)]
		b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
			c := newCrowd(b, n, name == "gathered", name == "gathered")
			if name == "walking" {
				c.walk = geom.V(440.0/30, 0, 0)
			}
			for i := range 60 {
				c.tick(i)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				c.tick(i)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/crowdViewers, "ns/viewer")
			b.ReportMetric(float64(c.found)/crowdViewers, "candidates")
		})
	}
}

// BenchmarkDecide is one answer of each kind.
func BenchmarkDecide(b *testing.B) {
	for _, k := range []struct {
		name string
		do   func(s *scene, a *engine.Actor)
	}{
		{"always", func(_ *scene, a *engine.Actor) { a.BAlwaysRelevant = true }},
		{"owned", func(s *scene, a *engine.Actor) { s.own(a, s.pawn) }},
		{"attached", func(s *scene, a *engine.Actor) { s.base(a, s.orb("base", 100, 0, 0), true) }},
		{"far", func(_ *scene, a *engine.Actor) { a.NetCullDistance = 10 }},
		{"sight", func(*scene, *engine.Actor) {}},
	} {
		b.Run(k.name, func(b *testing.B) {
			s := open(b, Config{}, wall)
			a := s.orb("a", 100, 0, 0)
			k.do(s, a)
			var sight Sight
			b.ReportAllocs()
			for b.Loop() {
				s.x.Decide(&s.v, a, &sight, 0)
			}
		})
	}
}

// What a viewer costs depends on what is near, not on the size of the level (R3.11): the work, counted.
func TestWorkDoesNotGrowWithTheLevel(t *testing.T) {
	var first float64
	for _, n := range crowdSizes {
		c := newCrowd(t, n, false, false)
		c.view()
		found := float64(c.found) / crowdViewers
		if first == 0 {
			first = found
		}
		if found > 1.2*first || found > 1.5*crowdNear {
			t.Errorf("%d actors: %g candidates a viewer, of %g in the smallest level", n, found, first)
		}
		cells := 0
		for i := range c.s.x.grid.layers {
			cells += len(c.s.x.grid.layers[i].cells)
		}
		if cells > 4*n {
			t.Errorf("%d actors: %d cells", n, cells)
		}
	}
}
