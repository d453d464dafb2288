-- R11.2 and R11.3: what the server remembers of pawns, and how it judges shots at the past. Whether shots hit is in
-- net_r11_shots.lua, what players may not do in net_r12_cheats.lua.

-- An eye that shoots at the past, dolls with boxes of their own, a post without any.
local STAND = [[
	local Eye = class("Eye", "Pawn")
	Eye.properties { Box = "", Head = false, Refused = false, Found = ref("Actor"), At = vector(0, 0, 0) }
	Eye.defaults { Physics = PHYS_None, bBlockActors = false, bCollideActors = false, bCollideWorld = false }
	Eye.hitboxes {}
	function Eye:Look(from, to, time, target, other)
		local hit, refused = self:TraceRewound{ from = from, to = to, time = time, targets = { target, other } }
		self.Refused = refused == true
		self.Found = hit and hit.Actor
		self.Box = hit and hit.Box or ""
		self.Head = hit ~= nil and hit.bHead
		self.At = hit and hit.Location or vector()
		return hit ~= nil
	end

	local Doll = class("Doll", "Character")
	Doll.defaults { Physics = PHYS_None, bSimulateGravity = false }
	Doll.hitboxes {
		{ name = "head", at = vector(0, 0, 80), size = vector(10, 10, 10), joint = vector(0, 0, 60), pitch = 1,
			crouching = { at = vector(0, 0, 20) } },
		{ name = "body", at = vector(0, 0, 0), size = vector(10, 20, 60) },
		{ name = "arm", at = vector(40, 0, 30), size = vector(20, 5, 5) },
	}
	local Stand = class("Stand", "GameInfo")
	local LongStand = class("LongStand", "Stand")
	LongStand.defaults { MaxRecordTime = 2 }
]]

-- A server with an eye and a doll, and how the eye looks along X at a height and a place of the doll's Y.
local function stand(t, class, game)
	t:scripts(STAND)
	local s = t:server{ game = game or "Stand" }
	local eye = s:spawn("Eye", { Location = vector(-600, 0, 500) })
	local doll = s:spawn(class or "Doll", { Location = vector(0, 0, 500) })
	eye:Look(vector(-500, 0, 500), vector(0, 0, 500), 0, doll) -- from now on pawns are remembered
	t:run(1)
	local function look(y, z, age, target, other)
		local time = s:eval("return world.TimeSeconds") - (age or 0)
		local a = target or doll
		eye:Look(vector(-500, y, 500 + z), vector(100, y, 500 + z), time, a, other)
		return eye.Box
	end
	return s, doll, eye, look
end

scenario("R11.2 a pawn is hit where its boxes are, the head told from the body", function(t)
	local _, doll, eye, look = stand(t)
	t:eq(look(0, 80), "head")
	t:ok(eye.Head)
	t:eq(eye.Found, doll)
	t:near(eye.At, vector(-10, 0, 580), 0.01)
	t:eq(look(0, 0), "body")
	t:no(eye.Head)
	t:eq(look(19, -59), "body")
	t:eq(look(21, 0), "", "past the body, though its cylinder is wider")
	t:eq(look(0, 65), "", "between body and head")
	t:eq(eye.Found, nil)
end)

scenario("R11.2 a crouching pawn has its boxes elsewhere", function(t)
	local _, doll, _, look = stand(t)
	doll.bCrouching = true
	t:run(0.2)
	t:eq(look(0, 80), "")
	t:eq(look(0, 20), "head", "which counts where the body is met, too")
	t:eq(look(0, -59), "body", "what crouching leaves out is as it stands")
end)

scenario("R11.2 the past is kept for MaxRecordTime, 0.4 s by default", function(t)
	local s, doll, eye, look = stand(t)
	t:near(s:eval("return world.Game.MaxRecordTime"), 0.4, 1e-6)
	doll:SetLocation(vector(0, 300, 500))
	t:run(0.3)
	t:eq(look(0, 0, 0.35), "body", "it was here")
	t:eq({ look(300, 0, 0.35), look(300, 0, 0.1) }, { "", "body" })
	t:run(0.2)
	t:eq(look(0, 0, 0.41), "", "older than the record: a miss")
	t:no(eye.Refused, "and not for being refused: nobody's latency is asked who has none")
	t:eq(look(300, 0, 0.39), "body")
end)

