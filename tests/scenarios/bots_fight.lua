-- Bots fight as people do: they hit what stands, miss more the worse they are, lead what flies, and leave its way.

local gun = [[
	local Gun = class("Gun", "Weapon")
	Gun.defaults { FireInterval = 0.1, ClipSize = 0, InitialAmmo = 9000, MaxAmmo = 9000, Damage = 0, AIRange = 3000 }
	function Gun:FireWeapon(shot)
		local pawn = self:GetPawn()
		local hit = pawn:Trace(shot.Start, shot.Start + rotator(shot.Pitch, shot.Yaw, 0):Vector() * 5000)
		if hit and hit.Actor then hit.Actor:TakeDamage(1, pawn, hit.Location, vector(), "gun") end
	end
	local Ball = class("Ball", "Projectile")
	Ball.defaults { Speed = 1200, Damage = 0, LifeSpan = 4 }
	local Thrower = class("Thrower", "WeaponProjectile")
	Thrower.defaults { ProjectileClass = "Ball", FireInterval = 0.2, InitialAmmo = 9000, MaxAmmo = 9000, AIRange = 3000 }
	local Target = class("Target", "Character")
	Target.properties { Hits = int(0), Swing = float(0) }
	Target.defaults { Health = 1000, HealthMax = 1000 }
	function Target:TakeDamage() self.Hits = self.Hits + 1 end
	function Target:Tick(_)
		if self.Swing > 0 then
			local way = math.floor(world.TimeSeconds / 1.5) % 2 == 0 and 1 or -1
			self.Acceleration = vector(0, way * self.AccelRate, 0)
		end
	end
	-- It stands where it is and shoots.
	local Post = class("Post", "Brain")
	function Post:Manoeuvre(_, _, _) self.strafeUntil = world.TimeSeconds + 1 end
	function Post:ChooseGoal(_) end
	local Gunner = class("Gunner", "Bot")
	Gunner.defaults { BrainClass = "Post" }
	Gunner.properties { Shots = int(0) }
	local Body = class("Body", "Character")
	Body.properties { Shots = int(0) }
	function Body:WeaponFired(weapon, mode)
		Body.super.WeaponFired(self, weapon, mode)
		self.Shots = self.Shots + 1
	end
]]

local function gunner(s, skill, weapon, at)
	local mind = s:spawn("Gunner", {})
	mind.Skill = skill
	local pawn = s:spawn("Body", { Location = at or vector(0, 0, 88.5) })
	mind:Possess(pawn)
	pawn:GiveInventory(weapon)
	return pawn, mind
end

for_each({
	{ skill = 0, swing = 0, distance = 800, least = 0.15, most = 0.75 },
	{ skill = 3, swing = 0, distance = 800, least = 0.35, most = 0.95 },
	{ skill = 7, swing = 0, distance = 800, least = 0.9, most = 1 },
	{ skill = 0, swing = 440, distance = 800, least = 0.05, most = 0.5 },
	{ skill = 3, swing = 440, distance = 800, least = 0.15, most = 0.7 },
	{ skill = 7, swing = 440, distance = 800, least = 0.6, most = 1 },
	{ skill = 3, swing = 0, distance = 2400, least = 0.05, most = 0.5 },
}, function(case)
	scenario(string.format("bots aim: skill %d at %d uu, the target moves at %d uu/s", case.skill, case.distance, case.swing), function(t)
		t:scripts(gun)
		local s = t:server{ options = "?skill=" .. case.skill }
		local pawn = gunner(s, case.skill, "Gun")
		local target = s:spawn("Target", { Location = vector(case.distance, 0, 88.5), Swing = case.swing })
		t:run(30)
		t:ge(pawn.Shots, 50)
		local rate = target.Hits / pawn.Shots
		log(string.format("skill %d, %d uu, %d uu/s: %.2f of %d", case.skill, case.distance, case.swing, rate, pawn.Shots))
		t:ge(rate, case.least)
		t:le(rate, case.most)
	end)
end)

