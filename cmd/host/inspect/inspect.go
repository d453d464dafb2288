// Package inspect describes a running match as plain data: the host, connections, actors with why they are sent or not,
// traffic, the level. The API, the inspector and the console show it.
//
// Everything here reads a match between two ticks, on the goroutine that owns it, and changes nothing in its world; what scripts query
// is remembered by their VM while somebody reads it. It deliberately does not: format anything for people, know HTTP, or keep what it read.
//
// Guarantees: Only reads, between two ticks.
package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// Connection is one player's connection.
type Connection struct {
	ID uint32 `json:"id"`
	// Name is the player's name and Key their identity (their UniqueId), both untrusted text of one line.
	Name    string `json:"name"`
	Key     string `json:"key"`
	Address string `json:"address"`
	// Controller and Pawn are names of actors, "" for none.
	Controller string `json:"controller"`
	Pawn       string `json:"pawn"`
	// Ping is the round trip in milliseconds, 0 before the first measurement.
	Ping float64 `json:"ping"`
	// LossIn and LossOut are shares of datagrams lost since the connection opened, 0 to 1.
	LossIn  float64 `json:"lossIn"`
	LossOut float64 `json:"lossOut"`
	// Lag is the simulated addition to the round trip in milliseconds, Loss the simulated share of packets dropped in each
	// direction, 0 to 1 (commands lag and loss); 0 without.
	Lag  float64 `json:"lag"`
	Loss float64 `json:"loss"`
	// Budget is in bytes a second; Saturated says that the last net update did not fit into it.
	Budget    int  `json:"budget"`
	Saturated bool `json:"saturated"`
	// Channels is how many actors the client has.
	Channels int `json:"channels"`
	// Bytes are those at the carrier since the connection opened, every header included.
	BytesIn    uint64 `json:"bytesIn"`
	BytesOut   uint64 `json:"bytesOut"`
	PacketsIn  uint64 `json:"packetsIn"`
	PacketsOut uint64 `json:"packetsOut"`
	// PendingCalls is how many reliable calls wait for their acknowledgement.
	PendingCalls int `json:"pendingCalls"`
}

// Connections describes all players' connections, in the order in which they joined; nil without a network.
func Connections(s *server.Server) []Connection {
	if s == nil {
		return nil
	}
	var out []Connection
	s.Connections(func(c *server.Conn) { out = append(out, describe(c, c.Key())) })
	return out
}

// describe describes a connection, whose key is slow to write.
func describe(c *server.Conn, key string) Connection {
	sess := c.Session()
	st := sess.Conn.Stats()
	x := Connection{
		LossIn: share(sess.Came-sess.Got, sess.Came), LossOut: share(sess.Lost, sess.Delivered+sess.Lost),
		ID: c.ID, Name: c.Name, Key: key, Address: c.Address, Budget: c.Budget, Saturated: c.Saturated(), Channels: c.Channels(),
		Ping: float64(st.RTT) / float64(time.Millisecond), BytesIn: st.BytesIn, BytesOut: st.BytesOut,
		PacketsIn: st.PacketsIn, PacketsOut: st.PacketsOut, PendingCalls: c.PendingCalls(),
	}
	if i, ok := sess.Conn.(link.Impairer); ok {
		lag, loss := i.Impaired()
		x.Lag, x.Loss = float64(lag)/float64(time.Millisecond), loss
	}
	if pc := c.Player(); pc != nil {
		x.Controller = pc.Name
		if pawn := view.Reference(pc, "Pawn"); pawn != nil {
			x.Pawn = pawn.Name
		}
	}
	return x
}

// share returns part as a share of whole, 0 for an empty whole. A late datagram makes part negative for a moment.
func share(part, whole uint64) float64 {
	if whole == 0 || int64(part) <= 0 {
		return 0
	}
	return min(1, float64(part)/float64(whole))
}

// Actor is an actor in the list of all.
type Actor struct {
	ID       int64      `json:"id"`
	Name     string     `json:"name"`
	Class    string     `json:"class"`
	Location [3]float64 `json:"at"`
	Yaw      float64    `json:"yaw"`
	Velocity [3]float64 `json:"velocity"`
	// Radius and Height are those of its cylinder, half of it above the location, in uu.
	Radius float64 `json:"radius"`
	Height float64 `json:"height"`
	// Owner is the name of its topmost owner, if that is another actor.
	Owner string `json:"owner,omitempty"`
	State string `json:"state,omitempty"`
	// Player is the name of the player whose pawn it is, untrusted text of one line.
	Player string `json:"player,omitempty"`
	// Home is where an actor with brushes began, so that its triangles can be found (Model.Origin).
	Home *[3]float64 `json:"home,omitempty"`
	// Pawn and Hidden are kinds that a map draws differently.
	Pawn   bool `json:"pawn,omitempty"`
	Hidden bool `json:"hidden,omitempty"`
}

