package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// What a mod may not do to the match of all others (docs/security.md: nobody else is disconnected, the match
// continues): destroy the game, its replicated information, or a player; travel during a match that is not its own.
// The requesting function decides: a mod's game may call core's functions, which do such things at the right time.

// askingMod returns the mod whose function calls the running native, "" for core and the game.
func (v *VM) askingMod() (mod string) {
	if !v.accounts.mods {
		return ""
	}
	v.vm.EachRunning(func(proto *lua.FunctionProto) bool {
		file, _ := v.program.CodeOf(proto)
		if file == nil {
			return true
		}
		if file.Trust.Layer == classfile.LayerMod {
			mod = file.Trust.Mod
		}
		return false
	})
	return mod
}

// checkMayGo rejects a mod's Destroy of what the match of all others needs.
func (v *VM) checkMayGo(L *lua.LState, a *engine.Actor) {
	needed := a.Class.IsPlayerController() || a.Class.IsA("GameModeBase") || a.Class.IsA("GameReplicationInfo") || a.Class.IsA("PlayerReplicationInfo")
	if !needed || v.world.NetMode == engine.NMClient {
		return
	}
	if mod := v.askingMod(); mod != "" {
		L.RaiseError("Destroy: mod %s cannot destroy %s: the match of all players needs it; who is to leave the game is the host's to say", mod, a)
	}
}

// checkMayTravel rejects a mod's travel during a match, unless the game is the mod's own.
func (v *VM) checkMayTravel(L *lua.LState) {
	mod := v.askingMod()
	if mod == "" || v.gameOfMod(mod) || !v.matchIsOn() {
		return
	}
	L.RaiseError("Travel: mod %s cannot leave a match that is on; end it first: world.Game:EndMatch(why)", mod)
}

// gameOfMod reports whether the class of the world's game belongs to a mod.
func (v *VM) gameOfMod(mod string) bool {
	game := v.world.Actor(v.world.Game)
	for c := classOf(game); c != nil; c = c.Parent {
		if c.Mod() == mod {
			return true
		}
	}
	return false
}

// matchIsOn reports whether the match has begun and is not over (R8.7).
func (v *VM) matchIsOn() bool {
	state := v.world.Actor(v.world.GameState)
	if state == nil {
		return false
	}
	p := state.Class.Property("MatchState")
	return p != nil && state.Get(p).Str == "InProgress"
}

func classOf(a *engine.Actor) *engine.Class {
	if a == nil {
		return nil
	}
	return a.Class
}
