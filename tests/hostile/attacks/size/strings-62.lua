-- rules: G11
-- tries: A class of 62 long strings, all of them set: it does not fit in a packet.
-- expect: stage: the match is over
-- ci: true

local Strings62 = class("Strings62", "Actor")

Strings62.defaults { bAlwaysRelevant = true }
Strings62.properties {
	S0 = str("", { max = 1000 }),
	S1 = str("", { max = 1000 }),
	S2 = str("", { max = 1000 }),
	S3 = str("", { max = 1000 }),
	S4 = str("", { max = 1000 }),
	S5 = str("", { max = 1000 }),
	S6 = str("", { max = 1000 }),
	S7 = str("", { max = 1000 }),
	S8 = str("", { max = 1000 }),
	S9 = str("", { max = 1000 }),
	S10 = str("", { max = 1000 }),
	S11 = str("", { max = 1000 }),
	S12 = str("", { max = 1000 }),
	S13 = str("", { max = 1000 }),
	S14 = str("", { max = 1000 }),
	S15 = str("", { max = 1000 }),
	S16 = str("", { max = 1000 }),
	S17 = str("", { max = 1000 }),
	S18 = str("", { max = 1000 }),
	S19 = str("", { max = 1000 }),
	S20 = str("", { max = 1000 }),
	S21 = str("", { max = 1000 }),
	S22 = str("", { max = 1000 }),
	S23 = str("", { max = 1000 }),
	S24 = str("", { max = 1000 }),
	S25 = str("", { max = 1000 }),
	S26 = str("", { max = 1000 }),
	S27 = str("", { max = 1000 }),
	S28 = str("", { max = 1000 }),
	S29 = str("", { max = 1000 }),
	S30 = str("", { max = 1000 }),
	S31 = str("", { max = 1000 }),
	S32 = str("", { max = 1000 }),
	S33 = str("", { max = 1000 }),
	S34 = str("", { max = 1000 }),
	S35 = str("", { max = 1000 }),
	S36 = str("", { max = 1000 }),
	S37 = str("", { max = 1000 }),
	S38 = str("", { max = 1000 }),
	S39 = str("", { max = 1000 }),
	S40 = str("", { max = 1000 }),
	S41 = str("", { max = 1000 }),
	S42 = str("", { max = 1000 }),
	S43 = str("", { max = 1000 }),
	S44 = str("", { max = 1000 }),
	S45 = str("", { max = 1000 }),
	S46 = str("", { max = 1000 }),
	S47 = str("", { max = 1000 }),
	S48 = str("", { max = 1000 }),
	S49 = str("", { max = 1000 }),
	S50 = str("", { max = 1000 }),
	S51 = str("", { max = 1000 }),
	S52 = str("", { max = 1000 }),
	S53 = str("", { max = 1000 }),
	S54 = str("", { max = 1000 }),
	S55 = str("", { max = 1000 }),
	S56 = str("", { max = 1000 }),
	S57 = str("", { max = 1000 }),
	S58 = str("", { max = 1000 }),
	S59 = str("", { max = 1000 }),
	S60 = str("", { max = 1000 }),
	S61 = str("", { max = 1000 }),
}
Strings62.replication { { "S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S12", "S13", "S14", "S15", "S16", "S17", "S18", "S19", "S20", "S21", "S22", "S23", "S24", "S25", "S26", "S27", "S28", "S29", "S30", "S31", "S32", "S33", "S34", "S35", "S36", "S37", "S38", "S39", "S40", "S41", "S42", "S43", "S44", "S45", "S46", "S47", "S48", "S49", "S50", "S51", "S52", "S53", "S54", "S55", "S56", "S57", "S58", "S59", "S60", "S61" } }

function Strings62:BeginPlay()
	for i = 0, 61 do
		self["S" .. i] = ("x"):rep(1000)
	end
end

return Strings62
