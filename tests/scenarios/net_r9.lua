-- Section 9 of the rules with clients: what a client's player presses moves their pawn on the server.

local net = require("shared.net")
local holds = net.holds

-- A game whose pawns count their jumps.
local HOPPERS = net.with [[
	local Hopper = class("Hopper", "Character")
	Hopper.properties { Jumps = int(0) }
	function Hopper:DoJump()
		local jumped = Hopper.super.DoJump(self)
		if jumped then self.Jumps = self.Jumps + 1 end
		return jumped
	end
	local Duel = class("Duel", "GameInfo")
	Duel.defaults { DefaultPawnClass = "Hopper" }
]]

-- A server with one client whose pawn stands; the pawn as the server has it.
local function player(t, options)
	local s, a, pawn = HOPPERS.player(t, { game = "Duel" }, options)
	t:run(0.5)
	return s, a, pawn
end

-- Whether a client's copy of a pawn is near where the server has it.
local function near(copy, pawn, distance) return copy and copy.Location:Distance(pawn.Location) <= distance end

scenario("R9.0 a client's input moves its pawn on the server, and its own copy goes along", function(t)
	local s, a, pawn = player(t)
	local b = t:client{ name = "b" }
	t:within(5, function() return b:copy(pawn) end)
	local from = pawn.Location
	net.hold(t, a, { forward = 1 }, 0.5)
	for _, c in ipairs { a, b } do t:always(0.5, function() return near(c:copy(pawn), pawn, 60) end) end
	t:near((pawn.Location - from).X, 440 * 1.5, 120)
	t:near(pawn.Velocity:Size2D(), 440, 5)
	t:near(a:pawn().Velocity:Size2D(), 440, 5)
	a:input{ forward = 0 }
	t:within(1, function() return pawn.Velocity:Size() == 0 end)
	t:within(1, function() return near(a:pawn(), pawn, 1.5) and near(b:copy(pawn), pawn, 1.5) end)
	t:eq(s:pawn(b).Velocity:Size(), 0)
end)

scenario("R9.0 the pawn of a client walks where its player looks, and shows it", function(t)
	local s, a, pawn = player(t)
	local from = pawn.Location
	net.hold(t, a, { forward = 1, strafe = 1, yaw = 16384, pitch = 4096 }, 1)
	local way = (pawn.Location - from):Normal()
	t:near(way.X, -0.7, 0.1)
	t:near(way.Y, 0.7, 0.1)
	t:near(pawn.Velocity:Size2D(), 440, 5, "a diagonal is no faster")
	t:eq({ pawn.Rotation.Yaw, a:pawn().Rotation.Yaw, pawn.ViewPitch }, { 16384, 16384, 16 })
	t:eq(s:controller(a).ViewRotation, rotator(4096, 16384, 0))
end)

scenario("R9.0 a press of jump is one jump, whatever is lost", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, { lag = 0.05, jitter = 0.02, loss = 0.3, dup = 0.2, reorder = 0.2 })
	for i = 1, 3 do
		a:input{ jump = true }
		t:ticks(2)
		a:input{ jump = false }
		t:within(1, function() return pawn.Jumps == i end)
		t:run(1.2)
		holds(t, pawn, { Jumps = i, Physics = PHYS_Walking })
	end
	net.hold(t, a, { jump = true }, 2.5)
	t:eq(pawn.Jumps, 4, "held down is one press")
end)

scenario("R9.0 what was let go stays let go, though older news come later", { seeds = 5 }, function(t)
	local _, a, pawn = player(t, { lag = 0.05, jitter = 0.05, loss = 0.2, dup = 0.3, reorder = 0.5 })
	for _ = 1, 3 do
		a:input{ forward = 1 }
		t:within(1.2, function() return pawn.Velocity:Size() > 400 end)
		a:input{ forward = 0 }
		t:within(1.2, function() return pawn.Velocity:Size() == 0 end)
		t:always(0.5, function() return pawn.Velocity:Size() == 0 end)
	end
end)

