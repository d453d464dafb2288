-- Weapon: an item that fires. It is a small state machine: some requests (bWantsToFire, bPendingReload,
-- bPendingEquip, bIsEquipped) and one function that derives the state from them, DetermineWeaponState.
-- Functions that start something only set a request.
--
-- For a player on a machine of their own, the player's copy of the weapon fires at once if it knows no reason
-- against it, shows the shot, and reports it to the server. The server checks the shot, decides what it hit
-- and removes the round; everybody else sees FlashCount change on the pawn. For bots and for a player at the
-- server's own machine, the same functions decide at once, without a message.
--
-- A child sets numbers and overrides FireWeapon, as WeaponInstant, WeaponProjectile and WeaponMelee do.
local Weapon = class("Weapon", "WeaponAmmo")

local randomstream = require("lib.randomstream")
local shotbook = require("lib.shotbook")

Weapon.properties {
	-- The kind of weapon; a child sets these in its defaults.
	InventoryGroup = int(1, { min = 0, max = 99 }), -- the number key that selects it
	AttachmentClass = classref("WeaponAttachment"), -- what everybody sees in the hand
	FireInterval = float(0.2, { min = 0.02, max = 60 }), -- seconds between two shots
	bAutomatic = true, -- fires as long as the key is held; otherwise one press is one shot
	NumFireModes = int(1, { min = 1, max = 2 }), -- 2: the second fire key fires, too
	EquipTime = float(0.3, { min = 0.02, max = 10 }), -- seconds from taking it into the hand until it is ready
	ReloadTime = float(1.5, { min = 0.02, max = 60 }), -- seconds of a reload
	Damage = float(20, { min = 0 }), -- damage of one hit
	Momentum = float(0, { min = 0 }), -- uu/s given to the actor that is hit
	DamageType = str("weapon", { max = 32 }), -- the kind of damage that TakeDamage receives
	MuzzleForward = float(20, { min = 0, max = 500 }), -- uu from the eyes to where a projectile starts
	AIRange = float(3000, { min = 0 }), -- uu up to which bots use it
	AIRating = float(0.5, { min = 0, max = 1 }), -- how much bots prefer it

	-- The requests, and the state that DetermineWeaponState derives from them.
	bIsEquipped = false, -- it is in the hand and ready
	bWantsToFire = false, -- a fire key is held
	bPendingReload = false, -- it is being loaded
	bPendingEquip = false, -- it is being taken into the hand
	CurrentState = enum("Idle", "Firing", "Reloading", "Equipping"), -- what it does now
	FireMode = int(0, { min = 0, max = 1 }), -- key of the last StartFire: 0 the first, 1 the second
}

-- Seconds by which a shot may come sooner than FireInterval after the last one, because clocks are corrected
-- now and then (R12.2).
local TIME_TOLERANCE = 0.01
-- Seconds by which the time of a shot may be ahead of the server's clock.
local CLOCK_TOLERANCE = 0.1
-- Seconds, in addition to the round trip, by which a call may be late: lost packets are sent again.
local MAX_DELAY = 0.75
-- Seconds after a shot in which it may be repeated by the unreliable call: later the server would reject it.
local LAST_AGAIN = 0.04
-- Distance from the pawn's eyes, in uu, at which a shot may start, in addition to what the pawn runs in
-- START_TIME seconds.
local MAX_START_ERROR, START_TIME = 60, 0.15

-- Returns a time in seconds as whole milliseconds. Times are sent in this form, because a 32-bit float is too
-- coarse after some hours.
local function ms(seconds)
	return math.max(0, math.floor(seconds * 1000 + 0.5))
end

-- ── Inventory ──

-- Returns the server time in seconds, as this peer knows it. Calls of players are handled before the tick in
-- which they arrive; the server's own time is then one tick after world.TimeSeconds.
function Weapon:GetTime()
	local player = self:GetOwningPlayer()
	return player and player:GetServerTime() or world.TimeSeconds
end

local function timeOfCall()
	return world.TimeSeconds + world.DeltaSeconds
end

-- Whether this peer decides when it fires: the player's own machine, or the server if no player controls it.
function Weapon:IsFiredHere()
	return self.Owner ~= nil and self:IsLocallyControlled()
end

-- A pawn no longer carries the weapon: puts it away.
function Weapon:TakenFrom(_)
	self:OnUnEquip()
end

-- BestMode(distance, enemy): returns the fire key that a bot should use at a distance in uu, 0 the first, 1
-- the second. enemy is nil if there is none yet. A child with two modes decides when the second is better.
function Weapon:BestMode(_, _)
	return 0
