-- Cutlass: for who is near, and for who has no rounds left. It makes no noise that carries.
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
	AIRange = 140, -- uu
	AIRating = 0.3,
}

return Cutlass
