-- rules: G1
-- tries: Raises nil.
-- expect: ErrorNil:Tick.*\[mod error-nil\]

local ErrorNil = class("ErrorNil", "Actor")

function ErrorNil:Tick(_)
	error(nil)
end

return ErrorNil
