// Package dynamics moves rigid bodies: boxes and spheres with mass, friction and restitution that meet the level's
// brushes, its movers, upright obstacles (pawns) and each other; and vehicles, which are boxes on sprung wheels.
//
// A [Space] holds the bodies of one world. Step takes time as a parameter and does, in a fixed order, what "soft
// step" solvers do: contacts are found once, then a few substeps of semi-implicit Euler each integrate velocities,
// apply the last impulses again (warm starting), solve contacts as stiff springs and then once more as hard ones,
// and integrate places. Restitution comes last. What moves further than its own size in a step is swept, so that
// nothing is tunnelled through. Bodies at rest fall asleep by islands (what touches sleeps together) and then cost
// nothing; a push, a touch at speed, or the loss of what they rest on wakes them.
//
// The package does not know actors, scripts or the network. It does not turn brushes, has no joints but wheels, and
// its obstacles have no mass of their own: who pushes whom is for the caller to say by impulses. Units: uu, kg,
// seconds, radians. The same calls give the same bits on one architecture, and a step allocates nothing once the
// number of bodies and contacts has been seen.
//
//	s := dynamics.NewSpace(hulls, solid)
//	id := s.Add(dynamics.BoxDef(geom.V(30, 30, 30), 50))
//	s.Step(1.0/60, nil)
//	where := s.Body(id).Position
package dynamics
