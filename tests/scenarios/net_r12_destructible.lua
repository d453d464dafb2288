-- R12.8: what breaks. The server decides, a seed and the states of chunks cross, and each client builds the pieces.

local net = require("shared.net")
local copy, start, holds = net.copy, net.ready, net.holds

-- A box of eight chunks that stays while half of it is there, and is in view of all.
local BOX = net.with [[
	local Pot = class("Pot", "Destructible")
	Pot.defaults { bStartAsleep = true, bAlwaysRelevant = true, BreakShare = 0.8 }
	Pot.properties { Gone = int(0) }
	function Pot:BrokenBy(_) self.Gone = self.Gone + 1 end
	local Vase = class("Vase", "Pot")
	Vase.defaults { bSimulatePhysics = false }
]]

-- The indices of the chunks that are broken, as text.
local function broken(pot)
	local list = {}
	for i = 1, 16 do
		if pot.Chunks[i] == "Broken" then table.insert(list, i) end
	end
	return table.concat(list, " ")
end

-- Damage at one corner of a pot.
local function hurt(s, pot, amount)
	pot:TakeDamage(amount, nil, pot.Location + vector(-30, -30, 30), vector(), "shot")
	return s
end

scenario("R12.8 the server breaks the chunk that is hit; each client throws that piece", function(t)
	local s, a, b = BOX.ready(t, {}, { name = "a", lag = 0.05 }, { name = "b" })
	local pot, ca, cb = net.spawn(t, s, "Pot", { Location = vector(300, 0, 30.1) }, a, b)
	t:run(0.3)
	hurt(s, pot, 20)
	t:eq(broken(pot), "2") -- the corner at -X, -Y, +Z
	t:run(0.3)
	t:eq({ broken(ca), broken(cb) }, { "2", "2" })
	for _, c in ipairs { a, b } do
		local chunks = c:actors("DestructibleChunk")
		t:eq(#chunks, 1)
		holds(t, chunks[1], { Index = 2, Role = ROLE_Authority })
		t:no(s:copy(chunks[1])) -- nobody else knows of it (R2.3)
	end
	t:eq(#s:actors("DestructibleChunk"), 0)
	t:run(7)
	t:eq(#a:actors("DestructibleChunk"), 0) -- its LifeSpan is over
	t:ok(pot.alive)
	t:ok(ca.alive)
end)

scenario("R12.8 pieces are the same on every peer, from the seed alone", function(t)
	local s, a, b = BOX.ready(t, {}, { name = "a" }, { name = "b" })
	local seeds = {}
	for i = 1, 5 do
		local pot = s:spawn("Pot", { Location = vector(300, 200 * i, 30.1), ChunksX = 1 + i % 3, ChunksZ = 1 + i % 2 })
		local ca, cb = copy(t, a, pot), copy(t, b, pot)
		t:run(0.2)
		t:gt(pot.Seed, 0)
		t:eq({ ca.Seed, cb.Seed }, { pot.Seed, pot.Seed })
		seeds[pot.Seed] = true
		local text = [[
			local out = {}
			for _, piece in ipairs(world:ActorsOf("Pot")[%d]:GetPieces()) do
				table.insert(out, tostring(piece.Middle) .. tostring(piece.Half) .. tostring(piece.Spin) .. piece.Speed)
			end
			return table.concat(out, "\n")
		]]
		local chunk = string.format(text, i)
		local pieces = s:eval(chunk)
		t:eq(a:eval(chunk), pieces)
		t:eq(b:eval(chunk), pieces)
		t:gt(#pieces, 50)
	end
	local n = 0
	for _ in pairs(seeds) do n = n + 1 end
	t:ge(n, 4) -- each its own
end)

scenario("R12.8 a client breaks nothing by itself", function(t)
	local s, a = BOX.ready(t, {}, { name = "a" })
	local pot, c = net.spawn(t, s, "Pot", { Location = vector(300, 0, 30.1) }, a)
	t:run(0.2)
	hurt(a, c, 500)
	t:run(0.5)
	t:eq({ broken(c), broken(pot), #a:actors("DestructibleChunk") }, { "", "", 0 })
end)

scenario("R12.8 damage below the threshold does nothing; above it adds up", function(t)
	local s = BOX.ready(t, {})
	local pot = s:spawn("Pot", { Location = vector(300, 0, 30.1) })
	t:run(0.2)
	for _ = 1, 50 do hurt(s, pot, 4) end
	t:eq(broken(pot), "")
	hurt(s, pot, 12)
	t:eq(broken(pot), "")
	hurt(s, pot, 12)
	t:eq(broken(pot), "2") -- 20 for it, and the rest for the next
	hurt(s, pot, 18)
	t:eq(#broken(pot):gsub(" ", ""), 2)
end)

scenario("R12.8 with enough of it gone the rest goes, once, for all; and then the actor", function(t)
	local s, a = BOX.ready(t, {}, { name = "a", lag = 0.05, loss = 0.02 })
	local pot, c = net.spawn(t, s, "Pot", { Location = vector(300, 0, 30.1) }, a)
	t:run(0.3)
	hurt(s, pot, 7 * 20)
	holds(t, pot, { bBroken = true, Gone = 1 })
	t:no(pot:HasRigidBody())
	t:within(1, function() return c.bBroken end)
	t:run(0.1)
	t:eq({ broken(c), #a:actors("DestructibleChunk") }, { "1 2 3 4 5 6 7 8", 8 })
	t:no(c.bBlockPlayers)
	t:eq(pot.Gone, 1)
	t:run(3)
	t:no(pot.alive)
	t:no(c.alive)
	t:run(5)
	t:eq(#a:actors("DestructibleChunk"), 0)
end)

scenario("R12.8 an impact above the threshold breaks it, a lighter one does not", function(t)
	t:scripts [[
		local Jug = class("Jug", "Destructible")
		Jug.defaults { Mass = 50, ImpactThreshold = 20000, ImpactDamage = 3 }
	]]
	local s, a = start(t, {}, { name = "a" })
	-- Falling from 50 uu takes 50 kg * 313 uu/s = 16 000, from 400 uu 50 * 885 = 44 000.
	local low = s:spawn("Jug", { Location = vector(300, 0, 80) })
	local high = net.spawn(t, s, "Jug", { Location = vector(600, 0, 430) }, a)
	t:run(2)
	t:eq(broken(low), "")
	t:ne(broken(high), "")
	t:gt(#a:actors("DestructibleChunk"), 0)
end)

scenario("R12.8 without bSimulatePhysics it stands like a wall until it breaks", function(t)
	local s, a = BOX.ready(t, {}, { name = "a" })
	local vase, c = net.spawn(t, s, "Vase", { Location = vector(300, 0, 300) }, a)
	t:run(1)
	t:eq(vase.Location, vector(300, 0, 300))
	t:no(vase:HasRigidBody())
	t:no(c:HasRigidBody())
	vase:TakeDamage(20, nil, vector(280, -20, 320), vector(500, 0, 0), "shot")
	t:run(0.5)
	t:eq({ broken(c), vase.Location }, { "2", vector(300, 0, 300) })
end)

scenario("R12.8 who comes later sees what is left, and no pieces fly", function(t)
	local s = BOX.ready(t, {})
	local pot = s:spawn("Pot", { Location = vector(300, 0, 30.1) })
	t:run(0.5)
	hurt(s, pot, 45)
	t:run(0.5)
	local a = t:client{ name = "a" }
	t:within(10, function() return a:controller() and a:copy(pot) end)
	t:run(0.5)
	t:eq({ broken(a:copy(pot)), #a:actors("DestructibleChunk") }, { broken(pot), 0 })
	hurt(s, pot, 20)
	t:run(0.5)
	t:eq(#a:actors("DestructibleChunk"), 1) -- the one that broke since
end)

scenario("R12.8 shots and explosions break it and push what is left", function(t)
	local s, a = BOX.ready(t, {}, { name = "a" })
	local me = s:pawn(a)
	local pot = s:spawn("Pot", { Location = me.Location + vector(300, 0, -57.9) })
	t:run(0.5)
	local from = pot.Location
	me:HurtRadius(150, 400, me, "rocket", 500)
	t:ne(broken(pot), "")
	t:run(0.7)
	t:gt(pot.Location.X, from.X + 5)
end)

scenario("R12.8 the crates of the arena stand where the level puts them, and cost nothing until they are hit", function(t)
	local s, a = start(t, { level = "arena" }, { name = "a" })
	local crates = s:actors("Crate")
	t:gt(#crates, 3)
	t:run(2)
	for _, crate in ipairs(crates) do
		t:no(crate:IsAwake())
		if a:copy(crate) then t:near(a:copy(crate).Location, crate.Location, 0.01) end
	end
	local before = t:traffic(a).by_class.Crate
	before = before and before.bytes or 0
	t:run(3)
	local now = t:traffic(a).by_class.Crate
	t:eq(now and now.bytes or 0, before)
	local one = crates[1]
	one:Wake()
	t:within(3, function() return not one:IsAwake() end)
	t:near(one.Location.Z, 40, 1.5) -- it stood on the floor already
	one:TakeDamage(500, nil, one.Location, vector(), "shot")
	t:ok(one.bBroken)
	t:run(3)
	t:no(one.alive)
end)

scenario("R12.8 the end of a crate is heard by all who saw it, though nothing is left to see", { seeds = 3 }, function(t)
	local s, a = start(t, {}, { name = "a", lag = 0.08, jitter = 0.02, loss = 0.05 })
	for i = 1, 3 do
		local crate, c = net.spawn(t, s, "Crate", { Location = vector(300 + 150 * i, 200 * i - 2000, 40.1) }, a)
		t:run(0.4)
		crate:TakeDamage(500, nil, crate.Location, vector(), "rocket")
		t:within(2, function() return #a:actors("DestructibleChunk") >= 8 * i end)
		t:ok(c.bBroken)
		t:within(4, function() return not crate.alive and not c.alive end)
	end
end)
