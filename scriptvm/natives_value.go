package scriptvm

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// valueNatives returns constructors and methods of vectors and rotators.
func valueNatives() []native {
	return []native{
		{
			Space: api.Vector, Name: "Size", Returns: "number", Pure: true,
			Doc:     "Length, in uu.",
			Example: "v:Size()",
			Do:      func(_ *VM, L *lua.LState) int { return number(L, checkVector(L, 1).Size()) },
		},
		{
			Space: api.Vector, Name: "Size2D", Returns: "number", Pure: true,
			Doc:     "Length of the horizontal part.",
			Example: "v:Size2D()",
			Do:      func(_ *VM, L *lua.LState) int { return number(L, checkVector(L, 1).Size2D()) },
		},
		{
			Space: api.Vector, Name: "Dot", Params: "b: vector Free", Returns: "number", Pure: true,
			Doc:     "Dot product.",
			Example: "a:Dot(b)",
			Do:      func(_ *VM, L *lua.LState) int { return number(L, checkVector(L, 1).Dot(checkVector(L, 2))) },
		},
		{
			Space: api.Vector, Name: "Cross", Params: "b: vector Free", Returns: "vector", Pure: true,
			Doc:     "Cross product.",
			Example: "a:Cross(b)",
			Do:      func(_ *VM, L *lua.LState) int { return vector(L, checkVector(L, 1).Cross(checkVector(L, 2))) },
		},
		{
			Space: api.Vector, Name: "Normal", Returns: "vector", Pure: true,
			Doc:     "The same direction with length 1; zero stays zero.",
			Example: "v:Normal()",
			Do:      func(_ *VM, L *lua.LState) int { return vector(L, checkVector(L, 1).Normal()) },
		},
		{
			Space: api.Vector, Name: "Rotation", Returns: "rotator", Pure: true,
			Doc:     "The rotator that looks this way.",
			Example: "v:Rotation()",
			Do: func(_ *VM, L *lua.LState) int {
				L.Push(rot(checkVector(L, 1).Rotation()))
				return 1
			},
		},
		{
			Space: api.Vector, Name: "Distance", Params: "b: vector Free", Returns: "number", Pure: true,
			Doc:     "Distance to another location.",
			Example: "a:Distance(b)",
			Do:      func(_ *VM, L *lua.LState) int { return number(L, checkVector(L, 1).Distance(checkVector(L, 2))) },
		},
		{
			Space: api.Vector, Name: "With", Params: "parts: VectorParts", Returns: "vector", Pure: true,
			Doc:     "A copy with some of X, Y, Z replaced.",
			Example: "v:With{ Z = 0 }",
			Do: func(_ *VM, L *lua.LState) int {
				x := checkVector(L, 1)
				eachPart(L, 2, "X, Y or Z", func(name string, n float64) bool {
					switch name {
					case "X":
						x.X = n
					case "Y":
						x.Y = n
					case "Z":
						x.Z = n
					default:
						return false
					}
					return true
				})
				return vector(L, x)
			},
		},
		{
			Space: api.Rotator, Name: "Vector", Returns: "vector", Pure: true,
			Doc:     "The direction the rotator looks (forward).",
			Example: "r:Vector()",
			Do:      func(_ *VM, L *lua.LState) int { return vector(L, checkRotator(L, 1).Vector()) },
		},
		{
			Space: api.Rotator, Name: "Axes", Returns: "forward: vector, right: vector, up: vector", Pure: true,
			Doc:     "Forward, right and up.",
			Example: "local f, r, u = rot:Axes()",
			Do: func(_ *VM, L *lua.LState) int {
				f, r, u := checkRotator(L, 1).Axes()
				L.Push(vec(f))
				L.Push(vec(r))
				L.Push(vec(u))
				return 3
			},
		},
		{
			Space: api.Rotator, Name: "With", Params: "parts: RotatorParts", Returns: "rotator", Pure: true,
			Doc:     "A copy with some of Pitch, Yaw, Roll replaced.",
			Example: "r:With{ Pitch = 0 }",
			Do: func(_ *VM, L *lua.LState) int {
				x := checkRotator(L, 1)
				eachPart(L, 2, "Pitch, Yaw or Roll", func(name string, n float64) bool {
					switch name {
					case "Pitch":
						x.Pitch = wrap(n)
					case "Yaw":
						x.Yaw = wrap(n)
					case "Roll":
						x.Roll = wrap(n)
					default:
						return false
					}
					return true
				})
				L.Push(rot(x))
				return 1
			},
		},
		{
			Space: api.Global, Name: "vector", Params: "x?: number Free, y?: number Free, z?: number Free", Returns: "vector", Pure: true,
			Doc:     "A vector; parts that are left out are 0.",
			Example: "vector(0, 0, 100)",
			Do: func(_ *VM, L *lua.LState) int {
				L.Push(vec{vectorPart(L, 1), vectorPart(L, 2), vectorPart(L, 3)})
				return 1
			},
		},
		{
			Space: api.Global, Name: "rotator", Params: "pitch?: integer, yaw?: integer, roll?: integer", Returns: "rotator", Pure: true,
			Doc:     "A rotator in units of 1/65536 of a turn; parts that are left out are 0.",
			Example: "rotator(0, 16384, 0)",
			Do: func(_ *VM, L *lua.LState) int {
				L.Push(rot(geom.Rotator{Pitch: wrap(vectorPart(L, 1)), Yaw: wrap(vectorPart(L, 2)), Roll: wrap(vectorPart(L, 3))}))
				return 1
			},
		},
	}
}

