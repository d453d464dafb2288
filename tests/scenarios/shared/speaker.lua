-- speaker: an actor with two components whose calls are noted in the client's GameState.
local net = require("shared.net")

local speaker = {}

-- In sight of both players, a at (0, -2000) and b at (0, -1600), who look along +x.
speaker.NEAR = vector(600, -1800, 100)

-- Calls are noted in the client's GameState, so that the notes outlive the actor: "a1" is call 1 on the actor, "v2+" call 2 on
-- its Voice with a reference that is there, "e3-" call 3 on its Echo with one that is not. "gone" is Destroyed, "~" an
-- unreliable call.
speaker.CLASSES = [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end

	local Voice = class("Voice", "ActorComponent")
	Voice.properties { Tag = "v" }
	Voice.replication { { "Tag" } }
	function Voice.client.reliable:Say(n) note(self.Tag .. n) end
	function Voice.client.reliable:Hold(n, who) note(self.Tag .. n .. (who and "+" or "-")) end
	function Voice.client:Murmur(n) note(self.Tag .. n .. "~") end
	function Voice.multicast.reliable:AllSay(n) note(self.Tag .. n) end
	Voice.params { Say = { int(0) }, Hold = { int(0), ref("Actor", { wait = true }) }, Murmur = { int(0) }, AllSay = { int(0) } }
	function Voice.simulated:Destroyed() note(self.Tag .. "gone") end

	local Speaker = class("Speaker")
	Speaker.properties { N = int(0) }
	Speaker.components { Voice = "Voice", Echo = "Voice" }
	Speaker.defaults { bAlwaysRelevant = true }
	Speaker.replication { { "N" } }
	function Speaker:PreBeginPlay() if self:HasAuthority() then self.Echo.Tag = "e" end end
	function Speaker.client.reliable:Tell(n) note("a" .. n) end
	function Speaker.client.reliable:Hold(n, who) note("a" .. n .. (who and "+" or "-")) end
	function Speaker.client.reliable:HoldTwo(n, one, two) note("a" .. n .. (one and "+" or "-") .. (two and "+" or "-")) end
	function Speaker.client.reliable:HoldPart(n, who) note("a" .. n .. (who and "+" or "-")) end
	function Speaker.client:Murmur(n) note("a" .. n .. "~") end
	function Speaker.client:MurmurHold(n, who) note("a" .. n .. (who and "~+" or "~-")) end
	function Speaker.multicast.reliable:AllTell(n) note("a" .. n) end
	function Speaker.multicast.reliable:AllHold(n, who) note("a" .. n .. (who and "+" or "-")) end
	Speaker.params {
		Tell = { int(0) }, Hold = { int(0), ref("Actor", { wait = true }) }, Murmur = { int(0) },
		HoldTwo = { int(0), ref("Actor", { wait = true }), ref("Actor", { wait = true }) },
		HoldPart = { int(0), ref("Voice", { wait = true }) }, MurmurHold = { int(0), ref("Actor", { wait = true }) },
		AllTell = { int(0) }, AllHold = { int(0), ref("Actor", { wait = true }) },
	}
	function Speaker:TornOff() note("torn") end
	function Speaker.simulated:Destroyed() note("gone") end

	local Thing = class("Thing")
	Thing.components { Part = "Voice" }
	Thing.defaults { bOnlyRelevantToOwner = true }
]]

speaker.BAD = { lag = 0.03, jitter = 0.03, loss = 0.2, dup = 0.2, reorder = 0.2 }

function speaker.begin(t, line, ...) return net.begin(t, speaker.CLASSES, line, ...) end

-- A speaker of a player, and the copy that the player has.
function speaker.spawn(t, s, a, props)
	local all = { Owner = s:controller(a), Location = speaker.NEAR }
	for k, v in pairs(props or {}) do all[k] = v end
	local x = s:spawn("Speaker", all)
	t:within(3, function() return a:copy(x) and a:copy(x).Echo.Tag == "e" end)
	t:run(0.3)
	return x, a:copy(x)
end

return speaker
