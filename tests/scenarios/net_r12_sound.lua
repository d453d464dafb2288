-- R12.6: who hears what, which machines play it without a call, and what nobody is told. docs/sound.md says it in words.

local net = require("shared.net")

-- Things that make sounds: by the server alone, by every copy, by a multicast, by time, by meeting a wall.
local SPEAKERS = net.with [[
	local Speaker = class("Speaker", "Actor")
	Speaker.defaults { SoundRadius = 1000, bAlwaysRelevant = true }
	Speaker.properties { N = int(0) }
	Speaker.replication { { "N", notify = true } }
	function Speaker:Shout(name, opts) self:PlaySound(name or "shout", opts) end
	function Speaker.simulated:Boom() self:PlaySound("boom") end
	function Speaker.multicast:Everybody() self:PlaySound("everybody") end
	function Speaker.multicast.simulated:Deep() self:Boom() end
	function Speaker:ServerOnly() self:PlaySound("server") end

	local Clock = class("Clock", "Speaker")
	function Clock.simulated:PostNetBeginPlay() self:SetTimer(1, false) end
	function Clock.simulated:Timer() self:PlaySound("tick") end

	local Secret = class("Secret", "Clock") -- no simulated function on the way
	function Secret.simulated:PostNetBeginPlay() self:SetTimer(1, false, "Strike") end
	function Secret:Strike() self:PlaySound("strike") end

	local Half = class("Half", "Clock") -- a simulated one that calls one that is not
	function Half.simulated:Timer() if self:HasAuthority() then self:ServerOnly() end end

	local Born = class("Born", "Speaker")
	Born.defaults { bAlwaysRelevant = false, NetCullDistance = 3000, SoundRadius = 20000 }
	function Born.simulated:PostBeginPlay() self:PlaySound("born") end

	local Shell = class("Shell", "Projectile")
	Shell.defaults { Speed = 600, SoundRadius = 3000, bNetTemporary = true }
	function Shell.simulated:HitWall(normal, wall)
		self:PlaySound("crash")
		Shell.super.HitWall(self, normal, wall)
	end

	local Sitter = class("Sitter", "Speaker")
	Sitter.state("Ringing", { simulated = true })
	function Sitter.state.Ringing.simulated:BeginState(_) self:PlaySound("ring") end
	function Sitter.simulated:PostNetBeginPlay() self:SetTimer(1, false, "Ring") end
	function Sitter.simulated:Ring() self:GotoState("Ringing") end
	function Sitter:RingHere() self:GotoState("Ringing") end

	local Ear = class("Ear", "PlayerController")
	function Ear.client.unreliable:ClientHearSound(sound, source, location)
		self.told = (self.told and self.told .. " " or "") .. sound
		self.source, self.place = source, location
		Ear.super.ClientHearSound(self, sound, source, location)
	end
	local Ears = class("Ears", "GameInfo")
	Ears.defaults { PlayerControllerClass = "Ear" }
]]

-- A server and players who note what they are told; all stand at the middle but those who are put elsewhere.
local function stage(t, options, ...)
	t:scripts(SPEAKERS.classes)
	local all = { net.play(t, options, ...) }
	t:run(0.3)
	return unpack(all)
end

local FLAT = { level = "flat", game = "Ears" }

-- What a peer's player heard lately, by name.
local function heard(peer)
	return peer:eval [[
		local names = {}
		for i, s in ipairs(world:RecentSounds()) do names[i] = s.Sound end
		return table.concat(names, " ")
	]]
end

-- What the server told a client's player.
local function told(client) return client:controller().told or "" end

scenario("R12.6 PlaySound on the server reaches exactly the players within hearing", function(t)
	local s, near, far = stage(t, FLAT, { name = "near" }, { name = "far" })
	s:pawn(far).Location = s:pawn(near).Location + vector(1100, 0, 0)
	local a = s:spawn("Speaker", { Location = s:pawn(near).Location })
	t:run(0.5)
	a:Shout("a")
	t:run(0.3)
	t:eq({ heard(near), heard(far), told(far) }, { "a", "", "" })
	a:Shout("sounds/boom.toml") -- its file says 6000 uu, whatever the actor's SoundRadius is
	t:run(0.3)
	t:eq({ heard(near), heard(far) }, { "a sounds/boom.toml", "sounds/boom.toml" })
	a:Shout("b", { Location = s:pawn(far).Location })
	t:run(0.3)
	t:eq(told(far), "sounds/boom.toml b", "it plays where it is said to")
	t:near(far:controller().place, s:pawn(far).Location, 1)
	t:ok(near:eval("return world:RecentSounds()[2].Caption") == "an explosion")
end)

