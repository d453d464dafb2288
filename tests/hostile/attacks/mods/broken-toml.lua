-- rules: G1 G6
-- tries: A mod.toml that is none.
-- expect: mod\.toml
-- refused: true
-- spawn: none

local BrokenToml = class("BrokenToml", "Actor")

return BrokenToml

-- file: mod.toml
name = "../../evil"
version = [[[
