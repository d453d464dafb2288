-- MovePartController: who takes part in the moves of a player's pawn besides the pawn itself: its components
-- and the weapon in its hand, where their class declares .moves (R9.9). The functions here ask all of them, in
-- one order on every machine: the pawn, its components as they are declared, those added at run time by the
-- name of their class, the weapon. What a move has stands in lib/savedmove.lua; docs/movement.md tells the
-- whole story.
local savedmove = require("lib.savedmove")

local MovePartController = class("MovePartController", "Controller")

MovePartController.properties {
	-- s besides the round trip for which moves may name other parts than the server knows
	MaxPartsDelay = float(1, { min = 0, max = 10 }),
	RefusedInputs = int(0, { min = 0 }), -- how often moves carried what could not be, or named who is not there
}

-- Seconds by which the time above comes back in each second in which both agree.
local PARTS_REGAIN = 0.02

-- On the player's machine, or the server's own: everybody writes into the new move what is asked for.
function MovePartController:FillMove(move)
	local pawn = self.Pawn
	pawn:FillMove(move)
	local parts = pawn:GetMoveParts(pawn.Weapon)
	if parts then
		for _, part in ipairs(parts) do
			part:FillMove(move)
		end
		move.Parts = parts
		move.Inputs, move.Asks, move.Presses = pawn:SaveMoveInputs(parts)
	end
	move.KeepsView = move.KeepsView or savedmove.KeepsView(move)
end

-- Makes the pawn do what a move asks for. Where the tick moves the pawn that is all; MoveAutonomous adds the
-- physics.
function MovePartController:ProcessMove(move)
	local pawn, parts = self.Pawn, move.Parts
	if not parts then
		pawn:ProcessMove(move)
		return
	end
	pawn:LoadMoveInputs(parts, move.Inputs)
	pawn:ProcessMove(move)
	for _, part in ipairs(parts) do
		if pawn.bDeleteMe then
			return
		elseif not part.bDeleteMe then
			part:ProcessMove(move)
		end
	end
	if not pawn.bDeleteMe then
		pawn:ClearMovePresses(parts)
	end
end

-- The most that the pawn walks or flies at in a move, in uu/s.
function MovePartController:GetMoveSpeed(move)
	local speed = self.Pawn:GetMoveSpeed(move)
	for _, part in ipairs(move.Parts or {}) do
		if not part.bDeleteMe then
			speed = part:ModifyMoveSpeed(move, speed)
		end
	end
	return speed
end

-- Whether everybody lets two moves be performed as one.
function MovePartController:CanCombineMoves(old, new)
	if old.Parts ~= new.Parts or not self.Pawn:CanCombineMoves(old, new) then
		return false
	end
	for _, part in ipairs(new.Parts or {}) do
		if not part:CanCombineMoves(old, new) then
			return false
		end
	end
	return true
end

-- Whether the server must not miss a move, for somebody's sake.
function MovePartController:IsImportantMove(move, next)
	if self.Pawn:IsImportantMove(move, next) or move.Parts ~= next.Parts then
		return true
	end
	for _, part in ipairs(move.Parts or {}) do
		if not part.bDeleteMe and part:IsImportantMove(move, next) then
			return true
		end
	end
	return false
end

-- The state of those who took part in a move; nil where nobody did.
function MovePartController:SavePartState(parts)
	return parts and self.Pawn:SaveMoveState(parts)
end

-- What is asked for in the moves of one call as it crosses, "" for nothing; count earlier ones go along.
function MovePartController:PackInputs(count, move, one, two, three)
	local earlier = one and (one.Inputs or one.KeepsView) or two and (two.Inputs or two.KeepsView)
		or three and (three.Inputs or three.KeepsView)
	if not (move.Inputs or earlier) then
		return ""
	end
	return self.Pawn:PackMoveInputs(unpack({ move, one, two, three }, 1, count + 1))
end

-- On the server: what a correction says of those who took part in the last move.
function MovePartController:PackPartState(parts)
	local pawn = self.Pawn
	parts = parts or pawn:GetMoveParts(pawn.Weapon)
	return parts and pawn:PackMoveState(parts) or ""
end

-- On the player's machine: takes the state that a correction says; nil where it cannot be read.
function MovePartController:LoadPartState(text)
	local pawn = self.Pawn
	local state, class = pawn:UnpackMoveState(text)
	pawn:LoadMoveState(state, class and pawn:FindMoveWeapon(class))
	return state
end

-- On the server: who takes part in a move that names them. Whom the pawn does not have does not; and who names
-- others than it has for longer than news can take performs its moves with all that it has.
function MovePartController:ChooseParts(inputs, dt)
	local pawn = self.Pawn
	if not inputs then
		return pawn:GetMoveParts(pawn.Weapon), nil
	end
	local class = pawn:GetMoveWeaponClass(inputs)
	local parts, agrees, all =
		pawn:GetMoveParts(pawn.Weapon, inputs, class and pawn:FindMoveWeapon(class))
	local most = self.MaxPartsDelay + self:GetRoundTrip()
	local left = self.partsDelay or most
	if agrees then
		self.partsDelay = math.min(most, left + dt * PARTS_REGAIN)
		self.knownParts = parts
		return parts, inputs
	end
	local here = pawn:GetMoveParts(pawn.Weapon)
	if here ~= self.knownParts then
		-- The player cannot know yet, and the move may have begun long before, as those of an idle player do.
		self.knownParts, left, dt = here, most, 0
	end
	self.partsDelay = math.max(0, left - dt)
	if self.partsDelay == 0 then
		self:RefuseInputs(all and "it names others than take part"
			or "it names somebody who is not there")
	end
	return self.partsDelay == 0 and here or parts, inputs
end

-- On the server: a player's move carries what cannot be. The log hears of the first, the tenth, the hundredth.
function MovePartController:RefuseInputs(why)
	self.RefusedInputs = self.RefusedInputs + 1
	if tostring(self.RefusedInputs):find("^10*$") then
		self:Log(("a move's inputs are refused, %d so far: %s"):format(self.RefusedInputs, why))
	end
end

-- What was asked for once has been sent, or never will be: the next move does not ask for it again.
function MovePartController:ForgetPresses(move)
	if move.Presses and not self.Pawn.bDeleteMe then
		self.Pawn:ClearMovePresses(move.Parts)
	end
end

return MovePartController
