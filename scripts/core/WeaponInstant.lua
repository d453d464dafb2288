-- WeaponInstant: a weapon whose shots are there at once (hit-scan). With bUseServerSideRewind the server
-- judges a player's shot by where its targets were when they saw them (R11.3).
local WeaponInstant = class("WeaponInstant", "Weapon")

WeaponInstant.properties {
	Range = float(10000, { min = 1, max = 60000 }), -- uu
	PelletsPerShot = int(1, { min = 1, max = 32 }), -- lines a shot is made of
	Spread = float(0, { min = 0, max = 1 }), -- how far each strays: the sine of the greatest angle
	HeadShotDamage = float(0, { min = 0 }), -- in place of Damage for a hit in the head; 0 for the same
	bUseServerSideRewind = true, -- judge shots by where targets were seen
}

-- The lines of a shot, each dealt with by itself. On a client they are only shown, and whom they meet is
-- noted for the server.
function WeaponInstant:FireWeapon(shot)
	local pawn = self:GetPawn()
	for i = 1, self:GetPellets(shot.Mode) do
		local direction = self:GetLine(shot, i)
		local hit = self:TraceLine(shot, direction)
		if not self:HasAuthority() then
			self:NoteLine(shot, hit)
		end
		if hit then
			self:ProcessHit(shot, hit, direction)
		end
		if self.bDeleteMe or pawn.bDeleteMe then
			return -- what was hit has hit back
		end
	end
end

-- How many lines a shot of a mode is made of.
function WeaponInstant:GetPellets(_)
	return self.PelletsPerShot
end

-- What one of them does to what it hits.
function WeaponInstant:GetDamage(_, hit)
	return hit.bHead and self.HeadShotDamage > 0 and self.HeadShotDamage or self.Damage
end

-- The direction of one of a shot's lines.
function WeaponInstant:GetLine(shot, line)
	return self:GetSpreadDirection(shot, line, self.Spread)
end

-- The hits of a line: for a player's shot, pawns where the player saw them; otherwise the present. Only pawns
-- have a recorded past.
function WeaponInstant:TraceLine(shot, direction)
	local from = shot.Start
	if not shot.bClaimed or not self.bUseServerSideRewind then
		return self:GetPawn():TraceShot(from, from + direction * self.Range)
	end
	local to = from + direction * math.min(shot.Reach, self.Range) -- the trace goes a quarter further
	local pawn, targets = self:GetPawn(), self:GetTargets(shot)
	local hit = self:TraceRewound{ from = from, to = to, time = shot.Seen / 1000, targets = targets }
	local now = pawn:Trace(from, to, { pawns = false })
	if now and now.Actor and (not hit or now.Distance < hit.Distance) then
		return now
	end
	return hit
end

-- A line met something. Only the server does harm.
function WeaponInstant:ProcessHit(shot, hit, direction)
	local pawn = self:GetPawn()
	if self:HasAuthority() and hit.Actor then
		local damage, push = self:GetDamage(shot, hit), direction * self.Momentum
		hit.Actor:TakeDamage(damage, pawn, hit.Location, push, self.DamageType)
	end
	if not pawn.bDeleteMe then
		pawn:WeaponHit(hit.Location, hit.Normal)
	end
end

local places = { "First", "Second", "Third", "Fourth" }

-- On a client: what the server is told of a line.
function WeaponInstant:NoteLine(shot, hit)
	local reach = math.ceil(hit and hit.Distance or self.Range * 0.8) -- a quarter more is Range
	shot.Reach = math.max(shot.Reach, math.min(65535, reach))
	local actor = hit and hit.Actor
	if not actor or not actor:IsA("Pawn") then
		return
	end
	for _, place in ipairs(places) do
		if not shot[place] or shot[place] == actor then
			shot[place] = actor
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
