package scenario

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// The values of a scenario that Lua does not have: t, peers, handles of actors and of their arrays. They
// are LValues of our own and share the metatable of vectors and rotators (scriptvm.BindValues).

// tester is t.
type tester struct{ run *run }

func (*tester) String() string       { return "t" }
func (*tester) Type() lua.LValueType { return lua.LTUserData }

// peer is a peer as a script value.
type peer struct {
	Peer
	run   *run
	names map[actorKey]string // names of handles, for when their actor is destroyed
}

type actorKey struct {
	epoch int
	id    engine.ActorID
}

func (p *peer) String() string     { return p.Name() }
func (*peer) Type() lua.LValueType { return lua.LTUserData }

func (p *peer) client() Client {
	c, _ := p.Peer.(Client)
	return c
}

// handle identifies an actor of a peer. Handles are equal if both are the same.
type handle struct {
	peer *peer
	key  actorKey
}

func (h handle) String() string {
	return strings.SplitN(h.peer.names[h.key], " ", 2)[0] + " of " + h.peer.Name()
}
func (handle) Type() lua.LValueType { return lua.LTUserData }

// actor returns the handle's actor, or nil if it was destroyed.
func (h handle) actor() *engine.Actor {
	w := h.peer.World()
	if w == nil || h.key.epoch != h.peer.Epoch() {
		return nil
	}
	a := w.Actor(h.key.id)
	if a == nil || a.Deleted() {
		return nil
	}
	return a
}

// gone returns the message that a handle's actor was destroyed.
func (h handle) gone() string { return h.peer.names[h.key] + " of " + h.peer.Name() + " is destroyed" }

// place is an array, a struct or a fast array of an actor: it reads and writes through.
type place struct {
	handle handle
	name   string
	part   lua.LValue // the peer's own value
}

func (p place) String() string     { return p.handle.String() + "." + p.name }
func (place) Type() lua.LValueType { return lua.LTUserData }

// handleOf returns a peer's handle of an actor; nil for nil.
func (p *peer) handleOf(a *engine.Actor) lua.LValue {
	if a == nil {
		return lua.LNil
	}
	k := actorKey{p.Epoch(), a.ID()}
	if _, ok := p.names[k]; !ok {
		p.names[k] = a.Name + " (" + a.Class.Name + ")"
	}
	return handle{p, k}
}

// fromPeer converts a value of a peer's VM for the scenario's.
func (r *run) fromPeer(p *peer, x lua.LValue) (lua.LValue, error) {
	return p.VM().Export(x, p.handleOf)
}

// toPeer converts a value of the scenario for a peer's VM. A handle of another peer becomes this peer's copy, nil
// if it has none.
func (r *run) toPeer(p *peer, x lua.LValue) (lua.LValue, error) {
	if pl, ok := x.(place); ok {
		plain, err := r.plain(pl)
		if err != nil {
			return lua.LNil, err
		}
		x = plain
	}
	return p.VM().Import(x, func(x lua.LValue) (*engine.Actor, bool, error) {
		h, ok := x.(handle)
		if !ok {
			return nil, false, nil
		}
		a, err := r.on(p, h)
		return a, true, err
	})
}

// goneError is the error for a handle whose actor was destroyed.
type goneError struct{ text string }

func (e *goneError) Error() string { return e.text }

// on returns a handle's actor on a peer: its own, or that peer's copy.
func (r *run) on(p *peer, h handle) (*engine.Actor, error) {
	a := h.actor()
	if a == nil {
		return nil, &goneError{h.gone()}
	}
	if h.peer == p {
		return a, nil
	}
	return p.Copy(h.peer.Peer, h.key.id), nil
}

// plain converts a place to a plain table.
func (r *run) plain(pl place) (lua.LValue, error) {
	if pl.handle.actor() == nil {
		return lua.LNil, &goneError{pl.handle.gone()}
	}
	return r.fromPeer(pl.handle.peer, pl.part)
}

