-- Section 8 of the rules: game flow; what standalone and listen servers show.

local holds = require("shared.net").holds

scenario("R8.1 the URL's option chooses the game, an unknown one stops the host", function(t)
	t:error(function() t:server{ game = "DethMatch" } end, "DethMatch.*DeathMatch")
	t:error(function() t:server{ game = "Character" } end, "GameInfo")
	local s = t:server{ options = "?game=DeathMatch?maxplayers=16" }
	local game = s:eval("return world.Game")
	t:eq({ game:GetClass(), game.MaxPlayers }, { "DeathMatch", 16 })
end)

scenario("R8.1 GameMode, GameState and PlayerState are names of the three base classes", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameMode")
	]]
	local s = t:server{ game = "Duel", mode = "standalone" }
	t:ok(s:eval("return world.Game"):IsA("GameInfo"))
	t:ok(s:eval("return world.GameState"):IsA("GameState"))
	t:ok(s:eval("return world.GameState"):IsA("GameReplicationInfo"))
	t:eq(#s:actors("PlayerState"), 1)
end)

scenario("R8.2 InitGame gets the options; a text it returns stops the host", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		Duel.properties { Options = "" }
		function Duel:InitGame(options)
			self.Options = options
			return Duel.super.InitGame(self, options)
		end
		local Closed = class("Closed", "GameInfo")
		function Closed:InitGame(_) return "closed today" end
	]]
	t:error(function() t:server{ game = "Closed" } end, "closed today")
	t:error(function() t:server{ options = "?maxplayers=many" } end, "maxplayers")
	local s = t:server{ game = "Duel", options = "?frags=3" }
	t:match(s:eval("return world.Game").Options, "frags=3")
end)

scenario("R8.2 a start option that nobody asks for is warned of once, with the nearest that is asked for", function(t)
	t:scripts [[
		local Duel = class("Duel", "GameInfo")
		function Duel:InitGame(options)
			self.stakes = self:ParseOption(options, "stakes")
			return Duel.super.InitGame(self, options)
		end
		function Duel:StartPlay()
			self.colour = self:ParseOption(self.options, "Colour")
			Duel.super.StartPlay(self)
		end
	]]
	local s = t:server{ game = "Duel", options = "?gaol=1?stakse=5?zzz?ZZZ=1?stakes=5?colour=red?GOALSCORE=3?skill=2?next=wall?maps=a" }
	local doubts = {}
	for _, line in ipairs(s:log()) do doubts[#doubts + 1] = line:match('start option (".*)%s%(') end
	t:eq(#doubts, 3)
	t:match(doubts[1], '^"gaol": nothing asks for it.*$')
	t:match(doubts[2], '^"stakse": nothing asks for it.*; did you mean "stakes"%?$')
	t:match(doubts[3], '^"zzz": nothing asks for it, and it is without effect$')
	t:eq(s:eval("return world.Game.stakes"), "5")
end)

scenario("R8.2 a misspelt game is warned of", function(t)
	local s = t:server{ options = "?gmae=DeathMatch" }
	t:eq(s:eval("return world.Game"):GetClass(), "GameInfo")
	t:match(table.concat(s:log(), "\n"), 'start option "gmae".*did you mean "game"')
end)

scenario("R8.2 options of the built-in games are known ones, and those of the player at the server's machine", function(t)
	local s = t:server{
		game = "TeamDeathMatch", mode = "listen",
		options = "?bots=1?maxplayers=4?maxspectators=1?grace=5?password=x?ban=192.0.2.1?skill=1?minplayers=1?warmup=1"
			.. "?timelimit=1?goalscore=3?postmatch=1?next=wall?maps=flat?scale=1?name=Ann?team=1?spectator=0",
	}
	t:eq(s:log(), {})
end)

scenario("R8.2 on a journey only what the journey asks for is warned of", function(t)
	local s = t:server{ options = "?stakse=1" }
	t:eq(#s:log(), 1)
	s:eval("world:Travel('wall')")
	t:run(0.2)
	t:eq({ #s:log(), s:eval("return world.LevelName") }, { 1, "wall" })
	s:eval("world:Travel('flat?botz=1')")
	t:run(0.2)
	t:eq(#s:log(), 2)
	t:match(s:log()[2], '"botz".*did you mean "bots"')
end)

for_each({ "standalone", "listen" }, function(mode)
	scenario("R8.3 R8.4 R8.5 a local player passes Login and PostLogin, not PreLogin: " .. mode, function(t)
		t:scripts [[
			local Duel = class("Duel", "GameInfo")
			Duel.properties { Calls = "" }
			function Duel:PreLogin(_, _) self.Calls = self.Calls .. "PreLogin " end
			function Duel:Login(portal, options)
				self.Calls = self.Calls .. "Login(" .. options .. ") "
				return Duel.super.Login(self, portal, options)
			end
			function Duel:PostLogin(pc)
				self.Calls = self.Calls .. "PostLogin(" .. pc:GetClass() .. ")"
				Duel.super.PostLogin(self, pc)
			end
		]]
		local s = t:server{ mode = mode, game = "Duel", options = "?name=Ann" }
		t:match(s:eval("return world.Game").Calls, "^Login%(%?name=Ann%) PostLogin%(PlayerController%)$")
		t:eq(s:controller().PlayerReplicationInfo.PlayerName, "Ann")
	end)
end)

scenario("R8.7 the game puts players at the starts in order, a Character each", function(t)
	local s = t:server{ mode = "standalone" }
	t:eq(s:pawn():GetClass(), "Character")
	holds(t, s:pawn().Location, { X = 0, Y = -2000 })
	t:near(s:pawn().Location.Z, 88, 1)
	t:eq(s:pawn().Rotation.Yaw, 0)
	local game = s:eval("return world.Game")
	for i = 1, 11 do
		local pc = s:spawn("AIController")
		game:RestartPlayer(pc)
		local y = -2000 + 400 * i
		if y > 2000 then y = -2000 end
		t:eq(pc.Pawn.Location.Y, y)
	end
end)
