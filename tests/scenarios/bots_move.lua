-- Bots get about: by the keys a player has, over jumps and lifts, and never stuck.

-- A game whose bots fight nobody, so that all they do is to get about.
local peaceful = [[
	local PeacefulBrain = class("PeacefulBrain", "Brain")
	PeacefulBrain.defaults { SightRange = 0 }
	local PeacefulBot = class("PeacefulBot", "Bot")
	PeacefulBot.defaults { BrainClass = "PeacefulBrain" }
]]

local function bot(s, at, class)
	local mind = s:spawn(class or "PeacefulBot", {})
	local pawn = s:spawn("Character", { Location = at })
	mind:Possess(pawn)
	return pawn, mind
end

for_each({ "flat", "wall", "steps", "arena", "estuary" }, function(level)
	scenario("bots on " .. level .. ": nobody gets stuck", { budget = 120 }, function(t)
		t:scripts(peaceful)
		local s = t:server{ level = level }
		local starts = s:actors("PlayerStart")
		local pawns = {}
		for i = 1, 4 do
			pawns[i] = bot(s, starts[(i * 3 - 1) % #starts + 1].Location)
		end
		for _ = 1, 3 do
			local from, most = {}, {}
			for i, pawn in ipairs(pawns) do
				from[i], most[i] = pawn.Location, 0
			end
			for _ = 1, 20 do
				t:run(1)
				for i, pawn in ipairs(pawns) do
					t:ok(pawn.alive, "a bot fell out of the level")
					most[i] = math.max(most[i], (pawn.Location - from[i]):Size())
				end
			end
			for i in ipairs(pawns) do
				t:ge(most[i], 200, "bot " .. i .. " got nowhere in 20 s")
			end
		end
	end)
end)
