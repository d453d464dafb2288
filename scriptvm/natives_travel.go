package scriptvm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// maxURL bounds the URL of a level, in bytes: it is told to clients (wire.MaxURL).
const maxURL = 1024

// travel asks for another level. Whether there is such a level, the host finds out between two ticks.
func (v *VM) travel(L *lua.LState) int {
	url := checkString(L, 2)
	switch {
	case v.world.NetMode == engine.NMClient:
		L.RaiseError("world:Travel: only the server travels; its clients come along")
	case url == "" || len(url) > maxURL || strings.ContainsAny(url, "\r\n\x00"):
		L.RaiseError("world:Travel: expected level?option=value in one line of at most %d bytes", maxURL)
	}
	v.world.Travel(url)
	return 0
}