// Actors describes all actors, in the order in which they were spawned; components are left out. buf may be reused.
func Actors(w *engine.World, buf []Actor) []Actor {
	buf = buf[:0]
	w.EachActor(func(a *engine.Actor) {
		if a.Outer == nil {
			buf = append(buf, actor(a))
		}
	})
	return buf
}

func actor(a *engine.Actor) Actor {
	x := Actor{ID: int64(a.ID()), Name: a.Name}
	x.move(a)
	x.relate(a)
	return x
}

// relate describes again what an actor is and has to do with others. Its home is described again only where it changed.
func (x *Actor) relate(a *engine.Actor) {
	x.Class, x.Pawn, x.Owner, x.State, x.Player = a.Class.Name, a.Class.IsPawn(), "", "", ""
	if !a.HasBrushes() {
		x.Home = nil
	} else if home := xyz(a.Home()); x.Home == nil || *x.Home != home {
		x.Home = &home
	}
	if top := a.TopOwner(); top != nil && top != a {
		x.Owner = top.Name
	}
	if a.State != nil {
		x.State = a.State.Name
	}
	if x.Pawn {
		x.Player = view.Text(view.Reference(a, "PlayerReplicationInfo"), "PlayerName")
	}
}

// move describes again what changes while an actor moves.
func (x *Actor) move(a *engine.Actor) {
	x.Location, x.Velocity, x.Yaw = xyz(a.Location), xyz(a.Velocity), float64(a.Rotation.Yaw)
	x.Radius, x.Height, x.Hidden = a.CollisionRadius, a.CollisionHeight, a.BHidden
}

func xyz(v geom.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// Details is one actor with its variables, and what each connection has of it.
type Details struct {
	Actor
	// Classes are its class and what that descends from.
	Classes   []string   `json:"classes"`
	Variables []Variable `json:"variables"`
	// Components are the names of its components.
	Components []string `json:"components,omitempty"`
	// Has says for each connection whether its client has the actor, and why or why not.
	Has []Has `json:"has"`
}

// Variable is a variable of an actor.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
	// Class is the class that declares it.
	Class string `json:"class"`
	// Replicated says that a replication block names it, at the place Rule.
	Replicated bool   `json:"replicated,omitempty"`
	Rule       string `json:"rule,omitempty"`
}

// Has is what a connection has of an actor.
type Has struct {
	Connection uint32 `json:"connection"`
	// Code and Text explain it, as [Why] does.
	Code string `json:"code"`
	Text string `json:"text"`
}

// Find returns the actor of a name or number, nil if there is none.
func Find(w *engine.World, name string) *engine.Actor {
	var id int64
	if n, err := fmt.Sscanf(name, "%d", &id); n == 1 && err == nil && fmt.Sprint(id) == name {
		return w.Actor(engine.ActorID(id))
	}
	var found *engine.Actor
	w.EachActor(func(a *engine.Actor) {
		if found == nil && a.Outer == nil && strings.EqualFold(a.Name, name) {
			found = a
		}
	})
	return found
}

// Detail describes one actor.
func Detail(s *server.Server, a *engine.Actor) Details {
	d := Details{Actor: actor(a)}
	for c := a.Class; c != nil; c = c.Parent {
		d.Classes = append(d.Classes, c.Name)
	}
	for _, name := range a.Class.PropertyNames() {
		p := a.Class.Property(name)
		v := Variable{Name: name, Type: p.Type.String(), Value: text(a.World(), a.Get(p)), Class: p.Class.Name}
		if p.Rep >= 0 {
			v.Replicated = true
			if p.Rule != nil {
				v.Rule = p.Rule.Pos.String()
			}
		}
		d.Variables = append(d.Variables, v)
	}
	for _, c := range a.Components {
		d.Components = append(d.Components, c.ComponentName)
	}
	if s != nil {
		s.Connections(func(c *server.Conn) {
			code, why, err := s.Why(c, a, "")
			if err != nil {
				code, why = "error", err.Error()
			}
			d.Has = append(d.Has, Has{Connection: c.ID, Code: code, Text: why})
		})
	}
	return d
}

// maxElements bounds the elements of an array, and members of a struct, in a value's text.
const maxElements = 32

