// Package collision is the solid geometry of a world and its queries for movement. They tell how far this upright box
// can move, what this line hits, how deep this body is inside something.
//
// A [World] holds convex hulls: static ones in a bounding volume hierarchy, and movers, which are sets of hulls
// that translate. A [Query] reads it; it contains the counters and belongs to one goroutine, so that several
// can read one world while nobody changes it. A [Grid] holds upright cylinders (the actors). As in the first
// Unreal, boxes collide with the world and cylinders with each other.
//
// Guarantees of a sweep (Invariant: checked against brute force in the tests):
//   - it never ends closer than [Gap] to a hull it was farther from, and never passes through one;
//   - a box that starts in a hull can always leave it and never gets deeper (so nothing sticks);
//   - moving along a surface, or over the seam of two hulls with a common surface, hits nothing.
//
// The package does not know actors, time, velocity or sliding, does not rotate hulls, and keeps no contacts.
// All distances are in uu, all results deterministic, and no query allocates.
//
//	w := collision.NewWorld(hulls)
//	q := collision.Query{World: w}
//	hit := q.Sweep(from, to, geom.V(34, 34, 88), collision.Filter{})
//	if hit.Blocked() {
//		velocity = velocity.MulAdd(hit.Normal, -velocity.Dot(hit.Normal))
//	}
//
// Guarantees: Fixed order of iteration; nothing tunnels.
package collision
