package control

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

// maxShown bounds the text of an error in a line, in characters.
const maxShown = 300

// errors shows the script errors of the match, the latest first.
func (c control) errors(_ *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	e := inspect.ErrorsOf(m, s)
	if len(e.Errors) == 0 && e.Dropped == 0 {
		return []string{"no script errors in this match"}, nil
	}
	var out []string
	for i := range e.Errors {
		if i == listed {
			out = append(out, engine.Counted(len(e.Errors)-i, "other"))
			break
		}
		out = append(out, errorLine(&e.Errors[i], e.Time))
	}
	if e.Dropped > 0 {
		out = append(out, engine.Counted(e.Dropped, "report")+" of clients dropped: too many, or of no function of the match")
	}
	return out, nil
}

// errorLine formats an error: when and how often, where, what, who. Texts from players are quoted (G19).
func errorLine(x *inspect.ScriptError, now float64) string {
	line := fmt.Sprintf("%s %s, %s, ", x.Side, x.Kind, times(x.Count))
	if x.Count > 1 {
		line += fmt.Sprintf("first %.0f s ago, ", max(0, now-x.First))
	}
	line += fmt.Sprintf("last %.0f s ago: ", max(0, now-x.Last))
	switch {
	case x.Function != "":
		line += x.Class + ":" + x.Function + ": "
	case x.Class != "":
		line += x.Class + ": "
	}
	if x.File != "" {
		line += fmt.Sprintf("%s:%d: ", x.File, x.Line)
	}
	message := x.Message
	if r := []rune(message); len(r) > maxShown {
		message = string(r[:maxShown-1]) + "…"
	}
	if x.Side == "client" || len(x.Names) > 0 || strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }) {
		message = strconv.Quote(message)
	}
	line += message
	who := ""
	if x.Actor != "" {
		who = x.Actor
	}
	for _, n := range x.Names {
		if who != "" {
			who += ", "
		}
		who += strconv.Quote(n)
	}
	if n := x.Players - len(x.Names); n > 0 {
		if who != "" {
			who += ", "
		}
		who += engine.Counted(n, "other player")
	}
	if who != "" {
		line += " (" + who + ")"
	}
	if x.Layer != "" {
		line += " [" + x.Layer + "]"
	}
	return line
}

// times formats how often something happened.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
