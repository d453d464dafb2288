package dynamics

import (
	"github.com/tidelock/tidelock/engine/archive"
	"github.com/tidelock/tidelock/engine/collision"
)

// The state of a space in an archive (C3): all that a later step depends on, so that a loaded space goes on exactly as the saved
// one would have. Hulls are not part of it.

// contacts may not exceed this number: those of all awake bodies, and of what they met at most.
const maxSavedContacts = 1 << 20

// Save writes the bodies, their contacts and the movers' last steps.
func (s *Space) Save(w *archive.Writer) {
	saveVec(w, s.Gravity)
	w.Uint(uint64(len(s.bodies)))
	for i := range s.bodies {
		b := &s.bodies[i]
		w.Bool(b.used)
		if b.used {
			b.save(w)
		}
	}
	saveIDs(w, s.free)
	saveIDs(w, s.order)
	saveIDs(w, s.waking)
	saveIDs(w, s.settling)
	w.Uint(uint64(len(s.contacts)))
	for i := range s.contacts {
		s.contacts[i].save(w)
	}
	w.Uint(uint64(len(s.movers)))
	for i := range s.movers {
		m := &s.movers[i]
		w.Uint(uint64(m.id))
		saveVec(w, m.offset)
		saveVec(w, m.velocity)
	}
}

// Load fills a space that has no bodies yet, and whose movers were added, with at most a number of bodies. It returns whether the
// archive was sound; the reader has the fault otherwise.
func (s *Space) Load(r *archive.Reader, most int) bool {
	s.Gravity = loadVec(r)
	s.share(0) // exists with the first body
	s.bodies = make([]Body, r.Count(min(most, MaxBodies), 1))
	for i := range s.bodies {
		if r.Bool() {
			b := &s.bodies[i]
			b.load(r)
			b.id, b.used = int32(i), true
			if r.Err() != nil {
				return false
			}
			s.share(b.Share)
			if !b.asleep {
				s.countAwake(b, 1)
			}
		}
	}
	used := func(id int32) bool { return s.bodies[id].used }
	s.free = s.loadIDs(r, func(id int32) bool { return !used(id) })
	s.order = s.loadIDs(r, used)
	if r.Err() == nil && len(s.free)+len(s.order) != len(s.bodies) {
		r.Failf("%d bodies, of which %d are listed", len(s.bodies), len(s.free)+len(s.order))
	}
	s.waking = s.loadIDs(r, used)
	s.settling = s.loadIDs(r, used)
	s.contacts = make([]contact, r.Count(maxSavedContacts, 100))
	for i := range s.contacts {
		c := &s.contacts[i]
		c.load(r)
		if r.Err() != nil {
			return false
		}
		if int(c.a) >= len(s.bodies) || !used(c.a) || c.kind == HitBody && (int(c.other) >= len(s.bodies) || !used(c.other)) ||
			i > 0 && comparePairs(s.contacts[i-1].pair, c.pair) >= 0 {
			r.Failf("contact %d is between bodies that are not there, or not in order", i)
		}
	}
	for range r.Count(collision.MaxBodyID, 2) {
		id, offset, velocity := int32(r.Uint(collision.MaxBodyID)), loadVec(r), loadVec(r)
		if m := s.mover(id); m != nil {
			m.offset, m.velocity = offset, velocity
		}
	}
	return r.Err() == nil
}

func (s *Space) mover(id int32) *moverBrushes {
	for i := range s.movers {
		if s.movers[i].id == id {
			return &s.movers[i]
		}
	}
	return nil
}

func (b *Body) save(w *archive.Writer) {
	w.Byte(byte(b.Shape))
	for _, v := range [...]vec{b.Half, b.Position, b.LinVel, b.AngVel, b.force, b.torque, b.start, b.turned, b.moved} {
		saveVec(w, v)
	}
	for _, f := range [...]float64{
		b.Radius, b.Mass, b.Friction, b.Restitution, b.LinearDamping, b.AngularDamping, b.GravityScale, b.Lift,
		b.Rotation.X, b.Rotation.Y, b.Rotation.Z, b.Rotation.W, b.AwakeFor, b.still, b.energy,
	} {
		w.Float(f)
	}
	w.Bool(b.Hits)
	w.Bool(b.asleep)
	w.Bool(b.deep)
	w.Bool(b.held)
	w.Uint(uint64(b.Share))
	w.Uint(uint64(b.User))
	if b.wheels == nil {
		w.Uint(0)
		return
	}
	w.Uint(uint64(len(b.wheels.List)))
	w.Float(b.wheels.Drive)
	w.Float(b.wheels.Brake)
	w.Float(b.wheels.Steer)
	for i := range b.wheels.List {
		k := &b.wheels.List[i]
		for _, v := range [...]vec{k.At, k.Contact, k.normal, k.under} {
			saveVec(w, v)
		}
		for _, f := range [...]float64{k.Rest, k.Radius, k.Spring, k.Damper, k.Grip, k.Steer, k.Length, k.Load, k.Turned} {
			w.Float(f)
		}
		for _, y := range [...]bool{k.Steers, k.Drives, k.Ground, k.Slips} {
			w.Bool(y)
		}
	}
}

// maxSavedWheels bounds the wheels of a body in an archive, maxShares the shares.
const (
	maxSavedWheels = 64
	maxShares      = 1 << 12
)

