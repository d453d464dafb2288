-- Section 8 of the rules: how a match goes, R8.7: its states, starts, restarts, kills, teams, spectators and bots. Travel is in
-- net_r8_travel.lua.

local net = require("shared.net")
local join, holds, named = net.join, net.holds, net.named

local function game(s) return s:eval("return world.Game") end

local function gamestate(peer) return peer:eval("return world.GameState") end

local function matchState(peer)
	local gs = gamestate(peer)
	return gs and gs.MatchState
end

-- The PlayerState of a client, on the server.
local function state(s, c) return s:controller(c).PlayerReplicationInfo end

-- Whether a controller has something to play with; nil and a SpectatorPawn are not.
local function hasBody(controller)
	return controller.Pawn ~= nil and not controller.Pawn:IsA("SpectatorPawn")
end

-- One pawn kills another.
local function kill(s, killer, victim, kind)
	s:call(victim, "TakeDamage", 1000, killer, victim.Location, vector(), kind or "test")
end

-- A game with rounds of which the times are short.
local ROUND = net.with [[
	local Round = class("Round", "GameInfo")
	Round.defaults { bDelayedStart = true, PostMatchTime = 2, RespawnDelay = 0.5 }
	function Round:OnMatchStateSet(state, old)
		self.states = (self.states or "") .. old .. ">" .. state .. " "
		Round.super.OnMatchStateSet(self, state, old)
	end
]]

-- 1 Match states

scenario("R8.7 a plain match is in progress from the start, and everybody knows", function(t)
	local s = t:server{}
	t:eq(matchState(s), "InProgress")
	local a = join(t, s, named("Ann"))
	t:within(2, function() return matchState(a) == "InProgress" end)
	t:eq(gamestate(a).MatchStateEnds, 0)
	t:ok(hasBody(s:controller(a)))
end)

scenario("R8.7 the GameState names the game class", function(t)
	local s, a = ROUND.start(t, { game = "Round" }, named("Ann"))
	t:within(2, function() return gamestate(a) and gamestate(a).GameClass == "Round" end)
	t:eq(gamestate(s).GameClass, "Round")
end)

scenario("R8.7 match states replicate: waiting, in progress, over, and each client is told of each", { seeds = 5 }, function(t)
	t:scripts(ROUND.classes .. [[
		local Board = class("Board", "GameState")
		function Board.simulated:OnMatchState(state, old) self.seen = (self.seen or "") .. state .. " " end
		local Shown = class("Shown", "Round")
		Shown.defaults { GameStateClass = "Board" }
	]])
	local s = t:server{ game = "Shown", options = "?minplayers=2?goalscore=1?postmatch=60" }
	t:eq(matchState(s), "WaitingToStart")
	local bad = { lag = 0.05, jitter = 0.02, loss = 0.1 }
	local one, two = named("Ann"), named("Bob")
	for k, v in pairs(bad) do one[k], two[k] = v, v end
	local a = join(t, s, one)
	t:run(1)
	t:eq(matchState(s), "WaitingToStart")
	t:no(hasBody(s:controller(a)), "nobody plays before the start")
	local b = join(t, s, two)
	t:within(2, function() return matchState(s) == "InProgress" end)
	t:within(3, function() return matchState(a) == "InProgress" and matchState(b) == "InProgress" end)
	t:ok(hasBody(s:controller(a)))
	t:ok(hasBody(s:controller(b)))
	kill(s, s:pawn(a), s:pawn(b))
	t:eq(matchState(s), "WaitingPostMatch")
	t:within(3, function() return matchState(a) == "WaitingPostMatch" and matchState(b) == "WaitingPostMatch" end)
	t:eq(game(s).states, "WaitingToStart>WaitingToStart WaitingToStart>InProgress InProgress>WaitingPostMatch ")
	t:eq(gamestate(a).seen, "InProgress WaitingPostMatch ")
end)

