package scriptvm

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// farthest bounds each coordinate of a place that a script passes to a native, in uu either side of the origin; a place
	// beyond it is the caller's error (guard.md G7). It lies well outside of engine.WorldExtent, so that a search or a trace
	// may begin outside of the world, and squares of distances stay exact.
	farthest = 1e6
	// strongest bounds each component of a vector that is no place, such as an impulse or a force: its square, times any mass
	// and time, is far from overflowing.
	strongest = 1e12
)

// placeWanted names what place accepts, for messages.
const placeWanted = "a place within 1000000 uu of the origin"

// within reports whether no component of a vector is beyond most; NaN is.
func within(x geom.Vector, most float64) bool {
	return math.Abs(x.X) <= most && math.Abs(x.Y) <= most && math.Abs(x.Z) <= most
}

// place is the argument that says where something is; beyond farthest it is an error of the caller.
func place(L *lua.LState, i int) geom.Vector {
	x := checkVector(L, i)
	if !within(x, farthest) {
		argError(L, i, placeWanted)
	}
	return flat(x)
}

// finite is the argument that says how far, how fast or how strong; beyond strongest it is an error of the caller.
func finite(L *lua.LState, i int) geom.Vector {
	x := checkVector(L, i)
	if !within(x, strongest) {
		argError(L, i, fmt.Sprintf("a vector of parts up to %.0e", strongest))
	}
	return flat(x)
}

// trace is where a trace begins and ends, the first two arguments after self. An end beyond farthest is drawn in along the
// line: a shot into the sky is no error.
func trace(L *lua.LState) (from, to geom.Vector) {
	from = place(L, 2)
	return from, traceEnd(L, from, 3)
}

func traceEnd(L *lua.LState, from geom.Vector, i int) geom.Vector {
	to := checkVector(L, i)
	if !to.IsFinite() {
		argError(L, i, "a finite vector")
	}
	return clip(from, to)
}

// delta is the argument that says how far something goes; what is longer than the world of places is an error of the caller.
func delta(L *lua.LState, i int) geom.Vector {
	x := checkVector(L, i)
	if !within(x, 2*farthest) {
		argError(L, i, fmt.Sprintf("a vector of parts up to %d uu", int(2*farthest)))
	}
	return flat(x)
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
	const smallest = 0x1p-1022
	if math.Abs(x.X) < smallest {
		x.X = 0
	}
	if math.Abs(x.Y) < smallest {
		x.Y = 0
	}
	if math.Abs(x.Z) < smallest {
		x.Z = 0
	}
	return x
}

// placeText shows what a script gave for a place.
func placeText(x lua.LValue) string {
	if v, ok := x.(vec); ok {
		return geom.Vector(v).String()
	}
	return "a " + typeName(x)
}