-- A small deathmatch on a level that was made for one.
local brawl = [[
	local Musket = class("Musket", "Weapon")
	Musket.defaults { FireInterval = 0.15, ClipSize = 20, InitialAmmo = 200, MaxAmmo = 200, Damage = 12, AIRange = 2500 }
	function Musket:FireWeapon(shot)
		local pawn = self:GetPawn()
		local hit = pawn:Trace(shot.Start, shot.Start + rotator(shot.Pitch, shot.Yaw, 0):Vector() * 5000)
		if hit and hit.Actor then hit.Actor:TakeDamage(self.Damage, pawn, hit.Location, vector(), "rifle") end
	end
	local Bomb = class("Bomb", "Projectile")
	Bomb.defaults { Speed = 1100, Damage = 70, DamageRadius = 200, LifeSpan = 6, DamageType = "bomb" }
	local Mortar = class("Mortar", "WeaponProjectile")
	Mortar.defaults { ProjectileClass = "Bomb", FireInterval = 0.9, InitialAmmo = 40, InventoryGroup = 2, AIRange = 2500 }
	local Brawler = class("Brawler", "Character")
	Brawler.defaults { DefaultInventory = { "Musket", "Mortar" } }
	local Brawl = class("Brawl", "GameInfo")
	Brawl.properties { Kinds = "" }
	Brawl.defaults { DefaultPawnClass = "Brawler", BotClass = "Bot", RespawnDelay = 1 }
	function Brawl:Killed(killer, victim, pawn, kind)
		Brawl.super.Killed(self, killer, victim, pawn, kind)
		if not self.Kinds:find(kind) then self.Kinds = self.Kinds .. kind .. " " end
	end
]]

scenario("bots fight each other on arena with all they have", function(t)
	t:scripts(brawl)
	local s = t:server{ level = "arena", game = "Brawl", options = "?bots=8" }
	t:run(60)
	local game = s:actors("Brawl")[1]
	log(game.Kinds)
	t:match(game.Kinds, "rifle")
	t:match(game.Kinds, "%a+ %a+ ", "kills with more than one weapon")
	local score = 0
	for _, player in ipairs(s:actors("PlayerReplicationInfo")) do
		t:ok(player.bBot)
		score = score + player.Deaths
	end
	t:ge(score, 6)
end)

for_each({ { skill = 0, within = 30 }, { skill = 7, within = 6 } }, function(case)
	scenario("bots kill who stands about: skill " .. case.skill, { budget = 60 }, function(t)
		t:scripts(brawl)
		local s = t:server{ game = "Brawl", options = "?skill=" .. case.skill }
		t:run(0.1)
		local mind, pawn = s:spawn("Bot", {}), s:spawn("Brawler", { Location = vector(0, 0, 88.5) })
		mind:Possess(pawn)
		pawn:AddDefaultInventory()
		local victim = s:spawn("Brawler", { Location = vector(1200, 300, 88.5) })
		t:within(case.within, function() return not victim.alive or victim.Health <= 0 end)
		t:ok(pawn.alive)
	end)
end)

-- Somebody throws slow balls at a bot that would else stand still.
local function hitsOf(t, dodges)
	t:scripts(gun .. [[
		local Still = class("Still", "Post")
		function Still:DodgeShots(_) return false end
		local Lame = class("Lame", "Gunner")
		Lame.defaults { BrainClass = "Still" }
		local Dodger = class("Dodger", "Body")
		Dodger.properties { Hits = int(0) }
		Dodger.defaults { Health = 1000, HealthMax = 1000 }
		function Dodger:TakeDamage() self.Hits = self.Hits + 1 end
	]])
	local s = t:server{ options = "?skill=6" }
	local mind = s:spawn(dodges and "Gunner" or "Lame", {})
	local pawn = s:spawn("Dodger", { Location = vector(0, 0, 88.5) })
	mind:Possess(pawn)
	local thrower = s:spawn("Target", { Location = vector(1500, 0, 88.5) })
	for _ = 1, 20 do
		local way = pawn.Location - thrower.Location
		s:spawn("Ball", { Location = thrower.Location + way:Normal() * 60, Rotation = way:Rotation(), Instigator = thrower })
		t:run(2)
	end
	return pawn.Hits
end

scenario("bots leave the way of what flies at them", { budget = 60 }, function(t)
	t:le(hitsOf(t, true), 8)
end)

scenario("bots that do not look are hit by what flies at them", { budget = 60 }, function(t)
	t:ge(hitsOf(t, false), 18)
end)

scenario("bots hear: a noise behind them makes them turn", { budget = 60 }, function(t)
	t:scripts(gun)
	local s = t:server{ options = "?skill=4" }
	local pawn, mind = gunner(s, 4, "Gun")
	mind.ViewRotation = rotator(0, 0, 0)
	t:run(1)
	local other = s:spawn("Target", { Location = vector(-700, 0, 88.5) })
	other:MakeNoise(1)
	t:within(1.5, function() return pawn.Shots > 0 end)
end)

