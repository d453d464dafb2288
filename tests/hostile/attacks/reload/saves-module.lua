-- rules: G3 G7
-- tries: Saves a module that replaces one that others use, and is empty.
-- expect: reloaded
-- late: true
-- spawn: none
-- as: lib/aiming.lua

return nil
