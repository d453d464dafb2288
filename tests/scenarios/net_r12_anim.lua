-- R12.7: montages, notifies, curves and timelines. content/animations has what is played here.

-- A pawn that notes what it is told of what plays on it.
local DANCER = [[
	local Dancer = class("Dancer", "Pawn")
	Dancer.defaults { bAlwaysRelevant = true, bCollideActors = false, bCollideWorld = false }
	function Dancer.simulated:Note(text)
		self.notes = (self.notes and self.notes .. " " or "") .. text
	end
	function Dancer.simulated:AnimNotify(name) self:Note(name) end
	function Dancer.simulated:AnimNotifyBegin(name) self:Note(name .. "(") end
	function Dancer.simulated:AnimNotifyEnd(name) self:Note(name .. ")") end
	function Dancer.simulated:MontageEnded(name, interrupted)
		self:Note((interrupted and "cut:" or "end:") .. name:match("/(%w+)%."))
	end
]]

local function notes(handle)
	return handle and handle.notes or ""
end

scenario("R12.7 clients hear every notify once and in order, the server those of gameplay", function(t)
	t:scripts(DANCER)
	local s = t:server { level = "flat" }
	local a = t:client { name = "a", preset = "internet" }
	local d = s:spawn("Dancer", { Location = vector(0, 0, 200) })
	t:within(5, function() return a:copy(d) end)
	t:run(1)
	d:PlayMontage("animations/slash.toml")
	t:run(2)
	t:eq(notes(d), "Strike( Strike) end:slash")
	t:eq(notes(a:copy(d)), "Swing Strike( Strike) end:slash")
end, { seeds = 5 })
