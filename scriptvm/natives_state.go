package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// stateNatives returns natives that change states and timers, and call functions of actors.
func stateNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "GotoState", Params: "name?: StateName",
			Doc:     "Enters a state of the class: EndState of the old state and BeginState of the new one are called, and its latent code starts. nil or \"\" leaves all states.",
			Example: `self:GotoState("Dying")`,
			Do:      (*VM).gotoState,
		},
		{
			Space: api.Actor, Name: "IsInState", Params: "name: StateName", Returns: "boolean", Pure: true,
			Doc:     "Whether the actor is in a state or one that extends it.",
			Example: `if self:IsInState("Hurt") then`,
			Do:      (*VM).isInState,
		},
		{
			Space: api.Actor, Name: "GetStateName", Returns: "string", Pure: true,
			Doc:     "The name of the present state, \"\" if there is none.",
			Example: "log(self:GetStateName())",
			Do:      (*VM).getStateName,
		},
		{
			Space: api.Actor, Name: "PushState", Params: "name: StateName",
			Doc:     "Enters a state and remembers the present one, whose latent code is suspended.",
			Example: `self:PushState("Stunned")`,
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).PushState(checkString(L, 2)))
			},
		},
		{
			Space: api.Actor, Name: "PopState",
			Doc:     "Goes back to the state that PushState left; its latent code resumes where it stopped.",
			Example: "self:PopState()",
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).PopState())
			},
		},
		{
			Space: api.Actor, Name: "SetTimer", Params: "seconds: number, loop: boolean, func?: FunctionName",
			Doc:     "Calls a function of the actor after the given seconds, once or repeatedly. The same function's timer is replaced. Default function: Timer.",
			Example: `self:SetTimer(2, false, "Explode")`,
			Do:      (*VM).setTimer,
		},
		{
			Space: api.Actor, Name: "ClearTimer", Params: "func?: FunctionName", Returns: "boolean",
			Doc:     "Stops the timer of a function (Timer by default); true if there was one.",
			Example: `self:ClearTimer("Explode")`,
			Do:      (*VM).clearTimer,
		},
		{
			Space: api.Actor, Name: "GetTimerLeft", Params: "func?: FunctionName", Returns: "number?", Pure: true,
			Doc:     "Seconds until the timer of a function runs; nil without one.",
			Example: `self:GetTimerLeft("Explode")`,
			Do:      (*VM).getTimerLeft,
		},
		{
			Space: api.Actor, Name: "ProtectedCall", Params: "func: FunctionName, ...: any", Returns: "boolean",
			Doc:     "Calls a function of the actor as the engine would: an error in it is reported, counted against its own class and undone there, and the caller continues. True if there was none. For callers of many actors' functions, whose classes others may have written.",
			Example: `other:ProtectedCall("Greet", self)`,
			Do:      (*VM).protectedCall,
		},
		{
			Space: api.Actor, Name: "SetTickEnabled", Params: "on: boolean",
			Doc:     "Switches this actor's Tick on or off. While it is off and the actor rests, the actor costs nothing.",
			Example: "self:SetTickEnabled(false)",
			Do:      (*VM).setTickEnabled,
		},
	}
}

func (v *VM) gotoState(L *lua.LState) int {
	a := v.self(L)
	name := optString(L, 2, "")
	if !a.GotoState(name) {
		L.RaiseError("%s has no state %q%s", a.Class.Name, name, engine.Nearest(name, a.Class.StateNames()))
	}
	return 0
}

func (v *VM) isInState(L *lua.LState) int {
	return boolean(L, v.self(L).State.Is(checkString(L, 2)))
}

func (v *VM) getStateName(L *lua.LState) int {
	name := ""
	if s := v.self(L).State; s != nil {
		name = s.Name
	}
	L.Push(lua.LString(name))
	return 1
}

func (v *VM) setTimer(L *lua.LState) int {
	o := v.selfOf(L)
	seconds, fn := checkNumber(L, 2), optString(L, 4, "Timer")
	if !v.hasFunction(o, fn) {
		L.RaiseError("SetTimer: %s has no function %q%s", o.class.data.Name, fn, engine.Nearest(fn, v.functionNames(o.class)))
	}
	return must(L, o.actor.SetTimer(seconds, lua.LVAsBool(L.Get(3)), fn))
}

func (v *VM) clearTimer(L *lua.LState) int {
	return boolean(L, v.self(L).ClearTimer(optString(L, 2, "Timer")))
}

func (v *VM) getTimerLeft(L *lua.LState) int {
	left, ok := v.self(L).TimerLeft(optString(L, 2, "Timer"))
	if !ok {
		return 0
	}
	return number(L, left)
}

func (v *VM) protectedCall(L *lua.LState) int {
	o, name := v.selfOf(L), checkString(L, 2)
	if !v.hasFunction(o, name) {
		L.RaiseError("ProtectedCall: %s has no function %q%s", o.class.data.Name, name, engine.Nearest(name, v.functionNames(o.class)))
	}
	args := make([]lua.LValue, 0, 4)
	for i := 3; i <= L.GetTop(); i++ {
		args = append(args, L.Get(i))
	}
	_, err := v.callLua(o.actor, name, args)
	if err != nil {
		v.vm.Spend(faultCost) // so that a loop of failing calls ends
	}
	return boolean(L, err == nil)
}

func (v *VM) setTickEnabled(L *lua.LState) int {
	v.self(L).SetTickEnabled(lua.LVAsBool(L.Get(2)))
	return 0
}