scenario("R8.7 the match starts when all who joined have loaded", function(t)
	local s = ROUND.server(t, { game = "Round" })
	local slow = t:client{ name = "slow", cold = true, down = 60000, lag = 0.1 }
	t:within(5, function() return game(s).NumTravellingPlayers == 1 end) -- it is there, and loads
	local a = join(t, s, named("Ann"))
	t:run(0.3)
	t:eq(matchState(s), "WaitingToStart", "Ann has loaded, the other has not")
	t:gt(gamestate(s).MatchStateEnds, 0, "but nobody waits for ever")
	t:within(20, function() return s:controller(slow) end)
	t:within(1, function() return matchState(s) == "InProgress" end)
	t:eq(game(s).NumTravellingPlayers, 0)
	t:ok(hasBody(s:controller(a)))
	t:ok(hasBody(s:controller(slow)))
end)

scenario("R8.7 a match may wait until all players say that they are ready", function(t)
	t:scripts(ROUND.classes .. [[
		local Polite = class("Polite", "Round")
		Polite.defaults { bPlayersMustBeReady = true }
	]])
	local s, a, b = net.start(t, { game = "Polite", options = "?bots=1" }, named("Ann"), named("Bob"))
	join(t, s, named("Cid", "?spectator=1"))
	a:call(a:controller(), "ServerSetReady", true)
	t:within(1, function() return state(s, a).bReadyToPlay end)
	t:within(1, function() return b:copy(state(s, a)) and b:copy(state(s, a)).bReadyToPlay end)
	t:run(0.5)
	t:eq(matchState(s), "WaitingToStart")
	b:call(b:controller(), "ServerSetReady", true)
	t:within(1, function() return matchState(s) == "InProgress" end)
	t:ok(hasBody(s:controller(b)))
end)

scenario("R8.7 nobody can hold up a match by not loading for ever", function(t)
	t:scripts(ROUND.classes .. [[
		local Hurry = class("Hurry", "Round")
		Hurry.defaults { LoadWait = 1 }
	]])
	local s = t:server{ game = "Hurry" }
	t:client{ name = "slow", cold = true, down = 2000, up = 2000 }
	t:within(5, function() return game(s).NumTravellingPlayers == 1 end)
	local a = join(t, s, named("Ann"))
	t:eq(matchState(s), "WaitingToStart")
	t:within(1.5, function() return matchState(s) == "InProgress" end)
	t:ok(hasBody(s:controller(a)))
end)

scenario("R8.7 OnMatchStateSet puts the countdown's end into GameState, in the server's time", { seeds = 5 }, function(t)
	local s = ROUND.server(t, { game = "Round", options = "?warmup=3?timelimit=0.1" })
	t:run(1)
	local a = join(t, s, { name = "a", lag = 0.05, loss = 0.1 })
	local ends = gamestate(s).MatchStateEnds
	t:near(ends, s:eval("return world.TimeSeconds") + 3, 1)
	t:within(2, function() return gamestate(a) and gamestate(a).MatchStateEnds == ends end)
	t:near(a:eval [[
		local pc = world:ActorsOf("PlayerController")[1]
		return world.GameState:GetTimeLeft(pc:GetServerTime())
	]], ends - s:eval("return world.TimeSeconds"), 0.25)
	t:eq(matchState(s), "WaitingToStart")
	t:within(3.2, function() return matchState(s) == "InProgress" end)
	t:near(s:eval("return world.TimeSeconds"), ends, 0.05)
	local over = gamestate(s).MatchStateEnds
	t:near(over, ends + 6, 0.1)
	t:within(2, function() return gamestate(a).MatchStateEnds == over end)
end)

scenario("R8.7 the match waits again when those who were enough leave", function(t)
	local s, a, b = ROUND.start(t, { game = "Round", options = "?warmup=2?minplayers=2" }, named("Ann"), named("Bob"))
	t:gt(gamestate(s).MatchStateEnds, 0)
	b:leave()
	t:within(2, function() return gamestate(s).MatchStateEnds == 0 end)
	t:run(3)
	t:eq(matchState(s), "WaitingToStart")
	t:no(hasBody(s:controller(a)))
end)

scenario("R8.7 the time limit ends the match", function(t)
	local s, a = net.start(t, { options = "?timelimit=0.05?postmatch=60" }, named("Ann"))
	t:within(3.2, function() return matchState(s) == "WaitingPostMatch" end)
	t:near(s:eval("return world.TimeSeconds"), 3, 0.1)
	t:within(1, function() return matchState(a) == "WaitingPostMatch" end)
end)

