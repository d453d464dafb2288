package navigation

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
)

// maxCached is how many graphs a Cache keeps; beyond them the oldest goes. A process plays few levels at once.
const maxCached = 8

// Cache keeps graphs by what they are made of, so that worlds of one process that play the same level build its
// graph once. The zero value works; it may be used by many goroutines, each with a world of its own.
type Cache struct {
	mu    sync.Mutex
	built map[[sha256.Size]byte]*building
	order [][sha256.Size]byte
}

// building is a graph that somebody builds, or did.
type building struct {
	once  sync.Once
	graph *Graph
	err   error
}

// Graph is what [Build] makes of a world's level, for that world alone: who asks first for a level builds, others
// wait for it. The error is Build's, the same for all who ask.
func (c *Cache) Graph(w *engine.World, opt Options) (*Graph, error) {
	opt, err := opt.withDefaults(w)
	if err != nil {
		return nil, err
	}
	b := &builder{Graph: &Graph{opt: opt}, w: w}
	b.readLevel()
	one := c.entry(b.fingerprint())
	one.once.Do(func() { one.graph, one.err = Build(w, opt) })
	if one.err != nil {
		return nil, one.err
	}
	return one.graph.forLifts(b.lifts), nil
}

func (c *Cache) entry(key [sha256.Size]byte) *building {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.built[key]; one != nil {
		return one
	}
	if c.built == nil {
		c.built = map[[sha256.Size]byte]*building{}
	}
	if len(c.order) == maxCached {
		delete(c.built, c.order[0])
		c.order = c.order[1:]
	}
	one := &building{}
	c.built[key], c.order = one, append(c.order, key)
	return one
}

// forLifts is the graph for another world of the same level, whose movers have other numbers. What is not changed
// after Build is shared.
func (g *Graph) forLifts(lifts []lift) *Graph {
	own := *g
	own.body.q = collision.Query{World: g.body.q.World}
	own.lifts = make([]engine.ActorID, len(lifts))
	for i := range lifts {
		own.lifts[i] = lifts[i].id
	}
	return &own
}

// fingerprint is a hash of everything that Build reads.
func (b *builder) fingerprint() (sum [sha256.Size]byte) {
	h := sha256.New()
	var buf [8]byte
	put := func(list ...float64) {
		for _, x := range list {
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(x))
			_, _ = h.Write(buf[:]) // a hash never fails
		}
	}
	vector := func(list ...vec) {
		for _, v := range list {
			put(v.X, v.Y, v.Z)
		}
	}
	hulls := func(list []collision.Hull) {
		put(float64(len(list)))
		for i := range list {
			put(float64(len(list[i].Planes)))
			for _, p := range list[i].Planes {
				vector(p.Normal)
				put(p.Dist)
			}
		}
	}
	o := &b.opt
	put(o.Radius, o.HalfHeight, o.StepHeight, o.Speed, o.JumpZ, o.Gravity, o.Spacing, o.MaxDrop, float64(o.MaxNodes), float64(o.MaxSweeps), b.w.KillZ)
	hulls(b.hulls)
	put(float64(len(b.lifts)))
	for i := range b.lifts {
		l := &b.lifts[i]
		hulls(l.hulls)
		vector(l.shaft.Min, l.shaft.Max, l.way)
		put(l.seconds)
	}
	for _, s := range b.w.ActorsOf("PlayerStart") {
		vector(s.Location)
	}
	h.Sum(sum[:0])
	return sum
}