// index reads a member of any of these values.
func (v *fileVM) index(L *lua.LState) int {
	r := v.run
	key := L.Get(2)
	name, isName := key.(lua.LString)
	switch x := L.Get(1).(type) {
	case *tester:
		return r.member(L, r.tMethods, "t", key, r.tMethodNames)
	case *peer:
		switch string(name) {
		case "time":
			now := 0.0
			if w := x.World(); w != nil {
				now = w.Time
			}
			L.Push(lua.LNumber(now))
			return 1
		case "name":
			L.Push(lua.LString(x.Name()))
			return 1
		case "draining":
			if text := r.stage.Draining(x.Peer); text != "" {
				L.Push(lua.LString(text))
				return 1
			}
			return 0
		case "error", "error_code":
			c := x.client()
			if c == nil {
				L.RaiseError("%s: only a client has .%s", x.Name(), name)
			}
			text, code := c.Failure()
			if name == "error_code" {
				text = code
			}
			if text != "" {
				L.Push(lua.LString(text))
				return 1
			}
			return 0
		}
		return r.member(L, r.peerMethods, x.Name(), key, r.peerMembers)
	case handle:
		if !isName {
			L.RaiseError("%s: the name of a field is a string, got %s", x, v.show(key))
		}
		return r.readField(L, x, string(name))
	case place:
		return r.readPlace(L, x, key)
	}
	L.RaiseError("attempt to index a %s", L.Get(1).Type())
	return 0
}

func (r *run) member(L *lua.LState, methods *lua.LTable, what string, key lua.LValue, names []string) int {
	if s, ok := key.(lua.LString); ok {
		if f := methods.RawGetString(string(s)); f != lua.LNil {
			L.Push(f)
			return 1
		}
	}
	name := r.vm.show(key)
	if s, ok := key.(lua.LString); ok {
		name = string(s)
	}
	L.RaiseError("%s has no member %s%s", what, name, engine.Nearest(name, names))
	return 0
}

// readField reads handle.name.
func (r *run) readField(L *lua.LState, h handle, name string) int {
	switch name {
	case "alive":
		L.Push(lua.LBool(h.actor() != nil))
		return 1
	case "Is":
		L.Push(r.handleIs)
		return 1
	}
	a := r.live(L, h)
	if a == nil {
		return 0
	}
	x, err := h.peer.VM().Field(a, name)
	raise(L, err)
	return r.pushMember(L, place{h, name, x}, func() *lua.LFunction { return r.caller(name) })
}

// pushMember pushes what a handle or a place has under a name: a function, a place in it, or a value.
func (r *run) pushMember(L *lua.LState, at place, function func() *lua.LFunction) int {
	switch {
	case scriptvm.IsFunction(at.part):
		L.Push(function())
	case scriptvm.IsPart(at.part):
		L.Push(at)
	default:
		return r.push(L, at.handle.peer, []lua.LValue{at.part}, at.String())
	}
	return 1
}

// live returns a handle's actor. Without one the use of the handle is an error, and it returns nil.
func (r *run) live(L *lua.LState, h handle) *engine.Actor {
	a := h.actor()
	if a == nil {
		r.misuse(L, h.peer, h.gone()+"; handle.alive tells")
	}
	return a
}

// readPlace reads handle.Arr[i], handle.S.Member and the methods of fast arrays.
func (r *run) readPlace(L *lua.LState, pl place, key lua.LValue) int {
	if r.live(L, pl.handle) == nil {
		return 0
	}
	x, err := pl.handle.peer.VM().Index(pl.part, key)
	raise(L, err)
	name := key.String()
	return r.pushMember(L, place{pl.handle, pl.name + "." + name, x}, func() *lua.LFunction { return r.partCaller(name) })
}

// newIndex assigns a member.
func (v *fileVM) newIndex(L *lua.LState) int {
	r := v.run
	key, val := L.Get(2), L.Get(3)
	switch x := L.Get(1).(type) {
	case handle:
		name, ok := key.(lua.LString)
		if !ok {
			L.RaiseError("%s: the name of a field is a string, got %s", x, v.show(key))
		}
		if name == "alive" || name == "Is" {
			L.RaiseError("%s.%s cannot be assigned", x, name)
		}
		r.write(L, x, string(name), val, func(a *engine.Actor, val lua.LValue) error {
			return x.peer.VM().SetField(a, string(name), val)
		})
	case place:
		r.write(L, x.handle, x.name, val, func(_ *engine.Actor, val lua.LValue) error {
			return x.handle.peer.VM().SetIndex(x.part, key, val)
		})
	case *tester:
		L.RaiseError("t.%s cannot be assigned", key.String())
	case *peer:
		L.RaiseError("%s.%s cannot be assigned", x.Name(), key.String())
	default:
		L.RaiseError("attempt to set a member of a %s", x.Type())
	}
	return 0
}

