package dynamics

import (
	"cmp"
	"slices"
)

// pair is two objects that may meet in this step. part is a brush of the level or of a mover.
type pair struct {
	a     int32
	kind  HitKind
	other int32
	part  int32
}

// contact is a pair in contact.
type contact struct {
	pair
	normal      vec // from a to the other
	t1, t2      vec
	surface     vec     // surface velocity of an object without a body
	yields      float64 // 1/kg of an obstacle that can be pushed, else 0
	friction    float64
	bounce      float64
	points      [maxManifold]point
	count       int
	approach    float64 // greatest speed of approach before the step
	spin        float64 // lever of rolling friction, uu
	spinLoad    vec
	touching    bool
	wasTouching bool
}

type point struct {
	local  vec // in a's own axes, to recognize it in the next step
	ra, rb vec // from the centres, at the start of the step
	sep    float64
	speed  float64 // of approach before the step; below 0 towards each other

	load         float64 // impulses so far
	drag1, drag2 float64
	most         float64

	mass, mass1, mass2 float64
}

func comparePairs(a, b pair) int {
	if c := cmp.Compare(a.a, b.a); c != 0 {
		return c
	}
	if c := cmp.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	if c := cmp.Compare(a.other, b.other); c != 0 {
		return c
	}
	return cmp.Compare(a.part, b.part)
}

// collide finds the contacts of this step, and reuses the state of the last one's.
func (s *Space) collide(h float64, env Surroundings) {
	s.findPairs(h, env)
	s.contacts, s.last = s.last[:0], s.contacts
	at := 0
	var m manifold
	for i := range s.pairs {
		p := s.pairs[i]
		if !s.meet(p, &m) {
			continue
		}
		s.contacts = append(s.contacts, contact{pair: p})
		c := &s.contacts[len(s.contacts)-1]
		for at < len(s.last) && comparePairs(s.last[at].pair, p) < 0 {
			at++
		}
		var old *contact
		if at < len(s.last) && s.last[at].pair == p {
			old = &s.last[at]
		}
		s.begin(c, &m, old)
	}
	s.dropSeams()
}

// findPairs lists, sorted, whatever may meet within the step.
func (s *Space) findPairs(h float64, env Surroundings) {
	s.pairs = s.pairs[:0]
	s.obstacles = s.obstacles[:0]
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		if b.Shape == Box {
			b.shape(s.boxLoops, s.boxEdges)
		}
		b.box = b.bounds()
		reach := b.LinVel.Mul(h)
		b.box = b.box.Union(b.box.Translate(reach)).Expand(vec{X: margin, Y: margin, Z: margin})
		s.near = s.query.World.AppendStatic(s.near[:0], b.box)
		for _, n := range s.near {
			if s.brushes[n].bounds.Overlaps(b.box) {
				s.pairs = append(s.pairs, pair{b.id, HitLevel, 0, n})
			}
		}
		for k := range s.movers {
			m := &s.movers[k]
			if !s.query.World.MoverBounds(m.id).Overlaps(b.box) || env != nil && !env.MoverStops(m.id, b.User) {
				continue
			}
			for j := range m.brushes {
				if m.brushes[j].bounds.Translate(s.query.World.MoverOffset(m.id)).Overlaps(b.box) {
					s.pairs = append(s.pairs, pair{b.id, HitMover, m.id, int32(j)})
				}
			}
		}
		if env != nil {
			from := len(s.obstacles)
			s.obstacles = env.AppendObstacles(s.obstacles, b.User, b.box)
			for j := from; j < len(s.obstacles); j++ {
				s.pairs = append(s.pairs, pair{b.id, HitObstacle, s.obstacles[j].ID, int32(j)})
			}
		}
	}
	for i := range s.prisms[:min(len(s.prisms), len(s.obstacles))] {
		s.prisms[i].set(&s.obstacles[i], &s.prismLoops, s.prismEdges)
	}
	for i := len(s.prisms); i < len(s.obstacles); i++ {
		s.prisms = append(s.prisms, prism{})
		s.prisms[i].set(&s.obstacles[i], &s.prismLoops, s.prismEdges)
	}
	for i := range s.prisms { // the slice may have moved
		p := &s.prisms[i]
		p.poly.verts, p.poly.normals, p.poly.dists, p.poly.loops, p.poly.dirs = p.verts[:], p.normals[:], p.dists[:], p.loops[:], p.dirs[:]
	}
	s.sweepOrder()
	slices.SortFunc(s.pairs, comparePairs)
}

