-- GrenadeLauncher: the depth charger. It throws a Grenade slightly upwards, so that it flies in an arc.
local GrenadeLauncher = class("GrenadeLauncher", "WeaponProjectile")

GrenadeLauncher.defaults {
	ItemName = "depth charger",
	InventoryGroup = 5,
	AttachmentClass = "GrenadeLauncherAttachment",
	ProjectileClass = "Grenade",
	Spread = 0.01, -- computed from the number of the shot: the same on every machine
	FireInterval = 0.8, -- seconds
	InitialAmmo = 6, MaxAmmo = 24, -- grenades
	bDropOnDeath = true,
	DamageType = "grenade",
	AIRange = 1200, -- uu
	AIRating = 0.65,
}

-- How many grenades that a client shows may wait for the server's.
local WAITING = 8

-- Throws a grenade on the server. A client that fires shows a copy until the server's arrives.
function GrenadeLauncher:FireWeapon(shot)
	local grenade = self:FireProjectile(shot, self:GetSpreadDirection(shot, 1, self.Spread))
	if not grenade then
		return
	end
	grenade.Launcher, grenade.Throw = self, shot.Number
	if not self:HasAuthority() then
		self.shown = self.shown or {}
		self.shown[shot.Number % WAITING] = { Number = shot.Number, Grenade = grenade }
	end
end

-- On a client: removes and returns the grenade that it showed for a shot; nil if there is none.
function GrenadeLauncher:TakeShown(number)
	local shown = self.shown and self.shown[number % WAITING]
	if not shown or shown.Number ~= number then
		return nil
	end
	self.shown[number % WAITING] = false
	return not shown.Grenade.bDeleteMe and shown.Grenade or nil
end

return GrenadeLauncher