// text writes a value as Lua does; actors by their names.
func text(w *engine.World, v engine.Value) string {
	switch v.Kind {
	case engine.KindRef:
		if a := w.Actor(v.Ref); a != nil {
			return a.Name
		}
		return "nil"
	case engine.KindStruct, engine.KindArray, engine.KindFastArray:
		var parts []string
		for i, x := range v.List {
			if i == maxElements {
				parts = append(parts, fmt.Sprintf("… %d more", len(v.List)-i))
				break
			}
			parts = append(parts, text(w, x))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	default:
		return v.Literal()
	}
}

// Traffic is what was sent of one class, variable or function.
type Traffic struct {
	// Name is Class, Class.Variable or Class.Function; those without a class begin with "(".
	Name string `json:"name"`
	Kind string `json:"kind"`
	traffic.Entry
}

// TrafficOf sums up what connections were sent since they joined, by class, variable and function, the largest first. Those of
// headers, control messages and files are "(headers)", "(control)" and "(files)"; "(resent)" is what the reliable stream sent
// again, and "(transport)" what the carrier adds: headers and seals of packets, 28 bytes of UDP and IP for each, acknowledgements. All of them
// add up to the connections' bytesOut, but for "(waiting)": what is counted above and not on the wire yet (R13.1). conn is one
// connection's number, or 0 for all.
func TrafficOf(s *server.Server, conn uint32) []Traffic {
	if s == nil {
		return nil
	}
	by := map[string]*Traffic{}
	add := func(kind, name string, e traffic.Entry) {
		t := by[name]
		if t == nil {
			t = &Traffic{Name: name, Kind: kind}
			by[name] = t
		}
		t.Add(e)
	}
	kinds := map[traffic.Kind]string{traffic.Class: "class", traffic.Property: "variable", traffic.Function: "function"}
	s.Connections(func(c *server.Conn) {
		if conn != 0 && c.ID != conn {
			return
		}
		c.Traffic.Each(func(k traffic.Kind, name string, e traffic.Entry) { add(kinds[k], name, e) })
		add("overhead", "(headers)", c.Traffic.Headers)
		add("overhead", "(control)", c.Traffic.Control)
		add("overhead", "(files)", c.Traffic.Files)
		st := c.Session().Conn.Stats()
		carried := st.MessageBytesOut + st.DatagramBytesOut
		add("overhead", "(resent)", traffic.Entry{Bytes: st.RetransmittedOut})
		add("overhead", "(transport)", traffic.Entry{Bytes: less(st.BytesOut, carried+st.RetransmittedOut), Count: st.PacketsOut})
		// What is being packed counts as carried before its packet is sent.
		add("waiting", "(waiting)", traffic.Entry{Bytes: less(c.Traffic.Payload(), carried) + less(carried+st.RetransmittedOut, st.BytesOut)})
	})
	var out []Traffic
	for _, t := range by { // any order: sorted below
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Traffic) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name)) })
	return out
}

// less is a-b, and 0 where b is more.
func less(a, b uint64) uint64 { return a - min(a, b) }

// Host is the state of a host.
type Host struct {
	Version string `json:"version"`
	Level   string `json:"level"`
	Game    string `json:"game"`
	Mode    string `json:"mode"`
	// Time is the age of the world in seconds, Tick its number of ticks and Rate their number a second.
	Time    float64 `json:"time"`
	Tick    uint64  `json:"tick"`
	Rate    int     `json:"rate"`
	Actors  int     `json:"actors"`
	Classes int     `json:"classes"`
	Players int     `json:"players"`
	// Pace is how fast the match runs: 1 normally, 0 while it is paused.
	Pace float64 `json:"pace"`
	// ScriptSeconds is what a tick's scripts took, on average over the last second of the world.
	ScriptSeconds float64 `json:"scriptSeconds"`
	// Quarantined are classes, and functions of others as Class:Function.
	Quarantined []string `json:"quarantined"`
}

// modes are the names of net modes.
var modes = map[engine.NetMode]string{
	engine.NMStandalone: "standalone", engine.NMDedicatedServer: "dedicated", engine.NMListenServer: "listen", engine.NMClient: "client",
}

// HostOf describes a match; version, rate and pace are for the caller to fill in.
func HostOf(m *match.Match, s *server.Server) Host {
	h := Host{
		Mode: modes[m.World.NetMode], Time: m.World.Time, Tick: uint64(m.World.Frame()), Actors: m.World.Live(), Classes: len(m.World.Classes.All()),
		ScriptSeconds: m.VM.Milliseconds() / 1e3, Quarantined: m.VM.Quarantined(),
	}
	if m.Level != nil {
		h.Level = m.World.LevelName()
	}
	if m.Game != nil {
		h.Game = m.Game.Class.Name
	}
	if s != nil {
		s.Connections(func(*server.Conn) { h.Players++ })
	}
	return h
}
