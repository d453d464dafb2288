package dynamics

import "math"

// island is a set of touching bodies: they fall asleep together and share their energy. It is stored at the
// index of its lowest member, the root.
type island struct {
	still   float64 // seconds for which all of it has been slow
	gain    float64 // of kinetic and potential energy in the step, kg·uu²/s²
	kinetic float64 // energy at its end
	driven  bool    // something else moves it and adds energy
}

// joinIslands finds the islands of the awake bodies.
func (s *Space) joinIslands() {
	for len(s.islands) < len(s.bodies) {
		s.islands = append(s.islands, island{})
	}
	for i := range s.order {
		if b := &s.bodies[s.order[i]]; !b.asleep {
			b.island = b.id
			s.islands[b.id] = island{still: math.Inf(1)}
		}
	}
	for i := range s.contacts {
		c := &s.contacts[i]
		if b := s.other(c); b != nil && c.touching {
			s.join(c.a, b.id)
		}
	}
}

func (s *Space) root(id int32) int32 {
	for s.bodies[id].island != id {
		up := s.bodies[id].island
		s.bodies[id].island = s.bodies[up].island
		id = up
	}
	return id
}

// join merges two islands; the lower number becomes the root, so that the order of joining does not matter.
func (s *Space) join(a, b int32) {
	a, b = s.root(a), s.root(b)
	if a > b {
		a, b = b, a
	}
	s.bodies[b].island = a
}

// payPushing removes the energy that an island gained in a step from its speed. Being pushed out of an overlap
// adds energy, friction and restitution together may create some, and the inertia of a fast-spinning body
// changes while it bounces: without this a ball might bounce higher than it fell. If something else drives the
// island, its energy has no known limit and stays.
func (s *Space) payPushing() {
	for i := range s.contacts {
		if c := &s.contacts[i]; c.yields > 0 || !c.surface.IsZero() {
			s.islands[s.root(c.a)].driven = true
		}
	}
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		n := &s.islands[s.root(b.id)]
		now := b.Energy()
		n.kinetic += now
		n.gain += now + b.height(s.Gravity) - b.energy
		n.driven = n.driven || b.wheels != nil || !b.force.IsZero() || !b.torque.IsZero()
	}
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		if n := &s.islands[s.root(b.id)]; n.gain > 0 && n.kinetic > 0 && !n.driven {
			k := math.Sqrt(max(0, 1-n.gain/n.kinetic))
			b.LinVel, b.AngVel = b.LinVel.Mul(k), b.AngVel.Mul(k)
		}
	}
}

// rest puts islands of slow bodies to sleep.
func (s *Space) rest(dt float64) {
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		if b.LinVel.Size()+b.AngVel.Size()*b.reach() < sleepSpeed && !b.held {
			b.still += dt
		} else {
			b.still = 0
		}
		n := &s.islands[s.root(b.id)]
		n.still = min(n.still, b.still)
	}
	for i := range s.order {
		if b := &s.bodies[s.order[i]]; !b.asleep && s.islands[s.root(b.id)].still >= sleepTime {
			s.stack = append(s.stack, b.id)
		}
	}
	for _, id := range s.stack {
		s.settle(&s.bodies[id])
	}
	s.stack = s.stack[:0]
}
