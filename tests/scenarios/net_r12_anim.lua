-- R12.7: montages over the network. content/animations has what is played; docs/animation.md says it in words.
-- What plays on one peer only, curves, timelines and blending are in net_r12_anim_local.lua.

local net = require("shared.net")

-- A pawn that notes, with times, what it is told of what plays on it.
local DANCER = net.with [[
	local Dancer = class("Dancer", "Pawn")
	Dancer.defaults { bAlwaysRelevant = true, bCollideActors = false, bCollideWorld = false, GravityScale = 0, Physics = PHYS_None }
	function Dancer.simulated:Note(text) self.notes = (self.notes and self.notes .. " " or "") .. text end
	function Dancer.simulated:AnimNotify(name) self:Note(name) end
	function Dancer.simulated:AnimNotifyBegin(name) self:Note(name .. "(") end
	function Dancer.simulated:AnimNotifyEnd(name) self:Note(name .. ")") end
	function Dancer.simulated:MontageEnded(name, interrupted)
		self:Note((interrupted and "cut:" or "end:") .. name:match("/(%w+)%."))
	end
	function Dancer.simulated:Clear() self.notes = nil end
	function Dancer.simulated:At()
		local name, section, at = self:GetMontage()
		return name and name:match("/(%w+)%."), section, at
	end
	function Dancer.client.reliable:ClientPlay(name) self:PlayMontage(name) end
	function Dancer:Ahead(name) -- the player's machine plays at once, the server when it hears
		self:PlayMontage(name)
		if not self:HasAuthority() then self:ServerPlay(name) end
	end
	function Dancer.server.reliable:ServerPlay(name) self:PlayMontage(name) end
	Dancer.params { ServerPlay = { str("", { max = 64 }) }, ClientPlay = { str("", { max = 64 }) } }
	function Dancer.validate:ServerPlay(_) return true end
]]

local SLASH, WAVE, RELOAD = "animations/slash.toml", "animations/wave.toml", "animations/reload.toml"

local function notes(handle) return handle and handle.notes or "" end

-- A server, clients, and a dancer that all of them have.
local function stage(t, ...)
	local s = DANCER.server(t, { level = "flat" })
	local list = {}
	for i, o in ipairs { ... } do list[i] = t:client(o) end
	local d = s:spawn("Dancer", { Location = vector(0, 0, 200) })
	t:within(5, function()
		for _, c in ipairs(list) do
			if not s:pawn(c) or not c:copy(d) then return false end
		end
		return true
	end)
	t:run(1)
	return s, d, unpack(list)
end

scenario("R12.7 clients hear every notify once and in order, a dedicated server those of gameplay", { seeds = 5 }, function(t)
	local _, d, a = stage(t, { name = "a", preset = "internet" })
	d:PlayMontage(SLASH)
	t:run(2)
	t:eq(notes(d), "Strike( Strike) end:slash")
	t:eq(notes(a:copy(d)), "Swing Strike( Strike) end:slash")
	d:PlayMontage(SLASH, "", 3) -- the same once more is another one
	t:run(1.5)
	t:eq(notes(a:copy(d)), "Swing Strike( Strike) end:slash Swing Strike( Strike) end:slash")
end)

scenario("R12.7 what is late by loss is made up for: every notify all the same", { seeds = 5 }, function(t)
	local _, d, a = stage(t, { name = "a", lag = 0.35 })
	a:link{ lag = 0.35, jitter = 0.05, loss = 0.3 } -- the magazine is out 0.4 s after the beginning
	for _ = 1, 3 do
		d:PlayMontage(RELOAD)
		t:run(3)
	end
	local one = "MagazineOut MagazineIn Chambered end:reload"
	t:eq(notes(a:copy(d)), one .. " " .. one .. " " .. one)
	t:eq(notes(d), ("MagazineIn end:reload "):rep(3):sub(1, -2))
end)

scenario("R12.7 who joins late finds the montage where it is, and hears only what is to come", { seeds = 5 }, function(t)
	local s, d, a = stage(t, { name = "a" })
	d:PlayMontage(RELOAD, "", 0.25) -- 6.4 s; the magazine is out after 1.6 s
	t:run(2)
	local late = t:client { name = "late", preset = "internet" }
	local copy = t:within(3, function() return late:copy(d) end)
	local _, _, at = copy:At()
	local _, _, there = d:At()
	t:near(at, there, 0.03, "a quarter of some tens of milliseconds")
	t:eq(notes(copy), "")
	t:run(6)
	t:eq(notes(copy), notes(a:copy(d)):match("MagazineIn.*"))
	t:eq(notes(copy), "MagazineIn Chambered end:reload")
	local after = t:client { name = "after" }
	local third = t:within(3, function() return after:copy(d) end)
	t:run(0.5)
	t:eq({ notes(third), third:IsPlayingMontage() }, { "", false }, "it is over")
	t:eq(s:log(), {})
end)

