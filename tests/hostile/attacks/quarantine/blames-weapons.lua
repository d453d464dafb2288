-- rules: G1
-- tries: Fires the weapons of everybody with arguments that they cannot use.
-- expect: BlamesWeapons:Tick.*\[mod blames-weapons\]

local BlamesWeapons = class("BlamesWeapons", "Actor")

function BlamesWeapons:Tick(_)
	for _, weapon in ipairs(self:ActorsOf("Weapon")) do
		local fire = weapon.StartFire or weapon.Fire
		fire(weapon, {}, self)
	end
end

return BlamesWeapons
