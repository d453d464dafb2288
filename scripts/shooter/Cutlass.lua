-- Cutlass: a blade for close range, and for when the ammunition is gone. It makes no noise that carries.
local Cutlass = class("Cutlass", "WeaponMelee")

Cutlass.defaults {
	ItemName = "cutlass",
	InventoryGroup = 1,
	AttachmentClass = "CutlassAttachment",
	Range = 120, -- uu from the eyes
	Arc = 60, -- degrees
	FireInterval = 0.55, -- seconds
	Damage = 55,
	Momentum = 150, -- uu/s
	DamageType = "cutlass",
	AIRange = 220, -- uu, the lunge counted
	AIRating = 0.3,
}

-- A stroke: the body lunges with it (the montage has root motion), here at once and on the server.
function Cutlass:FireWeapon(shot)
	self:GetPawn():PlayMontage("animations/slash.toml", nil, 1.6)
	Cutlass.super.FireWeapon(self, shot)
end

return Cutlass
