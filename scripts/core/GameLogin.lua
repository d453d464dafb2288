-- GameLogin: decides who may join: options of the start URL, player limits, the password and the ban list. It
-- also keeps the state of players who may reconnect. Its child GameModeBase handles players who have joined.
local GameLogin = class("GameLogin", "Info")

GameLogin.properties {
	MaxPlayers = int(64, { min = 1, max = 1024 }), -- ?maxplayers=
	MaxSpectators = int(8, { min = 0, max = 1024 }), -- ?maxspectators=
	Password = str("", { max = 64 }), -- ?password=, which players need to join; "" for none
	ReconnectGrace = float(120, { min = 0, max = 86400 }), -- ?grace=, seconds in which a player may reconnect
	MaxInactive = int(64, { min = 0, max = 1024 }), -- most players remembered; the oldest are dropped first

	NumPlayers = int(0, { min = 0 }), -- players in the match, without bots and spectators
	NumSpectators = int(0, { min = 0 }), -- players who only watch
}

-- Sets up the match, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". If it returns a text that is not empty, the host stops with that text.
function GameLogin:InitGame(options)
	self.options = options
	local wrong = self:TakeNumber("maxplayers", "MaxPlayers", 1, 1024)
		or self:TakeNumber("maxspectators", "MaxSpectators", 0, 1024)
		or self:TakeNumber("grace", "ReconnectGrace", 0, 86400, true)
	if wrong then
		return wrong
	end
	local password = self:ParseOption(options, "password") or ""
	if #password > 64 then
		return "password=…: expected at most 64 bytes, got " .. #password
	end
	self.Password = password
	for address in (self:ParseOption(options, "ban") or ""):gmatch("[^,]+") do
		self:BanAddress(address)
	end
	return nil
end

-- 1 Options

-- Sets a property to the number that the start URL gives for an option, if it does; call it from InitGame, on
-- the server. option is the option's name without ? and =, property the name of a variable of the game; least
-- and most are the range, both included: self:TakeNumber("rounds", "NumRounds", 1, 9) reads ?rounds=5.
-- Numbers are whole unless fractions is true. Returns nil, or one line that describes the fault, which
-- InitGame returns to refuse the start.
function GameLogin:TakeNumber(option, property, least, most, fractions)
	local text = self:ParseOption(self.options, option)
	if not text then
		return nil
	end
	local n = tonumber(text)
	if not n or not (n >= least and n <= most) or not fractions and n ~= math.floor(n) then
		local kind = fractions and "a number" or "a whole number"
		return ("%s=%s: expected %s from %d to %d"):format(option, text, kind, least, most)
	end
	self[property] = n
	return nil
end

-- Returns the value of an option in a URL's option string ("?team=1?name=Ann"), or nil; an option without =
-- has the value "". A game reads options of the start URL in InitGame or StartPlay: the host warns about
-- options that were not read by then, because most are misspelt.
function GameLogin:ParseOption(options, key)
	if self.asked ~= false then
		self.asked = self.asked or {}
		self.asked[key:lower()] = true
	end
	for pair in (options or ""):gmatch("[^?]+") do
		local name, value = pair:match("^([^=]*)=?(.*)$")
		if name:lower() == key:lower() then
			return value
		end
	end
	return nil
end

