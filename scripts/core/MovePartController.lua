-- MovePartController: handles the parts of a player's moves besides the pawn itself: components and the
-- weapon in the hand whose class declares .moves (R9.9). Its functions call all parts in the same order on
-- every machine: the pawn, its components in order of declaration, those added at run time sorted by class
-- name, the weapon. lib/savedmove.lua lists the fields of a move, and docs/movement.md explains all of it.
--
local savedmove = require("lib.savedmove")

local MovePartController = class("MovePartController", "Controller")

MovePartController.properties {
	-- seconds beyond the round trip for which moves may name parts unlike the server
	MaxPartsDelay = float(1, { min = 0, max = 10 }),
	RefusedInputs = int(0, { min = 0 }), -- number of moves with invalid inputs, or with parts that do not exist
}

-- Seconds by which that allowance recovers in each second in which both sides agree.
local PARTS_REGAIN = 0.02

-- On the player's machine: every part writes its requests into the new move.
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

-- Makes the pawn do what a move requests. If the tick moves the pawn, that is all; MoveAutonomous adds the
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

-- Returns the maximum speed of the pawn in a move, in uu/s.
function MovePartController:GetMoveSpeed(move)
	local speed = self.Pawn:GetMoveSpeed(move)
	for _, part in ipairs(move.Parts or {}) do
		if not part.bDeleteMe then
			speed = part:ModifyMoveSpeed(move, speed)
		end
	end
	return speed
end

-- Whether all parts allow two moves to be performed as one.
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

-- Whether any part declares that the server must not miss a move.
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

-- Returns the state of the parts of a move; nil if it had none.
function MovePartController:SavePartState(parts)
	return parts and self.Pawn:SaveMoveState(parts)
end

-- The encoded requests of the moves of one call, "" for none; count earlier moves are included.
function MovePartController:PackInputs(count, move, one, two, three)
	local earlier = one and (one.Inputs or one.KeepsView) or two and (two.Inputs or two.KeepsView)
		or three and (three.Inputs or three.KeepsView)
	if not (move.Inputs or earlier) then
		return ""
	end
	return self.Pawn:PackMoveInputs(unpack({ move, one, two, three }, 1, count + 1))
end

-- On the server: returns the state of the parts of the last move, for a correction.
function MovePartController:PackPartState(parts)
	local pawn = self.Pawn
	parts = parts or pawn:GetMoveParts(pawn.Weapon)
	return parts and pawn:PackMoveState(parts) or ""
end

-- On the player's machine: restores the state of a correction; nil if it cannot be read.
function MovePartController:LoadPartState(text)
	local pawn = self.Pawn
	local state, class = pawn:UnpackMoveState(text)
	pawn:LoadMoveState(state, class and pawn:FindMoveWeapon(class))
	return state
end

-- On the server: returns the parts that a move names, without those that the pawn does not have. If a client
-- names other parts for longer than the network explains, its moves are performed with the server's parts.
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
		-- The player cannot know yet, and the move may have begun long before, as moves of an idle player do.
		self.knownParts, left, dt = here, most, 0
	end
	self.partsDelay = math.max(0, left - dt)
	if self.partsDelay == 0 then
		self:RefuseInputs(all and "it names others than take part"
			or "it names somebody who is not there")
	end
	return self.partsDelay == 0 and here or parts, inputs
end

-- On the server: a player's move has invalid inputs. The first, tenth and hundredth are logged.
function MovePartController:RefuseInputs(why)
	self.RefusedInputs = self.RefusedInputs + 1
	if tostring(self.RefusedInputs):find("^10*$") then
		self:Log(("a move's inputs are refused, %d so far: %s"):format(self.RefusedInputs, why))
	end
end

-- Clears one-time requests after they were sent or dropped, so that the next move does not repeat them.
function MovePartController:ForgetPresses(move)
	if move.Presses and not self.Pawn.bDeleteMe then
		self.Pawn:ClearMovePresses(move.Parts)
	end
end

return MovePartController
