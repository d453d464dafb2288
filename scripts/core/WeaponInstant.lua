-- WeaponInstant: a weapon whose shots are there at once (hit-scan). With bUseServerSideRewind the server judges a
-- player's shot by where its targets were when he saw them (R11.3).
local WeaponInstant = class("WeaponInstant", "Weapon")

WeaponInstant.properties {
	Range = float(10000, { min = 1, max = 60000 }), -- uu
	PelletsPerShot = int(1, { min = 1, max = 32 }), -- lines a shot is made of
	Spread = float(0, { min = 0, max = 1 }), -- how far each strays: the sine of the greatest angle
	HeadShotDamage = float(0, { min = 0 }), -- instead of Damage for a hit in the head; 0 for Damage
	bUseServerSideRewind = true,
}

-- The lines of a shot, each dealt with by itself. On a client they are only shown, and whom they meet is noted for the
-- server.
function WeaponInstant:FireWeapon(shot)
	local pawn = self:GetPawn()
	local start, range = shot.Start, self.Range
	if shot.bClaimed and self.bUseServerSideRewind then
		range = math.min(range, shot.Reach) -- the trace goes a quarter further (R11.3)
	end
	for i = 1, self.PelletsPerShot do
		local direction = self:GetSpreadDirection(shot, i, self.Spread)
		local hit = self:TraceShot(pawn, shot, start, start + direction * range)
		if hit then
			self:ProcessHit(shot, hit, direction)
		end
		if self.bDeleteMe or pawn.bDeleteMe then
			return
		end
	end
end

-- What a line meets: for a shot of a client what its player saw, otherwise what is there now.
function WeaponInstant:TraceShot(pawn, shot, from, to)
	if shot.bClaimed and self.bUseServerSideRewind then
		return self:TraceRewound{ from = from, to = to, time = shot.Seen / 1000, targets = self:GetTargets(shot) }
	end
	return pawn:Trace(from, to)
end

function WeaponInstant:ProcessHit(shot, hit, direction)
	local pawn = self:GetPawn()
	if not self:HasAuthority() then
		self:NoteTarget(shot, hit)
	elseif hit.Actor then
		local damage = hit.bHead and self.HeadShotDamage > 0 and self.HeadShotDamage or self.Damage
		hit.Actor:TakeDamage(damage, pawn, hit.Location, direction * self.Momentum, self.DamageType)
	end
	pawn:WeaponHit(hit.Location, hit.Normal)
end

local places = { "First", "Second", "Third", "Fourth" }

-- On a client: what the server is told of a line.
function WeaponInstant:NoteTarget(shot, hit)
	shot.Reach = math.max(shot.Reach, math.min(65535, math.ceil(hit.Distance)))
	if not hit.Actor or not hit.Actor:IsA("Pawn") then
		return
	end
	for _, place in ipairs(places) do
		if not shot[place] or shot[place] == hit.Actor then
			shot[place] = hit.Actor
			return
		end
	end
end

-- Whom a shot is said to have met.
function WeaponInstant:GetTargets(shot)
	local list = {}
	for _, place in ipairs(places) do
		if shot[place] then
			table.insert(list, shot[place])
		end
	end
	return list
end

return WeaponInstant
