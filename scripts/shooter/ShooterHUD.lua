-- ShooterHUD: what a player of the sample game sees over the world: calm colors for permanent elements,
-- strong ones for what has just changed or is about to matter. It only reads the match.
local ShooterHUD = class("ShooterHUD", "HUD")

local WHITE, DIM, SHADE = "#eef3f7", "#b4c2cf", "#0b121a8c"
local GOOD, ARMOUR, WARN, BAD = "#5bc0be", "#8fb8ff", "#ffb454", "#ff6b60"
local LOW = 30 -- health that counts as low
local HIT_TIME, HURT_TIME, SHOUT_TIME = 0.25, 0.5, 4 -- seconds for which these are shown
local ROWS = 22 -- of the score table
local JOIN_TIME = 10 -- seconds for which a player who has joined sees the list of the best

-- Colors of the teams.
local teams = { "#ff8a5c", "#59b4ff", "#7bd88f", "#ffd866" }

-- A color with an opacity from 0 to 1.
local function faded(color, opacity)
	return ("%s%02x"):format(color:sub(1, 7), math.floor(math.max(0, math.min(1, opacity)) * 255))
end

-- 1 Recent events

-- On the player's machine: the player hurt somebody (ShooterPlayer.ClientHit).
function ShooterHUD:Hit(killed)
	self.hitAt, self.hitKilled = world.TimeSeconds, killed
end

-- Returns the remaining part of a duration, from 1 to 0.
local function rest(since, length)
	return since and math.max(0, 1 - (world.TimeSeconds - since) / length) or 0
end

-- Records when health was lost since the last frame.
function ShooterHUD:WatchHealth(pawn)
	if self.watched == pawn and pawn.Health < self.health then
		self.hurtAt = world.TimeSeconds
	end
	self.watched, self.health = pawn, pawn.Health
end

-- 2 The pawn

-- Draws health and armour at the left, the weapon at the right, the abilities between.
function ShooterHUD:DrawPawn(canvas, pawn)
	self:WatchHealth(pawn)
	local hurt = rest(self.hurtAt, HURT_TIME)
	if hurt > 0 then
		canvas:Rect(-4000, -4000, 8000, 8000, faded(BAD, hurt * 0.22), "center")
	end
	self:DrawCrosshair(canvas)
	self:DrawHealth(canvas, pawn)
	self:DrawWeapon(canvas, pawn)
	self:DrawAbilities(canvas, pawn)
end

-- Draws four short lines around the centre, which stays free; a cross after a hit.
function ShooterHUD:DrawCrosshair(canvas)
	canvas:Line(-18, 0, -7, 0, 3, WHITE, "center")
	canvas:Line(7, 0, 18, 0, 3, WHITE, "center")
	canvas:Line(0, -18, 0, -7, 3, WHITE, "center")
	canvas:Line(0, 7, 0, 18, 3, WHITE, "center")
	local hit = rest(self.hitAt, HIT_TIME * (self.hitKilled and 2 or 1))
	if hit > 0 then
		local color = faded(self.hitKilled and BAD or WHITE, hit)
		local near, far = 12, self.hitKilled and 30 or 24
		for x = -1, 1, 2 do
			for y = -1, 1, 2 do
				canvas:Line(x * near, y * near, x * far, y * far, 4, color, "center")
			end
		end
	end
end

-- Draws a number with an icon and a bar below, in the lower left corner.
function ShooterHUD:DrawHealth(canvas, pawn)
	local low = pawn.Health <= LOW
	local color = low and BAD or WHITE
	canvas:Rect(40, -130, 330, 94, SHADE, "bottom-left")
	canvas:Icon(60, -112, 40, "health", low and BAD or GOOD, "bottom-left")
	canvas:Text(112, -122, pawn.Health, 60, color, "left", "bottom-left")
	local share = pawn.Health / pawn.HealthMax
	canvas:Bar(60, -54, 290, 8, share, low and BAD or GOOD, "#ffffff26", "bottom-left")
	if pawn.Armour and pawn.Armour > 0 then
		canvas:Icon(244, -106, 30, "armor", ARMOUR, "bottom-left")
		canvas:Text(282, -114, pawn.Armour, 44, ARMOUR, "left", "bottom-left")
	end