scenario("R9.0 a player who does nothing costs next to nothing", function(t)
	local s, a, pawn = player(t)
	net.hold(t, a, { forward = 1 }, 0.3)
	net.hold(t, a, { forward = 0 }, 1)
	local calls = t:traffic(a).by_function["PlayerController.ServerMove"]
	t:ok(calls and calls.received > 5)
	local from = pawn.Location
	t:run(10)
	t:le(t:traffic(a).by_function["PlayerController.ServerMove"].received - calls.received, 11)
	t:eq({ pawn.Location, s:controller(a).bHeldToTime, #a:corrections() }, { from, false, 0 })
end)

scenario("R9.0 the server turns a client's view: ClientSetRotation", function(t)
	local s, a, pawn = player(t)
	s:controller(a):ClientSetRotation(rotator(0, 32768, 0))
	t:within(1, function() return a:controller().ViewRotation.Yaw == 32768 end)
	local from = pawn.Location
	a:input{ forward = 1 }
	t:within(1, function() return s:controller(a).ViewRotation.Yaw == 32768 end)
	t:within(1, function() return (pawn.Location - from).X < -50 end)
end)

scenario("R9.0 a start that faces elsewhere turns the view of its player", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		function Duel:RestartPlayer(controller)
			self:FindPlayerStart(controller):SetRotation(rotator(0, 16384, 0))
			Duel.super.RestartPlayer(self, controller)
		end
	]]
	local s = t:server{ game = "Duel" }
	local a = t:client{ name = "a" }
	t:within(5, function() return a:controller() and a:controller().ViewRotation.Yaw == 16384 end)
	t:within(1, function() return a:pawn() and a:pawn().Rotation.Yaw == 16384 end)
	t:within(1, function() return s:controller(a).ViewRotation.Yaw == 16384 end)
	t:eq(s:pawn(a).Rotation.Yaw, 16384)
end)

scenario("R9.0 nobody looks further up or down than straight", function(t)
	local s, a, pawn = player(t)
	a:input{ pitch = 20000 }
	t:within(1, function() return s:controller(a).ViewRotation.Pitch == 16384 end)
	t:eq(a:controller().ViewRotation.Pitch, 16384)
	a:input{ pitch = 40000 }
	t:within(1, function() return s:controller(a).ViewRotation.Pitch == 49152 end)
	t:eq({ pawn.ViewPitch, a.error }, { 192, nil })
end)

scenario("R9.0 a listen server's own player is moved at once, a client's beside him", function(t)
	local s = t:server{ mode = "listen" }
	local a = t:client{ name = "a" }
	t:within(5, function() return s:pawn(a) and a:pawn() and a:copy(s:pawn()) end)
	t:run(0.5)
	local host, guest = s:pawn().Location, s:pawn(a).Location
	s:input{ forward = 1 }
	a:input{ forward = -1 }
	t:ticks(1)
	t:gt(s:pawn().Velocity.X, 0)
	t:run(1)
	t:gt((s:pawn().Location - host).X, 300)
	t:lt((s:pawn(a).Location - guest).X, -250)
	t:within(0.5, function() return near(a:copy(s:pawn()), s:pawn(), 60) end)
end)

-- R8.3, R8.5, R8.6: what the base classes add to what net_r8.lua shows.

scenario("R8.3 a machine that is banned is refused, whatever its port", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		function Duel:PreLogin(options, address)
			self.address = address
			return Duel.super.PreLogin(self, options, address)
		end
	]]
	local s = t:server{ game = "Duel", options = "?ban=192.0.2.7,[2001:db8::1]:7777" }
	local game = s:eval("return world.Game")
	for address, banned in pairs {
		["192.0.2.7:5"] = true, ["192.0.2.7"] = true, ["192.0.2.8:5"] = false, ["[2001:db8::1]:9"] = true, ["[2001:db8::2]:9"] = false,
	} do
		t:eq(game:IsBanned(address), banned, address)
	end
	local a = t:client{ name = "a" }
	t:within(5, function() return s:controller(a) end)
	game:BanAddress(game.address)
	a:leave()
	t:within(2, function() return s:controller(a) == nil end)
	a:join()
	t:within(3, function() return a.error end)
	t:eq(a.error_code, "banned")
end)

scenario("R8.2 a password that is too long stops the host", function(t)
	t:error(function() t:server{ options = "?password=" .. ("x"):rep(65) } end, "password.*64")
end)
