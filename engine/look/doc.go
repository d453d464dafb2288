// Package look describes how the actors of a class appear (W3.1): checked data that a class file declares, the
// engine keeps with the class, and a viewer reads. It knows the keys, their bounds, how a child's looks follow
// from its parent's, and which of the looks an actor has now. It draws nothing and reads no files, and a
// dedicated server never uses it.
//
//	l := look.From(class)             // nil if the class declares nothing
//	bits := l.Holds(actor, input)     // which entries of `when` hold now; allocates nothing
//	tree := l.Variant(bits)           // the looks with these applied
//
// Lengths are in uu, angles in degrees.
//
// Guarantees: Immutable data that viewers read; a query allocates nothing.
package look
