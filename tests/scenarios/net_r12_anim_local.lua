-- R12.7: what plays on one peer only: animations under montages, their rates by distance, curves, timelines, states
-- that follow from what an actor does, blending.

local net = require("shared.net")

local STEPPER = net.with [[
	local Stepper = class("Stepper", "Pawn")
	Stepper.defaults { bAlwaysRelevant = true, bCollideActors = false, bCollideWorld = false, GravityScale = 0, Physics = PHYS_None }
	Stepper.properties { Lift = float(0), Small = float(0, { min = 0, max = 0.5 }) }
	function Stepper.simulated:Note(text)
		self.notes = (self.notes and self.notes .. " " or "") .. text
		self.count = (self.count or 0) + 1
		if self.last ~= world.TimeSeconds then self.moments = (self.moments or 0) + 1 end
		self.last = world.TimeSeconds
	end
	function Stepper.simulated:AnimNotify(name) self:Note(name) end
	function Stepper.simulated:AnimEnd(name) self:Note("end:" .. name:match("/(%w+)%.")) end
	function Stepper.simulated:TimelineEvent(timeline, event) self:Note(timeline .. ":" .. event) end
	function Stepper.simulated:TimelineFinished(timeline) self:Note(timeline .. "!") end
	function Stepper.simulated:Clear() self.notes, self.count, self.moments = nil, 0, 0 end
]]

local WALK, RUN = "animations/walk.toml", "animations/run.toml"

local function notes(handle) return handle.notes or "" end

local function standalone(t)
	local s = STEPPER.server(t, { mode = "standalone", level = "flat" })
	return s, s:spawn("Stepper", { Location = vector(0, 0, 300) })
end

scenario("R12.7 LoopAnim goes round, each notify once a round; PlayAnim ends with AnimEnd", function(t)
	local _, x = standalone(t)
	t:near(x:LoopAnim(WALK), 1.2, 1e-9)
	t:run(3.5) -- two rounds and 1.1 s
	t:eq(notes(x), "LeftFoot RightFoot LeftFoot RightFoot LeftFoot RightFoot")
	x:LoopAnim(WALK, 2) -- goes on where it is
	t:near(select(2, x:GetAnim()), 1.1, 0.02)
	x:PlayAnim("animations/land.toml")
	t:run(1)
	t:eq(notes(x):sub(-8), "end:land")
	t:eq(x:GetAnim(), nil)
	x:LoopAnim(RUN)
	x:StopAnim()
	t:run(1)
	t:eq(notes(x):sub(-8), "end:land")
end)

for_each({
	{ "montage_only", "" }, { "when_relevant", "seen" }, { "always", "seen unseen" },
}, function(case)
	scenario("R12.7 on a dedicated server what is under a montage goes on by AnimTickOption: " .. case[1], function(t)
		local s, a = STEPPER.play(t, {}, "a")
		local seen = s:spawn("Stepper", { Location = s:pawn(a).Location, AnimTickOption = case[1] })
		local unseen = s:spawn("Stepper", { bAlwaysRelevant = false, bOnlyRelevantToOwner = true, AnimTickOption = case[1] })
		t:within(3, function() return a:copy(seen) end)
		seen:LoopAnim(WALK)
		unseen:LoopAnim(WALK)
		t:run(1)
		local went = {}
		for name, x in pairs { seen = seen, unseen = unseen } do
			if select(2, x:GetAnim()) > 0 then table.insert(went, name) end
		end
		table.sort(went)
		t:eq(table.concat(went, " "), case[2])
		t:eq({ notes(seen), notes(unseen) }, { "", "" }, "feet are no gameplay")
	end)
end)

