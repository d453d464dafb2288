-- WeaponAmmo: the rounds of a weapon (R12.3). The server has the truth. The owner's machine shows what the
-- server says less the shots that are still on their way there, so that what is shown does not jump back up
-- under lag; a shot that the server refuses gives its round back. Weapon is made of this.
local WeaponAmmo = class("WeaponAmmo", "Inventory")

local inflight = require("lib.inflight")

WeaponAmmo.properties {
	-- What kind of weapon it is; a child sets these in its defaults.
	ClipSize = int(30, { min = 0, max = 1000 }), -- rounds between two reloads; 0: it is never loaded
	InitialAmmo = int(90, { min = 0, max = 10000 }), -- rounds it comes with, those in the clip counted
	MaxAmmo = int(180, { min = 0, max = 10000 }), -- rounds it can have, those in the clip counted
	AmmoPerShot = int(1, { min = 0, max = 100 }), -- 0: it needs none

	-- What the server says. It crosses in one piece, so that a client never sees a round gone whose shot is not
	-- yet counted.
	Rounds = struct {
		Clip = int(0, { min = 0, max = 10000 }), -- loaded
		Spare = int(0, { min = 0, max = 10000 }), -- not loaded
		Shots = int(0, { min = 0, max = 65535 }), -- of the owner's shots were judged, round and round
		Reloads = int(0, { min = 0, max = 65535 }), -- number of the owner's last finished reload; wraps
		Refused = int(0, { min = 0, max = 65535 }), -- of those shots were refused
	},
}

WeaponAmmo.replication {
	{ "Rounds", when = COND_OwnerOnly, notify = true },
}

-- On the server: a new weapon has InitialAmmo rounds.
function WeaponAmmo:BeginPlay()
	if self:HasAuthority() then
		self:SetAmmo(self.InitialAmmo)
	end
end

-- On a client: the weapon has come. Shots and reloads are counted on from what the server has seen of them.
function WeaponAmmo:PostNetBeginPlay()
	if not self:HasAuthority() then
		self.flight = inflight()
		self.shotNumber, self.reloadNumber = self.Rounds.Shots, self.Rounds.Reloads
		self.judged = self.Rounds.Shots
	end
end

-- ── What there is ──

-- Rounds in the clip, as they will be when all that is on its way has come to the server.
function WeaponAmmo:GetAmmo()
	local clip = self:AfterFlight()
	return clip
end

-- Rounds that are not loaded, in the same way.
function WeaponAmmo:GetSpareAmmo()
	local _, spare = self:AfterFlight()
	return spare
end

-- Whether anything can be fired with it, loaded or not.
function WeaponAmmo:HasAmmo()
	local clip, spare = self:AfterFlight()
	return clip + spare >= self.AmmoPerShot
end

-- Loaded and spare rounds after what is on its way.
function WeaponAmmo:AfterFlight()
	local rounds = self.Rounds
	if not self.flight then
		return rounds.Clip, rounds.Spare
	end
	return self.flight:After(rounds.Clip, rounds.Spare, self.AmmoPerShot, self.ClipSize)
end

-- On a client: the server's numbers have come. What they count is no longer on its way.
function WeaponAmmo:OnRep_Rounds(_)
	local rounds = self.Rounds
	self.flight = self.flight or inflight()
	self.flight:Answered((rounds.Shots - (self.judged or 0)) % 65536, rounds.Reloads)
	self.judged = rounds.Shots
	self:AmmoChanged()
end

-- On a client: what is shown may be another number now.
function WeaponAmmo:AmmoChanged() end

-- ── What becomes of it ──

-- A shot takes its round: on the server for good, on its owner's machine until the server has judged it.
function WeaponAmmo:SpendRound()
	if self:HasAuthority() then
		self.Rounds.Clip = self.Rounds.Clip - self.AmmoPerShot
	else
		self.flight:AddShot()
	end
end

-- What is spare fills the clip, in the same way.
function WeaponAmmo:LoadClip()
	if self:HasAuthority() then
		local rounds = self.Rounds
		local take = math.min(self.ClipSize - rounds.Clip, rounds.Spare)
		rounds.Clip, rounds.Spare = rounds.Clip + take, rounds.Spare - take
	else
		self.flight:AddReload(self.reloadNumber)
	end
end

-- Sets all ammunition, on the server; the clip is filled first.
function WeaponAmmo:SetAmmo(amount)
	amount = math.min(amount, self.MaxAmmo)
	local clip = self.ClipSize > 0 and math.min(amount, self.ClipSize) or amount
	self.Rounds.Clip, self.Rounds.Spare = clip, amount - clip
end

-- Adds rounds, on the server, up to MaxAmmo. Returns how many were added.
function WeaponAmmo:GiveAmmo(amount)
	local rounds = self.Rounds
	local take = math.max(0, math.min(amount, self.MaxAmmo - rounds.Clip - rounds.Spare))
	if self.ClipSize == 0 then
		rounds.Clip = rounds.Clip + take
	else
		rounds.Spare = rounds.Spare + take
	end
	return take
end

-- A second weapon of the class is only ammunition.
function WeaponAmmo:TakeOver(other)
	return self:GiveAmmo(other.Rounds.Clip + other.Rounds.Spare) > 0
end

-- What a pickup of this weapon keeps: all its rounds, loaded and spare.
function WeaponAmmo:GetDroppedAmount()
	return self.Rounds.Clip + self.Rounds.Spare
end

-- The rounds of a weapon that was dropped and picked up again; a negative amount leaves InitialAmmo.
function WeaponAmmo:SetDroppedAmount(amount)
	if amount >= 0 then
		self:SetAmmo(amount)
	end
end

return WeaponAmmo
