-- Cutlass: a blade for close range, and for when the ammunition is used up. It is too quiet to be heard far
-- away.
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
	AIRange = 220, -- uu, including the lunge
	AIRating = 0.3,
}

-- Performs a stroke: the pawn lunges with it (the montage has root motion), here at once and on the server.
function Cutlass:FireWeapon(shot)
	self:GetPawn():PlayMontage("animations/slash.toml", nil, 1.6)
	Cutlass.super.FireWeapon(self, shot)
end

return Cutlass
