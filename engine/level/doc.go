// Package level reads levels: the `.map` text that TrenchBroom and other Quake editors write, in the
// original and the Valve 220 format.
//
// [Parse] turns text into a [Level]: the keys of worldspawn, the convex brushes of the static world as
// hulls that the collision package takes, and the entities with their keys and brushes. It scales (a level
// may be drawn in other units), so that everything it returns but the keys' text is in uu.
//
// Maps by other people load. What is not understood (curved patches, brushes without volume) is left out
// with one [Warning] a kind; a file that is broken, or larger than the limits, is a [ParseError] with the
// line.
//
// The package knows no classes: which entities become actors, and what of, is the loader's decision. It
// reads no files.
//
//	lv, err := level.Parse("arena.map", src, level.Options{})
//	w := collision.NewWorld(lv.Solids())
package level
