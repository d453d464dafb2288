-- R5.20: components of a class that the server's actor has lost, for clients that get the actor later.

local net = require("shared.net")

local NEAR = vector(600, -1800, 100) -- in sight of a, who stands at (0, -2000) and looks along +x

local WAGON = net.with [[
	local Wheel = class("Wheel", "ActorComponent")
	Wheel.properties { Air = int(1) }
	Wheel.replication { { "Air" } }
	function Wheel.multicast.reliable:AllSqueak(n) self.squeaked = n end
	Wheel.params { AllSqueak = { int(0) } }
	local Runner = class("Runner", "ActorComponent")
	Runner.properties { Wax = int(1), Length = int(2) }
	Runner.replication { { "Wax", "Length" } }

	local Wagon = class("Wagon")
	Wagon.properties { Load = int(0), Left = ref("Wheel") }
	Wagon.components { Front = "Wheel", Back = "Wheel" }
	Wagon.replication { { "Load", "Left" } }
	-- What an actor has when its copy begins.
	function Wagon.simulated:PostNetBeginPlay()
		self.began = self.Load
		self.parts = ""
		for _, name in ipairs { "Front", "Back" } do
			if self[name] then self.parts = self.parts .. name .. " " end
		end
	end
]]

local function begin(t, ...) return WAGON.play(t, {}, ...) end

local function wagon(s, props)
	local all = { Location = NEAR, Load = 5 }
	for k, v in pairs(props or {}) do all[k] = v end
	return s:spawn("Wagon", all)
end

local LINES = { { "good", {} }, { "bad", { lag = 0.04, jitter = 0.02, loss = 0.25, reorder = 0.1 } } }

for _, line in ipairs(LINES) do
	scenario("R5.20 who comes later has no component that was destroyed: a " .. line[1] .. " line", { seeds = 3 }, function(t)
		local s, a = begin(t, {})
		local x = wagon(s)
		local c = t:within(2, function() return a:copy(x) end)
		x.Front:Destroy()
		x.Back.Air = 3
		t:within(1, function() return c.Front == nil and c.Back.Air == 3 end)
		t:eq(c.parts, "Front Back ")
		local options = { name = "late" }
		for k, v in pairs(line[2]) do options[k] = v end
		local b = t:client(options)
		local d = t:within(8, function() return b:copy(x) end)
		t:within(3, function() return d.parts end)
		t:eq({ d.parts, d.began, d.Front, d.Back.Air }, { "Back ", 5, nil, 3 })
		x.Back:AllSqueak(7)
		x.Back.Air = 4
		t:within(3, function() return d.Back.squeaked == 7 and d.Back.Air == 4 end)
		t:eq(d.Front, nil)
		for _, text in ipairs(b:log()) do t:no(text:find("cannot make"), text) end
	end)

	scenario("R5.20 a component of another class in the place of one that was destroyed: a " .. line[1] .. " line", { seeds = 3 }, function(t)
		local s, a = begin(t, {})
		local x = wagon(s)
		local c = t:within(2, function() return a:copy(x) end)
		x.Front:Destroy()
		x:AddComponent("Runner", "Front")
		x.Front.Wax, x.Front.Length = 8, 9
		t:within(1, function() return c.Front and c.Front:GetClass() == "Runner" and c.Front.Wax == 8 and c.Front.Length == 9 end)
		local options = { name = "late" }
		for k, v in pairs(line[2]) do options[k] = v end
		local b = t:client(options)
		local d = t:within(8, function() return b:copy(x) end)
		t:within(3, function() return d.Front and d.Front:GetClass() == "Runner" and d.Front.Wax == 8 and d.Front.Length == 9 end)
		t:eq(d.Back.Air, 1)
		x.Front:Destroy()
		t:within(3, function() return c.Front == nil and d.Front == nil end)
		for _, text in ipairs(b:log()) do t:no(text:find("cannot make"), text) end
	end)
end

scenario("R5.20 a component destroyed while nobody has the actor is gone for all that get it, and for nobody else's", function(t)
	local s, a = begin(t, {})
	local x = wagon(s, { bOnlyRelevantToOwner = true })
	local y = wagon(s)
	x.Front:Destroy()
	t:run(0.3)
	x.Owner = s:controller(a)
	local c = t:within(2, function() return a:copy(x) end)
	t:within(1, function() return c.parts end)
	t:eq({ c.parts, c.Front }, { "Back ", nil })
	t:ok(a:copy(y).Front)
	x.Owner = nil
	t:within(1, function() return not c.alive end)
	x.Back:Destroy()
	x.Owner = s:controller(a)
	c = t:within(2, function() return a:copy(x) end)
	t:within(1, function() return c.parts end)
	t:eq({ c.parts, c.Front, c.Back }, { "", nil, nil })
end)

scenario("R5.20 R5.13 a reference to a component that is gone is nil for who comes later, and a life of one tick", function(t)
	local s, a = begin(t, {})
	local x = wagon(s)
	x.Left = x.Front
	local c = t:within(2, function() return a:copy(x) end)
	t:within(1, function() return c.Left == c.Front end)
	x.Front:Destroy()
	t:within(1, function() return c.Left == nil end)
	local b = t:client { name = "late" }
	local d = t:within(8, function() return b:copy(x) end)
	t:run(0.3)
	t:eq(d.Left, nil)
	local y = wagon(s)
	y.Front:Destroy()
	y.Left = y.Back
	local e = t:within(2, function() return a:copy(y) end)
	t:within(1, function() return e.parts end)
	t:eq({ e.parts, e.Front }, { "Back ", nil })
	t:within(1, function() return e.Left == e.Back end)
	y:Destroy()
	t:within(1, function() return not e.alive end)
	for n = 1, 30 do -- numbers of channels come again
		local z = wagon(s, { Load = n })
		if n % 2 == 0 then z.Front:Destroy() end
		t:run(0.2)
		t:eq(a:copy(z).Front == nil, n % 2 == 0)
		z:Destroy()
	end
end)

scenario("R5.23 R5.20 a component of the class that was destroyed stays so over a reload", function(t)
	local s, a = begin(t, {})
	local x = wagon(s)
	local c = t:within(2, function() return a:copy(x) end)
	x.Front:Destroy()
	t:run(0.3)
	t:reload((WAGON.classes:gsub("Air = int%(1%)", "Air = int(1), Rim = int(2)"):gsub('{ "Air" }', '{ "Air", "Rim" }')))
	x.Back.Rim = 6
	t:within(2, function() return c.Back.Rim == 6 end)
	t:eq({ x.Front, c.Front }, { nil, nil })
	local b = t:client { name = "late" }
	local d = t:within(8, function() return b:copy(x) end)
	t:within(2, function() return d.Back.Rim == 6 end)
	t:eq(d.Front, nil)
end)
