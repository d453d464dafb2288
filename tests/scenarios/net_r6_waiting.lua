-- R6.9: calls that wait for an actor that the client does not have yet, what they hold back, and the end of what they wait for
-- or were called on. The order of other calls is in net_r6_whole.lua.

local net = require("shared.net")
local hears, notes = net.hears, net.notes
local shared = require("shared.speaker")
local NEAR, BAD, begin, speaker = shared.NEAR, shared.BAD, shared.begin, shared.spawn

-- Waiting

local function release(s, a, thing) thing.Owner = s:controller(a) end

-- A server, a client, its Speaker on both ends, and a Thing that the client does not have until it is released.
local function waiting(t, line)
	local s, a = begin(t, line, "a")
	local x, c = speaker(t, s, a)
	return s, a, x, s:spawn("Thing"), c
end

scenario("R6.9 R5.20 a call that waits holds back the later ones of its actor and components", { seeds = 3 }, function(t)
	local s, a, x, thing = waiting(t, BAD)
	x:Tell(1)
	x.Voice:Hold(2, thing)
	x:Tell(3)
	x.Echo:Say(4)
	x.Voice:AllSay(5)
	x:AllTell(6)
	t:within(3, function() return notes(a) == "a1 " end)
	t:run(1)
	t:eq(notes(a), "a1 ")
	release(s, a, thing)
	hears(t, a, "a1 v2+ a3 e4 v5 a6 ")
	x:Tell(7)
	x.Echo:Say(8)
	hears(t, a, "a1 v2+ a3 e4 v5 a6 a7 e8 ")
end)

scenario("R6.9 two calls that wait for two actors, released in the other order", function(t)
	local s, a, x, one = waiting(t)
	local two = s:spawn("Thing")
	x:Hold(1, one)
	x.Voice:Say(2)
	x.Echo:Hold(3, two)
	x:Tell(4)
	t:run(0.2)
	release(s, a, two)
	t:run(0.5)
	t:eq(notes(a), "")
	release(s, a, one)
	hears(t, a, "a1+ v2 e3+ a4 ")
end)

scenario("R6.9 a call that waits for two actors waits for both", function(t)
	local s, a, x, one = waiting(t)
	local two = s:spawn("Thing")
	x:HoldTwo(1, one, two)
	x:Tell(2)
	t:run(0.2)
	release(s, a, one)
	t:run(0.5)
	t:eq(notes(a), "")
	release(s, a, two)
	hears(t, a, "a1++ a2 ")
end)

scenario("R6.9 a call that waits holds back nothing of another actor, and no unreliable call", function(t)
	local s, a = begin(t, nil, "a")
	local x, y = speaker(t, s, a), speaker(t, s, a)
	local one, two = s:spawn("Thing"), s:spawn("Thing")
	x:Hold(1, one)
	y:Hold(2, two)
	y.Voice:Say(3)
	x.Voice:Murmur(4)
	t:within(1, function() return notes(a) == "v4~ " end)
	release(s, a, two)
	t:within(1, function() return notes(a) == "v4~ a2+ v3 " end)
	y:Tell(5)
	t:within(1, function() return notes(a) == "v4~ a2+ v3 a5 " end)
	release(s, a, one)
	hears(t, a, "v4~ a2+ v3 a5 a1+ ")
end)

scenario("R6.9 an unreliable call that waits holds back nothing", function(t)
	local s, a, x, thing = waiting(t)
	x:MurmurHold(1, thing)
	x:Tell(2)
	x.Voice:Say(3)
	t:within(1, function() return notes(a) == "a2 v3 " end)
	release(s, a, thing)
	hears(t, a, "a2 v3 a1~+ ")
end)

-- Waiting, and the end of something

-- held makes the calls 1 to 5 on an actor and its components, the second of which waits.
local function held(x, thing)
	x:Tell(1)
	x:Hold(2, thing)
	x.Voice:Say(3)
	x:Tell(4)
	x.Echo:Say(5)
end

scenario("R6.9 R6.4 an actor that is destroyed while a call waits: all run in order, the reference nil", { seeds = 3 }, function(t)
	local _, a, x, thing = waiting(t, BAD)
	held(x, thing)
	t:within(2, function() return notes(a) == "a1 " end)
	t:run(0.5)
	t:eq(notes(a), "a1 ")
	x:Destroy()
	hears(t, a, "a1 a2- v3 a4 e5 egone vgone gone ")
end)

scenario("R6.9 R6.4 an actor that is destroyed in the tick of a call that waits", { seeds = 3 }, function(t)
	local _, a, x, thing = waiting(t, BAD)
	held(x, thing)
	x:Destroy()
	hears(t, a, "a1 a2- v3 a4 e5 egone vgone gone ")
end)

