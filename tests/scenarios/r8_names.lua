-- R8.4: what players are called. A name is a stranger's text, and two players never have the same one.

local names = require("shared.net").players

local clients = 0

-- Joins a client for each name, one after the other; "" requests none.
local function join(t, s, ...)
	local list = {}
	for i, name in ipairs { ... } do
		clients = clients + 1
		list[i] = t:client{ name = "c" .. clients, options = "?name=" .. name }
		t:within(5, function() return s:controller(list[i]) end)
	end
	return unpack(list)
end

scenario("R8.4 a player without a name gets one of his own", function(t)
	local s = t:server{}
	local _, b = join(t, s, "", "", "")
	t:eq(names(s), { "Player1", "Player2", "Player3" })
	b:leave()
	t:within(2, function() return #names(s) == 2 end)
	join(t, s, "")
	t:eq(names(s), { "Player1", "Player3", "Player2" }, "the lowest free number")
end)

scenario("R8.4 no two players have the same name, whoever comes first", function(t)
	local s = t:server{ options = "?bots=1" } -- its name is Ada
	join(t, s, "Ann", "Ann", "ANN", "Ada", "Ann2", "Player1", "")
	t:eq(names(s), { "Ada", "Ann", "Ann2", "ANN3", "Ada2", "Ann22", "Player1", "Player2" })
end)

scenario("R8.4 a long name that is taken keeps its length", function(t)
	local s = t:server{}
	local long = ("é"):rep(16) -- 32 bytes
	join(t, s, long, long)
	t:eq(names(s), { long, ("é"):rep(15) .. "2" })
end)

for_each({
	{ "control characters", "A\27[2Jn\7n", "A[2Jnn" },
	{ "lines", "Ann\r\n12:00 ERR disk full", "Ann 12:00 ERR disk full" },
	{ "spaces around and within", "  Ann   of\tOrkney ", "Ann of Orkney" },
	{ "a change of the direction of writing", "An\226\128\174n", "Ann" },
	{ "characters without width", "An\226\128\139n", "Ann" },
	{ "nothing but these", "\226\128\139\27 ", "Player1" },
	{ "marks without end", "a" .. ("\204\129"):rep(10), "a" .. ("\204\129"):rep(3) },
	{ "what is no UTF-8", "An\255n", "An\239\191\189n" },
	{ "too much", ("a"):rep(31) .. "é", ("a"):rep(31) },
}, function(case)
	scenario("R8.4 of a name is left out: " .. case[1], function(t)
		local s = t:server{}
		join(t, s, case[2])
		t:eq(names(s), { case[3] })
	end)
end)

scenario("R8.4 R8.8 a player who comes back to a name that was taken meanwhile gets another", function(t)
	local s = t:server{}
	local a = join(t, s, "Ann")
	a:leave()
	t:within(2, function() return #names(s) == 0 end)
	join(t, s, "", "Ann")
	a:join()
	t:within(5, function() return s:controller(a) end)
	t:run(0.1)
	local list = names(s)
	table.sort(list)
	t:eq(list, { "Ann", "Ann2", "Player1" })
end)

scenario("R8.4 bots do not take the names of players", function(t)
	local s = t:server{}
	join(t, s, "Ada")
	s:eval("world.Game:AddBot()")
	t:eq(names(s), { "Ada", "Ada2" })
end)

scenario("R8.4 R8.7 a traveller finds their name taken in the next level, and gets another", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		function Duel:StartPlay()
			Duel.super.StartPlay(self)
			if self:ParseOption(self.options, "guest") then self:AddBot("Ann") end
		end
	]]
	local s = t:server{ level = "flat", game = "Duel" }
	local a = join(t, s, "Ann")
	s:eval("world:Travel('wall?guest=1')")
	t:within(8, function() return s:eval("return world.LevelName") == "wall" and s:controller(a) end)
	local list = names(s)
	table.sort(list)
	t:eq(list, { "Ann", "Ann2" })
end)