scenario("R12.7 who comes inside a window sees it begin and end", function(t)
	local _, d = stage(t, { name = "a" })
	d:PlayMontage(SLASH, "", 0.1) -- Strike from 3 to 5 s
	t:run(3.2)
	local late = t:client { name = "late" }
	local copy = t:within(1, function() return late:copy(d) end)
	t:eq(notes(copy), "Strike(")
	t:run(2)
	t:eq(notes(copy), "Strike( Strike)")
end)

scenario("R12.7 sections: one goes round until a jump leads out of it, for everybody", { seeds = 5 }, function(t)
	local _, d, a = stage(t, { name = "a", preset = "internet" })
	d:PlayMontage(WAVE)
	t:run(5.2)
	local late = t:client { name = "late" }
	local b = t:within(3, function() return late:copy(d) end)
	t:run(0.3)
	for _, x in ipairs { d, a:copy(d), b } do
		local name, section, at = x:At()
		t:eq({ name, section }, { "wave", "Loop" })
		local _, _, there = d:At()
		t:le(math.min(math.abs(at - there), 1 - math.abs(at - there)), 0.1) -- it goes round once a second
	end
	t:ok(d:MontageJumpToSection("Lower"))
	t:run(1)
	for _, x in ipairs { d, a:copy(d), b } do t:eq(x:IsPlayingMontage(), false) end
	t:match(notes(a:copy(d)), "^Wave Wave Wave Wave Wave W?a?v?e? ?end:wave$")
	t:match(notes(b), "end:wave$")
	t:eq(notes(d), "end:wave", "waving is for the eyes")
	t:eq(d:MontageJumpToSection("Raise"), false)
end)

scenario("R12.7 a section to begin with, a rate, and their errors", function(t)
	local _, d, a = stage(t, { name = "a" })
	t:near(d:PlayMontage(WAVE, "Lower", 0.5), 1, 1e-6)
	t:run(0.5)
	local name, section, at = a:copy(d):At()
	t:eq({ name, section }, { "wave", "Lower" })
	t:near(at, 1.75, 0.05)
	t:run(1)
	t:eq(notes(a:copy(d)), "end:wave")
	t:expect_error("animations/wave.toml has no section \"Looop\".*Loop")
	d:PlayMontage(WAVE, "Looop")
	t:expect_error("PlayMontage: rate: expected 0.01 to 100, got 0")
	d:PlayMontage(WAVE, "Loop", 0)
	t:eq(d:PlayMontage("animations/none.toml"), 0, "what content does not have is a warning")
	t:match(d.peer and "" or table.concat(a:log(), "\n"), "^$")
end)

