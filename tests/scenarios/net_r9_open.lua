-- Section 9 of the rules: R9.7, speeds by flag and crouching; R9.9, prediction that is open to modders; R9.10, what else
-- moves a player.

local net = require("shared.net")
local holds = net.holds

local function player(t, game, options, level)
	local s, a, pawn = net.player(t, { game = game or "GameInfo", level = level }, options)
	t:run(1 + 2 * (options and options.lag or 0))
	return s, a, pawn
end

for_each({ { "run", 1.5 }, { "aim", 0.5 }, { "crouch", 0.5 } }, function(case)
	scenario("R9.7 the speed of a move follows its flags: " .. case[1], { seeds = 5 }, function(t)
		local _, a, pawn = player(t, nil, { lag = 0.1, jitter = 0.02, loss = 0.05 })
		net.hold(t, a, { forward = 1 }, 1.5)
		for _ = 1, 3 do
			net.hold(t, a, { [case[1]] = true }, 1)
			t:near(a:pawn().Velocity:Size2D(), 440 * case[2], 5)
			t:near(pawn.Velocity:Size2D(), 440 * case[2], 5)
			net.hold(t, a, { [case[1]] = false }, 1)
			t:near(pawn.Velocity:Size2D(), 440, 5)
		end
		t:eq(pawn.GroundSpeed, 440, "never multiplied in place")
		t:eq(#a:corrections(), 0)
	end)
end)

scenario("R9.7 who runs and aims is told to others, and not back to him", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, nil, { lag = 0.1, loss = 0.1 })
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(pawn) end)
	a:input{ run = true }
	t:ticks(2)
	t:ok(a:pawn().bRunning)
	t:no(pawn.bRunning)
	t:within(1, function() return pawn.bRunning and b:copy(pawn).bRunning end)
	a:input{ run = false, aim = true }
	t:within(1, function() return pawn.bAiming and b:copy(pawn).bAiming and not b:copy(pawn).bRunning end)
	for _, e in ipairs(t:trace(a)) do
		t:no(e.event == "set" and (e.name == "bRunning" or e.name == "bAiming" or e.name == "bCrouching"))
	end
	t:eq(s:controller(a).bRun, false, "keys stay where they are pressed")
end)

