-- Section 3 of the rules: which actors a connection is told about. The table has one case for each answer of
-- each rule and for the order of the rules; what happens over time stands in net_r3_change.lua.

local net = require("shared.net")
local joined, present, seen = net.joined, net.copies, net.count

-- Two players, a at (0, -2000) and b at (0, -1600), look along +x with eyes at z = 152.
local NEAR = vector(300, -1800, 100) -- both see it
local FAR = vector(0, 15900, 200) -- farther from both than 15 000
local BEHIND = vector(1000, 0, 100) -- level wall: hidden from both

-- answers checks a client's answer: "yes R3.2" or "no R3.9 R3.10", where one of the rules is the reason.
local function answers(t, c, actor, expected)
	local yes = expected:sub(1, 3) == "yes"
	if yes then
		present(t, actor, c)
	else
		t:eq(c:copy(actor), nil, c.name .. " must not have it")
		t:eq(seen(t, c, actor), 0, c.name .. " must not have heard of it")
	end
	local code, text = t:why(c, actor)
	t:ok((expected .. " "):find(" " .. code .. " ", 1, true), c.name .. ": " .. expected .. " expected, got " .. code .. ": " .. text)
end

-- Hangs an actor on another.
local function hung(x, base)
	x:SetBase(base, true)
	return x
end

