-- WeaponAmmo: the ammunition of a weapon (R12.3). The server is authoritative. The owner's machine shows the
-- server's numbers less the shots that are still in flight to it, so that the display does not jump back up
-- under lag; a shot that the server rejects gives its round back. Weapon descends from it.
local WeaponAmmo = class("WeaponAmmo", "Inventory")

local inflight = require("lib.inflight")

WeaponAmmo.properties {
	-- The kind of weapon; a child sets these in its defaults.
	ClipSize = int(30, { min = 0, max = 1000 }), -- rounds between two reloads; 0: it is never reloaded
	InitialAmmo = int(90, { min = 0, max = 10000 }), -- rounds of a new weapon, including the clip
	MaxAmmo = int(180, { min = 0, max = 10000 }), -- most rounds it can have, including the clip
	AmmoPerShot = int(1, { min = 0, max = 100 }), -- 0: it needs none

	-- The server's numbers. They are sent as one unit, so that a client never sees a round disappear before
	-- its shot is counted.
	Rounds = struct {
		Clip = int(0, { min = 0, max = 10000 }), -- loaded
		Spare = int(0, { min = 0, max = 10000 }), -- not loaded
		Shots = int(0, { min = 0, max = 65535 }), -- of the owner's shots were judged; wraps
		Reloads = int(0, { min = 0, max = 65535 }), -- number of the owner's last finished reload; wraps
		Refused = int(0, { min = 0, max = 65535 }), -- of those shots were rejected; wraps
	},
}

WeaponAmmo.replication {
	{ "Rounds", when = COND_OwnerOnly, notify = true },
}

-- On the server: fills a new weapon with InitialAmmo rounds.
function WeaponAmmo:BeginPlay()
	if self:HasAuthority() then
		self:SetAmmo(self.InitialAmmo)
	end
end

-- On a client: the weapon was received. Shots and reloads are counted on from the server's numbers.
function WeaponAmmo:PostNetBeginPlay()
	if not self:HasAuthority() then
		self.flight = inflight()
		self.shotNumber, self.reloadNumber = self.Rounds.Shots, self.Rounds.Reloads
		self.judged = self.Rounds.Shots
	end
end

-- ── Reading ──

-- Returns the rounds in the clip, as they will be when everything in flight has arrived at the server.
function WeaponAmmo:GetAmmo()
	local clip = self:AfterFlight()
	return clip
end

-- Returns the rounds that are not loaded, predicted in the same way.
function WeaponAmmo:GetSpareAmmo()
	local _, spare = self:AfterFlight()
	return spare
end

-- Whether there is any ammunition, loaded or not.
function WeaponAmmo:HasAmmo()
	local clip, spare = self:AfterFlight()
	return clip + spare >= self.AmmoPerShot
end

-- Returns loaded and spare rounds after the shots and reloads in flight.
function WeaponAmmo:AfterFlight()
	local rounds = self.Rounds
	if not self.flight then
		return rounds.Clip, rounds.Spare
	end
	return self.flight:After(rounds.Clip, rounds.Spare, self.AmmoPerShot, self.ClipSize)
end

-- On a client: the server's numbers were received. What they include is no longer in flight.
function WeaponAmmo:OnRep_Rounds(_)
	local rounds = self.Rounds
	self.flight = self.flight or inflight()
	self.flight:Answered((rounds.Shots - (self.judged or 0)) % 65536, rounds.Reloads)
	self.judged = rounds.Shots
	self:AmmoChanged()
end

-- On a client: the displayed numbers may have changed.
function WeaponAmmo:AmmoChanged() end

-- ── Changing ──

-- Takes the rounds of a shot: on the server finally, on its owner's machine until the server has judged the
-- shot.
function WeaponAmmo:SpendRound()
	if self:HasAuthority() then
		self.Rounds.Clip = self.Rounds.Clip - self.AmmoPerShot
	else
		self.flight:AddShot()
	end
end

-- Fills the clip with spare rounds, in the same way. A reload that the server has answered already, because
-- it refused it or was quicker, is in the server's numbers.
function WeaponAmmo:LoadClip()
	if self:HasAuthority() then
		local rounds = self.Rounds
		local take = math.min(self.ClipSize - rounds.Clip, rounds.Spare)
		rounds.Clip, rounds.Spare = rounds.Clip + take, rounds.Spare - take
	elseif (self.Rounds.Reloads - self.reloadNumber) % 65536 >= 32768 then
		self.flight:AddReload(self.reloadNumber)
	end
end

-- On the server: sets all ammunition; the clip is filled first.
function WeaponAmmo:SetAmmo(amount)
	amount = math.min(amount, self.MaxAmmo)
	local clip = self.ClipSize > 0 and math.min(amount, self.ClipSize) or amount
	self.Rounds.Clip, self.Rounds.Spare = clip, amount - clip
end

-- On the server: adds rounds, up to MaxAmmo. Returns how many were added.
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

-- Takes over the ammunition of a second weapon of the same class.
function WeaponAmmo:TakeOver(other)
	return self:GiveAmmo(other.Rounds.Clip + other.Rounds.Spare) > 0
end

-- Returns what a pickup of this weapon keeps: all its rounds, loaded and spare.
function WeaponAmmo:GetDroppedAmount()
	return self.Rounds.Clip + self.Rounds.Spare
end

-- Sets the rounds of a weapon that was dropped and picked up again; a negative amount leaves InitialAmmo.
function WeaponAmmo:SetDroppedAmount(amount)
	if amount >= 0 then
		self:SetAmmo(amount)
	end
end

return WeaponAmmo
