-- Rifle: the sounding rifle, which everybody has. Its shots are there at once, the server judges
-- them by what the shooter saw (R11.3), and a hit in the head counts twice.
local Rifle = class("Rifle", "WeaponInstant")

Rifle.defaults {
	ItemName = "sounding rifle",
	InventoryGroup = 2, -- the key that takes it into the hand
	AttachmentClass = "RifleAttachment",
	FireInterval = 0.13, -- seconds
	ClipSize = 30, InitialAmmo = 90, MaxAmmo = 180, -- rounds
	ReloadTime = 1.6, -- seconds
	Damage = 8, HeadShotDamage = 16,
	Momentum = 20, -- uu/s
	DamageType = "rifle",
	Spread = 0.02,
	AIRange = 3000, -- uu
	AIRating = 0.3,
}

-- It is being reloaded: the player's machine shows that at once, the server tells everybody else.
function Rifle:PlayReload()
	local pawn = self:GetPawn()
	if pawn then
		pawn:PlayMontage("animations/reload.toml", nil, 1.6 / self.ReloadTime)
		pawn:PlaySound("sounds/reload.toml")
	end
end

return Rifle
