package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

func (*profileValue) String() string       { return "Profile" }
func (*profileValue) Type() lua.LValueType { return lua.LTUserData }

// mostInTransaction bounds the players of one Profile.Transact.
const mostInTransaction = 16

func profileNatives() []native {
	return []native{{
		Space: api.Profile, Name: "Transact", Params: "players: PlayerReplicationInfo[], change: function, done?: StoreDone", Returns: "saved: boolean?, err: string?",
		Doc:     "On the server: calls the function with the players' PlayerStates, which may change their persistent variables, and saves all of them in one transaction: whatever dies, all of the change is kept or none. If it returns false or fails, nothing is changed, and the answer is false or an error. Up to 16 players of this host; one without a profile, such as a guest, takes part and is not saved. The answer is true once it is safe. In latent code the call waits for it; elsewhere pass done.",
		Example: `Profile.Transact({ a, b }, function(x, y) x.Gold, y.Gold = x.Gold - 5, y.Gold + 5 end, function(ok, err) log(ok, err) end)`,
		Do:      (*VM).transact,
	}}
}

func (v *VM) transact(L *lua.LState) int {
	switch {
	case v.staging != nil:
		L.RaiseError("Profile is not there while files load; use it in functions")
	case v.world.NetMode == engine.NMClient:
		L.RaiseError("Profile.Transact: only the server has profiles; let a function that is a call to the server do this")
	}
	v.vm.Spend(storeCost)
	list, ok := L.Get(1).(*lua.LTable)
	if !ok || objectOf(list) != nil {
		argError(L, 1, "a list of PlayerStates")
	}
	n := list.Len()
	if n < 1 || n > mostInTransaction {
		L.RaiseError("Profile.Transact: %d players; 1 to %d can take part", n, mostInTransaction)
	}
	players, args := make([]*engine.Actor, n), make([]lua.LValue, n)
	for i := range players {
		o := objectOf(list.RawGetInt(i + 1))
		if o == nil || o.gone || o.actor.Class.Property("UniqueId") == nil {
			L.RaiseError("Profile.Transact: element %d of the list: expected a PlayerState, got %s", i+1, valueText(list.RawGetInt(i+1)))
		}
		for _, p := range players[:i] {
			if p == o.actor {
				L.RaiseError("Profile.Transact: %s is in the list twice", p.Name)
			}
		}
		players[i], args[i] = o.actor, o.table
	}
	change, ok := L.Get(2).(*lua.LFunction)
	if !ok {
		argError(L, 2, "a function")
	}
	done, yields := v.asks(L, 3)
	refuse := func(err error) int {
		err = fmt.Errorf("Profile.Transact: %w, and nothing was changed", err)
		if yields == 0 {
			L.RaiseError("%v", err)
		}
		done(nil, err)
		return yields
	}
	if v.opt.Transactor == nil {
		return refuse(errNoStore)
	}
	if err := v.opt.Transactor.Together(players); err != nil {
		return refuse(err)
	}
	a := v.caller()
	if a == nil {
		a = players[0]
	}
	mark := v.world.Mark()
	result, err := v.callFunction(a, "change of Profile.Transact", change, args, false)
	if err != nil {
		err = fmt.Errorf("Profile.Transact: the function failed, and nothing was changed: %w", err)
	} else if result != lua.LFalse {
		if err = v.opt.Transactor.Fits(players); err != nil {
			err = fmt.Errorf("Profile.Transact: %w, and nothing was changed", err)
		}
	}
	if err != nil || result == lua.LFalse {
		v.world.Rollback(mark)
		v.opt.Transactor.Later(func() {
			if !v.closed {
				done([]lua.LValue{lua.LFalse}, err)
			}
		})
		return yields
	}
	v.world.Release()
	saved := func(err error) {
		if v.closed {
			return
		}
		if err != nil {
			err = fmt.Errorf("Profile.Transact: %w", err)
		}
		done([]lua.LValue{lua.LTrue}, err)
	}
	v.opt.Transactor.Save(players, saved)
	return yields
}
