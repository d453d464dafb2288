package scriptvm

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// The store of scripts (C1). A call in latent code waits for its answer, any other passes a function that gets it. Either way the
// world goes on: requests and answers travel between ticks.

func (*storeValue) String() string       { return "store" }
func (*storeValue) Type() lua.LValueType { return lua.LTUserData }

// storeCost is the cost of a call besides the native's own: what the host does for it outside of the tick is not the script's.
const storeCost = 200

// checkStore checks the receiver, and returns the namespace of the mod whose function calls.
func (v *VM) checkStore(L *lua.LState, name string) (namespace string) {
	if _, ok := L.Get(1).(*storeValue); !ok {
		raiseSelf(L, "store", "store")
	}
	switch {
	case v.staging != nil:
		L.RaiseError("store is not there while files load; use it in functions")
	case v.world.NetMode == engine.NMClient:
		L.RaiseError("store:%s: only the server has the store; let a function that is a call to the server do this", name)
	}
	v.vm.Spend(storeCost)
	return store.OfMod(v.modOfCall(L))
}

// modOfCall returns the mod that the calling function belongs to, "" for core and the game.
func (v *VM) modOfCall(L *lua.LState) string {
	for level := 1; ; level++ {
		if _, ok := L.GetStack(level); !ok {
			return ""
		}
		fn, _ := v.vm.Frame(L, level)
		if fn == nil || v.program == nil {
			continue
		}
		if file, _ := v.program.CodeOf(fn.Proto); file != nil {
			if file.Trust.Layer == classfile.LayerMod {
				return file.Trust.Mod
			}
			return ""
		}
	}
}

func (v *VM) checkKey(L *lua.LState) string {
	key := checkString(L, 2)
	if err := store.CheckKey(key); err != nil {
		L.RaiseError("%s: %v", running(L).shown(), err)
	}
	return key
}

// answered is told the outcome of a call: values, or an error.
type answered func(values []lua.LValue, err error)

// asks prepares the answer of a call: of a callback in argument i, or of the latent code that calls. It returns what the native
// must return.
func (v *VM) asks(L *lua.LState, i int) (answered, int) {
	name := running(L).shown()
	if fn, ok := L.Get(i).(*lua.LFunction); ok {
		a := v.context.actor
		if a == nil {
			a = v.world.Actor(v.world.Game)
		}
		if a == nil {
			L.RaiseError("%s: there is no actor to answer to", name)
		}
		return func(values []lua.LValue, err error) { v.callBack(a, name, fn, values, err) }, 0
	}
	if L.Get(i) != lua.LNil {
		argError(L, i, "a function")
	}
	if v.latents.running == nil {
		L.RaiseError("%s: outside of latent code pass a function that gets the answer: %s(…, function(value, err) … end)", name, name)
	}
	n := v.vm.Yield(L, name)
	l := v.latents.running
	l.wait, l.answered = waitAnswer, false
	return func(values []lua.LValue, err error) {
		if l.done {
			return
		}
		if err != nil {
			values = []lua.LValue{lua.LNil, lua.LString(err.Error())}
		}
		if len(values) == 0 {
			values = []lua.LValue{lua.LNil}
		}
		l.answered, l.answer = true, values
	}, n
}

// callBack calls a script's function with an answer, between two ticks.
func (v *VM) callBack(a *engine.Actor, name string, fn *lua.LFunction, values []lua.LValue, err error) {
	if v.closed || a.Deleted() || v.world.Actor(a.ID()) != a {
		return
	}
	if err != nil {
		values = []lua.LValue{lua.LNil, lua.LString(err.Error())}
	}
	_, _ = v.callFunction(a, "answer of "+name, fn, values, false)
}

// callFunction calls a function that a script passed to a native, as an entry of its own. undo undoes its writes even if it
// succeeds.
func (v *VM) callFunction(a *engine.Actor, name string, fn *lua.LFunction, args []lua.LValue, undo bool) (lua.LValue, error) {
	f := &engine.Function{Name: name, Class: a.Class}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	v.faults.stats.Calls++
	v.cause = causeCall
	outer := v.enter(f, a)
	out, err := v.vm.CallMulti(f.Class.Name, fn, args...)
	v.leave(outer)
	if undo && err == nil {
		v.world.Rollback(mark)
	} else {
		err = v.settle(mark, err, f, a)
	}
	if len(out) == 0 {
		return lua.LNil, err
	}
	return out[0], err
}

// operate sends an operation and lets result make the answer of the value that is there then.
func (v *VM) operate(L *lua.LState, i int, op store.Op, result func(value []byte) ([]lua.LValue, error)) int {
	name := running(L).shown()
	done, n := v.asks(L, i)
	op.Done = func(value []byte, err error) {
		if v.closed {
			return
		}
		var values []lua.LValue
		if err == nil {
			values, err = result(value)
		}
		if err != nil {
			err = fmt.Errorf("%s(%q): %w", name, shortKey(op.Key), err)
		}
		done(values, err)
	}
	if err := v.doStore(op); err != nil {
		if n == 0 && !errors.Is(err, errNoStore) {
			L.RaiseError("%s: %v", name, err)
		}
		v.later(n, func() { done(nil, fmt.Errorf("%s: %w", name, err)) })
	}
	return n
}

