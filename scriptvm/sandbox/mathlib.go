package sandbox

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// openMath returns Lua 5.1's mathematics. math.random draws from the world's generator; calling math.randomseed is
// an error, because a script that seeds the world's generator would control the random numbers of every other
// script.
func (vm *VM) openMath() (functions map[string]lua.LGFunction, constants map[string]lua.LValue) {
	one := func(f func(float64) float64) lua.LGFunction {
		return func(L *lua.LState) int {
			vm.pushNumber(L, f(float64(L.CheckNumber(1))))
			return 1
		}
	}
	two := func(f func(a, b float64) float64) lua.LGFunction {
		return func(L *lua.LState) int {
			vm.pushNumber(L, f(float64(L.CheckNumber(1)), float64(L.CheckNumber(2))))
			return 1
		}
	}
	// The selected argument is returned unchanged, which allocates nothing.
	fold := func(better func(a, b lua.LNumber) bool) lua.LGFunction {
		return func(L *lua.LState) int {
			chosen, best := numberOf(L, 1)
			for i := 2; i <= L.GetTop(); i++ {
				if x, n := numberOf(L, i); better(n, best) {
					chosen, best = x, n
				}
			}
			L.Push(chosen)
			return 1
		}
	}
	round := func(f func(float64) float64) lua.LGFunction {
		return func(L *lua.LState) int {
			x, n := numberOf(L, 1)
			if r := f(float64(n)); r != float64(n) {
				vm.pushNumber(L, r)
			} else {
				L.Push(x)
			}
			return 1
		}
	}
	functions = map[string]lua.LGFunction{
		"abs":   one(math.Abs),
		"acos":  one(math.Acos),
		"asin":  one(math.Asin),
		"atan":  one(math.Atan),
		"atan2": two(math.Atan2),
		"ceil":  round(math.Ceil),
		"cos":   one(math.Cos),
		"cosh":  one(math.Cosh),
		"deg":   one(func(x float64) float64 { return x * 180 / math.Pi }),
		"exp":   one(math.Exp),
		"floor": round(math.Floor),
		"fmod":  two(math.Mod),
		"log":   one(math.Log),
		"log10": one(math.Log10),
		"max":   fold(func(a, b lua.LNumber) bool { return a > b }),
		"min":   fold(func(a, b lua.LNumber) bool { return a < b }),
		"pow":   two(math.Pow),
		"rad":   one(func(x float64) float64 { return x * math.Pi / 180 }),
		"sin":   one(math.Sin),
		"sinh":  one(math.Sinh),
		"sqrt":  one(math.Sqrt),
		"tan":   one(math.Tan),
		"tanh":  one(math.Tanh),
	}
	functions["frexp"] = func(L *lua.LState) int {
		fraction, exponent := math.Frexp(float64(L.CheckNumber(1)))
		L.Push(lua.LNumber(fraction))
		L.Push(lua.LNumber(exponent))
		return 2
	}
	functions["ldexp"] = func(L *lua.LState) int {
		exponent := min(max(float64(L.CheckNumber(2)), -10_000), 10_000)
		L.Push(lua.LNumber(math.Ldexp(float64(L.CheckNumber(1)), int(exponent))))
		return 1
	}
	functions["modf"] = func(L *lua.LState) int {
		x := float64(L.CheckNumber(1))
		whole, fraction := math.Modf(x)
		if math.IsInf(x, 0) {
			whole, fraction = x, 0
		}
		L.Push(lua.LNumber(whole))
		L.Push(lua.LNumber(fraction))
		return 2
	}
	functions["random"] = vm.random
	functions["randomseed"] = func(L *lua.LState) int {
		L.RaiseError("math.randomseed: the world's generator is seeded by its host")
		return 0
	}
	return functions, map[string]lua.LValue{
		"pi":   lua.LNumber(math.Pi),
		"huge": lua.LNumber(math.Inf(1)),
	}
}

// numberOf returns an argument unchanged, or the number in a string, and its value.
func numberOf(L *lua.LState, i int) (lua.LValue, lua.LNumber) {
	x := L.Get(i)
	if n, ok := x.(lua.LNumber); ok {
		return x, n
	}
	n := L.CheckNumber(i)
	return n, n
}

// random returns a number in [0, 1), or a whole one in [1, m] or [m, n]. Each call draws once.
func (vm *VM) random(L *lua.LState) int {
	low, high := lua.LNumber(1), lua.LNumber(0)
	switch L.GetTop() {
	case 0:
	case 1:
		high = L.CheckNumber(1)
	case 2:
		low, high = L.CheckNumber(1), L.CheckNumber(2)
	default:
		L.RaiseError("wrong number of arguments")
	}
	fraction := float64(vm.options.Rand.Uint64()>>11) / (1 << 53)
	if L.GetTop() == 0 {
		L.Push(lua.LNumber(fraction))
		return 1
	}
	from, to := math.Floor(float64(low)), math.Floor(float64(high))
	if !(from <= to) || math.IsInf(to-from, 0) {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	vm.pushNumber(L, from+math.Floor(fraction*(to-from+1)))
	return 1
}
