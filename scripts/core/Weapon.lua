-- Weapon: a thing to fire. A light state machine: some wishes (bWantsToFire, bPendingReload, bPendingEquip,
-- bIsEquipped) and one function that makes a state of them, DetermineWeaponState. Functions that start something only
-- wish for it.
--
-- Who does what, for a player on a machine of his own: his copy of the weapon fires at once, as far as it knows that it
-- may, shows it, and tells the server of each shot. The server checks the shot, decides what it hit and takes the round;
-- everybody else sees FlashCount change on the pawn. For bots and for players at the server's own machine there is
-- nobody to ask: the same functions decide at once.
--
-- A child sets numbers and overrides FireWeapon. WeaponInstant, WeaponProjectile and WeaponMelee are such children.
local Weapon = class("Weapon", "Inventory")

local randomstream = require("lib.randomstream")

Weapon.properties {
	-- What kind of weapon it is; a child sets these in its defaults.
	InventoryGroup = int(1, { min = 0, max = 99 }), -- the number key that takes it into the hand
	AttachmentClass = classref("WeaponAttachment"), -- what others see in the hand
	FireInterval = float(0.2, { min = 0.02, max = 60 }), -- seconds between two shots
	bAutomatic = true, -- goes on as long as the key is held; otherwise one press is one shot
	NumFireModes = int(1, { min = 1, max = 2 }), -- 2: the second key fires, too
	EquipTime = float(0.3, { min = 0.02, max = 10 }), -- seconds until it is ready in the hand
	ReloadTime = float(1.5, { min = 0.02, max = 60 }), -- seconds to load it
	ClipSize = int(30, { min = 0, max = 1000 }), -- rounds between two reloads; 0: it is never loaded
	InitialAmmo = int(90, { min = 0, max = 10000 }), -- rounds it comes with, those in the clip counted
	MaxAmmo = int(180, { min = 0, max = 10000 }), -- rounds it can have, those in the clip counted
	AmmoPerShot = int(1, { min = 0, max = 100 }), -- 0: it needs none
	Damage = float(20, { min = 0 }),
	Momentum = float(0, { min = 0 }), -- uu/s given to what is hit
	DamageType = str("weapon", { max = 32 }),
	MuzzleForward = float(20, { min = 0, max = 500 }), -- uu from the eyes to where a shot begins
	AIRange = float(3000, { min = 0 }), -- uu up to which a bot likes it
	AIRating = float(0.5, { min = 0, max = 1 }), -- how much a bot likes it, and which one is taken up first

	-- The wishes, and the state that DetermineWeaponState makes of them.
	bIsEquipped = false, -- it is in the hand and ready
	bWantsToFire = false,
	bPendingReload = false,
	bPendingEquip = false,
	CurrentState = enum("Idle", "Firing", "Reloading", "Equipping"),
	FireMode = int(0, { min = 0, max = 1 }), -- of the last StartFire: 0 first key, 1 second key

	-- What the server says about ammunition. It crosses in one piece, so that a client never sees a round gone whose shot
	-- is not yet counted (R12.3).
	Rounds = struct {
		Clip = int(0, { min = 0, max = 10000 }), -- loaded
		Spare = int(0, { min = 0, max = 10000 }), -- not loaded
		Shots = int(0, { min = 0, max = 65535 }), -- of the owner's shots were judged, round and round
		Reloads = int(0, { min = 0, max = 65535 }), -- number of the owner's last reload that is over, round and round
		Refused = int(0, { min = 0, max = 65535 }), -- of those shots were refused
	},
}

Weapon.replication {
	{ "Rounds", when = COND_OwnerOnly, notify = true },
}

