-- Several hosts of a cluster on one clock: messages (C4), teleport (C6), and what happens when one dies (C10).

local HUB = [[
	local Player = class("HubPlayer", "PlayerState")
	Player.persistent { Gold = int(5) }
	local Controller = class("HubController", "PlayerController")
	function Controller:Teleported(data, from, back) world.Game.Came = ("%s %s"):format(data and data.Door or "", tostring(back)) end
	local Hub = class("Hub", "DeathMatch")
	Hub.defaults { PlayerStateClass = "HubPlayer", PlayerControllerClass = "HubController", MinPlayers = 1 }
	Hub.properties { Said = str(""), Heard = str(""), Came = str("") }
	function Hub:StartPlay()
		Hub.super.StartPlay(self)
		cluster:Subscribe("news", function(v) self.Heard = v end)
	end
	function Hub:Say(text) cluster:Publish("news", text) end
	function Hub:Go(target)
		for _, pc in ipairs(self:ActorsOf("PlayerController")) do
			pc:Teleport(target, { Door = "north" }, function(ok, err) self.Said = tostring(ok) .. " " .. tostring(err) end)
		end
	end
]]

scenario("hosts: what one publishes comes to the others (C4)", function(t)
	t:scripts(HUB)
	local a = t:server { game = "Hub" }
	local b = t:host { name = "b", game = "Hub" }
	t:run(1)
	a:call(a:actors("Hub")[1], "Say", "hello")
	t:within(1, function() return b:actors("Hub")[1].Heard == "hello" end)
	t:partition(b)
	a:call(a:actors("Hub")[1], "Say", "again")
	t:run(1)
	t:eq(b:actors("Hub")[1].Heard, "hello")
	t:partition(b, false)
	a:call(a:actors("Hub")[1], "Say", "third")
	t:within(1, function() return b:actors("Hub")[1].Heard == "third" end)
end)

scenario("hosts: a player goes to another one, with all they own (C6)", function(t)
	t:scripts(HUB)
	local a = t:server { game = "Hub" }
	local b = t:host { name = "b", game = "Hub", labels = { arena = true } }
	local ann = t:client { name = "Ann" }
	t:within(5, function() return a:controller(ann) end)
	a:controller(ann).PlayerReplicationInfo.Gold = 70
	t:run(0.5)
	a:call(a:actors("Hub")[1], "Go", "arena")
	t:within(8, function() return b:controller(ann) end)
	t:no(a:controller(ann))
	t:eq({ b:controller(ann).PlayerReplicationInfo.Gold, b:actors("Hub")[1].Came }, { 70, "north false" })
	t:within(2, function() return a:actors("Hub")[1].Said == "true nil" end)
end)

scenario("hosts: who cannot be taken stays, and the script is told why (C6)", function(t)
	t:scripts(HUB)
	local a = t:server { game = "Hub" }
	t:host { name = "b", game = "Hub", options = "?maxplayers=1" }
	local ann, bob = t:client { name = "Ann" }, t:client { name = "Bob", host = "b" }
	t:within(5, function() return a:controller(ann) end)
	local hub = a:actors("Hub")[1]
	a:call(hub, "Go", "nowhere")
	t:within(1, function() return hub.Said:match("no host is called \"nowhere\"") end)
	t:run(0.5)
	a:call(hub, "Go", "b")
	t:within(2, function() return hub.Said:match("no host \"b\" has room") end)
	t:ok(a:controller(ann))
	t:no(bob.error)
end)

scenario("hosts: a place that is kept for a player on the way is nobody else's (C6)", function(t)
	t:scripts(HUB)
	local a = t:server { game = "Hub" }
	local b = t:host { name = "b", game = "Hub", options = "?maxplayers=2" }
	local ann = t:client { name = "Ann", preset = "modem" }
	t:client { name = "Bob", host = "b" }
	t:within(5, function() return a:controller(ann) end)
	t:run(1)
	local cid = t:client { name = "Cid", host = "b", join = false }
	a:call(a:actors("Hub")[1], "Go", "b")
	t:ticks(3)
	cid:join()
	t:within(2, function() return cid.error_code == "full" end)
	t:match(cid.error, "places are kept")
	t:within(15, function() return b:controller(ann) end)
end)

-- begin returns two hosts, and Ann in the first, with 70 gold.
local function begin(t)
	t:scripts(HUB)
	local a = t:server { game = "Hub" }
	local b = t:host { name = "b", game = "Hub" }
	local ann = t:client { name = "Ann" }
	t:within(5, function() return a:controller(ann) end)
	a:controller(ann).PlayerReplicationInfo.Gold = 70
	t:run(0.5)
	return a, b, ann
end

-- settled waits until Ann is in one of the worlds, and checks that it is one only, with all the gold.
local function settled(t, seconds, ann, ...)
	local hosts = { ... }
	local function where()
		local found
		for _, h in ipairs(hosts) do
			if h:controller(ann) then
				t:no(found, "Ann is in two worlds")
				found = h
			end
		end
		return found
	end
	local host = t:within(seconds, where)
	t:run(1)
	t:eq({ where(), host:controller(ann).PlayerReplicationInfo.Gold }, { host, 70 })
	return host
end

for step = 0, 18, 3 do
	scenario(("hosts: the target dies %d ticks after a player was sent there: they are back with all they own (C6, C10)"):format(2 * step), function(t)
		local a, b, ann = begin(t)
		a:call(a:actors("Hub")[1], "Go", "b")
		t:ticks(2 * step)
		local arrived = b:controller(ann)
		t:kill(b)
		if arrived then
			return -- they come back with their host
		end
		settled(t, 50, ann, a)
	end)

	scenario(("hosts: a host is cut off %d ticks after a player was sent away (C6, C10)"):format(2 * step), function(t)
		local a, b, ann = begin(t)
		a:call(a:actors("Hub")[1], "Go", "b")
		t:ticks(2 * step)
		local cut = step % 2 == 0 and a or b
		t:partition(cut)
		t:run(12)
		t:partition(cut, false)
		t:run(30)
		settled(t, 40, ann, a, b)
	end)
end

scenario("hosts: the source dies after a player was told where to go: they are in at the target (C6, C10)", function(t)
	local a, b, ann = begin(t)
	a:call(a:actors("Hub")[1], "Go", "b")
	t:ticks(8)
	t:kill(a)
	settled(t, 60, ann, b)
	t:restart(a)
	t:run(1)
	t:no(a:controller(ann))
end)
