package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/session"
)

// EventKind says what an Event is about.
type EventKind uint8

// The kinds of events. Operators' programs go by their names (docs/hosting.md, Log), so these do not change.
const (
	EventJoin        EventKind = iota // a player is in
	EventLeave                        // a player who was in is gone
	EventRefuse                       // the game did not let a player in
	EventClose                        // a connection was closed because its stream is stuck
	EventOffence                      // a connection sends what no honest client sends
	EventKick                         // a connection was closed for too many offences
	EventCall                         // a validator refused a player's call
	EventClientFault                  // a script error on clients
	EventPassword                     // the game refused a password
	eventKinds                        // the number of them
)

func (k EventKind) String() string {
	switch k {
	case EventJoin:
		return "join"
	case EventLeave:
		return "leave"
	case EventRefuse:
		return "refuse"
	case EventClose:
		return "close"
	case EventOffence:
		return "offence"
	case EventKick:
		return "kick"
	case EventCall:
		return "call"
	case EventClientFault:
		return "client_fault"
	case EventPassword:
		return "password"
	case eventKinds:
	}
	return "unknown"
}

// EventKinds are all kinds.
func EventKinds() []EventKind {
	var out []EventKind
	for k := range eventKinds {
		out = append(out, k)
	}
	return out
}

// Event is one thing about a player that an operator should know.
type Event struct {
	Kind     EventKind
	Severity engine.Severity
	// Text is the whole line. Names in it are quoted.
	Text string
	// Player is their name, "" before they have one; Key is who they are as far as the handshake proved it (their UniqueId); Addr
	// is their address. All are "" where the event is of no single player. Player is a stranger's text of one line.
	Player, Key, Addr string
}

// event tells of something about a connection. text is what follows its name in the line.
func (c *Conn) event(kind EventKind, sev engine.Severity, text string) {
	e := Event{Kind: kind, Severity: sev, Text: c.String() + text, Player: c.Name, Key: uniqueID(c.sess.Conn.Identity()), Addr: c.Address}
	c.s.tell(e)
}

// tell hands an event to who takes events, or its line to who takes lines.
func (s *Server) tell(e Event) {
	if s.cfg.Event != nil {
		s.cfg.Event(e)
		return
	}
	s.report(e.Severity, e.Text)
}

// String is the connection as lines call it; the name is a stranger's.
func (c *Conn) String() string {
	if c.Name != "" {
		return fmt.Sprintf("connection %d (%s, %s)", c.ID, session.Quote(c.Name), c.Address)
	}
	return fmt.Sprintf("connection %d (%s)", c.ID, c.Address)
}
