-- Section 5 of the rules: all of it at once, over bad links; what is large; nothing but what there was.

local net = require("shared.net")
local join = net.join

local ALL = net.with [[
	local Part = class("Part", "ActorComponent")
	Part.properties { N = int(0), To = ref("Thing"), Bag = fastarray(struct { K = int(0) }) }
	Part.replication { { "N", "To", "Bag" } }
	local Thing = class("Thing")
	Thing.components { Part = "Part" }
	Thing.properties {
		N = int(0), Mine = int(0), At = vector(0, 0, 0), Label = "", To = ref("Thing"), S = struct { A = int(0), B = int(0), To = ref("Thing") },
		Arr = array(int(0), 6), Refs = array(ref("Thing"), 3), Bag = fastarray(struct { K = int(0), To = ref("Thing") }), First = int(0),
	}
	Thing.defaults { bUpdateSimulatedPosition = true }
	Thing.replication { { "N", "At", "Label", "To", "S", "Arr", "Refs", "Bag" }, { "Mine", when = COND_OwnerOnly } }
	function Thing:List()
		local list = {}
		for key, item in self.Bag:Pairs() do list[#list + 1] = { key, item.K, item.To or false } end
		return list
	end
	function Thing:Keys()
		local list = {}
		for key in self.Bag:Pairs() do list[#list + 1] = key end
		return list
	end
]]

-- Whether a client's copy is what the server's actor is, as far as the client may know.
local function same(s, client, thing)
	local c = client:copy(thing)
	local function at(x) return x and client:copy(x) or nil end
	if c.N ~= thing.N or c.At ~= thing.At or c.Label ~= thing.Label or c.To ~= at(thing.To) then return "plain" end
	if c.Location ~= thing.Location then return "location" end
	if thing.Owner == s:controller(client) and c.Mine ~= thing.Mine then return "mine" end
	if c.S.A ~= thing.S.A or c.S.B ~= thing.S.B or c.S.To ~= at(thing.S.To) then return "struct" end
	for i = 1, 6 do if c.Arr[i] ~= thing.Arr[i] then return "array" end end
	for i = 1, 3 do if c.Refs[i] ~= at(thing.Refs[i]) then return "refs" end end
	local x, y = thing:List(), c:List()
	if #x ~= #y then return "bag" end
	for i, item in ipairs(x) do
		if item[1] ~= y[i][1] or item[2] ~= y[i][2] or (at(item[3] or nil) or false) ~= y[i][3] then return "bag item" end
	end
	if c.Part.N ~= thing.Part.N or c.Part.To ~= at(thing.Part.To) or #c.Part.Bag ~= #thing.Part.Bag then return "part" end
	return nil
end

for_each({
	{ "over lossy links", { name = "a", lag = 0.04, jitter = 0.02, loss = 0.15, reorder = 0.1, dup = 0.05 } },
	{ "over a narrow link", { name = "a", lag = 0.1, jitter = 0.03, loss = 0.05, down = 3000, up = 3000 } },
	{ "with reloads in between", { name = "a", lag = 0.05, jitter = 0.02, loss = 0.1 }, true },
}, function(case)
	scenario("R5.8 everything at once " .. case[1] .. ": what each client may know is right in the end", { seeds = 5 }, function(t)
		local s = ALL.server(t, {})
		local clients = { join(t, s, case[2], { name = "b", lag = 0.01, loss = 0.05 }) }
		local seed = t:seed() * 7919
		local function chance(n)
			seed = (seed * 16807) % 2147483647
			return seed % n + 1
		end
		local things = {}
		local function any() return things[chance(#things)] end
		for _ = 1, 4 do things[#things + 1] = s:spawn("Thing") end
		local acts = {
			function(x) x.N = chance(1000) end,
			function(x) x.Mine = chance(1000) end,
			function(x) x.At = vector(chance(2000) - 1000, chance(60000) - 30000, chance(9)) end,
			function(x) x.Location = vector(chance(2000) - 1000, chance(2000) - 1000, 100) end,
			function(x) x.Label = string.rep("x", chance(20)) end,
			function(x) x.To = chance(3) > 1 and any() or nil end,
			function(x) x.S.A = chance(100) end,
			function(x) x.S = { A = chance(100), B = chance(100), To = any() } end,
			function(x) x.Arr[chance(6)] = chance(1000) end,
			function(x) x.Refs[chance(3)] = chance(3) > 1 and any() or nil end,
			function(x) x.Bag:Add { K = chance(100), To = any() } end,
			function(x) local k = x:Keys() if #k > 0 then x.Bag:Set(k[chance(#k)], { K = chance(100), To = any() }) end end,
			function(x) local k = x:Keys() if #k > 0 then x.Bag:Remove(k[chance(#k)]) end end,
			function(x) x.Owner = chance(3) > 1 and s:controller(clients[chance(2)]) or nil end,
			function(x) x.bOnlyRelevantToOwner = chance(2) == 1 end,
			function(x) x.bAlwaysRelevant = chance(2) == 1 end,
			function(x) x.RemoteRole = chance(4) == 1 and ROLE_None or ROLE_SimulatedProxy end,
			function(x) x.Part.N = chance(1000) end,
			function(x) x.Part.To = any() end,
			function(x) x.Part.Bag:Add { K = chance(9) } end,
			function() if #things < 10 then things[#things + 1] = s:spawn("Thing", { N = chance(99) }) end end,
			function() if #things > 3 then table.remove(things, chance(#things)):Destroy() end end,
		}
		for n = 1, 120 do
			if case[3] and n % 40 == 0 then
				t:reload(ALL.classes:gsub("First = int%(0%)", "X" .. n .. " = int(0), First = int(0)"):gsub('"N", "At"', '"X' .. n .. '", "N", "At"'))
			end
			for _ = 1, chance(6) do acts[chance(#acts)](any()) end
			t:ticks(1)
		end
		for _, x in ipairs(things) do x.bAlwaysRelevant, x.bOnlyRelevantToOwner, x.RemoteRole = true, false, ROLE_SimulatedProxy end
		local function wrong()
			for _, client in ipairs(clients) do
				if #client:actors("Thing") ~= #things then
					return client.name .. " has " .. #client:actors("Thing") .. " things of " .. #things
				end
				for i, x in ipairs(things) do
					local what = not client:copy(x) and "is missing" or same(s, client, x)
					if what then return client.name .. ": thing " .. i .. ": " .. what end
				end
			end
			return nil
		end
		for _ = 1, 60 do
			if not wrong() then break end
			t:run(0.2)
		end
		t:eq(wrong(), nil)
	end)
end)

scenario("R5.8 R5.10 a client shows only values that there were, however its packets came", { seeds = 5 }, function(t)
	t:scripts [[
		local Dot = class("Dot")
		Dot.properties { V = vector(0, 0, 0), N = int(0) }
		Dot.defaults { bAlwaysRelevant = true, bUpdateSimulatedPosition = true }
		Dot.replication { { "V", "N" } }
	]]
	local _, _, dot, c = net.actor(t, "Dot", { Location = vector(100, 0, 0) }, { name = "a", lag = 0.05, jitter = 0.03, loss = 0.2, reorder = 0.2, dup = 0.1 })
	local known, places = { ["0"] = true }, {}
	local function key(v) return v.X .. " " .. v.Y .. " " .. v.Z end
	known[key(vector(0, 0, 0))], places[key(vector(100, 0, 0))] = true, true
	local at, place = vector(0, 0, 0), vector(100, 0, 0)
	for n = 1, 150 do
		at = at + vector(n % 7 - 3, n % 50 * 5 - 125, n % 3 == 0 and n or 0)
		place = place + vector(n % 5, -(n % 9), n % 40 == 0 and 900 or 0)
		dot.V, dot.Location, dot.N = at, place, n
		known[key(at)], places[key(place)] = true, true
		t:ticks(1)
		t:ok(known[key(c.V)], "a V that never was")
		t:ok(places[key(c.Location)], "a Location that never was")
	end
	t:within(3, function()
		t:ok(known[key(c.V)] and places[key(c.Location)])
		return c.V == at and c.Location == place and c.N == 150
	end)
end)
