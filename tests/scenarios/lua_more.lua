-- What came out of using the host: each of these was once wrong.

local net = require("shared.net")

scenario("R9.0 a view that the player merely holds does not undo what a script sets", function(t)
	local s = t:server { mode = "standalone" }
	t:run(0.5)
	local pc = s:controller()
	net.hold(t, s, { yaw = 1000 }, 0.1)
	t:eq(pc.ViewRotation.Yaw, 1000)
	pc:ClientSetRotation(rotator(0, 16384, 0))
	t:run(0.1)
	t:eq(pc.ViewRotation.Yaw, 16384)
	net.hold(t, s, { yaw = 2000 }, 0.1)
	t:eq(pc.ViewRotation.Yaw, 2000)
end)

scenario("R7.2 GotoState inside latent code ends that code at once", function(t)
	t:scripts [[
		local A = class("A", "Actor")
		A.properties { Log = str("", { max = 100 }) }
		A.auto_state = "One"
		A.state("One", {})
		A.state("Two", {})
		function A.state.One:Code()
			self.Log = self.Log .. "1"
			self:GotoState("Two")
			self.Log = self.Log .. "after"
		end
		function A.state.Two:Code() self.Log = self.Log .. "2" end
	]]
	local _, a = net.alone(t, "A")
	t:run(0.2)
	t:eq(a.Log, "12")
end)

scenario("lua-api errors: a reload lifts quarantine even where the text is the same", function(t)
	local text = [[
		local A = class("A", "Actor")
		A.properties { bBad = true, Ticks = int(0) }
		function A:Tick(dt)
			if self.bBad then error("bad") end
			self.Ticks = self.Ticks + 1
		end
	]]
	t:scripts(text)
	local _, a = net.alone(t, "A")
	t:expect_error("A:Tick.*bad")
	t:run(0.5)
	t:eq(a.Ticks, 0)
	a.bBad = false
	t:run(0.5)
	t:eq(a.Ticks, 0)
	t:reload(text)
	t:run(0.5)
	t:gt(a.Ticks, 20)
end)

scenario("lua-api errors: calling what is not there names it", function(t)
	t:scripts [[
		local A = class("A", "Actor")
		function A:Explode() end
		function A:Go(other) other:Explod() end
	]]
	local _, a = net.alone(t, "A")
	t:expect_error('attempt to call a nil value %(method \'Explod\'%); A has no function "Explod"; did you mean "Explode"')
	a:Go(a)
end)