scenario("R12.6 hearing goes round corners: walls do not matter", function(t)
	local s, a = stage(t, { level = "wall", game = "Ears" }, { name = "a" })
	s:pawn(a).Location = vector(300, 0, 100)
	local x = s:spawn("Speaker", { Location = vector(700, 0, 100), bAlwaysRelevant = false })
	t:run(0.3)
	x:Shout()
	t:run(0.3)
	t:eq(told(a), "shout")
end)

for_each({
	{ "a timer in a simulated function", "Clock", 1.5, "tick", "" },
	{ "a function that is not simulated", "Secret", 1.5, "strike", "strike" },
	{ "a function that a simulated one calls on the server only", "Half", 1.5, "server", "server" },
	{ "a simulated state that is entered in a simulated function", "Sitter", 1.5, "ring", "" },
}, function(case)
	scenario("R12.6 whose copy plays it by itself is not told: " .. case[1], function(t)
		local s, a = stage(t, FLAT, { name = "a", lag = 0.03 })
		s:spawn(case[2], { Location = s:pawn(a).Location })
		t:run(case[3])
		t:eq({ heard(a), told(a) }, { case[4], case[5] })
	end)
end)

scenario("R12.6 whose copy plays it by itself is not told: calls from script to script, and multicasts", function(t)
	local s, a = stage(t, FLAT, { name = "a" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location })
	t:run(0.3)
	x:Boom() -- simulated, but called here alone: no copy runs it
	t:run(0.3)
	t:eq(told(a), "boom")
	x:Everybody()
	t:run(0.3)
	t:eq({ heard(a), told(a) }, { "boom everybody", "boom" })
	x:Deep()
	t:run(0.3)
	t:eq({ heard(a), told(a) }, { "boom everybody boom", "boom" })
	local sitter = s:spawn("Sitter", { Location = s:pawn(a).Location })
	t:run(0.3)
	sitter:RingHere() -- the server's copy alone goes into the state
	t:run(0.3)
	t:eq(told(a), "boom ring")
end)

scenario("R12.6 a multicast's sound is told to those within hearing who do not have the actor", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location, bAlwaysRelevant = false, bOnlyRelevantToOwner = true, Owner = s:controller(a) })
	t:run(0.3)
	t:ok(a:copy(x))
	t:no(b:copy(x))
	x:Everybody()
	t:run(0.3)
	t:eq({ heard(a), told(a) }, { "everybody", "" })
	t:eq({ heard(b), told(b) }, { "everybody", "everybody" })
end)

scenario("R12.6 a projectile's copies hear their own wall, who has none is told", { seeds = 5 }, function(t)
	local s, a, b = stage(t, { level = "wall", game = "Ears" }, { name = "a", preset = "internet" }, { name = "b", preset = "internet" })
	s:pawn(a).Location = vector(0, 200, 100)
	s:pawn(b).Location = vector(900, 200, 100) -- behind the wall
	t:run(0.5)
	s:spawn("Shell", { Location = vector(100, 0, 100) })
	t:run(2)
	t:eq({ heard(a), told(a) }, { "crash", "" })
	t:ge(1, #told(b) / #"crash", "at most once") -- an unreliable call
	t:eq(heard(b), told(b))
end)

scenario("R12.6 a sound at the beginning is played by the copies that begin, and told to the others", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	s:pawn(b).Location = s:pawn(a).Location + vector(8000, 0, 0)
	t:run(0.3)
	local x = s:spawn("Born", { Location = s:pawn(a).Location })
	t:run(0.5)
	t:ok(a:copy(x))
	t:no(b:copy(x))
	t:eq({ heard(a), told(a) }, { "born", "" })
	t:eq({ heard(b), told(b) }, { "born", "born" })
end)

scenario("R12.6 a sound of an actor that the client does not have plays at its place, and no byte says whose it is", function(t)
	local s, a = stage(t, FLAT, { name = "a" })
	local x
	for _ = 1, 300 do -- so that its number would take more than a byte
		x = s:spawn("Speaker", { Location = s:pawn(a).Location + vector(300, 40, 0), bAlwaysRelevant = false, bOnlyRelevantToOwner = true })
	end
	t:run(0.3)
	x:Shout()
	t:run(0.3)
	t:eq(told(a), "shout")
	local pc = a:controller()
	t:eq(pc.source, nil)
	t:near(pc.place, x.Location, 1)
	t:no(a:copy(x))
	t:eq(t:traffic(a).by_class.Speaker, nil)
	t:eq({ a:eval("local s = world:RecentSounds()[1] return s.Actor == nil, s.Location == nil") }, { true, false })
	local one = t:traffic(a).by_function["Ear.ClientHearSound"]
	local y = s:spawn("Speaker", { Location = x.Location, bAlwaysRelevant = true })
	t:within(1, function() return a:copy(y) end)
	y:Shout()
	t:run(0.3)
	t:eq(a:controller().source, a:copy(y))
	local two = t:traffic(a).by_function["Ear.ClientHearSound"]
	t:gt(two.bytes - one.bytes, one.bytes, "with its actor it is longer")
end)

scenario("R12.6 bNoRepToOwner, bNoRepToRelevant and bNotReplicated leave players out", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location, Owner = s:controller(a) })
	t:run(0.3)
	x:Shout("owner", { bNoRepToOwner = true })
	t:run(0.2)
	t:eq({ told(a), told(b) }, { "", "owner" })
	x:Shout("relevant", { bNoRepToRelevant = true })
	x:Shout("here", { bNotReplicated = true })
	t:run(0.2)
	t:eq({ told(a), told(b) }, { "", "owner" })
	t:expect_error("PlaySound: unknown option bLoud")
	x:Shout("wrong", { bLoud = true })
