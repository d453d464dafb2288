-- WebBot: a bot without a brain. It stands where it is put.
local WebBot = class("WebBot", "Bot")

function WebBot:PostBeginPlay() end

return WebBot
