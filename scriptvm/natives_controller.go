package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// controllerNatives returns natives that possess pawns and identify players.
func controllerNatives() []native {
	return []native{
		{
			Space: api.Controller, Name: "Possess", Params: "pawn: Pawn",
			Doc:     "Takes control of a pawn: UnPossess of the old one, owner and roles change, Possessed is called on the pawn (R2.2).",
			Example: "pc:Possess(pawn)",
			Do: func(v *VM, L *lua.LState) int {
				v.world.Possess(v.self(L), v.checkActor(L, 2, "Pawn"))
				return 0
			},
		},
		{
			Space: api.Controller, Name: "UnPossess",
			Doc:     "Releases the pawn; UnPossessed is called on it.",
			Example: "self:UnPossess()",
			Do: func(v *VM, L *lua.LState) int {
				v.world.UnPossess(v.self(L))
				return 0
			},
		},
		{
			Space: api.PlayerController, Name: "IsLocalPlayer", Returns: "boolean", Pure: true,
			Doc:     "Whether the player is at this machine.",
			Example: "if self:IsLocalPlayer() then",
			Do: func(v *VM, L *lua.LState) int {
				_, ok := v.world.Input(v.self(L))
				return boolean(L, ok)
			},
		},
		{
			Space: api.PlayerController, Name: "GiveCommand", Params: "line: string", Returns: "boolean",
			Doc:     "On the server: passes a line that this player gave to the host's commands; the host checks their role, and answers by ClientMessage. False if there are too many lines.",
			Example: `sender:GiveCommand("status")`,
			Do: func(v *VM, L *lua.LState) int {
				a := v.self(L)
				if !a.HasAuthority() {
					L.RaiseError("GiveCommand: commands are the server's; call it there, by a server function")
				}
				return boolean(L, v.world.GiveCommand(a.ID(), checkString(L, 2)))
			},
		},
		{
			Space: api.PlayerController, Name: "JoinNetGroup", Params: "group: string",
			Doc:     "Puts the player's connection into a group of COND_NetGroup (R5.7).",
			Example: `pc:JoinNetGroup("spies")`,
			Do:      func(v *VM, L *lua.LState) int { return v.netGroup(L, "JoinNetGroup", true) },
		},
		{
			Space: api.PlayerController, Name: "LeaveNetGroup", Params: "group: string",
			Doc:     "Removes the player's connection from a group.",
			Example: `pc:LeaveNetGroup("spies")`,
			Do:      func(v *VM, L *lua.LState) int { return v.netGroup(L, "LeaveNetGroup", false) },
		},
	}
}

// netGroup adds a player's connection to a group or removes it; only the server can, so elsewhere it is an error
// rather than a call without effect.
func (v *VM) netGroup(L *lua.LState, name string, in bool) int {
	a := v.self(L)
	if !a.HasAuthority() {
		L.RaiseError("%s: groups of connections are the server's; call it there, by a server function", name)
	}
	a.SetNetGroup(checkString(L, 2), in)
	return 0
}
