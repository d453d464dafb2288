-- HUD: draws health, scores and messages over the world. It is a local actor that exists only on its player's
-- machine and never replicates. GameInfo.HUDType names the class, and PlayerController.myHUD holds the
-- instance.
--
-- After every tick DrawHUD draws the whole screen again, with functions of the canvas (docs/hud.md). It reads
-- world.GameState, its player's controller and that controller's pawn. This class looks plain; a child
-- overrides the parts that should look different.
local HUD = class("HUD", "Info")

HUD.properties {
	PlayerOwner = ref("PlayerController"), -- the player whose HUD this is
	bShowHUD = true, -- if false, nothing is drawn
	MessageTime = float(8, { min = 1, max = 60 }), -- seconds for which a message is shown
	MaxShown = int(6, { min = 1, max = 32 }), -- latest messages shown at once in one area
}

local INK, DIM, TEAM, WARN, BACK = "#eef3f7", "#a9b8c6", "#5bc0be", "#ffb454", "#0d141ba0"

-- Draws one frame. The canvas is 1920 wide and 1080 high, independently of the screen.
function HUD:DrawHUD(canvas)
	local owner = self.PlayerOwner
	if not self.bShowHUD or not owner then
		return
	end
	local pawn = self:GetPawn()
	if pawn then
		self:DrawPawn(canvas, pawn)
	else
		self:DrawHint(canvas, self:GetHint())
	end
	self:DrawMatch(canvas)
	self:DrawMessages(canvas)
	if self:IsShowingScores() then
		self:DrawScores(canvas)
	end
end

-- 1 Data

-- Returns the player's pawn, nil for dead players and spectators.
function HUD:GetPawn()
	local pawn = self.PlayerOwner.Pawn
	return pawn and not pawn:IsA("SpectatorPawn") and pawn.Health > 0 and pawn or nil
end

-- Whether the score table is shown: while its key is held, and after the match.
function HUD:IsShowingScores()
	local state = world.GameState
	local over = state ~= nil and state.MatchState == "WaitingPostMatch"
	return over or self.PlayerOwner:IsActionDown("Scores")
end

-- Returns the seconds until a server time.
function HUD:GetSecondsUntil(time)
	return math.max(0, math.ceil(time - self.PlayerOwner:GetServerTime()))
end

-- Returns a line that says what a player without a pawn is waiting for.
function HUD:GetHint()
	local owner, state = self.PlayerOwner, world.GameState
	local player = owner.PlayerReplicationInfo
	if not player or not state or state.MatchState == "WaitingPostMatch" then
		return ""
	elseif player.bIsSpectator then
		local target = owner.ViewTarget
		local watched = target and target.PlayerReplicationInfo
		return watched and "You watch " .. watched.PlayerName or "You watch"
	elseif state.MatchState == "WaitingToStart" then
		return state.MatchStateEnds > 0 and "The match is about to start" or "Waiting for players"
	elseif owner.RespawnTime > 0 then
		return ("You come back in %d s"):format(self:GetSecondsUntil(owner.RespawnTime))
	end
	return ""
end

-- Returns the remaining time of the present state of the match, as "4:07"; nil if it has no limit.
function HUD:GetClock()
	local state = world.GameState
	local left = state and state:GetTimeLeft(self.PlayerOwner:GetServerTime())
	return left and ("%d:%02d"):format(math.floor(left / 60), math.floor(left % 60))
end

-- Returns the players, the best first and the spectators last.
function HUD:GetRanking()
	local list = world.GameState:GetPlayerArray()
	table.sort(list, function(a, b)
		if a.bIsSpectator ~= b.bIsSpectator then
			return b.bIsSpectator
		elseif a.Score ~= b.Score then
			return a.Score > b.Score
		end
		return a.PlayerID < b.PlayerID
	end)
	return list
end

-- 2 Messages