end

-- Draws the loaded and spare ammunition, in the lower right corner.
function ShooterHUD:DrawWeapon(canvas, pawn)
	local weapon = pawn.Weapon
	if not weapon then
		return
	end
	canvas:Rect(-370, -130, 330, 94, SHADE, "bottom-right")
	canvas:Text(-60, -72, weapon.ItemName, 26, DIM, "right", "bottom-right")
	if weapon.AmmoPerShot == 0 then
		return
	end
	local ammo, spare = weapon:GetAmmo(), weapon:GetSpareAmmo()
	local few = ammo <= math.max(1, weapon.ClipSize / 4)
	local reserve = spare > 0 and ("/ %d"):format(spare) or ""
	if weapon.bPendingReload then
		canvas:Text(-60, -116, "reloading", 36, WARN, "right", "bottom-right")
	else
		canvas:Text(-150, -128, ammo, 60, few and WARN or WHITE, "right", "bottom-right")
		canvas:Text(-60, -112, reserve, 36, DIM, "right", "bottom-right")
	end
	canvas:Icon(-350, -112, 36, "ammo", few and WARN or DIM, "bottom-right")
end

-- Draws the recharge of the dash and the fuel of the jet pack as two thin bars, while they are not full.
function ShooterHUD:DrawAbilities(canvas, pawn)
	local dash, jet = pawn.Dash, pawn.Jet
	if dash and dash.Wait > 0 then
		canvas:Text(-112, -72, "dash", 22, DIM, "right", "bottom")
		canvas:Bar(-100, -60, 200, 6, 1 - dash.Wait / dash.Interval, WHITE, SHADE, "bottom")
	end
	if jet and jet.Fuel < 1 then
		canvas:Text(-112, -52, "jet", 22, DIM, "right", "bottom")
		canvas:Bar(-100, -40, 200, 6, jet.Fuel, jet.Fuel < 0.25 and WARN or GOOD, SHADE, "bottom")
	end
end

-- 3 The match

-- Draws the clock with the teams' scores on either side, or the own score and the best other one.
function ShooterHUD:DrawMatch(canvas)
	local state, own = world.GameState, self.PlayerOwner.PlayerReplicationInfo
	if not state or not own then
		return
	end
	local sides = self:GetSides(state, own)
	canvas:Rect(-230, 20, 460, 84, SHADE, "top")
	canvas:Text(0, 36, self:GetClock() or "", 44, WHITE, "center", "top")
	for i, side in ipairs(sides) do
		local x, align = i == 1 and -212 or 212, i == 1 and "left" or "right"
		canvas:Text(x, 22, ("%d"):format(side.Score), 46, side.Color, align, "top")
		canvas:Text(x, 70, side.Name, 24, DIM, align, "top")
	end
end

-- Returns two scores to compare: the own team's and the best other one's, or those of players.
function ShooterHUD:GetSides(state, own)
	local mine, best
	if state.TeamNames[1] ~= "" then
		for team = 1, #state.TeamNames do
			local name, score = state.TeamNames[team], state.TeamScores[team]
			local side = { Name = name, Score = score, Color = teams[team] }
			if side.Name ~= "" and own.Team == team - 1 then
				mine = side
			elseif side.Name ~= "" and (not best or side.Score > best.Score) then
				best = side
			end
		end
		return { mine or best, mine and best }
	end
	for _, player in ipairs(self:GetRanking()) do
		if player ~= own and not best and not player.bIsSpectator then
			best = { Name = player.PlayerName, Score = player.Score, Color = DIM }
		end
	end
	mine = { Name = "you", Score = own.Score, Color = WHITE }
	return own.bIsSpectator and { best } or { mine, best }
end

