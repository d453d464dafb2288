-- R12.4 and R12.9: what a blast does to what goes off. Whom it hurts may end it before it is through.

local net = require("shared.net")

local TRAPS = net.with [[
	-- Whatever hurts it ends all vehicles.
	local Trap = class("Trap", "Pawn")
	function Trap:TakeDamage(...) for _, car in ipairs(self:ActorsOf("Vehicle")) do car:Destroy() end end
	-- A driver whose death is the end of what they drive.
	local Doomed = class("Doomed", "Character")
	function Doomed:Died(instigator, kind, at)
		for _, car in ipairs(self:ActorsOf("Vehicle")) do car:Destroy() end
		Doomed.super.Died(self, instigator, kind, at)
	end
]]

-- garage makes a server, a player, and a vehicle beside their pawn; driving says whether they sit in it.
local function garage(t, driving, pawn)
	local s, a = TRAPS.play(t, { level = "flat", game = "GameInfo" }, "a")
	if pawn then
		local body = s:spawn(pawn, { Location = s:pawn(a).Location + vector(0, 400, 0) })
		s:controller(a):Possess(body)
		t:run(0.2)
	end
	local body = s:pawn(a)
	local car = s:spawn("Vehicle", { Location = body.Location + vector(0, 180, 0), RespawnTime = 1 })
	t:run(0.5)
	if driving then t:ok(car:TryToDrive(body)) end
	return s, a, car, body
end

for_each({
	{ "that its own blast destroys", false, nil, function(s, car)
		s:spawn("Trap", { Location = car.Location + vector(150, 0, 40) })
		car:TakeDamage(1000, nil, car.Location, vector(), "shot")
	end },
	{ "that its driver's death destroys", true, "Doomed", function(_, car)
		car:TakeDamage(1000, nil, car.Location, vector(), "shot")
	end },
	{ "that its own driver blew up", true, nil, function(_, car, body)
		car:TakeDamage(1000, body, car.Location, vector(), "rocket")
	end },
	{ "that is hurt again by what it hurts", false, nil, function(s, car)
		local other = s:spawn("Vehicle", { Location = car.Location + vector(280, 0, 0), Health = 1 })
		car:TakeDamage(1000, nil, car.Location, vector(), "shot")
		if other.alive then other:Destroy() end
	end },
}, function(case)
	scenario("R12.9 a vehicle " .. case[1] .. " goes up without a fault, once, and the next one comes", function(t)
		local s, a, car, body = garage(t, case[2], case[3])
		case[4](s, car, body)
		t:no(car.alive)
		t:run(0.3)
		local booms = 0
		for _, e in ipairs(t:trace(a)) do
			if e.event == "called" and e.name == "MulticastExplode" and e.actor == car then booms = booms + 1 end
		end
		t:eq(booms, 1)
		t:within(3, function() return #s:actors("Vehicle") >= 1 end)
	end)
end)