scenario("R8.7 the goal ends the match; afterwards nobody is hurt and nobody scores", function(t)
	local s, a, b, c = net.start(t, { options = "?goalscore=2?postmatch=60" }, named("Ann"), named("Bob"), named("Cid"))
	kill(s, s:pawn(a), s:pawn(b))
	t:eq(matchState(s), "InProgress")
	kill(s, s:pawn(a), s:pawn(c))
	t:eq(matchState(s), "WaitingPostMatch")
	local pawn = s:pawn(a)
	kill(s, nil, pawn)
	t:eq(pawn.Health, 100)
	t:eq({ state(s, a).Score, state(s, a).Deaths }, { 2, 0 })
end)

for_each({
	{ "timelimit=-1", "timelimit=%-1: expected a number from 0 to 1440" },
	{ "goalscore=1.5", "goalscore=1.5: expected a whole number" },
	{ "bots=many", "bots=many: expected a whole number from 0 to 64" },
	{ "warmup=x", "warmup=x: expected a number" },
	{ "maxspectators=-2", "maxspectators=%-2: expected a whole number from 0" },
}, function(case)
	scenario("R8.7 an option that is wrong stops the host: " .. case[1], function(t)
		t:error(function() t:server{ options = "?" .. case[1] } end, case[2])
	end)
end)

scenario("R8.7 after the match the same level is played again, with all players", function(t)
	local s, a, b = net.start(t, { options = "?goalscore=1?postmatch=1" }, named("Ann"), named("Bob"))
	local before = s:pawn(a)
	kill(s, s:pawn(a), s:pawn(b))
	t:eq(state(s, a).Score, 1)
	t:within(6, function()
		return matchState(s) == "InProgress" and s:controller(a) and s:controller(b) and a:pawn() and b:pawn() and not before.alive
	end)
	t:eq({ state(s, a).Score, state(s, b).Deaths }, { 0, 0 }, "scores begin again")
	t:eq({ state(s, a).PlayerName, state(s, b).PlayerName }, { "Ann", "Bob" })
	t:eq(game(s).GoalScore, 1, "options stay")
end)

-- 2 Starts

scenario("R8.7 starts that are switched off, or another team's, are not used", function(t)
	local s = t:server{ mode = "standalone" }
	for _, start in ipairs(s:actors("PlayerStart")) do
		if start.Location.Y < 0 then start.bEnabled = false end
		if start.Location.Y == 0 then start.Team = 1 end
	end
	local red = s:spawn("AIController")
	red.PlayerReplicationInfo = s:spawn("PlayerReplicationInfo", { Team = 0 })
	game(s).NextStart = 1
	game(s):RestartPlayer(red)
	t:eq(red.Pawn.Location.Y, 400)
	local blue = s:spawn("AIController")
	blue.PlayerReplicationInfo = s:spawn("PlayerReplicationInfo", { Team = 1 })
	game(s).NextStart = 1
	game(s):RestartPlayer(blue)
	t:eq(blue.Pawn.Location.Y, 0)
end)

scenario("R8.7 with ratings a start is free, far from enemies and out of their sight", function(t)
	t:scripts [[
		local Wary = class("Wary", "GameInfo")
		Wary.defaults { bRateStarts = true }
	]]
	local s = t:server{ game = "Wary", mode = "standalone" }
	local first = s:pawn().Location.Y
	local bot = game(s):AddBot("Bo")
	t:ge(math.abs(bot.Pawn.Location.Y - first), 2000, "as far away as there is a start")
	for _ = 1, 9 do game(s):AddBot() end
	local seen = {}
	for _, pawn in ipairs(s:actors("Character")) do
		local y = pawn.Location.Y
		t:eq(seen[y], nil, "two pawns in one place")
		seen[y] = true
	end
end)

scenario("R8.7 a game chooses starts by itself: RatePlayerStart", function(t)
	t:scripts [[
		local Last = class("Last", "GameInfo")
		function Last:RatePlayerStart(start, _) return start.Location.Y end
	]]
	local s = t:server{ game = "Last", mode = "standalone" }
	t:eq(s:pawn().Location.Y, 2000)
end)

