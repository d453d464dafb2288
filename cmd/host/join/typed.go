package join

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
)

// typedHelp describes what a player can type at their own console, on a terminal and in a browser.
const typedHelp = "eval LUA runs a line of Lua in your own copy of the match; anything else is a command of the host, if you have a role there; /help lists those"

// errNoMatch is for a line that needs a match, when there is none.
var errNoMatch = errors.New("you are not in the match")

// typed handles a line of the view's prompt.
func (s *session) typed(line string) {
	answer, err := s.p.Obey(line)
	switch {
	case err != nil:
		s.view.Line(view.Clean(err.Error()), true)
	case answer != "":
		s.view.Line(view.Clean(answer), false)
	}
}

// Obey runs a line of the player's console, and returns its answer; "" is none. "eval" concerns this player's own world alone: what it
// changes there the server does not know, and corrects; what it calls on the server is judged there as any call. Other lines are
// commands of the host, which judges them by the player's role and answers by messages of the match: they are sent as the chat line
// that begins with "/" is. "help" says so. An error is the player's, in one line.
func (p *Player) Obey(line string) (answer string, err error) {
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	line = strings.TrimPrefix(line, "/")
	rest = strings.TrimSpace(rest)
	m, pc := p.Match(), p.Controller()
	switch {
	case word == "":
		return "", nil
	case word == "help" && rest == "":
		return typedHelp, nil
	case word == "eval" && rest == "":
		return "", errors.New("eval LUA: the line of Lua is missing")
	case m == nil:
		return "", errNoMatch
	case word == "eval":
		return m.VM.EvalLine("eval", rest)
	case len(line) >= engine.MaxMessage:
		return "", fmt.Errorf("the command has %d bytes; the host takes up to %d", len(line), engine.MaxMessage-1)
	case pc == nil:
		return "", errNoMatch
	}
	p.Call(pc, "SayToAll", engine.String("/"+engine.OneLine(line, engine.MaxMessage-1)))
	return "", nil
}
