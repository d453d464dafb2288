-- R6.4 across an actor and its components: the order of calls, openings and ends, and a second look at relevancy before a
-- call is sent (R3.12). Calls that wait for a reference are in net_r6_waiting.lua.

local net = require("shared.net")
local hears, notes = net.hears, net.notes
local shared = require("shared.speaker")
local NEAR, BAD, begin, speaker = shared.NEAR, shared.BAD, shared.begin, shared.spawn

-- Order

scenario("R6.4 R5.20 calls of one tick keep their order where a component is destroyed", { seeds = 3 }, function(t)
	local s, a = begin(t, BAD, "a")
	local x, c = speaker(t, s, a)
	x:Tell(1)
	x.Voice:Say(1)
	x:Tell(2)
	x.Voice:Destroy()
	hears(t, a, "a1 v1 a2 vgone ")
	t:ok(c.alive)
end)

for_each({
	{ "two components, one after the other", function(x)
		x.Voice:Say(1)
		x.Echo:Say(2)
		x:Tell(3)
		x.Voice:Destroy()
		x.Echo:Say(4)
		x:Tell(5)
		x.Echo:Destroy()
		x:Tell(6)
	end, "v1 e2 a3 vgone e4 a5 egone a6 " },
	{ "a component and then the actor", function(x)
		x:Tell(1)
		x.Voice:Say(2)
		x.Voice:Destroy()
		x.Echo:Say(3)
		x:Tell(4)
		x:Destroy()
	end, "a1 v2 vgone e3 a4 egone gone " },
	{ "the actor with its components", function(x)
		x.Echo:Say(1)
		x:Tell(2)
		x.Voice:AllSay(3)
		x:AllTell(4)
		x.Echo:Say(5)
		x:Destroy()
	end, "e1 a2 v3 a4 e5 egone vgone gone " },
}, function(case)
	scenario("R6.4 R5.20 calls and ends of one tick keep their order: " .. case[1], { seeds = 3 }, function(t)
		local s, a = begin(t, BAD, "a")
		case[2]((speaker(t, s, a)))
		hears(t, a, case[3])
	end)
end)

scenario("R6.4 R5.20 calls on a component of the tick that added it, and takes it away", { seeds = 3 }, function(t)
	local s, a = begin(t, BAD, "a")
	local x = speaker(t, s, a)
	x:Tell(1)
	x:AddComponent("Voice", "Extra")
	x.Extra.Tag = "x"
	x.Extra:Say(2)
	x:Tell(3)
	x.Extra:Say(4)
	x.Extra:Destroy()
	x:Tell(5)
	hears(t, a, "a1 x2 a3 x4 xgone a5 ")
end)

scenario("R6.4 R5.20 a component's variables are not applied before earlier calls on its actor, nor the other way round",
	{ seeds = 5 }, function(t)
	t:scripts [[
		local Part = class("Part", "ActorComponent")
		Part.properties { N = int(0) }
		Part.replication { { "N" } }
		function Part.client.reliable:Say(n) self:GetOwner():Hear(n) end
		Part.params { Say = { int(0) } }
		local Pair = class("Pair")
		Pair.properties { N = int(0) }
		Pair.components { One = "Part", Two = "Part" }
		Pair.defaults { bAlwaysRelevant = true }
		Pair.replication { { "N" } }
		function Pair:Hear(n)
			if self.N >= n or self.One.N >= n or self.Two.N >= n then self.early = (self.early or "") .. n .. " " end
			self.last = n
		end
		function Pair.client.reliable:Say(n) self:Hear(n) end
		Pair.params { Say = { int(0) } }
	]]
	local s, a = begin(t, BAD, "a")
	local x = s:spawn("Pair", { Owner = s:controller(a) })
	local c = t:within(3, function() return a:copy(x) end)
	t:run(0.5)
	for i = 1, 40 do
		local from = ({ x, x.One, x.Two })[i % 3 + 1]
		from:Say(i)
		x.N, x.One.N, x.Two.N = i, i, i
		t:ticks(2)
	end
	t:within(8, function() return c.last == 40 and c.N == 40 and c.One.N == 40 and c.Two.N == 40 end)
	t:eq(c.early, nil, "calls that ran after the variables of their own time")
end)

