-- R12.6: who hears what, by whom it is played, and what nobody is told. Players stand 400 uu apart.

-- A speaker for these scenarios, and players who note what reaches them.
local function stage(t, more)
	t:scripts [[
		local Speaker = class("Speaker", "Actor")
		Speaker.defaults { SoundRadius = 1000, bAlwaysRelevant = true }
		function Speaker.simulated:Boom(name) self:PlaySound(name or "test") end
		function Speaker:Shout(name, opts) self:PlaySound(name or "test", opts) end
		function Speaker.multicast:Everybody() self:PlaySound("multicast") end

		local Bell = class("Bell", "Speaker")
		function Bell.simulated:Timer() self:PlaySound("timer") end
		function Bell.simulated:PostBeginPlay() self:SetTimer(1, false) end
	]]
	if more then
		t:scripts(more)
	end
	return t:server { level = "flat" }
end

-- What a peer's player heard lately, by name.
local function heard(peer)
	return peer:eval [[
		local names = {}
		for i, s in ipairs(world:RecentSounds()) do
			names[i] = s.Sound
		end
		return table.concat(names, " ")
	]]
end

local function calls(t, client)
	local n = 0
	for _, e in ipairs(t:trace(client)) do
		if e.event == "called" and e.name == "ClientHearSound" then
			n = n + 1
		end
	end
	return n
end

scenario("R12.6 PlaySound on the server reaches exactly the players within hearing", function(t)
	local s = stage(t)
	local near, far = t:client { name = "near" }, t:client { name = "far" }
	t:within(3, function() return s:pawn(near) and s:pawn(far) end)
	s:pawn(far).Location = vector(5000, 0, 88)
	local a = s:spawn("Speaker", { Location = s:pawn(near).Location })
	t:run(1)
	a:Shout("a")
	t:run(0.5)
	t:eq(heard(near), "a")
	t:eq(heard(far), "")
	t:eq(calls(t, far), 0)
	a:Shout("sounds/boom.toml") -- it carries 6000 uu, whatever the actor says
	t:run(0.5)
	t:eq(heard(near), "a sounds/boom.toml")
	t:eq(heard(far), "sounds/boom.toml")
end)
