-- rules: G6
-- tries: A hundred latent codes that work in every tick.
-- expect: Latent.*\[mod latent\]
-- spawn: Latent*100

local Latent = class("Latent", "Actor")

Latent.state("Go", {})
Latent.auto_state = "Go"

function Latent.state.Go:Code()
	while true do
		self:Work()
		Sleep(0)
	end
end

function Latent:Work()
	local x = 0
	for i = 1, 10000 do
		x = x + i
	end
	self.n = x
end

return Latent