// later gives an error as an answer: to latent code, which goes on in the next tick, at once; to a callback, for which n is 0, in the
// next tick. So a game is the same with and without a store: no call answers before it returns.
func (v *VM) later(n int, answer func()) {
	if n > 0 {
		answer()
		return
	}
	v.refused = append(v.refused, answer)
}

// refuse gives the answers of a world without a store. An answer may ask again.
func (v *VM) refuse() {
	list := v.refused
	v.refused = nil
	for _, answer := range list {
		answer()
	}
}

func shortKey(full string) string {
	_, key := store.Split(full)
	return strings.TrimPrefix(key, "~")
}

func (v *VM) doStore(op store.Op) error {
	if v.opt.Store == nil {
		return errNoStore
	}
	return v.opt.Store.Do(op)
}

// errNoStore is for worlds that were opened without a store.
var errNoStore = errors.New("this world has no store, so nothing is stored")

// oneValue is the result of an operation that returns the value.
func oneValue(b []byte) ([]lua.LValue, error) {
	x, err := fromStored(b)
	return []lua.LValue{x}, err
}

func isTrue([]byte) ([]lua.LValue, error) { return []lua.LValue{lua.LTrue}, nil }

// storeNatives returns the natives of the store.
func storeNatives() []native {
	return []native{
		{
			Space: api.Store, Name: "Get", Params: "key: string, done?: StoreDone", Returns: "value: any, err: string?",
			Doc:     "On the server: the value at a key, nil if there is none. A mod sees only its own keys. In latent code the call waits for the answer; elsewhere pass done.",
			Example: `local record, err = store:Get("record")`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Get")
				return v.operate(L, 3, store.Op{Namespace: ns, Key: store.Full(ns, v.checkKey(L))}, oneValue)
			},
		},
		{
			Space: api.Store, Name: "Set", Params: "key: string, value: any, done?: StoreDone", Returns: "stored: boolean?, err: string?",
			Doc:     "On the server: stores a value, up to 64 KB: nil, a boolean, number, string, vector, rotator or a table of these. The answer is true once it is safe. The last of several writes that wait counts. To change a value that depends on the old one use Update.",
			Example: `store:Set("motd", "Finals at eight", function(ok, err) if err then log(err) end end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Set")
				key := v.checkKey(L)
				if L.GetTop() < 3 {
					argError(L, 3, "a value; nil removes the key")
				}
				value, err := v.toStored(L.Get(3))
				if err != nil {
					L.RaiseError("store:Set(%q): %v", key, err)
				}
				if L.Get(3) == lua.LNil {
					value = nil
				}
				return v.operate(L, 4, store.Op{Namespace: ns, Key: store.Full(ns, key), Blind: true, Apply: func([]byte) ([]byte, error) { return value, nil }}, isTrue)
			},
		},
		{
			Space: api.Store, Name: "Update", Params: "key: string, change: StoreUpdate, done?: StoreDone", Returns: "value: any, err: string?",
			Doc:     "On the server: stores what the function makes of the present value, nil for none, and answers with it once it is safe. If another host wrote the key meanwhile the function runs again with the newer value, so no change is lost.",
			Example: `store:Update("visits", function(n) return (n or 0) + 1 end, function(n, err) log(n, err) end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Update")
				key := v.checkKey(L)
				change, ok := L.Get(3).(*lua.LFunction)
				if !ok {
					argError(L, 3, "a function")
				}
				a := v.context.actor
				if a == nil {
					a = v.world.Actor(v.world.Game)
				}
				apply := func(old []byte) ([]byte, error) { return v.changed(a, change, old) }
				return v.operate(L, 4, store.Op{Namespace: ns, Key: store.Full(ns, key), Apply: apply}, oneValue)
			},
		},
		{
			Space: api.Store, Name: "Increment", Params: "key: string, by?: number, done?: StoreDone", Returns: "value: number?, err: string?",
			Doc:     "On the server: adds to the number at a key, 1 if by is nil; a missing value counts as 0. It answers with the sum once that is safe.",
			Example: `store:Increment("matches", 1, function(n, err) log(n, err) end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Increment")
				key, by := v.checkKey(L), optNumber(L, 3, 1)
				apply := func(old []byte) ([]byte, error) {
					x, err := store.Decode(old)
					n, ok := x.(float64)
					switch {
					case old == nil:
					case err != nil:
						return nil, err
					case !ok:
						return nil, errors.New("the value is no number; nothing was stored")
					}
					return store.Append(nil, n+by)
				}
				return v.operate(L, 4, store.Op{Namespace: ns, Key: store.Full(ns, key), Apply: apply}, oneValue)
			},
		},
		{
			Space: api.Store, Name: "Remove", Params: "key: string, done?: StoreDone", Returns: "removed: boolean?, err: string?",
			Doc:     "On the server: removes a key. The answer is true once that is safe, whether there was a value or not.",
			Example: `store:Remove("motd", function(ok, err) log(ok, err) end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Remove")
				return v.operate(L, 3, store.Op{Namespace: ns, Key: store.Full(ns, v.checkKey(L)), Blind: true, Apply: func([]byte) ([]byte, error) { return nil, nil }}, isTrue)
			},
		},
		{
			Space: api.Store, Name: "List", Params: "prefix: string, after?: string, done?: StoreDone", Returns: "keys: string[]?, err: string?",
			Doc:     "On the server: the keys that begin with a prefix, in order, at most 1 000. For more, request those after the last one.",
			Example: `store:List("laps/", nil, function(keys, err) log(keys and #keys, err) end)`,
			Do:      (*VM).storeList,
		},
		{
			Space: api.Store, Name: "Rank", Params: "list: string, name: string, score?: number, done?: StoreDone", Returns: "place: integer?, err: string?",
			Doc:     "On the server: gives a name its score in an ordered list; nil removes it. It answers with the place, 1 for the highest score, once that is safe; nil if the name is not among the best 500, which are kept. For times, where less is better, use negative scores.",
			Example: `store:Rank("kills", self.PlayerName, self.Kills, function(place, err) log(place, err) end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Rank")
				list, name := v.checkKey(L), checkString(L, 3)
				if err := store.CheckRankName(name); err != nil {
					L.RaiseError("store:Rank: %v", err)
				}
				var score *float64
				if L.Get(4) != lua.LNil {
					n := checkNumber(L, 4)
					score = &n
				}
				return v.operate(L, 5, store.Op{Namespace: ns, Key: store.RankKey(ns, list), Apply: store.Rank(name, score)}, func(value []byte) ([]lua.LValue, error) {
					all, err := store.DecodeRanks(value)
					if place := store.Place(all, name); place > 0 {
						return []lua.LValue{lua.LNumber(place)}, err
					}
					return []lua.LValue{lua.LNil}, err
				})
			},
		},
		{
			Space: api.Store, Name: "Top", Params: "list: string, n: integer, done?: StoreDone", Returns: "entries: RankEntry[]?, err: string?",
			Doc:     "On the server: the first n entries of an ordered list, the best first.",
			Example: `store:Top("kills", 10, function(best, err) for _, e in ipairs(best or {}) do log(e.Place, e.Name, e.Score) end end)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkStore(L, "Top")
				list, most := v.checkKey(L), int(checkNumber(L, 3))
				return v.operate(L, 4, store.Op{Namespace: ns, Key: store.RankKey(ns, list)}, func(value []byte) ([]lua.LValue, error) {
					all, err := store.DecodeRanks(value)
					all = all[:max(min(len(all), most), 0)]
					out := newTable(len(all), 0)
					for i, r := range all {
						e := newTable(0, 3)
						e.RawSetString("Place", lua.LNumber(i+1))
						e.RawSetString("Name", lua.LString(r.Name))
						e.RawSetString("Score", lua.LNumber(r.Score))
						out.RawSetInt(i+1, e)
					}
					return []lua.LValue{out}, err
				})
			},
		},
	}
}

