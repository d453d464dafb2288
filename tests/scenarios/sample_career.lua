-- The sample game keeps the kills of a lifetime, and shows the list of those who have the most (docs/data.md).

-- Waits until a client's player is in; returns their controller on the server, and their PlayerState there.
local function enter(t, s, client)
	t:within(8, function() return s:controller(client) and client:controller() and client:controller().myHUD end)
	return s:controller(client), s:controller(client).PlayerReplicationInfo
end

-- Lets a player kill so many of somebody else.
local function kill(s, killer, victim, count)
	for _ = 1, count do s:call(s:actors("GameInfo")[1], "ScoreKill", killer, victim) end
end

-- The rows of the list that a player sees, as "place name kills".
local function rows(client)
	local list, row = {}, {}
	for _, call in ipairs(client:canvas()) do
		if call.kind == "text" and call.anchor == "center" and (call.x == 556 or call.x == 572 or call.x == 896) then
			row[#row + 1] = call.text
			if call.x == 896 then list[#list + 1], row = table.concat(row, " "), {} end
		end
	end
	return list
end

scenario("career: kills are there after a restart, and whoever joins sees the list", function(t)
	local s = t:server { level = "flat", game = "DeathMatch" }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob" }
	local hers, player = enter(t, s, ann)
	local his = enter(t, s, bob)
	local bot = s:spawn("AIController")
	kill(s, hers, bot, 3)
	kill(s, his, bot, 1)
	kill(s, hers, hers, 1) -- Ann's own fault
	t:eq(player.Kills, 3)
	t:run(0.5)
	t:eq({ ann:copy(player).Kills, bob:copy(player).Kills }, { 3, 0 }) -- nobody else needs it
	t:eq(rows(ann), {}, "the list is read when somebody joins, not at every kill")
	bob:leave()
	t:within(5, function() return #rows(ann) == 1 end)
	t:eq(rows(ann), { "1 Bob 1" })
	t:run(1)
	t:restart()
	t:within(2, function() return ann.error_code == "restart" end)
	ann:join()
	local _, again = enter(t, s, ann)
	t:eq({ again.Kills, again.Score }, { 3, 0 })
	t:within(2, function() return #rows(ann) == 2 end)
	t:eq(rows(ann), { "1 Ann 3", "2 Bob 1" })
	t:run(12)
	t:eq(rows(ann), {}, "who plays does not see it")
	ann:input { Scores = true }
	t:within(1, function() return #rows(ann) == 2 end)
end)

scenario("career: the end of a match enters all players, and the list has the player's own place", function(t)
	local s = t:server { level = "flat", game = "TeamDeathMatch", options = "?goalscore=30?postmatch=4" }
	local clients = {}
	for i = 1, 12 do clients[i] = t:client { name = ("p%d"):format(i) } end
	local minds = {}
	for i, client in ipairs(clients) do
		minds[i] = enter(t, s, client)
		minds[i].PlayerReplicationInfo.Kills = 20 - i
	end
	local first = minds[1]
	kill(s, first, s:spawn("AIController"), 1)
	for _, other in ipairs(minds) do
		if other ~= first and other.PlayerReplicationInfo.Team == first.PlayerReplicationInfo.Team then
			kill(s, first, other, 1) -- a team-mate does not count
			break
		end
	end
	t:eq(first.PlayerReplicationInfo.Kills, 20)
	s:eval("world.Game:EndMatch('goal')")
	t:within(2, function() return #rows(clients[12]) == 11 end)
	local list = rows(clients[12])
	t:eq({ list[1], list[2], list[10], list[11] }, { "1 p1 20", "2 p2 18", "10 p10 10", "12 p12 8" })
	t:eq(#rows(clients[3]), 10)
	t:within(20, function() return s:actors("GameReplicationInfo")[1].MatchState == "InProgress" end)
	t:within(5, function() return #s:actors("TeamDeathMatch") == 1 and s:controller(clients[1]) end)
	t:eq(s:controller(clients[1]).PlayerReplicationInfo.Kills, 20, "the next match goes on with them")
end)

scenario("career: a store that fails is one line in the log, and the match goes on", function(t)
	t:scripts [[
		local State = class("LoggingState", "ShooterState")
		function State:Log(text) self.lines = (self.lines or "") .. text .. "\n" end
		local Game = class("LoggingMatch", "DeathMatch")
		Game.defaults { GameStateClass = "LoggingState" }
	]]
	local s = t:server { level = "flat", game = "LoggingMatch", options = "?postmatch=2" }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob" }
	local hers = enter(t, s, ann)
	enter(t, s, bob)
	t:store { down = "the disk is full" }
	kill(s, hers, s:spawn("AIController"), 2)
	local before = s.time
	s:eval("world.Game:EndMatch('goal')")
	t:run(1)
	t:near(s.time - before, 1, 0.1) -- no tick waited
	bob:leave()
	t:run(0.5)
	local lines = s:actors("LoggingState")[1].lines
	t:match(lines, "^the list of the best: .*the disk is full")
	t:eq(select(2, lines:gsub("\n", "")), 1, lines)
	t:store {}
	t:within(20, function() return s:controller(ann) and #rows(ann) == 1 end) -- in the next match
	t:eq(rows(ann), { "1 Ann 2" })
end)

scenario("career: who has another name now is in the list once", function(t)
	local s = t:server { level = "flat", game = "DeathMatch", options = "?postmatch=1" }
	local hers, player = enter(t, s, t:client { name = "Ann" })
	local his = enter(t, s, t:client { name = "Bob" })
	local bot = s:spawn("AIController")
	kill(s, hers, bot, 2)
	kill(s, his, bot, 1)
	s:eval("world.Game:EndMatch('goal')")
	t:within(1, function() return s:actors("ShooterState")[1].Best[2].Name == "Bob" end)
	t:eq(s:actors("ShooterState")[1].Best[1].Name, "Ann")
	player.PlayerName = "Zoe"
	t:within(20, function() return s:actors("ShooterState")[1].MatchState == "InProgress" end) -- the next match
	s:eval("world.Game:EndMatch('goal')")
	t:within(1, function() return s:actors("ShooterState")[1].Best[1].Name == "Zoe" end)
	t:run(0.5)
	local best = s:actors("ShooterState")[1].Best
	t:eq({ best[1].Name, best[1].Score, best[2].Name, best[3].Name }, { "Zoe", 2, "Bob", "" })
end)

scenario("career: the join screen shows the best before anybody has joined a match", function(t)
	local s = t:server { level = "flat", game = "DeathMatch", mode = "listen", options = "?postmatch=1" }
	t:eq(s:actors("ShooterState")[1].JoinText, "")
	local hers = enter(t, s, t:client { name = "Ann" })
	kill(s, hers, s:spawn("AIController"), 2)
	s:eval("world.Game:EndMatch('goal')")
	local known = "The best of all matches\n1. Ann: 2 kills"
	t:within(1, function() return s:actors("ShooterState")[1].JoinText == known end)
	local other = t:host { name = "other", level = "flat", game = "DeathMatch" } -- nobody is there
	t:within(1, function() return other:actors("ShooterState")[1].JoinText == known end)
end)

scenario("career: guests and bots are in no list", function(t)
	local s = t:server { level = "flat", game = "DeathMatch", mode = "listen", options = "?bots=1" }
	local guest = t:client { name = "Gus", options = "?guest=1" }
	local mind, player = enter(t, s, guest)
	t:ok(player.bGuest)
	local bot = s:actors("AIController")[1]
	kill(s, mind, bot, 2)
	kill(s, bot, mind, 2)
	guest:leave()
	t:run(1)
	t:eq(s:actors("ShooterState")[1].Best[1].Name, "")
end)
