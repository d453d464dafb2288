package scriptvm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// maxURL bounds the URL of a level, in bytes: it is told to clients (wire.MaxURL).
const maxURL = 1024

// travelURL is the level that a script wants to go to. Whether there is such a level, the host finds out between two ticks.
func (v *VM) travelURL(L *lua.LState, name string) string {
	url := checkString(L, 2)
	switch {
	case v.world.NetMode == engine.NMClient:
		L.RaiseError("world:%s: only the server travels; its clients come along", name)
	case url == "" || len(url) > maxURL || strings.ContainsAny(url, "\r\n\x00"):
		L.RaiseError("world:%s: expected level?option=value in one line of at most %d bytes", name, maxURL)
	}
	return url
}
