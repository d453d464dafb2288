-- Weapon: a thing to fire. A light state machine: some wishes (bWantsToFire, bPendingReload, bPendingEquip,
-- bIsEquipped) and one function that makes a state of them, DetermineWeaponState. Functions that start
-- something only wish for it.
--
-- What runs where, for a player on a machine of their own: their copy of the weapon fires at once, as far as it
-- knows that it may, shows it, and tells the server of each shot. The server checks the shot, decides what it
-- hit and takes the round; everybody else sees FlashCount change on the pawn. For bots and for players at the
-- server's own machine there is nobody to ask: the same functions decide at once.
--
-- A child sets numbers and overrides FireWeapon. WeaponInstant, WeaponProjectile and WeaponMelee are such
-- children.
local Weapon = class("Weapon", "WeaponAmmo")

local randomstream = require("lib.randomstream")
local shotbook = require("lib.shotbook")

Weapon.properties {
	-- What kind of weapon it is; a child sets these in its defaults.
	InventoryGroup = int(1, { min = 0, max = 99 }), -- the number key that takes it into the hand
	AttachmentClass = classref("WeaponAttachment"), -- what everybody sees in the hand
	FireInterval = float(0.2, { min = 0.02, max = 60 }), -- seconds between two shots
	bAutomatic = true, -- goes on as long as the key is held; otherwise one press is one shot
	NumFireModes = int(1, { min = 1, max = 2 }), -- 2: the second key fires, too
	EquipTime = float(0.3, { min = 0.02, max = 10 }), -- seconds until it is ready in the hand
	ReloadTime = float(1.5, { min = 0.02, max = 60 }), -- seconds to load it
	Damage = float(20, { min = 0 }), -- of one hit
	Momentum = float(0, { min = 0 }), -- uu/s given to what is hit
	DamageType = str("weapon", { max = 32 }), -- the word for it that TakeDamage gets
	MuzzleForward = float(20, { min = 0, max = 500 }), -- uu from the eyes to where a projectile begins
	AIRange = float(3000, { min = 0 }), -- uu up to which a bot likes it
	AIRating = float(0.5, { min = 0, max = 1 }), -- how much a bot likes it

	-- The wishes, and the state that DetermineWeaponState makes of them.
	bIsEquipped = false, -- it is in the hand and ready
	bWantsToFire = false, -- a fire key is held
	bPendingReload = false, -- it is being loaded
	bPendingEquip = false, -- it is being taken into the hand
	CurrentState = enum("Idle", "Firing", "Reloading", "Equipping"), -- what it does now
	FireMode = int(0, { min = 0, max = 1 }), -- of the last StartFire: 0 the first key, 1 the second
}

-- How much sooner than FireInterval after the last one a shot may come, in seconds: clocks are corrected now
-- and then (R12.2).
local TIME_TOLERANCE = 0.01
-- How far ahead of the server's clock a shot may say it was fired, in seconds.
local CLOCK_TOLERANCE = 0.1
-- How much later than the round trip something may come, in seconds: what is lost is sent again.
local MAX_DELAY = 0.75
-- How long after a shot it may be told again the quick way, in seconds: later the server would not believe it.
local LAST_AGAIN = 0.04
-- How far from its pawn's eyes a shot may begin, in uu, besides what the pawn runs in START_TIME seconds.
local MAX_START_ERROR, START_TIME = 60, 0.15

-- A time in seconds as whole milliseconds: so times cross, for a 32-bit float is too coarse after some hours.
local function ms(seconds)
	return math.max(0, math.floor(seconds * 1000 + 0.5))
end

-- ── Being carried ──

-- The server's time in seconds, as this peer knows it. Calls of players are handled before the tick that they
-- come in; then the server's own time is one tick after world.TimeSeconds.
function Weapon:GetTime()
	local player = self:GetOwningPlayer()
	return player and player:GetServerTime() or world.TimeSeconds
end

local function timeOfCall()
	return world.TimeSeconds + world.DeltaSeconds
end

-- Whether this peer decides when it fires: the player sits here, or nobody plays it and this is the server.
function Weapon:IsFiredHere()
	return self.Owner ~= nil and self:IsLocallyControlled()
