// Package geom holds the small maths of the world: vectors in uu (1 uu = 1 cm), rotators in 16-bit units (65
// 536 = one turn), and axis-aligned bounds.
//
// Everything is a value; nothing allocates. Results are deterministic on one architecture: only
// operations of the standard library are used, in a fixed order. The package does not know actors,
// brushes or time.
//
//	v := geom.V(3, 4, 0)
//	v.Size()             // 5
//	geom.Rot(0, 16384, 0).Vector() // facing +Y
//
// Guarantees: Values, no methods that change them.
package geom