func (b *Body) load(r *archive.Reader) {
	b.Shape = ShapeKind(r.Uint(uint64(Sphere)))
	for _, v := range [...]*vec{&b.Half, &b.Position, &b.LinVel, &b.AngVel, &b.force, &b.torque, &b.start, &b.turned, &b.moved} {
		*v = loadVec(r)
	}
	for _, f := range [...]*float64{
		&b.Radius, &b.Mass, &b.Friction, &b.Restitution, &b.LinearDamping, &b.AngularDamping, &b.GravityScale, &b.Lift,
		&b.Rotation.X, &b.Rotation.Y, &b.Rotation.Z, &b.Rotation.W, &b.AwakeFor, &b.still, &b.energy,
	} {
		*f = r.Float()
	}
	b.Hits, b.asleep, b.deep, b.held = r.Bool(), r.Bool(), r.Bool(), r.Bool()
	b.Share = int32(r.Uint(maxShares))
	b.User = int64(r.Uint(1<<63 - 1))
	turn := b.Rotation
	b.Def = sane(b.Def)
	if b.Rotation.Mul(turn.Conj()).W > 1-1e-9 {
		b.Rotation = turn // a sound one stays as it was, to the bit
	}
	b.limit()
	b.setMass()
	b.pose()
	b.box = b.bounds()
	n := r.Count(maxSavedWheels, 170)
	if n == 0 {
		return
	}
	b.wheels = &Wheels{List: make([]Wheel, n)}
	b.wheels.Drive, b.wheels.Brake, b.wheels.Steer = r.Float(), r.Float(), r.Float()
	for i := range b.wheels.List {
		k := &b.wheels.List[i]
		for _, v := range [...]*vec{&k.At, &k.Contact, &k.normal, &k.under} {
			*v = loadVec(r)
		}
		for _, f := range [...]*float64{&k.Rest, &k.Radius, &k.Spring, &k.Damper, &k.Grip, &k.Steer, &k.Length, &k.Load, &k.Turned} {
			*f = r.Float()
		}
		for _, y := range [...]*bool{&k.Steers, &k.Drives, &k.Ground, &k.Slips} {
			*y = r.Bool()
		}
	}
}

func (c *contact) save(w *archive.Writer) {
	w.Uint(uint64(c.a))
	w.Byte(byte(c.kind))
	w.Uint(uint64(c.other))
	w.Uint(uint64(c.part))
	for _, v := range [...]vec{c.normal, c.t1, c.t2, c.surface, c.spinLoad} {
		saveVec(w, v)
	}
	for _, f := range [...]float64{c.yields, c.friction, c.bounce, c.approach, c.spin} {
		w.Float(f)
	}
	w.Bool(c.touching)
	w.Bool(c.wasTouching)
	w.Uint(uint64(c.count))
	for i := range c.points[:c.count] {
		p := &c.points[i]
		for _, v := range [...]vec{p.local, p.ra, p.rb} {
			saveVec(w, v)
		}
		for _, f := range [...]float64{p.sep, p.speed, p.load, p.drag1, p.drag2, p.most} {
			w.Float(f)
		}
	}
}

func (c *contact) load(r *archive.Reader) {
	c.a, c.kind = int32(r.Uint(MaxBodies)), HitKind(r.Uint(uint64(HitBody)))
	c.other, c.part = int32(r.Uint(1<<31-1)), int32(r.Uint(1<<31-1))
	for _, v := range [...]*vec{&c.normal, &c.t1, &c.t2, &c.surface, &c.spinLoad} {
		*v = loadVec(r)
	}
	for _, f := range [...]*float64{&c.yields, &c.friction, &c.bounce, &c.approach, &c.spin} {
		*f = r.Float()
	}
	c.touching, c.wasTouching = r.Bool(), r.Bool()
	c.count = int(r.Uint(maxManifold))
	for i := range c.points[:c.count] {
		p := &c.points[i]
		for _, v := range [...]*vec{&p.local, &p.ra, &p.rb} {
			*v = loadVec(r)
		}
		for _, f := range [...]*float64{&p.sep, &p.speed, &p.load, &p.drag1, &p.drag2, &p.most} {
			*f = r.Float()
		}
	}
}

func saveVec(w *archive.Writer, v vec) {
	w.Float(v.X)
	w.Float(v.Y)
	w.Float(v.Z)
}

func loadVec(r *archive.Reader) vec { return vec{X: r.Float(), Y: r.Float(), Z: r.Float()} }

func saveIDs(w *archive.Writer, ids []int32) {
	w.Uint(uint64(len(ids)))
	for _, id := range ids {
		w.Uint(uint64(id))
	}
}

// loadIDs reads numbers of bodies, of which each must be fit.
func (s *Space) loadIDs(r *archive.Reader, fit func(id int32) bool) []int32 {
	ids := make([]int32, r.Count(2*MaxBodies, 1))
	for i := range ids {
		n := r.Uint(MaxBodies)
		if r.Err() != nil {
			return nil
		}
		if n >= uint64(len(s.bodies)) || !fit(int32(n)) {
			r.Failf("there is no such body as %d", n)
			return nil
		}
		ids[i] = int32(n)
	}
	return ids
}

// Has reports whether there is a body of a number, with a value of User.
func (s *Space) Has(id int32, user int64) bool {
	return id >= 0 && int(id) < len(s.bodies) && s.bodies[id].used && s.bodies[id].User == user
}

// Cap returns how many numbers of bodies are in use or free.
func (s *Space) Cap() int { return len(s.bodies) }

// Retain removes the bodies that are not wanted.
func (s *Space) Retain(wanted func(id int32) bool) {
	for i := range s.bodies {
		if id := int32(i); s.bodies[i].used && !wanted(id) {
			s.Remove(id)
		}
	}
}