// changed is what a script's function makes of a stored value.
func (v *VM) changed(a *engine.Actor, change *lua.LFunction, old []byte) ([]byte, error) {
	if v.closed || a == nil || a.Deleted() {
		return nil, errors.New("the actor that asked is gone; nothing was stored")
	}
	x, err := fromStored(old)
	if err != nil {
		return nil, err
	}
	x, err = v.callFunction(a, "change of store:Update", change, []lua.LValue{x}, true)
	if err != nil {
		return nil, fmt.Errorf("the function failed: %w; nothing was stored", err)
	}
	if x == lua.LNil {
		return nil, nil
	}
	b, err := v.toStored(x)
	if err != nil {
		err = fmt.Errorf("%w; nothing was stored", err)
	}
	return b, err
}

func (v *VM) storeList(L *lua.LState) int {
	ns := v.checkStore(L, "List")
	prefix, after := checkString(L, 2), optString(L, 3, "")
	for _, k := range [2]string{prefix, after} {
		if err := store.CheckKey(k); err != nil && k != "" {
			L.RaiseError("store:List: %v", err)
		}
	}
	done, n := v.asks(L, 4)
	answer := func(keys []string, err error) {
		out := newTable(len(keys), 0)
		for _, k := range keys {
			if !store.IsRank(k) {
				out.Append(lua.LString(k))
			}
		}
		if err != nil {
			err = fmt.Errorf("store:List(%q): %w", prefix, err)
		}
		if !v.closed {
			done([]lua.LValue{out}, err)
		}
	}
	err := errNoStore
	if v.opt.Store != nil {
		err = v.opt.Store.List(ns, prefix, after, store.MaxList, answer)
	}
	if err != nil {
		if n == 0 && !errors.Is(err, errNoStore) {
			L.RaiseError("store:List: %v", err)
		}
		v.later(n, func() { answer(nil, err) })
	}
	return n
}
