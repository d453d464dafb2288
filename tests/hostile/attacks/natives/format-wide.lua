-- rules: G7
-- tries: Formats to enormous widths.
-- expect: FormatWide:Tick.*\[mod format-wide\]

local FormatWide = class("FormatWide", "Actor")

function FormatWide:Tick(_)
	local wide = "%" .. "999999999d"
	self.s = wide:format(1)
end

return FormatWide
