-- rules: G1
-- tries: Destroys the game and what everybody knows of it.
-- expect: EndsTheGame:Tick.*\[mod ends-the-game\]

local EndsTheGame = class("EndsTheGame", "Actor")

function EndsTheGame:Tick(_)
	world.Game:Destroy()
	world.GameState:Destroy()
end

return EndsTheGame
