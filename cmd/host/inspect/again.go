package inspect

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

// Roster describes connections again and again, as a stream needs it. To count a client's channels is what costs most, since each is looked at; a
// roster counts those of a tenth of the connections with each reading. The zero Roster is ready. It belongs to the goroutine that
// owns the world.
type Roster struct {
	channels map[uint32]int // by the number of the connection
	turn     int
}

// Connections is [Connections], but Channels may be as old as ten readings.
func (r *Roster) Connections(s *server.Server) []Connection {
	if s == nil {
		return nil
	}
	const every = 10
	r.turn++
	now := make(map[uint32]int, len(r.channels))
	out := make([]Connection, 0, len(r.channels))
	s.Connections(func(c *server.Conn) {
		n, known := r.channels[c.ID]
		if !known || (r.turn+len(out))%every == 0 {
			n = c.Channels()
		}
		now[c.ID] = n
		out = append(out, describe(c, n))
	})
	r.channels = now
	return out
}

// Cast describes actors again and again, as a stream needs it. Most of what that costs is fetching what lies far apart in memory: an actor that
// was at rest is looked at again with every fifth reading, each with another one, so that the readings take about the same. What moves,
// what is a pawn and what is new is looked at every time. The zero Cast is ready. It belongs to the goroutine that owns the world.
type Cast struct {
	world *engine.World
	seen  []Actor // by the last reading, in the order of spawning
	turn  int
}

// Actors is [Actors], but what is told of an actor at rest may be as old as five readings.
func (c *Cast) Actors(w *engine.World, buf []Actor) []Actor {
	const every = 5
	buf = buf[:0]
	if w != c.world {
		c.world, c.seen = w, c.seen[:0]
	}
	c.turn++
	at := 0
	w.EachActor(func(a *engine.Actor) {
		if a.Outer != nil {
			return
		}
		id := int64(a.ID())
		i := at
		for i < len(c.seen) && c.seen[i].ID != id {
			i++
		}
		if i == len(c.seen) { // new; those that follow are found where they were
			buf = append(buf, actor(a))
			return
		}
		at = i + 1
		if x := &c.seen[i]; x.rests() && (c.turn+len(buf))%every != 0 {
			buf = append(buf, *x)
			return
		}
		buf = append(buf, actor(a))
	})
	c.seen = append(c.seen[:0], buf...)
	return buf
}

// rests reports whether an actor was where it stays, as far as its description tells.
func (x *Actor) rests() bool {
	return !x.Pawn && x.Velocity == [3]float64{} && x.Home == nil
}