-- How much sooner than FireInterval after the last one a shot may come, in seconds: clocks are corrected now and then.
local TIME_TOLERANCE = 0.01
-- How far ahead of the server's clock a shot may say it was fired, in seconds.
local CLOCK_TOLERANCE = 0.1
-- How much later than the shooter's round trip a shot may come, in seconds: a lost packet is sent again.
local MAX_DELAY = 0.75
-- How far from its pawn's eyes a shot may begin, in uu, besides what the pawn runs in 0.15 s.
local MAX_START_ERROR = 100
-- How many shots may be under way.
local WINDOW = 64

-- Milliseconds of a time in seconds. Times cross as whole numbers: a 32-bit float is too coarse after some hours.
local function ms(seconds)
	return math.floor(seconds * 1000 + 0.5)
end

-- ── Being carried ────────────────────────────────────────────────────────────────────────────────────────────────

function Weapon:BeginPlay()
	if self:HasAuthority() then
		self:SetAmmo(self.InitialAmmo)
	end
end

-- On a client: the weapon has come. What it knows of ammunition begins with what the server says.
function Weapon:PostNetBeginPlay()
	self:ForgetFlight()
end

function Weapon:TakenFrom(_)
	self:OnUnEquip()
end

-- A second weapon of the class is only ammunition.
function Weapon:TakeOver(other)
	return self:GiveAmmo(other.Rounds.Clip + other.Rounds.Spare) > 0
end

function Weapon:GetDroppedAmount()
	return self.Rounds.Clip + self.Rounds.Spare
end

function Weapon:SetDroppedAmount(amount)
	if amount >= 0 then
		self:SetAmmo(amount)
	end
end

-- Whether this peer decides when it fires: the player sits here, or nobody plays it and this is the server.
function Weapon:IsFiredHere()
	return self.Owner ~= nil and self:IsLocallyControlled()
end

-- The server's time in seconds, as this peer knows it.
function Weapon:GetTime()
	local player = self:GetOwningPlayer()
	return player and player:GetServerTime() or world.TimeSeconds
end

-- ── In the hand ──────────────────────────────────────────────────────────────────────────────────────────────────

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

function Weapon:OnEquipFinished()
	self:ClearTimer("OnEquipFinished")
	self.bPendingEquip = false
	self.bIsEquipped = true
	self:DetermineWeaponState() -- it is idle now
	self:DetermineWeaponState() -- and fires if that is wished for
	self:LoadIfEmpty()
end

-- The pawn puts it away.
function Weapon:OnUnEquip()
	self.bIsEquipped = false
	self.bPendingEquip = false
	self:ClearTimer("OnEquipFinished")
	self:StopFire()
	self:StopReload()
	self:DetermineWeaponState()
end

-- ── The state machine ────────────────────────────────────────────────────────────────────────────────────────────

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

local function free(state)
	return state == "Idle" or state == "Firing"
end

-- Whether it could fire now, if that is wished for.
function Weapon:CanFire()
	return free(self.CurrentState) and not self.bPendingReload and self:GetAmmo() >= self.AmmoPerShot
end

-- Whether it could be loaded now.
function Weapon:CanReload()
	return free(self.CurrentState) and self.ClipSize > 0 and self:GetAmmo() < self.ClipSize and self:GetSpareAmmo() > 0
end

-- Firing begins. The first shot comes at once, or when the last one is long enough ago.
function Weapon:OnBurstStarted()
	if self:IsFiredHere() then
		self:FireWhenDue()
	end
end

-- Firing is over.
function Weapon:OnBurstFinished()
	self:ClearTimer("HandleFiring")
