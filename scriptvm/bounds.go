package scriptvm

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// maxQuoted is how much of a string a message shows, in bytes.
const maxQuoted = 40

const (
	// deepest bounds the nesting of tables in an argument.
	deepest = 8
	// longText is the number of bytes from which a text has a cost of its own; textShare is how many of its bytes
	// cost an instruction.
	longText, textShare = 64, 32
	// memberCost is the cost of checking an item of a table, and of reading it in the native.
	memberCost = 6
	// wholeMost bounds whole numbers: beyond it two neighbours have the same representation.
	wholeMost = 1 << 53
)

// maxLogLine bounds a line that a script logs, in bytes; longer ones are cut and marked.
const maxLogLine = 1000

// The bounds of values that enter the engine, as short names.
const (
	farthest  = engine.MaxPlace
	strongest = engine.MaxAmount
	smallest  = engine.SmallestNormal
)

// Values that the guard accepts, as text for messages.
const (
	placeWanted  = "a place within 1000000 uu of the origin"
	amountWanted = "a vector of parts up to 1e+12"
)

// within reports whether every component of a vector is at most most; NaN is not.
func within(x geom.Vector, most float64) bool {
	return math.Abs(x.X) <= most && math.Abs(x.Y) <= most && math.Abs(x.Z) <= most
}

// nativeValue converts a value for one of the engine's own variables, within the same bounds as arguments of
// natives.
func nativeValue(n *engine.NativeProperty, x engine.Value) (engine.Value, error) {
	switch x.Kind {
	case engine.KindVector:
		most, wanted := strongest, amountWanted
		if n.IsPlace() {
			most, wanted = farthest, placeWanted
		}
		if !within(x.Vec, most) {
			return x, fmt.Errorf("expected %s, got %s", wanted, x.Vec)
		}
		x.Vec = flat(x.Vec)
	case engine.KindFloat:
		if x.Num != 0 && math.Abs(x.Num) < smallest {
			x.Num = 0
		}
	default:
	}
	return x, nil
}

// clip shortens a line so that its end is in the cube of permitted locations.
func clip(from, to geom.Vector) geom.Vector {
	if within(to, farthest) {
		return flat(to)
	}
	share := 1.0
	for _, c := range [...][2]float64{{from.X, to.X}, {from.Y, to.Y}, {from.Z, to.Z}} {
		if math.Abs(c[1]) > farthest {
			share = math.Min(share, (math.Copysign(farthest, c[1])-c[0])/(c[1]-c[0]))
		}
	}
	in := geom.V(from.X+(to.X-from.X)*share, from.Y+(to.Y-from.Y)*share, from.Z+(to.Z-from.Z)*share)
	if !in.IsFinite() { // the difference overflowed: the line is practically parallel to its end
		in = from
	}
	return flat(geom.V(clamp(in.X), clamp(in.Y), clamp(in.Z)))
}

func clamp(x float64) float64 { return math.Max(-farthest, math.Min(farthest, x)) }

// flat replaces components by zero that are so small that arithmetic on them is slow and imprecise.
func flat(x geom.Vector) geom.Vector {
	if x.X != 0 && math.Abs(x.X) < smallest {
		x.X = 0
	}
	if x.Y != 0 && math.Abs(x.Y) < smallest {
		x.Y = 0
	}
	if x.Z != 0 && math.Abs(x.Z) < smallest {
		x.Z = 0
	}
	return x
}
