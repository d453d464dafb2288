-- Section 3 of the rules over time: what comes into and goes out of relevancy, and that nothing is told of what
-- is not relevant (R3.12).

local net = require("shared.net")
local joined, present, seen, holds = net.joined, net.copies, net.count, net.holds

-- Two players, a at (0, -2000) and b at (0, -1600), look along +x with eyes at z = 152.
local NEAR = vector(300, -1800, 100) -- both see it
local FAR = vector(0, 15900, 200) -- farther from both than 15 000
local BEHIND = vector(1000, 0, 100) -- level wall: hidden from both

scenario("R3.9 sight is each viewer's own: behind the wall there is another view", function(t)
	local s, a, b = net.play(t, { level = "wall" }, "a", "b")
	s:pawn(b).Location = vector(1200, 0, 88)
	local behind, before = s:spawn("Actor", { Location = BEHIND }), s:spawn("Actor", { Location = NEAR })
	present(t, behind, b)
	present(t, before, a)
	t:run(0.7)
	t:eq({ a:copy(behind), b:copy(before), a:copy(s:pawn(a)) ~= nil }, { nil, nil, true })
end)

scenario("R3.9 what comes into sight arrives, by its own way or the viewer's", function(t)
	local s, a = net.play(t, { level = "wall" }, "a")
	local x, y = s:spawn("Actor", { Location = BEHIND }), s:spawn("Actor", { Location = BEHIND + vector(0, 50, 0) })
	t:run(0.5)
	t:eq(a:copy(x), nil)
	x.Location = NEAR
	present(t, x, a)
	t:eq({ a:copy(x).Location, a:copy(y) }, { NEAR, nil })
	s:pawn(a).Location = vector(1200, 300, 88)
	present(t, y, a)
end)

scenario("R3.8 what comes nearer than the cull distance arrives", function(t)
	local s, a = net.play(t, {}, "a")
	local x = s:spawn("Actor", { Location = vector(3000, -2000, 100), NetCullDistance = 2000 })
	t:run(0.5)
	t:eq(a:copy(x), nil)
	x.Location = vector(1500, -2000, 100)
	present(t, x, a)
	local y = s:spawn("Actor", { Location = vector(3000, -2000, 100), NetCullDistance = 2000 })
	t:run(0.5)
	t:eq(a:copy(y), nil)
	y.NetCullDistance = 4000
	present(t, y, a)
end)

scenario("R3.7 what is shown arrives", function(t)
	local s, a = net.play(t, {}, "a")
	local x = s:spawn("Actor", { Location = NEAR, bHidden = true })
	t:run(0.5)
	t:eq(a:copy(x), nil)
	x.bHidden = false
	present(t, x, a)
	t:eq(a:copy(x).bHidden, false)
end)

scenario("R3.10 out of sight it stays for RelevantTimeout, 5 s, and goes on being sent; then it is destroyed", function(t)
	t:scripts [[
		local Rock = class("Rock")
		Rock.properties { N = int(0) }
		Rock.replication { { "N" } }
	]]
	local s, a = net.play(t, { level = "wall" }, "a")
	local x = net.spawn(t, s, "Rock", { Location = NEAR }, a)
	local copy = a:copy(x)
	x.Location = BEHIND
	t:run(2)
	x.N = 7
	t:within(0.5, function() return copy.N == 7 end)
	t:eq((t:why(a, x)), "R3.10")
	t:always(1.3, function() return copy.alive end)
	t:within(4, function() return not copy.alive end)
	t:eq({ a:copy(x), seen(t, a, x, "closed") }, { nil, 1 })
	x.N = 8
	t:run(0.3)
	t:eq(a:copy(x), nil)
end)

