-- SkirmishPawn: a body in the skirmish. It shoots bolts and tells the game when it dies.
local SkirmishPawn = class("SkirmishPawn", "Character")

SkirmishPawn.properties {
	ReloadTime = float(0.6, { min = 0.05 }), -- seconds between two shots
	NextShot = float(0), -- world time from which on it may shoot again
	Spread = float(0.04, { min = 0, max = 1 }), -- how far a shot strays: 0 never, 1 anywhere ahead
}

-- Shoots at a place, if the weapon is ready. Returns the bolt.
function SkirmishPawn:ShootAt(place)
	if world.TimeSeconds < self.NextShot then
		return nil
	end
	self.NextShot = world.TimeSeconds + self.ReloadTime
	local eyes = self:GetViewLocation()
	local random = vector(math.random() - 0.5, math.random() - 0.5, math.random() - 0.5)
	local stray = random * (2 * self.Spread)
	local aim = ((place - eyes):Normal() + stray):Normal()
	self.FlashCount = (self.FlashCount + 1) % 256
	return self:Spawn("Bolt", {
		Location = eyes + aim * (self.CollisionRadius + 10),
		Rotation = aim:Rotation(),
		Owner = self,
		Instigator = self,
	})
end

-- What others call it.
function SkirmishPawn:GetDisplayName()
	local player = self.PlayerReplicationInfo
	if player then
		return player.PlayerName
	end
	local mind = self.Controller
	return mind and mind.BotName or self.Name
end

function SkirmishPawn:PickedUp(pickup)
	log(self:GetDisplayName() .. " picks up " .. pickup.Name .. ", health " .. self.Health)
end

return SkirmishPawn
