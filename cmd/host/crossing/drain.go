package crossing

import (
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// What a drain asks of the connections and hops of its host (package drain).

// Standing returns where a player with a key is who wants to come in.
func (h *Crossing) Standing(key string) drain.Standing {
	switch {
	case key == "":
	case h.byID(key) != nil:
		return drain.Inside
	case h.Coming(key):
		return drain.Coming
	case h.Returning(key):
		return drain.Returning
	}
	return drain.Stranger
}

// TurnAway ends the connections of those who are on their way in and are refused. Players who travel to the next level stay.
func (h *Crossing) TurnAway(why link.Reason, refused func(key string) bool) {
	if _, s := h.host.Current(); s != nil {
		s.Kick(func(c *server.Conn) bool { return c.Player() == nil && !c.Travelling() && refused(c.Key()) }, why)
	}
}