scenario("R3.10 seen again within the time, the copy is the same; seen later, it is a new one with what holds now", function(t)
	t:scripts [[
		local Rock = class("Rock")
		Rock.properties { N = int(0) }
		Rock.replication { { "N" } }
		function Rock.simulated:PostNetBeginPlay() self.began = self.N end
	]]
	local s, a = net.play(t, { level = "wall" }, "a")
	local x = net.spawn(t, s, "Rock", { Location = NEAR }, a)
	local copy = a:copy(x)
	x.Location = BEHIND
	t:run(2)
	x.Location = NEAR
	t:run(5)
	t:ok(copy.alive)
	t:eq({ a:copy(x), seen(t, a, x, "opened") }, { copy, 1 })
	x.Location = BEHIND
	t:within(7.5, function() return not copy.alive end)
	x.N = 9
	x.Location = NEAR + vector(50, 0, 0)
	present(t, x, a)
	holds(t, a:copy(x), { N = 9, began = 9, Location = NEAR + vector(50, 0, 0) })
	t:eq(seen(t, a, x, "opened"), 2)
end)

scenario("R3.10 RelevantTimeout is configuration, from 2 to 10 s", function(t)
	t:error(function() t:server{ config = { relevant_timeout = 11 } } end, "relevant_timeout.*10")
	t:error(function() t:server{ config = { relevant_timeout = 1 } } end, "relevant_timeout.*2")
	local s, a = net.play(t, { level = "wall", config = { relevant_timeout = 2 } }, "a")
	local x = net.spawn(t, s, "Actor", { Location = NEAR }, a)
	x.Location = BEHIND
	t:always(0.8, function() return a:copy(x) end)
	t:within(3, function() return a:copy(x) == nil end)
end)

scenario("R3.5 a player sees from his view target, which is relevant to him", function(t)
	local s, a, b = net.play(t, { level = "wall" }, "a", "b")
	local target = s:spawn("Actor", { Location = BEHIND, bHidden = true, NetCullDistance = 10 })
	local seenThere = s:spawn("Actor", { Location = BEHIND + vector(200, 0, 0) })
	local seenHere = s:spawn("Actor", { Location = NEAR })
	t:run(0.7)
	t:eq({ a:copy(target), a:copy(seenThere) }, { nil, nil })
	s:controller(a).ViewTarget = target
	present(t, target, a)
	present(t, seenThere, a)
	t:eq((t:why(a, target)), "R3.5")
	t:ok(a:copy(s:pawn(a)), "its pawn is its own all the same")
	t:within(8, function() return a:copy(seenHere) == nil end)
	t:eq({ b:copy(target), b:copy(seenThere) }, { nil, nil })
	t:ok(b:copy(seenHere))
end)

