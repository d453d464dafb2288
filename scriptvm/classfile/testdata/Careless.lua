-- Careless: what a careless modder writes. Every function but Respond has a line of which something is reported.
local Careless = class("Careless", "Character")

Careless.properties {
	Things = fastarray(struct { Kind = int(0) }),
	Marks = array(int(0), 4),
	Note = struct { Text = "" },
	Mode = enum("Idle", "Busy"),
	Kind = classref("Weapon"),
	Prey = ref("Pawn"),
}

Careless.components { Animation = "AnimationComponent" }

function Careless:Respond(_) end

function Careless:F1()
	local r = self:Spawn("Rifle"); r.ClpSize = 3
end

function Careless:F2()
	self.SetLocation(vector(1, 2, 3))
end

function Careless:F3()
	self.SetTimer(2, false, "Foo")
end

function Careless:F4()
	local opts = { Locatoin = vector(0, 0, 0) }; self:Spawn("Rifle", opts)
end

function Careless:F5()
	local opts = { Location = 5 }; self:Spawn("Rifle", opts)
end

function Careless:F6()
	self:SetTimer(1, false, self.Respond)
end

function Careless:F7()
	self:SetTimer(1, false, "Respnd")
end

function Careless:F8()
	self:SetTimer("Respond", 1)
end

function Careless:F9()
	self:SetTimer(1, "Respond")
end

function Careless:F10()
	self:ClearTimer(5)
end

function Careless:F11()
	self:ClearTimer("Respnd")
end

function Careless:F12()
	self:PlaySound("sounds/boom.toml", vector(1, 2, 3))
end

function Careless:F13()
	self:PlaySound("sounds/boom.toml", { Locaton = vector(1, 2, 3) })
end

function Careless:F14()
	self:PlaySound("sounds/boom.toml", { Location = 5 })
end

function Careless:F15()
	self:PlaySound()
end

function Careless:F16()
	self:PlaySound(nil)
end

function Careless:F17()
	self:SetRotation(90)
end

function Careless:F18()
	self:SetRotation(rotator(0, 90, 0):Vector())
end

function Careless:F19()
	self.Rotation = 90
end

function Careless:F20()
	self.Rotation = self.Location:Rotation():Vector()
end

function Careless:F21()
	self.Velocity = 5
end

function Careless:F22()
	self.Velocity = self.Velocity + 5
end

function Careless:F23()
	self.Velocity = self.Rotation * 2
end

function Careless:F24()
	self.Velocity.Z = 5
end

function Careless:F25()
	local v = self.Location + self.Rotation; log(v)
end

function Careless:F26()
	local v = 5 / self.Location; log(v)
end

function Careless:F27()
	local b = self.Location < vector(1, 2, 3); log(b)
end

function Careless:F28()
	local s = "at " .. self.Location; log(s)
end

function Careless:F29()
	local n = #self.Location; log(n)
end

function Careless:F30()
	local n = self.Location + 1; log(n)
end

function Careless:F31()
	local n = self + 1; log(n)
end

function Careless:F32()
	local n = world + 1; log(n)
end

function Careless:F33()
	local n = -self; log(n)
end

function Careless:F34()
	local n = self.Location.Size2D() ; log(n)
end

function Careless:F35()
	local n = self.Location:X(); log(n)
end

function Careless:F36()
	local n = self.Location[1]; log(n)
end

function Careless:F37()
	local n = self.Health(); log(n)
end

function Careless:F38()
	local n = self.Location(); log(n)
end

function Careless:F39()
	local h = self:Trace(self.Location); log(h)
end

function Careless:F40()
	local h = self:Trace(self.Location, self.Location); log(h.Actr)
end

function Careless:F41()
	local h = self:Trace(self.Location, self.Location); log(h.actor)
end

function Careless:F42()
	local h = self:Trace(self.Location, self.Location); log(h:Size())
end

function Careless:F43()
	local h = self:Trace(self.Location, self.Location); h.Actor:Explod()
end

function Careless:F44()
	local h = self:Trace(self.Location, self.Location, true); log(h)
end

function Careless:F45()
	local h = self:Trace(self.Location, self.Rotation); log(h)
end

function Careless:F46()
	if self:FastTrace() then log("x") end
end

