package simlink

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/link"
)

// Conn is one end of a connection.
type Conn struct {
	end   *End
	route *route
	id    uint64
	out   *line
	state state
	ident link.Identity
	user  any

	number uint64 // of the next packet
	window replay
	strm   arq
	filled *packet // being filled, nil if none

	// bounded is set once Allow was called; left is its remainder in bytes, and enough the minimum with which a
	// segment may exceed it.
	bounded      bool
	left, enough int

	lastIn, lastOut, lastTime time.Duration
	stamp                     uint32 // the newest of the other side, and its arrival
	stampAt                   time.Duration

	// since, next and wait: when a dial or a goodbye began, is repeated, and the interval.
	since, next, wait time.Duration
	why               link.Reason

	stats link.Stats
	// overhead counts bytes in packets other than payload; dropped those in a packet that was never sent.
	overhead, dropped uint64
}

type state uint8

// dialling → open → leaving → dead; any may go to dead.
const (
	stateDialling state = iota
	stateOpen
	stateLeaving
	stateDead
)

func newConn(e *End, r *route, id uint64, out *line) *Conn {
	c := &Conn{end: e, route: r, id: id, out: out}
	c.ident.Addr = fmt.Sprintf("sim:%d", r.serial)
	binary.BigEndian.PutUint64(c.ident.Key[:], r.serial)
	if e.isServer {
		c.ident.Key[31] = 1 // the client's
	}
	return c
}

// ID is unique in its end.
func (c *Conn) ID() uint64 { return c.id }

// Identity has a key in place of the one that a handshake would prove: the same on every dial with the same
// SetIdentity, otherwise a new one for every dial.
func (c *Conn) Identity() link.Identity { return c.ident }

// SetIdentity sets the identity of the other end, for tests that depend on it.
func (c *Conn) SetIdentity(i link.Identity) { c.ident = i }

// MaxDatagram returns 1 172 bytes.
func (c *Conn) MaxDatagram() int { return MaxDatagram }

// SetUser stores a value for the owner.
func (c *Conn) SetUser(v any) { c.user = v }

// User returns what SetUser stored.
func (c *Conn) User() any { return c.user }

// Open reports whether the connection is open.
func (c *Conn) Open() bool { return c.state == stateOpen }

// Peer returns the other end's connection, nil before the handshake: for tests that examine both.
func (c *Conn) Peer() *Conn {
	if c.route.client == c {
		return c.route.server
	}
	return c.route.client
}

// Stats returns the counters since the connection opened; they stay readable after it closed.
func (c *Conn) Stats() link.Stats {
	s := c.stats
	s.Unacked, s.Waiting = c.strm.unacked(), c.strm.waiting(c.end.now)
	return s
}

// Allow bounds the reliable stream.
func (c *Conn) Allow(bytes, enough int) { c.bounded, c.left, c.enough = true, bytes, enough }

// admit deducts the cost of a segment of n bytes, header included, from the allowance. It returns false if the
// segment has to wait.
func (c *Conn) admit(n int) bool {
	cost := c.cost(n)
	if c.bounded && cost > c.left && c.left < c.enough {
		return false
	}
	c.left -= cost
	return true
}

// longest returns the maximum data size of a new segment. A segment that nearly uses up the allowance leaves room
// for what is always sent.
func (c *Conn) longest() int {
	if c.bounded && c.left < 2*maxSegment {
		return maxSegment - spareRoom
	}
	return maxSegment
}

// cost returns what a frame of n bytes adds to the wire, packet headers included if it starts one.
func (c *Conn) cost(n int) int {
	if c.filled == nil || len(c.filled.buf)+n > maxPlain {
		n += PacketOverhead
	}
	return n
}

// Account breaks down BytesOut of a connection. All figures are bytes.
type Account struct {
	// Payload of messages and datagrams, each counted once; Retransmitted by the reliable stream.
	Payload, Retransmitted uint64
	// Overhead is headers of packets and frames, lengths of messages, acknowledgements, time frames, goodbyes.
	Overhead uint64
	// Waiting is in a packet that was not sent yet, or never will be.
	Waiting uint64
}

// Account splits the bytes sent so far:
// Stats().BytesOut + Waiting = Payload + Retransmitted + Overhead, always.
func (c *Conn) Account() Account {
	a := Account{
		Payload: c.stats.MessageBytesOut + c.stats.DatagramBytesOut, Retransmitted: c.stats.RetransmittedOut,
		Overhead: c.overhead, Waiting: c.dropped,
	}
	if c.filled != nil {
		a.Waiting += uint64(len(c.filled.buf))
	}
	return a
}

