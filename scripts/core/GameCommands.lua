-- GameCommands: the console commands that every game has (docs/commands.md). They are given on the host's
-- terminal, over its API, on the inspector's page, and by players who have a role. GameInfo is its child,
-- so a game replaces a command by a function of the same name.
--
-- A command checks what the types of its arguments leave open, does one thing, and returns what it did.
-- error(text, 0) refuses: everything is then as it was before.
local GameCommands = class("GameCommands", "GameModeBase")

GameCommands.properties {
	bBotsFrozen = false, -- bots stand still
}

-- Returns the name of a controller for an answer.
local function nameOf(controller)
	local player = controller.PlayerReplicationInfo
	return player and player:GetQuotedName() or controller.Name
end

-- Returns whom a command is about: the player who was named, or else the one who gives it.
local function whom(player, caller)
	return player or caller or error("name a player: you are not one in this match", 0)
end

-- Returns the living pawn of a controller; refuses without one.
local function pawnOf(controller)
	local pawn = controller.Pawn
	if not pawn or pawn.Health <= 0 then
		error(nameOf(controller) .. " has no living pawn now", 0)
	end
	return pawn
end

-- Returns what a switch should be: "on", "off", or the opposite of what it is.
local function switched(state, is)
	if state == "toggle" then
		return not is
	end
	return state == "on"
end

-- Go to the hub: the host of the cluster with the label hub. Every player may give it, in the chat as /hub.
function GameCommands.console:Hub(Caller)
	if not Caller then
		error("only a player in the match can go to the hub", 0)
	end
	Caller:Teleport("hub", nil, function(_, err)
		if err and not Caller.bDeleteMe then
			Caller:ClientMessage(err)
		end
	end)
	return "leaving for the hub"
end

-- Make a player invulnerable, or vulnerable again; without a name, yourself. A fall out of the level still
-- kills.
function GameCommands.console:God(Caller, Player, State)
	local mind = whom(Player, Caller)
	mind.bGodMode = switched(State, mind.bGodMode)
	return nameOf(mind) .. (mind.bGodMode and " is invulnerable" or " is vulnerable")
end

-- Let a player fly through walls, touched by nothing, or give them a solid body again; without a name,
-- yourself.
function GameCommands.console:Ghost(Caller, Player, State)
	local mind = whom(Player, Caller)
	local pawn = pawnOf(mind)
	local on = switched(State, pawn.bGhost)
	if not pawn:SetGhost(on) then
		local why = on and " cannot become a ghost now" or " is inside of something: move them out first"
		error(nameOf(mind) .. why, 0)
	end
	return nameOf(mind) .. (on and " is a ghost" or " has a solid body")
end

-- Give a player an item, a weapon, or the content of a pickup.
function GameCommands.console:Give(Player, Item)
	local pawn = pawnOf(Player)
	local given
	if pawn:IsA("Vehicle") then
		error(nameOf(Player) .. " drives: they carry nothing", 0)
	elseif world:DefaultOf(Item, "ItemName") then -- Inventory
		given = pawn:GiveInventory(Item)
	elseif world:DefaultOf(Item, "bAvailable") ~= nil then -- Pickup
		local pickup = self:Spawn(Item, { Location = pawn.Location, bCollideActors = false })
		given = pickup and pickup:CanGive(pawn) and pickup:Give(pawn) ~= false
		if pickup and not pickup.bDeleteMe then
			pickup:Destroy()
		end
	else
		error("a player can be given an Inventory or a Pickup", 0)
	end
	if not given then
		error(nameOf(Player) .. " can take no more of that", 0)
	end
	return nil
end

-- Add bots to the match.
function GameCommands.console:BotAdd(Count)
	for added = 1, Count do
		if not self:AddBot() then
			return ("the match can take no more; bots added: %d"):format(added - 1)
		end
	end
	return nil
end

-- Remove a bot, or all bots.
function GameCommands.console:BotRemove(Bot)
	for _, bot in ipairs(Bot and { Bot } or self:ActorsOf("AIController")) do
		local player = bot.PlayerReplicationInfo
		if player and player.bBot then
			self:RemoveBot(bot)
		end
	end
end

-- Let all bots stand still and press no keys, or play on.
function GameCommands.console:BotFreeze(State)
	self.bBotsFrozen = switched(State, self.bBotsFrozen)
	for _, bot in ipairs(self:ActorsOf("Bot")) do
		bot.bFrozen = self.bBotsFrozen
	end
	return self.bBotsFrozen and "bots stand still" or "bots play"
end

-- Pass on nothing that a player says in the chat, until unmute or the end of the match.
function GameCommands.console:Mute(Player)
	self.silenced = self.silenced or {}
	self.silenced[Player.PlayerReplicationInfo.UniqueId] = true
	return nameOf(Player) .. " is muted"
end

-- Pass on again what a player says.
function GameCommands.console:Unmute(Player)
	if not self:IsSilenced(Player) then
		error(nameOf(Player) .. " is not muted", 0)
	end
	self.silenced[Player.PlayerReplicationInfo.UniqueId] = nil
	return nameOf(Player) .. " can be heard again"
end

GameCommands.params {
	Hub = { ref("PlayerController") },
	God = {
		ref("PlayerController"), optional(ref("Controller")), optional(enum("toggle", "on", "off")),
	},
	Ghost = {
		ref("PlayerController"), optional(ref("PlayerController")), optional(enum("toggle", "on", "off")),
	},
	Give = { ref("Controller"), classref("Actor") },
	BotAdd = { optional(int(1, { min = 1, max = 64 })) },
	BotRemove = { optional(ref("AIController")) },
	BotFreeze = { optional(enum("toggle", "on", "off")) },
	Mute = { ref("PlayerController") },
	Unmute = { ref("PlayerController") },
}

GameCommands.roles {
	Hub = "none", Mute = "moderator", Unmute = "moderator",
}

-- Whether nobody hears what a player says: a moderator has muted them for this match.
function GameCommands:IsSilenced(controller)
	local player = controller.PlayerReplicationInfo
	return player ~= nil and self.silenced ~= nil and self.silenced[player.UniqueId] == true
end

-- A bot that is added while bots stand still does so, too.
function GameCommands:AddBot(name)
	local bot = GameCommands.super.AddBot(self, name)
	if bot and bot:IsA("Bot") then
		bot.bFrozen = self.bBotsFrozen
	end
	return bot
end

return GameCommands
