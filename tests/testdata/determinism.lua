-- Ten minutes of everything that could depend on chance, on order or on time; determinism_test.go compares
-- the hashes that it logs.
local CROWD = [[
	local Walker = class("Walker", "AIController")
	Walker.properties { Trips = int(0) }
	Walker.auto_state = "Roam"
	Walker.state("Roam", {})
	function Walker.state.Roam:Code()
		while true do
			self:MoveTo(vector(math.random(-1500, 1500), math.random(-1500, 1500), 0), 60)
			local started = world.TimeSeconds
			WaitFor(function() return self:HasArrived() or world.TimeSeconds - started > 8 end)
			self.Trips = self.Trips + 1
			Sleep(math.random() * 2)
			if self.Pawn and math.random() < 0.3 then self.Pawn:DoJump() end
		end
	end

	local Dice = class("Dice")
	Dice.properties { Sum = float(0), Faces = array(int(0), 6), Last = struct { Face = int(1), At = float(0) }, Log = fastarray(struct { Face = int(0) }) }
	function Dice:Tick(dt)
		local face = math.random(6)
		self.Faces[face] = self.Faces[face] + 1
		self.Last = { Face = face, At = world.TimeSeconds }
		self.Sum = self.Sum + dt * face
		if face == 6 and math.random() < 0.05 then
			local key = self.Log:Add { Face = face }
			if key > 8 then self.Log:Remove(key - 8) end
		end
	end

	local Spawner = class("Spawner")
	Spawner.properties { Made = int(0), Kept = ref("Dart") }
	function Spawner:BeginPlay() self:SetTimer(0.2 + math.random(), true) end
	function Spawner:Timer()
		self.Made = self.Made + 1
		self.Kept = self:Spawn("Dart", {
			Location = self.Location, Rotation = rotator(math.random(-4000, 4000), math.random(0, 65535), 0), LifeSpan = 0.5 + math.random() * 2,
		})
		self:SetTimer(0.2 + math.random(), true)
	end
	local Dart = class("Dart", "Projectile")
	Dart.defaults { Speed = 600, Bounce = 0.7, GravityScale = 0.5 }

	local Blinker = class("Blinker")
	Blinker.properties { N = int(0), Mode = enum("Off", "On") }
	Blinker.auto_state = "Dark"
	Blinker.state("Dark", {})
	function Blinker.state.Dark:Code()
		Sleep(math.random())
		self.Mode = "On"
		self:GotoState("Bright")
	end
	Blinker.state("Bright", {})
	function Blinker.state.Bright:Tick(_) self.N = self.N + 1 end
	function Blinker.state.Bright:Code()
		Sleep(math.random() * 0.5)
		self:PushState("Pause")
		Sleep(0.1)
		self.Mode = "Off"
		self:GotoState("Dark")
	end
	Blinker.state("Pause", {})
	function Blinker.state.Pause:Code()
		Sleep(0.3)
		self:PopState()
	end
]]

scenario("ten minutes", { budget = 700 }, function(t)
	t:scripts(CROWD)
	local s = t:server{ tick = 20, net = 10, mode = "standalone" }
	for i = 1, 6 do
		local mind = s:spawn("Walker")
		mind:Possess(s:spawn("Character", { Location = vector(150 * i, 300, 88.5) }))
	end
	for i = 1, 4 do
		s:spawn("Dice")
		s:spawn("Blinker")
		s:spawn("Spawner", { Location = vector(300 * i, -600, 300) })
	end
	for _ = 1, 10 do
		-- To and fro, so that the player stays on the floor.
		for _ = 1, 6 do
			s:input{ forward = math.random() * 2 - 1, strafe = math.random() * 2 - 1, jump = math.random() < 0.5, yaw = math.random(0, 65535) }
			t:run(2)
			s:input{ forward = 0, strafe = 0, jump = false }
			t:run(8)
		end
		log(string.format("%.0f", s.time), #s:actors("Actor"), s:hash())
	end
	t:eq(#s:log(), 0)
	t:gt(s:actors("Walker")[1].Trips, 10)
	t:gt(s:actors("Spawner")[1].Made, 100)
end)
