package match

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

// CodeError is the code of a refusal caused by a fault of the game's own script, which was reported.
const CodeError = "error"

// NetGame is the game's side of joining over the network: GameInfo's PreLogin, Login, PostLogin and Logout (R8.3–R8.5). A fault
// in PreLogin or Login refuses the player; after one in PostLogin they stay in.
func (m *Match) NetGame() server.Game { return netGame{m} }

type netGame struct{ m *Match }

// brokenLogin is the text for a player refused because of a fault. Only the operator's log has the details.
const brokenLogin = "the server's game has a fault in "

// PreLogin calls the game before anything is spawned.
func (g netGame) PreLogin(options, address string) (text, code string) {
	if h := g.m.opt.Hops; h != nil && h.Reserved() > 0 {
		if most := g.m.MaxPlayers(); most > 0 && len(g.m.World.ActorsOf("PlayerController"))+h.Reserved() >= most {
			return "the server is full: places are kept for players who come from another one", "full"
		}
	}
	out, err := g.m.VM.Call(g.m.Game, "PreLogin", engine.String(options), engine.String(address))
	if err != nil {
		return brokenLogin + "PreLogin", CodeError
	}
	return textOf(out, 0), textOf(out, 1)
}

// Login makes the PlayerController.
func (g netGame) Login(portal, options string) (pc *engine.Actor, text, code string) {
	pc, err := g.m.login(portal, options)
	return g.answer("Login", pc, err)
}

// PostLogin tells the game that the player is in.
func (g netGame) PostLogin(pc *engine.Actor) {
	if h := g.m.opt.Hops; h != nil {
		if pri := g.m.playerState(pc); pri != nil && h.Expected(g.m.uniqueID(pri)) {
			h.In(g.m.uniqueID(pri))
		}
	}
	_ = g.m.postLogin(pc) // the VM has reported it
	g.m.greet(pc)
}

// Logout tells the game that the player has left, and ends their controller.
func (g netGame) Logout(pc *engine.Actor) {
	_ = g.m.Logout(pc) // the VM has reported it
}

// textOf returns a string among a call's results, "" if there is none.
func textOf(out []engine.Value, i int) string {
	if i < len(out) && out[i].Kind == engine.KindString {
		return out[i].Str
	}
	return ""
}
