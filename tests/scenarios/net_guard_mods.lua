-- What a mod may not do to the match of all others, and that what it makes is charged to it (G6).

local net = require("shared.net")

local function begin(t, mod, text, options)
	t:scripts(text, { mod = mod })
	local s, a, b = net.play(t, { level = "arena", game = "DeathMatch", options = options }, { name = "a", lag = 0.03 }, "b")
	return s, a, b
end

scenario("G1 a mod can destroy neither the game, nor its state, nor a player", { seeds = 2 }, function(t)
	local s, a, b = begin(t, "wrecker", [[
		local Wrecker = class("Wrecker", "Actor")
		function Wrecker:Wreck(what) what:Destroy() end
	]])
	local w = s:spawn("Wrecker")
	for _, what in ipairs { s:eval("return world.Game"), s:eval("return world.GameState"), s:controller(a), s:controller(a).PlayerReplicationInfo } do
		t:expect_error("Wrecker:Wreck: .*Destroy: mod wrecker cannot destroy .*%[mod wrecker%]")
		t:reload([[
			local Wrecker = class("Wrecker", "Actor")
			function Wrecker:Wreck(what) what:Destroy() end
		]], { mod = "wrecker" })
		w:Wreck(what)
		t:ok(what.alive)
	end
	t:run(2)
	t:eq({ a.error, b.error, s:eval("return world.GameState.MatchState") }, { nil, nil, "InProgress" })
	s:controller(a):Destroy() -- who is no mod may, and its player leaves
	t:within(2, function() return a.error ~= nil end)
end)

scenario("G1 a mod cannot leave a match that is on; it can when it is over, and its own game can at any time", { seeds = 2 }, function(t)
	local s, a = begin(t, "roamer", [[
		local Roamer = class("Roamer", "Actor")
		function Roamer:Go() world:Travel("arena?game=DeathMatch") end
	]], "?postmatch=60")
	local w = s:spawn("Roamer")
	t:expect_error("Roamer:Go: .*Travel: mod roamer cannot leave a match that is on.*%[mod roamer%]")
	w:Go()
	t:run(1)
	t:ok(w.alive)
	s:eval("return world.Game"):EndMatch("enough")
	t:run(0.2)
	w:Go()
	t:within(5, function() return not w.alive end)
	t:within(5, function() return s:pawn(a) end)
	t:eq(a.error, nil)
end)

scenario("G1 a mod whose class is the game travels as any game does", function(t)
	t:scripts([[
		local Tour = class("Tour", "DeathMatch")
		function Tour:Go() world:Travel("arena?game=Tour") end
	]], { mod = "tour" })
	local s = t:server { level = "arena", game = "Tour" }
	t:run(0.5)
	local before = s:eval("return world.Game")
	before:Go()
	t:within(5, function() return not before.alive end)
end)

-- Forty actors of a class of the game that a mod makes take more than the mod's share. They are called less often, and the one that the
-- game made is called as before.
scenario("G6 what actors of a mod cost is that mod's share, and their class goes on for the others", { budget = 60, seeds = 2, long = true }, function(t)
	t:scripts [[
		local Toiler = class("Toiler", "Actor")
		Toiler.properties { Ticks = int(0), Time = float(0) }
		function Toiler:Tick(dt)
			local n = 0
			for i = 1, 400 do n = n + i end
			self.n = n
			self.Ticks, self.Time = self.Ticks + 1, self.Time + dt
		end
	]]
	local s, a = begin(t, "maker", [[
		local Maker = class("Maker", "Actor")
		function Maker:Make() for _ = 1, 40 do self:Spawn("Toiler") end end
	]])
	s:cost_scale(250)
	local honest = s:spawn("Toiler")
	s:spawn("Maker"):Make()
	t:run(5)
	local guest
	for _, x in ipairs(s:actors("Toiler")) do
		if x ~= honest then guest = x end
	end
	local ticks, guests, time = honest.Ticks, guest.Ticks, guest.Time
	t:run(4)
	t:near(honest.Ticks - ticks, 240, 1)
	t:ok(guest.Ticks - guests <= 90, "a guest was called " .. guest.Ticks - guests .. " times in 4 s")
	t:ok(guest.Ticks - guests >= 20, "a guest was called " .. guest.Ticks - guests .. " times in 4 s")
	t:near(guest.Time - time, 4, 0.3, "with the time since its last call")
	t:no(s:throttled().Toiler, "the class is not")
	t:ok(table.concat(s:log(), "\n"):find("mod maker: the actors that it made, with its classes, take .* its share is .*Toiler:Tick .*%[mod maker%]"))
	t:eq(a.error, nil)
end)

-- Moving is the engine's work, and no script's: it counts for the mod that made what moves.
scenario("G6 what the engine takes to move actors of a mod is that mod's share, and others move in every tick", { budget = 60, long = true }, function(t)
	t:scripts [[
		local Drifter = class("Drifter", "Actor")
		Drifter.defaults { Physics = PHYS_Projectile, bCollideWorld = true, bCollideActors = true, CollisionRadius = 5, CollisionHeight = 5 }
	]]
	local s, a = begin(t, "filler", [[
		local Filler = class("Filler", "Actor")
		Filler.properties { Made = int(0) }
		function Filler:Tick(_)
			for i = 1, 100 do
				if self.Made == 1000 then return end
				self.Made = self.Made + 1
				self:Spawn("Drifter", { Location = self.Location + vector(0, i * 12 - 600, math.floor(self.Made / 100) * 12), Velocity = vector(20, 0, 0) })
			end
		end
	]])
	s:cost_scale(100)
	local at = s:pawn(a).Location + vector(0, 0, 300)
	local honest = s:spawn("Drifter", { Location = at + vector(0, 0, 40), Velocity = vector(20, 0, 0) })
	s:spawn("Filler", { Location = at })
	t:run(4)
	local from, moves = honest.Location.X, 0
	local guest, guests = s:actors("Drifter")[500], 0
	for _ = 1, 60 do
		local x, y = honest.Location.X, guest.Location.X
		t:ticks(1)
		moves = moves + (honest.Location.X > x and 1 or 0)
		guests = guests + (guest.Location.X > y and 1 or 0)
	end
	t:eq(moves, 60)
	t:near(honest.Location.X - from, 20, 0.5)
	t:ok(guests < 40, "a guest moved in " .. guests .. " of 60 ticks")
	t:ok(table.concat(s:log(), "\n"):find("mod filler: .*moving .* ms.*%[mod filler%]"))
	t:eq(a.error, nil)
end)
