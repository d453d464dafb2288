package dynamics

// squeezeDepth is how far, in uu, a mover may be inside of a body at the end of a step. A free body is pushed
// out in the same step, at every speed of the mover; only a body blocked from behind stays in.
const squeezeDepth = 8.0

// Squeezed returns a body that is stuck in front of a mover: the last step could not push it out of the mover's
// brushes, and moving on by delta would press it further. Of several it is the first by number.
func (s *Space) Squeezed(mover int32, delta vec) (body int32, ok bool) {
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.kind != HitMover || c.other != mover || c.normal.Dot(delta) >= 0 {
			continue
		}
		a := &s.bodies[c.a]
		way := a.Position.Sub(a.start)
		for k := range c.count {
			p := &c.points[k]
			if out := way.Add(a.turned.Cross(p.ra)).Dot(c.normal); p.sep-out < -squeezeDepth {
				return c.a, true
			}
		}
	}
	return 0, false
}
