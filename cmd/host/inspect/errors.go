package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
)

// Errors are the script errors of a match, on the server and on clients.
type Errors struct {
	// Time is the world's present age in seconds, as First and Last of errors are.
	Time   float64       `json:"time"`
	Errors []ScriptError `json:"errors"`
	// Dropped is how many reports of clients were dropped: there were too many, or they named no function of the match.
	Dropped int `json:"dropped"`
}

// ScriptError is one place and text that failed, however often.
type ScriptError struct {
	// Side is "server" or "client". Kind is "error" or "warning": something refused that is no fault of the script.
	Side string `json:"side"`
	Kind string `json:"kind"`
	// Class and Function are charged with it; File and Line are where it happened, "" and 0 if unknown.
	Class    string `json:"class"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	// Message is what happened. It may contain what players sent: untrusted text.
	Message string `json:"message"`
	// Layer is that of the function's file, "" for the game. Actor is the actor that it happened to last, "" if unknown.
	Layer string `json:"layer,omitempty"`
	Actor string `json:"actor,omitempty"`
	// Players is how many clients reported it, at least; Names are the players concerned, not all of many: those who
	// reported it, or the one whose call it was. They are untrusted texts of one line.
	Players int      `json:"players,omitempty"`
	Names   []string `json:"names,omitempty"`
	Count   int      `json:"count"`
	// First and Last are when it happened first and last, in seconds of the world's time.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
}

// ErrorsOf lists the script errors of a match, the latest first: each place and text once, at most 768.
func ErrorsOf(m *match.Match, s *server.Server) Errors {
	e := Errors{Time: m.World.Time, Errors: []ScriptError{}}
	for _, r := range m.VM.Errors() {
		x := ScriptError{
			Side: "server", Kind: "error", Class: r.Class, Function: r.Function, File: r.File, Line: r.Line, Message: r.Message, Layer: r.Trust.String(),
			Actor: r.Actor, Count: r.Count, First: r.First, Last: r.Last,
		}
		if r.Kind != scriptvm.ReportError {
			x.Kind = "warning"
		}
		if r.Peer != "" {
			x.Names = []string{r.Peer}
		}
		e.Errors = append(e.Errors, x)
	}
	if s != nil {
		var list []server.ClientFault
		list, e.Dropped = s.ClientFaults()
		for _, f := range list {
			class, function, _ := strings.Cut(f.Function, ":")
			e.Errors = append(e.Errors, ScriptError{
				Side: "client", Kind: "error", Class: class, Function: function, File: f.File, Line: f.Line, Message: f.Text, Players: f.Players, Names: f.Names,
				Count: f.Reports, First: f.First, Last: f.Last,
			})
		}
	}
	slices.SortStableFunc(e.Errors, func(a, b ScriptError) int { return cmp.Compare(b.Last, a.Last) })
	return e
}
