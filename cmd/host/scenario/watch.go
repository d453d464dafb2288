package scenario

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	netclient "github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/traffic"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// maxEvents bounds what is kept for t:trace of one client: about 80 MB.
const maxEvents = 400_000

// saw stores an event of the client.
func (c *client) saw(at *seat, e netclient.Event) {
	if e.Kind == netclient.Opened {
		at.ids[e.Net], at.nets[e.Actor.ID()] = e.Actor.ID(), e.Net
	}
	if at != c.seat {
		return // of a host where the player is not in yet
	}
	s := c.stage
	if len(c.events) >= maxEvents && s.trail == nil {
		c.dropped++
		return
	}
	out := script.TraceEvent{
		Event: e.Kind.String(), Class: e.Class, Name: e.Name, Actor: c.net.ids[e.Net], Value: c.atServer(e.Value), Args: c.allAtServer(e.Args),
		Time: e.Time,
	}
	if e.Kind == netclient.ClosedChannel { // the name is that of a variable or function; the reason of a closed channel is a value
		out.Name, out.Value = "", engine.String(e.Why.String())
	}
	if s.trail != nil {
		s.trail.saw(c.Name(), &out)
	}
	if len(c.events) >= maxEvents {
		c.dropped++
		return
	}
	c.events = append(c.events, out)
}

// atServer returns a value with the server's actors in place of the client's.
func (c *client) atServer(v engine.Value) engine.Value {
	switch v.Kind {
	case engine.KindRef:
		v.Ref = c.toServer(v.Ref)
	case engine.KindArray, engine.KindStruct:
		v.List = c.allAtServer(v.List)
	default:
	}
	return v
}

func (c *client) allAtServer(list []engine.Value) []engine.Value {
	if len(list) == 0 {
		return nil
	}
	out := make([]engine.Value, len(list))
	for i, v := range list {
		out[i] = c.atServer(v)
	}
	return out
}

// Trace returns the client's events so far, over all its connections.
func (c *client) Trace() ([]script.TraceEvent, error) {
	if c.dropped > 0 {
		return nil, fmt.Errorf("%s saw %d events, more than the %d that are kept; trace a shorter scenario", c.Name(), len(c.events)+c.dropped, maxEvents)
	}
	return c.events, nil
}

// Traffic is what crossed on the client's last connection. The total counts packets, with all their headers.
func (c *client) Traffic() script.Traffic {
	t := script.Traffic{ByClass: map[string]script.Count{}, ByProperty: map[string]script.Count{}, ByFunction: map[string]script.Count{}}
	if c.conn == nil {
		return t
	}
	c.conn.conn.Traffic.Each(func(k traffic.Kind, name string, e traffic.Entry) {
		n := countOf(e)
		class := name
		switch k {
		case traffic.Class:
		case traffic.Property:
			t.ByProperty[name] = n
			class = classOf(name)
		case traffic.Function:
			t.ByFunction[name] = n
			class = classOf(name)
		}
		t.ByClass[class] = plus(t.ByClass[class], n)
		t.Total.Throttled += n.Throttled
		t.Total.Dropped += n.Dropped
	})
	if c.play != nil { // dropped by its own side (R6.3)
		c.play.Drops(func(name string, n uint64) {
			d := script.Count{Dropped: int(n)}
			t.ByFunction[name] = plus(t.ByFunction[name], d)
			t.ByClass[classOf(name)] = plus(t.ByClass[classOf(name)], d)
			t.Total.Dropped += int(n)
		})
	}
	if c.line != nil && c.play.Session() != nil {
		up := c.play.Session().Conn.Stats()
		t.Up = script.Upstream{Bytes: int(up.BytesOut), Payload: int(up.DatagramBytesOut + up.MessageBytesOut), Packets: int(up.PacketsOut)}
	}
	st, sess := c.conn.Stats(), c.conn.conn.Session()
	t.Total.Bytes, t.Total.Count, t.Total.Sent = int(st.BytesOut), int(st.PacketsOut), int(st.PacketsOut)
	t.Total.Received, t.Total.Lost = int(st.PacketsIn), int(sess.Lost)
	return t
}

// classOf returns the class of a Class.Name.
func classOf(name string) string {
	for i := range len(name) {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}

func countOf(e traffic.Entry) script.Count {
	return script.Count{
		Bytes: int(e.Bytes), Count: int(e.Count), Sent: int(e.Count), Received: int(e.Received),
		Lost: int(e.Lost), Throttled: int(e.Throttled), Dropped: int(e.Dropped),
	}
}

func plus(a, b script.Count) script.Count {
	return script.Count{
		Bytes: a.Bytes + b.Bytes, Count: a.Count + b.Count, Sent: a.Sent + b.Sent, Received: a.Received + b.Received,
		Lost: a.Lost + b.Lost, Throttled: a.Throttled + b.Throttled, Dropped: a.Dropped + b.Dropped,
	}
}
