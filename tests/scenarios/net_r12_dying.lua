-- R12.5: a dead pawn is torn off; what becomes of its body each client shows by itself.

local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do
		list[i] = t:client(options)
	end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not s:pawn(c) or not c:copy(s:pawn(c)) then
				return false
			end
		end
		return true
	end)
	return unpack(list)
end

local MORTAL = [[
	local Mortal = class("Mortal", "Character")
	Mortal.defaults { CorpseLifeSpan = 2, bAlwaysRelevant = true }
	function Mortal.simulated:PlayDying()
		self.dying = (self.dying or 0) + 1
		Mortal.super.PlayDying(self)
	end
]]

scenario("R12.5 each client keeps the body, shows how it dies, and takes it away; the server keeps nothing", { seeds = 5 }, function(t)
	t:scripts(MORTAL)
	local s = t:server { level = "flat" }
	local a, b = join(t, s, { name = "a", preset = "internet" }, { name = "b", lag = 0.05, loss = 0.2 })
	local pawn = s:spawn("Mortal", { Location = vector(300, 0, 400) })
	t:within(3, function() return a:copy(pawn) and b:copy(pawn) end)
	local ca, cb = a:copy(pawn), b:copy(pawn)
	pawn:TakeDamage(1000, nil, vector(), vector(), "test")
	t:ticks(1)
	t:no(pawn.alive, "the server keeps nothing")
	t:within(2, function() return ca.Role == ROLE_Authority and cb.Role == ROLE_Authority end)
	for _, body in ipairs { ca, cb } do
		t:eq({ body.dying, body.Health <= 0, body:GetStateName() }, { 1, true, "Dying" })
	end
	local late = join(t, s, { name = "late" })
	t:eq(#late:actors("Mortal"), 0, "who comes later never gets it")
	t:within(4, function() return not ca.alive and not cb.alive end)
end)