// vectorPart returns a component of a vector or a rotator, 0 if it is omitted.
func vectorPart(L *lua.LState, i int) float64 {
	switch x := L.Get(i).(type) {
	case lua.LNumber:
		return float64(x)
	case *lua.LNilType:
		return 0
	}
	argError(L, i, "a number")
	return 0
}

// eachPart visits the table of a With.
func eachPart(L *lua.LState, i int, expected string, f func(string, float64) bool) {
	t, ok := L.Get(i).(*lua.LTable)
	if !ok {
		L.RaiseError("With: expected a table with %s, got a %s", expected, typeName(L.Get(i)))
	}
	each(t, func(k, x lua.LValue) {
		n, isNumber := x.(lua.LNumber)
		name, isName := k.(lua.LString)
		if !isNumber || !isName || !f(string(name), float64(n)) {
			L.RaiseError("With: expected numbers for %s, got %s = %s", expected, k.String(), x.String())
		}
	})
}

// wrap maps any number to one turn.
func wrap(n float64) uint16 {
	if n-n != 0 {
		return 0
	}
	if math.Abs(n) > wholeMost {
		n = math.Mod(n, 1<<16) // beyond int64 the result of a conversion depends on the processor
	}
	return uint16(int64(n))
}

func number(L *lua.LState, n float64) int {
	L.Push(lua.LNumber(n))
	return 1
}

func vector(L *lua.LState, x geom.Vector) int {
	L.Push(vec(x))
	return 1
}

func boolean(L *lua.LState, b bool) int {
	L.Push(lua.LBool(b))
	return 1
}

// text joins the arguments of a log as print would. Values without a text of their own are numbered, not shown with
// their address (G19), and a cut is made between characters.
func (v *VM) text(L *lua.LState, from int) string {
	var b strings.Builder
	for i := from; i <= L.GetTop(); i++ {
		if i > from {
			b.WriteByte(' ')
		}
		switch x := L.Get(i).(type) {
		case lua.LNumber:
			b.WriteString(formatNumber(float64(x)))
		default:
			b.WriteString(v.vm.ToString(L, x))
		}
		if b.Len() > maxLogLine {
			return strings.ToValidUTF8(b.String()[:maxLogLine], "") + "…"
		}
	}
	return b.String()
}