scenario("R8.7 G6 of very many starts the next few are rated, and in turn all of them", function(t)
	t:scripts [[
		local Many = class("Many", "GameInfo")
		Many.properties { Asked = int(0) }
		function Many:RatePlayerStart(start, _)
			self.Asked = self.Asked + 1
			return start.bEnabled and start.Location.Y or nil
		end
	]]
	local s = t:server{ game = "Many", mode = "standalone" }
	for i = 1, 4 do
		for k = 1, 100 do s:spawn("PlayerStart", { Location = vector(i * 3000, k, 88), bEnabled = k > 30 }) end
		t:ticks(1)
	end
	local starts, from = s:actors("PlayerStart"), game(s).Asked
	game(s).NextStart = #starts - 200
	local one = s:spawn("AIController")
	game(s):RestartPlayer(one)
	t:ok(one.Pawn, "what is off does not count")
	t:le(game(s).Asked - from, 64 + 30)
	local next = game(s).NextStart
	local two = s:spawn("AIController")
	game(s):RestartPlayer(two)
	t:ok(two.Pawn)
	t:ne(game(s).NextStart, next, "the turn goes on")
	t:ne(two.Pawn.Location, one.Pawn.Location)
end)

-- 3 Kills and restarts

scenario("R8.7 kills are credited: killer and victim, suicide, and the level itself", function(t)
	local s, a, b = net.start(t, {}, named("Ann"), named("Bob"))
	local ann, bob = state(s, a), state(s, b)
	kill(s, s:pawn(a), s:pawn(b))
	t:eq({ ann.Score, ann.Deaths, bob.Score, bob.Deaths }, { 1, 0, 0, 1 })
	game(s):RestartPlayer(s:controller(b))
	kill(s, s:pawn(b), s:pawn(b))
	t:eq({ ann.Score, ann.Deaths, bob.Score, bob.Deaths }, { 1, 0, -1, 2 })
	game(s):RestartPlayer(s:controller(b))
	kill(s, nil, s:pawn(b), "fell")
	t:eq({ bob.Score, bob.Deaths }, { -2, 3 })
	t:within(2, function()
		local copy = a:copy(bob)
		return copy and copy.Score == -2 and copy.Deaths == 3
	end)
end)

scenario("R8.7 who is dead gets a new pawn after RespawnDelay", function(t)
	local s, a, b = ROUND.start(t, { game = "Round", options = "?minplayers=2" }, named("Ann"), named("Bob"))
	kill(s, s:pawn(a), s:pawn(b))
	t:eq(s:pawn(b), nil)
	t:run(0.4)
	t:eq(s:pawn(b), nil)
	t:within(0.3, function() return s:pawn(b) end)
	t:eq(s:pawn(b).Health, 100)
	t:within(2, function() return b:pawn() and b:copy(s:pawn(b)) == b:pawn() end)
end)

scenario("R8.7 who is dead when the match ends stays so", function(t)
	t:scripts(ROUND.classes)
	local s, a, b = net.start(t, { game = "Round", options = "?minplayers=2?goalscore=1?postmatch=60" }, named("Ann"), named("Bob"))
	kill(s, s:pawn(a), s:pawn(b))
	t:eq(matchState(s), "WaitingPostMatch")
	t:run(2)
	t:eq(s:pawn(b), nil)
	t:ok(s:pawn(a))
end)

scenario("R8.7 in a plain match the dead stay dead", function(t)
	local s, a = net.start(t, {}, named("Ann"))
	kill(s, nil, s:pawn(a))
	t:run(5)
	t:eq(s:pawn(a), nil)
end)

scenario("R8.7 the game decides whether an item comes back", function(t)
	t:scripts [[
		local Sparse = class("Sparse", "GameInfo")
		function Sparse:ShouldRespawn(item) return item.Amount > 5 and Sparse.super.ShouldRespawn(self, item) end
	]]
	local s, a = net.start(t, { game = "Sparse" }, named("Ann"))
	s:pawn(a).Health = 10
	local at = s:pawn(a).Location
	local back = s:spawn("Pickup", { Location = at, RespawnTime = 1, Amount = 6 })
	local gone = s:spawn("Pickup", { Location = at, RespawnTime = 1, Amount = 5 })
	t:within(1, function() return not back.bAvailable end)
	s:call(s:pawn(a), "SetLocation", at + vector(1000, 0, 0))
	t:within(3, function() return back.bAvailable end)
	t:run(0.5)
	t:no(gone.alive and gone.bAvailable)
end)

