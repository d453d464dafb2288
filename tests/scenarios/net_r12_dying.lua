-- R12.5: a dead pawn is torn off; what becomes of its body each client shows by itself.

local function join(t, s, ...)
	local list = {}
	for i, options in ipairs { ... } do list[i] = t:client(options) end
	t:within(5, function()
		for _, c in ipairs(list) do
			if not s:pawn(c) or not c:copy(s:pawn(c)) then return false end
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

scenario("R12.5 the player's own machine keeps his body, too, and he looks on from where he died", { seeds = 3 }, function(t)
	t:scripts(MORTAL .. [[
		local Arena = class("Arena", "GameInfo")
		Arena.defaults { DefaultPawnClass = "Mortal", RespawnDelay = 1.5 }
	]])
	local s = t:server { level = "flat", game = "Arena" }
	local a, b = join(t, s, { name = "a", preset = "internet" }, { name = "b" })
	local pawn, body, other = s:pawn(a), a:pawn(), b:copy(s:pawn(a))
	s:pawn(a).Location = vector(3000, 3000, 88.5)
	t:run(0.5)
	pawn:TakeDamage(1000, s:pawn(b), vector(), vector(200, 0, 300), "test")
	t:within(2, function() return body.dying and other.dying end)
	t:eq({ body:GetStateName(), other:GetStateName(), body.Role, other.Role }, { "Dying", "Dying", ROLE_Authority, ROLE_Authority })
	t:within(1, function() return not a:pawn() end)
	t:lt((s:controller(a).Location - vector(3000, 3000, 152)):Size2D(), 50)
	t:within(3, function() return a:pawn() end)
	t:eq(a:pawn():Is(body), false, "the next life has a body of its own")
	t:ok(body.alive, "and the old one still lies there")
	t:within(3, function() return not body.alive and not other.alive end)
	t:eq({ s:log(), a:log(), b:log() }, { {}, {}, {} })
end)

scenario("R12.5 a body falls and lies, is in nobody's way and cannot be hurt", function(t)
	t:scripts(MORTAL)
	local s = t:server { level = "flat" }
	local a = join(t, s, { name = "a" })
	local pawn = s:spawn("Mortal", { Location = vector(300, 0, 200) })
	t:within(3, function() return a:copy(pawn) end)
	local body = a:copy(pawn)
	pawn:TakeDamage(1000, nil, vector(), vector(), "test")
	t:within(1, function() return body.dying end)
	t:eq({ body.bCollideActors, body.bBlockActors, body.bBlockPlayers }, { false, false, false })
	t:eq(body:IsPlayingMontage("animations/die.toml"), true)
	t:run(1.2)
	t:near(body.Location.Z, 88, 1.5)
	t:eq(body.Velocity, vector())
	body:TakeDamage(10, nil, vector(), vector(), "test")
	t:eq(body.Health, -900)
end)

scenario("R12.5 who does not have the pawn hears nothing of its end", function(t)
	t:scripts(MORTAL)
	local s = t:server { level = "flat" }
	local a, b = join(t, s, { name = "a" }, { name = "b" })
	local pawn = s:spawn("Mortal", { Location = vector(0, 0, 100), bAlwaysRelevant = false, bOnlyRelevantToOwner = true, Owner = s:controller(a) })
	t:within(2, function() return a:copy(pawn) end)
	local body = a:copy(pawn)
	pawn:TakeDamage(1000, nil, vector(), vector(), "test")
	t:run(1)
	t:ok(body.dying)
	t:eq({ #b:actors("Mortal"), t:traffic(b).by_class.Mortal }, { 0, nil })
end)

scenario("R12.5 a ragdoll is each client's own: its hip carries the body, and nothing of it crosses", { seeds = 3 }, function(t)
	t:scripts(MORTAL .. [[
		local Floppy = class("Floppy", "Mortal")
		Floppy.defaults { RagdollClass = "Ragdoll", CorpseLifeSpan = 6 }
	]])
	local s = t:server { level = "flat" }
	local a, b = join(t, s, { name = "a", preset = "internet" }, { name = "b" })
	local pawn = s:spawn("Floppy", { Location = vector(300, 0, 300), Velocity = vector(200, 0, 0) })
	t:within(3, function() return a:copy(pawn) and b:copy(pawn) end)
	local body = a:copy(pawn)
	pawn:TakeDamage(1000, nil, vector(), vector(), "test")
	t:within(2, function() return body.dying and #a:actors("Ragdoll") == 1 and #b:actors("Ragdoll") == 1 end)
	t:eq(#s:actors("Ragdoll"), 0)
	local sent = t:traffic(a).by_class.Floppy.bytes
	t:run(3)
	local hip = a:actors("Ragdoll")[1]
	t:lt(hip.Location.Z, 40, "it lies on the floor")
	t:lt((body.Location - hip.Location):Size(), 60)
	t:eq({ t:traffic(a).by_class.Ragdoll, t:traffic(a).by_class.Floppy.bytes }, { nil, sent })
	t:run(4)
	t:eq({ #a:actors("Ragdoll"), #a:actors("Floppy"), #b:actors("Floppy") }, { 0, 0, 0 })
end)

for_each({ "standalone", "listen" }, function(mode)
	scenario("R12.5 the player at the " .. mode .. " machine sees a body, and the pawn is gone", function(t)
		t:scripts(MORTAL)
		local s = t:server { level = "flat", mode = mode }
		t:run(0.3)
		local pawn = s:spawn("Mortal", { Location = vector(300, 0, 300) })
		t:run(0.1)
		pawn:TakeDamage(1000, nil, vector(), vector(), "test")
		t:no(pawn.alive)
		local body = s:actors("Mortal")[1]
		t:eq({ body.dying, body.bReplicates, body:GetStateName() }, { 1, false, "Dying" })
		t:near(body.Location, vector(300, 0, 300), 5)
		t:run(2.2)
		t:eq(#s:actors("Mortal"), 0)
	end)
end)