end

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
	if not self:CanFire() then
		self:DetermineWeaponState()
		self:LoadIfEmpty()
		return
	end
	local now = self:GetTime()
	if now < (self.nextFire or 0) - 0.001 then -- the clock was set back a little
		return self:FireWhenDue()
	end
	-- A tick comes somewhat after the shot was due: the next one counts from when it was due, so that the rate of fire
	-- does not depend on the rate of ticks.
	local stamp = math.max(self.nextFire or 0, now - world.DeltaSeconds)
	self.nextFire = stamp + self:GetFireInterval(self.FireMode)
	local shot = self:MakeShot(stamp, now)
	if self:HasAuthority() then
		self:SpendRound()
		self:FireWeapon(shot)
		self:ShowFiring()
	else
		self:AddFlight{ Shot = true }
		self:FireWeapon(shot)
		self:ShowFiring()
		-- Twice: what comes first counts, and one of them is sure to come. The server's history is short: a shot whose only
		-- packet was lost would come too late to hit.
		self:ServerFireNow(shot)
		self:ServerFire(shot)
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

-- Seconds between two shots of a mode.
function Weapon:GetFireInterval(_)
	return self.FireInterval
end

-- What is said about a shot: everything about it that the server cannot know by itself.
function Weapon:MakeShot(stamp, now)
	local pawn = self:GetPawn()
	self.shotNumber = ((self.shotNumber or 0) + 1) % 65536
	local from = pawn:GetViewLocation()
	local aim = pawn:GetBaseAimRotation()
	return {
		Number = self.shotNumber,
		Mode = self.FireMode,
		Stamp = ms(stamp),
		Seen = ms(now - self:GetViewDelay()),
		Start = from,
		Pitch = aim.Pitch,
		Yaw = aim.Yaw,
		Reach = 0,
	}
end

-- How old what the player sees is, in seconds (R11.3). For a player at the server it is the present.
function Weapon:GetViewDelay()
	local player = self:GetOwningPlayer()
	return player and not self:HasAuthority() and player:GetViewDelay() or 0
end

-- The direction of one of a shot's lines, strayed by at most spread, the sine of the greatest angle. It follows from the
-- number of the shot, so that a client shows what the server will find, and chooses nothing (R9.9).
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

-- What a shot does: a child overrides it. It runs where it was fired, on a client only for show, and on the server.
-- There shot.bClaimed tells that a client fired it: what it saw is shot.Seen old, and its targets are a claim.
function Weapon:FireWeapon(_) end

-- Everybody sees it fire.
function Weapon:ShowFiring()
	local pawn = self:GetPawn()
	if pawn then
		pawn:WeaponFired(self, self.FireMode)
	end
end

-- It is taken into the hand, on its owner's machine; a child shows something here.
function Weapon:PlayEquip() end

-- It is being loaded, on its owner's machine.
function Weapon:PlayReload() end

-- ── Firing ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- Asks to fire, as long as StopFire is not called. mode is the key: 0 or 1.
function Weapon:StartFire(mode)
	mode = mode or 0
	if mode >= self.NumFireModes or self.bWantsToFire and self.FireMode == mode then
		return
	end
	self.FireMode = mode
	self.bWantsToFire = true
	if not self:HasAuthority() then
		self:ServerStartFire(mode)
	end
	self:ShowMode()
	self:DetermineWeaponState()
	if self:IsFiredHere() then
		self:LoadIfEmpty()
	end
end

-- No longer asks to fire; with a mode, only if that is what was asked for.
function Weapon:StopFire(mode)
	if mode and mode ~= self.FireMode then
		return
	end
	local wanted = self.bWantsToFire
	self.bWantsToFire = false
	if wanted and not self:HasAuthority() then
		self:ServerStopFire()
	end
	self:DetermineWeaponState()
end

-- What others see of the mode.
function Weapon:ShowMode()
	local pawn = self:GetPawn()
	if pawn then
		pawn.FiringMode = self.FireMode
	end
end

function Weapon.server.reliable:ServerStartFire(mode)
	self:StartFire(mode)
end

function Weapon.server.reliable:ServerStopFire()
	self:StopFire()
end

-- ── Shots of a player, on the server ─────────────────────────────────────────────────────────────────────────────

-- A shot that was sent once, the quick way. Where the weapon is not ready for it, it may be that something else is
-- still to come: the sure copy decides.
function Weapon.server.unreliable:ServerFireNow(shot)
	self:ReceiveShot(shot, false)