function Careless:F47()
	if self:FastTrace(self.Location, 5) then log("x") end
end

function Careless:F48()
	world.Game.NumPlayrs = 3
end

function Careless:F49()
	world.Game.TimeLimit = "ten"
end

function Careless:F50()
	world.GameState.MatchState = "Done"
end

function Careless:F51()
	world.TimeSeconds = 5
end

function Careless:F52()
	world:Spawn()
end

function Careless:F53()
	world:Spawn("Rifel")
end

function Careless:F54()
	world:Spawn(5)
end

function Careless:F55()
	world:Spawn("Rifle", vector(1, 2, 3))
end

function Careless:F56()
	world:Spawn("Rifle", { 1, 2 })
end

function Careless:F57()
	world.Spawn("Rifle")
end

function Careless:F58()
	world:FindPath(self.Location)
end

function Careless:F59()
	world:Travel(5)
end

function Careless:F60()
	world:ActorsOf(self)
end

function Careless:F61()
	world:ActorsInRadius("Pawn", 500)
end

function Careless:F62()
	for _, p in ipairs(world:ActorsInRadius("Pawn", self.Location, 500)) do log(p) end
end

function Careless:F63()
	for p in self:ActorsOf("Pawn") do log(p) end
end

function Careless:F64()
	for _, p in ipairs(self) do log(p) end
end

function Careless:F65()
	for _, p in ipairs(self.Location) do log(p) end
end

function Careless:F66()
	for _, p in pairs(world) do log(p) end
end

function Careless:F67()
	for i = 1, self:ActorsOf("Pawn") do log(i) end
end

function Careless:F68()
	self:GotoState(self)
end

function Careless:F69()
	self:GotoState("Dyng")
end

function Careless:F70()
	self:TakeDamage("lots")
end

function Careless:F71()
	self:HurtRadius(10, self.Location)
end

function Careless:F72()
	self:HurtRadius(10, 200, "Respond")
end

function Careless:F73()
	self:MakeNoise("loud")
end

function Careless:F74()
	self:SetPhysics("Falling")
end

function Careless:F75()
	self:SetPhysics("PHYS_Falling")
end

function Careless:F76()
	self:SetCollision()
end

function Careless:F77()
	self:SetCollision("on")
end

function Careless:F78()
	self:SetOwner("Rifle")
end

function Careless:F79()
	self:SetOwner(self:GetId())
end

function Careless:F80()
	self:SetBase(vector(1, 2, 3))
end

function Careless:F81()
	self:IsA(5)
end

function Careless:F82()
	self:IsA(self)
end

function Careless:F83()
	self.Destroy()
end

function Careless:F84()
	self:AddComponent("Rifle", "X")
end

function Careless:F85()
	self:AddComponent("AnimationComponent")
end

function Careless:F86()
	self.Controller:Possess(5)
end

function Careless:F87()
	self.Controller:Possezz(self)
end

function Careless:F88()
	self.Controller.Pawn.Helth = 5
end

function Careless:F89()
	self.Controller = 5
end

function Careless:F90()
	self.Owner = "me"
end

function Careless:F91()
	self.Instigator:Fire()
end

function Careless:F92()
	self.Role = ROLE_Authority
end

function Careless:F93()
	self.bHidden = 1
end

function Careless:F94()
	self.bHidden = "true"
end

function Careless:F95()
	self.Health = self.Health .. "1"
end

function Careless:F96()
	self.Health = nil
end

function Careless:F97()
	self.Health = true
end

function Careless:F98()
	self.Tag = 5
end

function Careless:F99()
	self.LifeSpan = "5"
end

function Careless:F100()
	log:Write("x")
end

function Careless:F101()
	math.random("x")
end

function Careless:F102()
	math.floor("x")
end

function Careless:F103()
	math.floor(self.Location)
end

function Careless:F104()
	math.max(self.Location, 5)
end

function Careless:F105()
	("x"):foo()
end

function Careless:F106()
	table.insert("x", 5)
end

function Careless:F107()
	tostring()
end

function Careless:F108()
	vector({ 1, 2, 3 })
end

function Careless:F109()
	vector("1", "2")
end

function Careless:F110()
	rotator(vector(1, 2, 3))
end

