-- The hub: doors to the matches of other hosts, and the way back (docs/cluster.md).

-- Waits until a client's player is in at a host and has a pawn there; returns their controller on the host.
local function enter(t, host, client, seconds)
	return t:within(seconds or 8, function()
		return host:controller(client) and host:pawn(client) and client:controller() and client:controller().myHUD
			and host:controller(client)
	end)
end

-- The door with a target.
local function door(hub, target)
	for _, one in ipairs(hub:actors("HubDoor")) do
		if one.Target == target then return one end
	end
end

-- Puts a player before a door, looking at it, and lets them walk.
local function walkInto(hub, client, one)
	hub:pawn(client):SetLocation(one.Location + vector(-260, 0, -20))
	client:input { forward = 1, yaw = 0 }
end

-- Whether a player was told a text.
local function told(client, text)
	for _, call in ipairs(client:canvas()) do
		if call.kind == "text" and call.text:find(text, 1, true) then return true end
	end
	return false
end

scenario("hub: through a door into a match and back, and the kills are kept (C2, C6)", function(t)
	local arena = t:server { level = "arena", game = "DeathMatch" }
	local hub = t:host { name = "hall", level = "hub", game = "HubGame", labels = { hub = true } }
	door(hub, "arena").Target = "server" -- the name of the other host
	local ann = t:client { name = "Ann", host = "hall" }
	enter(t, hub, ann)
	t:run(0.5) -- the hosts have heard of each other
	walkInto(hub, ann, door(hub, "server"))
	local hers = enter(t, arena, ann)
	t:no(hub:controller(ann))
	t:within(2, function() return told(ann, "/hub") end)
	ann:input { forward = 0 }
	for _ = 1, 2 do
		arena:call(arena:actors("DeathMatch")[1], "ScoreKill", hers, arena:spawn("AIController"))
	end
	t:eq(arena:command("hub", ann), "leaving for the hub")
	hers = enter(t, hub, ann)
	t:no(arena:controller(ann))
	t:eq(hers.PlayerReplicationInfo.Kills, 2)
	t:within(2, function() return told(ann, "all-time kills") end)
	t:eq(door(hub, "server").Sign, door(hub, "server").Title)
end)

scenario("hub: a race has the way back, too, and the hub none to itself (C6)", function(t)
	local race = t:server { level = "circuit", game = "Race", options = "?bots=0" }
	local hub = t:host { name = "hall", level = "hub", game = "HubGame", labels = { hub = true } }
	local ann = t:client { name = "Ann" }
	enter(t, race, ann)
	t:run(0.5)
	race:command("hub", ann)
	enter(t, hub, ann)
	t:error(function() hub:command("hub", ann) end, "this is the hub")
end)

scenario("hub: over a door stands why nobody can go there, and then its title again", function(t)
	local hub = t:server { level = "hub", game = "HubGame" }
	local full = t:host { name = "full", level = "flat", options = "?maxplayers=1", labels = { arena = true } }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob", host = "full" }
	enter(t, hub, ann)
	enter(t, full, bob)
	t:run(1)
	local arena, estuary = door(hub, "arena"), door(hub, "estuary")
	for one, why in pairs { [arena] = "no host \"arena\" has room", [estuary] = "no host is called \"estuary\"" } do
		walkInto(hub, ann, one)
		t:within(4, function() return one.Sign:find(why, 1, true) end)
		t:eq(one.Sign:sub(1, #one.Title), one.Title)
		t:within(1, function() return ann:copy(one).Sign == one.Sign end)
	end
	t:ok(hub:pawn(ann))
	t:eq(hub:pawn(ann).Health, 100)
	t:within(12, function() return arena.Sign == arena.Title and estuary.Sign == estuary.Title end)
	bob:leave()
	t:run(3)
	walkInto(hub, ann, arena) -- nothing of the failure is left
	enter(t, full, ann)
end)

scenario("hub: nobody is hurt there", function(t)
	local hub = t:server { level = "hub", game = "HubGame" }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob" }
	enter(t, hub, ann)
	enter(t, hub, bob)
	hub:pawn(ann):TakeDamage(500, hub:pawn(bob), hub:pawn(ann).Location, vector(), "rifle")
	t:eq({ hub:pawn(ann).Health, #hub:actors("HubDoor") }, { 100, 3 })
end)

scenario("hub: a match whose hub is gone says so, and the player stays (C6)", function(t)
	local arena = t:server { level = "flat", game = "DeathMatch" }
	local ann = t:client { name = "Ann" }
	enter(t, arena, ann)
	t:match(arena:command("hub", ann), "leaving for")
	t:within(2, function() return told(ann, "no host is called \"hub\"") end)
	t:ok(arena:pawn(ann))
	t:error(function() arena:command("hub") end, "only a player")
end)
