-- rules: G1 G6
-- tries: Goes from state to state in the events of states.
-- expect: StateStorm:.*\[mod state-storm\]

local StateStorm = class("StateStorm", "Actor")

StateStorm.state("A", {})
StateStorm.state("B", {})

function StateStorm.state.A:BeginState(_)
	self:GotoState("B")
end

function StateStorm.state.B:BeginState(_)
	self:GotoState("A")
end

function StateStorm:Tick(_)
	self:GotoState("A")
end

return StateStorm
