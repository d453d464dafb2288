-- rules: G1 G12
-- tries: Raises an error text as long as a string may be.
-- expect: ErrorHuge:Tick.*\[mod error-huge\]

local ErrorHuge = class("ErrorHuge", "Actor")

function ErrorHuge:Tick(_)
	error(("x"):rep(32000))
end

return ErrorHuge
