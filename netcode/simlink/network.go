package simlink

import (
	"slices"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// Network connects one server and its clients. It belongs to one goroutine.
type Network struct {
	cfg    Config
	server *End
	routes []*route
	serial uint64 // of routes
	order  uint64 // of packets
	free   []*packet
	bufs   [][]byte
	sum    uint64
	// Up and Down count what was sent to the server and to the clients.
	Up, Down Traffic
}

// Traffic counts the packets of one direction, handshakes and goodbyes included, in bytes with all headers.
//
// Packets + Doubled = Delivered + Lost + Dropped + those in flight, or to an end that is gone.
type Traffic struct {
	Packets, Bytes            uint64 // sent
	Lost, LostBytes           uint64 // in flight
	Dropped, DroppedBytes     uint64 // did not fit the queue
	Doubled, DoubledBytes     uint64
	Delivered, DeliveredBytes uint64 // received by an end that was polled
	Reordered                 uint64
	HandshakeBytes            uint64 // of Bytes: hellos and accepts
	GoodbyeBytes              uint64 // of Bytes: packets that only say goodbye
}

// route is one dialled connection: both its ends and the lines between.
type route struct {
	serial         uint64
	client, server *Conn
	up, down       line
}

// packet is a packet in flight. Its frames are buf.
type packet struct {
	route   *route
	kind    packetKind
	number  uint64
	offered time.Duration
	at      time.Duration
	order   uint64
	buf     []byte
}

type packetKind uint8

const (
	packetHello packetKind = iota
	packetAccept
	packetData
)

func (p *packet) size() int {
	switch p.kind {
	case packetHello:
		return helloSize + udpHeader
	case packetAccept:
		return acceptSize + udpHeader
	default:
		return len(p.buf) + PacketOverhead
	}
}

// New returns a network. Two with the same seed and the same calls behave identically.
func New(cfg Config) *Network { return &Network{cfg: cfg.withDefaults()} }

// Server returns the server's end. A second call replaces the first, as a restarted host does: connections of the
// old one receive nothing more.
func (n *Network) Server() *End {
	n.server = &End{net: n, isServer: true}
	return n.server
}

// Dial returns a client's end and starts its connection. Opened is called when the server has answered; Closed with
// the reason "unreachable" if it does not.
func (n *Network) Dial(now time.Duration, path Path) *Client {
	n.serial++
	r := &route{serial: n.serial}
	c := &Client{End: End{net: n, now: now, dialled: r}, route: r}
	r.up = line{imp: path.Up, rng: stream(n.cfg.Seed, 2*r.serial), net: n, total: &n.Up, toEnd: func() *End { return n.server }}
	r.down = line{imp: path.Down, rng: stream(n.cfg.Seed, 2*r.serial+1), net: n, total: &n.Down, toEnd: func() *End { return &c.End }}
	r.client = newConn(&c.End, r, 1, &r.up)
	r.client.state = stateDialling
	r.client.since, r.client.next, r.client.wait = now, now, helloFirst
	c.conns = append(c.conns, r.client)
	n.routes = append(n.routes, r)
	r.client.dial(now)
	return c
}

// Sum returns a checksum of every packet sent so far and its time, for comparing two runs; 0 without Config.Sum.
func (n *Network) Sum() uint64 { return n.sum }

// add adds a packet to the checksum: FNV-1a.
func (n *Network) add(now time.Duration, p *packet) {
	const prime = 1099511628211
	h := n.sum
	for _, w := range [...]uint64{uint64(now), p.route.serial, uint64(p.kind), p.number} {
		h = (h ^ w) * prime
	}
	for _, b := range p.buf {
		h = (h ^ uint64(b)) * prime
	}
	n.sum = h
}

// forget drops routes that are no longer in use.
func (n *Network) forget() {
	n.routes = slices.DeleteFunc(n.routes, func(r *route) bool {
		return r.client.state == stateDead && (r.server == nil || r.server.state == stateDead || r.server.end != n.server)
	})
}

func (n *Network) packet() *packet {
	if l := len(n.free); l > 0 {
		p := n.free[l-1]
		n.free = n.free[:l-1]
		*p = packet{buf: p.buf[:0]}
		return p
	}
	return &packet{buf: make([]byte, 0, maxPlain)}
}

func (n *Network) release(p *packet) {
	p.route = nil
	n.free = append(n.free, p)
}

// buffer returns memory for a segment.
func (n *Network) buffer() []byte {
	if l := len(n.bufs); l > 0 {
		b := n.bufs[l-1]
		n.bufs = n.bufs[:l-1]
		return b[:0]
	}
	return make([]byte, 0, maxSegment)
}

func (n *Network) recycle(b []byte) { n.bufs = append(n.bufs, b) }

// Client is a client's end, which has one connection.
type Client struct {
	End
	route *route
}

// Conn returns the client's connection, which may not be open yet.
func (c *Client) Conn() *Conn { return c.route.client }

// Path returns the present impairments.
func (c *Client) Path() Path { return Path{c.route.up.imp, c.route.down.imp} }

// SetPath changes the impairments from now on. Packets that wait in a queue are sent at the new rate; those past it
// stay in flight.
func (c *Client) SetPath(now time.Duration, p Path) {
	c.route.up.set(now, p.Up)
	c.route.down.set(now, p.Down)
}

// Judge makes functions of a test decide the fate of every packet of each direction, in the order in which packets
// leave the bottleneck; nil decides nothing. Loss, delay and duplication of the path are unchanged.
func (c *Client) Judge(up, down func() Fate) { c.route.up.judge, c.route.down.judge = up, down }

// Kill ends the client as a power cut does: silence, no goodbye. Its handler is not called any more.
func (c *Client) Kill() {
	c.gone = true
	for _, k := range c.conns {
		k.becomeDead()
	}
}

var (
	_ link.Link = (*End)(nil)
	_ link.Link = (*Client)(nil)
	_ link.Conn = (*Conn)(nil)
)
