-- Bot: a player whom the host plays. It has a PlayerState as players have and presses keys as they do; what it
-- presses its brain decides. GameInfo:AddBot makes one where BotClass says so.
local Bot = class("Bot", "AIController")

-- How good it is, 0 to 7; a child may think of something better than the game's BotSkill for all.
function Bot:GetSkill()
	return world.Game and world.Game.BotSkill or 3
end

-- On the server: starts the brain with GetSkill.
function Bot:PostBeginPlay()
	self:StartBrain(self:GetSkill())
	-- The first who asks has the ways of the level found, which takes a second: now, not in the middle of the
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
