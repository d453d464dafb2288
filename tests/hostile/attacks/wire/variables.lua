-- rules: G10
-- tries: A hundred actors change twenty variables each in every tick.
-- expect: stage: the match is over
-- spawn: Variables*100

local Variables = class("Variables", "Actor")

Variables.defaults { bAlwaysRelevant = true }
Variables.properties {
	V0 = int(0),
	V1 = int(0),
	V2 = int(0),
	V3 = int(0),
	V4 = int(0),
	V5 = int(0),
	V6 = int(0),
	V7 = int(0),
	V8 = int(0),
	V9 = int(0),
	V10 = int(0),
	V11 = int(0),
	V12 = int(0),
	V13 = int(0),
	V14 = int(0),
	V15 = int(0),
	V16 = int(0),
	V17 = int(0),
	V18 = int(0),
	V19 = int(0),
}
Variables.replication { { "V0", "V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "V11", "V12", "V13", "V14", "V15", "V16", "V17", "V18", "V19" } }

function Variables:Tick(_)
	for i = 0, 19 do
		self["V" .. i] = self["V" .. i] % 100000 + 1
	end
end

return Variables