-- 4 Teams

scenario("R8.7 teams stay of a size, whatever who comes asks for", function(t)
	local s = t:server{ game = "TeamGame" }
	join(t, s, named("A", "?team=0"), named("B", "?team=0"), named("C", "?team=0"), named("D", "?team=0"))
	t:eq({ game(s):CountTeam(0), game(s):CountTeam(1) }, { 2, 2 })
end)

scenario("R8.7 one who comes may choose where teams are equal", function(t)
	local s, a = net.start(t, { game = "TeamGame" }, named("A", "?team=1"))
	t:eq(state(s, a).Team, 1)
	local b = join(t, s, named("B", "?team=99"))
	t:eq(state(s, b).Team, 0)
end)

for_each({ "-1", "0.5", "nan", "1e300", "0x1", "" }, function(team)
	scenario("R8.7 a team that is none is nobody's: ?team=" .. team, function(t)
		t:scripts [[
			local Free = class("Free", "TeamGame")
			Free.defaults { bBalanceTeams = false }
		]]
		local s, a = net.start(t, { game = "Free" }, named("A", "?team=" .. team))
		t:ok(state(s, a).Team == 0 or state(s, a).Team == 1)
	end)
end)

scenario("R8.7 ChangeTeam moves a player to another team, but not to the larger one; all are told", function(t)
	local s, a = net.start(t, { game = "TeamGame" }, named("A"))
	local b = join(t, s, named("B"))
	local old = s:pawn(a)
	t:no(game(s):ChangeTeam(s:controller(a), 1), "that would be none against two")
	t:no(game(s):ChangeTeam(s:controller(a), 7))
	b:leave()
	t:within(2, function() return game(s).NumPlayers == 1 end)
	t:ok(game(s):ChangeTeam(s:controller(a), 1))
	t:eq(state(s, a).Team, 1)
	t:no(old.alive)
	t:ok(s:pawn(a))
	t:within(2, function() return a:copy(state(s, a)).Team == 1 end)
end)

scenario("R8.7 bots balance teams when a player leaves", function(t)
	local s, a = net.start(t, { game = "TeamGame", options = "?bots=3" }, named("A"))
	t:eq({ game(s):CountTeam(0), game(s):CountTeam(1) }, { 2, 2 })
	local b = join(t, s, named("B"))
	local of = state(s, b).Team
	t:eq(game(s):CountTeam(of), 3)
	state(s, a):SetTeam(of) -- lopsided: four against one
	b:leave()
	t:within(2, function() return math.abs(game(s):CountTeam(0) - game(s):CountTeam(1)) <= 1 end)
end)

scenario("R8.7 a team's own are spared, kills of the own cost a point, and points count for the team", function(t)
	t:scripts [[
		local Rough = class("Rough", "TeamGame")
		Rough.defaults { FriendlyFire = 0.5 }
	]]
	local s, a = net.start(t, { game = "Rough", options = "?goalscore=2?postmatch=60" }, named("A", "?team=0"))
	local b = join(t, s, named("B"))
	local c = join(t, s, named("C", "?team=0"))
	t:eq({ state(s, a).Team, state(s, b).Team, state(s, c).Team }, { 0, 1, 0 })
	s:call(s:pawn(c), "TakeDamage", 40, s:pawn(a), s:pawn(c).Location, vector(), "test")
	t:eq(s:pawn(c).Health, 80)
	s:call(s:pawn(b), "TakeDamage", 40, s:pawn(a), s:pawn(b).Location, vector(), "test")
	t:eq(s:pawn(b).Health, 60)
	kill(s, s:pawn(a), s:pawn(c))
	t:eq({ state(s, a).Score, gamestate(s).TeamScores[1] }, { -1, -1 })
	for _ = 1, 3 do
		t:eq(matchState(s), "InProgress")
		kill(s, s:pawn(a), s:pawn(b))
		if matchState(s) == "InProgress" then game(s):RestartPlayer(s:controller(b)) end
	end
	t:eq({ state(s, a).Score, gamestate(s).TeamScores[1], gamestate(s).TeamScores[2] }, { 2, 2, 0 })
	t:eq(matchState(s), "WaitingPostMatch", "the team has reached the goal")
	t:within(2, function() return gamestate(b).TeamScores[1] == 2 end)
end)

