// Package dynamics moves rigid bodies: boxes and spheres with mass, friction and restitution, and vehicles on sprung
// wheels. Bodies collide with the level's brushes, its movers, upright obstacles (pawns) and each other; a vehicle is a
// box.
//
// A [Space] holds the bodies of one world. Step takes time as a parameter and does, in a fixed order, what
// "soft step" solvers do: contacts are found once, then a few substeps of semi-implicit Euler each integrate
// velocities, apply the last impulses again (warm starting), solve contacts as stiff springs and then once more
// as hard ones, and integrate locations. Restitution comes last. A body that moves farther than its own size in
// a step is swept, so that it does not tunnel. Resting bodies fall asleep by islands (touching bodies sleep
// together) and then cost nothing; a push, a touch at speed, or the loss of their support wakes them.
//
// The package does not know actors, scripts or the network. It does not rotate brushes, has no joints except
// wheels, and its obstacles have no mass of their own: the caller decides by impulses which bodies push each
// other. Units: uu, kg, seconds, radians. The same calls give the same bits on one architecture, and a step
// allocates nothing after the first with that number of bodies and contacts.
//
//	s := dynamics.NewSpace(hulls, solid)
//	id := s.Add(dynamics.BoxDef(geom.V(30, 30, 30), 50))
//	s.Step(1.0/60, nil)
//	where := s.Body(id).Position
//
// Guarantees: The same calls give the same bits; a sleeping body costs nothing; a step allocates nothing.
package dynamics
