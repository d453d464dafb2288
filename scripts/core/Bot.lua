-- Bot: a player that the host controls. Like a player it has a PlayerState and presses keys, which its brain
-- decides. GameInfo:AddBot makes one of BotClass.
local Bot = class("Bot", "AIController")

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
	return self.brain ~= nil and self.brain:Play(dt)
end

-- The pawn was turned by the game: a bot looks there, too.
function Bot:ClientSetRotation(rotation)
	self.ViewRotation = rotation
	Bot.super.ClientSetRotation(self, rotation)
end

return Bot
