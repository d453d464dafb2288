package server

import (
	"github.com/tidelock/tidelock/netcode/wire"
)

// Quarantiner is a Game that disables script functions. Clients disable them together with the server, as in a
// reload: what both run for a player's moves is the same at both ends (G2).
type Quarantiner interface {
	// OutOfUse returns the disabled functions, as [wire.AppendDuty] takes them, ascending.
	OutOfUse() (functions []string)
	// OutOfUseChanged counts how often the list changed.
	OutOfUseChanged() uint64
}

// sendQuarantine notifies all players when the list of disabled functions changes. It costs one comparison if
// nothing has changed.
func (s *Server) sendQuarantine() {
	if s.quarantiner == nil {
		return
	}
	changed := s.quarantiner.OutOfUseChanged()
	if changed == s.quarantineSent {
		return
	}
	s.quarantineSent = changed
	functions := s.quarantiner.OutOfUse()
	for _, c := range s.conns {
		if c.state == playing {
			c.control(wire.AppendDuty(c.scratch[:0], functions))
		}
	}
}

// sendQuarantine notifies a player who has just joined.
func (c *Conn) sendQuarantine() {
	if q := c.s.quarantiner; q != nil && c.s.quarantineSent > 0 {
		if functions := q.OutOfUse(); len(functions) > 0 {
			c.control(wire.AppendDuty(c.scratch[:0], functions))
		}
	}
}
