-- Actions of a player (W4.3, docs/input.md): content/input.toml declares some, classes their own; the player's machine reads them,
-- and the server has of them what a move or a call carries.

local net = require("shared.net")
local holds = net.holds

local horn = net.with [[
	local Honker = class("Honker", "Character")
	Honker.properties { Honks = int(0), Lean = float(0) }
	Honker.replication { { "Honks" } }
	Honker.actions {
		Horn = { keys = { "KeyH" }, buttons = { "ls" }, label = "Horn" },
		Lean = { kind = "axis", keys = { "KeyQ" }, negative = { "KeyZ" } },
	}

	function Honker:InputAction(action, down)
		Honker.super.InputAction(self, action, down)
		self.heard = (self.heard or "") .. action .. (down and "+" or "-")
		if action == "Horn" and down then self:ServerHonk() end
	end

	function Honker:Tick(_)
		if self:IsLocallyControlled() then
			self.Lean = self:GetActionValue("Lean")
			self.held = self:IsActionDown("Horn")
			self.presses = (self.presses or 0) + (self:WasActionPressed("Horn") and 1 or 0)
			self.releases = (self.releases or 0) + (self:WasActionReleased("Horn") and 1 or 0)
		end
	end

	function Honker.server.reliable:ServerHonk() self.Honks = self.Honks + 1 end
	Honker.params { ServerHonk = {} }
	function Honker.validate:ServerHonk() return true end

	local HonkGame = class("HonkGame", "GameInfo")
	HonkGame.defaults { DefaultPawnClass = "Honker" }

]]

scenario("W4.3 a class declares an action: its press runs on the player's machine and reaches the server as a call", function(t)
	local s, a = horn.play(t, { game = "HonkGame" }, { name = "a", preset = "broadband" })
	a:input { Horn = true }
	t:within(1, function() return s:pawn(a).Honks == 1 end)
	holds(t, a:pawn(), { heard = "Horn+", held = true })
	t:run(0.5)
	net.hold(t, a, { Horn = false }, 0.5)
	holds(t, a:pawn(), { heard = "Horn+Horn-", held = false, presses = 1, releases = 1 })
	t:eq(s:pawn(a).Honks, 1)
	t:no(s:pawn(a).heard) -- the server's copy heard nothing of the key
end)

scenario("W4.3 an axis is what it is at, and counts as down from half of its way on", function(t)
	horn.server(t, { game = "HonkGame" })
	local a = t:client {}
	t:within(3, function() return a:pawn() ~= nil end)
	net.hold(t, a, { Lean = -0.25 }, 0.1)
	t:eq(a:pawn().Lean, -0.25)
	t:no(a:pawn().heard)
	net.hold(t, a, { Lean = -1 }, 0.1)
	holds(t, a:pawn(), { Lean = -1, heard = "Lean+" })
end)

scenario("W4.3 the actions of content are read by name, too, and one input has both", function(t)
	local s, a = horn.play(t, { game = "HonkGame" }, {})
	local from = s:pawn(a).Location
	net.hold(t, a, { MoveForward = 1, Scores = true, Fire = true }, 0.5)
	t:gt((s:pawn(a).Location - from):Size(), 100)
	t:eq(a:pawn().heard, "MoveForward+Fire+Scores+")
	t:eq(a:eval("return world:ActorsOf('PlayerController')[1]:IsActionDown('Scores')"), true)
	t:eq(a:controller().bFire, true)
	t:eq(s:eval("return world:ActorsOf('PlayerController')[1]:IsActionDown('Scores')"), false)
end)

scenario("W4.3 a class's actions are the player's while something of that class is played with", function(t)
	horn.server(t, { game = "GameInfo" })
	local a = t:client {}
	t:within(3, function() return a:pawn() ~= nil end)
	net.hold(t, a, { Horn = true }, 0.2)
	t:eq(a:eval("return world:ActorsOf('PlayerController')[1]:IsActionDown('Horn')"), false)
	t:eq(a:eval("return world:ActorsOf('PlayerController')[1]:GetActionValue('Horn')"), 0)
end)

