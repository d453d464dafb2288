-- net: a server and its clients, and what a client has and has seen. A client is given by a table of options, or by its name.
local net = {}

local function clients(t, ...)
	local list = {}
	for i, o in ipairs { ... } do list[i] = t:client(type(o) == "string" and { name = o } or o) end
	return list
end

-- The text of a game whose players have pawns of a class: for reloads, which replace all that t:scripts gave.
function net.game(pawn)
	return ([[
		local PawnGame = class("PawnGame", "GameInfo")
		PawnGame.defaults { DefaultPawnClass = "%s" }
	]]):format(pawn)
end

-- A server. Besides the options of t:server there is pawn, the class of the game's pawns.
function net.server(t, options)
	local all = {}
	for k, v in pairs(options or {}) do all[k] = v end
	if all.pawn then
		t:scripts(net.game(all.pawn))
		all.game, all.pawn = "PawnGame", nil
	end
	return t:server(all)
end

-- Clients that are in: each has its controller.
function net.join(t, s, ...)
	local list = clients(t, ...)
	t:within(10, function()
		for _, c in ipairs(list) do
			if not s:controller(c) or not c:controller() then return false end
		end
		return true
	end)
	return unpack(list)
end

-- Waits until each client has its pawn.
function net.joined(t, s, ...)
	local list = { ... }
	t:within(8, function()
		for _, c in ipairs(list) do
			if not s:pawn(c) or not c:pawn() then return false end
		end
		return true
	end)
end

-- A server, and clients with their controllers.
function net.start(t, options, ...)
	local s = net.server(t, options)
	return s, net.join(t, s, ...)
end

-- A server, and clients with their pawns.
function net.play(t, options, ...)
	local s = net.server(t, options)
	local list = clients(t, ...)
	net.joined(t, s, unpack(list))
	return s, unpack(list)
end

-- A server, and a player "a" with options of a client; and the player's pawn on the server.
function net.player(t, server, options)
	local o = { name = "a" }
	for k, v in pairs(options or {}) do o[k] = v end
	local s, a = net.play(t, server, o)
	return s, a, t:within(5, function() return a:controller() and s:pawn(a) end)
end

-- As net.play, and half a second later.
function net.ready(t, options, ...)
	local all = { net.play(t, options or {}, ...) }
	t:run(0.5)
	return unpack(all)
end

-- As net.play, and each pawn has a weapon in its hand.
function net.armed(t, options, ...)
	local all = { net.play(t, options, ...) }
	t:within(5, function()
		for i = 2, #all do
			if not all[i]:pawn().Weapon then return false end
		end
		return true
	end)
	return unpack(all)
end

-- The functions above for scenarios that have these classes: CHEST.play(t, {}, "a") is t:scripts(CHEST.classes) and
-- net.play(t, {}, "a").
function net.with(classes)
	local with = { classes = classes }
	for name, make in pairs(net) do
		with[name] = function(t, ...)
			t:scripts(classes)
			return make(t, ...)
		end
	end
	return with
end

-- A client's copy of an actor.
function net.copy(t, client, actor) return t:within(5, function() return client:copy(actor) end) end

-- The copies of several clients.
function net.copies(t, actor, ...)
	local list = {}
	for i, c in ipairs { ... } do list[i] = net.copy(t, c, actor) end
	return unpack(list)
end