end

-- ── In the hand ──

-- The pawn takes it into the hand. since is the server time of that in seconds; now if it is left out.
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

-- EquipTime is over: the weapon is ready, and fires or reloads if that is requested. Called where it is
-- fired, and on the server.
function Weapon:OnEquipFinished()
	if not self.bPendingEquip then
		return
	end
	self:ClearTimer("OnEquipFinished")
	self.bPendingEquip = false
	self.bIsEquipped = true
	self:DetermineWeaponState() -- now Idle
	self:DetermineWeaponState() -- fires if that is requested
	if not self.bDeleteMe then -- the first shot may have killed the shooter
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

-- A reload begins: a child shows something here. Called where it is fired, and on the server.
function Weapon:PlayReload() end

-- ── The state machine (R12.1) ──

-- Derives the state from the requests.
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
-- firing begins and ends. Only DetermineWeaponState calls it.
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

-- Whether another state may follow: Equipping and Reloading must become Idle first.
local function free(state)
	return state == "Idle" or state == "Firing"
end

-- Whether it could fire now, if that is requested.
function Weapon:CanFire()
	return free(self.CurrentState) and not self.bPendingReload and self:GetAmmo() >= self.AmmoPerShot
end

-- Whether it could be reloaded now.
function Weapon:CanReload()
	return free(self.CurrentState) and self.ClipSize > 0
		and self:GetAmmo() < self.ClipSize and self:GetSpareAmmo() > 0
end

-- Firing begins. The first shot comes at once, or when FireInterval since the last one is over. For a player
-- on another machine the server waits for their shots.
function Weapon:OnBurstStarted()
	if self:IsFiredHere() then
		self:FireWhenDue()
	end
end

-- Firing has ended.
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

-- Fires one shot on the machine that decides when: effects, the shot itself, the ammunition, and a reload
-- after the last round.
function Weapon:HandleFiring()
	if self.CurrentState ~= "Firing" then
		return
	end
	local now = self:GetTime()
	if now < (self.nextFire or 0) - 0.001 then
		return self:FireWhenDue() -- the clock was set back a little
	end
	-- A tick comes somewhat after the shot was due: the shot counts as fired when it was due, so that the
	-- rate of fire does not depend on the tick rate.
	local due = math.max(self.nextFire or 0, self.readyAt or 0, now - world.DeltaSeconds)
	local stamp = self.bByKey and now or math.min(now, due)
	self.nextFire = stamp + self:GetFireInterval(self.FireMode)
	local shot = self:MakeShot(stamp, now)
	self:SpendRound()
	self:FireWeapon(shot)
	if self.bDeleteMe then
		return -- the shot killed the shooter, or ended the match
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

-- On a client: reports a shot to the server three times: at once by the unreliable call, in the next tick by
-- the reliable call, and a tick later by the unreliable call again. The first that arrives counts. Packets
-- sent in one tick tend to be lost together. The server keeps the past of targets only for a short time and
-- rejects claims that are older than the connection explains (R11.3), so a shot that waits for the repetition
-- of a lost packet would come too late to hit. Key events are reliable calls and sent in the same tick as the
-- first shot; a lost one would also delay the reliable shot behind it, and in that case a further unreliable
-- call is sent beside it.
function Weapon:SendShot(shot)
	self:SendSureShot()
	self:SendShotAgain()
	self:ServerFireNow(shot)
	self.sureShot, self.bQuickAgain = shot, self.bByKey
	self.lastAgain = world.TimeSeconds + LAST_AGAIN
	self:SetTimer(0.001, false, "SendSureShot")
end

-- The target of a shot may be destroyed before the shot is sent again: a destroyed actor can neither be named
-- nor hit.
local function forgetGone(shot)
	for _, place in ipairs { "First", "Second", "Third", "Fourth" } do
		if shot[place] and shot[place].bDeleteMe then
			shot[place] = nil
		end
	end
end

-- The reliable copy goes before any other call about the weapon.
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

-- Sends the last copy, unless it would come too late to be accepted.
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

-- Returns the seconds between two shots of a mode.
function Weapon:GetFireInterval(_)
	return self.FireInterval
end

-- Returns the shortest interval of all modes.
function Weapon:GetShortestInterval()
	local shortest = self:GetFireInterval(0)
	for mode = 1, self.NumFireModes - 1 do
		shortest = math.min(shortest, self:GetFireInterval(mode))
	end
	return shortest
end

