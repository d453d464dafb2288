package join

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/view"
)

// typedHelp lists what can be typed at the prompt of a player who has joined.
const typedHelp = "eval LUA runs a line of Lua in your own copy of the match; for commands of the host begin a chat line with /"

// errNoMatch is for a line that needs a match, when there is none.
var errNoMatch = errors.New("you are not in the match")

// typed handles a line of the view's prompt. It concerns this player's own world alone: what it changes there the server does not know,
// and corrects; what it calls on the server is judged there as any call.
func (s *session) typed(line string) {
	answer, err := s.obey(line)
	switch {
	case err != nil:
		s.view.Line(view.Clean(err.Error()), true)
	case answer != "":
		s.view.Line(view.Clean(answer), false)
	}
}

func (s *session) obey(line string) (answer string, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "":
		return "", nil
	case word == "help":
		return typedHelp, nil
	case word != "eval":
		return "", fmt.Errorf("unknown command %q: %s", word, typedHelp)
	case rest == "":
		return "", errors.New("eval LUA: the line of Lua is missing")
	}
	m := s.p.Match()
	if m == nil {
		return "", errNoMatch
	}
	return m.VM.EvalLine("eval", rest)
}
