package scriptvm

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// The bounds of what enters the engine, short.
const (
	farthest  = engine.MaxPlace
	strongest = engine.MaxAmount
	smallest  = engine.SmallestNormal
)

// What the guard accepts, for messages.
const (
	placeWanted  = "a place within 1000000 uu of the origin"
	amountWanted = "a vector of parts up to 1e+12"
)

// within reports whether no component of a vector is beyond most; NaN is.
func within(x geom.Vector, most float64) bool {
	return math.Abs(x.X) <= most && math.Abs(x.Y) <= most && math.Abs(x.Z) <= most
}

// nativeValue is what one of the engine's own variables may be set to, by the same bounds as arguments of natives.
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

// clip draws the end of a line in to the cube of places.
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
	if !in.IsFinite() { // the difference overflowed: the line is as good as parallel to its end
		in = from
	}
	return flat(geom.V(clamp(in.X), clamp(in.Y), clamp(in.Z)))
}

func clamp(x float64) float64 { return math.Max(-farthest, math.Min(farthest, x)) }

// flat makes zero of parts so small that arithmetic on them is slow and loses digits.
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
