-- Section 8 of the rules with clients: what all know of the match and of each other, R8.6.

local net = require("shared.net")
local join, players, holds, named = net.join, net.players, net.holds, net.named

-- One peer's PlayerReplicationInfo of a player by name.
local function info(peer, name)
	for _, p in ipairs(peer:actors("PlayerReplicationInfo")) do
		if p.PlayerName == name then return p end
	end
	return nil
end

scenario("R8.6 GameState is on every peer, one, and says which game is played", function(t)
	t:scripts [[
		local Board = class("Board", "GameState")
		Board.properties { Round = int(0) }
		Board.replication { { "Round" } }
		local Contest = class("Contest", "GameInfo")
		Contest.defaults { GameStateClass = "Board" }
	]]
	local s, a, b = net.start(t, { game = "Contest" }, "a", "b")
	local gs = s:eval("return world.GameState")
	t:eq(gs:GetClass(), "Board")
	for _, c in ipairs { a, b } do
		t:within(2, function() return c:eval("return world.GameState") end)
		t:eq(#c:actors("GameReplicationInfo"), 1)
		t:eq(c:eval("return world.GameState"), c:copy(gs))
		t:eq(c:eval("return world.GameState.GameClass"), gs.GameClass)
	end
	gs.Round = 5
	t:within(1, function() return a:copy(gs).Round == 5 and b:copy(gs).Round == 5 end)
end)

scenario("R8.6 PlayerArray lists the players on every peer, for who comes late, too, and when one leaves", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	local b = join(t, s, named("Bob"))
	t:within(2, function() return #players(a) == 2 and #players(b) == 2 end)
	local c = join(t, s, named("Cid"))
	t:within(2, function() return #players(c) == 3 and #players(a) == 3 end)
	for _, peer in ipairs { s, a, b, c } do
		local list = players(peer)
		table.sort(list)
		t:eq(list, { "Ann", "Bob", "Cid" }, peer.name)
	end
	b:leave()
	t:within(2, function() return #players(a) == 2 and #players(c) == 2 end)
	for _, peer in ipairs { s, a, c } do
		local list = players(peer)
		table.sort(list)
		t:eq(list, { "Ann", "Cid" }, peer.name)
	end
end)

scenario("R8.6 the listen server's player is among the players", function(t)
	local s, a = net.start(t, { mode = "listen", options = "?name=Host" }, named("Ann"))
	t:within(2, function() return #players(a) == 2 end)
	for _, peer in ipairs { s, a } do
		local list = players(peer)
		table.sort(list)
		t:eq(list, { "Ann", "Host" })
	end
	t:within(2, function() return a:copy(s:pawn()) and a:copy(s:pawn()).PlayerReplicationInfo end)
	t:eq({ a:copy(s:pawn()).PlayerReplicationInfo, #a:actors("PlayerController") }, { info(a, "Host"), 1 })
end)

scenario("R8.6 a pawn tells whose it is", function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	for _, c in ipairs { a, b } do
		for _, of in ipairs { a, b } do
			t:within(2, function()
				local p = c:copy(s:pawn(of))
				return p and p.PlayerReplicationInfo
			end)
			t:eq(c:copy(s:pawn(of)).PlayerReplicationInfo, c:copy(s:controller(of).PlayerReplicationInfo))
		end
	end
end)

for_each({
	{ "PlayerName", "Zoe" }, { "Score", 12.5 }, { "Deaths", 3 }, { "Team", 1 }, { "bIsSpectator", true }, { "bReadyToPlay", true },
	{ "bAdmin", true }, { "bHasFlag", true },
}, function(case)
	scenario("R8.6 PlayerState sends " .. case[1] .. " to all, when it changes and to who comes late", function(t)
		local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
		local p = s:controller(a).PlayerReplicationInfo
		t:within(2, function() return a:copy(p) and b:copy(p) end)
		t:run(0.3)
		p[case[1]] = case[2]
		t:within(1, function() return a:copy(p)[case[1]] == case[2] and b:copy(p)[case[1]] == case[2] end)
		local c = join(t, s, { name = "c" })
		t:within(2, function() return c:copy(p) and c:copy(p)[case[1]] == case[2] end)
	end)
end)

for_each({ { "PlayerID", 77 }, { "bBot", true } }, function(case)
	scenario("R8.6 PlayerState sends " .. case[1] .. " initially only", function(t)
		local s, a = net.start(t, {}, named("Ann"))
		local p = s:controller(a).PlayerReplicationInfo
		t:within(2, function() return a:copy(p) end)
		t:run(0.5)
		local old = a:copy(p)[case[1]]
		t:eq(old, p[case[1]])
		p[case[1]] = case[2]
		p.Deaths = 1
		t:within(1, function() return a:copy(p).Deaths == 1 end)
		t:run(0.3)
		t:eq(a:copy(p)[case[1]], old)
		local b = join(t, s, named("Bob"))
		t:within(2, function() return b:copy(p) end)
		t:run(0.3)
		t:eq(b:copy(p)[case[1]], case[2])
	end)
end)

scenario("R8.6 PacketLoss goes to all but its owner", function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	local p = s:controller(a).PlayerReplicationInfo
	t:within(2, function() return a:copy(p) and b:copy(p) end)
	p.PacketLoss, p.Deaths = 50, 1
	t:within(1, function() return b:copy(p).PacketLoss == 50 and a:copy(p).Deaths == 1 end)
	t:eq(a:copy(p).PacketLoss, 0)
end)

scenario("R8.6 PlayerState tells StartTime and UniqueId", function(t)
	local s = t:server{}
	t:run(1)
	local a, b = join(t, s, named("Ann"), named("Bob"))
	local p = s:controller(a).PlayerReplicationInfo
	t:within(2, function() return a:copy(p) and b:copy(p) end)
	t:run(0.3)
	t:ne(p.UniqueId, "")
	t:ne(p.UniqueId, s:controller(b).PlayerReplicationInfo.UniqueId)
	t:ge(p.StartTime, 1)
	for _, c in ipairs { a, b } do holds(t, c:copy(p), { UniqueId = p.UniqueId, StartTime = p.StartTime }) end
end)

local FLAG = net.with [[
	local Flag = class("Flag")
	Flag.defaults { bAlwaysRelevant = true }
	function Flag.simulated:NotifyLocalPlayerTeamReceived() self.told = (self.told or 0) + 1 end
]]

scenario("R8.6 the local player's team changes: NotifyLocalPlayerTeamReceived on all actors there", function(t)
	local s, a, b = FLAG.start(t, {}, named("Ann"), named("Bob"))
	local x, y = s:spawn("Flag"), s:spawn("Flag")
	local p = s:controller(a).PlayerReplicationInfo
	t:within(2, function() return a:copy(x) and a:copy(y) and b:copy(x) and a:copy(p) and b:copy(p) end)
	t:run(1)
	local before = { a:copy(x).told or 0, a:copy(y).told or 0, b:copy(x).told or 0 }
	p.Team = 1
	t:within(1, function() return (a:copy(x).told or 0) == before[1] + 1 end)
	t:eq(a:copy(y).told, before[2] + 1)
	p.Team = 2
	t:within(1, function() return a:copy(x).told == before[1] + 2 end)
	t:run(0.3)
	t:eq({ a:copy(x).told, a:copy(y).told }, { before[1] + 2, before[2] + 2 })
	t:eq(b:copy(x).told or 0, before[3], "the team of another is no news to b")
end)

scenario("R8.6 Ping goes to all but its owner", function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	a:link{ lag = 0.1 }
	local p = s:controller(a).PlayerReplicationInfo
	t:within(2, function() return a:copy(p) and b:copy(p) end)
	t:within(6, function() return b:copy(p).Ping >= 150 end)
	t:le(b:copy(p).Ping, 400)
	t:near(p.Ping, b:copy(p).Ping, 150)
	for _, e in ipairs(t:trace(a)) do
		t:no(e.event == "set" and e.name == "Ping" and e.actor == p, "its owner was told its Ping")
	end
end)

scenario("R8.6 PlayerArray of 200 is in order on every peer, whatever order they come in", { budget = 200 }, function(t)
	t:scripts [[
		local Many = class("Many", "GameInfo")
		function Many:Fill(from)
			for i = from, from + 49 do
				self:Spawn(self.PlayerStateClass, { PlayerID = i % 2 == 0 and i or 400 - i, PlayerName = "p" .. i })
			end
		end
	]]
	local s, a = net.start(t, { game = "Many" }, "a")
	for i = 0, 3 do s:eval("return world.Game"):Fill(1 + i * 50) end
	t:within(15, function() return #players(a) == 201 end)
	for _, peer in ipairs { s, a } do
		local ids = peer:eval [[
			local ids = {}
			for i, p in ipairs(world.GameState.PlayerArray) do ids[i] = p.PlayerID end
			return ids
		]]
		for i = 2, #ids do t:lt(ids[i - 1], ids[i]) end
	end
	s:eval("for _, p in ipairs(world.GameState.PlayerArray) do if p.PlayerID > 100 then p:Destroy() end end")
	t:within(5, function() return #players(a) == #players(s) and #players(a) == 51 end)
end)
