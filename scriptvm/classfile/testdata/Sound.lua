-- Sound: what may be right, of which nothing is said.
local Sound = class("Sound", "Pawn")

Sound.properties { Prize = ref("Actor"), Kind = classref("Weapon") }

local helper = {}
function helper.Place() return vector(0, 0, 0) end

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

function Sound:Touch(other)
	other = other.Owner or other
	other:Respond(1, 2, 3)
end

function Sound:Respond() end

return Sound
