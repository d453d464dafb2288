package scriptvm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// maxURL bounds the URL of a level, in bytes: it is sent to clients (wire.MaxURL).
const maxURL = 1024

// travelURL returns the level that a script wants to travel to. The host finds out between two ticks whether it
// exists.
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

// travelNatives returns natives that travel to another level.
func travelNatives() []native {
	return []native{
		{
			Space: api.World, Name: "Travel", Params: "url: string",
			Doc:     "On the server: goes to another level between two ticks, with all players (R8.7). url is level?option=value; options it does not name stay as they are. If that fails, TravelFailed is called on the game, and the match continues in its level.",
			Example: `world:Travel("arena?bots=4")`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				url := v.travelURL(L, "Travel")
				v.checkMayTravel(L)
				v.world.Travel(url)
				return 0
			},
		},
		{
			Space: api.World, Name: "PrepareTravel", Params: "url: string",
			Doc:     "On the server: announces the level of the next world:Travel, so that the host can prepare it meanwhile and the travel is short. Nothing else changes.",
			Example: `world:PrepareTravel("arena")`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				v.world.PrepareTravel(v.travelURL(L, "PrepareTravel"))
				return 0
			},
		},
	}
}
