-- RaceBot: a driver whom the host plays.
local RaceBot = class("RaceBot", "Bot")

RaceBot.defaults {
	BrainClass = "RaceBrain",
}

return RaceBot
