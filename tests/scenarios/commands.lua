-- The console commands of every game (scripts/core/GameCommands.lua), as players at the other end of bad lines see them.

local LINE = { lag = 0.06, jitter = 0.02, loss = 0.1, dup = 0.05, reorder = 0.1 }

-- A server with a player over a bad line; a second one watches.
local function match(t, options)
	local s = t:server{ level = "flat", game = "DeathMatch", options = options }
	local a = t:client{ name = "Ann", lag = LINE.lag, jitter = LINE.jitter, loss = LINE.loss, dup = LINE.dup, reorder = LINE.reorder }
	local b = t:client{ name = "Bob", lag = 0.1, jitter = 0.02, loss = 0.05 }
	t:within(10, function() return s:pawn(a) and a:pawn() and s:pawn(b) and a:copy(s:pawn(b)) and b:copy(s:pawn(a)) end)
	t:run(0.5)
	return s, a, b
end

scenario("R9.1 commands: a ghost flies through a wall as its player predicts it, and others see it", { seeds = 3 }, function(t)
	local s, a, b = match(t)
	local pawn, own, seen = s:pawn(a), a:pawn(), b:copy(s:pawn(a))
	t:eq(s:command("ghost Ann on"), "Ann is a ghost")
	t:within(2, function() return own.bGhost and seen.bGhost end)
	t:ok(not own.bCollideWorld and not seen.bCollideWorld and not pawn.bCollideActors)
	t:run(1)
	t:eq(own.Physics, PHYS_Flying)
	local before = #a:corrections()
	a:input{ forward = 1, pitch = -8192 } -- down, through the floor
	t:within(4, function() return pawn.Location.Z < -60 end)
	a:input{ forward = 0 }
	t:run(1)
	t:eq(#a:corrections(), before, "the flight is predicted")
	t:near(own.Location, pawn.Location, 1)
	t:near(seen.Location, pawn.Location, 5)
	t:error(function() s:command("ghost Ann off") end, "is inside of something")
	t:ok(pawn.bGhost, "what was refused changed nothing")
end)

scenario("R9.1 commands: a ghost that becomes solid again falls and stands for everybody", { seeds = 3 }, function(t)
	local s, a, b = match(t)
	local pawn, own, seen = s:pawn(a), a:pawn(), b:copy(s:pawn(a))
	s:command("ghost", a)
	a:input{ up = 1 }
	t:within(3, function() return pawn.Location.Z > 300 end)
	a:input{ up = 0 }
	s:command("ghost", a)
	t:within(3, function() return pawn.Physics == PHYS_Walking and own.Physics == PHYS_Walking and not seen.bGhost end)
	t:ok(pawn.bCollideWorld and own.bCollideWorld and seen.bCollideWorld and pawn.bBlockPlayers and seen.bBlockPlayers)
	t:run(1)
	t:near(own.Location, pawn.Location, 1)
	t:near(seen.Location, pawn.Location, 2)
	s:call(pawn, "TakeDamage", 10000, nil, pawn.Location, vector(), "test")
	t:within(6, function() return s:pawn(a) and s:pawn(a).Health > 0 and s:pawn(a) ~= pawn end)
	t:no(s:pawn(a).bGhost, "a new body is solid")
	t:error(function() s:command("ghost") end, "name a player")
end)

scenario("R5.1 commands: god spares a player from all damage but a fall out of the level", function(t)
	local s, a, b = match(t)
	local pawn = s:pawn(a)
	local function hurt(kind) s:call(pawn, "TakeDamage", 500, s:pawn(b), pawn.Location, vector(), kind) end
	s:eval("world:ActorsOf('ShooterPawn')[1].Armour = 50 world:ActorsOf('ShooterPawn')[2].Armour = 50")
	t:eq(s:command("god", a), "Ann is invulnerable")
	hurt("rocket")
	t:eq(pawn.Health, 100)
	t:eq(pawn.Armour, 50, "armour is not used up")
	t:within(2, function() return a:controller().bGodMode end)
	t:eq(s:command("god Ann on"), "Ann is invulnerable")
	hurt("fell")
	t:within(6, function() return s:pawn(a) and s:pawn(a) ~= pawn end)
	pawn = s:pawn(a)
	hurt("rocket")
	t:eq(pawn.Health, 100, "the next body is invulnerable, too")
	t:eq(s:command("god Ann off"), "Ann is vulnerable")
	hurt("rocket")
	t:no(pawn.alive)
	t:within(2, function() return not a:controller().bGodMode end)
end)

scenario("R5.1 commands: what a player is given arrives over a line that loses packets", { seeds = 3 }, function(t)
	local s, a = match(t)
	local pawn, own = s:pawn(a), a:pawn()
	s:command("give Ann rocketlauncher")
	t:within(3, function() return #a:actors("RocketLauncher") == 1 end)
	t:within(3, function() return s:call(pawn, "FindInventory", "RocketLauncher") and a:call(own, "FindInventory", "RocketLauncher") end)
	s:eval("for _, pawn in ipairs(world:ActorsOf('ShooterPawn')) do pawn.Health = 40 end")
	local pickups = #s:actors("Pickup")
	s:command("give Ann HealthPickup")
	t:gt(pawn.Health, 40)
	t:within(3, function() return own.Health == pawn.Health end)
	t:eq(#s:actors("Pickup"), pickups, "the pickup is used up")
	s:eval("for _, pawn in ipairs(world:ActorsOf('ShooterPawn')) do pawn.Health = pawn.HealthMax end")
	t:error(function() s:command("give Ann HealthPickup") end, "can take no more of that")
	t:error(function() s:command("give Ann Crate") end, "an Inventory or a Pickup")
	t:eq(#s:actors("Pickup"), pickups)
end)

scenario("R5.1 commands: bots come, stand still, play on and go", function(t)
	local s, a = match(t)
	s:command("bot add 3")
	t:eq(#s:actors("Bot"), 3)
	t:run(1)
	t:eq(s:command("bot freeze"), "bots stand still")
	s:command("bot add")
	t:run(1.5)
	local places = {}
	for i, bot in ipairs(s:actors("Bot")) do places[i] = bot.Pawn.Location end
	t:run(1)
	for i, bot in ipairs(s:actors("Bot")) do t:eq(bot.Pawn.Location, places[i], "it stands still") end
	t:eq(s:command("bot freeze off"), "bots play")
	t:run(3)
	local moved = 0
	for i, bot in ipairs(s:actors("Bot")) do
		moved = moved + (bot.Pawn and bot.Pawn.Location ~= places[i] and 1 or 0)
	end
	t:ge(moved, 2)
	s:command("bot remove " .. s:actors("Bot")[1].Name)
	t:eq(#s:actors("Bot"), 3)
	s:command("bot remove")
	t:eq(#s:actors("Bot"), 0)
	t:within(3, function() return #a:actors("PlayerReplicationInfo") == 2 end)
	t:error(function() s:command("bot remove Ann") end, "expected ref")
	t:error(function() s:command("bot add 65") end, "from 1 to 64")
end)

scenario("R6.2 commands: nobody hears a player who is muted, also after they came back", function(t)
	local s, a, b = match(t)
	local function heard(text)
		for _, message in ipairs(b:eval("return world:RecentMessages()")) do
			if message.Text:find(text, 1, true) then return true end
		end
		return false
	end
	a:call(a:controller(), "SayToAll", "first words")
	t:within(3, function() return heard("first words") end)
	t:eq(s:command("mute Ann"), "Ann is muted")
	a:call(a:controller(), "SayToAll", "second words")
	t:run(2)
	t:no(heard("second words"))
	t:ok(a:eval("local l = world:RecentMessages() return l[#l].Text"):find("a moderator has muted you"))
	a:leave()
	t:run(1)
	a:join()
	t:within(10, function() return a:controller() and s:pawn(a) end)
	a:call(a:controller(), "SayToAll", "back again")
	t:run(2)
	t:no(heard("back again"))
	b:call(b:controller(), "SayToAll", "others speak")
	t:within(3, function() return heard("others speak") end)
	t:eq(s:command("unmute Ann"), "Ann can be heard again")
	a:call(a:controller(), "SayToAll", "third words")
	t:within(3, function() return heard("third words") end)
	t:error(function() s:command("unmute Ann") end, "is not muted")
end)
