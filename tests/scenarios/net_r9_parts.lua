-- Section 9 of the rules, R9.9: components and weapons that take part in the moves of their pawn.

local net = require("shared.net")

local shared = require("shared.moves")
local numbers, told = shared.numbers, shared.told

-- Two abilities: a dash that is requested once, with a wait and a lot; a jet-pack that is held, with fuel and a throttle
-- that the wearer chooses. And two weapons that add to moves: one that slows who spins it up, one that kicks.
local ABILITIES = [[
	local Dash = class("Dash", "ActorComponent")
	Dash.properties { bDash = false, Wait = float(0), Dashes = int(0) }
	Dash.moves { presses = { "bDash" }, state = { "Wait" } }
	function Dash:ProcessMove(move)
		local pawn = self:GetOwner()
		self.Wait = math.max(0, self.Wait - move.Delta)
		if self.bDash and self.Wait == 0 then
			self.Wait = 0.8
			self.Dashes = self.Dashes + 1
			local yaw = move.View.Yaw + math.floor((pawn.Controller:MoveRandom(1) - 0.5) * 8000)
			pawn.Velocity = rotator(0, yaw % 65536, 0):Vector() * 800 + vector(0, 0, 150)
			pawn:SetPhysics(PHYS_Falling)
		end
	end

	local Jet = class("Jet", "ActorComponent")
	Jet.properties {
		bThrust = false, Throttle = int(0, { min = 0, max = 7 }), Fuel = float(1, { min = 0, max = 1 }), bSpent = false,
		Wanted = int(0), Burnt = float(0),
	}
	Jet.moves { flags = { "bThrust" }, fields = { "Throttle" }, state = { "Fuel", "bSpent" } }
	function Jet:FillMove(_)
		self.bThrust = self:GetOwner().Controller.aUp > 0
		self.Throttle = self.bThrust and self.Wanted or 0
	end
	function Jet:ProcessMove(move)
		local pawn = self:GetOwner()
		local burns = self.bThrust and not self.bSpent
		pawn.GravityScale = burns and -0.1 * (self.Throttle + 1) or 1
		if burns then
			if pawn.Physics == PHYS_Walking then pawn:SetPhysics(PHYS_Falling) end
			self.Burnt = self.Burnt + move.Delta
		end
		self.Fuel = math.max(0, math.min(1, self.Fuel + (burns and -0.6 or 0.25) * move.Delta))
		local spent = self.Fuel == 0 or self.bSpent and self.Fuel < 0.3
		move.bJetTurned, self.bSpent = spent ~= self.bSpent, spent
	end
	-- Whether it burns in the next move depends on when this one ends.
	function Jet:IsImportantMove(move, next) return move.bJetTurned or next.bJetTurned end

	local Flyer = class("Flyer", "Character")
	Flyer.components { Dash = Dash, Jet = Jet }
	Flyer.defaults { DefaultInventory = { "Spinner", "Kicker", "Plain" }, AirControl = 0.3 }
	function Flyer:Use() self.Dash.bDash = true end

	local Spinner = class("Spinner", "Weapon")
	Spinner.properties { bSpin = false, Spin = float(0, { min = 0, max = 1 }) }
	Spinner.defaults { InventoryGroup = 1, EquipTime = 0.05 }
	Spinner.moves { flags = { "bSpin" }, state = { "Spin" } }
	function Spinner:FillMove(_) self.bSpin = self:GetPawn().Controller.bFire end
	function Spinner:ProcessMove(move)
		self.Spin = math.max(0, math.min(1, self.Spin + (self.bSpin and 1 or -1) * move.Delta))
	end
	function Spinner:ModifyMoveSpeed(_, speed) return speed * (1 - 0.6 * self.Spin) end

	local Kicker = class("Kicker", "Weapon")
	Kicker.properties { bKick = false, KickWait = float(0), Kicks = int(0) }
	Kicker.defaults { InventoryGroup = 2, EquipTime = 0.05, FireInterval = 0.3 }
	Kicker.moves { presses = { "bKick" }, state = { "KickWait" } }
	function Kicker:FireWeapon(_) if self:IsFiredHere() then self.bKick = true end end
	function Kicker:ProcessMove(move)
		local pawn = self:GetPawn()
		self.KickWait = math.max(0, self.KickWait - move.Delta)
		if self.bKick and self.KickWait <= 0.01 then
			self.KickWait = 0.3
			self.Kicks = self.Kicks + 1
			pawn.Velocity = pawn.Velocity - move.View:Vector() * 300
			if pawn.Velocity.Z > 0 then pawn:SetPhysics(PHYS_Falling) end
		end
	end

	local Plain = class("Plain", "Weapon")
	Plain.defaults { InventoryGroup = 3, EquipTime = 0.05 }

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Flyer" }
]]

local function player(t, options, more)
	t:scripts(ABILITIES .. (more or ""))
	local s, a, pawn = net.player(t, { game = "Duel" }, options)
	t:within(5, function() return a:pawn().Weapon end)
	t:run(1 + 2 * (options and options.lag or 0))
	return s, a, pawn
end

-- Runs, turns, dashes, flies, fires and switches weapons for some seconds.
local function romp(t, a, seconds, random, weapons)
	local left = seconds
	while left > 0 do
		local at = a:pawn().Location
		local yaw = math.floor(random() * 65536)
		if at:Size2D() > 1800 then yaw = (-at):Rotation().Yaw end
		a:pawn().Jet.Wanted = math.floor(random() * 8)
		a:input{
			forward = random() < 0.9 and 1 or 0, strafe = random() < 0.3 and 1 or 0, yaw = yaw,
			pitch = random() < 0.5 and 60000 or 2000,
			up = random() < 0.5 and 1 or 0, jump = random() < 0.3, use = random() < 0.5, fire = random() < 0.5,
		}
		if weapons and random() < 0.4 then a:input{ weapon = math.floor(1 + random() * 3) } end
		local d = 0.1 + random() * 0.6
		t:run(d / 2)
		a:input{ use = false, jump = false, weapon = 0 }
		t:run(d / 2)
		left = left - d
	end
end

local function stop(t, a)
	a:input{ forward = 0, strafe = 0, up = 0, jump = false, use = false, fire = false }
	t:run(3)
end

local LINE = { lag = 0.15, jitter = 0.03, loss = 0.02 }

scenario("R9.9 a weapon takes part in moves; switching it is predicted: no corrections", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, LINE)
	local random, before = numbers(t:seed()), #a:corrections()
	romp(t, a, 25, random, true)
	stop(t, a)
	t:eq(told(a:corrections(), before), "")
	local kicker = pawn:FindInventory("Kicker")
	t:ge(kicker.Kicks, 2)
	t:eq(a:copy(kicker).Kicks, kicker.Kicks)
	t:near(a:copy(pawn:FindInventory("Spinner")).Spin, pawn:FindInventory("Spinner").Spin, 1e-5)
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	t:eq(s:controller(a).RefusedInputs, 0, table.concat(s:log(), "\n"))
end)
