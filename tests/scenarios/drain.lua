-- A host that is taken out of service among others: its players go on elsewhere, with all they own, whatever dies meanwhile (C7, C10).

local PORT = [[
	local Sailor = class("Sailor", "PlayerState")
	Sailor.persistent { Gold = int(5) }
	local Port = class("Port", "GameInfo")
	Port.defaults { PlayerStateClass = "Sailor", bKeepScores = true }
	Port.properties { Said = str("", { max = 1000 }), Answer = str("") }
	function Port:Broadcast(text, kind)
		self.Said = self.Said .. text .. "|"
		return Port.super.Broadcast(self, text, kind)
	end
	local function two(self)
		local ann, bob
		for _, state in ipairs(self:ActorsOf("Sailor")) do
			if state.PlayerName == "Ann" then ann = state else bob = state end
		end
		return { ann, bob }
	end
	function Port:Endow()
		Profile.Transact(two(self), function(ann, bob) ann.Gold, bob.Gold = 70, 30 end, function(ok) self.Answer = ok and "kept" or "" end)
	end
	function Port:Trade()
		Profile.Transact(two(self), function(ann, bob) ann.Gold, bob.Gold = ann.Gold - 10, bob.Gold + 10 end, function() end)
	end
	function Port:Go(target)
		for _, pc in ipairs(self:ActorsOf("PlayerController")) do
			pc:Teleport(target, nil, function(ok, err) self.Answer = tostring(ok) .. " " .. tostring(err) end)
		end
	end
]]

-- What the two players own together, and each.
local GOLD = { Ann = 70, Bob = 30 }

