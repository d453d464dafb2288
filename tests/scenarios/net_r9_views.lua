-- Section 9 of the rules: where the player looks belongs to each move, also to one that is sent late or performed again.

local net = require("shared.net")

local shared = require("shared.moves")
local told = shared.told

-- A pawn that leaps by a flag of its class: the way its player looks by move.View, or the way it faces by Rotation.
local LEAPERS = [[
	local savedmove = require("lib.savedmove")
	local Leaper = class("Leaper", "Character")
	Leaper.properties { Leaps = int(0), bByRotation = false }
	function Leaper:Use() self.wants = true end
	function Leaper:FillMove(move)
		Leaper.super.FillMove(self, move)
		if self.wants then
			self.wants = nil
			move.Flags = savedmove.With(move.Flags, savedmove.CUSTOM1)
		end
	end
	function Leaper:CanCombineMoves(old, new)
		return not savedmove.Has(old.Flags, savedmove.CUSTOM1) and Leaper.super.CanCombineMoves(self, old, new)
	end
	function Leaper:ProcessMove(move)
		Leaper.super.ProcessMove(self, move)
		if savedmove.Has(move.Flags, savedmove.CUSTOM1) and self.Physics == PHYS_Walking then
			self.Leaps = self.Leaps + 1
			local way = self.bByRotation and self.Rotation or rotator(0, move.View.Yaw, 0)
			self.Velocity = way:Vector() * 500 + vector(0, 0, 150)
			self:SetPhysics(PHYS_Falling)
		end
	end

	local Facer = class("Facer", "Leaper")
	Facer.defaults { bByRotation = true }
]]

local function player(t, class, options)
	t:scripts(LEAPERS .. ('local Duel = class("Duel", "GameInfo")\nDuel.defaults { DefaultPawnClass = "%s" }\n'):format(class))
	local s, a, pawn = net.player(t, { game = "Duel" }, options)
	t:run(1)
	return s, a, pawn
end

-- Turns for so many ticks by so much in each, and leaps in every 81st: as often in the first move of a packet as in the second.
local function spin(t, a, ticks, step)
	local yaw = a:controller().ViewRotation.Yaw
	for i = 1, ticks do
		yaw = (yaw + step) % 65536
		a:input{ yaw = yaw, use = i % 81 == 0 }
		t:ticks(1)
	end
	net.hold(t, a, { use = false }, 1.5)
end

for_each({ { "Leaper", "by its view" }, { "Facer", "by its rotation" } }, function(case)
	scenario("R9.3 R9.5 an action by a flag of the class, " .. case[2] .. ", while its player turns: no corrections", { seeds = 5 }, function(t)
		local _, a, pawn = player(t, case[1], { lag = 0.15, jitter = 0.03, loss = 0.02 })
		local before = #a:corrections()
		spin(t, a, 1600, 1300)
		t:eq(told(a:corrections(), before), "")
		t:ge(pawn.Leaps, 15)
		t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	end)

	scenario("R9.4 an action, " .. case[2] .. ", that is done again after a correction goes where it went", { seeds = 5, transport = "sim" }, function(t)
		local _, a, pawn = player(t, case[1], { lag = 0.15 })
		spin(t, a, 20, 0)
		for _ = 1, 4 do
			local before, yaw = #a:corrections(), 0
			pawn:SetLocation(pawn.Location + vector(0, 30, 0)) -- the player knows 0.15 s later, in the middle of the leap
			for i = 1, 30 do
				yaw = (yaw + 1300) % 65536
				a:input{ yaw = yaw, use = i == 4 }
				t:ticks(1)
			end
			t:run(1.5)
			t:eq(#a:corrections() - before, 1, told(a:corrections(), before))
			t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
			t:eq(a:pawn().Rotation.Yaw, yaw, "it faces where its player looks now")
		end
	end)
end)
