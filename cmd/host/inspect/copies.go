package inspect

import (
	"github.com/tidelock/tidelock/netcode/server"
)

// Copy is what a connection's client has of an actor, as far as delivery notifications tell.
type Copy struct {
	// ID and Name are the actor's.
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// State is "waiting", "open", "dormant", "away" or "left" (server.CopyState), Role the role of the copy.
	State string `json:"state"`
	Role  string `json:"role"`
	// At is the newest position that is known to have arrived, absent while none is known; Age is how many seconds ago it was
	// sent, 0 while the client lacks no newer one, and Error its distance from the truth in uu.
	At    *[3]float64 `json:"at,omitempty"`
	Age   float64     `json:"age"`
	Error float64     `json:"error"`
	// Sent is how many seconds ago a value was sent, −1 for never; Arrived says that nothing of it is on its way.
	Sent    float64 `json:"sent"`
	Arrived bool    `json:"arrived"`
	// Throttled is for how many seconds it has waited for bandwidth, 0 if it does not.
	Throttled float64 `json:"throttled"`
}

// ConnectionOf returns the player's connection of a number, nil if there is none.
func ConnectionOf(s *server.Server, id uint32) (found *server.Conn) {
	if s == nil {
		return nil
	}
	s.Connections(func(c *server.Conn) {
		if c.ID == id {
			found = c
		}
	})
	return found
}

// Copies describes all copies that a connection's client has; components are left out. Actors that are not among them are not
// relevant to it.
func Copies(s *server.Server, c *server.Conn) []Copy {
	out := make([]Copy, 0, c.Channels())
	s.EachCopy(c, func(x server.Copy) {
		y := Copy{
			ID: int64(x.Actor.ID()), Name: x.Actor.Name, State: x.State.String(), Role: x.Role.String(), Age: x.Age,
			Sent: x.Sent, Arrived: x.Arrived, Throttled: x.Throttled,
		}
		if x.Placed {
			at := xyz(x.Place)
			y.At, y.Error = &at, x.Place.Distance(x.Actor.Location)
		}
		out = append(out, y)
	})
	return out
}
