-- G1, G2: who calls functions of many actors is not stopped by the fault of one (ProtectedCall), and a match begins
-- though a mod's pawn fails.

scenario("G1 ProtectedCall reports, charges and undoes a fault where it is, and its caller goes on", function(t)
	t:scripts [[
		local Guest = class("Guest", "Actor")
		Guest.properties { Heard = "", Half = int(0) }
		function Guest:Greet(word, other)
			self.Half = self.Half + 1
			if word == "boo" then error("I am shy") end
			self.Heard = word .. " " .. other:GetClass()
		end
		local Butler = class("Butler", "Actor")
		Butler.properties { Told = int(0), Failed = int(0) }
		function Butler:Tell(word)
			for _, guest in ipairs(self:ActorsOf("Guest")) do
				if guest:ProtectedCall("Greet", word, self) then
					self.Told = self.Told + 1
				else
					self.Failed = self.Failed + 1
				end
			end
		end
		function Butler:Ask(name) self:ProtectedCall(name) end
	]]
	local s = t:server()
	local a, b, butler = s:spawn("Guest"), s:spawn("Guest"), s:spawn("Butler")
	butler:Tell("hello")
	t:eq({ a.Heard, b.Heard, butler.Told, butler.Failed }, { "hello Butler", "hello Butler", 2, 0 })
	t:expect_error("Guest:Greet: scripts:%d+:%d+: I am shy %(Guest_0, server%)")
	butler:Tell("boo")
	t:eq({ a.Half, b.Half, butler.Told, butler.Failed }, { 1, 1, 2, 2 }, "what the failed call wrote is undone, what its caller wrote stays")
	t:expect_error("Butler:Ask: .*ProtectedCall: Butler has no function \"Tel\"; did you mean \"Tell\"%?")
	butler:Ask("Tel")
end)

scenario("G2 a match begins with all its players though the pawn of a mod fails for each of them", { seeds = 3 }, function(t)
	t:scripts([[
		local Clumsy = class("Clumsy", "ShooterPawn")
		function Clumsy:AddDefaultInventory() error("no weapons") end
	]], { mod = "clumsy" })
	t:scripts [[
		local Meeting = class("Meeting", "DeathMatch")
		Meeting.defaults { DefaultPawnClass = "Clumsy", bDelayedStart = true, MinPlayers = 12 }
	]]
	t:expect_error("Clumsy:AddDefaultInventory: .*no weapons.*%[mod clumsy%]")
	local s = t:server { level = "arena", game = "Meeting", options = "?bots=12", mode = "standalone" }
	t:run(0.5)
	local state = s:eval("return world.GameState.MatchState")
	t:eq(state, "InProgress")
	local bodies, armed = 0, 0
	for _, bot in ipairs(s:actors("AIController")) do
		if bot.Pawn then
			bodies = bodies + 1
			if bot.Pawn.Weapon then armed = armed + 1 end
		end
	end
	t:eq(bodies, 12)
	t:eq(armed, 12 - 3, "after three faults the function of the mod is out of use")
end)

scenario("G2 who cannot be given a pawn is tried again, and all who can play meanwhile", { seeds = 3 }, function(t)
	t:scripts([[
		local Shy = class("Shy", "DeathMatch")
		Shy.defaults { bDelayedStart = true, MinPlayers = 6 }
		function Shy:RestartPlayer(controller)
			if world.TimeSeconds < 2 and controller.PlayerReplicationInfo.PlayerName == "Cleo" then error("not her") end
			Shy.super.RestartPlayer(self, controller)
		end
	]])
	t:expect_error("Shy:RestartPlayer: .*not her")
	local s = t:server { level = "arena", game = "Shy", options = "?bots=6", mode = "standalone" }
	local function bodies()
		local n = 0
		for _, bot in ipairs(s:actors("AIController")) do n = n + (bot.Pawn and 1 or 0) end
		return n
	end
	t:run(0.5)
	t:eq(bodies(), 5)
	t:within(3, function() return bodies() == 6 end)
end)
