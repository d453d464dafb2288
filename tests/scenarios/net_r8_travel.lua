-- Section 8 of the rules: travel to another level with the players, R8.7.

-- Joins a client for each table of options and waits until all are in.
local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(8, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

-- A client that goes by a name in the game, too.
local function named(name, link)
	local o = { name = name, options = "?name=" .. name }
	for k, v in pairs(link or {}) do o[k] = v end
	return o
end

-- The names of the players, as one peer's GameState lists them.
local function players(peer)
	return peer:eval [[
		local names = {}
		if world.GameState then
			for i, p in ipairs(world.GameState.PlayerArray) do names[i] = p.PlayerName end
		end
		return names
	]]
end

-- Goes to a level and waits until all clients are there, with their pawns.
local function travel(t, s, url, ...)
	local list = { ... }
	s:eval("world:Travel('" .. url .. "')")
	local level = url:match("^[^?]*")
	t:within(8, function()
		if level ~= "" and s:eval("return world.LevelName") ~= level then return false end
		for _, c in ipairs(list) do
			local there = s:controller(c) and c:controller() and c:copy(s:controller(c)) == c:controller()
			if not there or not c:pawn() or level ~= "" and c:eval("return world.LevelName") ~= level then
				return false
			end
		end
		return true
	end)
end

local BAD = { lag = 0.05, jitter = 0.02, loss = 0.1, dup = 0.1, reorder = 0.2 }

scenario("R8.7 players travel: connections stay, their PlayerStates go along, the old world is gone", { seeds = 5 }, function(t)
	local s = t:server{}
	local a, b = join(t, s, named("Ann", BAD), named("Bob", BAD))
	t:within(5, function() return #players(a) == 2 and #players(b) == 2 and a:pawn() end)
	local before = {}
	for _, c in ipairs { a, b } do
		local p = s:controller(c).PlayerReplicationInfo
		before[c] = { p.PlayerName, p.PlayerID, p.UniqueId }
	end
	local old, copy = s:pawn(a), a:pawn()
	travel(t, s, "steps", a, b)
	t:no(old.alive)
	t:no(copy.alive)
	t:within(5, function() return #players(a) == 2 and #players(b) == 2 end)
	for _, c in ipairs { a, b } do
		local p = s:controller(c).PlayerReplicationInfo
		t:eq({ p.PlayerName, p.PlayerID, p.UniqueId }, before[c])
		t:eq(c.error, nil)
		t:eq(#c:actors("PlayerController"), 1)
		t:eq(#c:actors("GameReplicationInfo"), 1)
		t:within(3, function() return #c:actors("Character") == 2 end)
	end
	t:eq(players(s), players(a))
	t:eq(s:eval("return world.Game").NumPlayers, 2)
	t:eq(#s:actors("Character"), 2)
end)