scenario("R11.2 a game may keep more of the past", function(t)
	local _, doll, _, look = stand(t, "Doll", "LongStand")
	t:run(1)
	doll:SetLocation(vector(0, 300, 500))
	t:run(1.5)
	t:eq({ look(0, 0, 1.7), look(0, 0, 2.1) }, { "body", "" })
end)

scenario("R11.2 boxes of a saved file count at once, for what is remembered, too", function(t)
	local _, _, eye, look = stand(t)
	t:eq(look(0, 80), "head")
	t:reload((STAND:gsub("name = \"head\", at = vector%(0, 0, 80%)", "name = \"skull\", at = vector(0, 0, 110)")))
	t:eq(look(0, 110, 0.2), "skull")
	t:ok(eye.Head)
	t:eq(look(0, 80, 0.2), "")
end)

scenario("R11.3 the file of a montage may carry the track: rewind meets the box where the animation had it", function(t)
	t:scripts(STAND)
	local s = t:server{ game = "Stand", level = "flat" }
	local a = t:client{ name = "a" }
	local eye = s:spawn("Eye", { Location = vector(-600, 0, 500) })
	local doll = s:spawn("Doll", { Location = vector(0, 0, 500) })
	eye:Look(vector(-500, 0, 500), vector(0, 0, 500), 0, doll)
	t:within(5, function() return a:copy(doll) and a:copy(eye) end)
	t:run(1)
	local function look(z, age)
		local time = s:eval("return world.TimeSeconds") - (age or 0)
		eye:Look(vector(-500, 0, 500 + z), vector(100, 0, 500 + z), time, doll)
		return eye.Box
	end
	local function there(z) -- what a line meets on the client's copy, as it stands there now
		local hit = a:copy(eye):TraceShot(vector(-500, 0, 500 + z), vector(100, 0, 500 + z))
		return hit and hit.Box or ""
	end
	local slash = "animations/slash.toml" -- at half a second the head is 22 uu ahead and 12 uu down
	t:eq({ look(85), look(65), there(85), there(65) }, { "head", "", "head", "" })
	doll:PlayMontage(slash)
	t:run(0.5)
	t:eq({ look(85), look(65) }, { "", "head" })
	t:near(eye.At.X, 12, 1)
	t:eq(look(85, 0.4), "head", "before the blow")
	t:eq(look(0), "body", "what the track does not name stays")
	t:eq({ there(85), there(65) }, { "", "head" }, "on a client, too")
	t:run(0.25)
	t:eq(look(65, 0.25), "head", "and then it was there")
	t:run(0.4)
	t:eq({ look(85), look(65), there(85), there(65) }, { "head", "", "head", "" })
	doll:PlayMontage(slash)
	t:run(0.5)
	doll:StopMontage()
	t:run(0.1)
	t:eq({ look(85), look(65, 0.15) }, { "head", "head" }, "it was cut short")
	doll:PlayMontage(slash)
	t:run(0.5)
	doll:PlayBoxTrack{ { 0 }, { 9 } }
	t:run(0.1)
	t:eq({ look(85), look(65) }, { "head", "" }, "a script's track counts alone")
end)

scenario("R11.3 only a server knows the past", function(t)
	t:scripts(STAND)
	local s = t:server{ game = "Stand" }
	local a = t:client{ name = "a" }
	local eye = s:spawn("Eye", { Location = vector(0, 0, 500) })
	t:within(5, function() return a:copy(eye) end)
	t:expect_error("TraceRewound: only a server knows the past")
	a:call(a:copy(eye), "Look", vector(), vector(100, 0, 0), 0)
end)
