-- ShooterPlayer: the mind of a person in the sample game. Keys and prediction are the parent's;
-- this class is the place for what only players of this game have.
local ShooterPlayer = class("ShooterPlayer", "PlayerController")

return ShooterPlayer