// write assigns through a handle. A refusal by the peer is a script error of that peer.
func (r *run) write(L *lua.LState, h handle, name string, val lua.LValue, set func(*engine.Actor, lua.LValue) error) {
	a := r.live(L, h)
	if a == nil {
		return
	}
	x, err := r.toPeer(h.peer, val)
	if err == nil {
		err = set(a, x)
	}
	if err != nil {
		h.peer.VM().Blame(a, name, L.Where(1)+" "+err.Error())
	}
}

// length is # of a place.
func (v *fileVM) length(L *lua.LState) int {
	pl, ok := L.Get(1).(place)
	if !ok {
		L.RaiseError("attempt to get the length of a %s", L.Get(1).Type())
	}
	if pl.handle.actor() == nil {
		L.RaiseError("%s; handle.alive tells", pl.handle.gone())
	}
	n, err := pl.handle.peer.VM().Len(pl.part)
	raise(L, err)
	L.Push(n)
	return 1
}

func (v *fileVM) text(L *lua.LState) int {
	L.Push(lua.LString(L.Get(1).String()))
	return 1
}

// caller returns handle.Func: a function that takes the handle and arguments.
func (r *run) caller(name string) *lua.LFunction {
	if f := r.callers[name]; f != nil {
		return f
	}
	f := r.vm.sb.NewFunction(name, func(L *lua.LState) int {
		h, ok := L.Get(1).(handle)
		if !ok {
			L.RaiseError("%s: expected a handle before the method, got %s; write a colon: handle:%s(…)", name, r.vm.show(L.Get(1)), name)
		}
		return r.call(L, h, name, 2)
	})
	r.callers[name] = f
	return f
}

// call calls a function of an actor on the handle's peer, with the arguments from one on. An error is the peer's,
// and the call returns nothing.
func (r *run) call(L *lua.LState, h handle, name string, from int) int {
	a := r.live(L, h)
	if a == nil {
		return 0
	}
	var args []lua.LValue
	for i := from; i <= L.GetTop(); i++ {
		x, err := r.toPeer(h.peer, L.Get(i))
		if err != nil {
			L.RaiseError("%s:%s: argument %d: %s", h, name, i-from+1, err.Error())
		}
		args = append(args, x)
	}
	out, err := h.peer.VM().CallFunction(a, name, args)
	if err != nil {
		return 0
	}
	return r.push(L, h.peer, out, h.String()+":"+name)
}

// push pushes values of a peer for the script.
func (r *run) push(L *lua.LState, p *peer, values []lua.LValue, what string) int {
	for _, x := range values {
		y, err := r.fromPeer(p, x)
		if err != nil {
			L.RaiseError("%s: %s", what, err.Error())
		}
		L.Push(y)
	}
	return len(values)
}

// partCaller returns handle.F.Add. Pairs iterates over a snapshot.
func (r *run) partCaller(name string) *lua.LFunction {
	if f := r.partCallers[name]; f != nil {
		return f
	}
	f := r.vm.sb.NewFunction(name, func(L *lua.LState) int {
		pl, ok := L.Get(1).(place)
		if !ok {
			L.RaiseError("%s: expected a fastarray before the method; write a colon: handle.F:%s(…)", name, name)
		}
		a := pl.handle.actor()
		if a == nil {
			L.RaiseError("%s; handle.alive tells", pl.handle.gone())
		}
		if name == "Pairs" {
			t, err := r.plain(pl)
			raise(L, err)
			key := lua.LValue(lua.LNil)
			L.Push(r.vm.sb.NewFunction("Pairs", func(L *lua.LState) int {
				k, x := t.(*lua.LTable).Next(key)
				if key = k; k == lua.LNil {
					return 0
				}
				L.Push(k)
				L.Push(x)
				return 2
			}))
			return 1
		}
		vm := pl.handle.peer.VM()
		fn, err := vm.Index(pl.part, lua.LString(name))
		raise(L, err)
		args := []lua.LValue{pl.part}
		for i := 2; i <= L.GetTop(); i++ {
			x, err := r.toPeer(pl.handle.peer, L.Get(i))
			if err != nil {
				L.RaiseError("%s:%s: %s", pl, name, err.Error())
			}
			args = append(args, x)
		}
		out, err := vm.CallValue(fn, args...)
		if err != nil {
			vm.Blame(a, pl.name, L.Where(1)+" "+err.Error())
			return 0
		}
		return r.push(L, pl.handle.peer, out, pl.String())
	})
	r.partCallers[name] = f
	return f
}
