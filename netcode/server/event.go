package server

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events. Operators' programs depend on their names (docs/hosting.md, Log), so these do not change.
const (
	EventJoin        EventKind = iota // a player joined
	EventLeave                        // a player left
	EventRefuse                       // the game refused a player
	EventClose                        // a connection was closed because its stream is stuck
	EventOffence                      // a connection sends what no honest client sends
	EventKick                         // a connection was closed for too many offences, or by the host
	EventCall                         // a validator refused a player's call
	EventClientFault                  // a script error on clients
	EventPassword                     // the game refused a password
	EventAccess                       // Config.Admit refused a connection, or Config.Keep closed it
	eventKinds                        // the number of them
)

// maxUniqueID bounds a UniqueId, in bytes (scripts/core/PlayerReplicationInfo.lua).
const maxUniqueID = 64

// maxShown bounds how much of a player's text a line shows, in bytes.
const maxShown = 160

var eventNames = [eventKinds]string{"join", "leave", "refuse", "close", "offence", "kick", "call", "client_fault", "password", "access"}

func (k EventKind) String() string {
	if k < eventKinds {
		return eventNames[k]
	}
	return "unknown"
}

// EventKinds returns all kinds.
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
	// Player is their name, "" before they have one; Key is their identity as proved in the handshake (their
	// UniqueId); Addr is their address. All are "" if the event does not concern a single player. Player is
	// untrusted text of one line.
	Player, Key, Addr string
}

// event reports something about a connection. text follows the connection's name in the line.
func (c *Conn) event(kind EventKind, sev engine.Severity, text string) {
	c.s.tell(Event{Kind: kind, Severity: sev, Text: c.String() + text, Player: c.Name, Key: c.Key(), Addr: c.Address})
}

// tell passes an event to the receiver of events, or its line to the receiver of lines.
func (s *Server) tell(e Event) {
	if s.cfg.Event != nil {
		s.cfg.Event(e)
		return
	}
	s.report(e.Severity, e.Text)
}

// String returns the connection as lines name it; the name is untrusted.
func (c *Conn) String() string {
	name := ""
	if c.Name != "" {
		name = session.Quote(c.Name) + ", "
	}
	return fmt.Sprintf("connection %d (%s%s)", c.ID, name, c.Address)
}

// Key returns the identity of the player as proved in the handshake, which is their UniqueId: "key-" and 32
// hexadecimal digits, "token-" and the name in their token, or "" if they proved nothing. It does not change during
// the connection, and does not depend on what the player claims.
func (c *Conn) Key() string { return UniqueID(c.sess.Conn.Identity()) }

// Identity returns what the handshake proved.
func (c *Conn) Identity() link.Identity { return c.sess.Conn.Identity() }

// UniqueID returns the identity of the peer as proved in the handshake: the name in a token, else a key; "" if it
// proved nothing. It ignores what a client claims about itself.
func UniqueID(id link.Identity) string {
	switch {
	case id.Name != "":
		if u := "token-" + session.OneLine(id.Name); len(u) <= maxUniqueID && u == "token-"+id.Name {
			return u
		}
		h := wire.HashOf([]byte(id.Name))
		return fmt.Sprintf("tokenhash-%x", h[:16])
	case id.Key != [32]byte{}:
		return fmt.Sprintf("key-%x", id.Key[:16])
	}
	return ""
}

// short returns at most that many bytes of a text, with a mark if it was cut.
func short(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + "…"
}

func showArgs(args []engine.Value) string {
	s := ""
	for i, v := range args {
		if i > 0 {
			s += ", "
		}
		if s += short(showValue(&v), 60); len(s) > maxShown {
			break
		}
	}
	return s
}

// showValue formats a value for a log.
func showValue(v *engine.Value) string {
	switch v.Kind {
	case engine.KindBool:
		return strconv.FormatBool(v.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return strconv.FormatFloat(v.Num, 'g', -1, 64)
	case engine.KindString:
		return strconv.Quote(v.Str)
	case engine.KindEnum, engine.KindClass:
		return v.Str
	case engine.KindVector:
		return fmt.Sprint(v.Vec)
	case engine.KindRotator:
		return fmt.Sprint(v.Rot)
	case engine.KindRef:
		if v.Ref == 0 {
			return "nil"
		}
		return fmt.Sprintf("actor %d", v.Ref)
	case engine.KindArray, engine.KindStruct:
		return fmt.Sprintf("{%s}", showArgs(v.List))
	default:
		return "nil"
	}
}
