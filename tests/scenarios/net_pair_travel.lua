-- Pairs of rules: the flow of a game (R8) with calls (R6), values (R5) and relevancy (R3) that are on their way.

local net = require("shared.net")
local bytes = net.bytes

-- Seats note in the world's GameState; GAME is of PostLogin.
local SEAT = net.with [[
	local function note(what)
		local state = world.GameState
		if state then state.notes = (state.notes or "") .. what .. " " end
	end
	local Seat = class("Seat", "PlayerController")
	Seat.properties { Word = int(0) }
	Seat.replication { { "Word", notify = true } }
	function Seat:OnRep_Word(_) self.heard = (self.heard or "") .. "w" .. self.Word .. " " end
	function Seat.client.reliable:Say(n) self.heard = (self.heard or "") .. "c" .. n .. " " end
	function Seat.server.reliable:ServerSay(n) self.told = (self.told or "") .. "s" .. n .. " " end
	function Seat.validate:ServerSay(_) return true end
	function Seat.server:ServerMurmur(n) self.told = (self.told or "") .. "u" .. n .. " " end
	function Seat.validate:ServerMurmur(_) return true end
	Seat.params { Say = { int(0) }, ServerSay = { int(0) }, ServerMurmur = { int(0) } }

	local Hall = class("Hall", "GameInfo")
	Hall.defaults { PlayerControllerClass = "Seat" }
	function Hall:PostLogin(pc)
		Hall.super.PostLogin(self, pc)
		pc:Say(1)
		pc.Word = 2
		pc:Say(3)
	end
	function Hall:Logout(pc)
		Hall.super.Logout(self, pc)
		self.outs = (self.outs or 0) + 1
		note("out")
	end

	local Bell = class("Bell")
	Bell.properties { N = int(0), Who = ref("Actor") }
	Bell.defaults { bAlwaysRelevant = true }
	Bell.replication { { "N", "Who", notify = true } }
	function Bell:OnRep_N(_) note("n" .. self.N) end
	function Bell:OnRep_Who(_) note(self.Who and "who" or "nil") end
	function Bell.multicast.reliable:AllRing(n) if not self:HasAuthority() then note("r" .. n) end end
	Bell.params { AllRing = { int(0) } }
	local Own = class("Own", "Bell")
	Own.defaults { bAlwaysRelevant = false, bOnlyRelevantToOwner = true }
]]

-- hall makes a server with the game Hall and clients, and waits until all are in.
local function hall(t, line, ...)
	local s = SEAT.server(t, { game = "Hall" })
	local list = {}
	for i, name in ipairs { ... } do
		local options = { name = name }
		for k, v in pairs(line or {}) do options[k] = v end
		list[i] = t:client(options)
	end
	t:within(8, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:pawn() or not c:eval("return world.GameState") then return false end
		end
		return true
	end)
	return s, unpack(list)
end

for_each({ {}, { 3 }, { 4 }, { 5 }, { 6 }, { 7, 8 } }, function(lost)
	scenario("R8.5 R6.4 R5.14 what PostLogin calls and sets arrives, in order, lost: " .. table.concat(lost, " "),
		{ seeds = 5, transport = "sim" }, function(t)
			local s = SEAT.server(t, { game = "Hall" })
			local a = t:client { name = "a", lag = 0.03, jitter = 0.01 }
			a:lose("down", unpack(lost))
			local pc = t:within(8, function() return a:controller() end)
			t:within(4, function() return pc.heard and #pc.heard >= 6 and pc.Word == 2 end)
			t:run(0.3)
			-- The value is of the opening, whose notifies come first (R5.1), or of an update after it.
			t:eq((pc.heard:gsub("w2 ", "")), "c1 c3 ")
			t:match(s:controller(a):GetStateName() or "", "^%w*$")
		end)
end)

-- Travel
for_each({ {}, { 1 }, { 2 }, { 1, 2, 3 } }, function(lost)
	scenario("R8.7 R6.4 what was called before a journey arrives before it, what is called in the new world in that, lost: "
		.. table.concat(lost, " "), { seeds = 5, transport = "sim" }, function(t)
			local s, a = hall(t, { lag = 0.04 }, "a")
			local bell = s:spawn("Bell")
			t:within(2, function() return a:copy(bell) end)
			t:run(0.3)
			a:lose("down", unpack(lost))
			bell:AllRing(1)
			bell.N = 2
			s:controller(a):Say(4)
			local before = a:controller()
			t:ticks(3)
			s:eval("world:Travel('steps?game=Hall')")
			t:within(15, function() return a:eval("return world.LevelName") == "steps" and a:pawn() end)
			t:no(before.alive)
			local rung = {}
			for _, e in ipairs(t:trace(a)) do
				if e.event == "called" and (e.name == "AllRing" or e.name == "Say") then rung[#rung + 1] = e.value end
			end
			t:eq(rung, { 1, 3, 1, 4, 1, 3 }, "PostLogin's, the two of before the journey, PostLogin's of the next world")
			local now = a:controller()
			t:within(3, function() return now.heard and now.Word == 2 end)
			t:eq((now.heard:gsub("w2 ", "")), "c1 c3 ")
		end)
end)

scenario("R8.7 R6.8 calls to the server that are on their way when the world changes run for nobody in the next, nor offend",
	{ seeds = 5 }, function(t)
		local s, a = hall(t, { lag = 0.15, jitter = 0.02 }, "a")
		local c = a:controller()
		c:ServerSay(1)
		t:within(2, function() return s:controller(a).told == "s1 " end)
		for i = 2, 9 do
			c:ServerSay(i)
			c:ServerMurmur(i)
		end
		s:eval("world:Travel('steps?game=Hall')")
		t:within(15, function() return a:eval("return world.LevelName") == "steps" and a:pawn() and s:controller(a) end)
		t:run(1)
		t:eq(s:controller(a).told, nil)
		a:controller():ServerSay(10)
		t:within(2, function() return s:controller(a).told == "s10 " end)
		t:eq(a.error, nil)
	end)

for_each({ "leave", "kill" }, function(how)
	scenario("R8.5 R8.6 R3.4 a player who is gone is out once, off every list, and what was theirs alone is nobody's: " .. how,
		{ seeds = 5 }, function(t)
			local s, a, b = hall(t, { lag = 0.03 }, "a", "b")
			t:within(3, function() return b:eval("return #world.GameState.PlayerArray") == 2 end)
			local x = s:spawn("Own", { Owner = s:controller(a) })
			t:within(2, function() return a:copy(x) end)
			a[how](a)
			t:within(14, function() return s:controller(a) == nil end)
			t:within(1, function() return b:eval("return #world.GameState.PlayerArray") == 1 end)
			x:AllRing(1)
			x.N = 2
			t:run(0.5)
			t:eq(s:eval("return world.Game.outs"), 1)
			t:eq({ b:copy(x), bytes(t, b, "Own") }, { nil, 0 })
		end)
end)