end)

scenario("R12.6 ClientCreateAudioComponent lets the class of the sounding actor change the sound", function(t)
	t:scripts [[
		local Radio = class("Radio", "Speaker")
		Radio.properties { bOff = false }
		Radio.replication { { "bOff" } }
		function Radio.simulated:ClientCreateAudioComponent(audio)
			if self.bOff then return nil end
			audio.Sound = audio.Sound .. "-tinny"
			audio.Volume = audio.Volume * 0.5
			return audio
		end
	]]
	local s, a = stage(t, FLAT, { name = "a" })
	local x = s:spawn("Radio", { Location = s:pawn(a).Location })
	t:run(0.3)
	x:Shout("song")
	t:run(0.3)
	t:eq({ a:eval("local s = world:RecentSounds()[1] return s.Sound, s.Volume, s.Pitch") }, { "song-tinny", 0.5, 1 })
	a:copy(x):PlaySound("local") -- the client's own sounds, too
	t:eq(heard(a), "song-tinny local-tinny")
	x.bOff = true
	t:run(0.3)
	x:Shout("song")
	t:run(0.3)
	t:eq({ heard(a), told(a) }, { "song-tinny local-tinny", "song song" })
end)

scenario("R12.6 ClientPlaySound has no place and is for one player", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	s:controller(a):ClientPlaySound("sounds/bell.toml")
	t:run(0.3)
	t:eq({ heard(a), heard(b) }, { "sounds/bell.toml", "" })
	t:eq({ a:eval("local s = world:RecentSounds()[1] return s.Location == nil, s.Caption") }, { true, "a bell" })
end)

scenario("R12.6 a client's own sounds reach its own player alone, within hearing", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location })
	t:run(0.3)
	a:copy(x):PlaySound("mine")
	t:run(0.3)
	t:eq({ heard(a), heard(b) }, { "mine", "" })
	a:copy(x).Location = x.Location + vector(1200, 0, 0)
	a:copy(x):PlaySound("far")
	t:eq(heard(a), "mine")
end)

for_each({ "standalone", "listen" }, function(mode)
	scenario("R12.6 the player at the " .. mode .. " machine hears everything once", function(t)
		local s = SPEAKERS.server(t, { level = "flat", game = "Ears", mode = mode })
		t:run(0.2)
		local at = s:pawn().Location
		local x = s:spawn("Speaker", { Location = at })
		x:Shout()
		x:Everybody()
		s:spawn("Clock", { Location = at })
		t:run(1.5)
		t:eq(heard(s), "shout everybody tick")
		x.Location = at + vector(1500, 0, 0)
		x:Shout()
		t:run(0.1)
		t:eq(heard(s), "shout everybody tick")
	end)
end)