-- Returns the description of a shot: everything that the server cannot know on its own.
function Weapon:MakeShot(stamp, now)
	local pawn, player = self:GetPawn(), self:GetOwningPlayer()
	self.shotNumber = ((self.shotNumber or 0) + 1) % 65536
	local aim = pawn:GetBaseAimRotation()
	local delay = 0
	if player and not self:HasAuthority() then
		-- Keys are handled before the actors of a tick move, so the player saw the state after the last tick.
		delay = player:GetViewDelay() + (self.bByKey and world.DeltaSeconds or 0)
	end
	return {
		Number = self.shotNumber, Reload = self.reloadNumber or 0, Mode = self.FireMode,
		Stamp = ms(stamp), Seen = ms(now - delay),
		Start = pawn:GetViewLocation(), Pitch = aim.Pitch, Yaw = aim.Yaw, Reach = 0,
	}
end

-- Returns the direction of one line of a shot, off by at most spread, the sine of the greatest angle. It
-- follows from the number of the shot, so that a client shows what the server will compute, and cannot
-- choose.
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

-- Performs a shot: a child overrides it. It runs where the weapon was fired, on a client only for show, and
-- on the server. On the server shot.bClaimed means that a client fired it: its player saw the world of
-- shot.Seen, in milliseconds, and the list of hits is the client's claim.
function Weapon:FireWeapon(_) end

-- Shows the shot on this machine.
function Weapon:ShowFiring()
	local pawn = self:GetPawn()
	if pawn then
		pawn:WeaponFired(self, self.FireMode)
	end
end

-- ── Firing (R12.2) ──

-- Requests firing, until StopFire is called. mode is the key: 0 or 1.
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
	if not self.bDeleteMe then -- the first shot may have killed the shooter
		self.bByKey = false
		self:LoadIfEmpty()
	end
end

-- Ends the request to fire; with a mode, only if that mode was requested.
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

-- Called by the client: the player began to fire with key mode, 0 or 1; see StartFire.
function Weapon.server.reliable:ServerStartFire(mode)
	self:StartFire(mode)
end

-- Called by the client: the player ceased to fire; see StopFire.
function Weapon.server.reliable:ServerStopFire()
	self:StopFire()
end

-- A player's shot by the unreliable call. If the weapon is not ready for it, other calls may still be under
-- way: then the reliable copy decides.
function Weapon.server.unreliable:ServerFireNow(shot)
	self:ReceiveShot(shot, false)
end

-- The same shot by the reliable call: in order with all other calls about the weapon.
function Weapon.server.reliable:ServerFire(shot)
	self:ReceiveShot(shot, true)
end

-- The world was loaded from a file: the machine whose shots the book records is no longer there, and the next
-- one counts on from Rounds.Shots.
function Weapon:Restored()
	self.book = nil
end

-- On the server: judges a player's shot once and fires it, or rejects it and returns the round. sure marks
-- the reliable copy, which decides in the end; docs/weapons.md describes shot.
function Weapon:ReceiveShot(shot, sure)
	self.book = self.book or shotbook.new(self.Rounds.Shots)
	if self:IsFiredHere() or not shotbook.IsNew(self.book, shot.Number) then
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
	shotbook.Note(self.book, shot.Number)
	local rounds = self.Rounds
	rounds.Shots = (rounds.Shots + 1) % 65536
	if why then
		rounds.Refused = (rounds.Refused + 1) % 65536
		shotbook.Refused(self.book, shot.Number)
		self:ShotRefused(why)
		return
	end
	local interval = self:GetFireInterval(shot.Mode)
	shotbook.Fired(self.book, shot.Number, stamp, self:GetShortestInterval(), interval)
	self:SpendRound()
	shot.bClaimed = true
	self.FireMode = shot.Mode
	self:FireWeapon(shot)
	if not self.bDeleteMe then
		self:ShowFiring()
	end
end

-- Returns why a player's shot is rejected, or nil.
function Weapon:WhyRefused(shot, stamp)
	local pawn, player, now = self:GetPawn(), self:GetOwningPlayer(), timeOfCall()
	if not pawn or not player or pawn.Weapon ~= self then
		return "the weapon is not in the hand"
	end
	-- After the world became slower, the player fired at the pace before until that arrived, and a faster one
	-- may have arrived before the server knows.
	local _, lead = player:GetPaceLead()
	lead = math.max(0, lead)
	if pawn.Health <= 0 then
		return "its pawn is dead"
	elseif not self.bIsEquipped or self.bPendingReload then
		return "the weapon is not ready"
	elseif self.Rounds.Clip < self.AmmoPerShot then
		return "there is no round left"
	elseif shot.Mode >= self.NumFireModes then
		return "the weapon has no such mode"
	elseif stamp > now + lead + CLOCK_TOLERANCE then
		return "it comes from the future"
	elseif stamp < now - player:GetRoundTrip() - MAX_DELAY then
		return "it comes too late"
	end
	local interval = self:GetShortestInterval()
	if shotbook.IsTooSoon(self.book, shot.Number, stamp, interval, TIME_TOLERANCE + lead) then
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