scenario("bots that are hurt go for what mends, with an enemy before them", { budget = 60 }, function(t)
	t:scripts(gun)
	local s = t:server{ options = "?skill=4" }
	local pawn = gunner(s, 4, "Gun")
	s:spawn("Target", { Location = vector(900, 0, 88.5) })
	t:within(3, function() return pawn.Shots > 0 end)
	local pickup = s:spawn("Pickup", { Location = vector(-300, 600, 30) })
	t:run(2)
	t:ok(pickup.bAvailable, "unhurt it fights on")
	pawn.Health = 20
	t:within(6, function() return not pickup.bAvailable end)
end)

scenario("bots spare their own side", { budget = 60 }, function(t)
	t:scripts(gun)
	local s = t:server{ options = "?skill=4" }
	local pawn = gunner(s, 4, "Gun")
	local friend = s:spawn("Target", { Location = vector(600, 0, 88.5) })
	pawn.PlayerReplicationInfo = s:spawn("PlayerReplicationInfo", { Team = 1 })
	friend.PlayerReplicationInfo = s:spawn("PlayerReplicationInfo", { Team = 1 })
	t:run(4)
	t:eq({ friend.Hits, pawn.Shots }, { 0, 0 })
	friend.PlayerReplicationInfo.Team = 0
	t:within(20, function() return friend.Hits > 0 end)
end)

-- A weapon of a modder's with two keys, which says by itself when the second is the better.
local twoKeys = [[
	local Fork = class("Fork", "Gun")
	Fork.properties { Modes = int(2), Near = int(0), Far = int(0) }
	Fork.defaults { NumFireModes = 2 }
	function Fork:BestMode(distance, enemy) return enemy and distance > 600 and 1 or 0 end
	function Fork:FireWeapon(shot)
		Fork.super.FireWeapon(self, shot)
		if shot.Mode == 1 then self.Far = self.Far + 1 else self.Near = self.Near + 1 end
	end
	-- It answers so though it has one key: the other is a pawn's own.
	local Liar = class("Liar", "Gun")
	function Liar:BestMode() return 1 end
	local Dodo = class("Dodo", "Body")
	Dodo.properties { Second = int(0) }
	function Dodo:StartFire(mode)
		Dodo.super.StartFire(self, mode)
		if mode == 1 then self.Second = self.Second + 1 end
	end
]]

scenario("bots fire a weapon by the key that it says is the better", { budget = 60 }, function(t)
	t:scripts(gun .. twoKeys)
	local s = t:server{ options = "?skill=5" }
	local pawn = gunner(s, 5, "Fork")
	local target = s:spawn("Target", { Location = vector(900, 0, 88.5) })
	t:run(6)
	local fork = pawn.Weapon
	t:ge(fork.Far, 20)
	t:eq(fork.Near, 0)
	target:SetLocation(vector(350, 0, 88.5))
	t:run(0.5)
	local far = fork.Far
	t:run(6)
	t:ge(fork.Near, 20)
	t:eq(fork.Far, far)
end)

scenario("bots leave alone the second key of a weapon that has one mode", { budget = 60 }, function(t)
	t:scripts(gun .. twoKeys)
	local s = t:server{ options = "?skill=5" }
	local mind, pawn = s:spawn("Gunner", {}), s:spawn("Dodo", { Location = vector(0, 0, 88.5) })
	mind:Possess(pawn)
	pawn:GiveInventory("Liar")
	s:spawn("Target", { Location = vector(900, 0, 88.5) })
	t:run(6)
	t:ge(pawn.Shots, 20)
	t:eq(pawn.Second, 0)
end)

for_each({ { far = 300, pellets = true }, { far = 1100, pellets = false } }, function(case)
	scenario("bots fire the barnacle's slug from afar: at " .. case.far .. " uu", { budget = 60 }, function(t)
		t:scripts(gun .. [[
			local Barnacle = class("Barnacle", "Shotgun")
			Barnacle.properties { Pellets = int(0), Slugs = int(0) }
			function Barnacle:ProcessHit(shot, hit, direction)
				Barnacle.super.ProcessHit(self, shot, hit, direction)
				if shot.Mode == 1 then self.Slugs = self.Slugs + 1 else self.Pellets = self.Pellets + 1 end
			end
		]])
		local s = t:server{ options = "?skill=5" }
		local pawn = gunner(s, 5, "Barnacle")
		s:spawn("Target", { Location = vector(case.far, 0, 88.5) })
		t:run(8)
		local barnacle = pawn.Weapon
		t:eq({ barnacle.Slugs > 0, barnacle.Pellets > 0 }, { not case.pellets, case.pellets })
		t:le(barnacle.Slugs, pawn.Shots, "one ball a shot")
	end)
end)