-- 5 Spectators

scenario("R8.7 who joins as a spectator watches: no pawn to play with, no place of a player", function(t)
	local s, a = net.start(t, { options = "?maxplayers=1?maxspectators=1" }, named("Ann"))
	local b = join(t, s, named("Bob", "?spectator=1"))
	t:no(hasBody(s:controller(b)))
	t:eq({ game(s).NumPlayers, game(s).NumSpectators }, { 1, 1 })
	t:ok(state(s, b).bIsSpectator)
	t:within(2, function() return a:copy(state(s, b)) and a:copy(state(s, b)).bIsSpectator end)
	local c = t:client(named("Cid", "?spectator=1"))
	t:within(3, function() return c.error end)
	t:match(c.error, "full: 1 spectator$")
	t:eq(c.error_code, "full")
	b:leave()
	t:within(2, function() return game(s).NumSpectators == 0 end)
	c:join()
	t:within(3, function() return s:controller(c) end)
end)

scenario("R8.7 a spectator flies freely, through walls, and nobody else hears of it", function(t)
	local s, a = net.start(t, { level = "wall" }, named("Ann"))
	local b = join(t, s, named("Bob", "?spectator=1"))
	t:within(2, function() return b:pawn() end)
	local from = s:pawn(b).Location
	b:input{ forward = 1, yaw = 0, pitch = 0 }
	t:within(4, function() return s:pawn(b).Location.X > 900 end)
	b:input{ pitch = 8000 }
	t:within(2, function() return s:pawn(b).Location.Z > from.Z + 200 end)
	net.hold(t, b, { forward = 0 }, 1)
	t:near(b:pawn().Location, s:pawn(b).Location, 5)
	t:eq(a:copy(s:pawn(b)), nil)
	kill(s, s:pawn(a), s:pawn(b))
	t:ok(s:pawn(b), "nothing hurts it")
	t:eq(state(s, a).Score, 0)
end)

scenario("R8.7 R3.5 a spectator follows players, and is told of what is near them", function(t)
	local s, a, c = net.start(t, {}, named("Ann"), named("Cid"))
	local b = join(t, s, named("Bob", "?spectator=1"))
	local far = s:spawn("Pickup", { Location = vector(-15500, 0, 40) })
	far.NetCullDistance = 2000
	t:within(2, function() return b:pawn() end)
	t:run(0.5)
	t:eq(b:copy(far), nil)
	s:call(s:pawn(a), "SetLocation", vector(-15500, 300, 100))
	b:call(b:controller(), "ServerViewNextPlayer", 1)
	t:within(1, function() return s:controller(b).ViewTarget end)
	if s:controller(b).ViewTarget ~= s:pawn(a) then b:call(b:controller(), "ServerViewNextPlayer", 1) end
	t:within(1, function() return s:controller(b).ViewTarget == s:pawn(a) end)
	t:within(2, function() return b:copy(far) end)
	t:within(2, function() return b:controller().ViewTarget and b:controller().ViewTarget == b:copy(s:pawn(a)) end)
	b:call(b:controller(), "ServerViewNextPlayer", -1)
	t:within(1, function() return s:controller(b).ViewTarget == s:pawn(c) end)
	b:call(b:controller(), "ServerViewNextPlayer", 0)
	t:within(1, function() return s:controller(b).ViewTarget == nil end)
	t:eq(s:controller(a).ViewTarget, nil)
end)

scenario("R8.7 who plays cannot look through the eyes of others", function(t)
	local s = t:server{}
	local a = join(t, s, named("Ann"))
	join(t, s, named("Bob"))
	a:call(a:controller(), "ServerViewNextPlayer", 1)
	t:run(0.5)
	t:eq({ s:controller(a).ViewTarget, a.error }, { nil, nil })
end)

