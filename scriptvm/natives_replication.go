package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// replicationNatives returns natives that control how an actor is replicated.
func replicationNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "ForceNetUpdate",
			Doc:     "Considers the actor at the next net update regardless of its NetUpdateFrequency (R4.5).",
			Example: "self:ForceNetUpdate()",
			Do:      (*VM).forceNetUpdate,
		},
		{
			Space: api.Actor, Name: "FlushNetDormancy",
			Doc:     "Wakes a dormant actor long enough to send what changed (R4.7).",
			Example: "self:FlushNetDormancy()",
			Do:      (*VM).flushNetDormancy,
		},
		{
			Space: api.Actor, Name: "SetNetDormancy", Params: "dormancy: Dormancy",
			Doc:     "Sets the actor's dormancy (DORM_Awake, DORM_DormantAll, …): while it is dormant, net updates skip it (R4.7).",
			Example: "self:SetNetDormancy(DORM_DormantAll)",
			Do: func(v *VM, L *lua.LState) int {
				v.setByName(L, "NetDormancy", engine.Float(checkNumber(L, 2)))
				return 0
			},
		},
		{
			Space: api.Actor, Name: "SetCustomIsActive", Params: "name: VariableName, on: boolean",
			Doc:     "Switches a COND_Custom variable on or off (R5.7).",
			Example: `self:SetCustomIsActive("Armour", false)`,
			Do:      (*VM).setCustomIsActive,
		},
		{
			Space: api.Actor, Name: "SetDynamicCondition", Params: "name: VariableName, condition: NetCondition",
			Doc:     "Changes the condition of a COND_Dynamic variable (R5.7).",
			Example: `self:SetDynamicCondition("Gold", COND_OwnerOnly)`,
			Do:      (*VM).setDynamicCondition,
		},
	}
}

func (v *VM) forceNetUpdate(L *lua.LState) int {
	v.self(L).ForceNetUpdate()
	return 0
}

func (v *VM) flushNetDormancy(L *lua.LState) int {
	v.self(L).FlushNetDormancy()
	return 0
}

func (v *VM) setCustomIsActive(L *lua.LState) int {
	a := v.self(L)
	return must(L, a.SetCustomIsActive(checkString(L, 2), lua.LVAsBool(L.Get(3))))
}

func (v *VM) setDynamicCondition(L *lua.LState) int {
	a := v.self(L)
	return must(L, a.SetDynamicCondition(checkString(L, 2), engine.NetCondition(checkNumber(L, 3))))
}