-- Returns the names of all options that ParseOption has read. The host calls it once, after the match was set
-- up.
function GameLogin:TakeOptionNames()
	local names = {}
	for name in pairs(self.asked or {}) do
		names[#names + 1] = name
	end
	self.asked = false
	return unpack(names)
end

-- 2 Who may come in

-- Decides whether a player may join, before anything is spawned. options come from the player's machine;
-- address is its network address. If it returns a text, the player is refused with that text; a second result
-- is a code for their machine. A child that checks more calls this one, too.
function GameLogin:PreLogin(options, address)
	if self:IsBanned(address) then
		return "this server has banned you", "banned"
	end
	if self.Password ~= "" and self:ParseOption(options, "password") ~= self.Password then
		return "this server wants a password, and yours is not it", "password"
	end
	return self:CheckRoom(self:WantsToSpectate(options))
end

-- Returns the text and code of a refusal because most players or spectators are in.
local function full(most, who)
	return ("the server is full: %d %s%s"):format(most, who, most == 1 and "" or "s"), "full"
end

-- Returns the text and code that refuse one more player or spectator, or nil if there is room.
function GameLogin:CheckRoom(spectator)
	if spectator then
		if self.NumSpectators >= self.MaxSpectators then
			return full(self.MaxSpectators, "spectator")
		end
	elseif self.NumPlayers >= self.MaxPlayers then
		return full(self.MaxPlayers, "player")
	end
	return nil
end

-- Whether a player joins only to watch: ?spectator=1.
function GameLogin:WantsToSpectate(options)
	local value = self:ParseOption(options, "spectator")
	return value ~= nil and value ~= "0"
end

-- Returns an address without its port, which differs with every connection.
local function machineOf(address)
	return address:match("^(%[.*%]):%d+$") or address:match("^([^:]*):%d+$") or address
end

-- Bans a machine from joining from now on; players already in stay. ?ban=192.0.2.7,192.0.2.8 in the start URL
-- bans machines from the start.
function GameLogin:BanAddress(address)
	self.banned = self.banned or {}
	self.banned[machineOf(address)] = true
end

-- Whether a machine is banned; override it to use a list of your own.
function GameLogin:IsBanned(address)
	return self.banned ~= nil and self.banned[machineOf(address)] == true
end

-- 3 Names

-- Returns the name of a player in this match: the cleaned requested name, or standard and a number. Names are
-- unique without regard to case: a number is added to a name that is taken. player is the PlayerState that
-- gets the name, or nil if it does not exist yet.
function GameLogin:MakePlayerName(wish, standard, player)
	local taken = {}
	for _, other in ipairs(world.GameState.PlayerArray) do
		if other ~= player then
			taken[other.PlayerName:lower()] = true
		end
	end
	local name, number = world:CleanText(wish or "", 32), 1
	local stem = name
	if name == "" then
		name, stem = standard .. "1", standard
	end
	while taken[name:lower()] do
		number = number + 1
		name = world:CleanText(stem, 32 - #tostring(number)) .. number
	end
	return name
end

-- 4 Reconnecting

-- A player has left: keeps the saved PlayerState for ReconnectGrace seconds, on the server only. Guests and
-- bots are not kept, because they cannot prove their identity when they reconnect.
function GameLogin:AddInactivePlayer(uniqueId, state)
	if self.ReconnectGrace <= 0 or uniqueId:find("^guest%-") or uniqueId:find("^bot%-") then
		return
	end
	self.inactive = self.inactive or {}
	self:TakeInactivePlayer(uniqueId)
	while #self.inactive >= math.max(1, self.MaxInactive) do
		table.remove(self.inactive, 1)
	end
	if self.MaxInactive > 0 then
		local ends = world.TimeSeconds + self.ReconnectGrace
		table.insert(self.inactive, { UniqueId = uniqueId, State = state, Ends = ends })
	end
end

-- Returns and removes the state kept for a player who was here, or nil.
function GameLogin:TakeInactivePlayer(uniqueId)
	local found
	local kept = {}
	for _, entry in ipairs(self.inactive or {}) do
		if entry.Ends > world.TimeSeconds and entry.UniqueId ~= uniqueId then
			kept[#kept + 1] = entry
		elseif entry.Ends > world.TimeSeconds then
			found = entry.State
		end
	end
	self.inactive = kept
	return found
end

-- Whether a player may return to what they had: the one with this UniqueId, or with "" anybody. A host that
-- drains admits nobody else, and does not end while somebody may return.
function GameLogin:MayReturn(uniqueId)
	for _, entry in ipairs(self.inactive or {}) do
		if entry.Ends > world.TimeSeconds and (uniqueId == "" or entry.UniqueId == uniqueId) then
			return true
		end
	end
	return false
end

-- Restores the state of a player who reconnects within the grace time.
function GameLogin:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	local state = player and self:TakeInactivePlayer(player.UniqueId)
	if state then
		player:RestoreState(state)
		player.PlayerName = self:MakePlayerName(player.PlayerName, "Player", player) -- the name may be taken by now
	end
	return state ~= nil
end

-- A player's connection ended during the travel to this level; they may still reconnect.
function GameLogin:SeamlessTravelLost(state)
	self:AddInactivePlayer(state.PlayerState.UniqueId, state.PlayerState)
end

-- Returns the state of the match for the travel to the next level: the next game's PostSeamlessTravel gets
-- it.
function GameLogin:GetMatchTravelState()
	local inactive = {}
	for _, entry in ipairs(self.inactive or {}) do
		local left = entry.Ends - world.TimeSeconds
		if left > 0 then
			inactive[#inactive + 1] = { UniqueId = entry.UniqueId, State = entry.State, Left = left }
		end
	end
	return { Inactive = inactive, Banned = self.banned }
end

-- The world has travelled here from another level.
function GameLogin:PostSeamlessTravel(state)
	for machine in pairs(state.Banned or {}) do
		self:BanAddress(machine)
	end
	self.inactive = {}
	for _, entry in ipairs(state.Inactive) do
		table.insert(self.inactive, {
			UniqueId = entry.UniqueId, State = entry.State, Ends = world.TimeSeconds + entry.Left,
		})
	end
end

-- 5 Saved worlds

-- The world was loaded from a file. Players whose connections ended with the process that saved it have left:
-- within ReconnectGrace they get their pawn and the state of their PlayerState back. Bots and the player at
-- this machine go on.
function GameLogin:Restored()
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		if pc.bLoggedIn and not pc:IsLocalPlayer() then
			self:KeepPawn(pc)
			pc:Destroy()
		end
	end
end

-- Takes the pawn of a player who was there when the world was saved, and lets it stand for them until
-- ReconnectGrace is over. Drivers get out. Guests, who cannot prove who they are, and spectators have nothing
-- to come back to.
function GameLogin:KeepPawn(pc)
	local id = pc.PlayerReplicationInfo and pc.PlayerReplicationInfo.UniqueId or "guest-"
	if pc.Pawn and pc.Pawn:IsA("Vehicle") then
		pc.Pawn:DriverLeave(true)
	end
	local pawn = pc.Pawn
	if not pawn or pawn:IsA("SpectatorPawn") or id:find("^guest%-") or self.ReconnectGrace <= 0 then
		return
	end
	pc:UnPossess()
	pawn.Acceleration = vector()
	self.waiting = self.waiting or {}
	self.waiting[id] = pawn
	self:SetTimer(self.ReconnectGrace, false, "WithdrawWaiting")
end

-- The players of a loaded world who have not come back are given up.
function GameLogin:WithdrawWaiting()
	for _, pawn in pairs(self.waiting or {}) do
		if not pawn.bDeleteMe and not pawn.Controller then
			pawn:Withdraw()
		end
	end
	self.waiting = nil
end

-- Gives a player who has come back the pawn that waits for them. Returns whether there was one.
function GameLogin:TakeWaitingPawn(pc)
	local id = pc.PlayerReplicationInfo and pc.PlayerReplicationInfo.UniqueId
	local pawn = self.waiting and self.waiting[id]
	if not pawn then
		return false
	end
	self.waiting[id] = nil
	if pawn.bDeleteMe or pawn.Controller or pawn.Health <= 0 then
		return false
	end
	pc:Possess(pawn)
	pc:ClientSetRotation(pawn.Rotation)
	return true
end

return GameLogin
