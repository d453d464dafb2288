-- WeaponInstant: a weapon whose shots hit at once (hit-scan). With bUseServerSideRewind the server judges a
-- player's shot by where the player saw its targets (R11.3).
local WeaponInstant = class("WeaponInstant", "Weapon")

WeaponInstant.properties {
	Range = float(10000, { min = 1, max = 60000 }), -- uu
	PelletsPerShot = int(1, { min = 1, max = 32 }), -- lines per shot
	Spread = float(0, { min = 0, max = 1 }), -- deviation of each line: the sine of the greatest angle
	HeadShotDamage = float(0, { min = 0 }), -- replaces Damage for a hit in the head; 0 for the same
	bUseServerSideRewind = true, -- judge shots by where the player saw the targets
}

-- Traces the lines of a shot one by one. On a client they are only shown, and their targets are noted for the
-- server.
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
			return -- the target has killed the shooter in return
		end
	end
end

-- Returns the number of lines of a shot in a mode.
function WeaponInstant:GetPellets(_)
	return self.PelletsPerShot
end

-- Returns the damage of one line to what it hits.
function WeaponInstant:GetDamage(_, hit)
	return hit.bHead and self.HeadShotDamage > 0 and self.HeadShotDamage or self.Damage
end

-- Returns the direction of one line of a shot.
function WeaponInstant:GetLine(shot, line)
	return self:GetSpreadDirection(shot, line, self.Spread)
end

-- Returns the hits of a line: for a player's shot, pawns are where the player saw them; otherwise the present
-- counts. Only pawns have a recorded past.
function WeaponInstant:TraceLine(shot, direction)
	local from = shot.Start
	if not shot.bClaimed or not self.bUseServerSideRewind then
		return self:GetPawn():TraceShot(from, from + direction * self.Range)
	end
	local to = from + direction * math.min(shot.Reach, self.Range) -- the trace continues a quarter further
	local pawn, targets = self:GetPawn(), self:GetTargets(shot)
	local hit = self:TraceRewound{ from = from, to = to, time = shot.Seen / 1000, targets = targets }
	local now = pawn:Trace(from, to, { pawns = false })
	if now and now.Actor and (not hit or now.Distance < hit.Distance) then
		return now
	end
	return hit
end

-- Handles a hit of a line. Only the server applies damage.
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

-- On a client: records what the server needs to know about a line.
function WeaponInstant:NoteLine(shot, hit)
	local reach = math.ceil(hit and hit.Distance or self.Range * 0.8) -- a quarter more equals Range
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

-- Returns the pawns that the client claims to have hit.
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