// sweepOrder pairs bodies whose boxes overlap: they are sorted by their low X, which hardly changes in a step.
func (s *Space) sweepOrder() {
	o := s.order
	before := func(a, b int32) bool {
		x, y := s.bodies[a].box.Min.X, s.bodies[b].box.Min.X
		return x < y || x == y && a < b
	}
	for i := 1; i < len(o); i++ {
		for j := i; j > 0 && before(o[j], o[j-1]); j-- {
			o[j-1], o[j] = o[j], o[j-1]
		}
	}
	// Bodies are visited by the low X of their boxes. Earlier ones that extend that far are in two lists, so
	// that pairs of two sleeping bodies are never tested.
	for i := range s.shares {
		s.shares[i].pairs = 0
	}
	s.moving, s.resting = s.moving[:0], s.resting[:0]
	for _, id := range o {
		b := &s.bodies[id]
		b.meets = 0
		if h := &s.shares[b.Share]; !b.asleep && (b.Share == 0 || h.pairs < sharePairs*h.most) {
			s.resting = s.meetAll(b, s.resting)
		}
		s.moving = s.meetAll(b, s.moving)
		if b.asleep {
			s.resting = append(s.resting, id)
		} else {
			s.moving = append(s.moving, id)
		}
	}
}

// meetAll pairs a body with those of a list, and returns the list without those that end before it begins.
func (s *Space) meetAll(b *Body, list []int32) []int32 {
	stay := 0
	for i, id := range list {
		o := &s.bodies[id]
		if o.box.Max.X < b.box.Min.X {
			continue
		}
		list[stay] = id
		stay++
		if !o.box.Overlaps(b.box) {
			continue
		}
		x, y := o, b
		if x.asleep || !y.asleep && y.id < x.id { // the first one is awake
			x, y = y, x
		}
		if x.meets >= maxContacts {
			if x == b && y.asleep { // all others of the list sleep, too
				return append(list[:stay], list[i+1:]...)
			}
			if y.asleep || y.meets >= maxContacts {
				continue
			}
		}
		if h := &s.shares[x.Share]; x.Share != 0 {
			if h.pairs >= sharePairs*h.most {
				continue
			}
			h.pairs++
		}
		x.meets++
		if !y.asleep {
			y.meets++
		} else if y.Shape == Box {
			y.shape(s.boxLoops, s.boxEdges)
		}
		s.pairs = append(s.pairs, pair{x.id, HitBody, y.id, 0})
	}
	return list[:stay]
}

// meet computes the contact of a pair.
func (s *Space) meet(p pair, m *manifold) bool {
	a := &s.bodies[p.a]
	var q *poly
	switch p.kind {
	case HitLevel:
		q = &s.brushes[p.part].poly
	case HitMover:
		q = &s.moverOf(p.other).brushes[p.part].poly
		q.offset = s.query.World.MoverOffset(p.other)
	case HitObstacle:
		q = &s.prisms[p.part].poly
	case HitBody:
		b := &s.bodies[p.other]
		switch {
		case a.Shape == Sphere && b.Shape == Sphere:
			return meetSpheres(a, b, m)
		case b.Shape == Sphere:
			ok := meetSphere(b.Position, b.Radius, &a.poly, m)
			m.normal = m.normal.Neg()
			return ok
		}
		q = &b.poly
	}
	if a.Shape == Sphere {
		return meetSphere(a.Position, a.Radius, q, m)
	}
	return s.clip.meetPolys(&a.poly, q, m)
}

func (s *Space) moverOf(id int32) *moverBrushes {
	i, _ := slices.BinarySearchFunc(s.movers, id, func(m moverBrushes, id int32) int { return int(m.id) - int(id) })
	return &s.movers[i]
}

