-- rules: G12
-- tries: Fails within pcall and logs what it caught.
-- expect: stage: the match is over

local LogPcalls = class("LogPcalls", "Actor")

function LogPcalls:Tick(_)
	for i = 1, 200 do
		local _, err = pcall(error, "caught " .. i)
		log(err)
	end
end

return LogPcalls
