-- laptime: times of laps as people read them.
local laptime = {}

-- Returns a time in seconds as text, to a hundredth: 1:02.35.
function laptime.Text(seconds)
	local hundredths = math.floor(seconds * 100 + 0.5)
	return ("%d:%05.2f"):format(math.floor(hundredths / 6000), hundredths % 6000 / 100)
end

return laptime
