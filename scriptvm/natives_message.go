package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// cleanText is world:CleanText(text, max).
func (v *VM) cleanText(L *lua.LState) int {
	text := checkString(L, 2)
	most := optNumber(L, 3, engine.MaxMessage)
	if !(most >= 0) {
		argError(L, 3, "a number of bytes, 0 or more")
	}
	v.vm.Charge(L, int64(len(text))/8)
	L.Push(lua.LString(engine.OneLine(text, int(math.Min(most, float64(len(text)*utf8Growth))))))
	return 1
}

// utf8Growth is how many bytes replace one that is no UTF-8: those of U+FFFD.
const utf8Growth = 3
