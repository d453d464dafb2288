-- R6.7: a script's fault in a player's call is not that player's offence. The call is dropped, nothing is quarantined, and the
-- player can call that function once a second until a call succeeds (G18).

local net = require("shared.net")

local SHOP = net.with [[
	local Shop = class("Shop", "PlayerController")
	Shop.properties { Bought = int(0), Tried = int(0), Price = int(0) }
	Shop.replication { { "Price", when = function(self) return self.Role < ROLE_Authority end } }
	function Shop.server.reliable:ServerBuy(what)
		world.GameState.tries = (world.GameState.tries or 0) + 1
		if what ~= "hat" then error("no " .. what) end
		self.Bought = self.Bought + 1
	end
	function Shop.server.reliable:ServerSell(what) self.Bought = self.Bought - 1 end
	Shop.params { ServerBuy = { "" }, ServerSell = { "" } }
	function Shop.validate:ServerBuy(_) return true end
	function Shop.validate:ServerSell(what)
		world.GameState.judged = (world.GameState.judged or 0) + 1
		return what.Price > 0
	end
	local Rules = class("Rules", "GameInfo")
	Rules.defaults { PlayerControllerClass = "Shop" }
]]

local function begin(t)
	local s, a, b = SHOP.start(t, { game = "Rules" }, { name = "a", lag = 0.03 }, "b")
	return s, a, b
end

scenario("R6.7 a fault in a player's call drops it and limits that player's calls of the function to one a second", { seeds = 5 }, function(t)
	local s, a, b = begin(t)
	t:expect_error("Shop:ServerBuy: .*no boat 1")
	for i = 1, 180 do -- 3 s
		a:controller():ServerBuy("boat " .. i)
		t:ticks(1)
	end
	t:run(0.2)
	local tries = s:eval("return world.GameState.tries")
	t:ok(tries >= 3 and tries <= 5, "the function ran " .. tries .. " times")
	local lines = 0
	for _, line in ipairs(s:log()) do
		if line:find("no boat") then lines = lines + 1 end
	end
	t:ok(lines <= 1, "a place is one line, whatever its text says: " .. lines)
	b:controller():ServerBuy("hat") -- another player's calls go on
	t:within(1, function() return s:controller(b).Bought == 1 end)
	t:run(1)
	a:controller():ServerBuy("hat")
	t:within(1, function() return s:controller(a).Bought == 1 end)
	for _ = 1, 5 do a:controller():ServerBuy("hat") end -- one that succeeds lifts it
	t:within(1, function() return s:controller(a).Bought == 6 end)
	t:no(a.error)
	t:no(b.error)
end)

scenario("R6.7 a validator that fails drops the call, and its player stays", function(t)
	local s, a = begin(t)
	t:expect_error("Shop:ServerSell: .*string has no .Price.")
	for _ = 1, 120 do
		a:controller():ServerSell("hat")
		t:ticks(1)
	end
	t:run(0.5)
	t:eq(s:controller(a).Bought, 0)
	local judged = s:eval("return world.GameState.judged")
	t:ok(judged >= 2 and judged <= 4, "it was asked " .. judged .. " times")
	t:no(a.error)
end)