scenario("R12.7 StopMontage and another montage cut it short everywhere, windows end", { seeds = 3 }, function(t)
	local _, d, a = stage(t, { name = "a", preset = "broadband" })
	d:PlayMontage(SLASH)
	t:run(0.4) -- inside Strike
	d:StopMontage()
	t:run(0.5)
	t:eq(notes(d), "Strike( Strike) cut:slash")
	t:eq(notes(a:copy(d)), "Swing Strike( Strike) cut:slash")
	t:eq({ d:IsPlayingMontage(), a:copy(d):IsPlayingMontage() }, { false, false })
	d:PlayMontage(RELOAD)
	t:run(0.6)
	d:PlayMontage(WAVE, "Lower")
	t:run(1)
	t:eq(notes(a:copy(d)):sub(#"Swing Strike( Strike) cut:slash " + 1), "MagazineOut cut:reload end:wave")
end)

scenario("R12.7 a player does not hear twice of what his own machine began", { seeds = 5 }, function(t)
	t:scripts(DANCER.classes .. [[
	]])
	local s = net.server(t, { level = "flat", pawn = "Dancer" })
	local a, b = t:client { name = "a", preset = "internet" }, t:client { name = "b" }
	t:within(5, function() return a:pawn() and s:pawn(a) and b:copy(s:pawn(a)) end)
	t:run(0.5)
	a:pawn():Ahead(SLASH)
	t:run(2)
	t:eq(notes(a:pawn()), "Swing Strike( Strike) end:slash")
	t:eq(notes(b:copy(s:pawn(a))), "Swing Strike( Strike) end:slash")
	t:eq(notes(s:pawn(a)), "Strike( Strike) end:slash")
	s:pawn(a):PlayMontage(WAVE, "Lower") -- what only the server began they are told of
	t:run(1)
	t:eq(notes(a:pawn()), "Swing Strike( Strike) end:slash end:wave")
end)

scenario("R12.7 a montage costs a few bytes when it begins and none while it plays", function(t)
	local _, d, a = stage(t, { name = "a" })
	local function bytes() return t:traffic(a).by_class.Dancer.bytes end
	local before = bytes()
	d:PlayMontage(WAVE)
	t:run(0.5)
	local began = bytes()
	t:gt(began, before)
	t:lt(began - before, 80) -- sent once and repeated once
	t:run(10)
	t:eq(bytes(), began)
end)

scenario("R12.7 any class that declares ReplicatedMontage replicates its montages", function(t)
	t:scripts [[
		local Statue = class("Statue", "Actor")
		Statue.properties {
			ReplicatedMontage = struct {
				Montage = int(0, { min = 0, max = 1023 }), Section = int(0), Rate = float(1), Start = float(0), Play = int(0),
			},
		}
		Statue.defaults { bAlwaysRelevant = true }
		Statue.replication { { "ReplicatedMontage", notify = true } }
		function Statue.simulated:OnRep_ReplicatedMontage(_) self:SyncMontage() end
		function Statue.simulated:AnimNotify(name) self.heard = (self.heard or 0) + 1 end
		local Mute = class("Mute", "Actor") -- has none: plays where it is told to, and nobody else receives it
		Mute.defaults { bAlwaysRelevant = true }
	]]
	local s = t:server {}
	local a = t:client { name = "a" }
	local statue, mute = s:spawn("Statue"), s:spawn("Mute")
	t:within(3, function() return a:copy(statue) and a:copy(mute) end)
	t:run(0.3)
	statue:PlayMontage(RELOAD)
	mute:PlayMontage(RELOAD)
	t:run(0.5)
	t:eq({ a:copy(statue):IsPlayingMontage(RELOAD), a:copy(mute):IsPlayingMontage(), mute:IsPlayingMontage() }, { true, false, true })
	t:run(2)
	t:eq(a:copy(statue).heard, 3)
end)

scenario("R12.7 root motion moves who plays it, by the track's own way", function(t)
	local _, d, a = stage(t, { name = "a" })
	d.Rotation = rotator(0, 16384, 0) -- looks along +Y
	d:PlayMontage(SLASH)
	local way, over = vector(), vector()
	for _ = 1, 60 do
		way = way + d.RootMotionVelocity / 60
		over = over + a:copy(d).RootMotionVelocity / 60
		t:ticks(1)
	end
	t:near(way, vector(0, 120, 0), 0.5)
	t:near(over, vector(0, 120, 0), 15) -- a client begins later, and makes up for nothing
	t:eq(d.RootMotionVelocity, vector())
end)

scenario("R9.10 root motion of a pawn that no player moves: it goes the track's way, and clients follow", function(t)
	t:scripts [[
		local Walker = class("Walker", "Character")
		Walker.defaults { bAlwaysRelevant = true }
	]]
	local s = t:server { level = "flat" }
	local a = t:client { name = "a" }
	local x = s:spawn("Walker", { Location = vector(2000, 2000, 88.5), Rotation = rotator(0, 32768, 0) })
	t:within(3, function() return a:copy(x) end)
	t:run(0.5)
	local from = x.Location
	x:PlayMontage("animations/slash.toml")
	t:run(2)
	t:near(x.Location - from, vector(-120, 0, 0), 1)
	t:near(a:copy(x).Location, x.Location, 13) -- it stops at once, and a copy goes on until it is told of that
	t:eq(x.Acceleration, vector())
end)

for_each({ { "standing", 1 }, { "running", 0 } }, function(case)
	scenario("R9.10 root motion of a player's own pawn is part of its moves, without corrections: " .. case[1], { seeds = 5 }, function(t)
		t:scripts [[
			local Fighter = class("Fighter", "Character")
			function Fighter:Blow()
				self:PlayMontage("animations/slash.toml")
				if not self:HasAuthority() then self:ServerBlow() end
			end
			function Fighter.server.reliable:ServerBlow() self:PlayMontage("animations/slash.toml") end
			Fighter.params { ServerBlow = {} }
			function Fighter.validate:ServerBlow() return true end
		]]
		local s, a = net.play(t, { level = "flat", pawn = "Fighter" }, { name = "a", preset = "internet" })
		t:run(1)
		if case[2] == 0 then net.hold(t, a, { forward = 1 }, 1) end
		local from, before = s:pawn(a).Location, #a:corrections()
		a:pawn():Blow()
		t:run(0.9)
		net.hold(t, a, { forward = 0 }, 1.5)
		if case[2] == 1 then t:near(s:pawn(a).Location - from, vector(120, 0, 0), 6) end
		t:near(a:pawn().Location, s:pawn(a).Location, 2)
		t:eq(#a:corrections() - before, 0)
	end)
end)
