-- range: a player whose aim is right on their screen, and a target that strafes and does not die.
local net = require("shared.net")

local range = {}

-- A rifle that fires forever and whose hits are counted, without rewinding too, a marksman who aims at what they see, and a target.
range.CLASSES = [[
	local Musket = class("Musket", "WeaponInstant")
	Musket.defaults {
		Damage = 1, FireInterval = 0.1, ClipSize = 0, InitialAmmo = 10000, MaxAmmo = 10000, EquipTime = 0.1,
	}
	local Blunderbuss = class("Blunderbuss", "Musket") -- as servers were before
	Blunderbuss.defaults { bUseServerSideRewind = false }

	local Marksman = class("Marksman", "PlayerController")
	Marksman.properties { bAims = true }
	function Marksman:TimeDiscrepancyDetected(how) self.found = how end
	function Marksman:PlayerTick(dt)
		local target = self:ActorsOf("Strafer")[1]
		if self.bAims and target and self.Pawn then
			local eyes = self.Pawn:GetViewLocation()
			self.ViewRotation = (target.Location + vector(0, 0, 35) - eyes):Rotation()
		end
		Marksman.super.PlayerTick(self, dt)
	end

	local Strafer = class("Strafer", "Character")
	Strafer.properties { Hits = int(0), Way = int(1) }
	Strafer.defaults { NetPriority = 3, AccelRate = 8192 }
	function Strafer:Tick(_)
		if self:HasAuthority() then
			if math.abs(self.Location.Y) > 1400 and self.Location.Y * self.Way > 0 then self.Way = -self.Way end
			self.Acceleration = vector(0, self.Way * self.AccelRate, 0)
		end
	end
	function Strafer:TakeDamage() self.Hits = self.Hits + 1 end

	local Shooter = class("Shooter", "Character")
	Shooter.defaults { DefaultInventory = { "Musket" } }
	local OldShooter = class("OldShooter", "Character")
	OldShooter.defaults { DefaultInventory = { "Blunderbuss" } }
	local Gallery = class("Gallery", "GameInfo")
	Gallery.defaults { DefaultPawnClass = "Shooter", PlayerControllerClass = "Marksman" }
	local OldGallery = class("OldGallery", "Gallery")
	OldGallery.defaults { DefaultPawnClass = "OldShooter" }
]]

-- A server with a game of the range, a marksman before the target, and the target.
function range.stand(t, game, options)
	t:scripts(range.CLASSES)
	local s, a = net.armed(t, { game = game }, options)
	s:pawn(a):SetLocation(vector(-1200, 0, 88.1))
	s:pawn(a).Velocity = vector()
	return s, a, s:spawn("Strafer", { Location = vector(0, 0, 88.1) })
end

return range