-- Called when its player received a message (PlayerController:ClientMessage), which is kept to be drawn. kind
-- is one of those listed there; from is the PlayerState of the sender, nil for the game itself.
function HUD:Message(text, kind, from)
	self.messages = self.messages or {}
	local name = from and from.PlayerName or nil
	table.insert(self.messages, { Text = text, Kind = kind, From = name, Time = world.TimeSeconds })
	if #self.messages > 32 then
		table.remove(self.messages, 1)
	end
end

-- Returns the latest messages for which choose(kind) is true, oldest first.
function HUD:GetMessages(choose)
	local list, since = {}, world.TimeSeconds - self.MessageTime
	for i = #(self.messages or {}), 1, -1 do
		local message = self.messages[i]
		if message.Time < since or #list == self.MaxShown then
			break
		elseif choose(message.Kind) then
			table.insert(list, 1, message)
		end
	end
	return list
end

-- 3 Drawing, part by part

-- Draws the pawn's state: health, and the item in the hand.
function HUD:DrawPawn(canvas, pawn)
	self:DrawCrosshair(canvas)
	canvas:Text(60, -96, ("health %d"):format(pawn.Health), 44, INK, "left", "bottom-left")
	local weapon = pawn.Weapon
	if weapon then
		canvas:Text(-60, -96, self:GetAmmoText(weapon), 44, INK, "right", "bottom-right")
		canvas:Text(-60, -130, weapon.ItemName, 26, DIM, "right", "bottom-right")
	end
end

-- Returns the loaded and spare ammunition, as "25 / 60"; "" for a weapon that needs none.
function HUD:GetAmmoText(weapon)
	local ammo, spare = weapon:GetAmmo(), weapon:GetSpareAmmo()
	if weapon.AmmoPerShot == 0 then
		return ""
	end
	return spare > 0 and ("%d / %d"):format(ammo, spare) or tostring(ammo)
end

-- Draws where shots go.
function HUD:DrawCrosshair(canvas)
	canvas:Line(-10, 0, 10, 0, 2, INK, "center")
	canvas:Line(0, -10, 0, 10, 2, INK, "center")
end

-- Draws the clock of the match.
function HUD:DrawMatch(canvas)
	local clock = self:GetClock()
	if clock then
		canvas:Text(0, 24, clock, 40, INK, "center", "top")
	end
end

-- Draws one line in the middle with what the player has to know now.
function HUD:DrawHint(canvas, text)
	if text ~= "" then
		canvas:Text(0, 120, text, 36, INK, "center", "center")
	end
end

-- Draws the messages: kills at the right, those of the match in the middle, all others at the left.
function HUD:DrawMessages(canvas)
	for i, message in ipairs(self:GetMessages(function(kind) return kind == "kill" end)) do
		canvas:Text(-40, 30 * i, message.Text, 24, INK, "right", "top-right")
	end
	for i, message in ipairs(self:GetMessages(function(kind) return kind == "event" end)) do
		canvas:Text(0, -300 + 44 * i, message.Text, 36, WARN, "center", "center")
	end
	local lines = self:GetMessages(function(kind) return kind ~= "kill" and kind ~= "event" end)
	for i, message in ipairs(lines) do
		local text = message.From and message.From .. ": " .. message.Text or message.Text
		local color = message.Kind == "team" and TEAM or INK
		canvas:Text(60, -264 - 32 * (#lines - i), text, 26, color, "left", "bottom-left")
	end
end

-- Draws the score table.
function HUD:DrawScores(canvas)
	local own = self.PlayerOwner.PlayerReplicationInfo
	local list = self:GetRanking()
	local rows = math.min(#list, 20)
	canvas:Rect(-420, -300, 840, 76 + rows * 32, BACK, "center")
	canvas:Text(-390, -288, "player", 24, DIM, "left", "center")
	canvas:Text(390, -288, "score", 24, DIM, "right", "center")
	for i = 1, rows do
		local player, y = list[i], -284 + 32 * i
		local color = player == own and WARN or INK
		canvas:Text(-390, y, player.PlayerName, 26, color, "left", "center")
		canvas:Text(390, y, ("%d"):format(player.Score), 26, color, "right", "center")
	end
end

return HUD
