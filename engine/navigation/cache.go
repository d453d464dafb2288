package navigation

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
)

// maxCached is how many graphs a Cache keeps; the oldest is dropped first. A process plays few levels at once.
const maxCached = 8

// Cache keeps graphs by the data they are built from, so that worlds of one process that play the same level
// build its graph once. The zero value works; many goroutines may use it, each with a world of its own.
type Cache struct {
	mu    sync.Mutex
	built map[[sha256.Size]byte]*building
	order [][sha256.Size]byte
}

// building is a graph that is being built, or was built.
type building struct {
	once  sync.Once
	done  atomic.Bool
	graph *Graph
	err   error
}

// Work is the construction of a graph: to be done, in progress elsewhere in the process, or done.
type Work struct {
	b      *builder
	shared *building
}

// Begin copies from a world the data of its graph; the rest does not use the world. The error is one of the
// options.
func (c *Cache) Begin(w *engine.World, opt Options) (*Work, error) {
	b, err := read(w, opt)
	if err != nil {
		return nil, err
	}
	return &Work{b: b, shared: c.entry(b.fingerprint())}, nil
}

// Run builds the graph, or waits for the goroutine that does. It may run on a goroutine of its own. pause, if
// not nil, is called after every few hundred sweeps: if there is one processor for all goroutines, as in a
// browser, it lets the others run.
func (k *Work) Run(pause func()) {
	k.shared.once.Do(func() {
		own := *k.b // building changes a copy, because Graph reads the original meanwhile
		g := *own.Graph
		own.Graph, own.pause = &g, pause
		k.shared.graph, k.shared.err = own.build()
		k.shared.done.Store(true)
	})
}

// Done reports whether the graph is ready.
func (k *Work) Done() bool { return k.shared.done.Load() }

// Graph returns what [Build] would return for the world of Begin. It runs the work if that is not done.
func (k *Work) Graph() (*Graph, error) {
	k.Run(nil)
	if k.shared.err != nil {
		return nil, k.shared.err
	}
	return k.shared.graph.forLifts(k.b.lifts), nil
}

// Graph returns what [Build] returns for a world's level, for that world alone: the first caller for a level
// builds it, others wait. The error is Build's, the same for all callers.
func (c *Cache) Graph(w *engine.World, opt Options) (*Graph, error) {
	k, err := c.Begin(w, opt)
	if err != nil {
		return nil, err
	}
	return k.Graph()
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

// forLifts returns the graph for another world of the same level, whose movers have other ids. Data that does
// not change after Build is shared.
func (g *Graph) forLifts(lifts []lift) *Graph {
	own := *g
	own.body.q = collision.Query{World: g.body.q.World}
	own.looked, own.search, own.reached = 0, nil, reached{}
	own.lifts = make([]engine.ActorID, len(lifts))
	for i := range lifts {
		own.lifts[i] = lifts[i].id
	}
	return &own
}

// fingerprint returns a hash of everything that Build reads.
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
	put(o.Radius, o.HalfHeight, o.StepHeight, o.Speed, o.JumpZ, o.Gravity, o.CrouchHalfHeight, o.CrouchSpeed, o.Spacing, o.MaxDrop, o.WideRadius, float64(o.MaxNodes), float64(o.MaxSweeps), b.killZ)
	hulls(b.hulls)
	put(float64(len(b.lifts)))
	for i := range b.lifts {
		l := &b.lifts[i]
		hulls(l.hulls)
		vector(l.shaft.Min, l.shaft.Max, l.way)
		put(l.seconds)
	}
	vector(b.starts...)
	h.Sum(sum[:0])
	return sum
}