end

-- A pawn no longer has the weapon: it is put away.
function Weapon:TakenFrom(_)
	self:OnUnEquip()
end

-- BestMode(distance, enemy): which key a bot had better fire it with at somebody so many uu away, 0 the first,
-- 1 the second. enemy is nil where there is none yet. A child with two modes says when the second is better.
function Weapon:BestMode(_, _)
	return 0
end

-- ── In the hand ──

-- The pawn takes it into the hand. since is when, in the server's seconds; now, if it is left out.
function Weapon:OnEquip(since)
	if self.bIsEquipped or self.bPendingEquip then
		return
	end
	self.bPendingEquip = true
	self.readyAt = (since or self:GetTime()) + self.EquipTime
	self:DetermineWeaponState()
	self:SetTimer(self.EquipTime, false, "OnEquipFinished")
	self:PlayEquip()
end

-- EquipTime is over: the weapon is ready, and fires or loads if that is wanted. Called where it is fired, and
-- on the server.
function Weapon:OnEquipFinished()
	if not self.bPendingEquip then
		return
	end
	self:ClearTimer("OnEquipFinished")
	self.bPendingEquip = false
	self.bIsEquipped = true
	self:DetermineWeaponState() -- it is idle now
	self:DetermineWeaponState() -- and fires if that is wished for
	if not self.bDeleteMe then -- that shot may have been the end of who fired it
		self:LoadIfEmpty()
	end
end

-- The pawn puts it away.
function Weapon:OnUnEquip()
	self.bIsEquipped = false
	self.bPendingEquip = false
	self:ClearTimer("OnEquipFinished")
	self:SendSureShot()
	self:StopFire()
	self:StopReload()
	self:DetermineWeaponState()
end

-- It is being taken into the hand: a child shows something here. Called where it is fired, and on the server.
function Weapon:PlayEquip() end

-- Loading begins: a child shows something here. Called where it is fired, and on the server.
function Weapon:PlayReload() end

-- ── The state machine (R12.1) ──

-- Makes the state of the wishes.
function Weapon:DetermineWeaponState()
	local state = "Idle"
	if self.bIsEquipped then
		if self.bPendingReload then
			state = self:CanReload() and "Reloading" or self.CurrentState
		elseif self.bWantsToFire and self:CanFire() then
			state = "Firing"
		end
	elseif self.bPendingEquip then
		state = "Equipping"
	end
	self:SetWeaponState(state)
end

-- Enters a state: "Idle", "Firing", "Reloading" or "Equipping". Calls OnBurstStarted and OnBurstFinished as
-- firing begins and ends; only DetermineWeaponState calls it.
function Weapon:SetWeaponState(state)
	local before = self.CurrentState
	if before == "Firing" and state ~= "Firing" then
		self:OnBurstFinished()
	end
	self.CurrentState = state
	if before ~= "Firing" and state == "Firing" then
		self:OnBurstStarted()
	end
end

-- From equipping and reloading the way to anything else leads over Idle.
local function free(state)
	return state == "Idle" or state == "Firing"
end

-- Whether it could fire now, if that is wished for.
function Weapon:CanFire()
	return free(self.CurrentState) and not self.bPendingReload and self:GetAmmo() >= self.AmmoPerShot
end

-- Whether it could be loaded now.
function Weapon:CanReload()
	return free(self.CurrentState) and self.ClipSize > 0
		and self:GetAmmo() < self.ClipSize and self:GetSpareAmmo() > 0
end

-- Firing begins. The first shot comes at once, or when the last one is long enough ago. The server waits for
-- the shots of who plays elsewhere.
function Weapon:OnBurstStarted()
	if self:IsFiredHere() then
		self:FireWhenDue()
	end
end

-- Firing is over.
function Weapon:OnBurstFinished()
	self:ClearTimer("HandleFiring")
end

-- Fires now, or as soon as the interval since the last shot is over.
function Weapon:FireWhenDue()
	local wait = (self.nextFire or 0) - self:GetTime()
	if wait > 0 then
		self:SetTimer(wait, false, "HandleFiring")
	else
		self:HandleFiring()
	end
