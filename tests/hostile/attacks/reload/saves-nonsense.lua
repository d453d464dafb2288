-- rules: G3 G7
-- tries: Saves a file that is no Lua while the match goes on.
-- expect: not reloaded
-- late: true
-- spawn: none
-- ci: true

this is no Lua at all {{{
