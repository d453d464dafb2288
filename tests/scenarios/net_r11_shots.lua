-- R11.4: what rewinding is worth. A player whose aim is right on their screen shoots at a target that strafes, with
-- and without it; the figures of docs/performance.md come from here.

local net = require("shared.net")
local range = require("shared.range")

-- How many of so many shots hit, as shares: seen on the shooter's screen, and by the server.
local function shoot(t, game, link, shots)
	local options = { name = "a" }
	for k, v in pairs(link) do options[k] = v end
	local s, a, target = range.stand(t, game, options)
	a:controller().bAims = false
	t:run(4)
	a:controller().bAims = true
	t:run(0.5)
	local gun = s:pawn(a).Weapon
	a:input{ fire = true }
	t:within(shots * 0.1 + 5, function() return gun.Rounds.Shots >= shots end)
	net.hold(t, a, { fire = false }, 1)
	local judged = gun.Rounds.Shots
	return target.Hits / judged, gun.Rounds.Refused, s:controller(a):GetRefusedClaims(), judged
end

-- The figures of docs/performance.md: -v shows them. On a virtual clock, since in real time each takes two minutes.
for_each({ 50, 150, 250 }, function(trip)
	local link = { lag = trip / 2000, jitter = 0.01 }
	local way = string.format("%d ± 20 ms of round trip, 1 000 shots: ", trip)
	scenario("R11.4 " .. way .. "who aims right hits", { budget = 300, transport = "sim", long = true }, function(t)
		local share, refused, claims = shoot(t, "Gallery", link, 1000)
		log(string.format("%s%.1f %% hit", way, share * 100))
		t:ge(share, 0.99)
		t:eq({ refused, claims }, { 0, 0 })
	end)
	scenario("R11.4 " .. way .. "without rewind", { budget = 300, transport = "sim", long = true }, function(t)
		local share = shoot(t, "OldGallery", link, 1000)
		log(string.format("%s%.1f %% hit without rewind", way, share * 100))
		if trip >= 150 then t:lt(share, 0.2) end
	end)
end)

for_each({
	{ "150 ± 20 ms each way", { lag = 0.15, jitter = 0.02 } },
	{ "75 ± 20 ms each way and 2 % loss", { lag = 0.075, jitter = 0.02, loss = 0.02, dup = 0.02 } },
}, function(case)
	scenario("R11.4 " .. case[1] .. ": who aims right hits", { seeds = 5, budget = 120 }, function(t)
		t:ge(shoot(t, "Gallery", case[2], 400), 0.99)
	end)
	scenario("R11.4 " .. case[1] .. ": hardly any without rewind", { seeds = 3, budget = 120 }, function(t)
		t:lt(shoot(t, "OldGallery", case[2], 200), 0.2)
	end)
end)

scenario("R11.4 the first shot after the key counts at 10 % loss as the next ones do", { seeds = 5, budget = 120 }, function(t)
	t:scripts(range.CLASSES)
	local s, a = net.armed(t, { game = "Gallery" }, { name = "a", lag = 0.05, loss = 0.1 })
	t:run(4)
	local gun = s:pawn(a).Weapon
	for _ = 1, 200 do
		a:input{ fire = true }
		t:ticks(2)
		a:input{ fire = false }
		t:ticks(16)
	end
	t:within(2, function() return gun.Rounds.Shots == 200 end)
	-- A shot is judged too late only where three packets in a row are lost.
	t:le(s:controller(a):GetRefusedClaims(), 2)
end)

-- Each shot is told in three ticks, and any of them is enough.
for_each({ { 1, 1, 0 }, { 0, 1, 1 }, { 1, 0, 1 } }, function(lost)
	local name = "R11.4 a shot counts though two of the packets about it are lost: " .. table.concat(lost, " ")
	scenario(name, { transport = "sim" }, function(t)
		t:scripts(range.CLASSES)
		local s, a = net.armed(t, { game = "Gallery" }, { name = "a", lag = 0.05 })
		t:run(4)
		local gun = s:pawn(a).Weapon
		for i = 1, 20 do
			a:input{ fire = true }
			if i % 2 == 0 then t:ticks(1) end -- the key is seen a tick later or at once
			for k = 1, 3 do
				a:link{ loss = lost[k] }
				t:ticks(1)
			end
			a:link{ loss = 0 }
			net.hold(t, a, { fire = false }, 0.6)
			t:eq(gun.Rounds.Shots, i)
			t:eq(s:controller(a):GetRefusedClaims(), 0, "shot " .. i)
		end
	end)
end)

-- A claim names whom it met, and is sent three times: who is gone by then is no fault of the script.
scenario("R11.4 a shot is told again though whom it met is gone", { seeds = 3 }, function(t)
	t:scripts(range.CLASSES)
	local s = t:server{ game = "Gallery" }
	local a = t:client{ name = "a", lag = 0.02 }
	t:within(5, function() return s:pawn(a) and a:controller() and a:pawn() and a:pawn().Weapon end)
	s:pawn(a):SetLocation(vector(-600, 0, 88.1))
	s:pawn(a).Velocity = vector()
	a:controller().bAims = true
	local hits = 0
	for wait = 0, 8 do
		local target = s:spawn("Strafer", { Location = vector(0, 0, 88.1) })
		target.AccelRate = 0
		t:run(1)
		local shots = s:pawn(a).Weapon.Rounds.Shots
		a:input{ fire = true }
		t:within(2, function() return s:pawn(a).Weapon.Rounds.Shots > shots and target.Hits > 0 end)
		t:ticks(wait) -- the client receives it somewhere between two shots, and so between the first telling and the last
		hits = hits + target.Hits
		target:Destroy()
		t:run(0.3)
		net.hold(t, a, { fire = false }, 0.3)
	end
	t:ge(hits, 9)
	t:eq(s:pawn(a).Weapon.Rounds.Refused, 0)
end)
