package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// componentNatives returns methods of components; most do the same as those of actors.
func componentNatives() []native {
	return []native{
		{
			Space: api.Component, Name: "GetOwner", Returns: "Actor", Pure: true,
			Doc:     "The actor the component belongs to.",
			Example: "local pawn = self:GetOwner()",
			Do: func(v *VM, L *lua.LState) int {
				L.Push(luaActor(v.self(L).Outer))
				return 1
			},
		},
		{
			Space: api.Component, Name: "Destroy", Returns: "boolean",
			Doc:     "Removes the component from its actor.",
			Example: "self:Destroy()",
			Do:      (*VM).destroy,
		},
		{
			Space: api.Component, Name: "IsA", Params: "class: class", Returns: "boolean", Pure: true,
			Doc:     "Whether the component is of a class or a child of it.",
			Example: `if self:IsA("CombatComponent") then`,
			Do:      (*VM).isA,
		},
		{
			Space: api.Component, Name: "HasAuthority", Returns: "boolean", Pure: true,
			Doc:     "Whether this peer has authority over the owner.",
			Example: "if self:HasAuthority() then",
			Do:      (*VM).hasAuthority,
		},
		{
			Space: api.Component, Name: "GetClass", Returns: "string", Pure: true,
			Doc:     "The name of the component's class.",
			Example: "log(self:GetClass())",
			Do:      (*VM).getClass,
		},
		{
			Space: api.Component, Name: "GotoState", Params: "name?: StateName",
			Doc:     "Enters a state of the component's class.",
			Example: `self:GotoState("Cooling")`,
			Do:      (*VM).gotoState,
		},
		{
			Space: api.Component, Name: "IsInState", Params: "name: StateName", Returns: "boolean", Pure: true,
			Doc:     "Whether the component is in a state or one that extends it.",
			Example: `if self:IsInState("Cooling") then`,
			Do:      (*VM).isInState,
		},
		{
			Space: api.Component, Name: "GetStateName", Returns: "string", Pure: true,
			Doc:     "The name of the present state, \"\" if there is none.",
			Example: "log(self:GetStateName())",
			Do:      (*VM).getStateName,
		},
		{
			Space: api.Component, Name: "SetTimer", Params: "seconds: number, loop: boolean, func?: FunctionName",
			Doc:     "Calls a function of the component after the given seconds.",
			Example: `self:SetTimer(2, false, "Cool")`,
			Do:      (*VM).setTimer,
		},
		{
			Space: api.Component, Name: "ClearTimer", Params: "func?: FunctionName", Returns: "boolean",
			Doc:     "Stops the timer of a function; true if there was one.",
			Example: `self:ClearTimer("Cool")`,
			Do:      (*VM).clearTimer,
		},
		{
			Space: api.Component, Name: "GetTimerLeft", Params: "func?: FunctionName", Returns: "number?", Pure: true,
			Doc:     "Seconds until the timer of a function runs; nil without one.",
			Example: `self:GetTimerLeft("Cool")`,
			Do:      (*VM).getTimerLeft,
		},
		{
			Space: api.Component, Name: "ProtectedCall", Params: "func: FunctionName, ...: any", Returns: "boolean",
			Doc:     "Calls a function of the component as the engine would: an error in it is reported, counted against its own class and undone there, and the caller continues. True if there was none.",
			Example: `part:ProtectedCall("Cool")`,
			Do:      (*VM).protectedCall,
		},
		{
			Space: api.Component, Name: "SetTickEnabled", Params: "on: boolean",
			Doc:     "Switches the component's Tick on or off.",
			Example: "self:SetTickEnabled(false)",
			Do:      (*VM).setTickEnabled,
		},
		{
			Space: api.Component, Name: "ForceNetUpdate",
			Doc:     "Considers the component at the next net update regardless of its actor's NetUpdateFrequency (R4.5).",
			Example: "self:ForceNetUpdate()",
			Do:      (*VM).forceNetUpdate,
		},
		{
			Space: api.Component, Name: "FlushNetDormancy",
			Doc:     "Wakes the component's dormant actor long enough to send what changed (R4.7).",
			Example: "self:FlushNetDormancy()",
			Do:      (*VM).flushNetDormancy,
		},
		{
			Space: api.Component, Name: "SetCustomIsActive", Params: "name: string, on: boolean",
			Doc:     "Switches a COND_Custom variable of the component on or off (R5.7).",
			Example: `self:SetCustomIsActive("Heat", false)`,
			Do:      (*VM).setCustomIsActive,
		},
		{
			Space: api.Component, Name: "SetDynamicCondition", Params: "name: string, condition: integer",
			Doc:     "Changes the condition of a COND_Dynamic variable of the component (R5.7).",
			Example: `self:SetDynamicCondition("Heat", COND_OwnerOnly)`,
			Do:      (*VM).setDynamicCondition,
		},
		{
			Space: api.Component, Name: "Log", Params: "...: any",
			Doc:     "Writes a line with the component's name to the host's log.",
			Example: `self:Log("overheated")`,
			Do:      (*VM).log,
		},
	}
}