-- As net.start, and then the first client's pawn on the server, and the copy of it that each client has.
function net.pawn(t, options, ...)
	local all = { net.start(t, options, ...) }
	local pawn, last = all[1]:pawn(all[2]), #all
	all[last + 1] = pawn
	for i = 2, last do all[#all + 1] = net.copy(t, all[i], pawn) end
	return unpack(all)
end

-- An actor of the server, and its copies at clients.
function net.spawn(t, s, class, props, ...)
	local actor = s:spawn(class, props)
	return actor, net.copies(t, actor, ...)
end

-- A server without clients, and an actor of each of these classes.
function net.actors(t, ...)
	local s, list = t:server {}, {}
	for i, class in ipairs { ... } do list[i] = s:spawn(class) end
	return s, unpack(list)
end

-- A server without clients, and an actor of it.
function net.alone(t, class, props)
	local s = t:server {}
	return s, s:spawn(class, props)
end

-- A server, a client with its controller, an actor of the server, and the client's copy.
function net.actor(t, class, props, client)
	local s, a = net.start(t, {}, client)
	return s, a, net.spawn(t, s, class, props, a)
end

-- The same of an actor that is the client's.
function net.owned(t, class, props, client)
	local s, a = net.start(t, {}, client)
	local all = { Owner = s:controller(a) }
	for name, value in pairs(props) do all[name] = value end
	return s, a, net.spawn(t, s, class, all, a)
end

-- A player gives an input for some seconds; the input stays after that.
function net.hold(t, client, input, seconds)
	client:input(input)
	t:run(seconds)
end

-- A player holds a key for some seconds.
function net.press(t, client, key, seconds)
	client:input { [key] = true }
	t:run(seconds)
	client:input { [key] = false }
end

-- A server and clients on lines of one kind, given by their names, when each has its pawn and the GameState.
function net.begin(t, classes, line, ...)
	t:scripts(classes)
	local list = {}
	for i, name in ipairs { ... } do
		local o = { name = name }
		for k, v in pairs(line or {}) do o[k] = v end
		list[i] = o
	end
	local all = { net.play(t, {}, unpack(list)) }
	t:within(8, function()
		for i = 2, #all do
			if not all[i]:eval("return world.GameState") then return false end
		end
		return true
	end)
	return unpack(all)
end

-- A client that goes by its name in the game, too; with more of its options at Login, or of its link.
function net.named(name, options, link)
	local o = { name = name, options = "?name=" .. name .. (options or "") }
	for k, v in pairs(link or {}) do o[k] = v end
	return o
end

-- The class of an actor that is relevant to all, with these variables and rules of replication.
function net.thing(name, variables, rules)
	return ([[
		local Thing = class("%s")
		Thing.properties { %s }
		Thing.defaults { bAlwaysRelevant = true }
		Thing.replication { %s }
	]]):format(name, variables, rules)
end

-- The class of a pawn that its player drives, with V under a condition.
function net.hero(condition)
	return [[
		local Hero = class("Hero", "Character")
		Hero.properties { V = int(0), Seen = int(0) }
		Hero.defaults { bAlwaysRelevant = true }
		Hero.replication { { "V", when = ]] .. condition .. [[ }, { "Seen" } }
	]]
end

-- How many bytes a client was sent of a class, or of one of its variables, "Class.Name".
function net.bytes(t, client, key)
	local traffic = t:traffic(client)
	local entry = traffic.by_property[key] or traffic.by_class[key]
	return entry and entry.bytes or 0
end

-- The values of a variable that a client received, in order.
function net.received(t, client, actor, name)
	local list = {}
	for _, e in ipairs(t:trace(client)) do
		if e.event == "set" and e.actor == actor and e.name == name then list[#list + 1] = e.value end
	end
	return list
end

-- How many events about an actor a client saw; of a kind and a name, or all.
function net.count(t, client, actor, event, name)
	local n = 0
	for _, e in ipairs(t:trace(client)) do
		if e.actor == actor and (not event or e.event == event) and (not name or e.name == name) then n = n + 1 end
	end
	return n
end

-- Variables of an actor have these values.
function net.holds(t, x, want) for name, value in pairs(want) do t:eq(x[name], value, name) end end

-- What the script classes of a scenario noted in a client's GameState.
function net.notes(c) return c:eval("return world.GameState and world.GameState.notes") or "" end

-- A client's notes are these, and no more come.
function net.hears(t, c, want)
	t:within(3, function() return #net.notes(c) >= #want end, "expected " .. want)
	t:run(0.5)
	t:eq(net.notes(c), want)
end

-- The names of the players that a peer knows, in order.
function net.players(peer)
	return peer:eval [[
		local names = {}
		for i, p in ipairs(world.GameState and world.GameState.PlayerArray or {}) do names[i] = p.PlayerName end
		return names
	]]
end

return net
