-- Section 9 of the rules, R9.9: abilities in moves while other things happen: reloads, deaths, joins, components that
-- come and go.

local net = require("shared.net")
local shared = require("shared.moves")
local numbers, told = shared.numbers, shared.told

-- An ability that hops on a press and drifts while a key is held, by a power that crosses. name is its class, moves its
-- .moves block, more its further properties.
local function drift(name, moves, more)
	return (([[
		local NAME = class("NAME", "ActorComponent")
		NAME.properties {
			bHop = false, bDrift = false, Power = int(0, { min = 0, max = 100 }), Heat = float(0), Hops = int(0), MORE
		}
		NAME.moves { MOVES }
		function NAME:FillMove(_)
			local mind = self:GetOwner().Controller
			self.bHop = self.bHop or mind.bUse and not self.bHeld
			self.bHeld = mind.bUse
			self.bDrift = mind.aUp > 0
			self.Power = self.bDrift and 60 or 0
		end
		function NAME:ProcessMove(move)
			local pawn = self:GetOwner()
			self.Heat = math.max(0, self.Heat - move.Delta)
			if self.bHop and self.Heat == 0 and pawn.Physics == PHYS_Walking then
				self.Heat, self.Hops = 0.6, self.Hops + 1
				pawn.Velocity = rotator(0, move.View.Yaw, 0):Vector() * 300 + vector(0, 0, 250)
				pawn:SetPhysics(PHYS_Falling)
			end
		end
		function NAME:ModifyMoveSpeed(_, speed) return speed * (1 + self.Power / 200) end
	]]):gsub("%u%u+", { NAME = name, MOVES = moves, MORE = more or "" }))
end

local BASE = 'presses = { "bHop" }, flags = { "bDrift" }, fields = { "Power" }, state = { "Heat" }'

local REST = [[
	local Mover = class("Runner", "Character")
	Mover.components { Drift = "Drift" }
	Mover.defaults { DefaultInventory = { "Kicker", "Plain" } }

	local Kicker = class("Kicker", "Weapon")
	Kicker.properties { bKick = false, KickWait = float(0), Kicks = int(0) }
	Kicker.defaults { InventoryGroup = 2, EquipTime = 0.05, FireInterval = 0.3 }
	Kicker.moves { presses = { "bKick" }, state = { "KickWait" } }
	function Kicker:FireWeapon(_) if self:IsFiredHere() then self.bKick = true end end
	function Kicker:ProcessMove(move)
		local pawn = self:GetPawn()
		self.KickWait = math.max(0, self.KickWait - move.Delta)
		if self.bKick and self.KickWait <= 0.01 then
			self.KickWait, self.Kicks = 0.3, self.Kicks + 1
			pawn.Velocity = pawn.Velocity - rotator(0, move.View.Yaw, 0):Vector() * 300
		end
	end

	local Plain = class("Plain", "Weapon")
	Plain.defaults { InventoryGroup = 3, EquipTime = 0.05 }

	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Runner", RespawnDelay = 1 }
]]

local LINE = { lag = 0.1, jitter = 0.02, loss = 0.02 }

local function ready(t, s, a)
	t:within(8, function() return s:pawn(a) and a:controller() and a:pawn() and a:controller().AcknowledgedPawn == a:pawn() and a:pawn().Weapon end)
	t:run(1)
	return s:pawn(a)
end

local function player(t, options, more)
	t:scripts(drift("Drift", BASE) .. REST .. (more or ""))
	local s = t:server{ game = "Duel" }
	local o = { name = "a" }
	for k, v in pairs(options) do o[k] = v end
	local a = t:client(o)
	return s, a, ready(t, s, a)
end