// Send queues a reliable message.
func (c *Conn) Send(b []byte) error {
	switch {
	case c.state != stateOpen:
		return link.ErrClosed
	case len(b) > link.MaxMessage:
		return link.ErrTooLarge
	case !c.strm.push(b, &c.end.net.cfg):
		return link.ErrQueueFull
	}
	return nil
}

// SendDatagram queues an unreliable datagram.
func (c *Conn) SendDatagram(b []byte) error {
	switch {
	case c.state != stateOpen:
		return link.ErrClosed
	case len(b) > MaxDatagram:
		return link.ErrTooLarge
	}
	p := c.room(datagramHeader + len(b))
	p.buf = appendDatagram(p.buf, b)
	c.overhead += datagramHeader
	c.stats.DatagramBytesOut += uint64(len(b))
	return nil
}

// Close ends the connection and tells the other side.
func (c *Conn) Close(why link.Reason) {
	switch c.state {
	case stateDialling:
		c.becomeDead()
	case stateOpen:
		c.becomeLeaving(c.end.now, why)
	default:
		return
	}
	c.end.ended = append(c.end.ended, ended{c, why})
}

// becomeOpen opens the connection. trip is the round trip, which kcplink's longer handshake measures.
func (c *Conn) becomeOpen(now, trip time.Duration) {
	c.state = stateOpen
	c.lastIn, c.lastOut, c.lastTime = now, now, now-timeEvery
	c.strm.open(trip)
}

// becomeLeaving sends the goodbye. Queued data that was not sent is dropped, as with kcplink, except the packet
// being filled.
func (c *Conn) becomeLeaving(now time.Duration, why link.Reason) {
	c.finish(now)
	c.state, c.why = stateLeaving, why
	c.strm.close(c.end.net)
	c.since, c.wait = now, 100*time.Millisecond
	c.next = now + c.wait
	c.goodbye(now)
}

func (c *Conn) becomeDead() {
	if c.state == stateDead {
		return
	}
	c.state = stateDead
	c.strm.close(c.end.net)
	if c.filled != nil {
		c.dropped += uint64(len(c.filled.buf))
		c.end.net.release(c.filled)
		c.filled = nil
	}
}

// dial sends a hello.
func (c *Conn) dial(now time.Duration) {
	c.shake(now, packetHello)
	c.next = now + c.wait
	c.wait = min(2*c.wait, helloMost)
}

// accept answers a hello.
func (c *Conn) accept() {
	c.shake(c.end.now, packetAccept)
}

// shake sends a packet of the handshake.
func (c *Conn) shake(now time.Duration, kind packetKind) {
	p := c.packet(kind)
	c.out.total.HandshakeBytes += uint64(p.size())
	c.out.send(now, p)
}

// packet returns an empty packet of the connection.
func (c *Conn) packet(kind packetKind) *packet {
	p := c.end.net.packet()
	p.route, p.kind = c.route, kind
	return p
}

// room returns the packet being filled, with n bytes free.
func (c *Conn) room(n int) *packet {
	if c.filled != nil && len(c.filled.buf)+n > maxPlain {
		c.finish(c.end.now)
	}
	if c.filled == nil {
		c.filled = c.packet(packetData)
	}
	return c.filled
}

// finish sends the packet being filled, if any.
func (c *Conn) finish(now time.Duration) {
	p := c.filled
	if p == nil {
		return
	}
	c.filled = nil
	if now-c.lastTime >= timeEvery && len(p.buf)+timeSize <= maxPlain {
		c.putTime(now, p)
	}
	c.post(now, p)
}

func (c *Conn) post(now time.Duration, p *packet) {
	p.number = c.number
	c.number++
	c.lastOut = now
	c.stats.PacketsOut++
	c.stats.BytesOut += uint64(p.size())
	count.Add(count.Sent, p.size())
	c.overhead += PacketOverhead
	c.out.send(now, p)
}

// goodbye sends the reason in a packet of its own.
func (c *Conn) goodbye(now time.Duration) {
	p := c.packet(packetData)
	p.buf = appendClose(p.buf, c.why.Code, c.why.Text)
	c.overhead += uint64(len(p.buf))
	c.out.total.GoodbyeBytes += uint64(p.size())
	c.post(now, p)
}

// timeUnit is the unit of stamps.
const timeUnit = 100 * time.Microsecond

// stampOf never returns 0, which means none.
func stampOf(now time.Duration) uint32 { return max(1, uint32(now/timeUnit)) }