for_each({ { far = 2000, down = true }, { far = 700, down = false } }, function(case)
	scenario("bots crouch to shoot over a long way: " .. case.far .. " uu", { budget = 60 }, function(t)
		t:scripts(gun .. [[
			local Lazy = class("Lazy", "Brain")
			function Lazy:Relocate(_) return false end
			local LazyBot = class("LazyBot", "Bot")
			LazyBot.defaults { BrainClass = "Lazy" }
		]])
		local s = t:server{ options = "?skill=0" }
		local mind, pawn = s:spawn("LazyBot", {}), s:spawn("Body", { Location = vector(0, 0, 88.5) })
		mind:Possess(pawn)
		pawn:GiveInventory("Gun")
		s:spawn("Target", { Location = vector(case.far, 0, 88.5) })
		local crouched, shots = 0, 0
		for _ = 1, 200 do
			t:run(0.1)
			if pawn.bCrouching then
				crouched = crouched + 1
				shots = math.max(shots, pawn.Shots)
			end
		end
		t:eq({ crouched > 20, shots > 0 }, { case.down, case.down })
		mind.Pawn.Health = 0 -- the dead press nothing
		t:run(0.5)
		t:no(mind.bCrouch)
	end)
end)

-- A weapon whose blast reaches 300 uu around.
for_each({ { far = 190, fires = false }, { far = 800, fires = true } }, function(case)
	scenario("bots hold back a blast that would hurt themselves: at " .. case.far .. " uu", { budget = 60 }, function(t)
		t:scripts(gun .. [[
			local Bang = class("Bang", "Ball")
			Bang.defaults { DamageRadius = 300 }
			local Banger = class("Banger", "Thrower")
			Banger.defaults { ProjectileClass = "Bang" }
		]])
		local s = t:server{ options = "?skill=5" }
		local pawn = gunner(s, 5, "Banger")
		s:spawn("Target", { Location = vector(case.far, 0, 88.5) })
		t:run(6)
		t:eq({ pawn.Shots > 5, pawn.Shots == 0 }, { case.fires, not case.fires })
	end)
end)

scenario("bots that have only what everybody has fetch a good weapon in the fight", { budget = 60 }, function(t)
	t:scripts(gun .. [[
		local Popgun = class("Popgun", "Gun")
		Popgun.defaults { AIRating = 0.2 }
		local Cannon = class("Cannon", "Gun")
		Cannon.defaults { AIRating = 0.8, InventoryGroup = 2 }
	]])
	local s = t:server{ options = "?skill=4" }
	local pawn = gunner(s, 4, "Popgun")
	s:spawn("Target", { Location = vector(1100, 0, 88.5) })
	t:within(3, function() return pawn.Shots > 0 end)
	local first = s:spawn("WeaponPickup", { Location = vector(-300, 700, 40), ItemClass = "Cannon" })
	local shots = pawn.Shots
	t:within(6, function() return not first.bAvailable end)
	t:gt(pawn.Shots, shots, "it shoots on the way")
	t:within(3, function() return pawn.Weapon:IsA("Cannon") end)
	local second = s:spawn("WeaponPickup", { Location = vector(-300, -700, 40), ItemClass = "Cannon" })
	t:always(4, function() return second.bAvailable end)
end)

-- The sample match: what kills in it, by the share of all kills.
local counted = [[
	local Tally = class("Tally", "DeathMatch")
	Tally.defaults { GoalScore = 0, TimeLimit = 0 }
	function Tally:Killed(killer, victim, pawn, kind)
		Tally.super.Killed(self, killer, victim, pawn, kind)
		if killer and killer ~= victim then
			self.kinds = self.kinds or {}
			self.kinds[kind] = (self.kinds[kind] or 0) + 1
		end
	end
	function Tally:CountOf(kind) return self.kinds and self.kinds[kind] or 0 end
]]

for_each({ { level = "arena", bots = 8, seconds = 75, kills = 14 }, { level = "estuary", bots = 16, seconds = 150, kills = 25 } }, function(case)
	scenario("bots kill each other on " .. case.level .. " with every weapon, none above the half", { budget = 200, long = true }, function(t)
		t:scripts(counted)
		local s = t:server{ level = case.level, game = "Tally", options = "?bots=" .. case.bots }
		t:run(case.seconds)
		local game, all = s:actors("Tally")[1], 0
		local kinds = { "rifle", "shotgun", "rocket", "grenade", "cutlass" }
		for _, kind in ipairs(kinds) do all = all + game:CountOf(kind) end
		t:ge(all, case.kills)
		for i, kind in ipairs(kinds) do
			local share = game:CountOf(kind) / all
			log(string.format("%s: %s %.0f %% of %d", case.level, kind, 100 * share, all))
			t:le(share, 0.55, kind)
			t:ok(i == #kinds or share > 0, "nobody was killed by a " .. kind)
		end
	end)
end)