scenario("R8.7 players become spectators and play again", function(t)
	local s, a, b = net.start(t, { options = "?maxspectators=1" }, named("Ann"), named("Bob"))
	local pawn = s:pawn(a)
	a:call(a:controller(), "ServerSpectate", true)
	t:within(1, function() return state(s, a).bIsSpectator end)
	t:no(pawn.alive)
	t:no(hasBody(s:controller(a)))
	t:eq({ game(s).NumPlayers, game(s).NumSpectators }, { 1, 1 })
	b:call(b:controller(), "ServerSpectate", true)
	t:run(0.5)
	t:no(state(s, b).bIsSpectator, "there is no place for another")
	a:call(a:controller(), "ServerSpectate", false)
	t:within(1, function() return hasBody(s:controller(a)) end)
	t:eq({ game(s).NumPlayers, game(s).NumSpectators }, { 2, 0 })
	t:within(2, function() return a:pawn() and a:pawn():GetClass() == "Character" end)
	a:leave()
	t:within(2, function() return game(s).NumPlayers == 1 end)
	t:eq(game(s).NumSpectators, 0)
end)

scenario("R8.7 who watched and plays again waits as the dead do", function(t)
	local s = ROUND.server(t, { game = "Round" })
	local a = join(t, s, named("Ann"))
	s:pawn(a).Health = 5
	a:call(a:controller(), "ServerSpectate", true)
	t:within(1, function() return state(s, a).bIsSpectator end)
	a:call(a:controller(), "ServerSpectate", false)
	t:within(1, function() return not state(s, a).bIsSpectator end)
	t:no(hasBody(s:controller(a)))
	t:run(0.4)
	t:no(hasBody(s:controller(a)))
	t:within(0.3, function() return hasBody(s:controller(a)) end)
end)

-- 6 Bots

scenario("R8.7 bots come in by ?bots= and AddBot, with PlayerStates as players have", function(t)
	local s, a = net.start(t, { options = "?bots=2" }, named("Ann"))
	t:eq(game(s).NumBots, 2)
	local bot = game(s):AddBot("Marvin")
	holds(t, bot.PlayerReplicationInfo, { PlayerName = "Marvin", bBot = true })
	t:ok(hasBody(bot))
	t:within(2, function() return gamestate(a) and #gamestate(a).PlayerArray == 4 end)
	t:ok(a:copy(bot.PlayerReplicationInfo).bBot)
	t:eq(game(s).NumPlayers, 1)
	local pawn, info = bot.Pawn, bot.PlayerReplicationInfo
	game(s):RemoveBot(bot)
	t:eq({ pawn.alive, info.alive, bot.alive, game(s).NumBots }, { false, false, false, 2 })
	t:within(2, function() return #gamestate(a).PlayerArray == 3 end)
	local names = {}
	for i, p in ipairs(s:actors("PlayerReplicationInfo")) do names[p.PlayerName] = i end
	local n = 0
	for _ in pairs(names) do n = n + 1 end
	t:eq(n, 3, "each has a name of its own")
end)

scenario("R8.7 at most 64 bots come in, by AddBot as by ?bots=", function(t)
	t:scripts [[
		local Ghosts = class("Ghosts", "GameInfo")
		function Ghosts:TryRestartPlayer(_) return true end -- bodies are not what is tried
	]]
	local s = t:server{ game = "Ghosts", options = "?bots=63", mode = "standalone" }
	t:within(5, function() return game(s).NumBots == 63 end)
	t:ok(game(s):AddBot("Last"))
	t:eq({ game(s):AddBot("One More"), #s:actors("AIController") }, { nil, 64 })
end)

scenario("R8.7 sixty bots come in, each at the best start, within what a call may do", function(t)
	t:scripts [[
		local Crowd = class("Crowd", "TeamGame")
		Crowd.defaults { BotClass = "AIController" }
	]]
	local s = t:server{ game = "Crowd", options = "?bots=60", mode = "standalone" }
	t:within(3, function()
		local n = 0
		for _, bot in ipairs(s:actors("AIController")) do n = n + (hasBody(bot) and 1 or 0) end
		return n == 60
	end)
	t:near(game(s):CountTeam(0), game(s):CountTeam(1), 1)
end)
