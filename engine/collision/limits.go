package collision

const (
	// Gap is the distance, in uu along the surface's normal, that a sweep keeps from what it hits. It is far
	// above the rounding error of float64 at the edge of a level (1e-11) and far below what a player can see; a
	// power of two, so that resting heights print exactly. Quake uses 1/32, too, and Unreal pulls back 0.1.
	Gap = 1.0 / 32

	// slack is how deep, in uu, a box may be in a hull and still slide along the surface that it is behind
	// without hitting the hull's other faces; ledges up to that depth are therefore ignored. Without it a body
	// that sank by a rounding error (a location sent as integers, a mover's step) would catch on every seam of
	// the floor.
	slack = Gap

	// parallel is the approach, in uu over a whole sweep, below which a box moves along a surface and not
	// towards it. Projecting a movement on a surface leaves some 1e-12 of it; blocking on that would cost a
	// sweep and stop grazing bodies.
	parallel = 1e-6

	// parallelInside is the same for a body that overlaps the surface it moves along. It is close to rounding
	// errors, so that an hour of such sweeps (10^6) goes no deeper than 1/1000 uu.
	parallelInside = 1e-9

	// touch is the depth, in uu, up to which a box touches a hull rather than overlaps it.
	touch = 1e-3

	// MaxExtent bounds every coordinate of a hull, in uu to either side of the origin. A set of planes that
	// reaches it is unbounded ([ErrOpen]).
	MaxExtent = 1 << 17

	// MaxFaces bounds the planes a hull is made from; more is [ErrFaces]. Building is quadratic in it.
	MaxFaces = 128

	// MaxBodyID bounds the ids of a [Grid] and of movers: the grid indexes a slice with them. More panics.
	MaxBodyID = 1 << 20

	weld      = 0.01  // uu: vertices closer than this are one
	onPlane   = 1e-4  // uu: a point this near a plane lies in it
	minVolume = 0.01  // uu³: less is not a solid
	minWidth  = 0.002 // uu: thinner is not a solid

	// ORDER: the traversal stack of bvh.go holds maxDepth entries; the builder stays below it.
	maxDepth  = 64
	leafSize  = 4
	sahLevels = 40 // below this depth splits are by count, so depth stays under sahLevels + log2(n)
)

// WorkUnit is the processor time of one unit of counted work, roughly, in nanoseconds.
const WorkUnit = 5

// Costs in WorkUnits: of a node or a cell, of a solid without its planes, of a body of a grid.
const (
	workNode  = 2
	workSolid = 4
	workBody  = 8
)
