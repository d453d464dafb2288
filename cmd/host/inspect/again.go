package inspect

import (
	"slices"

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
	turn uint32
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
		if x := &r.seen[i]; (r.turn+c.ID)%often != 0 {
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
	known []known // the same actors
	turn  int64
}

// known is what decides whether an actor is described again, without a look at its description.
type known struct {
	id    int64
	rests bool
}

// Actors is [Actors], as far as Cast says.
func (c *Cast) Actors(w *engine.World, buf []Actor) []Actor {
	if w != c.world {
		c.world, c.seen, c.known = w, nil, nil
	}
	c.turn++
	n := 0
	w.EachActor(func(a *engine.Actor) {
		id := int64(a.ID())
		if n == len(c.known) || c.known[n].id != id { // rarely: something came or went
			if a.Outer != nil {
				return
			}
			i := n
			for i < len(c.known) && c.known[i].id != id {
				i++
			}
			if i == len(c.known) { // new
				x := actor(a)
				c.seen, c.known = slices.Insert(c.seen, n, x), slices.Insert(c.known, n, known{id, x.rests()})
				n++
				return
			}
			c.seen, c.known = slices.Delete(c.seen, n, i), slices.Delete(c.known, n, i)
		}
		k := &c.known[n]
		if due := (c.turn+id)%often == 0; due || !k.rests {
			x := &c.seen[n]
			x.move(a)
			if due {
				x.relate(a)
			}
			k.rests = x.rests()
		}
		n++
	})
	c.seen, c.known = c.seen[:n], c.known[:n]
	return append(buf[:0], c.seen...)
}

// rests reports whether an actor was where it stays, as far as its description tells.
func (x *Actor) rests() bool {
	return !x.Pawn && x.Velocity == [3]float64{} && x.Home == nil
}
