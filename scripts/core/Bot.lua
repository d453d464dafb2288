-- Bot: a player that the host controls. Like a player it has a PlayerState and presses keys, which its brain
-- decides. GameInfo:AddBot makes one of BotClass.
local Bot = class("Bot", "AIController")

Bot.properties {
	bFrozen = false, -- it stands still and presses no keys; the command bot freeze sets it
}

-- How good it is, 0 to 7; a child may think of something better than the game's BotSkill for all.
function Bot:GetSkill()
	return world.Game and world.Game.BotSkill or 3
end

-- On the server: starts the brain with GetSkill.
function Bot:PostBeginPlay()
	self:StartBrain(self:GetSkill())
	-- The first query builds the level's navigation graph, which takes a second: do it now, not during the
	-- match.
	world:NearestNode(self.Location)
end

-- Lets the brain write the keys for this tick of dt seconds. Returns false where it changed none, and without
-- a brain.
function Bot:PressKeys(dt)
	if self.bFrozen then
		self:ReleaseKeys()
		return true
	end
	return self.brain ~= nil and self.brain:Play(dt)
end

-- Lets go of all keys.
function Bot:ReleaseKeys()
	self.aForward, self.aStrafe, self.aUp = 0, 0, 0
	self.bJump, self.bFire, self.bAltFire, self.bCrouch = false, false, false, false
	self.bRun, self.bAim, self.bReload, self.bUse = false, false, false, false
	self.WeaponKey = 0
end

-- The pawn was turned by the game: a bot looks there, too.
function Bot:ClientSetRotation(rotation)
	self.ViewRotation = rotation
	Bot.super.ClientSetRotation(self, rotation)
end

return Bot
