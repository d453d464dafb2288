-- Saved worlds (C3): a world is saved, the server stops, and a new one goes on from the file.

local net = require("shared.net")

local KEEPER = net.with [[
	local Keeper = class("Keeper", "Actor")
	Keeper.properties {
		Coins = int(3),
		Names = fastarray(struct { Name = str("") }),
		Places = array(vector(0, 0, 0), 3),
		Friend = ref("Actor"),
		Kind = enum("Calm", "Angry"),
		Rang = int(0),
	}
	Keeper.defaults { bAlwaysRelevant = true }
	function Keeper:PostBeginPlay()
		self.list = { 1, 2, { deep = vector(1, 2, 3) } }
		self.same = self.list[3]
		self.self = self
		self.far = -math.huge
		self.turn = rotator(1, 2, 3)
		self.made = function() return 1 end -- cannot be saved
	end
	function Keeper:Ring() self.Rang = self.Rang + 1 end
	function Keeper:Restored() self.restored = (self.restored or 0) + 1 end
	function Keeper:Look()
		local list = self.list
		return {
			sum = list[1] + list[2], deep = list[3].deep, shared = self.same == list[3], me = self.self == self, far = self.far,
			turn = self.turn, gone = self.lost and self.lost.bDeleteMe, made = self.made ~= nil, restored = self.restored,
		}
	end
	function Keeper:Lose(actor) self.lost = actor end

	Keeper.state("Waits", {})
	function Keeper.state.Waits:Code()
		self.rounds = (self.rounds or 0) + 1
		Sleep(5)
		self:GotoState("Done")
	end
	function Keeper.state.Waits:BeginState() self.begun = (self.begun or 0) + 1 end
	Keeper.state("Done", {})
	Keeper.state("Once", {})
	function Keeper.state.Once:Code() self.once = (self.once or 0) + 1 end
]]

-- Returns the only actor of a class.
local function only(s, class) return s:actors(class)[1] end

scenario("C3 values, references and private data of an actor are there after loading", function(t)
	local s = KEEPER.server(t, { mode = "standalone" })
	local k, other = s:spawn("Keeper", { Coins = 9, Location = vector(1, 2, 3) }), s:spawn("Actor")
	local lost = s:spawn("Actor")
	s:eval [[
		local k = world:ActorsOf("Keeper")[1]
		k.Names:Add { Name = "Ann" }
		k.Names:Add { Name = "Bo" }
		k.Names:Remove(1)
		k.Places[2] = vector(4, 5, 6)
		k.Friend = world:ActorsOf("GameInfo")[1]
		k.Kind = "Angry"
	]]
	k:Lose(lost)
	lost:Destroy()
	other:Destroy()
	k:SetTimer(2, true, "Ring")
	k:GotoState("Waits")
	t:run(1)
	local saved = t:save("one")
	t:eq(t:load("one"), saved)
	t:no(k.alive)
	k = only(s, "Keeper")
	t:eq({ k.Coins, k.Kind, k.Location, k.Places[2] }, { 9, "Angry", vector(1, 2, 3), vector(4, 5, 6) })
	t:eq(s:eval 'local k = world:ActorsOf("Keeper")[1] return #k.Names, k.Names:Get(2).Name', 1)
	t:eq(k.Friend, only(s, "GameInfo"))
	t:eq(k:Look(), {
		sum = 3, deep = vector(1, 2, 3), shared = true, me = true, far = -math.huge, turn = rotator(1, 2, 3), gone = true, made = false,
		restored = 1,
	})
	t:run(0.9)
	t:eq(k.Rang, 0)
	t:run(0.2) -- two seconds after the timer was set
	t:eq(k.Rang, 1)
	t:run(2)
	t:eq(k.Rang, 2)
end)

scenario("C3 code of a state begins again; code that had ended does not, and BeginState is not called", function(t)
	local s = KEEPER.server(t, { mode = "standalone" })
	local k, once = s:spawn("Keeper", { Tag = "waits" }), s:spawn("Keeper", { Tag = "once" })
	k:GotoState("Waits")
	once:GotoState("Once")
	t:run(3)
	t:save("states")
	t:load("states")
	local function state(tag)
		return s:eval(([[for _, k in ipairs(world:ActorsOf("Keeper")) do
			if k.Tag == "%s" then return { k:GetStateName(), k.rounds or 0, k.begun or 0, k.once or 0 } end
		end]]):format(tag))
	end
	t:run(3)
	t:eq({ state("waits"), state("once") }, { { "Waits", 2, 1, 0 }, { "Once", 0, 0, 1 } })
	t:run(3)
	t:eq(state("waits"), { "Done", 2, 1, 0 })
end)

