-- rules: G3 G7
-- tries: Saves a file that would take a minute to compile.
-- expect: not reloaded
-- late: true
-- spawn: none

local bomb = @repeat(100000, a^)@1