end

-- The same shot, the sure way: in order with all else that the player does with the weapon.
function Weapon.server.reliable:ServerFire(shot)
	self:ReceiveShot(shot, true)
end

function Weapon:ReceiveShot(shot, sure)
	if self:IsFiredHere() or not self:IsNewShot(shot.Number) then
		return
	end
	local stamp = shot.Stamp / 1000
	if (self.bPendingEquip or self.bPendingReload) and stamp >= (self.readyAt or 0) - TIME_TOLERANCE then
		self:FinishEarly() -- its player's machine is done with it already
	end
	local why = self:WhyRefused(shot, stamp)
	if why and not sure then
		return
	end
	self:NoteShot(shot.Number)
	local rounds = self.Rounds
	rounds.Shots = (rounds.Shots + 1) % 65536
	if why then
		rounds.Refused = (rounds.Refused + 1) % 65536
		self:Log("a shot is refused: " .. why)
		return
	end
	self:NoteStamp(shot, stamp)
	self:SpendRound()
	shot.bClaimed = true
	self.FireMode = shot.Mode
	self:FireWeapon(shot)
	self:ShowFiring()
end

-- Why a shot does not count, or nil.
function Weapon:WhyRefused(shot, stamp)
	local pawn, player = self:GetPawn(), self:GetOwningPlayer()
	local now = world.TimeSeconds + world.DeltaSeconds -- calls are handled before the tick that they come in
	if not pawn or not player or pawn.Weapon ~= self then
		return "the weapon is not in the hand"
	elseif pawn.Health <= 0 then
		return "its pawn is dead"
	elseif not self.bIsEquipped then
		return "the weapon is not ready"
	elseif self.bPendingReload then
		return "the weapon is being loaded"
	elseif self.Rounds.Clip < self.AmmoPerShot then
		return "there is no round left"
	elseif shot.Mode >= self.NumFireModes then
		return "the weapon has no such mode"
	elseif stamp > now + CLOCK_TOLERANCE then
		return "it comes from the future"
	elseif stamp < now - player:GetRoundTrip() - MAX_DELAY then
		return "it comes too late"
	elseif self:IsTooSoon(shot, stamp) then
		return "it comes too soon after the last"
	end
	local far = shot.Start:Distance(pawn:GetViewLocation())
	if far > MAX_START_ERROR + 0.15 * pawn.Velocity:Size() then
		return string.format("it begins %.0f uu from the eyes", far)
	end
	return nil
end

-- Whether there is less than FireInterval between a shot and the last one (R12.2). Shots may overtake each other: with
-- others missing in between the interval counts for each.
function Weapon:IsTooSoon(shot, stamp)
	if not self.lastStamp then
		return false
	end
	local steps = (shot.Number - self.lastNumber + 32768) % 65536 - 32768
	local due = self.lastStamp + steps * self:GetFireInterval(shot.Mode)
	if steps > 0 then
		return stamp < due - TIME_TOLERANCE
	end
	return stamp > due + TIME_TOLERANCE
end

-- Remembers when a shot was fired. One that came early by less than the tolerance counts as fired when it was due, so
-- that the tolerance is not gained with every shot.
function Weapon:NoteStamp(shot, stamp)
	if not self.lastStamp then
		self.lastStamp, self.lastNumber = stamp, shot.Number
		return
	end
	local steps = (shot.Number - self.lastNumber + 32768) % 65536 - 32768
	if steps > 0 then
		self.lastStamp = math.max(stamp, self.lastStamp + steps * self:GetFireInterval(shot.Mode))
		self.lastNumber = shot.Number
	end
end

-- Whether a shot of that number was not judged yet.
function Weapon:IsNewShot(number)
	local ahead = (number - (self.newestShot or 0) + 32768) % 65536 - 32768
	if ahead > 0 then
		return ahead <= WINDOW
	end
	return self.missingShots ~= nil and self.missingShots[number] == true