for_each({
	{ "out of range", true, function(x) x.Location = FAR end },
	{ "hidden", true, function(x) x.bHidden = true end },
	{ "hidden, sight off", false, function(x) x.bHidden = true end },
	{ "behind a wall", true, function(x) x.Location = BEHIND end },
}, function(case)
	scenario("R3.10 the time counts from when it was last seen, however long before its line of sight was traced: " .. case[1], function(t)
		local s, a = net.play(t, { level = "wall", config = { sight = case[2] } }, "a")
		local rocks = {}
		for i = 1, 12 do -- each has its own time to be traced, once a second
			rocks[i] = s:spawn("Actor", { Location = NEAR })
		end
		local function known()
			local n = 0
			for _, x in ipairs(rocks) do
				if a:copy(x) then n = n + 1 end
			end
			return n
		end
		t:within(1.5, function() return known() == #rocks end)
		t:run(6)
		for _, x in ipairs(rocks) do case[3](x) end
		t:always(4.8, function() return known() == #rocks end)
		t:within(4, function() return known() == 0 end)
	end)
end)

for_each({
	{ "R3.1 RemoteRole None", function(x) x.RemoteRole = ROLE_None end },
	{ "R3.4 relevant to its owner only, and nobody's", function(x) x.bOnlyRelevantToOwner = true end },
	{ "R3.3 its owner is far", function(x, s)
		x.Owner = s:spawn("Actor", { Location = FAR })
		x.bNetUseOwnerRelevancy = true
	end },
	{ "R3.6 hung on something far", function(x, s) x:SetBase(s:spawn("Actor", { Location = FAR }), true) end },
}, function(case)
	scenario("R3.10 does not override the rules before R3.7: " .. case[1], function(t)
		local s, a = net.play(t, {}, "a")
		local x = net.spawn(t, s, "Actor", { Location = NEAR }, a)
		t:run(0.5)
		case[2](x, s)
		t:within(1.2, function() return a:copy(x) == nil end)
		t:run(0.5)
		t:eq({ a:copy(x), seen(t, a, x, "closed") }, { nil, 1 })
	end)
end)

-- A reliable call asks about its actor at once, between two net updates.
scenario("R3.10 does not override the rules before R3.7: hung on something far, and called in that moment", function(t)
	t:scripts [[
		local Bell = class("Bell")
		Bell.properties { Times = int(0) }
		Bell.defaults { bNoDelete = true }
		Bell.replication { { "Times" } }
		function Bell.multicast.reliable.simulated:Ring() end
	]]
	local s, a = net.play(t, {}, "a")
	local x, far = s:spawn("Bell", { Location = NEAR }), s:spawn("Actor", { Location = FAR })
	present(t, x, a)
	t:run(0.5)
	x:SetBase(far, true)
	x:Ring()
	t:run(0.5)
	x.Times = 1
	t:run(1)
	t:eq({ a:copy(x).Times, seen(t, a, x, "closed") }, { 0, 1 })
end)

scenario("R3.5 what the pawn owned goes with the pawn to another player", function(t)
	local s, a, b = net.play(t, {}, "a", "b")
	local pawn = s:pawn(a)
	local gun = net.spawn(t, s, "Actor", { Location = FAR, Owner = pawn, bOnlyRelevantToOwner = true }, a)
	s:controller(a):UnPossess()
	t:within(0.5, function() return a:copy(gun) == nil end)
	s:controller(b):Possess(pawn)
	present(t, gun, b)
	t:eq(a:copy(gun), nil)
end)

scenario("R3.10 what is bNetTemporary, torn off, bStatic or bNoDelete stays on the client", function(t)
	local s = t:server{ level = "steps" }
	local lift = s:actors("Mover")[1]
	local a = t:client{ name = "a" }
	joined(t, s, a)
	local temp = s:spawn("Actor", { Location = NEAR, bNetTemporary = true })
	local torn, plain = s:spawn("Actor", { Location = NEAR }), s:spawn("Actor", { Location = NEAR })
	present(t, lift, a)
	present(t, torn, a)
	present(t, plain, a)
	t:within(1, function() return #a:actors("Actor") > 0 and a:copy(temp) end)
	local ct, cx, cl, cp = a:copy(temp), a:copy(torn), a:copy(lift), a:copy(plain)
	t:run(0.3)
	torn.bTearOff = true
	t:within(1, function() return cx.Role == ROLE_Authority end)
	lift.bAlwaysRelevant = false
	for _, x in ipairs({ temp, torn, plain, lift }) do x.NetCullDistance = 10 end
	t:within(8, function() return not cp.alive end)
	t:run(0.5)
	t:ok(ct.alive, "bNetTemporary")
	t:ok(cx.alive, "torn off")
	t:ok(cl.alive, "bNoDelete")
	t:eq(#a:actors("PlayerStart"), #s:actors("PlayerStart"))
end)

scenario("R3.11 what a script answers is asked again", function(t)
	t:scripts [[
		local Ghost = class("Ghost")
		Ghost.properties { bShown = false }
		function Ghost:IsNetRelevantFor(_) return self.bShown end
	]]
	local s, a = net.play(t, {}, "a")
	local x = s:spawn("Ghost", { Location = NEAR })
	t:run(0.5)
	t:eq(a:copy(x), nil)
	x.bShown = true
	present(t, x, a)
	x.bShown = false
	t:within(1.5, function() return a:copy(x) == nil end)
end)

local SECRET = net.with [[
	local Secret = class("Secret")
	Secret.properties { N = int(0), Word = "", Arr = array(int(0), 4) }
	Secret.replication { { "N", "Word", "Arr" } }
	function Secret.multicast.reliable:AllTold(_) self.told = true end
	function Secret.multicast:AllHeard(_) self.heard = true end
	Secret.params { AllTold = { int(0) }, AllHeard = { int(0) } }

	local Post = class("Post")
	Post.properties { Target = ref("Actor"), N = int(0) }
	Post.defaults { bAlwaysRelevant = true }
	Post.replication { { "Target", "N" } }
	function Post.multicast.reliable:AllShow(who, n) self.shown, self.times = who, n end
	function Post.client.reliable:ClientShow(who, n) self.shown, self.times = who, n end
	Post.params { AllShow = { ref("Actor"), int(0) }, ClientShow = { ref("Actor"), int(0) } }
]]

for_each({
	{ "behind a wall", { Location = BEHIND } },
	{ "beyond the cull distance", { Location = NEAR, NetCullDistance = 100 } },
	{ "somebody else's", { Location = NEAR, bOnlyRelevantToOwner = true } },
	{ "hidden", { Location = NEAR, bHidden = true } },
}, function(case)
	scenario("R3.12 not a byte about an actor that is not relevant, not by a reliable multicast: " .. case[1], function(t)
		local s, a, b = SECRET.play(t, { level = "wall" }, "a", "b")
		local props = { Owner = s:controller(b) }
		for k, v in pairs(case[2]) do props[k] = v end
		local x = net.spawn(t, s, "Secret", props, b)
		for i = 1, 10 do
			x.N, x.Word, x.Arr[2] = i, "word " .. i, i
			x:AllTold(i)
			x:AllHeard(i)
			t:ticks(3)
		end
		t:run(0.3)
		t:ok(b:copy(x).told, "who may know it hears of it")
		t:eq({ b:copy(x).N, a:copy(x), #a:actors("Secret"), seen(t, a, x) }, { 10, nil, 0, 0 })
		local traffic = t:traffic(a)
		t:eq(traffic.by_class.Secret and traffic.by_class.Secret.bytes or 0, 0)
		for _, table in ipairs({ traffic.by_property, traffic.by_function }) do
			for name, e in pairs(table) do t:ok(name:sub(1, 7) ~= "Secret." or e.bytes == 0, name) end
		end
		t:eq(#a:log(), 0)
	end)
end)

scenario("R3.12 after it went out of relevancy nothing more is told of an actor", function(t)
	local s, a, b = SECRET.play(t, {}, "a", "b")
	local x = net.spawn(t, s, "Secret", { Location = NEAR, Owner = s:controller(a) }, a, b)
	t:run(0.3)
	x.bOnlyRelevantToOwner = true
	t:within(1, function() return b:copy(x) == nil end)
	t:run(0.3)
	local events, bytes = #t:trace(b), t:traffic(b).by_class.Secret.bytes
	for i = 1, 10 do
		x.N, x.Word = i, "word " .. i
		x:AllTold(i)
		t:ticks(3)
	end
	t:run(0.3)
	t:ok(a:copy(x).told)
	t:eq(t:traffic(b).by_class.Secret.bytes, bytes)
	for i = events + 1, #t:trace(b) do t:ok(t:trace(b)[i].actor ~= x) end
	t:eq(#b:actors("Secret"), 0)
end)

scenario("R3.12 an id of an actor that is not relevant does not cross, neither in a variable nor in an argument", function(t)
	local s, a, b = SECRET.play(t, { level = "wall" }, "a", "b")
	local x = s:spawn("Secret", { Location = BEHIND, Owner = s:controller(b) })
	local post = s:spawn("Post", { Location = NEAR, Owner = s:controller(a) })
	present(t, x, b)
	present(t, post, a, b)
	post.Target, post.N = x, 1
	post:AllShow(x, 1)
	post:ClientShow(x, 2)
	t:within(1, function() return a:copy(post).times == 2 and b:copy(post).times == 1 and a:copy(post).N == 1 end)
	t:eq({ a:copy(post).shown, a:copy(post).Target, b:copy(post).shown }, { nil, nil, b:copy(x) })
	t:within(1, function() return b:copy(post).Target == b:copy(x) end)
	t:eq(seen(t, a, x), 0)
	for _, e in ipairs(t:trace(a)) do
		t:ok(e.value ~= x, "the trace knows it from " .. e.event .. " " .. e.name)
	end
end)
