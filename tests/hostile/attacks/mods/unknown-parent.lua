-- rules: G1 G6
-- tries: Declares a class whose parent there is not.
-- expect: error: .*Nobody
-- refused: true
-- spawn: none

local UnknownParent = class("UnknownParent", "Nobody")

return UnknownParent
