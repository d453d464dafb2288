-- rules: G1 G2
-- tries: Latent code fails again and again.
-- expect: LatentThrows:.*\[mod latent-throws\]

local LatentThrows = class("LatentThrows", "Actor")

LatentThrows.state("Go", {})
LatentThrows.auto_state = "Go"

function LatentThrows.state.Go:Code()
	Sleep(0.1)
	self:Fail()
end

function LatentThrows:Fail()
	self:SetTimer(0.05, false, "Again")
	error("asleep")
end

function LatentThrows:Again()
	self:GotoState("")
	self:GotoState("Go")
end

return LatentThrows