scenario("R12.7 far away clients play on less often, and nothing is left out", function(t)
	local _, a = STEPPER.play(t, {}, "a")
	local at = a:pawn().Location
	local list = {}
	for i, far in ipairs { 500, 3000, 8000, 20000 } do
		local x = a:spawn("Stepper", { Location = at + vector(far, 0, 0) })
		list[i] = x
		x:LoopAnim(RUN, 10) -- a step every 35 ms
	end
	t:run(3.01)
	for _, x in ipairs(list) do
		t:near(x.count, 86, 6)
		local order = ("LeftFoot RightFoot "):rep(60):sub(1, #notes(x))
		t:eq(notes(x), order)
	end
	t:gt(list[1].moments, 75) -- every tick
	t:near(list[2].moments, 75, 12) -- 30 Hz, some without a step
	t:near(list[3].moments, 45, 3) -- 15 Hz
	t:near(list[4].moments, 15, 2) -- 5 Hz
	a:eval "world:SetAnimationRates { { 1000, 0 }, { 100000, 2 } }"
	for _, x in ipairs(list) do x:Clear() end
	t:run(3)
	t:near(list[2].moments, 6, 1)
	t:gt(list[1].moments, 75)
end)

scenario("R12.7 a timeline goes on by itself, drives a variable, and calls scripts for its events only", function(t)
	local s, x = standalone(t)
	t:ok(x:PlayTimeline("Open", "animations/door.toml", { Drives = { Height = "Lift" } }))
	t:eq(x.Lift, 0)
	t:run(0.75)
	t:near(x.Lift, 0.5, 0.02)
	t:near(x:GetTimelinePosition("Open"), 0.75, 0.02)
	t:near(x:GetTimelineValue("Open", "Height"), x.Lift, 1e-6)
	t:ok(x:ReverseTimeline("Open"))
	t:run(1)
	t:eq({ x.Lift, x:GetTimelinePosition("Open") }, { 0, nil })
	t:match(notes(x), "^Open:Half .*Open!$")
	x:Clear()
	x:PlayTimeline("Count", { Length = 1, Events = { Three = 0, Two = 0.3, One = 0.6, Go = 1 } }, { Loop = true })
	t:run(2.1)
	t:eq(notes(x), "Count:Three Count:Two Count:One Count:Go Count:Three Count:Two Count:One Count:Go Count:Three")
	t:ok(x:StopTimeline("Count"))
	t:no(x:StopTimeline("Count"))
	x:Clear()
	x:PlayTimeline("Down", { Length = 1, Curves = { Height = { { 0, 0 }, { 1, 100 } } }, Events = { Low = 0.25, High = 0.75 } },
		{ Rate = -2, Drives = { Height = "Lift" } })
	t:eq(x.Lift, 100)
	t:run(0.6)
	t:eq({ notes(x), x.Lift }, { "Down:High Down:Low Down!", 0 })
	for _, bad in ipairs {
		{ "no curve \"Width\"", [[x:PlayTimeline("T", "animations/door.toml", { Drives = { Width = "Lift" } })]] },
		{ "has no variable Lifft", [[x:PlayTimeline("T", "animations/door.toml", { Drives = { Height = "Lifft" } })]] },
		{ "length: expected", [[x:PlayTimeline("T", { Length = 0 })]] },
		{ "unknown key Lengthe", [[x:PlayTimeline("T", { Lengthe = 1 })]] },
		{ "expected { seconds, value }", [[x:PlayTimeline("T", { Length = 1, Curves = { A = { 1, 2 } } })]] },
		{ "unknown option Speed", [[x:PlayTimeline("T", { Length = 1 }, { Speed = 1 })]] },
	} do
		t:error(function() s:eval('local x = world:ActorsOf("Stepper")[1] ' .. bad[2]) end, bad[1])
	end
end)

scenario("R12.7 a driven variable replicates like any other, and out of its range is a warning", function(t)
	t:scripts(net.thing("Door", "Height = float(0, { min = 0, max = 1 })", '{ "Height" }'))
	local s = t:server {}
	local a = t:client { name = "a" }
	local door = s:spawn("Door")
	t:within(3, function() return a:copy(door) end)
	door:PlayTimeline("Open", "animations/door.toml", { Drives = { Height = "Height" } })
	t:run(0.8)
	t:gt(a:copy(door).Height, 0.3)
	t:lt(a:copy(door).Height, door.Height + 1e-6)
	t:run(1.5)
	t:eq({ door.Height, a:copy(door).Height }, { 1, 1 })
	door:PlayTimeline("High", { Length = 0.5, Curves = { H = { { 0, 5 } } } }, { Drives = { H = "Height" } })
	t:run(0.2)
	t:match(table.concat(s:log(), "\n"), "timeline High: Door.Height: ")
	t:eq(door.Height, 1)
end)

scenario("R12.7 notifies may play, stop and destroy what they are told of", function(t)
	t:scripts [[
		local Odd = class("Odd", "Pawn")
		Odd.properties { Mode = "" }
		Odd.defaults { Physics = PHYS_None }
		function Odd:AnimNotify(name)
			self.heard = (self.heard and self.heard .. " " or "") .. name
			if self.Mode == "destroy" then
				self:Destroy()
			elseif self.Mode == "stop" then
				self:StopMontage()
			elseif self.Mode == "again" and name == "Muzzle" and not self.twice then
				self.twice = true
				self:PlayMontage("animations/fire.toml")
			end
		end
		function Odd:MontageEnded(name, interrupted)
			if self.Mode == "endless" and interrupted then self:PlayMontage(name) end
		end
	]]
	local s = t:server { mode = "standalone" }
	local gone = s:spawn("Odd", { Mode = "destroy" })
	gone:PlayMontage("animations/fire.toml")
	local stop, again, endless = s:spawn("Odd", { Mode = "stop" }), s:spawn("Odd", { Mode = "again" }), s:spawn("Odd", { Mode = "endless" })
	stop:PlayMontage("animations/fire.toml", "", 50) -- both notifies in one tick
	for _, x in ipairs { again, endless } do x:PlayMontage("animations/fire.toml") end
	t:run(1)
	t:no(gone.alive)
	t:eq({ stop.heard, again.heard }, { "Muzzle", "Muzzle Muzzle Shell" })
	endless:PlayMontage("animations/wave.toml")
	t:eq(endless:GetMontage(), "animations/wave.toml", "the newer wish wins")
	t:eq(s:log(), {})
end)

local HERO = net.with [[
	local Hero = class("Hero", "Character")
	Hero.components { Animation = "AnimationComponent" }
	Hero.defaults { bAlwaysRelevant = true }
	function Hero.simulated:AnimNotify(name) self.steps = (self.steps or 0) + 1 end
]]

scenario("R12.7 a state machine follows from Physics and Velocity on every client, and nothing of it crosses", { seeds = 3 }, function(t)
	local s = HERO.server(t, { level = "flat", pawn = "Hero" })
	local a, b = t:client { name = "a", preset = "broadband" }, t:client { name = "b", preset = "broadband" }
	t:within(5, function() return a:pawn() and s:pawn(a) and b:copy(s:pawn(a)) end)
	t:run(1)
	local pawn = s:pawn(a)
	local function states()
		return { pawn.Animation:GetStateName(), a:pawn().Animation:GetStateName(), b:copy(pawn).Animation:GetStateName() }
	end
	t:eq(states(), { "Grounded", "Grounded", "Grounded" })
	t:eq({ a:pawn().Animation.Leader, b:copy(pawn).Animation.Leader, pawn.Animation.Leader }, { "animations/idle.toml", "animations/idle.toml", "" })
	net.hold(t, a, { forward = 1 }, 2)
	t:eq({ a:pawn().Animation.Leader, b:copy(pawn).Animation.Leader }, { RUN, RUN })
	t:gt(a:pawn().steps, 4)
	t:near(b:copy(pawn).steps, a:pawn().steps, 2)
	t:eq(pawn.steps, nil, "the server's copy stands still: nobody looks on")
	a:input { forward = 1, jump = true }
	t:within(1, function() return b:copy(pawn).Animation:GetStateName() == "Airborne" end)
	t:eq(a:pawn().Animation:GetStateName(), "Airborne")
	net.hold(t, a, { forward = 0, jump = false }, 2)
	t:eq({ a:pawn().Animation.Leader, b:copy(pawn).Animation.Leader }, { "animations/idle.toml", "animations/idle.toml" })
	t:eq(t:traffic(a).by_class.AnimationComponent, nil)
	t:eq({ s:log(), a:log(), b:log() }, { {}, {}, {} })
end)

scenario("R12.7 who comes down hard lands before it stands", function(t)
	local s = HERO.server(t, { level = "flat", mode = "standalone", pawn = "Hero" })
	local x = s:spawn("Hero", { Location = vector(500, 500, 400) })
	t:run(0.2)
	t:eq(x.Animation:GetStateName(), "Airborne")
	t:within(2, function() return x.Animation:GetStateName() == "Landing" end)
	t:eq(x:GetAnim(), "animations/land.toml")
	t:run(0.6)
	t:eq({ x.Animation:GetStateName(), (x:GetAnim()) }, { "Grounded", "animations/idle.toml" })
end)