end

function Weapon:NoteShot(number)
	local missing = self.missingShots or {}
	self.missingShots = missing
	local newest = self.newestShot or 0
	local ahead = (number - newest + 32768) % 65536 - 32768
	for i = 1, ahead - 1 do
		missing[(newest + i) % 65536] = true
	end
	missing[number] = nil
	if ahead > 0 then
		self.newestShot = number
	end
end

-- ── Loading ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- Asks to load it.
function Weapon:StartReload()
	if self.bPendingReload or not self.bIsEquipped or not self:CanReload() then
		return
	end
	self.reloadNumber = ((self.reloadNumber or 0) + 1) % 65536
	local now = self:GetTime()
	if not self:HasAuthority() then
		self:ServerStartReload(self.reloadNumber, ms(now))
	end
	self:BeginReload(now)
	self:PlayReload()
end

function Weapon:BeginReload(since)
	self.bPendingReload = true
	self.readyAt = since + self.ReloadTime
	self:DetermineWeaponState()
	self:SetTimer(self.ReloadTime, false, "OnReloadFinished")
end

-- Time is up: what is spare is loaded.
function Weapon:OnReloadFinished()
	if not self.bPendingReload then
		return
	end
	if self:HasAuthority() then
		local rounds = self.Rounds
		local take = math.min(self.ClipSize - rounds.Clip, rounds.Spare)
		self.Rounds = {
			Clip = rounds.Clip + take, Spare = rounds.Spare - take,
			Shots = rounds.Shots, Refused = rounds.Refused, Reloads = self.reloadNumber or 0,
		}
	else
		self:AddFlight{ Reload = self.reloadNumber }
	end
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

-- Loads it when it is empty, where that is decided.
function Weapon:LoadIfEmpty()
	if not self.bDeleteMe and self:IsFiredHere() and self:GetAmmo() < self.AmmoPerShot then
		self:StartReload()
	end
end

function Weapon.server.reliable:ServerStartReload(number, stamp)
	self.reloadNumber = number
	if self.bPendingReload then
		self:StopReload()
	end
	local now = world.TimeSeconds + world.DeltaSeconds
	self:FinishEquip(stamp / 1000)
	if not self.bIsEquipped or not self:CanReload() then
		self.Rounds.Reloads = number -- it is over before it began
		return
	end
	self:BeginReload(self:BoundStamp(stamp / 1000, now))
end

-- When something began by its player's clock, as far as that may be believed.
function Weapon:BoundStamp(stamp, now)
	local player = self:GetOwningPlayer()
	local delay = (player and player:GetRoundTrip() or 0) + CLOCK_TOLERANCE
	return math.max(math.min(stamp, now), now - delay)
end

-- On the server: the player's machine does something that it can only do once the weapon is ready there.
function Weapon:FinishEquip(stamp)
	if self.bPendingEquip and stamp >= (self.readyAt or 0) - TIME_TOLERANCE then
		self:OnEquipFinished()
	end
end

function Weapon:FinishEarly()
	if self.bPendingEquip then
		self:OnEquipFinished()
	else
		self:OnReloadFinished()
	end
end

-- ── Ammunition ───────────────────────────────────────────────────────────────────────────────────────────────────

-- Rounds in the clip, as its owner's machine shows them: what the server says less what is still on its way there
-- (R12.3). Where nothing is on its way, what there is.
function Weapon:GetAmmo()
	return self:AfterFlight().Clip
end

-- Rounds that are not loaded.
function Weapon:GetSpareAmmo()
	return self:AfterFlight().Spare
end

-- Whether anything can be fired with it, loaded or not.
function Weapon:HasAmmo()
	return self:GetAmmo() + self:GetSpareAmmo() >= self.AmmoPerShot
end

