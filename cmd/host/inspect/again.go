package inspect

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

// often is how many readings it takes to read everything again that is not read every time, a part of it with each.
const often = 5

// Roster describes connections again and again, as a stream needs it: who is there is right each time, and the figures of one are as old as five
// readings at most. The zero Roster is ready. It belongs to the goroutine that owns the world.
type Roster struct {
	of   *server.Server
	seen []Connection // by the last reading, in the order of joining
	turn int
}

// Connections is [Connections], as far as Roster says.
func (r *Roster) Connections(s *server.Server) []Connection {
	if s == nil {
		return nil
	}
	if s != r.of {
		r.of, r.seen = s, nil
	}
	r.turn++
	out := make([]Connection, 0, len(r.seen)+1)
	at := 0
	s.Connections(func(c *server.Conn) {
		i := at
		for i < len(r.seen) && r.seen[i].ID != c.ID {
			i++
		}
		if i == len(r.seen) { // new; those that follow are found where they were
			out = append(out, describe(c, c.Key()))
			return
		}
		at = i + 1
		if x := &r.seen[i]; (r.turn+len(out))%often != 0 {
			out = append(out, *x)
		} else {
			out = append(out, describe(c, x.Key)) // a key never changes
		}
	})
	r.seen = out // nobody writes to it any more
	return out
}

// Cast describes actors again and again, as a stream needs it. Most of what that costs is fetching what lies far apart in memory: an actor that
// was at rest is looked at again with every fifth reading, each with another one, so that the readings take about the same. What moves,
// what is a pawn and what is new is looked at every time, but for its owner, its state and its player, which are as old as five readings at most. The zero Cast is
// ready. It belongs to the goroutine that owns the world.
type Cast struct {
	world *engine.World
	seen  []Actor // by the last reading, in the order of spawning
	spare []Actor // of the reading before
	turn  int
}

// Actors is [Actors], as far as Cast says.
func (c *Cast) Actors(w *engine.World, buf []Actor) []Actor {
	if w != c.world {
		c.world, c.seen = w, c.seen[:0]
	}
	c.turn++
	all := true // so far, the same actors are at the same places
	at, n := 0, 0
	now := c.seen
	w.EachActor(func(a *engine.Actor) {
		id := int64(a.ID())
		if all {
			if n < len(now) && now[n].ID == id {
				c.renew(&now[n], a, n)
				n++
				return
			}
			if a.Outer != nil {
				return
			}
			all, at = false, n
			now = append(c.spare[:0], c.seen[:n]...)
		}
		if a.Outer != nil {
			return
		}
		i := at
		for i < len(c.seen) && c.seen[i].ID != id {
			i++
		}
		if i == len(c.seen) { // new; those that follow are found where they were
			now = append(now, actor(a))
			n++
			return
		}
		at = i + 1
		now = append(now, c.seen[i])
		c.renew(&now[n], a, n)
		n++
	})
	if !all {
		c.spare = c.seen
	}
	c.seen = now[:n]
	return append(buf[:0], c.seen...)
}

// renew describes an actor again as far as its turn, and its place in the list, want it.
func (c *Cast) renew(x *Actor, a *engine.Actor, place int) {
	switch whole := (c.turn+place)%often == 0; {
	case whole:
		home := x.Home // that of an actor never changes
		*x = actor(a)
		if home != nil && x.Home != nil && *home == *x.Home {
			x.Home = home
		}
	case !x.rests():
		x.move(a)
	}
}

// rests reports whether an actor was where it stays, as far as its description tells.
func (x *Actor) rests() bool {
	return !x.Pawn && x.Velocity == [3]float64{} && x.Home == nil
}
