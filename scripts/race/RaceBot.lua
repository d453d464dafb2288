-- RaceBot: a driver that the host controls.
local RaceBot = class("RaceBot", "Bot")

RaceBot.defaults {
	BrainClass = "RaceBrain",
}

return RaceBot
