-- Shotgun: the barnacle. Nine pellets in a cone: deadly at arm's length, a nuisance across a hall.
local Shotgun = class("Shotgun", "WeaponInstant")

Shotgun.defaults {
	ItemName = "barnacle",
	InventoryGroup = 3,
	AttachmentClass = "ShotgunAttachment",
	PelletsPerShot = 9,
	Spread = 0.07, -- the sine of the widest pellet's angle
	Range = 3000, -- uu
	FireInterval = 0.9, -- seconds
	ClipSize = 6, InitialAmmo = 12, MaxAmmo = 36, -- rounds
	ReloadTime = 2.2, -- seconds
	Damage = 10, -- a pellet
	Momentum = 60, -- uu/s a pellet
	DamageType = "shotgun",
	AIRange = 1000, -- uu
	AIRating = 0.7,
}

-- It is being loaded: who fires it shows that at once, the server tells everybody else.
function Shotgun:PlayReload()
	local pawn = self:GetPawn()
	if pawn then
		pawn:PlayMontage("animations/reload.toml", nil, 1.6 / self.ReloadTime)
		pawn:PlaySound("sounds/reload.toml")
	end
end

return Shotgun