scenario("W4.3 a component has actions, too, and a child takes away what its parent has", function(t)
	t:scripts [[
		local Siren = class("Siren", "ActorComponent")
		Siren.actions { Wail = { keys = { "KeyU" } }, Blink = { keys = { "KeyI" } } }
		function Siren:InputAction(action, down) self.heard = (self.heard or "") .. action .. (down and "+" or "-") end
		local Quiet = class("Quiet", "Siren")
		Quiet.actions { Blink = false }
		local Car = class("Car", "Character")
		Car.components { Siren = "Quiet" }
	]]
	net.server(t, { pawn = "Car" })
	local a = t:client {}
	t:within(3, function() return a:pawn() ~= nil end)
	net.hold(t, a, { Wail = true, Blink = true }, 0.2)
	t:eq(a:eval("return world:ActorsOf('Car')[1].Siren.heard"), "Wail+")
end)

scenario("W4.3 a name that nobody declares is an error that tells the nearest", function(t)
	horn.server(t, { game = "HonkGame" })
	local a = t:client {}
	t:within(3, function() return a:pawn() ~= nil end)
	t:error(function() a:input { Hron = true } end, "unknown key Hron; did you mean \"?Horn")
	t:expect_error("unknown action \"Hron\"; did you mean \"?Horn")
	a:eval("return world:ActorsOf('PlayerController')[1]:IsActionDown('Hron')")
end)

scenario("W4.3 the actions of a class follow its file", function(t)
	horn.server(t, { game = "HonkGame" })
	local a = t:client {}
	t:within(3, function() return a:pawn() ~= nil end)
	t:reload((horn.classes:gsub("Horn = {", "Bell = { keys = { \"KeyB\" } }, Horn = {")))
	t:run(0.5)
	net.hold(t, a, { Bell = true }, 0.2)
	t:eq(a:pawn().heard, "Bell+")
end)

scenario("W4.3 the wheel's actions take the next weapon", function(t)
	t:server { game = "DeathMatch", level = "flat" }
	local a = t:client {}
	t:within(5, function() return a:pawn() ~= nil and a:pawn().Weapon ~= nil end)
	local first = a:pawn().Weapon:GetClass()
	net.hold(t, a, { NextWeapon = true }, 0.5)
	t:ne(a:pawn().Weapon:GetClass(), first)
	net.hold(t, a, { NextWeapon = false }, 0.5)
	net.hold(t, a, { PrevWeapon = true }, 0.5)
	t:eq(a:pawn().Weapon:GetClass(), first)
end)

scenario("W4.3 a player at the server's own machine has actions as others do", function(t)
	local s = horn.server(t, { game = "HonkGame", mode = "standalone" })
	net.hold(t, s, { Horn = true }, 0.2)
	holds(t, s:pawn(), { Honks = 1, held = true })
end)

scenario("W4.3 a weapon has actions while it is in the hand", function(t)
	t:scripts [[
		local Scope = class("Scope", "Rifle")
		Scope.defaults { InventoryGroup = 7 }
		Scope.actions { Zoom = { keys = { "KeyZ" } } }
		function Scope:InputAction(action, down) self.zoomed = action == "Zoom" and down or nil end
		local ScopePawn = class("ScopePawn", "ShooterPawn")
		ScopePawn.defaults { DefaultInventory = { "Scope", "Cutlass" } }
	]]
	net.server(t, { pawn = "ScopePawn" })
	local a = t:client {}
	t:within(5, function() return a:pawn() ~= nil and a:pawn().Weapon ~= nil end)
	net.hold(t, a, { Zoom = true }, 0.2)
	t:eq(a:eval("return world:ActorsOf('Scope')[1].zoomed"), true)
	net.hold(t, a, { Zoom = false, NextWeapon = true }, 0.5)
	t:eq(a:pawn().Weapon:GetClass(), "Cutlass")
	net.hold(t, a, { Zoom = true }, 0.2)
	t:no(a:eval("return world:ActorsOf('Scope')[1].zoomed")) -- it is on the back
end)
