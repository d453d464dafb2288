-- rules: G11
-- tries: A class whose state can never fit is refused when it is loaded.
-- expect: error: .*NeverFits
-- late: true
-- spawn: none

local NeverFits = class("NeverFits", "Actor")

NeverFits.defaults { bAlwaysRelevant = true }
NeverFits.properties {
	S0 = array(str("", { max = 1000 }), 250),
	S1 = array(str("", { max = 1000 }), 250),
	S2 = array(str("", { max = 1000 }), 250),
	S3 = array(str("", { max = 1000 }), 250),
	S4 = array(str("", { max = 1000 }), 250),
	S5 = array(str("", { max = 1000 }), 250),
	S6 = array(str("", { max = 1000 }), 250),
	S7 = array(str("", { max = 1000 }), 250),
	S8 = array(str("", { max = 1000 }), 250),
	S9 = array(str("", { max = 1000 }), 250),
	S10 = array(str("", { max = 1000 }), 250),
	S11 = array(str("", { max = 1000 }), 250),
}
NeverFits.replication { { "S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11" } }

return NeverFits