// begin makes a contact from a manifold; old is the same pair's contact of the last step, or nil.
func (s *Space) begin(c *contact, m *manifold, old *contact) {
	a := &s.bodies[c.a]
	c.normal = m.normal
	c.t1 = anyAcross(c.normal)
	c.t2 = c.normal.Cross(c.t1)
	friction, bounce := levelFriction, 0.0
	var centre vec
	switch c.kind {
	case HitBody:
		b := &s.bodies[c.other]
		friction, bounce, centre = b.Friction, b.Restitution, b.Position
	case HitMover:
		c.surface = s.moverOf(c.other).velocity
	case HitObstacle:
		o := &s.obstacles[c.part]
		c.surface, friction = o.Velocity, obstacleFriction
		if o.Mass > 0 {
			c.yields = 1 / o.Mass
		}
	case HitLevel:
	}
	c.friction, c.bounce = mix(a.Friction, friction), max(a.Restitution, bounce)
	if a.Shape == Sphere {
		c.spin = rolling * a.Radius
	}
	c.wasTouching = old != nil && old.touching
	c.count = m.count
	var taken [maxManifold]bool
	for i := range c.count {
		p := &c.points[i]
		*p = point{ra: m.at[i].Sub(a.Position), rb: m.at[i].Sub(centre), sep: m.sep[i] - skin}
		p.local = vec{X: p.ra.Dot(a.axes[0]), Y: p.ra.Dot(a.axes[1]), Z: p.ra.Dot(a.axes[2])}
		if old == nil || old.normal.Dot(c.normal) < 0.9 {
			continue
		}
		const same = 3.0 // uu: farther apart, it is another point
		k, near := -1, same*same
		for j := range old.count {
			if d := old.points[j].local.Sub(p.local).SizeSquared(); !taken[j] && d < near {
				k, near = j, d
			}
		}
		if k < 0 {
			continue
		}
		taken[k] = true
		o := &old.points[k]
		p.load = o.load
		drag := old.t1.Mul(o.drag1).MulAdd(old.t2, o.drag2)
		p.drag1, p.drag2 = drag.Dot(c.t1), drag.Dot(c.t2)
	}
}

// levelFriction and obstacleFriction are the friction of brushes and pawns.
const (
	levelFriction    = 0.8
	obstacleFriction = 0.3
)

// dropSeams drops contacts inside the level: where two brushes touch, their common side is hidden, and a box
// that slides over the seam must not catch on it.
func (s *Space) dropSeams() {
	for from := 0; from < len(s.contacts); {
		to := from
		for to < len(s.contacts) && s.contacts[to].a == s.contacts[from].a && s.contacts[to].kind == HitLevel {
			to++
		}
		if to == from {
			from++
			continue
		}
		if to-from > 1 {
			for i := from; i < to; i++ {
				s.dropSeam(&s.contacts[i], from, to)
			}
		}
		from = to
	}
	s.contacts = slices.DeleteFunc(s.contacts, func(c contact) bool { return c.count == 0 })
}

func (s *Space) dropSeam(c *contact, from, to int) {
	const off = 0.5
	a := &s.bodies[c.a]
	n := 0
	for k := range c.count {
		p := c.points[k]
		at := a.Position.Add(p.ra).MulAdd(c.normal, (p.sep+skin)/2-off) // off the surface, on the body's side
		hidden := false
		for j := from; j < to && !hidden; j++ {
			if o := &s.contacts[j]; o.part != c.part {
				hidden = s.hides(&s.brushes[o.part].poly, &s.brushes[c.part].poly, at, c.normal.Mul(2*off))
			}
		}
		if !hidden {
			c.points[n] = p
			n++
		}
	}
	c.count = n
}

// hides reports whether a brush covers a point in front of the surface of another one (in is behind that
// surface). At the brush's own edge the other decides by whether it continues beyond: a wall does, above its
// floor; the next piece of the floor does not.
func (s *Space) hides(by, other *poly, at, in vec) bool {
	const slack, deep, past = 0.05, 1.0, 1.0
	face, over := 0, -1e30
	for i := range by.normals {
		if d := by.over(i, at); d > over {
			face, over = i, d
		}
	}
	if over > slack {
		return false
	}
	return over < -deep || !other.holds(at.MulAdd(by.normals[face], past-over).Add(in), 0)
}