end

-- One shot, where it is decided when: effects, the shot itself, the round, and loading when it was the last.
function Weapon:HandleFiring()
	if self.CurrentState ~= "Firing" then
		return
	end
	local now = self:GetTime()
	if now < (self.nextFire or 0) - 0.001 then
		return self:FireWhenDue() -- the clock was set back a little
	end
	-- A tick comes somewhat after the shot was due: it counts as fired when it was, so that the rate of fire does
	-- not depend on the rate of ticks.
	local due = math.max(self.nextFire or 0, self.readyAt or 0, now - world.DeltaSeconds)
	local stamp = self.bByKey and now or math.min(now, due)
	self.nextFire = stamp + self:GetFireInterval(self.FireMode)
	local shot = self:MakeShot(stamp, now)
	self:SpendRound()
	self:FireWeapon(shot)
	if self.bDeleteMe then
		return -- the shot killed who fired it, or ended the match
	end
	self:ShowFiring()
	if not self:HasAuthority() then
		self:SendShot(shot)
	end
	if self.bDeleteMe or self.CurrentState ~= "Firing" then
		return
	end
	if not self.bAutomatic then
		self.bWantsToFire = false
	end
	self:DetermineWeaponState()
	if self.CurrentState == "Firing" then
		self:FireWhenDue()
	else
		self:LoadIfEmpty()
	end
end

-- On a client: tells the server of a shot three times: at once, in the next tick in the way that is sure to
-- come, and a tick later at once again. The first that comes counts. What the server remembers of targets is
-- short, and it believes no claim that is older than the line explains (R11.3), so that a shot whose packets
-- were lost would come too late to hit; and what is sent in one tick is lost together.
-- What the key says goes in the same tick as the first shot, and would, lost, also hold up the sure one, which
-- keeps its place behind it: then a quick one goes beside that.
function Weapon:SendShot(shot)
	self:SendSureShot()
	self:SendShotAgain()
	self:ServerFireNow(shot)
	self.sureShot, self.bQuickAgain = shot, self.bByKey
	self.lastAgain = world.TimeSeconds + LAST_AGAIN
	self:SetTimer(0.001, false, "SendSureShot")
end

-- Whom a shot met may be gone by the time it is told again: who is destroyed cannot be named, nor hit any more.
local function forgetGone(shot)
	for _, place in ipairs { "First", "Second", "Third", "Fourth" } do
		if shot[place] and shot[place].bDeleteMe then
			shot[place] = nil
		end
	end
end

-- The sure one goes before anything else that is said about the weapon.
function Weapon:SendSureShot()
	local shot = self.sureShot
	if shot then
		self.sureShot, self.againShot = nil, shot
		forgetGone(shot)
		if self.bQuickAgain then
			self:ServerFireNow(shot)
		end
		self:ServerFire(shot)
		self:SetTimer(0.001, false, "SendShotAgain")
	end
end

-- The last time, unless that would come too late to be believed.
function Weapon:SendShotAgain()
	local shot = self.againShot
	if shot then
		self.againShot = nil
		if world.TimeSeconds <= self.lastAgain then
			forgetGone(shot)
			self:ServerFireNow(shot)
		end
	end
end

-- Seconds between two shots of a mode.
function Weapon:GetFireInterval(_)
	return self.FireInterval
end

-- The shortest of those.
function Weapon:GetShortestInterval()
	local shortest = self:GetFireInterval(0)
	for mode = 1, self.NumFireModes - 1 do
		shortest = math.min(shortest, self:GetFireInterval(mode))
	end
	return shortest
end

-- What is said about a shot: everything about it that the server cannot know by itself.
function Weapon:MakeShot(stamp, now)
	local pawn, player = self:GetPawn(), self:GetOwningPlayer()
	self.shotNumber = ((self.shotNumber or 0) + 1) % 65536
	local aim = pawn:GetBaseAimRotation()
	local delay = 0
	if player and not self:HasAuthority() then
		-- Keys are handled before the actors of a tick move: then they are seen as of the last.
		delay = player:GetViewDelay() + (self.bByKey and world.DeltaSeconds or 0)
	end
	return {
		Number = self.shotNumber, Reload = self.reloadNumber or 0, Mode = self.FireMode,
		Stamp = ms(stamp), Seen = ms(now - delay),
		Start = pawn:GetViewLocation(), Pitch = aim.Pitch, Yaw = aim.Yaw, Reach = 0,
	}
