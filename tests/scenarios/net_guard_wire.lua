-- R6.5: what scripts may send reliably is bounded by class, and a script that sends more gets the error; nobody is closed
-- for it, and nobody is sent more than the budget (G10).

local net = require("shared.net")

local CANNON = net.with [[
	local Cannon = class("Cannon")
	Cannon.properties { Fired = int(0), Refused = int(0), bFiring = false }
	Cannon.defaults { bAlwaysRelevant = true }
	function Cannon.multicast.reliable:Boom(text)
		if not self:HasAuthority() then self.booms = (self.booms or 0) + 1 end
	end
	Cannon.params { Boom = { str("", { max = 1000 }) } }
	function Cannon:Fire(text)
		self:Boom(text)
		self.Fired = self.Fired + 1
	end
	function Cannon:Tick(_)
		if not self.bFiring or not self:HasAuthority() then return end
		for i = 1, 20 do
			local ok = pcall(self.Fire, self, ("b"):rep(1000))
			if not ok then self.Refused = self.Refused + 1 end
		end
	end

	local Bell = class("Bell")
	Bell.defaults { bAlwaysRelevant = true }
	function Bell.multicast.reliable:Ring(n) if not self:HasAuthority() then self.rung = n end end
	Bell.params { Ring = { int(0) } }
]]

local function begin(t, ...) return CANNON.start(t, {}, ...) end

scenario("R6.5 20 reliable multicasts a tick disconnect nobody; beyond the budget they are refused, and what is taken arrives", { seeds = 5 }, function(t)
	local s, a, b = begin(t, { name = "a", lag = 0.05, loss = 0.02 }, { name = "b" })
	local cannon, bell = s:spawn("Cannon"), s:spawn("Bell")
	t:within(3, function() return a:copy(cannon) and a:copy(bell) and b:copy(cannon) and b:copy(bell) end)
	t:run(2)
	cannon.bFiring = true
	for n = 1, 8 do
		bell:Ring(n) -- a class that calls little is not held back
		t:run(1)
	end
	cannon.bFiring = false
	t:ok(cannon.Refused > 1000, "most calls are refused")
	t:ok(cannon.Fired >= 140 and cannon.Fired <= 190, "the budget's worth of calls is taken: " .. cannon.Fired)
	t:within(5, function() return a:copy(cannon).booms == cannon.Fired and b:copy(cannon).booms == cannon.Fired end)
	t:eq({ a:copy(bell).rung, b:copy(bell).rung }, { 8, 8 })
	t:no(a.error)
	t:no(b.error)
end)

scenario("R6.5 a call beyond the budget raises at the caller, and says what to do", function(t)
	local s, a = begin(t, { name = "a" })
	local cannon = s:spawn("Cannon")
	t:within(3, function() return a:copy(cannon) end)
	for _ = 1, 19 do cannon:Fire(("b"):rep(1000)) end
	cannon:Fire("more") -- one call may overdraw it
	cannon:Fire(("b"):rep(1000))
	t:expect_error("Cannon:Fire: .*Cannon:Boom: a reliable call of 1%d+ bytes cannot go to a, so it goes to nobody: reliable calls of this class have used up their 20000 bytes a second; call less often")
	cannon:Fire(("b"):rep(1000))
	t:run(1)
	t:eq(cannon.Fired, 21)
	t:within(3, function() return a:copy(cannon).booms == 21 end)
	t:no(a.error)
end)
