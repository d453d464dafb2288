package scriptvm

import (
	"fmt"
	"strings"
	"unicode"

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
			Space: api.PlayerController, Name: "Teleport", Params: "target: string, data?: any, done?: StoreDone", Returns: "arrived: boolean?, err: string?",
			Doc:     "On the server: sends the player to another host of the cluster, by its name, its id or a label (C6). They play on here until they are there, and keep their identity, their profile and what GetSeamlessTravelState returns; data, up to 8 KB, reaches their new PlayerController's Teleported. The answer is true once they are there, or nil and a text, such as that no host has room; then they stay. In latent code the call waits for it. A call by the player's own controller or pawn hears only that they stay: once they are there, these are gone here.",
			Example: `pc:Teleport("arena", { Door = self.Tag }, function(there, err) if err then pc:ClientMessage(err) end end)`,
			Do:      (*VM).teleport,
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

func (v *VM) teleport(L *lua.LState) int {
	pc := v.self(L)
	if v.world.NetMode == engine.NMClient {
		L.RaiseError("Teleport: only the server sends players to other hosts; let a function that is a call to the server do this")
	}
	target := checkString(L, 2)
	if target == "" || len(target) > maxTarget || strings.ContainsFunc(target, unicode.IsControl) {
		argError(L, 2, "the name, the id or a label of a host")
	}
	if v.opt.Teleport == nil {
		L.RaiseError("Teleport: this world has no way to other hosts")
	}
	var data []byte
	if L.Get(3) != lua.LNil {
		data = v.packed(L, 3)
	}
	done, n := v.asks(L, 4)
	v.opt.Teleport(pc, target, data, func(err error) {
		if v.closed {
			return
		}
		if err != nil {
			err = fmt.Errorf("Teleport(%q): %w", target, err)
		}
		done([]lua.LValue{lua.LTrue}, err)
	})
	return n
}

// maxTarget bounds the name of a host, in bytes.
const maxTarget = 128