function Careless:F111()
	rotator(0, "90", 0)
end

function Careless:F112()
	local a = vector(1, 2, 3); a.X = 5
end

function Careless:F113()
	local a = self.Location; a.X = 5
end

function Careless:F114()
	self:SetNetDormancy(COND_OwnerOnly)
end

function Careless:F115()
	self:SetNetDormancy("x")
end

function Careless:F116()
	self:SetDynamicCondition("Health", ROLE_Authority)
end

function Careless:F117()
	self:SetCustomIsActive("Helth", true)
end

function Careless:F118()
	self:PlayMontage(5)
end

function Careless:F119()
	self:PlayMontage("animations/die.toml", 5)
end

function Careless:F120()
	self:PlayTimeline("x", 5)
end

function Careless:F121()
	self:PlayTimeline("x", { Lenth = 5 })
end

function Careless:F122()
	self:AddImpulse(5)
end

function Careless:F123()
	self:SetAngularVelocity(rotator(1, 2, 3))
end

function Careless:F124()
	self:SetWheels(5)
end

function Careless:F125()
	self:Drive("x", 1, 1)
end

function Careless:F126()
	self:StartMove(self.Location, "x")
end

function Careless:F127()
	self:Move(5, 5, 5)
end

function Careless:F128()
	self:SmoothMove()
end

function Careless:F129()
	self:SetTickEnabled("on")
end

function Careless:F130()
	self:SetTickEnabled()
end

function Careless:F131()
	self.Weapon.Rounds.Clp = 5
end

function Careless:F132()
	self.Weapon.Rounds.Clip = "x"
end

function Careless:F133()
	self.Weapon.Rounds = 5
end

function Careless:F134()
	log(self.Weapon.Rounds.Clp)
end

function Careless:F135()
	self.Weapon.Rounds:Add(5)
end

function Careless:F136()
	self.Things:Add(5)
end

function Careless:F137()
	self.Things:Add({ Knd = 1 })
end

function Careless:F138()
	self.Things:Set({ Kind = 1 })
end

function Careless:F139()
	self.Things:Remove("x")
end

function Careless:F140()
	self.Things:Get("x")
end

function Careless:F141()
	self.Things[1] = 5
end

function Careless:F142()
	self.Things.Kind = 5
end

function Careless:F143()
	self.Marks[1] = "x"
end

function Careless:F144()
	self.Marks[0] = 1
end

function Careless:F145()
	self.Marks[9] = 1
end

function Careless:F146()
	self.Marks.X = 1
end

function Careless:F147()
	self.Marks:Add(1)
end

function Careless:F148()
	self.Marks = { 1, "x" }
end

function Careless:F149()
	self.Note = { Txt = "x" }
end

function Careless:F150()
	self.Note.Txt = "x"
end

function Careless:F151()
	self.Mode = "Nope"
end

function Careless:F152()
	self.Kind = "Rocket"
end

function Careless:F153()
	self.Kind = "Rokcet"
end

function Careless:F154()
	self.Kind = 5
end

function Careless:F155()
	self.Prey = "Rifle"
end

function Careless:F156()
	self.Prey = self:Spawn("Rifle")
end

function Careless:F157()
	self.Prey = self.Prey:GetClass()
end

function Careless:F158()
	local c = self:GetClass(); c:Spawn()
end

function Careless:F159()
	local c = Careless; c:Respond()
end

function Careless:F160()
	Careless.Respond()
end

function Careless:F161()
	Careless.Respnd(self)
end

function Careless:F162()
	Careless.super.Respnd(self)
end

function Careless:F163()
	self.super.BeginPlay(self)
end

function Careless:F164()
	self.Animation:NoSuch()
end

function Careless:F165()
	local x = self.Animation.Phse; log(x)
end

function Careless:F166()
	self.Animation.Phase = "x"
end

function Careless:F167()
	local pc = self:GetOwningPlayer(); pc:ClientMesage("x")
end

function Careless:F168()
	local pc = self:GetOwningPlayer(); pc.PlayerReplicationInfo.Scor = 5
end

function Careless:F169()
	local pc = self:GetOwningPlayer(); pc.PlayerReplicationInfo.Score = "x"
end

function Careless:F170()
	local pc = self:GetOwningPlayer(); pc:ClientMessage(5)