end

-- The direction of one of a shot's lines, strayed by at most spread, the sine of the greatest angle. It follows
-- from the number of the shot, so that a client shows what the server will find, and chooses nothing.
function Weapon:GetSpreadDirection(shot, line, spread)
	local forward, right, up = rotator(shot.Pitch, shot.Yaw, 0):Axes()
	if spread <= 0 then
		return forward
	end
	local stream = randomstream(shot.Number * 32 + line)
	local angle, distance = stream() * 2 * math.pi, math.sqrt(stream()) * spread
	local aside = right * (math.cos(angle) * distance) + up * (math.sin(angle) * distance)
	return (forward * math.sqrt(1 - distance * distance) + aside):Normal()
end

-- What a shot does: a child overrides it. It runs where it was fired, on a client only for show, and on the
-- server. There shot.bClaimed tells that a client fired it: its player saw the world of shot.Seen, in
-- milliseconds, and the list of hits is what the client claims.
function Weapon:FireWeapon(_) end

-- It is seen to fire.
function Weapon:ShowFiring()
	local pawn = self:GetPawn()
	if pawn then
		pawn:WeaponFired(self, self.FireMode)
	end
end

-- ── Firing (R12.2) ──

-- Asks to fire, until StopFire is called. mode is the key: 0 or 1.
function Weapon:StartFire(mode)
	mode = mode or 0
	if mode >= self.NumFireModes or self.bWantsToFire and self.FireMode == mode then
		return
	end
	self.FireMode = mode
	self.bWantsToFire = true
	if not self:HasAuthority() then
		self:SendSureShot()
		self:ServerStartFire(mode)
	elseif self:GetPawn() then
		self:GetPawn().FiringMode = mode
	end
	self.bByKey = true
	self:DetermineWeaponState()
	if not self.bDeleteMe then -- the first shot may have been the end of who fired it
		self.bByKey = false
		self:LoadIfEmpty()
	end
end

-- No longer asks to fire; with a mode, only if that is what was requested.
function Weapon:StopFire(mode)
	if mode and mode ~= self.FireMode then
		return
	end
	if not self:HasAuthority() and self.bWantsToFire then
		self:SendSureShot()
		self:ServerStopFire()
	end
	self.bWantsToFire = false
	self:DetermineWeaponState()
end

-- The player began to fire with key mode, 0 or 1; see StartFire.
function Weapon.server.reliable:ServerStartFire(mode)
	self:StartFire(mode)
end

-- The player ceased to fire; see StopFire.
function Weapon.server.reliable:ServerStopFire()
	self:StopFire()
end

-- A player's shot, the quick way. Where the weapon is not ready for it, it may be that something else is
-- still to come: then the sure copy decides.
function Weapon.server.unreliable:ServerFireNow(shot)
	self:ReceiveShot(shot, false)
end

-- The same shot, the sure way: in order with all else that the player does with the weapon.
function Weapon.server.reliable:ServerFire(shot)
	self:ReceiveShot(shot, true)
end

-- On the server: judges a player's shot once and fires it, or refuses it and returns the round. sure marks the
-- reliable copy, which decides in the end; shot is described in docs/weapons.md.
function Weapon:ReceiveShot(shot, sure)
	self.book = self.book or shotbook()
	if self:IsFiredHere() or not self.book:IsNew(shot.Number) then
		return
	elseif not sure and shot.Reload ~= (self.reloadNumber or 0) then
		return -- it overtook a reload, and would take a round from a shot before that
	end
	local stamp = shot.Stamp / 1000
	self:CatchUp(stamp)
	local why = self:WhyRefused(shot, stamp)
	if why and not sure then
		return
	end
	self.book:Note(shot.Number)
	local rounds = self.Rounds
	rounds.Shots = (rounds.Shots + 1) % 65536
	if why then
		rounds.Refused = (rounds.Refused + 1) % 65536
		self.book:Refused(shot.Number)
		self:ShotRefused(why)
		return
	end
	local interval = self:GetFireInterval(shot.Mode)
	self.book:Fired(shot.Number, stamp, self:GetShortestInterval(), interval)
	self:SpendRound()
	shot.bClaimed = true
	self.FireMode = shot.Mode
	self:FireWeapon(shot)
	if not self.bDeleteMe then
		self:ShowFiring()
	end
