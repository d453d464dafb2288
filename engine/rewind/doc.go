// Package rewind is lag compensation: where pawns were a moment ago, and what a shot fired then would have hit
// (R11.2, R11.3). It also contains the maths of a client's estimate of the server's time (R11.1).
//
//	h, err := rewind.New(world, rewind.Config{Boxes: table})
//	err = h.Register(pawn)                    // once; a pawn that is destroyed leaves by itself
//	err = h.Record(world.Time)                // each tick, after Step
//	if err := claim.Check(); err == nil {
//		hit, ok := h.Trace(rewind.Shot{Start: from, End: to, Time: claim.Time, Targets: targets})
//	}
//
// It never writes to the world: a shot is traced against the level's brushes and the boxes of past frames, so
// there is nothing to restore, and a target's present body cannot be in the way. Movers are where they are now.
//
// Time is a parameter, in seconds of the server's world. One goroutine owns a history, the one that steps its world.
//
// Guarantees: Does not change the world; allocates nothing; finds a time in O(log n).
package rewind