scenario("R6.9 R6.4 a component that is destroyed while a call waits: what was called on it runs, and all before that", function(t)
	local s, a, x, one = waiting(t)
	local two = s:spawn("Thing")
	held(x, one) -- 2 waits, 3 is the last on Voice
	x:Hold(6, two)
	t:run(0.3)
	t:eq(notes(a), "a1 ")
	x.Voice:Destroy()
	t:within(1, function() return #notes(a) >= #"a1 a2- v3 a4 e5 vgone " end)
	t:run(0.3)
	t:eq(notes(a), "a1 a2- v3 a4 e5 vgone ", "what nothing waits for any more goes on")
	release(s, a, one)
	t:run(0.3)
	release(s, a, two)
	hears(t, a, "a1 a2- v3 a4 e5 vgone a6+ ")
end)

scenario("R6.9 a component on which nothing was called is destroyed: what waits goes on waiting", function(t)
	local s, a, x, thing, c = waiting(t)
	x:Hold(1, thing)
	x.Voice:Say(2)
	x.Echo:Destroy()
	t:within(1, function() return c.Echo == nil end)
	t:run(0.3)
	t:eq(notes(a), "egone ")
	release(s, a, thing)
	hears(t, a, "egone a1+ v2 ")
end)

for_each({ "before the call", "in the tick of the call", "while it waits" }, function(when)
	scenario("R6.9 the actor that a call waits for is destroyed " .. when .. ": the reference is nil", function(t)
		local _, a, x, thing = waiting(t)
		if when == "before the call" then
			local id = thing
			x:Hold(1, id)
			id:Destroy()
			x.Voice:Say(2)
		elseif when == "in the tick of the call" then
			x:Hold(1, thing)
			x.Voice:Say(2)
			thing:Destroy()
		else
			x:Hold(1, thing)
			x.Voice:Say(2)
			t:run(0.4)
			t:eq(notes(a), "")
			thing:Destroy()
		end
		hears(t, a, "a1- v2 ")
	end)
end)

scenario("R6.9 R5.20 a call waits for a component, and for the actor of it", function(t)
	local s, a, x, thing = waiting(t)
	x:HoldPart(1, thing.Part)
	x:Tell(2)
	t:run(0.3)
	t:eq(notes(a), "")
	release(s, a, thing)
	hears(t, a, "a1+ a2 ")
end)

for_each({
	{ "torn off before it came", function(thing) thing.bTearOff = true end },
	{ "not replicated any more", function(thing) thing.bReplicates = false; thing:Destroy() end },
}, function(case)
	scenario("R6.9 the actor that a call waits for will never come, being " .. case[1], function(t)
		local _, a, x, thing = waiting(t)
		x:Hold(1, thing)
		x:Tell(2)
		t:run(0.3)
		case[2](thing)
		hears(t, a, "a1- a2 ")
	end)
end)

scenario("R5.17 R5.18 R6.9 a call does not wait for what was left to the client, or torn off", function(t)
	local s, a = begin(t, nil, "a")
	local x = speaker(t, s, a)
	local left = s:spawn("Speaker", { Location = NEAR, bNetTemporary = true })
	local torn = s:spawn("Speaker", { Location = NEAR })
	t:within(1, function() return a:copy(left) and a:copy(torn) end)
	torn.bTearOff = true
	t:within(1, function() return notes(a) == "torn " end)
	x:Hold(1, left)
	x:Hold(2, torn)
	x:Tell(3)
	hears(t, a, "torn a1- a2- a3 ")
end)

scenario("R5.18 R6.9 an actor that is torn off while a call waits: all run before that, in order", function(t)
	local _, a, x, thing = waiting(t)
	held(x, thing)
	t:run(0.3)
	x.bTearOff = true
	hears(t, a, "a1 a2- v3 a4 e5 torn ")
end)

scenario("R5.17 R6.9 an actor that is left to its client while a call waits: all run before that, in order", function(t)
	local s, a = begin(t, nil, "a")
	a:link { lag = 0.1 }
	local x = s:spawn("Speaker", { Owner = s:controller(a), Location = NEAR, bNetTemporary = true })
	held(x, s:spawn("Thing"))
	hears(t, a, "a1 a2- v3 a4 e5 ")
	x:Tell(6)
	t:run(0.5)
	t:eq(notes(a), "a1 a2- v3 a4 e5 ")
end)

scenario("R4.7 R6.9 an actor does not fall asleep while a call of it waits", function(t)
	local s, a, x, thing = waiting(t)
	x.NetDormancy = DORM_DormantAll
	t:within(1, function() return t:why(a, x) == "dormant" end)
	held(x, thing)
	t:run(1)
	t:eq(notes(a), "a1 ")
	release(s, a, thing)
	hears(t, a, "a1 a2+ v3 a4 e5 ")
	t:within(1, function() return t:why(a, x) == "dormant" end)
end)

scenario("R3.12 R6.9 what waits on an actor that is not relevant any more is not sent, nor later", function(t)
	local s, a, b = begin(t, nil, "a", "b")
	local x, c = speaker(t, s, a, { bAlwaysRelevant = false, bOnlyRelevantToOwner = true })
	local thing = s:spawn("Thing")
	held(x, thing)
	t:run(0.3)
	x.Owner = s:controller(b)
	t:within(1, function() return not c.alive end)
	release(s, a, thing)
	t:run(0.3)
	x.Owner = s:controller(a)
	t:within(1, function() return a:copy(x) end)
	x:Tell(6)
	t:within(1, function() return notes(a):find("a6") end)
	t:eq(notes(a), "a1 egone vgone gone a6 ")
	t:eq(notes(b):find("a%d"), nil)
end)

scenario("R3.10 R3.12 R6.9 what waits on an actor of the level that is not relevant any more is not sent", function(t)
	t:scripts(shared.CLASSES)
	t:scripts [[
		local Lift = class("Lift", "Speaker")
		Lift.defaults { bAlwaysRelevant = false, bOnlyRelevantToOwner = true, bNoDelete = true }
	]]
	local s, a = net.play(t, {}, "a")
	local x = s:spawn("Lift", { Owner = s:controller(a) })
	t:within(1, function() return a:copy(x) end)
	t:run(0.3)
	local thing = s:spawn("Thing")
	held(x, thing)
	t:within(1, function() return notes(a) == "a1 " end)
	x.Owner = nil
	t:run(0.5)
	release(s, a, thing)
	t:run(0.5)
	t:eq(notes(a), "a1 ")
end)

scenario("R6.1 R6.9 an actor with another owner while a call waits: it goes to the one it was made for", function(t)
	local s, a, b = begin(t, nil, "a", "b")
	local x = speaker(t, s, a)
	t:within(1, function() return b:copy(x) end)
	local thing = s:spawn("Thing")
	held(x, thing)
	t:run(0.3)
	x.Owner = s:controller(b)
	x:Tell(6)
	x:AllTell(7)
	t:within(1, function() return notes(b) == "a6 a7 " end)
	release(s, a, thing)
	hears(t, a, "a1 a2+ v3 a4 e5 a7 ")
	t:eq(notes(b), "a6 a7 ")
end)

scenario("R5.23 R6.9 a reload while a call waits: what is there still runs, in order", function(t)
	local s, a, x, thing = waiting(t)
	held(x, thing)
	t:run(0.3)
	t:reload((shared.CLASSES:gsub("N = int%(0%)", "M = int(0), N = int(0)")))
	t:run(0.5)
	x.Echo:Say(6)
	t:run(0.3)
	t:eq(notes(a), "a1 ")
	release(s, a, thing)
	hears(t, a, "a1 a2+ v3 a4 e5 e6 ")
end)

scenario("R5.23 R6.9 a reload that takes away the function of a call that waits lets the others go", function(t)
	local _, a, x, thing = waiting(t)
	held(x, thing)
	t:run(0.3)
	t:reload((shared.CLASSES:gsub("function Speaker.client.reliable:Hold%(.-\n", "\n")
		:gsub('Tell = { int%(0%) }, Hold = { int%(0%), ref%("Actor", { wait = true }%) },', "Tell = { int(0) },")))
	hears(t, a, "a1 v3 a4 e5 ")
	x:Tell(6)
	hears(t, a, "a1 v3 a4 e5 a6 ")
end)

scenario("R8.7 R6.9 a journey to another level while a call waits: what was called runs before", function(t)
	local s, a, x, thing = waiting(t)
	held(x, thing)
	t:run(0.3)
	t:eq(notes(a), "a1 ")
	local before = #t:trace(a)
	s:eval([[world:Travel("wall")]])
	t:within(5, function() return a:eval("return world.LevelName"):find("wall") and s:pawn(a) and a:pawn() end)
	local list = {}
	for i, e in ipairs(t:trace(a)) do
		if i > before and e.event == "called" and (e.class == "Speaker" or e.class == "Voice") then
			list[#list + 1] = e.class .. " " .. e.value
		end
	end
	t:eq(list, { "Speaker 2", "Voice 3", "Speaker 4", "Voice 5" })
end)

scenario("R6.9 of more calls than may wait the oldest go, in order", function(t)
	local s, a, x, thing = waiting(t)
	local want = ""
	for i = 1, 100 do
		if i % 2 == 1 then x:Hold(i, thing) else x.Voice:Say(i) end
	end
	t:run(0.5)
	for word in notes(a):gmatch("%S+") do want = want .. word .. " " end
	release(s, a, thing)
	t:within(2, function() return notes(a):find("v100") end)
	local n = 0
	for word in notes(a):gmatch("%S+") do
		n = n + 1
		t:match(word, "^[av]" .. n .. "[+-]?$")
	end
	t:eq(n, 100)
	t:eq(notes(a):sub(1, #want), want)
end)

scenario("R3.12 R6.9 a call that waited is not sent where its actor was taken away in the tick that ends the wait", function(t)
	local s, a, b = begin(t, nil, "a", "b")
	local x, c = speaker(t, s, a, { bAlwaysRelevant = false, bOnlyRelevantToOwner = true })
	local thing = s:spawn("Speaker", { bAlwaysRelevant = false, bOnlyRelevantToOwner = true })
	x:Hold(1, thing)
	x.Voice:Say(2)
	t:run(0.3)
	thing.Owner = s:controller(a)
	thing:Tell(3) -- opens it at once, before relevancy is looked at
	x.Owner = s:controller(b)
	t:within(1, function() return not c.alive and a:copy(thing) end)
	t:run(0.3)
	t:eq(notes(a), "egone vgone gone a3 ")
end)
