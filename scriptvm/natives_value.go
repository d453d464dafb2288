package scriptvm

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// natives is a namespace's functions by name; bind holds them against the registry.
type natives map[string]lua.LGFunction

// memberNames are the names a value of a kind has, for "did you mean".
func memberNames(space string) []string {
	var names []string
	for _, f := range api.Functions() {
		if string(f.Space) == space {
			names = append(names, f.Name)
		}
	}
	for _, x := range api.Variables() {
		if string(x.Space) == space {
			names = append(names, x.Name)
		}
	}
	return names
}

func (v *VM) vectorNatives() natives {
	return natives{
		"Size":     func(L *lua.LState) int { return number(L, checkVector(L, 1).Size()) },
		"Size2D":   func(L *lua.LState) int { return number(L, checkVector(L, 1).Size2D()) },
		"Dot":      func(L *lua.LState) int { return number(L, checkVector(L, 1).Dot(checkVector(L, 2))) },
		"Cross":    func(L *lua.LState) int { return vector(L, checkVector(L, 1).Cross(checkVector(L, 2))) },
		"Normal":   func(L *lua.LState) int { return vector(L, checkVector(L, 1).Normal()) },
		"Distance": func(L *lua.LState) int { return number(L, checkVector(L, 1).Distance(checkVector(L, 2))) },
		"Rotation": func(L *lua.LState) int {
			L.Push(rot(checkVector(L, 1).Rotation()))
			return 1
		},
		"With": func(L *lua.LState) int {
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
	}
}

func (v *VM) rotatorNatives() natives {
	return natives{
		"Vector": func(L *lua.LState) int { return vector(L, checkRotator(L, 1).Vector()) },
		"Axes": func(L *lua.LState) int {
			f, r, u := checkRotator(L, 1).Axes()
			L.Push(vec(f))
			L.Push(vec(r))
			L.Push(vec(u))
			return 3
		},
		"With": func(L *lua.LState) int {
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
	}
}

// eachPart walks the table of a With.
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

// wrap brings any number into one turn.
func wrap(n float64) uint16 {
	if n-n != 0 {
		return 0
	}
	if math.Abs(n) > wholeMost {
		n = math.Mod(n, 1<<16) // beyond int64 processors convert as they like
	}
	return uint16(int64(n))
}

func (v *VM) fastNatives() natives {
	check := func(L *lua.LState) *part {
		p, ok := L.Get(1).(*part)
		if !ok || p.part.Type.Kind != engine.KindFastArray {
			raiseSelf(L, "a fastarray", "self.F")
		}
		if p.object.gone {
			v.raiseGone(L, p.object)
		}
		return p
	}
	item := func(L *lua.LState, p *part, i int) engine.Value {
		x, err := v.fromLua(p.part.Type.Elem, L.Get(i))
		if err != nil {
			L.RaiseError("%s.%s: %v", p.object.actor, p.part.Prop.Name, err)
		}
		return x
	}
	fail := func(L *lua.LState, p *part, err error) {
		if err != nil {
			L.RaiseError("%s.%s: %v", p.object.actor, p.part.Prop.Name, err)
		}
	}
	return natives{
		"Add": func(L *lua.LState) int {
			p := check(L)
			key, err := p.object.actor.FastAdd(p.part.Prop, item(L, p, 2))
			fail(L, p, err)
			return number(L, float64(key))
		},
		"Set": func(L *lua.LState) int {
			p := check(L)
			fail(L, p, p.object.actor.FastSet(p.part.Prop, fastKey(L, 2), item(L, p, 3)))
			return 0
		},
		"Get": func(L *lua.LState) int {
			p := check(L)
			x, ok := p.object.actor.FastGet(p.part.Prop, fastKey(L, 2))
			if !ok {
				return 0
			}
			L.Push(v.toLuaTyped(p.part.Type.Elem, x))
			return 1
		},
		"Remove": func(L *lua.LState) int {
			p := check(L)
			fail(L, p, p.object.actor.FastRemove(p.part.Prop, fastKey(L, 2)))
			return 0
		},
		"Pairs": func(L *lua.LState) int {
			p := check(L)
			// A snapshot of the keys: the loop may add and remove.
			var keys []uint32
			for _, it := range p.object.actor.Fast(p.part.Prop).Items() {
				keys = append(keys, it.Key)
			}
			L.Push(v.native(func(L *lua.LState) int {
				for len(keys) > 0 {
					k := keys[0]
					keys = keys[1:]
					if x, ok := p.object.actor.FastGet(p.part.Prop, k); ok {
						L.Push(lua.LNumber(k))
						L.Push(v.toLuaTyped(p.part.Type.Elem, x))
						return 2
					}
				}
				return 0
			}))
			return 1
		},
	}
}

// fastKey is the key of an item of a fast array; 0, which no item has, for a number that is none.
func fastKey(L *lua.LState, i int) uint32 {
	n := checkNumber(L, i)
	if n < 0 || n > math.MaxUint32 || n != math.Trunc(n) {
		return 0
	}
	return uint32(n)
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

// text joins the arguments of a log as print would. What has no text of its own is numbered, not shown with its address (G19),
// and a cut leaves whole characters.
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