-- Runs, turns, hops, drifts and fires for some seconds.
local function romp(t, a, seconds, random)
	local left = seconds
	while left > 0 do
		local at = a:pawn() and a:pawn().Location or vector()
		local yaw = math.floor(random() * 65536)
		if at:Size2D() > 1800 then yaw = (-at):Rotation().Yaw end
		a:input{
			forward = random() < 0.9 and 1 or 0, yaw = yaw, up = random() < 0.5 and 1 or 0, jump = random() < 0.2,
			use = random() < 0.5, fire = random() < 0.4, weapon = random() < 0.3 and math.floor(2 + random() * 2) or 0,
		}
		local d = 0.1 + random() * 0.5
		t:run(d / 2)
		net.hold(t, a, { use = false, jump = false, weapon = 0 }, d / 2)
		left = left - d
	end
end

local function rest(t, a)
	net.hold(t, a, { forward = 0, up = 0, jump = false, use = false, fire = false, weapon = 0 }, 2)
end

-- Both ends agree, and nothing was refused since.
local function agrees(t, s, a, before, refused)
	local pawn = s:pawn(a)
	t:eq(told(a:corrections(), before), "")
	t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	t:eq(s:controller(a).RefusedInputs, refused or 0, table.concat(s:log(), "\n"))
	t:eq(a.error, nil)
end

for_each({
	{ "a field is added", (BASE:gsub('"Power"', '"Power", "Extra"')), 'Extra = int(3, { min = 0, max = 1000000 })' },
	{ "a field is removed", (BASE:gsub('fields = { "Power" }', 'fields = {}')) },
	{ "a flag becomes the second of three", (BASE:gsub('"bDrift"', '"bFirst", "bDrift", "bLast"')), 'bFirst = false, bLast = false' },
	{ "state is added before the other", (BASE:gsub('"Heat"', '"Chill", "Heat"')), 'Chill = int(5)' },
	{ "state is removed", (BASE:gsub('state = { "Heat" }', 'state = {}')) },
	{ "nothing is left", '' },
}, function(case)
	scenario("R9.9 a reload in which " .. case[1] .. ", under moves in flight", { seeds = 5, budget = 60 }, function(t)
		local s, a = player(t, LINE)
		local random = numbers(t:seed())
		romp(t, a, 3, random)
		for _, moves in ipairs { case[2], BASE } do
			a:input{ up = 1, forward = 1, use = true }
			t:ticks(3)
			t:reload(drift("Drift", moves, case[3]) .. REST)
			romp(t, a, 2, random)
			rest(t, a)
			local before, refused = #a:corrections(), s:controller(a).RefusedInputs
			t:le(refused, 40, "only what was in flight is refused")
			if moves == BASE then
				romp(t, a, 5, random)
				rest(t, a)
				agrees(t, s, a, before, refused)
				t:gt(s:pawn(a).Drift.Hops, 2)
			end
		end
	end)
end)

scenario("R9.9 a new life with other components and another weapon: no corrections", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, LINE, drift("Drift2", BASE) .. [[
		local Other = class("Other", "Character")
		Other.components { Second = "Drift2", Drift = "Drift" }
		Other.defaults { DefaultInventory = { "Plain", "Kicker" } }
	]])
	local random = numbers(t:seed())
	for life = 1, 4 do
		local before = #a:corrections()
		romp(t, a, 4, random)
		rest(t, a)
		agrees(t, s, a, before)
		s:eval(("world.Game.DefaultPawnClass = '%s'"):format(life % 2 == 1 and "Other" or "Runner"))
		a:input{ forward = 1, up = 1, fire = true } -- it dies in the middle of a move
		t:run(0.4)
		pawn = s:pawn(a)
		pawn:TakeDamage(1000)
		t:within(5, function() return s:pawn(a) ~= nil and s:pawn(a) ~= pawn end)
		s:controller(a) -- the same player
		pawn = ready(t, s, a)
		rest(t, a)
	end
	t:ok(pawn.alive)
end)

