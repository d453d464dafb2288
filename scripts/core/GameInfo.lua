-- GameInfo (GameMode): the rules of a match. It lives on the server and standalone only; on a client
-- world.Game is nil, and what players may know stands in world.GameState.
--
-- The engine calls InitGame when the level starts, then Login and PostLogin for every player and Logout
-- when one leaves. A game is a child of this class that overrides what differs; the start URL chooses it:
-- arena?game=DeathMatch?maxplayers=16.
local GameInfo = class("GameInfo", "Info")

GameInfo.properties {
	DefaultPawnClass = classref("Pawn"),
	PlayerControllerClass = classref("PlayerController"),
	GameStateClass = classref("GameReplicationInfo"),
	PlayerStateClass = classref("PlayerReplicationInfo"),
	MaxPlayers = int(64, { min = 1, max = 1024 }),
	Password = str("", { max = 64 }), -- what players have to know to come in; "" lets in everybody
	NumPlayers = int(0, { min = 0 }), -- players that are in, bots not counted
	NextPlayerID = int(0, { min = 0 }),
	NextStart = int(1, { min = 1 }), -- the PlayerStart to use next, from 1; past the last it begins again
	GameState = ref("GameReplicationInfo"),
}

GameInfo.defaults {
	DefaultPawnClass = "Character",
	PlayerControllerClass = "PlayerController",
	GameStateClass = "GameReplicationInfo",
	PlayerStateClass = "PlayerReplicationInfo",
}

-- The match is set up, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". Returning a text that is not empty stops the host with it.
function GameInfo:InitGame(options)
	local maxPlayers = self:ParseOption(options, "maxplayers")
	if maxPlayers then
		local n = tonumber(maxPlayers)
		if not n or n < 1 or n > 1024 or n ~= math.floor(n) then
			return "maxplayers=" .. maxPlayers .. ": expected a whole number from 1 to 1024"
		end
		self.MaxPlayers = n
	end
	local password = self:ParseOption(options, "password") or ""
	if #password > 64 then
		return "password=…: expected at most 64 bytes, got " .. #password
	end
	self.Password = password
	for address in (self:ParseOption(options, "ban") or ""):gmatch("[^,]+") do
		self:BanAddress(address)
	end
	self.GameState = self:Spawn(self.GameStateClass, { GameClass = self:GetClass() })
	return nil
end

-- A player wants to join and nothing was spawned for him yet: options are what his machine asks for, address is
-- where it is. Returning a text refuses him with it, a second value is a code for his machine. A child that has
-- more to ask calls this one, too.
function GameInfo:PreLogin(options, address)
	if self:IsBanned(address) then
		return "this server has banned you", "banned"
	end
	if self.Password ~= "" and self:ParseOption(options, "password") ~= self.Password then
		return "this server wants a password, and yours is not it", "password"
	end
	if self.NumPlayers >= self.MaxPlayers then
		return self:FullText(), "full"
	end
	return nil
end

function GameInfo:FullText()
	return "the server is full: " .. self.MaxPlayers .. " players"
end

-- An address without its port, which is another with every connection.
local function machineOf(address)
	return address:match("^(%[.*%]):%d+$") or address:match("^([^:]*):%d+$") or address
end

-- Keeps a machine out from now on; who is in stays. ?ban=192.0.2.7,192.0.2.8 in the start URL does it from the
-- start.
function GameInfo:BanAddress(address)
	self.banned = self.banned or {}
	self.banned[machineOf(address)] = true
end

-- Whether a machine is kept out; override it for a list of your own.
function GameInfo:IsBanned(address)
	return self.banned ~= nil and self.banned[machineOf(address)] == true
end

-- Makes the PlayerController of a player who joins, with his PlayerState. portal is where he wants to
-- come in, options what his machine asked for. Returning nil and a text refuses him.
function GameInfo:Login(_, options)
	if self.NumPlayers >= self.MaxPlayers then -- others came in since PreLogin
		return nil, self:FullText(), "full"
	end
	local start = self:FindPlayerStart()
	local pc = self:Spawn(self.PlayerControllerClass, {
		Location = start and start.Location or vector(),
		Rotation = start and start.Rotation or rotator(),
	})
	if not pc then
		return nil, "the player's controller could not be made"
	end
	local id = self.NextPlayerID
	self.NextPlayerID = id + 1
	local name = self:ParseOption(options, "name")
	if not name or name == "" then
		name = "Player" .. id
	end
	pc.PlayerReplicationInfo = self:Spawn(self.PlayerStateClass, {
		Owner = pc,
		PlayerID = id,
		PlayerName = name:sub(1, 32),
		UniqueId = "guest-" .. id,
		StartTime = world.TimeSeconds,
	})
	return pc
end

-- The player is in: the first moment in which functions can be called on his machine.
function GameInfo:PostLogin(pc)
	self.NumPlayers = self.NumPlayers + 1
	self:RestartPlayer(pc)
end

-- The player leaves, for whatever reason; called exactly once.
function GameInfo:Logout(pc)
	self.NumPlayers = math.max(0, self.NumPlayers - 1)
	if pc.Pawn then
		pc.Pawn:Destroy()
	end
	if pc.PlayerReplicationInfo then
		pc.PlayerReplicationInfo:Destroy()
	end
end

-- Gives a controller a new pawn at a start of its own.
function GameInfo:RestartPlayer(controller)
	local start = self:FindPlayerStart(controller)
	if not start then
		self:Log("the level has no PlayerStart; " .. tostring(controller) .. " stays without a pawn")
		return
	end
	self.NextStart = self.NextStart + 1
	local pawn = self:Spawn(self:GetDefaultPawnClass(controller), {
		Location = start.Location,
		Rotation = rotator(0, start.Rotation.Yaw, 0),
	})
	if pawn then
		controller:Possess(pawn)
		controller:ClientSetRotation(pawn.Rotation)
	end
end

-- The class of pawn for a controller; override it for teams and classes.
function GameInfo:GetDefaultPawnClass(_)
	return self.DefaultPawnClass
end

-- Where a controller's next pawn begins: the level's PlayerStarts in turn. RestartPlayer moves on to the next.
function GameInfo:FindPlayerStart(_)
	local starts = self:ActorsOf("PlayerStart")
	if #starts == 0 then
		return nil
	end
	return starts[(self.NextStart - 1) % #starts + 1]
end

-- The value of an option in a URL's tail ("?team=1?name=Ann"), or nil; an option without = has "".
function GameInfo:ParseOption(options, key)
	for pair in (options or ""):gmatch("[^?]+") do
		local name, value = pair:match("^([^=]*)=?(.*)$")
		if name:lower() == key:lower() then
			return value
		end
	end
	return nil
end

return GameInfo