-- Sets all ammunition, on the server; the clip is filled first.
function Weapon:SetAmmo(amount)
	amount = math.min(amount, self.MaxAmmo)
	local clip = self.ClipSize > 0 and math.min(amount, self.ClipSize) or amount
	self.Rounds.Clip, self.Rounds.Spare = clip, amount - clip
end

-- Adds rounds, on the server, up to MaxAmmo. Returns how many were added.
function Weapon:GiveAmmo(amount)
	local rounds = self.Rounds
	local take = math.max(0, math.min(amount, self.MaxAmmo - rounds.Clip - rounds.Spare))
	if self.ClipSize == 0 then
		rounds.Clip = rounds.Clip + take
	else
		rounds.Spare = rounds.Spare + take
	end
	self:LoadIfEmpty()
	return take
end

function Weapon:SpendRound()
	self.Rounds.Clip = self.Rounds.Clip - self.AmmoPerShot
end

-- What the owner's machine did and the server has not answered yet, the oldest first: shots, and reloads by number.
function Weapon:AddFlight(action)
	self.flight = self.flight or {}
	table.insert(self.flight, action)
	self.after = nil
end

function Weapon:ForgetFlight()
	self.flight, self.after = nil, nil
	self.shotNumber = self.Rounds.Shots
	self.reloadNumber = self.Rounds.Reloads
	self.judged = self.Rounds.Shots
end

-- The server's numbers have come: what they count is no longer on its way.
function Weapon:OnRep_Rounds(_)
	self.after = nil
	local rounds = self.Rounds
	local shots = (rounds.Shots - (self.judged or 0)) % 65536
	self.judged = rounds.Shots
	local kept = {}
	for _, action in ipairs(self.flight or {}) do
		if action.Shot and shots > 0 then
			shots = shots - 1
		elseif action.Shot or (rounds.Reloads - action.Reload) % 65536 >= 32768 then
			table.insert(kept, action)
		end
	end
	self.flight = kept
	self:DetermineWeaponState()
	self:LoadIfEmpty()
end

-- The rounds as they will be once all that is on its way has come.
function Weapon:AfterFlight()
	local rounds = self.Rounds
	if not self.flight or #self.flight == 0 then
		return rounds
	end
	if not self.after then
		local clip, spare = rounds.Clip, rounds.Spare
		for _, action in ipairs(self.flight) do
			if action.Shot then
				clip = math.max(0, clip - self.AmmoPerShot)
			else
				local take = math.max(0, math.min(self.ClipSize - clip, spare))
				clip, spare = clip + take, spare - take
			end
		end
		self.after = { Clip = clip, Spare = spare }
	end
	return self.after
end

-- ── What arrives fits these types and ranges, or the function does not run ───────────────────────────────────────

Weapon.params {
	ServerStartFire = { int(0, { min = 0, max = 1 }) },
	ServerStartReload = { int(0, { min = 0, max = 65535 }), int(0, { min = 0 }) },
	ServerFire = {
		struct {
			Number = int(0, { min = 0, max = 65535 }), -- of the shot, from 1, round and round
			Mode = int(0, { min = 0, max = 1 }),
			Stamp = int(0, { min = 0 }), -- when it was fired, in ms of the server's time
			Seen = int(0), -- the time that its player saw, in the same
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
	ServerFireNow = {
		struct {
			Number = int(0, { min = 0, max = 65535 }),
			Mode = int(0, { min = 0, max = 1 }),
			Stamp = int(0, { min = 0 }),
			Seen = int(0),
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

function Weapon.validate:ServerStartReload(_, _)
	return self.ClipSize > 0
end

-- No honest player looks back over his head.
function Weapon.validate:ServerFire(shot)
	return shot.Pitch <= 16384 or shot.Pitch >= 49152
end

function Weapon.validate:ServerFireNow(shot)
	return shot.Pitch <= 16384 or shot.Pitch >= 49152
end

return Weapon
