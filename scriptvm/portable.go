package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
)

// Portable is plain data of a script outside of any VM: what a player keeps from one world to another (R8.7). It holds
// booleans, numbers, strings, vectors, rotators and tables of these, and no actors, because they end with their
// world. The zero value is nil.
type Portable struct{ value lua.LValue }

// Limits of a portable value: a game keeps one for every player who is away or travelling.
const (
	maxPortableValues = 4096
	maxPortableText   = 64 << 10 // bytes of all its strings together
)

// Pack calls a function of an actor as Call does, and returns its first result as a portable value. An error about a result
// that a portable value cannot hold is charged to the function.
func (v *VM) Pack(a *engine.Actor, name string, args ...engine.Value) (Portable, error) {
	list := make([]lua.LValue, len(args))
	for i := range args {
		list[i] = v.toLua(args[i])
	}
	out, err := v.callLua(a, name, list)
	if err != nil || len(out) == 0 {
		return Portable{}, err
	}
	b, err := v.portable(out[0])
	if err != nil {
		v.Blame(a, name, err.Error())
	}
	return b, err
}

func (v *VM) portable(x lua.LValue) (Portable, error) {
	var actor *engine.Actor
	out, err := v.Export(x, func(a *engine.Actor) lua.LValue { actor = a; return lua.LNil })
	if err == nil && actor != nil {
		err = fmt.Errorf("%s (%s) cannot move to another world; keep plain values", actor.Name, actor.Class.Name)
	}
	if err != nil || out == lua.LNil {
		return Portable{}, err
	}
	if values, text := weigh(out); values > maxPortableValues || text > maxPortableText {
		return Portable{}, fmt.Errorf("%d values with %d bytes of text are too much to move along: at most %d with %d", values, text, maxPortableValues, maxPortableText)
	}
	return Portable{out}, nil
}

// weigh counts the values in a plain value, and the bytes of its strings. Export bounds its depth.
func weigh(x lua.LValue) (values, text int) {
	values = 1
	switch x := x.(type) {
	case lua.LString:
		text = len(x)
	case *lua.LTable:
		each(x, func(k, e lua.LValue) {
			for _, part := range [2]lua.LValue{k, e} {
				n, t := weigh(part)
				values, text = values+n, text+t
			}
		})
	}
	return values, text
}

// CallWith is Call with a portable value as the first argument. The function gets a copy of its own.
func (v *VM) CallWith(a *engine.Actor, name string, b Portable, args ...engine.Value) ([]engine.Value, error) {
	first := b.value
	if first == nil {
		first = lua.LNil
	}
	first, err := v.Import(first, func(lua.LValue) (*engine.Actor, bool, error) { return nil, false, nil })
	if err != nil {
		return nil, err
	}
	list := append(make([]lua.LValue, 0, len(args)+1), first)
	for i := range args {
		list = append(list, v.toLua(args[i]))
	}
	results, err := v.callLua(a, name, list)
	out := make([]engine.Value, len(results))
	for i, r := range results {
		out[i] = v.anyFromLua(r)
	}
	return out, err
}

// Bytes encodes a portable value as package store does; nil for nil.
func (p Portable) Bytes() []byte {
	if p.value == nil || p.value == lua.LNil {
		return nil
	}
	b, err := store.Append(nil, storedOf(p.value))
	if err != nil {
		return nil // longer than any host takes
	}
	return b
}

// ReadPortable decodes what Bytes returned, on another host: nothing of it is trusted.
func ReadPortable(b []byte) (Portable, error) {
	if len(b) == 0 {
		return Portable{}, nil
	}
	x, err := fromStored(b)
	if err != nil {
		return Portable{}, err
	}
	if values, text := weigh(x); values > maxPortableValues || text > maxPortableText {
		return Portable{}, fmt.Errorf("%d values with %d bytes of text are more than a player may bring", values, text)
	}
	return Portable{x}, nil
}