end

-- Why a player's shot does not count, or nil.
function Weapon:WhyRefused(shot, stamp)
	local pawn, player, now = self:GetPawn(), self:GetOwningPlayer(), timeOfCall()
	if not pawn or not player or pawn.Weapon ~= self then
		return "the weapon is not in the hand"
	elseif pawn.Health <= 0 then
		return "its pawn is dead"
	elseif not self.bIsEquipped or self.bPendingReload then
		return "the weapon is not ready"
	elseif self.Rounds.Clip < self.AmmoPerShot then
		return "there is no round left"
	elseif shot.Mode >= self.NumFireModes then
		return "the weapon has no such mode"
	elseif stamp > now + CLOCK_TOLERANCE then
		return "it comes from the future"
	elseif stamp < now - player:GetRoundTrip() - MAX_DELAY then
		return "it comes too late"
	end
	if self.book:IsTooSoon(shot.Number, stamp, self:GetShortestInterval(), TIME_TOLERANCE) then
		return "it comes too soon after the last"
	end
	local eyes = pawn:GetViewLocation()
	local far = shot.Start:Distance(eyes)
	if far > MAX_START_ERROR + START_TIME * pawn.Velocity:Size() then
		return string.format("it begins %.0f uu from the eyes", far)
	elseif not pawn:FastTrace(shot.Start, eyes) then
		return "it begins behind a wall"
	end
	return nil
end

-- On the server: a player's shot was refused. Their machine gets the round back without a call. The log has the
-- first, the tenth, the hundredth.
function Weapon:ShotRefused(why)
	local count = self.Rounds.Refused
	if tostring(count):find("^10*$") then
		self:Log("a shot is refused, " .. count .. " so far: " .. why)
	end
end

-- On the server: by its player's clock the weapon is ready again, though the word that it was taken into the
-- hand or loaded has taken longer to come here than this one.
function Weapon:CatchUp(stamp)
	if stamp >= (self.readyAt or 0) - TIME_TOLERANCE then
		self:OnEquipFinished()
		self:OnReloadFinished()
	end
end

-- ── Loading ──

-- Asks to load it.
function Weapon:StartReload()
	if self.bPendingReload or not self.bIsEquipped or not self:CanReload() then
		return
	end
	self.reloadNumber = ((self.reloadNumber or 0) + 1) % 65536
	local now = self:GetTime()
	if not self:HasAuthority() then
		self:SendSureShot()
		self:ServerStartReload(self.reloadNumber, ms(now))
	end
	self:BeginReload(now)
end

-- The player began to load: number counts reloads from 1, round and round; stamp is when, in ms of the
-- server's time.
function Weapon.server.reliable:ServerStartReload(number, stamp)
	stamp = stamp / 1000
	self:CatchUp(stamp)
	self:StopReload()
	self.reloadNumber = number
	if self.bIsEquipped and self:CanReload() then
		self:BeginReload(self:BoundStamp(stamp))
	else
		self.Rounds.Reloads = number -- it is over before it began
	end
end

-- Loads for ReloadTime seconds, counted from since in the server's seconds; then OnReloadFinished.
function Weapon:BeginReload(since)
	self.bPendingReload = true
	self.readyAt = since + self.ReloadTime
	self:DetermineWeaponState()
	self:SetTimer(self.ReloadTime, false, "OnReloadFinished")
	self:PlayReload()
end

