-- rules: G1 G6
-- tries: A mod.toml that names a folder elsewhere.
-- expect: mod\.toml
-- refused: true
-- spawn: none

local EscapingName = class("EscapingName", "Actor")

return EscapingName

-- file: mod.toml
name = "../../../core"
version = "1.0"