end

function Careless:F171()
	self:SetTimer(self.Location, false, "Respond")
end

function Careless:F172()
	self:SetTimer({ 1 }, false, "Respond")
end

function Careless:F173()
	self:ClearTimer(self)
end

function Careless:F174()
	if self:GetTimerLeft("Respond"):Size() > 1 then log("x") end
end

function Careless:F175()
	self:PlaySound("sounds/boom.toml", { bNotReplicated = 5 })
end

function Careless:F176()
	self:PlaySound({ "sounds/boom.toml" })
end

function Careless:F177()
	self:SetRotation(self:GetUpVector())
end

function Careless:F178()
	local v = self.Rotation:Size(); log(v)
end

function Careless:F179()
	local v = self.Rotation:Normal(); log(v)
end

function Careless:F180()
	local v = self.Rotation + vector(0, 90, 0); log(v)
end

function Careless:F181()
	local v = self.Rotation.X; log(v)
end

function Careless:F182()
	local v = self.Location.Yaw; log(v)
end

function Careless:F183()
	local v = self.Rotation:With { X = 5 }; log(v)
end

function Careless:F184()
	local v = self.Location:With { x = 5 }; log(v)
end

function Careless:F185()
	local v = self.Location:Dot(5); log(v)
end

function Careless:F186()
	local v = self.Location:Distance(self.Controller); log(v)
end

function Careless:F187()
	local v = vector.new(1, 2, 3); log(v)
end

function Careless:F188()
	local v = self:Trace(self.Location, self.Location).Actor.Location.W; log(v)
end

function Careless:F189()
	local hit = self:Trace(self.Location, self.Location); self:SetLocation(hit)
end

function Careless:F190()
	local hit = self:Trace(self.Location, self.Location); self:SetLocation(hit.Distance)
end

function Careless:F191()
	local hit = self:Trace(self.Location, self.Location); hit.Actor:TakeDamage(hit)
end

function Careless:F192()
	local hit = self:Trace(self.Location, self.Location, { ignore = "me" }); log(hit)
end

function Careless:F193()
	local hit = self:Trace(self.Location, self.Location, { radius = "10" }); log(hit)
end

function Careless:F194()
	local steps = world:FindPath(self.Location, self.Location); log(steps.Location)
end

function Careless:F195()
	local steps = world:FindPath(self.Location, self.Location); for _, s in ipairs(steps) do log(s.Knd) end
end

function Careless:F196()
	local steps = world:FindPath(self.Location, self.Location); for _, s in ipairs(steps) do self:SetLocation(s) end
end

function Careless:F197()
	world.Game:RestartPlayr(self.Controller)
end

function Careless:F198()
	world.Game:Broadcst("hello")
end

function Careless:F199()
	world.Game.bDelayedStrat = true
end

function Careless:F200()
	world.Game.MinPlayers = 1.5
end

function Careless:F201()
	world.Game.DefaultPawnClass = "Rifle"
end

function Careless:F202()
	world.Game.DefaultPawnClass = self
end

function Careless:F203()
	world.GameState.TeamScores[5] = 1
end

function Careless:F204()
	world:Travel()
end

function Careless:F205()
	world:Travel({ "arena" })
end

function Careless:F206()
	world.NetMode = NM_Client
end

function Careless:F207()
	if world.NetMode() == NM_Client then log("x") end
end

function Careless:F208()
	if world:IsServer() then log("x") end
end

function Careless:F209()
	log(world.Time)
end

function Careless:F210()
	log(world:TimeSeconds())
end

function Careless:F211()
	self:Destroy().x = 5
end

function Careless:F212()
	self.Controller.Possess(self)
end

function Careless:F213()
	self.Controller:UnPosseds()
end

function Careless:F214()
	self:HurtRadius({ 10 }, 20)
end

function Careless:F215()
	self:MakeNoise(self)
end

function Careless:F216()
	self:AddImpulse(vector(1, 2, 3), 5)
end

function Careless:F217()
	self:PlayBoxTrack("head")
end

function Careless:F218()
	self:SetCollisionSize(34)
end

function Careless:F219()
	self:SetCollisionSize(vector(34, 44, 0))
end

function Careless:F220()
	self:StartMove(vector(1, 2, 3))