scenario("R9.9 who joins while others use their abilities sees them, and uses their own: no corrections", { seeds = 5 }, function(t)
	local s, a, pawn = player(t, LINE)
	local random = numbers(t:seed())
	net.hold(t, a, { up = 1, forward = 1, use = true }, 0.5)
	local b = t:client{ name = "b", lag = 0.1, jitter = 0.02, loss = 0.02 }
	romp(t, a, 4, random)
	ready(t, s, b)
	local first = #b:corrections()
	t:ok(b:copy(pawn) and b:copy(pawn).Drift)
	t:eq(b:copy(pawn).Drift.bDrift, false, "what another asks for is not told")
	pawn:SetLocation(vector(0, -6000, 88.5))
	rest(t, a)
	local before = #a:corrections()
	romp(t, b, 15, random)
	rest(t, b)
	agrees(t, s, b, first)
	t:eq(told(a:corrections(), before), "")
end)

for_each({ { "listen" }, { "standalone" } }, function(case)
	scenario("R9.9 the player of a " .. case[1] .. " host uses components and weapons that add to moves", function(t)
		t:scripts(drift("Drift", BASE) .. REST)
		local s = t:server{ game = "Duel", mode = case[1] }
		t:within(3, function() return s:pawn() and s:pawn().Weapon end)
		t:run(0.5)
		s:input{ use = true }
		t:ticks(2)
		t:eq(s:pawn().Drift.Hops, 1)
		t:eq(s:pawn().Drift.bHop, false, "a press is one")
		net.hold(t, s, { use = false, weapon = 2 }, 1)
		net.hold(t, s, { weapon = 0, fire = true }, 1)
		t:ge(s:pawn():FindInventory("Kicker").Kicks, 2)
		net.hold(t, s, { fire = false, forward = 1, up = 1 }, 1)
		t:near(s:pawn().Velocity:Size2D(), 440 * 1.3, 5)
	end)
end)