-- When a player did something with the weapon, in the server's seconds. The client's claim is limited: not
-- before their last shot, and not longer ago than a lost packet explains.
function Weapon:BoundStamp(stamp)
	local player, now = self:GetOwningPlayer(), timeOfCall()
	local delay = (player and player:GetRoundTrip() or 0) + MAX_DELAY
	return math.min(now, math.max(stamp, now - delay, self:GetLastShotTime()))
end

-- When its player's last shot was fired, in the server's seconds.
function Weapon:GetLastShotTime()
	return self.book and self.book.last or 0
end

-- Time is up: what is spare is loaded.
function Weapon:OnReloadFinished()
	if not self.bPendingReload then
		return
	end
	self:LoadClip()
	self:StopReload()
end

-- Loading ends, whether it is done or not.
function Weapon:StopReload()
	if not self.bPendingReload then
		return
	end
	self.bPendingReload = false
	self:ClearTimer("OnReloadFinished")
	if self:HasAuthority() then
		self.Rounds.Reloads = self.reloadNumber or 0
	end
	self:DetermineWeaponState() -- it is idle now
	self:DetermineWeaponState() -- and fires if that is wished for
end

-- On a client: the server's rounds have come.
function Weapon:AmmoChanged()
	self:DetermineWeaponState()
	self:LoadIfEmpty()
end

-- Adds rounds, on the server, up to MaxAmmo. Returns how many were added.
function Weapon:GiveAmmo(amount)
	local taken = Weapon.super.GiveAmmo(self, amount)
	self:LoadIfEmpty()
	return taken
end

-- Loads it when it is empty, where that is decided.
function Weapon:LoadIfEmpty()
	if not self.bDeleteMe and self:IsFiredHere() and self:GetAmmo() < self.AmmoPerShot then
		self:StartReload()
	end
end

-- ── What arrives fits these types and ranges, or the function does not run ──

Weapon.params {
	ServerStartFire = { int(0, { min = 0, max = 1 }) },
	ServerStartReload = { int(0, { min = 0, max = 65535 }), int(0, { min = 0 }) },
	ServerFire = {
		struct {
			Number = int(0, { min = 0, max = 65535 }), -- of the shot, from 1, round and round
			Reload = int(0, { min = 0, max = 65535 }), -- number of the last reload before it
			Mode = int(0, { min = 0, max = 1 }),
			Stamp = int(0, { min = 0 }), -- when it was fired, in ms of the server's time
			Seen = int(0, { min = 0 }), -- the time that its player saw, in the same
			Start = vector(0, 0, 0), -- where it begins
			Pitch = int(0, { min = 0, max = 65535 }), -- where it is aimed
			Yaw = int(0, { min = 0, max = 65535 }),
			Reach = int(0, { min = 0, max = 65535 }), -- uu to the farthest thing that it met there
			First = ref("Pawn"), -- whom it met there
			Second = ref("Pawn"),
			Third = ref("Pawn"),
			Fourth = ref("Pawn"),
		},
	},
	ServerFireNow = { -- the same
		struct {
			Number = int(0, { min = 0, max = 65535 }),
			Reload = int(0, { min = 0, max = 65535 }),
			Mode = int(0, { min = 0, max = 1 }),
			Stamp = int(0, { min = 0 }),
			Seen = int(0, { min = 0 }),
			Start = vector(0, 0, 0),
			Pitch = int(0, { min = 0, max = 65535 }),
			Yaw = int(0, { min = 0, max = 65535 }),
			Reach = int(0, { min = 0, max = 65535 }),
			First = ref("Pawn"),
			Second = ref("Pawn"),
			Third = ref("Pawn"),
			Fourth = ref("Pawn"),
		},
	},
}

function Weapon.validate:ServerStartFire(mode)
	return mode < self.NumFireModes
end

function Weapon.validate:ServerStopFire()
	return true
end

function Weapon.validate:ServerStartReload(_, _)
	return self.ClipSize > 0
end

-- No honest player looks back over their head.
local function straight(shot)
	return shot.Pitch <= 16384 or shot.Pitch >= 49152
end

function Weapon.validate:ServerFire(shot)
	return straight(shot)
end

function Weapon.validate:ServerFireNow(shot)
	return straight(shot)
end

return Weapon