-- On the server: a player's shot was rejected. Their machine gets the round back through Rounds, without a
-- call. The log shows the first, the tenth and the hundredth.
function Weapon:ShotRefused(why)
	local count = self.Rounds.Refused
	if tostring(count):find("^10*$") then
		self:Log("a shot is refused, " .. count .. " so far: " .. why)
	end
end

-- On the server: by its player's clock the weapon is ready again, although the call that it was taken into
-- the hand or reloaded arrived later.
function Weapon:CatchUp(stamp)
	if stamp >= (self.readyAt or 0) - TIME_TOLERANCE then
		self:OnEquipFinished()
		self:OnReloadFinished()
	end
end

-- ── Reloading ──

-- Requests a reload.
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

-- Called by the client: the player began to reload. number counts reloads from 1 and wraps; stamp is the
-- time, in ms of the server's time.
function Weapon.server.reliable:ServerStartReload(number, stamp)
	stamp = stamp / 1000
	self:CatchUp(stamp)
	self:StopReload()
	self.reloadNumber = number
	if self.bIsEquipped and self:CanReload() then
		self:BeginReload(self:BoundStamp(stamp))
	else
		self.Rounds.Reloads = number -- it was over before it began
	end
end

-- Reloads for ReloadTime seconds, counted from since in server seconds; then OnReloadFinished.
function Weapon:BeginReload(since)
	self.bPendingReload = true
	self.readyAt = since + self.ReloadTime
	self:DetermineWeaponState()
	self:SetTimer(self.ReloadTime, false, "OnReloadFinished")
	self:PlayReload()
end

-- Returns when a player did something with the weapon, in server seconds. The client's claim is limited: not
-- before their last shot, and not longer ago than a lost packet explains.
function Weapon:BoundStamp(stamp)
	local player, now = self:GetOwningPlayer(), timeOfCall()
	local delay = (player and player:GetRoundTrip() or 0) + MAX_DELAY
	return math.min(now, math.max(stamp, now - delay, self:GetLastShotTime()))
end

-- Returns when its player's last shot was fired, in server seconds.
function Weapon:GetLastShotTime()
	return self.book and self.book.last or 0
end

-- The reload is complete: fills the clip with spare rounds.
function Weapon:OnReloadFinished()
	if not self.bPendingReload then
		return
	end
	self:LoadClip()
	self:StopReload()
end

-- Ends a reload, whether it is complete or not.
function Weapon:StopReload()
	if not self.bPendingReload then
		return
	end
	self.bPendingReload = false
	self:ClearTimer("OnReloadFinished")
	if self:HasAuthority() then
		self.Rounds.Reloads = self.reloadNumber or 0
	end
	self:DetermineWeaponState() -- now Idle
	self:DetermineWeaponState() -- fires if that is requested
end

-- On a client: the server's ammunition was received.
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

-- Reloads an empty weapon, on the machine that decides that.
function Weapon:LoadIfEmpty()
	if not self.bDeleteMe and self:IsFiredHere() and self:GetAmmo() < self.AmmoPerShot then
		self:StartReload()
	end
end

-- ── Types and ranges of arguments; calls outside of them are rejected ──

Weapon.params {
	ServerStartFire = { int(0, { min = 0, max = 1 }) },
	ServerStartReload = { int(0, { min = 0, max = 65535 }), int(0, { min = 0 }) },
	ServerFire = {
		struct {
			Number = int(0, { min = 0, max = 65535 }), -- number of the shot, from 1; wraps
			Reload = int(0, { min = 0, max = 65535 }), -- number of the last reload before it
			Mode = int(0, { min = 0, max = 1 }),
			Stamp = int(0, { min = 0 }), -- time of the shot, in ms of the server's time
			Seen = int(0, { min = 0 }), -- the time that its player saw, in the same unit
			Start = vector(0, 0, 0), -- where it starts
			Pitch = int(0, { min = 0, max = 65535 }), -- where it is aimed
			Yaw = int(0, { min = 0, max = 65535 }),
			Reach = int(0, { min = 0, max = 65535 }), -- uu to the farthest thing that it hit there
			First = ref("Pawn"), -- the pawn that it hit there
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

-- Whether a view is possible: no honest player looks back over their head.
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
