package scriptvm

import (
	"errors"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// maxSaves bounds the saves that scripts wait for; world:Save beyond it is an error.
const maxSaves = 4

// saveNatives returns natives that save the world.
func saveNatives() []native {
	return []native{{
		Space: api.World, Name: "Save", Params: "name: string, done?: fun(error: string?)", Returns: "boolean?, string?",
		Doc: "On the server: saves the world as it is after this tick, under a name (docs/data.md); `host serve --load NAME` or the command `load NAME` continues it. In latent code it waits until the file is safe and returns true, or nil and why it failed. " +
			"With a function it returns at once, and the function is called between two ticks with nil, or with why it failed.",
		Example: `world:Save("checkpoint", function(why) self:Log(why or "saved") end)`,
		Do:      (*VM).saveWorld,
	}}
}

func (v *VM) saveWorld(L *lua.LState) int {
	v.checkWorld(L)
	name := checkString(L, 2)
	fn, _ := L.Get(3).(*lua.LFunction)
	if err := store.CheckKey(name); err != nil {
		L.RaiseError("world:Save: the name: %v", err)
	}
	if v.world.NetMode == engine.NMClient {
		L.RaiseError("world:Save: only the server saves")
	}
	if mod := v.askingMod(); mod != "" && !v.gameOfMod(mod) {
		L.RaiseError("world:Save: mod %s cannot save the match of another game", mod)
	}
	s := &v.saves
	if len(s.waiting) >= maxSaves {
		L.RaiseError("world:Save: %d saves are under way already; wait for the answer of one", len(s.waiting))
	}
	w := saveWait{number: s.number + 1, fn: fn}
	if f, _ := v.vm.Frame(L, 1); f != nil && v.program != nil {
		if _, def := v.program.CodeOf(f.Proto); def != nil {
			w.owner = v.program.Classes.Find(def.Class)
		}
	}
	n := 0
	if fn == nil {
		n = v.yield(L, "world:Save without a function", func(l *latent) {
			l.wait, l.answered = waitAnswer, false
			w.latent = l
		})
	}
	s.number++
	s.waiting = append(s.waiting, w)
	s.asked = append(s.asked, SaveRequest{name, w.number})
	return n
}

// TakeSaves returns the saves that scripts have requested since it was last called. Call it between two ticks.
func (v *VM) TakeSaves() []SaveRequest {
	list := v.saves.asked
	v.saves.asked = nil
	return list
}

// Saved answers a save between two ticks: err is nil once the file is safe. An answer that nobody waits for is dropped.
func (v *VM) Saved(r SaveRequest, err error) {
	s := &v.saves
	for i := range s.waiting {
		w := s.waiting[i]
		if w.number != r.number {
			continue
		}
		s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
		switch {
		case w.latent != nil && !w.latent.done:
			w.latent.answered, w.latent.answer = true, saveAnswer(err)
		case w.fn != nil:
			v.callDone(w, err)
		}
		return
	}
}

func saveAnswer(err error) []lua.LValue {
	if err != nil {
		return []lua.LValue{lua.LNil, lua.LString(err.Error())}
	}
	return []lua.LValue{lua.LTrue}
}

// callDone calls the function that a script gave.
func (v *VM) callDone(w saveWait, err error) {
	why := lua.LValue(lua.LNil)
	if err != nil {
		why = lua.LString(err.Error())
	}
	game := living(v.world.Actor(v.world.Game))
	class := w.owner
	if class == nil && game != nil {
		class = game.Class
	}
	if class == nil || game == nil {
		return // there is no game, and nobody to report a fault of
	}
	mark := v.world.Mark()
	v.world.Enter()
	v.faults.stats.Calls++
	_, fault := v.vm.Call(class.Name, w.fn, why)
	_ = v.settle(mark, fault, &engine.Function{Name: "Save", Class: class}, game) // it was reported
	v.world.Leave()
}

// ErrNoWorlds is the answer of a host that keeps no saved worlds.
var ErrNoWorlds = errors.New("this host keeps no worlds: no data folder")
