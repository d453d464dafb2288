-- Probe: everything that issue 8 names.
local Probe = class("Probe", "Pawn")

Probe.properties { Note = struct { Text = "" }, Shells = fastarray(struct { Kind = int(0) }) }

function Probe:BeginPlay()
	self:SetLocation(5)
	self:SetTimer("x", true)
	self:HurtRadius()
	self:PlaySound(7)
	self:SetLocation(self.Rotation)
	self:SetRotation(self.Location)
	world.Game:NoSuch()
	self:Spawn("Rifle", { Locatoin = vector(0, 0, 0) })
	local p = self:Spawn("Rifle")
	p.ClipSize = "many"
	p.ClipSize = 5
	if p then
		p:Fyre()
		p:SetLocation(vector(1, 2, 3), 4)
	end
	self:Trace(self.Location, self.Location + 5)
	self:Trace(self.Location, self.Location, { actor = false })
	self:SetPhysics(ROLE_Authority)
	self:SetPhysics(99)
	self:SetPhysics(PHYS_Falling)
	self.Location.X = 1
	self.Location = self.Rotation
	self.Note.Text = 5
	self.Shells:Add { Knd = 1 }
	self.Controller = self:Spawn("Rifle")
	for _, q in ipairs(self:ActorsOf("Pawn")) do
		q:Explod()
		q.Health = "x"
	end
	local v = vector(1, 2, 3)
	v:Siz()
	log(v.W, world.Gaem)
	vector("x")
	local ok = pcall(function() self:SetLocation(5) end)
	log(ok)
	self:Move(self:SaveMove())
	local either = ok and self:Spawn("Rifle") or self:Spawn("Rocket")
	either:Nope()
	self:AddImpulse(nil)
	world:ActorById("x")
	self:GotoState(5)
	self.bHidden = self.Location
end

function Probe:Touch(other)
	other:NoSuchThing()
	self:SetLocation(other)
	self:Log(other.Health)
end

return Probe