scenario("R9.9 a component that is added and destroyed under moves in flight", { seeds = 5, budget = 120 }, function(t)
	local s, a, pawn = player(t, LINE, drift("Drift2", BASE))
	local random = numbers(t:seed())
	for _ = 1, 2 do
		local before = #a:corrections()
		a:input{ forward = 1, up = 1, use = true }
		t:ticks(5)
		s:eval("world:ActorsOf('Runner')[1]:AddComponent('Drift2', 'More')")
		romp(t, a, 3, random)
		t:ok(a:pawn().More, "its player has it")
		t:le(#a:corrections() - before, 2, "as it came: " .. told(a:corrections(), before))
		rest(t, a)
		before = #a:corrections()
		romp(t, a, 4, random)
		rest(t, a)
		agrees(t, s, a, before)
		a:input{ forward = 1, up = 1 }
		t:ticks(5)
		pawn.More:Destroy()
		romp(t, a, 3, random)
		t:le(#a:corrections() - before, 2, "as it went: " .. told(a:corrections(), before))
		rest(t, a)
		before = #a:corrections()
		romp(t, a, 4, random)
		rest(t, a)
		agrees(t, s, a, before)
	end
end)

scenario("R9.2 R9.9 moves that ask for the same are put together, and those that an ability keeps apart are not", { seeds = 5, transport = "sim" }, function(t)
	t:scripts [[
		local Steady = class("Steady", "ActorComponent")
		Steady.properties { bOn = false, Moves = int(0), Apart = false, Sum = float(0) }
		Steady.moves { flags = { "bOn" }, state = { "Sum" } }
		function Steady:FillMove(_) self.bOn = self:GetOwner().Controller.aUp > 0 end
		function Steady:ProcessMove(move) self.Moves = self.Moves + 1; self.Sum = self.Sum + move.Delta end
		function Steady:CanCombineMoves(_, _) return not self.Apart end
		local Runner = class("Runner", "Character")
		Runner.components { Steady = "Steady" }
	]]
	local s, a = net.play(t, { pawn = "Runner" }, { name = "a", lag = 0.05, tick = 60 })
	local pawn = s:pawn(a)
	local function moves(seconds)
		local from = pawn.Steady.Moves
		t:run(seconds)
		return pawn.Steady.Moves - from
	end
	net.hold(t, a, { forward = 1, up = 1 }, 1)
	t:near(moves(4), 4 * 30, 12, "held: two ticks are one move")
	a:pawn().Steady.Apart = true
	t:run(0.5)
	t:near(moves(4), 4 * 60, 12, "kept apart")
	a:pawn().Steady.Apart = false
	for _ = 1, 20 do
		a:input{ up = 0 }
		t:ticks(1)
		a:input{ up = 1 }
		t:ticks(1)
	end
	t:run(1)
	t:near(a:pawn().Steady.Sum, pawn.Steady.Sum, 0.2)
	t:eq(#a:corrections(), 0, told(a:corrections(), 0))
end)

-- Calls ServerMoveWith as a client with scripts of its own would: text stands for what is requested in so many moves.
local function send(a, text, count)
	local pc, at = a:controller(), a:pawn().Location
	local one, two, three = count > 1 and 1 or 0, count > 2 and 1 or 0, count > 3 and 1 or 0
	a:call(pc, "ServerMoveWith", text, (pc.lastStamp + 3) % 65536, 0, at, 0, count > 1 and 1 or 0, one, two, three, 0, 0, 0, 0, nil, vector(), "")
end

for_each({
	{ "a field out of its range", "\252\7" },
	{ "flags that nobody has", "\2" .. string.rep("\255", 40) },
	{ "as many bytes as may cross", string.rep("\255", 260) },
}, function(case)
	scenario("R9.9 R6.7 " .. case[1] .. " in a move: it is refused and counted, and does nothing", { transport = "sim" }, function(t)
		local s, a, pawn = player(t, { lag = 0.03 })
		local hops, from = pawn.Drift.Hops, pawn.Location
		for i = 1, 12 do
			send(a, case[2], i % 4 + 1)
			t:ticks(1)
		end
		t:run(1)
		t:eq({ s:controller(a).RefusedInputs, pawn.Drift.Hops }, { 12, hops })
		t:near(pawn.Location, from, 0.1)
		t:eq(a.error, nil)
		romp(t, a, 3, numbers(t:seed()))
		rest(t, a)
		t:near(a:pawn().Location:Distance(pawn.Location), 0, 1)
	end)
end)

scenario("R9.9 R6.7 random bytes in moves: no script error, nobody is sent away, and the player's own moves go on", { seeds = 5 }, function(t)
	local s, a = player(t, { lag = 0.03 })
	local random = numbers(t:seed())
	for i = 1, 300 do
		local bytes = {}
		for k = 1, math.floor(random() * random() * 30) do bytes[k] = string.char(math.floor(random() * 256)) end
		send(a, table.concat(bytes), i % 4 + 1)
		t:ticks(1)
	end
	t:ge(s:controller(a).RefusedInputs, 100)
	t:eq(a.error, nil)
	rest(t, a)
	local before, refused = #a:corrections(), s:controller(a).RefusedInputs
	romp(t, a, 5, random)
	rest(t, a)
	agrees(t, s, a, before, refused)
end)

scenario("R9.9 a client that claims another weapon than it has in its hand: it counts for the delay of the line only", { transport = "sim" }, function(t)
	local s, a, pawn = player(t, { lag = 0.05 })
	net.hold(t, a, { weapon = 3 }, 1)
	a:input{ weapon = 0 }
	local kicker = pawn:FindInventory("Kicker")
	t:eq(pawn.Weapon:IsA("Plain"), true)
	a:pawn().Weapon = a:copy(kicker) -- without a word to the server
	local function kick(seconds)
		local until_ = s.time + seconds
		while s.time < until_ do
			a:copy(kicker).bKick = true
			t:ticks(1)
		end
	end
	kick(1.5)
	local kicks, before = kicker.Kicks, #a:corrections()
	t:le(kicks, 5)
	kick(3)
	t:eq(kicker.Kicks, kicks, "its time is over")
	t:ge(s:controller(a).RefusedInputs, 20)
	t:gt(#a:corrections(), before)
end)