scenario("R6.4 a call made while an actor or its component is being destroyed goes nowhere", function(t)
	t:scripts [[
		local Fuse = class("Fuse", "ActorComponent")
		function Fuse.multicast.reliable:AllHiss(n) self:GetOwner():Note("hiss" .. n) end
		Fuse.params { AllHiss = { int(0) } }
		function Fuse:Destroyed() self:AllHiss(2) end
		local Bomb = class("Bomb")
		Bomb.components { Fuse = "Fuse" }
		Bomb.defaults { bAlwaysRelevant = true }
		function Bomb:Note(what)
			if not self:HasAuthority() then world.GameState.notes = (world.GameState.notes or "") .. what .. " " end
		end
		function Bomb.multicast.reliable:AllBang(n) self:Note("bang" .. n) end
		Bomb.params { AllBang = { int(0) } }
		function Bomb:Destroyed() self:AllBang(2) end
	]]
	local s, a = begin(t, nil, "a")
	local x, y = s:spawn("Bomb"), s:spawn("Bomb")
	t:within(2, function() return a:copy(x) and a:copy(y) end)
	x.Fuse:AllHiss(1)
	x.Fuse:Destroy()
	y:AllBang(1)
	y:Destroy()
	t:run(0.5)
	x:AllBang(3)
	hears(t, a, "hiss1 bang1 bang3 ")
	t:eq(a:copy(x).Fuse, nil)
	for _, line in ipairs(a:log()) do t:no(line:find("cannot make"), line) end
	t:eq(#a:actors("Bomb"), 1)
	x:Destroy()
	t:within(1, function() return #a:actors("Bomb") == 0 end)
end)

-- Opening

scenario("R6.4 R5.20 calls on an actor and its components that are not open yet keep their order", { seeds = 3 }, function(t)
	local s, a = begin(t, BAD, "a")
	for i = 1, 4 do
		local x = s:spawn("Speaker", { Owner = s:controller(a), Location = NEAR })
		x.Echo:Say(i * 10 + 1)
		x:Tell(i * 10 + 2)
		x.Voice:Say(i * 10 + 3)
		t:ticks(i)
		x:Tell(i * 10 + 4)
		x.Echo:Say(i * 10 + 5)
		if i == 4 then
			t:within(6, function() return notes(a):find("e45") end)
			t:run(0.5)
		end
	end
	local text = notes(a)
	for i = 1, 4 do
		local list = {}
		for word in text:gmatch("%S+") do
			if word:sub(2, 2) == tostring(i) then list[#list + 1] = word:sub(1, 1) .. word:sub(3) end
		end
		t:eq(table.concat(list, " "), "e1 a2 v3 a4 e5")
	end
end)

scenario("R6.5 unreliable calls never close a connection, not on an actor whose opening is under way either", function(t)
	local s, a = begin(t, nil, "a")
	a:link { loss = 1 }
	local x = s:spawn("Speaker", { Owner = s:controller(a), Location = NEAR })
	for i = 1, 600 do
		x:Murmur(i)
		x.Voice:Murmur(i)
		if i % 10 == 0 then t:ticks(1) end
	end
	t:ok(s:controller(a), "the connection stands")
	a:link { loss = 0 }
	x:Tell(1)
	t:within(4, function() return notes(a):find("a1 ") end)
	t:gt(t:traffic(a).by_function["Speaker.Murmur"].dropped, 0)
end)

-- The second look (R3.12): what was decided when a call was made, or began to wait, may not hold any more when it is sent.

for_each({
	{ "its owner's relevancy", { bNetUseOwnerRelevancy = true }, function(_, hand) hand.bOnlyRelevantToOwner = true end },
	{ "what it is attached to", {}, function(_, hand) hand.bOnlyRelevantToOwner = true end, true },
	{ "its owner", { bOnlyRelevantToOwner = true }, function(s, _, x, b) x.Owner = s:controller(b) end },
	{ "its owner's owner", { bOnlyRelevantToOwner = true }, function(s, hand, _, b) hand.Owner = s:controller(b) end },
	{ "whether it replicates", {}, function(_, _, x) x.RemoteRole = ROLE_None end },
}, function(case)
	for _, part in ipairs { false, true } do
		scenario("R3.12 a call made after a change of " .. case[1] .. " in the same tick does not reach whoever lost the actor by it: "
			.. (part and "component" or "actor"), function(t)
			local s, a, b = begin(t, nil, "a", "b")
			local hand = s:spawn("Actor", { Location = NEAR, Owner = s:controller(a) })
			local props = { Location = NEAR, bAlwaysRelevant = false, Owner = hand }
			if case[4] then props.Owner = nil end
			for k, v in pairs(case[2]) do props[k] = v end
			local x = s:spawn("Speaker", props)
			if case[4] then x:SetBase(hand, true) end
			t:within(2, function() return a:copy(x) end)
			t:run(0.3)
			if case[4] or case[2].bNetUseOwnerRelevancy then -- a keeps it as the owner of hand, b loses it
				t:within(2, function() return b:copy(x) end)
				a, b = b, a
			end
			case[3](s, hand, x, b)
			if part then x.Voice:AllSay(1) else x:AllTell(1) end
			t:within(1, function() return a:copy(x) == nil end)
			t:run(0.3)
			t:eq(notes(a):find("[av]1"), nil)
		end)
	end
end)
