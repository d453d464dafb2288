package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// fastArrayNatives returns methods of fast arrays.
func fastArrayNatives() []native {
	return []native{
		{
			Space: api.FastArray, Name: "Add", Params: "item: ItemTable", Returns: "integer",
			Doc:     "Appends a struct and returns its key.",
			Example: "local key = self.Items:Add{ Kind = 1 }",
			Do: func(v *VM, L *lua.LState) int {
				p := v.fastOf(L)
				key, err := p.object.actor.FastAdd(p.part.Prop, v.fastItem(L, p, 2))
				p.must(L, err)
				return number(L, float64(key))
			},
		},
		{
			Space: api.FastArray, Name: "Set", Params: "key: integer, item: ItemTable",
			Doc:     "Replaces the struct of a key.",
			Example: "self.Items:Set(key, { Kind = 2 })",
			Do: func(v *VM, L *lua.LState) int {
				p := v.fastOf(L)
				p.must(L, p.object.actor.FastSet(p.part.Prop, fastKey(L, 2), v.fastItem(L, p, 3)))
				return 0
			},
		},
		{
			Space: api.FastArray, Name: "Get", Params: "key: integer", Returns: "table?", Pure: true,
			Doc:     "The struct of a key, or nil.",
			Example: "self.Items:Get(key)",
			Do: func(v *VM, L *lua.LState) int {
				p := v.fastOf(L)
				x, ok := p.object.actor.FastGet(p.part.Prop, fastKey(L, 2))
				if !ok {
					return 0
				}
				L.Push(v.toLuaTyped(p.part.Type.Elem, x))
				return 1
			},
		},
		{
			Space: api.FastArray, Name: "Remove", Params: "key: integer",
			Doc:     "Removes the struct of a key.",
			Example: "self.Items:Remove(key)",
			Do: func(v *VM, L *lua.LState) int {
				p := v.fastOf(L)
				p.must(L, p.object.actor.FastRemove(p.part.Prop, fastKey(L, 2)))
				return 0
			},
		},
		{
			Space: api.FastArray, Name: "Pairs", Returns: "next: function", Pure: true,
			Doc:     "Iterates key, struct in order of adding.",
			Example: "for key, item in self.Items:Pairs() do",
			Do: func(v *VM, L *lua.LState) int {
				p := v.fastOf(L)
				// A snapshot of the keys: the loop may add and remove items.
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
		},
	}
}

// fastOf returns the fast array that a method is called on.
func (v *VM) fastOf(L *lua.LState) *part {
	p, ok := L.Get(1).(*part)
	if !ok || p.part.Type.Kind != engine.KindFastArray {
		raiseSelf(L, "a fastarray", "self.F")
	}
	if p.object.gone {
		v.raiseGone(L, p.object)
	}
	return p
}

// fastItem returns an argument as an item of the array.
func (v *VM) fastItem(L *lua.LState, p *part, i int) engine.Value {
	x, err := v.fromLua(p.part.Type.Elem, L.Get(i))
	p.must(L, err)
	return x
}

// must raises an error of the variable.
func (p *part) must(L *lua.LState, err error) {
	if err != nil {
		L.RaiseError("%s.%s: %v", p.object.actor, p.part.Prop.Name, err)
	}
}

// fastKey returns the key of an item of a fast array; 0, which no item has, for an invalid number.
func fastKey(L *lua.LState, i int) uint32 {
	n := checkNumber(L, i)
	if n < 0 || n > math.MaxUint32 || n != math.Trunc(n) {
		return 0
	}
	return uint32(n)
}
