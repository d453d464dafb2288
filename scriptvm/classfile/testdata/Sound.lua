-- Sound: what may be right, of which nothing is said.
local Sound = class("Sound", "Pawn")

Sound.properties {
	Prize = ref("Actor"), Kind = classref("Weapon"), Mode = enum("", "Busy"), Marks = array(int(0), 4),
	Shells = fastarray(struct { Kind = int(0) }), Note = struct { Text = "" },
}

Sound.components { Animation = "AnimationComponent" }

local helper = {}
function helper.Place() return vector(0, 0, 0) end

local function v_or(other) return other.Location end

function Sound:BeginPlay()
	local q = self:Spawn("Rifle")
	q = self:Spawn("Rocket") or q
	q:Explode() -- of a Rocket
	local place = self.Prize and self.Prize.Location or helper.Place()
	self:SetLocation(place)
	self:SetLocation(helper.Place())
	self:SetTimer(2, self.Prize, "Respond")
	self:Spawn(self.Kind, { ClipSize = 5, Location = place })
	self:Spawn(self.Kind or "Rifle", { Owner = self.Owner, Instigator = self })
	self.Prize:Respond() -- a child of Actor has it
	if self.Prize.Optional then
		self.Prize:Optional()
	end
	self.callback = function() end
	self.Prize:callback()
	local v = self.Location * 2 + vector(1, 0, 0) - self.Velocity / 3
	self:SetLocation(v * v:Size())
	self:SetLocation((self:GetMovePlace()))
	world:Trace(self.Location, v, { ignore = self, actors = self.Prize ~= nil })
	world:Trace(self.Location, v, { ignore = { self, self.Prize } })
	self:PlaySound("sounds/boom.toml", { Location = v })
	local mode = self.bHidden and PHYS_Flying or PHYS_Walking
	self:SetPhysics(mode)
	pcall(function() self:SetLocation(5) end)
	self:SetLocation(unpack({ v }))
	world.Game:RestartPlayer(self.Controller)
	self:Log(v.X, self.Rotation.Yaw, world.TimeSeconds)
	local late
	late = self.Prize
	if late then
		late:SetOwner(nil)
	end
end

local shared = { Location = vector(1, 2, 3) }

function Sound:Operators()
	local v = self.Location * self.Velocity * 2 - -self.Acceleration / 2
	local r = self.Rotation * 0.5 + -self.Rotation / 2 - 2 * self.Rotation
	local n = "5" + 1 + #"x" + #self.Marks + #self.Shells + v.X % 5 ^ 2
	log(v, r, n .. "x" .. 5, v == vector(), r ~= nil, self.Owner == self, self.Mode == "Busy", self.Mode ~= "")
	self.noted = self.Prize and "x"
	local text = self.noted
	if text and text < "x" or self.Prize ~= nil and self.Prize == self.Controller then
		log(text .. "y")
	end
	for i = 1, #self.Marks do
		self.Marks[i] = self.Marks[i] + 1
	end
	for key, item in self.Shells:Pairs() do
		log(key, item.Kind)
	end
	for _, other in ipairs(self:ActorsOf("Rifle")) do
		other.ClipSize = other.ClipSize + 1
	end
	for k in pairs(shared) do
		log(k)
	end
	for k in next, shared do
		log(k)
	end
	for piece in ("a,b"):gmatch("[^,]+") do
		log(piece:upper(), #piece)
	end
	self.Marks = { 1, 2 }
	self.Note = { Text = "x" }
	self.Kind = "Rifle"
end

function Sound:Dots(callback)
	self.callback(5)
	Sound.Respond(self)
	Sound.super.BeginPlay(self)
	self.Respond(self)
	self.SetLocation(self, self.Location)
	local set = self.SetLocation
	set(self, vector(1, 2, 3))
	callback(self)
	local v = self.Location
	log(v.Size(v), world.ActorsOf(world, "Pawn"))
	local how = pcall(self.SetLocation, self, 5)
	log(how, math.floor(v.X), math.max(1, v.Y), string.format("%s %d", self, 5), table.concat({ 1, 2 }, ","))
	log(math.floor("5"), string.rep("x", 3), tostring(nil), tonumber("x"), math.random(), math.random(6))
end

function Sound:Others(other)
	local rifle = self:Spawn("Rifle")
	rifle.mark = self -- a value of the script's own, which is read below
	log(rifle.mark, rifle.Rounds.Clip)
	if other.Combat then
		other.Combat:Hit()
	end
	if other:IsA("Weapon") then
		log(other.ClipSize, other.Rounds.Spare)
	end
	self.Controller.Pawn.Health = 5
	self.Animation.Phase = 0.5
	self.Animation:Landed()
	world.GameState.TeamScores[1] = 2
	local hit = self:Trace(self.Location, v_or(self))
	if hit and hit.Actor then
		hit.Actor:TakeDamage(5, self, hit.Location, vector(), "test")
		hit.Actor:TakeDamage(5)
		hit.seen = true
	end
	log(hit.seen)
end

function Sound:Tables()
	self.locations = {} -- is near a name, and read below
	self.healing = 5 -- is near none
	log(self.locations)
	local options = { Location = self.Location }
	options.Owner = self
	self:Spawn("Rifle", options)
	options.Wrong = 1
	local cleared = { Wrong = 1 }
	cleared.Wrong = nil
	self:Spawn("Rifle", cleared)
	local changed = { Wrong = 1 }
	changed = { Location = self.Location }
	self:Spawn("Rifle", changed)
	self:Spawn("Rifle", shared)
	self:SetLocation((self:GetMovePlace()))
	self:SetRotation(self.Location:Rotation())
	self:SetBase(self:GetOwningPlayer())
end

function Sound:Touch(other)
	other = other.Owner or other
	other:Respond(1, 2, 3)
end

function Sound:Respond() end

return Sound