scenario("R12.6 nobody listens on a dedicated server, and nothing is sent when nobody hears", function(t)
	local s, a, b = stage(t, FLAT, { name = "a" }, { name = "b" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location })
	s:pawn(b).Location = s:pawn(a).Location + vector(6000, 0, 0)
	t:run(0.5)
	-- How many calls about sounds crossed to a client, and their bytes.
	local function calls(client)
		local count, sum = 0, 0
		for name, e in pairs(t:traffic(client).by_function) do
			if name:match("Sound") or name:match("Audio") then count, sum = count + e.count, sum + e.bytes end
		end
		return { count, sum }
	end
	-- Places, with whether a and b hear: the radius is 1 000 uu.
	for _, case in ipairs {
		{ 1500, false, false }, { 900, true, false }, { 3000, false, false }, { 5500, false, true }, { 0, true, false }, { -1100, false, false }, { 7100, false, false },
	} do
		x.Location = s:pawn(a).Location + vector(case[1], 0, 0)
		t:run(0.3)
		local before = { calls(a), calls(b) }
		for n = 1, 3 do
			x:Shout("shout" .. n)
			t:run(0.1)
		end
		t:run(0.3)
		for i, client in ipairs { a, b } do
			local now, was, hears = calls(client), before[i], case[i + 1]
			t:eq(now[1] - was[1], hears and 3 or 0, "calls at " .. case[1])
			if hears then
				t:gt(now[2] - was[2], 3 * #"shout1")
				t:match(told(client), "shout1 shout2 shout3$")
			else
				t:eq(now[2], was[2], "bytes at " .. case[1])
			end
		end
	end
	t:eq(heard(s), "")
end)

scenario("R12.6 a player hears by his view target", function(t)
	local s, a = stage(t, FLAT, { name = "a" })
	local there = s:pawn(a).Location + vector(4000, 0, 0)
	local x = s:spawn("Speaker", { Location = there })
	t:run(0.3)
	x:Shout()
	t:run(0.2)
	t:eq(heard(a), "")
	s:controller(a).ViewTarget = s:spawn("Actor", { Location = there })
	x:Shout()
	t:run(0.2)
	t:eq(heard(a), "shout")
end)

-- Noise is for those who decide.
local LISTENER = net.with [[
	local Guard = class("Guard", "AIController")
	Guard.properties { Heard = int(0), Loudness = float(0), Maker = ref("Actor") }
	function Guard:HearNoise(loudness, maker)
		self.Heard, self.Loudness, self.Maker = self.Heard + 1, loudness, maker
	end
]]

scenario("R12.6 MakeNoise informs the controllers within hearing, less through walls", function(t)
	local s = LISTENER.server(t, { level = "wall" })
	local function guard(at)
		local mind = s:spawn("Guard")
		mind:Possess(s:spawn("Character", { Location = at }))
		return mind
	end
	local near, far, behind, close = guard(vector(-400, 0, 100)), guard(vector(-1400, 0, 100)), guard(vector(1100, 0, 100)), guard(vector(700, 0, 100))
	local maker = s:spawn("Actor", { Location = vector(300, 0, 100) })
	t:ticks(1)
	maker:MakeNoise(1) -- 1500 uu in sight, 750 through the wall at x = 500
	t:eq({ near.Heard, far.Heard, behind.Heard, close.Heard }, { 1, 0, 0, 1 })
	t:eq({ near.Loudness, near.Maker == maker }, { 1, true })
	maker:MakeNoise(1.2) -- 1800 and 900
	t:eq({ near.Heard, far.Heard, behind.Heard, close.Heard }, { 2, 1, 1, 2 })
	maker:MakeNoise(0)
	maker:MakeNoise(-3)
	t:eq(near.Heard, 2)
	near.Pawn:MakeNoise(1) -- not to who makes it
	t:eq(near.Heard, 2)
end)

scenario("R12.6 noise does not cross to clients", function(t)
	local s, a = stage(t, FLAT, { name = "a" })
	local x = s:spawn("Speaker", { Location = s:pawn(a).Location })
	t:run(0.5)
	local before = t:traffic(a).by_class
	x:MakeNoise(5)
	t:run(0.3)
	t:eq({ heard(a), told(a) }, { "", "" })
	t:eq(t:traffic(a).by_class.Speaker, before.Speaker)
end)

scenario("R12.6 a shot is heard by the attachment where the pawn is known, and told to others within hearing", function(t)
	t:scripts [[
		local PopAttachment = class("PopAttachment", "WeaponAttachment")
		PopAttachment.defaults { FireSound = "sounds/shot.toml" }
		local Pop = class("Pop", "Weapon")
		Pop.defaults { AttachmentClass = "PopAttachment", FireInterval = 0.2, ClipSize = 10, InitialAmmo = 10, MaxAmmo = 10 }
		local Shooter = class("Shooter", "Character")
		Shooter.defaults { DefaultInventory = { "Pop" } }
		local Range = class("Range", "GameInfo")
		Range.defaults { DefaultPawnClass = "Shooter", PlayerControllerClass = "Ear" }
	]]
	local s, a, b, c = stage(t, { level = "wall", game = "Range" }, { name = "a" }, { name = "b" }, { name = "c" })
	s:pawn(a).Location = vector(0, 0, 90)
	s:pawn(b).Location = vector(0, 500, 90)
	s:pawn(c).Location = vector(1500, 0, 90) -- behind the wall
	t:within(15, function() return b:copy(s:pawn(a)) and not c:copy(s:pawn(a)) end)
	net.press(t, a, "fire", 0.1)
	t:run(0.5)
	t:eq({ heard(a), heard(b), heard(c) }, { "sounds/shot.toml", "sounds/shot.toml", "sounds/shot.toml" })
	t:eq({ told(a), told(b), told(c) }, { "", "", "sounds/shot.toml" })
end)
