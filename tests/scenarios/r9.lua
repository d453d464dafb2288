-- Section 9 of the rules: R9.0, input, on the machine of a local player.

scenario("R9.0 input sets the controller's variables before PlayerTick", function(t)
	t:scripts [[
		local Pad = class("Pad", "PlayerController")
		Pad.properties { Seen = "", Ticks = int(0), Dt = float(0) }
		function Pad:PlayerTick(dt)
			self.Ticks, self.Dt = self.Ticks + 1, dt
			self.Seen = string.format("%g %g %g %s %s %s %s %s %s %s %s %d", self.aForward, self.aStrafe, self.aUp,
				tostring(self.bJump), tostring(self.bFire), tostring(self.bAltFire), tostring(self.bCrouch),
				tostring(self.bRun), tostring(self.bAim), tostring(self.bReload), tostring(self.bUse), self.ViewRotation.Yaw)
		end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { PlayerControllerClass = "Pad" }
	]]
	local s = t:server{ mode = "standalone", game = "Duel" }
	s:input{ forward = 1, strafe = -0.5, up = 0.25, jump = true, fire = true, altfire = true, crouch = true, run = true,
		aim = true, reload = true, use = true, weapon = 3, yaw = 16384, pitch = 100 }
	t:ticks(1)
	local pc = s:controller()
	t:eq(pc.Seen, "1 -0.5 0.25 true true true true true true true true 16384")
	t:near(pc.Dt, 1 / 60, 1e-6)
	t:eq(pc.ViewRotation, rotator(100, 16384, 0))
	s:input{ forward = 0, jump = false }
	t:ticks(2)
	t:eq(pc.Seen, "0 -0.5 0.25 false true true true true true true true 16384", "the rest is held until changed")
	t:eq(pc.Ticks, 3)
end)

scenario("R9.0 an unknown key of input is an error", function(t)
	local s = t:server{ mode = "standalone" }
	t:error(function() s:input{ forwrad = 1 } end, "forwrad.*forward")
	t:error(function() s:input{ bJump = true } end, "bJump.*jump")
	t:error(function() s:input{ jump = 1 } end, "jump.*true or false")
	t:error(function() s:input{ forward = 2 } end, "forward.*1")
end)

scenario("R9.0 a dedicated server has no player of its own", function(t)
	local s = t:server{}
	t:error(function() s:input{ forward = 1 } end, "no local player")
	t:error(function() s:controller() end, "no local player")
end)

scenario("R9.0 jump acts on its rising edge", function(t)
	t:scripts [[
		local Hopper = class("Hopper", "Character")
		Hopper.properties { Jumps = int(0), Lands = int(0) }
		function Hopper:DoJump()
			local jumped = Hopper.super.DoJump(self)
			if jumped then self.Jumps = self.Jumps + 1 end
			return jumped
		end
		function Hopper:Landed(_) self.Lands = self.Lands + 1 end
		local Duel = class("Duel", "GameInfo")
		Duel.defaults { DefaultPawnClass = "Hopper" }
	]]
	local s = t:server{ mode = "standalone", game = "Duel" }
	t:run(0.2)
	s:input{ jump = true }
	t:run(0.3)
	t:gt(s:pawn().Location.Z, 120)
	t:eq(s:pawn().Physics, PHYS_Falling)
	t:run(3)
	t:eq(s:pawn().Jumps, 1, "held down is one press")
	t:eq(s:pawn().Lands, 1)
	t:near(s:pawn().Location.Z, 88, 1)
	s:input{ jump = false }
	t:ticks(1)
	s:input{ jump = true }
	t:ticks(1)
	t:eq(s:pawn().Jumps, 2)
end)
