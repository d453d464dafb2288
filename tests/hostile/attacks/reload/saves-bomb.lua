-- rules: G3 G7
-- tries: Saves a file of two hundred thousand braces while the match goes on.
-- expect: not reloaded
-- late: true
-- spawn: none

local bomb = @repeat(200000, {)@
