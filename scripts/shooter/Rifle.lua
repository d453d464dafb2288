-- Rifle: the sounding rifle, which every pawn has. Its shots hit at once, the server judges them by what the
-- shooter saw (R11.3), and a hit in the head does double damage.
local Rifle = class("Rifle", "WeaponInstant")

Rifle.defaults {
	ItemName = "sounding rifle",
	InventoryGroup = 2, -- the key that selects it
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

-- A reload begins: the player's machine shows it at once, and the server replicates it to everybody else.
function Rifle:PlayReload()
	local pawn = self:GetPawn()
	if pawn then
		pawn:PlayMontage("animations/reload.toml", nil, 1.6 / self.ReloadTime)
		pawn:PlaySound("sounds/reload.toml")
	end
end

return Rifle
