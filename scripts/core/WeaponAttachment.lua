-- WeaponAttachment: the visible part of a weapon in a pawn's hand. It is never replicated: each machine with
-- a screen spawns its own from pawn.CurrentWeaponAttachmentClass, and aims it by the pawn's ViewPitch.
local WeaponAttachment = class("WeaponAttachment", "Actor")

WeaponAttachment.properties {
	Offset = vector(30, 12, 40), -- uu from the pawn's centre: forward, right, up
	MuzzleEffect = classref("Actor"), -- spawned at the muzzle with every shot; nil for nothing
	ImpactEffect = classref("Actor"), -- spawned where a shot hits something
	FireSound = str("", { max = 64 }), -- played with every shot; "" for none
}

-- A child defines how its weapon looks in the hand; the part first is what its own player sees, with at
-- relative to the eye.
WeaponAttachment.looks {
	shape = "box", size = { 36, 6, 8 }, color = "#4a4f57",
	hold = { at = { 12, 0, 2 } },
	first = { shape = "box", size = { 34, 6, 8 }, at = { 52, 18, -21 }, color = "#4a4f57" },
	on = { PlayFire = "effects/muzzle.toml" },
}

-- Attaches it to a pawn's hand.
function WeaponAttachment:AttachTo(pawn)
	self.Instigator = pawn
	self:SetLocation(self:GetMuzzleLocation(pawn))
	self:SetBase(pawn, true)
end

-- Returns where it is aimed: for other players' pawns only yaw and ViewPitch are known.
function WeaponAttachment:GetAimRotation()
	local pawn = self.Instigator
	return pawn and pawn:GetBaseAimRotation() or self.Rotation
end

-- Returns the location of the muzzle: Offset from a pawn's centre, rotated by its aim.
function WeaponAttachment:GetMuzzleLocation(pawn)
	local forward, right, up = pawn:GetBaseAimRotation():Axes()
	local offset = self.Offset
	return pawn.Location + forward * offset.X + right * offset.Y + up * 0 + vector(0, 0, offset.Z)
end

-- Shows a shot: FlashCount of the pawn has changed, or the local player's pawn has just fired.
function WeaponAttachment:PlayFire(_)
	local pawn = self.Instigator
	if not pawn then
		return
	end
	self:SetRotation(self:GetAimRotation())
	if self.MuzzleEffect then
		self:SpawnEffect(self.MuzzleEffect, self:GetMuzzleLocation(pawn))
	end
	if self.FireSound ~= "" then
		self:PlaySound(self.FireSound)
	end
end

-- Shows a hit of a shot.
function WeaponAttachment:PlayImpact(at, _)
	if self.ImpactEffect then
		self:SpawnEffect(self.ImpactEffect, at)
	end
end

return WeaponAttachment