scenario("C3 pickups respawn and lifts go on where they were", function(t)
	local s = t:server { mode = "standalone", level = "steps" }
	local lift = only(s, "Mover")
	local item = s:spawn("Pickup", { Location = vector(-3000, 0, 60), RespawnTime = 10 })
	item:GotoState("Taken")
	lift:Trigger()
	t:run(0.5)
	local from = lift.Location.Z
	t:save("way")
	t:run(0.3)
	local to = lift.Location.Z
	t:gt(to, from)
	t:load("way")
	lift, item = only(s, "Mover"), only(s, "Pickup")
	t:eq(lift.Location.Z, from)
	t:run(0.3)
	t:eq(lift.Location.Z, to)
	t:run(9)
	t:no(item.bAvailable)
	t:run(0.3)
	t:ok(item.bAvailable)
	t:eq(lift:GetStateName(), "Closed")
end)

scenario("C3 an item that was taken in the match is still due when a world that was saved after it is loaded", function(t)
	local s = t:server { mode = "standalone" }
	local item = s:spawn("Pickup", { Location = vector(-3000, 0, 60), RespawnTime = 10 })
	item:GotoState("Taken")
	t:run(1)
	s:eval [[world.Game:EndMatch("test")]]
	t:run(1)
	t:eq(s:eval "return world.GameState.MatchState", "WaitingPostMatch")
	t:save("over")
	t:load("over")
	t:run(1)
	t:eq({ #s:actors("Pickup"), only(s, "Pickup"):GetStateName() }, { 1, "Taken" })
end)

scenario("C3 projectiles fly on, with their life span and who fired them", function(t)
	local s = t:server { mode = "standalone" }
	local pawn = s:pawn()
	local rocket = s:spawn("Rocket", { Location = vector(0, 6000, 3000), Instigator = pawn, Velocity = vector(200, 0, 0) })
	rocket.LifeSpan = 3
	t:run(1)
	t:eq(t:save("flight"), t:load("flight"))
	rocket = only(s, "Rocket")
	t:eq(rocket.Instigator, s:pawn())
	local x = rocket.Location.X
	t:run(1)
	t:near(rocket.Location.X, x + 200, 5)
	t:run(1.1)
	t:no(rocket.alive)
end)

scenario("C3 a match of bots goes on from a file exactly as it would have", function(t)
	local s = t:server { mode = "standalone", level = "arena", game = "DeathMatch", options = "?bots=4" }
	t:run(6)
	t:save("match")
	t:run(4)
	local went = t:save("later")
	t:load("match")
	t:run(4)
	t:eq({ t:save("again"), #s:actors("Bot") }, { went, 4 })
end)

scenario("C3 a player who comes back gets their pawn and score; the pawn of one who does not is withdrawn", function(t)
	local s, a, b = net.play(t, { options = "?grace=20" }, "Ann", "Bo")
	local id = s:pawn(a):GetId()
	s:controller(a).PlayerReplicationInfo.Score = 7
	s:pawn(a).Health = 41
	t:run(1)
	local at = s:pawn(a).Location
	t:save("people")
	t:load("people")
	t:within(2, function() return a.error_code == "restart" and b.error_code == "restart" end)
	t:eq(#s:actors("Character"), 2)
	t:eq(s:eval "return world.Game.NumPlayers", 0)
	a:join()
	t:within(5, function() return s:controller(a) and s:pawn(a) end)
	t:eq({ s:pawn(a):GetId(), s:pawn(a).Health, s:pawn(a).Location }, { id, 41, at })
	t:eq(s:controller(a).PlayerReplicationInfo.Score, 7)
	t:eq(s:eval "return world.Game.NumPlayers", 1)
	t:within(5, function() return a:pawn() and a:pawn().Health == 41 end)
	t:run(20)
	t:eq(#s:actors("Character"), 1)
end)

scenario("C3 world:Save with a function, in latent code, and what it refuses", function(t)
	t:scripts [[
		local Scribe = class("Scribe", "Actor")
		Scribe.properties { Told = str("", { max = 200 }) }
		function Scribe:Write(name) world:Save(name, function(why) self.Told = why or "safe" end) end
		Scribe.state("Writes", {})
		function Scribe.state.Writes:Code()
			local ok, why = world:Save("latent")
			self.Told = tostring(ok) .. " " .. tostring(why)
		end
	]]
	local s = t:server { mode = "standalone" }
	local x = s:spawn("Scribe")
	x:Write("called")
	t:eq(x.Told, "")
	t:within(1, function() return x.Told == "safe" end)
	x:GotoState("Writes")
	t:within(1, function() return x.Told == "true nil" end)
	t:load("latent")
	t:eq(only(s, "Scribe"):GetStateName(), "Writes")
	t:load("called")
	t:error(function() t:load("none") end, "no saved world")
	t:expect_error("is not allowed")
	only(s, "Scribe"):Write("a name")
	t:expect_error("can only be used in state code")
	s:eval 'world:Save("x")'
end)