-- Draws one line in the middle, on a dark background.
function ShooterHUD:DrawHint(canvas, text)
	if text ~= "" then
		canvas:Rect(-320, 150, 640, 60, SHADE, "center")
		canvas:Text(0, 158, text, 36, WHITE, "center", "center")
	end
end

-- 4 Messages

local function isKill(kind)
	return kind == "kill"
end

local function isSaid(kind)
	return kind ~= "kill" and kind ~= "event"
end

-- Draws the kills at the upper right, the player's own in a strong color; the match's messages in the middle,
-- for a moment; all others at the left, above the health.
function ShooterHUD:DrawMessages(canvas)
	local own = self.PlayerOwner.PlayerReplicationInfo
	local me = own and own:GetQuotedName() or ""
	for i, message in ipairs(self:GetMessages(isKill)) do
		local mine = me ~= "" and message.Text:find(me, 1, true)
		canvas:Text(-40, -8 + 34 * i, message.Text, 26, mine and WARN or WHITE, "right", "top-right")
	end
	self:DrawShout(canvas)
	local lines = self:GetMessages(isSaid)
	for i, message in ipairs(lines) do
		local y, x = -264 - 36 * (#lines - i), 60
		local color = message.Kind == "team" and GOOD or WHITE
		if message.From then
			canvas:Icon(x, y + 6, 20, message.Kind == "team" and "team" or "message", color, "bottom-left")
			x = x + 32
		end
		local text = message.From and message.From .. ": " .. message.Text or message.Text
		canvas:Text(x, y, text, 28, color, "left", "bottom-left")
	end
end

-- Draws the latest message of the match.
function ShooterHUD:DrawShout(canvas)
	local shout = self.shout
	local left = shout and rest(shout.Time, SHOUT_TIME) or 0
	if left > 0 then
		canvas:Text(0, -250, shout.Text, 42, faded(WARN, left * 4), "center", "center")
	end
end

-- Shows the match's own messages in large type, and all others as lines.
function ShooterHUD:Message(text, kind, from)
	if kind == "event" then
		self.shout = { Text = text, Time = world.TimeSeconds }
	end
	ShooterHUD.super.Message(self, text, kind, from)
end

-- 5 Scores

-- Returns the rows of the score table: each team followed by its players, the leading team first; or the
-- players, in a game without teams; and the spectators last.
function ShooterHUD:GetTable()
	local state, rows, sides = world.GameState, {}, {}
	if state.TeamNames[1] ~= "" then
		for team = 1, #state.TeamNames do
			if state.TeamNames[team] ~= "" then
				local name, score = state.TeamNames[team], state.TeamScores[team]
				table.insert(sides, { Team = team, Name = name, Score = score })
			end
		end
		table.sort(sides, function(a, b)
			return a.Score > b.Score or a.Score == b.Score and a.Team < b.Team
		end)
	end
	local ranking, placed = self:GetRanking(), {}
	for _, side in ipairs(sides) do
		table.insert(rows, { Side = side })
		for _, player in ipairs(ranking) do
			if player.Team == side.Team - 1 and not player.bIsSpectator then
				table.insert(rows, { Player = player })
				placed[player] = true
			end
		end
	end
	for _, player in ipairs(ranking) do
		if not placed[player] then
			table.insert(rows, { Player = player })
		end
	end
	return rows
end

-- Draws the score table; the player's own row is highlighted.
function ShooterHUD:DrawScores(canvas)
	local own, list = self.PlayerOwner.PlayerReplicationInfo, self:GetTable()
	local rows = math.min(#list, ROWS)
	local top = -60 - rows * 20
	canvas:Rect(-460, top, 920, 92 + rows * 40, "#0b121ae0", "center")
	canvas:Rect(-460, top, 920, 6, GOOD, "center")
	canvas:Text(-424, top + 22, "player", 24, DIM, "left", "center")
	canvas:Text(200, top + 22, "score", 24, DIM, "right", "center")
	canvas:Text(310, top + 22, "deaths", 24, DIM, "right", "center")
	canvas:Text(430, top + 22, "ping", 24, DIM, "right", "center")
	for i = 1, rows do
		local row, y = list[i], top + 22 + 40 * i
		if row.Side then
			self:DrawSide(canvas, row.Side, y)
		else
			self:DrawScore(canvas, row.Player, y, row.Player == own)
		end
	end
end

-- Draws a team's row of the table: its name and score in its color.
function ShooterHUD:DrawSide(canvas, side, y)
	local color = teams[side.Team]
	canvas:Rect(-446, y - 2, 892, 38, faded(color, 0.25), "center")
	canvas:Text(-424, y - 2, side.Name, 32, color, "left", "center")
	canvas:Text(200, y - 2, ("%d"):format(side.Score), 32, color, "right", "center")
end

-- Draws a player's row of the table.
function ShooterHUD:DrawScore(canvas, player, y, mine)
	if mine then
		canvas:Rect(-446, y - 2, 892, 38, "#ffffff1f", "center")
	end
	local color = teams[player.Team + 1] or WHITE
	canvas:Rect(-446, y - 2, 6, 38, player.bIsSpectator and DIM or color, "center")
	canvas:Text(-424, y, player.PlayerName, 30, mine and WARN or WHITE, "left", "center")
	if player.bIsSpectator then
		canvas:Text(200, y, "watches", 26, DIM, "right", "center")
		return
	end
	local ping = player.bBot and "bot" or mine and self:GetOwnPing() or player.Ping
	canvas:Text(200, y, ("%d"):format(player.Score), 30, WHITE, "right", "center")
	canvas:Text(310, y, player.Deaths, 30, DIM, "right", "center")
	canvas:Text(430, y, ping, 26, DIM, "right", "center")
end

-- Returns the player's own round trip, in ms.
function ShooterHUD:GetOwnPing()
	return math.floor(self.PlayerOwner:GetRoundTrip() * 1000 + 0.5)
end

-- 6 The best of all matches

-- Draws the whole screen, with the list of the best where it is of use: before the player plays, while they
-- wait, and beside the scores.
function ShooterHUD:DrawHUD(canvas)
	ShooterHUD.super.DrawHUD(self, canvas)
	self.joinedAt = self.joinedAt or world.TimeSeconds
	local joined = world.TimeSeconds - self.joinedAt < JOIN_TIME
	if self.bShowHUD and (joined or not self:GetPawn() or self:IsShowingScores()) then
		self:DrawBest(canvas, world.GameState, self.PlayerOwner.PlayerReplicationInfo)
	end
end

-- Draws the list at the right, and below it the player's own place. It is empty until somebody has killed.
function ShooterHUD:DrawBest(canvas, state, own)
	if not state or not state:IsA("ShooterState") or state.Best[1].Name == "" then
		return
	end
	local listed = own and own:IsA("ShooterPlayerState") and own or nil
	local rows = #state.Best
	canvas:Rect(490, -260, 430, 66 + rows * 38 + 44, "#0b121ae0", "center")
	canvas:Rect(490, -260, 430, 6, ARMOUR, "center")
	canvas:Text(514, -240, "all-time kills", 24, DIM, "left", "center")
	for place = 1, rows do
		local best = state.Best[place]
		if best.Name ~= "" then
			local mine = listed and place == listed.BestPlace
			self:DrawPlace(canvas, -244 + 38 * place, place, best.Name, best.Score, mine)
		end
	end
	if listed and listed.BestPlace > rows then
		self:DrawPlace(canvas, -196 + 38 * rows, listed.BestPlace, listed.PlayerName, listed.Kills, true)
	end
end

-- Draws a row of the list.
function ShooterHUD:DrawPlace(canvas, y, place, name, kills, mine)
	local color = mine and WARN or WHITE
	canvas:Text(556, y, place, 28, DIM, "right", "center")
	canvas:Text(572, y, name, 28, color, "left", "center")
	canvas:Text(896, y, ("%d"):format(kills), 28, color, "right", "center")
end

return ShooterHUD
