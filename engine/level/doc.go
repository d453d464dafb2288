// Package level reads levels: the `.map` text that TrenchBroom and other Quake editors write, in the
// original and the Valve 220 format.
//
// [Parse] turns text into a [Level]: the keys of worldspawn, the convex brushes of the static world as
// hulls that the collision package takes, and the entities with their keys and brushes. It scales (a level
// may be drawn in other units), so that everything it returns but the keys' text is in uu.
//
// Maps by other people load. Unknown content (curved patches, brushes without volume) is skipped with one
// [Warning] per kind; a broken file, or one that exceeds the limits, is a [ParseError] with the line.
//
// The package knows no classes: the loader decides which entities become actors, and of which class. It reads
// no files.
//
//	lv, err := level.Parse("arena.map", src, level.Options{})
//	w := collision.NewWorld(lv.Solids())
//
// Guarantees: Unknown entities and keys are skipped with one warning per kind; a broken file is an error with its line.
package level