end

function Careless:F221()
	self:AddComponent("Nope", "X")
end

function Careless:F222()
	self:AddComponent(5, "X")
end

function Careless:F223()
	self:Spawn("AnimationComponent")
end

function Careless:F224()
	self:Spawn({ "Rifle" })
end

function Careless:F225()
	self:SpawnEffect("Explosion", { Location = self.Location })
end

function Careless:F226()
	self:SpawnEffect("Explosion", self.Rotation)
end

function Careless:F227()
	local opts = {}; opts.Locatoin = self.Location; self:Spawn("Rifle", opts)
end

function Careless:F228()
	local opts = { actor = false }; self:Trace(self.Location, self.Location, opts)
end

function Careless:F229()
	local opts = { Rate = "fast" }; self:PlayTimeline("T", "animations/die.toml", opts)
end

function Careless:F230()
	local item = { Knd = 1 }; self.Things:Add(item)
end

function Careless:F231()
	self.Marks = { 1, 2, 3, 4, 5 }
end

function Careless:F232()
	for i, m in ipairs(self.Marks) do log(i, m) end
end

function Careless:F233()
	for k, m in pairs(self.Things) do log(k, m) end
end

function Careless:F234()
	for k, m in self.Things do log(k, m) end
end

function Careless:F235()
	log(self.Marks.Length)
end

function Careless:F236()
	log(self.Things.Count)
end

function Careless:F237()
	log(self.Note.Length)
end

function Careless:F238()
	log(#self.Note)
end

function Careless:F239()
	log(-self.Marks)
end

function Careless:F240()
	log(self.Marks + 1)
end

function Careless:F241()
	log("n: " .. self.Marks)
end

function Careless:F242()
	log("me: " .. self)
end

function Careless:F243()
	log("where: " .. self.Controller)
end

function Careless:F244()
	log("yes: " .. true)
end

function Careless:F245()
	log(1 < "2")
end

function Careless:F246()
	log(self < self)
end

function Careless:F247()
	log(self.bHidden + 1)
end

function Careless:F248()
	log(self.bHidden > 0)
end

function Careless:F249()
	log(nil + 1)
end

function Careless:F250()
	log(math.sqrt(self.Velocity))
end

function Careless:F251()
	log(math.abs())
end

function Careless:F252()
	log(math.max("a", 1))
end

function Careless:F253()
	log(string.sub("x", "y"))
end

function Careless:F254()
	log(string.rep("x"))
end

function Careless:F255()
	log(table.concat("x"))
end

function Careless:F256()
	table.sort(5)
end

function Careless:F257()
	table.insert(5, 5)
end

function Careless:F258()
	log(ipairs(5))
end

function Careless:F259()
	log(tostring())
end

function Careless:F260()
	log(self.Health:upper())
end

function Careless:F261()
	log(("x"):size())
end

function Careless:F262()
	log(self:GetClass():size())
end

function Careless:F263()
	log(self.bHidden.x)
end

function Careless:F264()
	self.bHidden.x = 5
end

function Careless:F265()
	self.Health.x = 5
end

function Careless:F266()
	self.Animation.GroundSpce = "x"
end

function Careless:F267()
	self.Animation.Phase = self.Location
end

function Careless:F268()
	log(self.Animation.Leadr)
end

function Careless:F269()
	self.Inventory.Inventory.Nope = 1
end

function Careless:F270()
	self:GetOwningPlayer().bReadyToPlya = true
end

function Careless:F271()
	self:GetOwningPlayer().PlayerReplicationInfo.PlayerName = 5
end

function Careless:F272()
	self:GetOwningPlayer():GetServerTime():Size()
end

function Careless:F273()
	local t = self:Touching(); t[1]:Explod()
end

function Careless:F274()
	local t = self:ActorsInRadius("Rifle", 100); for _, r in ipairs(t) do r.Zapp = 1 end
end

function Careless:F275()
	local pawns = self:ActorsOf("Pawn"); pawns[1].Helth = 5
end

function Careless:F998()
	self.Lokation = vector(1, 2, 3)
end

function Careless:F999()
	local r = self:Spawn("Rifle"); r.ClipSise = 3; log(r.ClipSise)
end

return Careless