-- Each case: name, what is spawned (the last one returned is asked about), the answers for a and b.
local CASES = {
	{ "R3.1 RemoteRole None: nobody, though always relevant and owned", function(s, a) return s:spawn("Actor", { Location = NEAR, RemoteRole = ROLE_None, bAlwaysRelevant = true, Owner = s:controller(a) }) end, "no R3.1", "no R3.1" },
	{ "R3.1 not replicated: nobody, though always relevant and owned", function(s, a) return s:spawn("Actor", { Location = NEAR, bReplicates = false, bAlwaysRelevant = true, Owner = s:controller(a) }) end, "no R3.1", "no R3.1" },
	{ "R3.1 an Info is not replicated", function(s) return s:spawn("Info", { Location = NEAR }) end, "no R3.1", "no R3.1" },
	{ "R3.2 always relevant: everybody, far and hidden", function(s) return s:spawn("Actor", { Location = FAR, bHidden = true, bAlwaysRelevant = true }) end, "yes R3.2", "yes R3.2" },
	{ "R3.2 always relevant: behind a wall", function(s) return s:spawn("Actor", { Location = BEHIND, bAlwaysRelevant = true }) end, "yes R3.2", "yes R3.2", level = "wall" },
	{ "R3.2 a ReplicationInfo is", function(s) return s:spawn("ReplicationInfo", { Location = FAR }) end, "yes R3.2", "yes R3.2" },
	{ "R3.2 GameState is", function(s) return s:eval("return world.GameState") end, "yes R3.2", "yes R3.2" },
	{ "R3.2 a PlayerState is, for all", function(s, a) return s:controller(a).PlayerReplicationInfo end, "yes R3.2", "yes R3.2" },
	{ "R3.2 comes before R3.3: its owner is far", function(s) return s:spawn("Actor", { Location = FAR, Owner = s:spawn("Actor", { Location = FAR }), bNetUseOwnerRelevancy = true, bAlwaysRelevant = true }) end, "yes R3.2", "yes R3.2" },
	{ "R3.2 comes before R3.4: relevant to the owner only, and always", function(s, a) return s:spawn("Actor", { Location = NEAR, Owner = s:controller(a), bOnlyRelevantToOwner = true, bAlwaysRelevant = true }) end, "yes R3.2", "yes R3.2" },
	{ "R3.2 comes before R3.6: hung on something far", function(s) return hung(s:spawn("Actor", { Location = NEAR, bAlwaysRelevant = true }), s:spawn("Actor", { Location = FAR })) end, "yes R3.2", "yes R3.2" },
	{ "R3.3 the owner is near, it is far", function(s) return s:spawn("Actor", { Location = FAR, Owner = s:spawn("Actor", { Location = NEAR }), bNetUseOwnerRelevancy = true }) end, "yes R3.3", "yes R3.3" },
	{ "R3.3 the owner is far, it is near", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = FAR }), bNetUseOwnerRelevancy = true }) end, "no R3.3", "no R3.3" },
	{ "R3.3 the owner's cull distance counts, not its own: no", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = NEAR, NetCullDistance = 100 }), bNetUseOwnerRelevancy = true }) end, "no R3.3", "no R3.3" },
	{ "R3.3 the owner's cull distance counts, not its own: yes", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = NEAR }), NetCullDistance = 100, bNetUseOwnerRelevancy = true }) end, "yes R3.3", "yes R3.3" },
	{ "R3.3 the owner is seen, it is behind a wall", function(s) return s:spawn("Actor", { Location = BEHIND, Owner = s:spawn("Actor", { Location = NEAR }), bNetUseOwnerRelevancy = true }) end, "yes R3.3", "yes R3.3", level = "wall" },
	{ "R3.3 without the flag its own answer counts", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = FAR }) }) end, "yes R3.9", "yes R3.9" },
	{ "R3.3 without an Owner its own answer counts: yes", function(s) return s:spawn("Actor", { Location = NEAR, bNetUseOwnerRelevancy = true }) end, "yes R3.9", "yes R3.9" },
	{ "R3.3 without an Owner its own answer counts: no", function(s) return s:spawn("Actor", { Location = FAR, bNetUseOwnerRelevancy = true }) end, "no R3.8", "no R3.8" },
	{ "R3.3 an always relevant owner answers yes", function(s) return s:spawn("Actor", { Location = FAR, Owner = s:spawn("Actor", { Location = FAR, bAlwaysRelevant = true }), bNetUseOwnerRelevancy = true }) end, "yes R3.3", "yes R3.3" },
	{ "R3.3 follows a chain of owners", function(s)
		local top = s:spawn("Actor", { Location = NEAR })
		local mid = s:spawn("Actor", { Location = FAR, Owner = top, bNetUseOwnerRelevancy = true })
		return s:spawn("Actor", { Location = FAR, Owner = mid, bNetUseOwnerRelevancy = true })
	end, "yes R3.3", "yes R3.3" },
	{ "R3.3 comes before R3.4: the answer of a near owner that is no player", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = NEAR }), bNetUseOwnerRelevancy = true, bOnlyRelevantToOwner = true }) end, "yes R3.3", "yes R3.3" },
	{ "R3.3 an owner that only its owner knows", function(s, a) return s:spawn("Actor", { Location = NEAR, Owner = s:controller(a), bNetUseOwnerRelevancy = true }) end, "yes R3.3", "no R3.3" },
	{ "R3.3 what a visible pawn owns is known to all who see the pawn", function(s, a) return s:spawn("Actor", { Location = FAR, bHidden = true, Owner = s:pawn(a), bNetUseOwnerRelevancy = true }) end, "yes R3.3", "yes R3.3" },
	{ "R3.3 comes before R3.6: hung on something far, its owner near", function(s)
		local owner = s:spawn("Actor", { Location = NEAR })
		local x = s:spawn("Actor", { Location = NEAR, Owner = owner, bNetUseOwnerRelevancy = true })
		x:SetBase(s:spawn("Actor", { Location = FAR }), true)
		return x
	end, "yes R3.3", "yes R3.3" },
	{ "R3.4 owned by a player's controller: he alone", function(s, a) return s:spawn("Actor", { Location = NEAR, Owner = s:controller(a), bOnlyRelevantToOwner = true }) end, "yes R3.4", "no R3.4" },
	{ "R3.4 owned by the other player's pawn: he alone", function(s, _, b) return s:spawn("Actor", { Location = NEAR, Owner = s:pawn(b), bOnlyRelevantToOwner = true }) end, "no R3.4", "yes R3.4" },
	{ "R3.4 owned down a chain", function(s, a)
		local bag = s:spawn("Actor", { Location = FAR, Owner = s:pawn(a) })
		return s:spawn("Actor", { Location = NEAR, Owner = bag, bOnlyRelevantToOwner = true })
	end, "yes R3.4", "no R3.4" },
	{ "R3.4 far and hidden, it is the owner's all the same", function(s, a) return s:spawn("Actor", { Location = FAR, bHidden = true, Owner = s:controller(a), bOnlyRelevantToOwner = true }) end, "yes R3.4", "no R3.4" },
	{ "R3.4 no owner, no one", function(s) return s:spawn("Actor", { Location = NEAR, bOnlyRelevantToOwner = true }) end, "no R3.4", "no R3.4" },
	{ "R3.4 owned by an actor of the server: no one", function(s) return s:spawn("Actor", { Location = NEAR, Owner = s:spawn("Actor", { Location = NEAR }), bOnlyRelevantToOwner = true }) end, "no R3.4", "no R3.4" },
	{ "R3.4 a controller is its own player's", function(s, a) return s:controller(a) end, "yes R3.4", "no R3.4" },
	{ "R3.4 comes before R3.5: the instigator does not know it", function(s, a, b) return s:spawn("Actor", { Location = NEAR, Owner = s:controller(a), Instigator = s:pawn(b), bOnlyRelevantToOwner = true }) end, "yes R3.4", "no R3.4" },
	{ "R3.4 comes before R3.6: an owner-only thing in a hand does not leak", function(s, a) return hung(s:spawn("Actor", { Location = s:pawn(a).Location, Owner = s:pawn(a), bOnlyRelevantToOwner = true }), s:pawn(a)) end, "yes R3.4", "no R3.4" },
	{ "R3.5 owned by the player, far and hidden", function(s, a) return s:spawn("Actor", { Location = FAR, bHidden = true, Owner = s:controller(a) }) end, "yes R3.5", "no R3.7" },
	{ "R3.5 owned by the player's pawn, far", function(s, a) return s:spawn("Actor", { Location = FAR, Owner = s:pawn(a) }) end, "yes R3.5", "no R3.8" },
	{ "R3.5 the player's pawn is the instigator", function(s, a) return s:spawn("Actor", { Location = FAR, Instigator = s:pawn(a) }) end, "yes R3.5", "no R3.8" },
	{ "R3.5 the pawn itself; others see it", function(s, a) return s:pawn(a) end, "yes R3.5", "yes R3.9" },
	{ "R3.5 comes before R3.6: owned, hung on something far", function(s, a) return hung(s:spawn("Actor", { Location = NEAR, Owner = s:pawn(a) }), s:spawn("Actor", { Location = FAR })) end, "yes R3.5", "no R3.6" },
	{ "R3.5 comes before R3.9: owned, behind a wall", function(s, a) return s:spawn("Actor", { Location = BEHIND, Owner = s:pawn(a) }) end, "yes R3.5", "no R3.9 R3.10", level = "wall" },
	{ "R3.6 hung on something far: no, though near", function(s) return hung(s:spawn("Actor", { Location = NEAR }), s:spawn("Actor", { Location = FAR })) end, "no R3.6", "no R3.6" },
	{ "R3.6 standing on something far: its own answer", function(s)
		local x = s:spawn("Actor", { Location = NEAR })
		x:SetBase(s:spawn("Actor", { Location = FAR }))
		return x
	end, "yes R3.9", "yes R3.9" },
	{ "R3.6 hung on something near: yes, though far", function(s) return hung(s:spawn("Actor", { Location = FAR }), s:spawn("Actor", { Location = NEAR })) end, "yes R3.6", "yes R3.6" },
	{ "R3.6 standing on something near: no, when far", function(s)
		local x = s:spawn("Actor", { Location = FAR })
		x:SetBase(s:spawn("Actor", { Location = NEAR }))
		return x
	end, "no R3.8", "no R3.8" },
	{ "R3.6 chains are followed: yes", function(s)
		local x, mid = s:spawn("Actor", { Location = FAR }), s:spawn("Actor", { Location = FAR })
		mid:SetBase(s:spawn("Actor", { Location = NEAR }), true)
		x:SetBase(mid, true)
		return x
	end, "yes R3.6", "yes R3.6" },
	{ "R3.6 chains are followed: no", function(s)
		local x, mid = s:spawn("Actor", { Location = NEAR }), s:spawn("Actor", { Location = NEAR })
		mid:SetBase(s:spawn("Actor", { Location = FAR }), true)
		x:SetBase(mid, true)
		return x
	end, "no R3.6", "no R3.6" },
	{ "R3.6 the base is one player's own", function(s, a) return hung(s:spawn("Actor", { Location = NEAR }), s:spawn("Actor", { Location = NEAR, Owner = s:controller(a), bOnlyRelevantToOwner = true })) end, "yes R3.6", "no R3.6" },
	{ "R3.6 comes before R3.7: hidden, hung on something seen", function(s) return hung(s:spawn("Actor", { Location = NEAR, bHidden = true }), s:spawn("Actor", { Location = NEAR })) end, "yes R3.6", "yes R3.6" },
	{ "R3.6 comes before R3.8: its own cull distance does not count", function(s) return hung(s:spawn("Actor", { Location = NEAR, NetCullDistance = 50 }), s:spawn("Actor", { Location = NEAR })) end, "yes R3.6", "yes R3.6" },
	{ "R3.7 hidden, no collision, no sound: no", function(s) return s:spawn("Actor", { Location = NEAR, bHidden = true }) end, "no R3.7", "no R3.7" },
	{ "R3.7 hidden, but it blocks players: yes", function(s) return s:spawn("Actor", { Location = NEAR, bHidden = true, bBlockPlayers = true }) end, "yes R3.9", "yes R3.9" },
	{ "R3.7 hidden, but it sounds: yes", function(s) return s:spawn("Actor", { Location = NEAR, bHidden = true, AmbientSound = "hum", SoundRadius = 2000 }) end, "yes R3.9", "yes R3.9" },
	{ "R3.7 hidden, collides and blocks actors only: no", function(s) return s:spawn("Actor", { Location = NEAR, bHidden = true, bCollideActors = true, bBlockActors = true }) end, "no R3.7", "no R3.7" },
	{ "R3.7 no collision and no sound, but not hidden: yes", function(s) return s:spawn("Actor", { Location = NEAR }) end, "yes R3.9", "yes R3.9" },
	{ "R3.8 beyond NetCullDistance of one viewer, within it of the other", function(s) return s:spawn("Actor", { Location = vector(600, -1600, 152), NetCullDistance = 660 }) end, "no R3.8", "yes R3.9" },
	{ "R3.8 the default is 15 000", function(s) return s:spawn("Actor", { Location = vector(0, 13200, 152) }) end, "no R3.8", "yes R3.9" },
	{ "R3.8 height counts, too", function(s) return s:spawn("Actor", { Location = vector(100, -1800, 2500), NetCullDistance = 2000 }) end, "no R3.8", "no R3.8" },
	{ "R3.8 0 is never culled", function(s) return s:spawn("Actor", { Location = vector(15900, 15900, 300), NetCullDistance = 0 }) end, "yes R3.9", "yes R3.9" },
	{ "R3.8 comes before R3.9: heard, but beyond", function(s) return s:spawn("Actor", { Location = NEAR, NetCullDistance = 100, AmbientSound = "hum", SoundRadius = 5000 }) end, "no R3.8", "no R3.8" },
	{ "R3.9 behind a wall: no", function(s) return s:spawn("Actor", { Location = BEHIND }) end, "no R3.9 R3.10", "no R3.9 R3.10", level = "wall" },
	{ "R3.9 before the wall: yes", function(s) return s:spawn("Actor", { Location = NEAR }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 above the wall: yes", function(s) return s:spawn("Actor", { Location = vector(1000, 0, 3000) }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 behind the viewer: yes, sight is all round", function(s) return s:spawn("Actor", { Location = vector(-2000, -1800, 100) }) end, "yes R3.9", "yes R3.9" },
	{ "R3.9 a tall one whose centre is hidden: its top is seen", function(s) return s:spawn("Actor", { Location = vector(800, -1000, 100), CollisionHeight = 3000 }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 a wide one whose centre and top are hidden: a side is seen", function(s) return s:spawn("Actor", { Location = vector(1500, 0, 100), CollisionRadius = 6000 }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 heard through the wall: yes", function(s) return s:spawn("Actor", { Location = BEHIND, AmbientSound = "hum", SoundRadius = 4000 }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 a sound that is not heard so far: no", function(s) return s:spawn("Actor", { Location = BEHIND, AmbientSound = "hum", SoundRadius = 2000 }) end, "no R3.9 R3.10", "yes R3.9", level = "wall" },
	{ "R3.9 a radius without a sound is not heard: no", function(s) return s:spawn("Actor", { Location = BEHIND, SoundRadius = 4000 }) end, "no R3.9 R3.10", "no R3.9 R3.10", level = "wall" },
	{ "R3.9 another actor is not in the way of sight", function(s)
		s:spawn("Actor", { Location = vector(150, -1800, 100), CollisionRadius = 60, CollisionHeight = 90,
			bCollideActors = true, bBlockActors = true, bBlockPlayers = true })
		return s:spawn("Actor", { Location = vector(600, -1800, 100) })
	end, "yes R3.9", "yes R3.9" },
	{ "R3.9 a class may turn sight off: behind a wall, yes", function(s) return s:spawn("Blind", { Location = BEHIND }) end, "yes R3.9", "yes R3.9", level = "wall" },
	{ "R3.9 a class may turn sight off: then distance decides", function(s) return s:spawn("Blind", { Location = BEHIND, NetCullDistance = 2000 }) end, "no R3.8", "yes R3.9", level = "wall" },
	{ "R3.9 the host may turn sight off", function(s) return s:spawn("Actor", { Location = BEHIND }) end, "yes R3.9", "yes R3.9", level = "wall", config = { sight = false } },
	{ "R3.11 a script overrides: one player only", function(s) return s:spawn("Told", { Location = NEAR, bAlwaysRelevant = true }) end, "yes R3.11", "no R3.11" },
	{ "R3.11 a script overrides: though far, hidden and somebody else's", function(s, _, b) return s:spawn("Told", { Location = FAR, bHidden = true, Owner = s:controller(b), bOnlyRelevantToOwner = true }) end, "yes R3.11", "no R3.11" },
	{ "R3.11 a script does not override R3.1", function(s) return s:spawn("Told", { Location = NEAR, RemoteRole = ROLE_None }) end, "no R3.1", "no R3.1" },
	{ "R3.11 a child inherits the override", function(s) return s:spawn("ToldChild", { Location = FAR }) end, "yes R3.11", "no R3.11" },
	{ "R3.11 a class without it is judged by the rules", function(s) return s:spawn("Untold", { Location = NEAR }) end, "yes R3.9", "yes R3.9" },
}

local TOLD = [[
	local Blind = class("Blind")
	Blind.properties { bNetNoSight = true }
	local Untold = class("Untold")
	local Told = class("Told", "Untold")
	function Told:IsNetRelevantFor(viewer)
		return viewer:IsA("PlayerController") and viewer.PlayerReplicationInfo.PlayerName == "a"
	end
	local ToldChild = class("ToldChild", "Told")
]]

for_each(CASES, function(case)
	scenario(case[1], function(t)
		t:scripts(TOLD)
		local s, a = net.play(t, { level = case.level or "flat", config = case.config }, { name = "a", options = "?name=a" })
		local b = t:client{ name = "b", options = "?name=b" }
		joined(t, s, b)
		local x = case[2](s, a, b)
		t:run(0.7)
		answers(t, a, x, case[3])
		answers(t, b, x, case[4])
	end)
end)