func (c *Conn) putTime(now time.Duration, p *packet) {
	c.lastTime = now
	echo, held := c.stamp, now-c.stampAt
	if echo == 0 || held >= 1<<16*timeUnit {
		echo, held = 0, 0
	}
	c.overhead += timeSize
	p.buf = appendTime(p.buf, stampOf(now), echo, uint16(held/timeUnit))
}

func (c *Conn) onTime(now time.Duration, body []byte) {
	c.stamp, c.stampAt = binary.BigEndian.Uint32(body[1:]), now
	echo, held := binary.BigEndian.Uint32(body[5:]), binary.BigEndian.Uint16(body[9:])
	// The other side has not received anything from us for long: our packets are lost while its own arrive, and our
	// own heartbeat has no reason to hurry.
	if (echo == 0 || time.Duration(held)*timeUnit >= hurryAfter) && now-c.lastOut >= hurryEvery/2 {
		c.heartbeat(now)
	}
	if echo == 0 {
		return
	}
	rtt := max(time.Duration(int32(stampOf(now)-echo-uint32(held)))*timeUnit, time.Microsecond)
	if c.stats.RTT == 0 {
		c.stats.RTT = rtt
	} else {
		c.stats.RTT += (rtt - c.stats.RTT) / 8
	}
}

// heartbeat sends a packet, with only a time frame if there is nothing else.
func (c *Conn) heartbeat(now time.Duration) {
	if c.filled == nil {
		c.putTime(now, c.room(timeSize))
	}
	c.finish(now)
}

// receive processes a data packet.
func (c *Conn) receive(p *packet, h link.Handler) {
	now := c.end.now
	if c.state == stateOpen {
		c.stats.PacketsIn++
		c.stats.BytesIn += uint64(p.size())
	}
	if c.state != stateOpen || !c.window.take(p.number) {
		return
	}
	c.lastIn = now
	for b := p.buf; len(b) > 0; {
		var kind byte
		var body []byte
		kind, body, b = nextFrame(b)
		switch kind {
		case frameDatagram:
			h.Datagram(c, body[datagramHeader:])
		case frameTime:
			c.onTime(now, body)
		case frameClose:
			n := int(body[1])
			why := link.Reason{Code: string(body[2 : 2+n]), Text: string(body[4+n:])}
			c.becomeDead()
			h.Closed(c, why)
		case framePush:
			c.strm.onPush(c, now, body)
		case frameAck:
			c.strm.onAck(c, body)
		}
		if c.state != stateOpen { // closed by its handler or by a goodbye
			return
		}
	}
	c.strm.acked(c.end.net, now)
	c.strm.deliver(c, h)
}

// flush sends what is queued and due.
func (c *Conn) flush(now time.Duration) {
	c.strm.flush(c, now)
	c.finish(now)
}

// service does what is due at a Poll.
func (c *Conn) service(now time.Duration, h link.Handler) {
	cfg := &c.end.net.cfg
	switch c.state {
	case stateDialling:
		if now-c.since >= cfg.Silence {
			c.becomeDead()
			h.Closed(c, link.Reason{Code: "unreachable", Text: "no answer for " + cfg.Silence.String()})
		} else if now >= c.next {
			c.dial(now)
		}
	case stateOpen:
		if now-c.lastIn >= cfg.Silence {
			why := link.Reason{Code: "timeout", Text: "nothing heard for " + cfg.Silence.String()}
			c.becomeLeaving(now, why)
			h.Closed(c, why)
			return
		}
		if c.strm.overdue(now) {
			c.flush(now)
		}
		beat := cfg.Heartbeat
		if now-c.lastIn >= hurryAfter {
			beat = min(beat, hurryEvery)
		}
		if now-c.lastOut >= beat {
			c.heartbeat(now)
		}
	case stateLeaving:
		if now-c.since >= linger {
			c.becomeDead()
		} else if now >= c.next {
			c.wait *= 2
			c.next = now + c.wait
			c.goodbye(now)
		}
	case stateDead:
	}
}

// replay rejects packets that were received before.
type replay struct {
	top  uint64 // one more than the newest
	bits [replayWindow / 64]uint64
}

func (r *replay) take(n uint64) bool {
	if n >= r.top {
		for k := max(r.top, n-min(n, replayWindow-1)); k <= n; k++ { // those in between were not seen
			r.bits[k/64%uint64(len(r.bits))] &^= 1 << (k % 64)
		}
		r.top = n + 1
	} else if n+replayWindow < r.top {
		return false
	}
	w, bit := &r.bits[n/64%uint64(len(r.bits))], uint64(1)<<(n%64)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}
