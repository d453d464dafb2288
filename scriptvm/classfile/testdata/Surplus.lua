-- Surplus: what is of no use, but no error. Every function but Respond has a line of which something is reported.
local Surplus = class("Surplus", "Character")

Surplus.properties {
	Things = fastarray(struct { Kind = int(0) }),
	Marks = array(int(0), 4),
	Note = struct { Text = "" },
	Mode = enum("Idle", "Busy"),
	Kind = classref("Weapon"),
	Prey = ref("Pawn"),
}

Surplus.components { Animation = "AnimationComponent" }

function Surplus:Respond(_) end

function Surplus:F1()
	local n = self.Location:Size(1, 2); log(n)
end

function Surplus:F2()
	self:Destroy(5)
end

function Surplus:F3()
	vector(1, 2, 3, 4)
end

function Surplus:F4()
	local a, b = vector(1, 2, 3), rotator(1, 2, 3); log(a == b)
end

function Surplus:F5()
	self:ForceNetUpdate(5)
end

function Surplus:F6()
	if self.Mode == "Nope" then log("x") end
end

function Surplus:F7()
	if self.Owner == "me" then log("x") end
end

function Surplus:F8()
	self:Respond(1, 2)
end

function Surplus:F9()
	if self.Health == "5" then log("x") end
end

function Surplus:F10()
	if self.Kind == 5 then log("x") end
end

function Surplus:F11()
	if self.Location ~= self.Rotation then log("x") end
end

return Surplus