scenario("R9.7 the flag of the move counts, not what the reliable function says", function(t)
	local _, a, pawn = player(t)
	net.hold(t, a, { forward = 1 }, 0.5)
	pawn:ServerSetRunning(true)
	t:run(0.5)
	t:ok(pawn.bRunning)
	t:near(pawn.Velocity:Size2D(), 440, 5)
	t:eq(#a:corrections(), 0)
end)

scenario("R9.7 crouching: the body is lower, feet stay, and nobody gets up where there is no room", { seeds = 5 }, function(t)
	t:scripts [[
		local Ceiling = class("Ceiling")
		Ceiling.defaults {
			bCollideActors = true, bBlockPlayers = true, bBlockActors = true, CollisionHeight = 20, CollisionRadius = 30,
		}
	]]
	local s, a, pawn = player(t, nil, { lag = 0.1, jitter = 0.02, loss = 0.02 })
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(pawn) end)
	local feet, eyes = pawn.Location.Z - pawn.CollisionHeight, pawn:GetViewLocation().Z
	net.hold(t, a, { crouch = true }, 1)
	for _, copy in ipairs { pawn, a:pawn() } do
		t:near(copy.Location.Z - copy.CollisionHeight, feet, 0.1)
		t:eq({ copy.CollisionHeight, copy.bCrouching }, { 44, true })
		t:near(copy:GetViewLocation().Z, eyes - 76, 1)
	end
	t:within(1, function() return b:copy(pawn).CollisionHeight == 44 end)
	s:spawn("Ceiling", { Location = pawn.Location + vector(0, 0, 44 + 40) })
	t:run(1)
	net.hold(t, a, { crouch = false }, 1)
	t:ok(pawn.bCrouching)
	t:ok(a:pawn().bCrouching)
	net.hold(t, a, { forward = 1 }, 1.5)
	holds(t, pawn, { bCrouching = false, CollisionHeight = 88 })
	t:within(1, function() return b:copy(pawn).CollisionHeight == 88 end)
	t:le(#a:corrections(), 1)
	net.hold(t, a, { forward = 0, crouch = true, jump = true }, 2)
	t:near(a:pawn().Location.Z, pawn.Location.Z, 0.01)
end)

scenario("R9.7 a listen server's and a standalone player's speed follows the same flags", function(t)
	local s = t:server{ mode = "standalone" }
	t:run(0.5)
	net.hold(t, s, { forward = 1, run = true }, 1)
	t:near(s:pawn().Velocity:Size2D(), 660, 5)
	net.hold(t, s, { run = false, crouch = true }, 1)
	t:near(s:pawn().Velocity:Size2D(), 220, 5)
	t:eq(s:pawn().CollisionHeight, 44)
	net.hold(t, s, { crouch = false, aim = true }, 1)
	t:near(s:pawn().Velocity:Size2D(), 220, 5)
	t:eq(s:pawn().CollisionHeight, 88)
end)

-- R9.9: a dash with a charge that both sides count, and numbers that both sides draw.
local DASH = [[
	local savedmove = require("lib.savedmove")
	local Dasher = class("Dasher", "Character")
	Dasher.properties { Charge = float(1), Dashes = int(0) }
	-- The fire key dashes; a press is a change, and its move tells of it.
	function Dasher:StartFire(mode) self.wants = mode == 0 and savedmove.CUSTOM1 or nil end
	function Dasher:FillMove(move)
		Dasher.super.FillMove(self, move)
		if self.wants then
			move.Flags = savedmove.With(move.Flags, self.wants)
			self.wants = nil
		end
	end
	function Dasher:CanCombineMoves(old, new)
		return not savedmove.Has(old.Flags, savedmove.CUSTOM1) and Dasher.super.CanCombineMoves(self, old, new)
	end
	function Dasher:ProcessMove(move)
		Dasher.super.ProcessMove(self, move)
		self.Charge = math.min(1, self.Charge + move.Delta / 4)
		if savedmove.Has(move.Flags, savedmove.CUSTOM1) and self.Charge >= 0.5 then
			self.Charge = self.Charge - 0.5
			self.Dashes = self.Dashes + 1
			local yaw = move.View.Yaw + math.floor((self.Controller:MoveRandom() - 0.5) * 8000)
			self.Velocity = rotator(0, yaw, 0):Vector() * 900 + vector(0, 0, 200)
			self:SetPhysics(PHYS_Falling)
		end
	end
	function Dasher:GetMoveState() return ("%.9g"):format(self.Charge) end
	function Dasher:SetMoveState(text) self.Charge = tonumber(text) end

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Dasher" }
]]

scenario("R9.9 a predicted action with state of its own: a dash, its charge, and its numbers on both sides", { seeds = 5 }, function(t)
	t:scripts(DASH)
	local _, a, pawn = player(t, "Duel", { lag = 0.15, jitter = 0.03, loss = 0.05 })
	a:input{ forward = 1 }
	for i = 1, 12 do
		net.hold(t, a, { fire = true, yaw = i * 9000 % 65536 }, 0.1)
		net.hold(t, a, { fire = false }, 0.9)
	end
	net.hold(t, a, { forward = 0 }, 4)
	t:ge(pawn.Dashes, 5)
	t:lt(pawn.Dashes, 12, "the charge does not last for all")
	t:eq(a:pawn().Dashes, pawn.Dashes)
	t:near(a:pawn().Charge, pawn.Charge, 1e-5)
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 0.01)
	t:eq(#a:corrections(), 0)
end)

scenario("R9.9 after a correction the class's own state is the server's, and the dash is done again", function(t)
	t:scripts(DASH)
	local s, a, pawn = player(t, "Duel", { lag = 0.1 })
	pawn.Charge = 0 -- the server knows better
	net.hold(t, a, { fire = true }, 0.1)
	t:gt(a:pawn().Velocity:Size(), 500, "the player dashes at first")
	t:within(1, function() return a:controller().CorrectionCount == 1 end)
	t:run(0.5)
	t:lt(a:pawn().Charge, 0.5)
	t:near(a:pawn().Location:Distance(s:pawn(a).Location), 0, 0.01)
	t:eq(pawn.Dashes, 0)
end)

scenario("R9.9 a class's own field of a move crosses with it", { seeds = 5 }, function(t)
	t:scripts [[
		local Painter = class("Painter", "Character")
		Painter.properties { Colours = "" }
		function Painter:FillMove(move) if self.next then move.Extra, self.next = self.next, nil end end
		function Painter:ProcessMove(move)
			Painter.super.ProcessMove(self, move)
			if move.Extra and not self.Controller.bUpdatingPosition then self.Colours = self.Colours .. move.Extra end
		end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { DefaultPawnClass = "Painter" }
	]]
	local _, a, pawn = player(t, "Duel", { lag = 0.05, jitter = 0.02, loss = 0.1 })
	a:input{ forward = 1 }
	for i = 1, 9 do
		a:eval(("world:ActorsOf('Painter')[1].next = '%d'"):format(i))
		t:run(0.3)
	end
	t:run(1)
	t:eq({ pawn.Colours, a:pawn().Colours, #a:corrections() }, { "123456789", "123456789", 0 })
end)

scenario("R9.9 a game may replace the prediction whole", { seeds = 5 }, function(t)
	t:scripts [[
		-- A player who steps a tile at a key press: their machine steps at once and says which tile, the server follows.
		local Tiler = class("Tiler", "PlayerController")
		Tiler.properties { Steps = int(0), Told = int(0) }
		Tiler.params { ServerStep = { int(0), int(0, { min = -1, max = 1 }) } }
		function Tiler:PlayerMove(_)
			local held = self.aForward > 0
			if held and not self.held and self.Pawn then
				self.Steps = self.Steps + 1
				self.Pawn:Move(vector(100, 0, 0))
				if not self:HasAuthority() then self:ServerStep(self.Steps, 1) end
			end
			self.held = held
		end
		function Tiler.server.reliable:ServerStep(number, way)
			self.Told = number
			self.Pawn:Move(vector(100 * way, 0, 0))
		end
		function Tiler.validate:ServerStep(number, _) return number == self.Told + 1 end
		function Tiler:Tick(_) end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Tiler" }
	]]
	local s, a, pawn = player(t, "Duel", { lag = 0.1, jitter = 0.02, loss = 0.05 })
	local from = pawn.Location
	for _ = 1, 5 do
		local before = a:pawn().Location.X
		a:input{ forward = 1 }
		t:ticks(2)
		t:near(a:pawn().Location.X - before, 100, 1e-3)
		net.hold(t, a, { forward = 0 }, 0.3)
	end
	t:run(0.5)
	t:near(pawn.Location.X - from.X, 500, 0.01)
	t:eq(s:controller(a).Told, 5)
end)

scenario("R9.10 on a client ReplicateMove stands in for ProcessMove", function(t)
	t:scripts [[
		local Told = class("Told", "PlayerController")
		Told.properties { Replicated = int(0), Processed = int(0), Autonomous = int(0) }
		function Told:ReplicateMove(move)
			self.Replicated = self.Replicated + 1
			Told.super.ReplicateMove(self, move)
		end
		function Told:ProcessMove(move)
			self.Processed = self.Processed + 1
			Told.super.ProcessMove(self, move)
		end
		function Told:MoveAutonomous(move)
			self.Autonomous = self.Autonomous + 1
			return Told.super.MoveAutonomous(self, move)
		end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Told" }
	]]
	local s, a = net.play(t, { game = "Duel", mode = "listen" }, "a")
	t:run(1)
	a:input{ forward = 1 }
	net.hold(t, s, { forward = 1 }, 1)
	local client, theirs, host = a:controller(), s:controller(a), s:controller()
	t:gt(client.Replicated, 50)
	t:eq(client.Processed, client.Autonomous, "only as part of performing a move")
	t:eq({ theirs.Replicated, theirs.Processed == theirs.Autonomous }, { 0, true })
	t:eq({ host.Replicated, host.Autonomous, host.Processed > 50 }, { 0, 0, true })
	t:gt(s:pawn().Velocity.X, 400)
end)

for_each({
	{ "water", { bWaterVolume = true } },
	{ "wind and less gravity", { GravityZ = -200, ZoneVelocity = vector(0, 150, 0) } },
}, function(case)
	scenario("R9.10 a PhysicsVolume acts on both sides: " .. case[1], { seeds = 5 }, function(t)
		local s, a, pawn = player(t, nil, { lag = 0.1, jitter = 0.02, loss = 0.02 })
		local props = { Location = vector(900, -2000, 200), CollisionRadius = 500, CollisionHeight = 200, bNoDelete = false }
		for k, v in pairs(case[2]) do props[k] = v end
		local volume = s:spawn("PhysicsVolume", props)
		t:within(1, function() return a:copy(volume) end)
		a:copy(volume):SetCollisionSize(500, 200) -- sizes do not cross; a level's brushes need none
		local before, swam = #a:corrections(), false
		for i = 1, 24 do
			local to = vector(900, -2000, 200) - a:pawn().Location
			a:input{ forward = 1, yaw = i % 3 == 0 and to:Rotation().Yaw or i * 5000 % 65536, jump = i % 2 == 0, pitch = i * 900 % 12000 }
			t:run(0.4)
			swam = swam or pawn.Physics == PHYS_Swimming
		end
		t:eq(swam, case[2].bWaterVolume or false)
		if case[2].ZoneVelocity then
			a:input{ forward = 0, jump = false }
			t:within(9, function() return pawn.Physics == PHYS_Walking end)
			t:run(1)
			pawn:SetLocation(vector(900, -2300, 88.1))
			t:run(0.5)
			local from = pawn.Location
			t:run(1)
			t:near((pawn.Location - from).Y, 150, 10)
			before = #a:corrections() - 1
		end
		t:le(#a:corrections() - before, 1)
	end)
end)

scenario("R9.10 in water one sinks slowly, swims where one looks, and leaps out", function(t)
	t:scripts [[
		local Pool = class("Pool", "PhysicsVolume")
		Pool.defaults { bWaterVolume = true, bNoDelete = false, CollisionRadius = 400, CollisionHeight = 300 }
	]]
	local s = t:server{ mode = "standalone" }
	s:spawn("Pool", { Location = vector(0, 0, 300) })
	local pawn = s:pawn()
	pawn:SetLocation(vector(0, 0, 450))
	t:run(1)
	t:eq(pawn.Physics, PHYS_Swimming)
	local from = pawn.Location
	t:run(1)
	t:lt(pawn.Location.Z, from.Z)
	t:gt(pawn.Location.Z, from.Z - 40)
	net.hold(t, s, { forward = 1, pitch = 8192 }, 0.5)
	t:near(pawn.Velocity:Size(), 220, 30)
	t:gt(pawn.Velocity.Z, 80)
	t:within(2, function() return pawn.Physics == PHYS_Falling end)
	t:within(3, function() return pawn.Physics == PHYS_Swimming end)
end)

scenario("R9.1 a pawn that the server moves follows it also for its own player: bReplicateMovementToOwner", function(t)
	t:scripts [[
		local Cart = class("Cart", "Character")
		Cart.defaults { bReplicateMovementToOwner = true }
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { DefaultPawnClass = "Cart" }
	]]
	local _, a, pawn = player(t, "Duel", { lag = 0.1 })
	local from = pawn.Location
	net.hold(t, a, { forward = 1 }, 0.15)
	t:near(a:pawn().Location, from, 1)
	t:run(1)
	t:gt(pawn.Location.X - from.X, 300)
	t:near(a:pawn().Location.X, pawn.Location.X, 80)
	net.hold(t, a, { forward = 0 }, 1)
	t:near(a:pawn().Location, pawn.Location, 1.5)
	t:eq(#a:corrections(), 0)
end)

scenario("R9.1 the wishes for a pawn that the server moves: sent when they change, no press is lost", { seeds = 5 }, function(t)
	t:scripts [[
		local Cart = class("Cart", "Character")
		Cart.properties { Jumps = int(0) }
		Cart.defaults { bReplicateMovementToOwner = true }
		function Cart:DoJump()
			local done = Cart.super.DoJump(self)
			self.Jumps = self.Jumps + (done and 1 or 0)
			return done
		end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { DefaultPawnClass = "Cart" }
	]]
	local _, a, pawn = player(t, "Duel", { lag = 0.05 })
	local function calls() return t:traffic(a).by_function["PlayerController.ServerMove"].received end
	for i = 1, 12 do -- a press of one tick, now with a packet and now between two
		a:input{ jump = true, strafe = i % 3 == 0 and 0.1 or 0 }
		t:ticks(2)
		net.hold(t, a, { jump = false }, 1.2)
		t:ticks(i % 2)
		t:eq(pawn.Jumps, i)
	end
	net.hold(t, a, { strafe = 0 }, 1)
	local before = calls()
	t:run(4)
	t:le(calls() - before, 5, "no wish at all")
	net.hold(t, a, { forward = 1 }, 0.5)
	before = calls()
	t:run(4)
	t:near(calls() - before, 40, 3, "one that is held")
	net.hold(t, a, { forward = 0 }, 0.5)
	t:eq(pawn.Velocity, vector())
end)