-- The states of a player in a host's world, of any connection.
local function found(host, name)
	local list = {}
	for _, pc in ipairs(host:actors("PlayerController")) do
		local state = pc.PlayerReplicationInfo
		if state and state.PlayerName == name then list[#list + 1] = state end
	end
	return list
end

-- Whether the players are in, and their states are at the host.
local function at(host, ...)
	for _, client in ipairs { ... } do
		if not (host:controller(client) and client:controller()) then return false end
	end
	return true
end

-- Ann and Bob at the host a of two, and what they own.
local function begin(t, options)
	t:scripts(PORT)
	local a = t:server { game = "Port", options = options }
	local b = t:host { name = "b", game = "Port" }
	local ann, bob = t:client { name = "Ann", tick = 30 }, t:client { name = "Bob", tick = 30 }
	t:within(5, function() return at(a, ann, bob) end)
	for i, client in ipairs { ann, bob } do a:controller(client).PlayerReplicationInfo.Score = 10 * i end
	a:call(a:actors("Port")[1], "Endow")
	t:within(2, function() return a:actors("Port")[1].Answer == "kept" end)
	t:run(0.5) -- the hosts have heard of each other
	return a, b, ann, bob
end

-- Checks that each player is in the world of one host and in no other, with what they own.
local function owned(t, hosts, ...)
	local sum = 0
	for _, client in ipairs { ... } do
		local states = {}
		for _, host in ipairs(hosts) do
			for _, state in ipairs(found(host, client.name)) do states[#states + 1] = state end
		end
		t:eq(#states, 1, client.name .. " is in so many worlds")
		t:eq(states[1].Gold, GOLD[client.name], "the gold of " .. client.name)
		sum = sum + states[1].Gold
	end
	if select("#", ...) == 2 then t:eq(sum, 100, "gold") end
end

scenario("drain: the players of a host go on at another one of the same game, with all they own (C7)", function(t)
	local a, b, ann, bob = begin(t)
	t:no(a.draining)
	t:error(function() t:drain(ann) end, "expected a host")
	t:error(function() t:drain(a, -1) end, "expected 0 to 604800 seconds, got %-1")
	t:error(function() t:drain(a, true) end, "or false to call the drain off, got true")
	t:match(t:drain(a, 2), "no new players; the host ends after this round, in 2s at the latest")
	t:eq(a.draining, "draining")
	t:match(a:actors("Port")[1].Said, "goes out of service after this round, in 2 seconds at the latest")
	local cid = t:client { name = "Cid" }
	t:within(2, function() return cid.error_code == "draining" end)
	t:match(cid.error, "join another server")
	t:ok(at(a, ann, bob))
	t:within(3, function() return a.draining == "leaving" end)
	t:match(a:actors("Port")[1].Said, "|The time is over, and this server goes out of service.|$")
	t:within(5, function() return at(b, ann, bob) end)
	owned(t, { a, b }, ann, bob)
	t:eq(b:controller(bob).PlayerReplicationInfo.Score, 20)
	t:within(6, function() return a.draining == "drained" end)
	t:error(function() t:drain(a, false) end, "the players are gone already")
	t:error(function() t:drain(a) end, "does not run")
	t:run(2)
	t:no(b.draining)
	owned(t, { b }, ann, bob)

	t:restart(a) -- a newer program
	t:no(a.draining)
	cid:join()
	t:within(5, function() return at(a, cid) end)
	owned(t, { a, b }, ann, bob)
end)

scenario("drain: it waits for the end of the round (C7)", function(t)
	local a, b, ann, bob = begin(t, "?postmatch=1")
	t:drain(a, 0)
	t:run(20)
	t:eq(a.draining, "draining")
	a:call(a:actors("Port")[1], "EndMatch", "test")
	t:within(2, function() return a.draining == "leaving" end)
	t:match(a:actors("Port")[1].Said, "|The round is over, and this server goes out of service.|$")
	t:within(8, function() return a.draining == "drained" end)
	owned(t, { a, b }, ann, bob)
	t:ok(at(b, ann, bob))
end)

scenario("drain: without another host players are told, and find all again when it is back (C7)", function(t)
	t:scripts(PORT)
	local a = t:server { game = "Port" }
	local b = t:host { name = "b" } -- another game
	local ann = t:client { name = "Ann" }
	t:within(5, function() return at(a, ann) end)
	a:controller(ann).PlayerReplicationInfo.Gold = GOLD.Ann
	t:run(0.5)
	t:store { delay = 3 } -- it ends when the store has answered
	t:drain(a, 1)
	t:within(5, function() return a.draining == "storing" end)
	t:within(2, function() return ann.error_code == "stopping" end)
	t:match(ann.error, "the time is over, and this server goes out of service")
	t:run(2)
	t:eq(a.draining, "storing")
	t:within(5, function() return a.draining == "drained" end)
	t:eq({ #a:log(), #found(b, "Ann") }, { 0, 0 })
	t:restart(a)
	ann:join()
	t:within(8, function() return at(a, ann) end)
	t:eq(a:controller(ann).PlayerReplicationInfo.Gold, GOLD.Ann)
end)

scenario("drain: a store that does not answer ends it with a line that says so (C7)", function(t)
	t:scripts(PORT)
	local a = t:server { game = "Port" }
	local ann = t:client { name = "Ann" }
	t:within(5, function() return at(a, ann) end)
	a:controller(ann).PlayerReplicationInfo.Gold = GOLD.Ann
	t:store { down = "the disk is full" }
	t:drain(a, 1)
	t:within(5, function() return a.draining == "storing" end)
	t:within(31, function() return a.draining == "drained" end)
	t:match(a:log()[#a:log()], "the store has not finished within 30 s")
end)

scenario("drain: one that is called off leaves no trace (C7)", function(t)
	local a, b, ann, bob = begin(t, "?postmatch=1?maps=flat,wall")
	t:eq(t:drain(a, false), "the host is in service")
	t:drain(a)
	t:run(1)
	t:eq(t:drain(a, false), "the host is in service again")
	t:no(a.draining)
	local cid = t:client { name = "Cid" }
	t:within(5, function() return at(a, cid) end)

	t:kill(b) -- so that nobody leaves
	t:run(10)
	t:drain(a)
	a:call(a:actors("Port")[1], "EndMatch", "test")
	t:within(2, function() return a.draining == "leaving" end)
	t:run(1)
	t:eq(a:eval("return world.LevelName"), "flat")
	t:drain(a, false) -- the travel that it has held back follows
	t:within(5, function() return a:eval("return world.LevelName") == "wall" and at(a, ann, bob, cid) end)
	owned(t, { a }, ann, bob)
	t:no(ann.error)
end)

scenario("drain: who lost the connection may return, and an empty host waits for them (C7)", function(t)
	t:scripts(PORT)
	local a = t:server { game = "Port", options = "?grace=20" }
	local ann = t:client { name = "Ann" }
	t:within(5, function() return at(a, ann) end)
	ann:leave()
	t:run(1)
	t:drain(a, 60)
	t:run(5)
	t:eq(a.draining, "draining")
	ann:join()
	t:within(5, function() return at(a, ann) end)
	ann:leave()
	t:run(15)
	t:eq(a.draining, "draining")
	t:within(10, function() return a.draining == "drained" end)
end)

for step = 0, 12 do
	scenario(("drain: a host drains %d ticks after players were sent there: they are in one of the two, and stay in the cluster (C6, C7)"):format(2 * step), function(t)
		local a, b, ann, bob = begin(t)
		a:call(a:actors("Port")[1], "Go", "b")
		t:ticks(2 * step)
		t:drain(b, 4)
		t:run(3)
		owned(t, { a, b }, ann, bob)
		for _, client in ipairs { ann, bob } do
			t:ok(at(a, client) or at(b, client), client.name .. " is in")
			t:no(client.error)
		end
		t:eq(at(b, ann, bob), step > 0) -- who had a place when the drain began
		t:within(10, function() return b.draining == "drained" end)
		owned(t, { a, b }, ann, bob)
		t:ok(at(a, ann, bob))
	end)
end

scenario("drain: who is sent to a host that drains stays, and the script is told why (C6, C7)", function(t)
	local a, b, ann, bob = begin(t)
	local cid = t:client { name = "Cid", host = "b" } -- who keeps it from ending
	t:within(5, function() return at(b, cid) end)
	t:drain(b, 60)
	a:call(a:actors("Port")[1], "Go", "b") -- before its list says so
	t:within(3, function() return a:actors("Port")[1].Answer:match("it is draining") end)
	t:run(1)
	a:call(a:actors("Port")[1], "Go", "b")
	t:within(1, function() return a:actors("Port")[1].Answer:match("no host \"b\" has room") end)
	t:ok(at(a, ann, bob))
end)

scenario("drain: who was sent on to a host that dies comes back, and is told why they cannot stay (C6, C7)", function(t)
	local a, b, ann, bob = begin(t)
	t:drain(a, 0.05)
	t:within(1, function() return #found(a, "Ann") + #found(a, "Bob") == 0 end)
	t:eq(#found(b, "Ann") + #found(b, "Bob"), 0)
	t:kill(b)
	t:run(4) -- it waits for them
	t:eq(a.draining, "leaving")
	t:within(10, function() return at(a, ann) end)
	owned(t, { a }, ann)
	t:within(10, function() return ann.error_code == "stopping" and bob.error_code == "stopping" end)
	t:within(2, function() return a.draining == "drained" end)
	t:restart(a)
	ann:join()
	bob:join()
	t:within(5, function() return at(a, ann, bob) end)
	owned(t, { a }, ann, bob)
end)

scenario("drain: who was sent on to a host that dies goes to a third one (C6, C7)", function(t)
	local a, b, ann, bob = begin(t)
	local c = t:host { name = "c", game = "Port" }
	t:run(0.5)
	t:drain(a, 0.05)
	t:within(1, function() return #found(a, "Ann") + #found(a, "Bob") == 0 end)
	t:kill(b)
	t:within(20, function() return at(c, ann, bob) end)
	owned(t, { a, c }, ann, bob)
	t:within(10, function() return a.draining == "drained" end)
end)

-- What may happen while a host drains; it returns a host that it ended.
local FAULTS = {
	["the host is killed"] = function(t, a) t:kill(a) return a end,
	["the other host is killed"] = function(t, _, b) t:kill(b) return b end,
	["the host is cut off for 12 s"] = function(t, a) t:partition(a) t:run(12) t:partition(a, false) end,
	["the other host is cut off for 12 s"] = function(t, _, b) t:partition(b) t:run(12) t:partition(b, false) end,
}

-- Ticks after the beginning of the drain: every fourth one while players are told and go, and some of the time after that.
local TICKS = { 90, 184, 188, 242 }
for tick = 0, 28, 4 do TICKS[#TICKS + 1] = tick end

-- Checks that each player is in one world, or knows that they are in none; returns those who are in none.
local function out(t, a, b, ...)
	local list = {}
	for _, client in ipairs { ... } do
		local n = #found(a, client.name) + #found(b, client.name)
		t:le(n, 1, client.name .. " is in so many worlds")
		if n == 0 then
			t:ok(client.error_code, client.name .. " knows that they are in none")
			list[#list + 1] = client
		else
			t:ok(at(a, client) or at(b, client), client.name .. " plays where they are")
		end
	end
	return list
end

for_each(TICKS, function(tick)
	for_each(FAULTS, function(fault, what)
		scenario(("drain: %s %d ticks after it began: each player is in one world, or told, and owns what they had (C7, C10)"):format(what, tick), function(t)
			local a, b, ann, bob = begin(t)
			t:drain(a, 0.05)
			a:call(a:actors("Port")[1], "Trade") -- kept for both or for neither
			t:ticks(tick)
			local was = {}
			for _, client in ipairs { ann, bob } do
				was[client] = { [a] = #found(a, client.name) > 0, [b] = #found(b, client.name) > 0 }
			end
			local dead = fault(t, a, b)
			t:within(60, function()
				return (dead == a or a.draining == "drained")
					and (ann.error_code or at(a, ann) or at(b, ann)) and (bob.error_code or at(a, bob) or at(b, bob))
			end)
			t:run(1)
			local lost = out(t, a, b, ann, bob)
			for _, client in ipairs(lost) do
				t:eq(client.error_code, dead and was[client][dead] and "timeout" or "stopping")
			end
			if #lost > 0 then -- they join again, as their programs or they themselves do, when the hosts are back
				t:restart(a)
				if dead == b then t:restart(b) end
				for _, client in ipairs(lost) do client:join() end
					t:within(45, function() return (at(a, ann) or at(b, ann)) and (at(a, bob) or at(b, bob)) end)
				out(t, a, b, ann, bob)
			end
			local gold = {}
			for _, host in ipairs { a, b } do
				for _, client in ipairs { ann, bob } do
					for _, state in ipairs(found(host, client.name)) do gold[client.name] = state.Gold end
				end
			end
			t:eq(gold.Ann + gold.Bob, 100)
			t:ok(gold.Ann == 70 or gold.Ann == 60, "the trade")
		end)
	end)
end)

-- The last steps: players are disconnected, profiles are written and given back, the host ends.
for_each({ 180, 184, 188, 220 }, function(tick)
	for_each({ ["killed"] = true, ["cut off for 12 s"] = false }, function(kill, what)
		scenario(("drain: a host by itself is %s %d ticks after it began: what players own is there when it is back (C7, C10)"):format(what, tick), function(t)
			local a, b, ann, bob = begin(t)
			t:kill(b)
			t:run(10)
			for _, client in ipairs { ann, bob } do
				local state = a:controller(client).PlayerReplicationInfo
				state.Gold = state.Gold + 1 -- it is saved as they leave
			end
			t:drain(a, 0.05)
			t:ticks(tick)
			if kill then
				t:kill(a)
			else
				t:partition(a)
				t:run(12)
				t:partition(a, false)
				t:within(20, function() return a.draining == "drained" end)
				t:eq(#a:log(), 0)
			end
			t:within(12, function() return ann.error_code and bob.error_code end)
			t:restart(a)
			ann:join()
			bob:join()
			t:within(40, function() return at(a, ann, bob) end)
			for _, client in ipairs { ann, bob } do
				local more = found(a, client.name)[1].Gold - GOLD[client.name]
				t:ok(more == 1 or kill and more == 0, client.name .. " has what was kept")
			end
		end)
	end)
end)
