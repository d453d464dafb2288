-- rules: G2
-- tries: Half of the functions of a class fail, until the class is quarantined; the game plays on.
-- expect: HalfAClass.*quarantined.*\[mod half-a-class\]

local HalfAClass = class("HalfAClass", "Actor")

function HalfAClass:BeginPlay()
	for _, name in ipairs({ "One", "Two", "Three" }) do
		self:SetTimer(0.05, true, name)
	end
end

function HalfAClass:One()
	error("One")
end

function HalfAClass:Two()
	error("Two")
end

function HalfAClass:Three()
	error("Three")
end

return HalfAClass
