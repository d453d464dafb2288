-- GameLogin: decides who may join: options of the start URL, player limits, the password and the ban list. It
-- also keeps the state of players who may reconnect. Its child GameModeBase handles players who have joined.
local GameLogin = class("GameLogin", "Info")

GameLogin.properties {
	MaxPlayers = int(64, { min = 1, max = 1024 }), -- ?maxplayers=
	MaxSpectators = int(8, { min = 0, max = 1024 }), -- ?maxspectators=
	Password = str("", { max = 64 }), -- ?password=, what players have to know to come in; "" for nothing
	ReconnectGrace = float(120, { min = 0, max = 86400 }), -- ?grace=, seconds in which who left may come back
	MaxInactive = int(64, { min = 0, max = 1024 }), -- of those, who are remembered at once; the oldest go first

	NumPlayers = int(0, { min = 0 }), -- players that are in, bots and spectators not counted
	NumSpectators = int(0, { min = 0 }), -- players that only watch
}

-- The match is set up, before any actor of the level exists. options are those of the start URL,
-- "?name=value?name=value". Returning a text that is not empty stops the host with it.
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

-- Sets a property to the number that the start URL gives by an option, if it does; called from InitGame, on
-- the server. option is the option's name without ? and =, property the name of a variable of the game, least
-- and most the range, both included: self:TakeNumber("rounds", "NumRounds", 1, 9) reads ?rounds=5. Numbers are
-- whole unless fractions is true. Returns nil, or one line that says what is wrong, which InitGame returns to
-- refuse the start.
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

-- The value of an option in a URL's tail ("?team=1?name=Ann"), or nil; an option without = has "". A game
-- reads options of the start URL in InitGame or StartPlay: the host warns of options that nobody has read by
-- then, since most are misspelt.
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

-- The names of all options that ParseOption has read. The host calls it once, when the match is set up.
function GameLogin:TakeOptionNames()
	local names = {}
	for name in pairs(self.asked or {}) do
		names[#names + 1] = name
	end
	self.asked = false
	return unpack(names)
end

-- 2 Who may come in

-- Decides whether a player may join, before anything is spawned: options come from the player's machine,
-- address is where it is. Returning a text refuses the player with it; a second value is a code for their
-- machine. A child that checks more calls this one, too.
function GameLogin:PreLogin(options, address)
	if self:IsBanned(address) then
		return "this server has banned you", "banned"
	end
	if self.Password ~= "" and self:ParseOption(options, "password") ~= self.Password then
		return "this server wants a password, and yours is not it", "password"
	end
	return self:CheckRoom(self:WantsToSpectate(options))
end

-- The text and code that refuse one more player or spectator, nil if there is room.
function GameLogin:CheckRoom(spectator)
	if spectator then
		if self.NumSpectators >= self.MaxSpectators then
			return "the server is full: " .. self.MaxSpectators .. " spectators", "full"
		end
	elseif self.NumPlayers >= self.MaxPlayers then
		return "the server is full: " .. self.MaxPlayers .. " players", "full"
	end
	return nil
end

-- Whether a player joins to watch only: ?spectator=1.
function GameLogin:WantsToSpectate(options)
	local value = self:ParseOption(options, "spectator")
	return value ~= nil and value ~= "0"
end

-- An address without its port, which is another with every connection.
local function machineOf(address)
	return address:match("^(%[.*%]):%d+$") or address:match("^([^:]*):%d+$") or address
end

-- Keeps a machine out from now on; who is in stays. ?ban=192.0.2.7,192.0.2.8 in the start URL does it from the
-- start.
function GameLogin:BanAddress(address)
	self.banned = self.banned or {}
	self.banned[machineOf(address)] = true
end

-- Whether a machine is kept out; override it for a list of your own.
function GameLogin:IsBanned(address)
	return self.banned ~= nil and self.banned[machineOf(address)] == true
end

-- 3 Names

-- The name of a player in this match: the one requested as it may be shown to others, or standard
-- and a number. No two players have the same, upper and lower case being one: a number is added to
-- a name that is taken. player is the PlayerState that gets the name, nil where it is still to be
-- made.
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

-- 4 Who may come back

-- A player has left: their PlayerState's state is kept for as long as ReconnectGrace says, on the server only.
-- Guests and bots have no name that they could prove when they come back.
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

-- The state kept for a player who was here, or nil; it is forgotten with that.
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

-- A player who reconnects within the grace time gets their state back.
function GameLogin:FindInactivePlayer(pc)
	local player = pc.PlayerReplicationInfo
	local state = player and self:TakeInactivePlayer(player.UniqueId)
	if state then
		player:RestoreState(state)
		player.PlayerName = self:MakePlayerName(player.PlayerName, "Player", player) -- it may be taken by now
	end
	return state ~= nil
end

-- A player's connection ended during the travel to this level; they may still reconnect.
function GameLogin:SeamlessTravelLost(state)
	self:AddInactivePlayer(state.PlayerState.UniqueId, state.PlayerState)
end

-- The state of the match that travels to the next level: the next game's PostSeamlessTravel gets it.
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

-- The world has come over from another level.
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

return GameLogin
