package kcplink

import (
	"crypto/cipher"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// state is the state of a connection; docs/transport.md draws the states. It only changes in the becomeX functions.
type state uint8

const (
	stateNew state = iota
	// stateHalfOpen: accepting, RESPONSE sent.
	stateHalfOpen
	// stateRefused: accepting, CONFIRM was answered with a refusal; kept so that it can be repeated.
	stateRefused
	// stateHello, stateConnecting and stateConfirming: dialling, that packet was sent.
	stateHello
	stateConnecting
	stateConfirming
	// stateOpen: both sides are known.
	stateOpen
	// stateLeaving: closed locally; the goodbye is repeated for a while.
	stateLeaving
	// stateDead: removed from the table.
	stateDead
	states // the number of them
)

var stateNames = [states]string{"new", "half-open", "refused", "hello", "connecting", "confirming", "open", "leaving", "dead"}

func (s state) String() string {
	if s < states {
		return stateNames[s]
	}
	return "?"
}

// after lists which states may follow which.
var after = [states][]state{
	stateNew:        {stateHalfOpen, stateHello, stateDead},
	stateHalfOpen:   {stateRefused, stateOpen, stateDead},
	stateRefused:    {stateDead},
	stateHello:      {stateConnecting, stateDead},
	stateConnecting: {stateConfirming, stateHello, stateDead},
	stateConfirming: {stateOpen, stateHello, stateDead},
	stateOpen:       {stateLeaving, stateDead},
	stateLeaving:    {stateDead},
}

// Conn is one connection. It belongs to the goroutine that calls its link's Poll.
//
// Invariant: send and recv are set in confirming, refused, open and later states; strm.kcp is set exactly while the
// state is open.
type Conn struct {
	l *Link
	// serial is ID(). id is the number that the other side writes into packets for us, peer the one that we write
	// for it.
	serial   uint64
	id, peer uint32
	state    state
	dialled  bool
	path     path
	// counted is the network to which addresses attributes this connection, whichever it has moved to since.
	counted *address
	ident   link.Identity
	user    any
	half    *half
	dial    *dial

	send, recv cipher.AEAD
	number     uint64
	win        window
	strm       stream

	// out is the packet being filled, nil if none; it is sent at outBy at the latest.
	out   *outPacket
	outN  int
	outBy time.Duration
	// fresh is set while Flush has something to send; the connection is in l.dirty exactly then.
	fresh bool

	lastIn, lastOut time.Duration
	// lastTime is when the last time frame was sent; stamp is the newest of the other side and stampAt its arrival.
	lastTime, stampAt time.Duration
	stamp             uint32

	// due is when service is to be called; at is the index in the link's timers, -1 if none.
	due time.Duration
	at  int

	// again is how to dial once more, nil if that is not wanted; doubt is why that may be needed, nil for none; no
	// doubt begins before trust.
	again *Dial
	doubt *renewal
	trust time.Duration
	// trial of another path, nil if there is none; none begins before steady.
	trial  *trial
	steady time.Duration

	// bad is the simulated path of Impair, nil for none.
	bad *badLine

	packets throttle.Bucket
	// drops counts packets dropped by the flood bound, since dropsAt.
	drops   int
	dropsAt time.Duration

	// why and the times of a connection that is leaving or refused.
	why   link.Reason
	since time.Duration
	// asked is when the handshake packet was sent that the connection's opening answers.
	asked     time.Duration
	goodbyes  int
	goodbyeAt time.Duration

	stats link.Stats
}

var _ link.Conn = (*Conn)(nil)

// ID is unique in the link for its whole life.
func (c *Conn) ID() uint64 { return c.serial }

// Identity returns the identity of the peer: the static key it proved, the claims of its token, its options and its
// current address.
func (c *Conn) Identity() link.Identity { return c.ident }

// Dialled reports whether this side dialled.
func (c *Conn) Dialled() bool { return c.dialled }

// MaxDatagram returns 1172 bytes.
func (c *Conn) MaxDatagram() int { return maxDatagram }

// SetUser stores a value for the owner.
func (c *Conn) SetUser(v any) { c.user = v }

// User returns what SetUser stored.
func (c *Conn) User() any { return c.user }

// Stats returns the counters since the connection opened. They stay readable after it closed.
func (c *Conn) Stats() link.Stats {
	s := c.stats
	s.Unacked, s.Waiting = c.strm.unacked(), c.strm.waiting()
	return s
}

// Send queues a reliable message.
func (c *Conn) Send(b []byte) error {
	if c.state != stateOpen {
		return link.ErrClosed
	}
	if len(b) > link.MaxMessage || c.dialled && len(b) > link.MaxUpMessage {
		return link.ErrTooLarge
	}
	if !c.strm.push(b, &c.l.limits) {
		c.l.count.QueuesFull++
		return link.ErrQueueFull
	}
	c.touch()
	return nil
}

// SendDatagram queues an unreliable datagram.
func (c *Conn) SendDatagram(b []byte) error {
	if c.state != stateOpen {
		return link.ErrClosed
	}
	if len(b) > maxDatagram {
		return link.ErrTooLarge
	}
	o := c.room(datagramHeader + len(b))
	c.filled(appendDatagram(c.free(o), b))
	c.stats.DatagramBytesOut += uint64(len(b))
	c.touch()
	return nil
}

// SetStreamRate bounds the first transmission of reliable messages, in bytes per second; 0, the default, means no
// bound. It is for scripts sent over a slow line: KCP itself fills its window and relies on loss.
func (c *Conn) SetStreamRate(bytes int) { c.strm.rate = max(0, bytes) }

// Close ends the connection.
func (c *Conn) Close(why link.Reason) {
	switch c.state {
	case stateOpen:
		c.becomeLeaving(why)
	case stateHello, stateConnecting, stateConfirming:
		c.becomeDead()
	case stateNew, stateHalfOpen, stateRefused, stateLeaving, stateDead, states:
		return
	}
	c.l.ended = append(c.l.ended, ended{c, why})
}

func (c *Conn) touch() {
	if !c.fresh {
		c.fresh = true
		c.l.dirty = append(c.l.dirty, c)
	}
}

// become checks that a transition is permitted.
func (c *Conn) become(s state) {
	if !slices.Contains(after[c.state], s) {
		panic("kcplink: a connection cannot go from " + c.state.String() + " to " + s.String())
	}
	c.state = s
}

// becomeLeaving sends the goodbye.
func (c *Conn) becomeLeaving(why link.Reason) {
	c.pump()
	c.finish()
	c.restore()
	c.leaveOpen()
	c.become(stateLeaving)
	c.why, c.since = why, c.l.now
	c.sendGoodbye()
	c.schedule(c.l.now + 100*time.Millisecond)
}

// leaveOpen releases what only an open connection has.
func (c *Conn) leaveOpen() {
	c.l.open--
	c.trial = nil
	if c.doubt != nil {
		c.believe()
	}
	if c.doubt != nil { // its successor is about to open, and reports that itself
		c.doubt.dial.dial.instead, c.doubt = nil, nil
	}
	if !c.dialled {
		c.l.accepted--
		c.counted.conns--
		c.counted = nil
	}
	c.strm.close()
}

func (c *Conn) becomeDead() {
	switch c.state {
	case stateHalfOpen, stateRefused:
		delete(c.l.halves, c.half.from)
		c.half = nil
		c.counted.halves--
	case stateHello, stateConnecting, stateConfirming:
		c.l.forgetDial(c)
	case stateOpen:
		c.restore()
		c.leaveOpen()
	case stateNew, stateLeaving, stateDead, states:
	}
	c.become(stateDead)
	if c.out != nil {
		c.l.release(c.out)
		c.out = nil
	}
	c.l.timers.remove(c)
	c.l.free(c)
	c.path.pipe.leave(c.why)
}

// end closes an open connection for a remote reason. With tell set the other side is notified, because it may not
// know.
func (c *Conn) end(why link.Reason, tell bool) {
	if c.doubt != nil && c.doubt.committed() {
		why.Code = link.Restarted // the server accepted the successor, and so gave up this one
	}
	if tell {
		c.becomeLeaving(why)
	} else {
		c.becomeDead()
	}
	c.l.count.Closed++
	c.l.handler.Closed(c, why)
}

// fail ends a dial.
func (c *Conn) fail(why link.Reason) {
	instead := c.dial.instead
	c.becomeDead()
	c.failed(instead, why)
}

// sendGoodbye sends the reason, in a packet of its own.
func (c *Conn) sendGoodbye() {
	c.goodbyes++
	c.goodbyeAt = c.l.now
	o := c.l.newOut(c.path)
	o.conn = c
	n := len(appendClose(o.b[headerSize:headerSize], clean(c.why.Code), clean(c.why.Text)))
	c.sealOut(o, n)
}

// room returns the packet being filled, with n bytes free.
func (c *Conn) room(n int) *outPacket {
	if c.out != nil && c.outN+n > maxPlain {
		c.finish()
	}
	if c.out == nil {
		c.out, c.outN = c.l.newOut(c.path), 0
		c.out.conn = c
		c.outBy = c.l.now + ackDelay
	}
	return c.out
}

// free returns the space for the next frame of the packet being filled, filled the space used so far.
func (c *Conn) free(o *outPacket) []byte { at := headerSize + c.outN; return o.b[at:at] }
func (c *Conn) filled(frame []byte)      { c.outN += len(frame) }

// finish seals the packet being filled, if any, and passes it to the link.
func (c *Conn) finish() {
	o := c.out
	if o == nil {
		return
	}
	if c.l.now-c.lastTime >= timeEvery && c.outN+timeSize <= maxPlain {
		c.putTime(o)
	}
	o.to = c.path
	c.out, c.strm.allow.packed = nil, 0
	c.lastOut = c.l.now
	n := c.seal(o, c.outN)
	if c.trial != nil {
		c.trial.mirror(c, o, n)
	}
	c.queueOut(o, n)
}

func (c *Conn) seal(o *outPacket, n int) int {
	n = sealPacket(c.send, &c.l.nonce, &o.b, n, c.peer, c.number)
	c.number++
	return n
}

func (c *Conn) sealOut(o *outPacket, n int) { c.queueOut(o, c.seal(o, n)) }

// heartbeat sends a packet with only a time frame.
func (c *Conn) heartbeat() {
	if c.out == nil {
		c.putTime(c.room(timeSize))
	}
	c.finish()
}

func (c *Conn) putTime(o *outPacket) {
	c.lastTime = c.l.now
	echo, held := c.stamp, c.l.now-c.stampAt
	if echo == 0 || held >= 1<<16*timeUnit {
		echo, held = 0, 0
	}
	c.filled(appendTime(c.free(o), stampOf(c.l.now), echo, uint16(held/timeUnit)))
}

// timeUnit is the unit of stamps: they wrap after five days, longer than any round trip.
const timeUnit = 100 * time.Microsecond

// stampOf never returns 0, which means none.
func stampOf(now time.Duration) uint32 { return max(1, uint32(now/timeUnit)) }

func (c *Conn) onTime(f *frame) {
	c.stamp, c.stampAt = f.ts, c.l.now
	// The other side has not received anything from us for long: our packets are lost while its own arrive, and our
	// own heartbeat has no reason to hurry.
	if held := time.Duration(f.wnd) * timeUnit; (f.sn == 0 || held >= hurryAfter) && c.l.now-c.lastOut >= hurryEvery/2 {
		c.heartbeat()
	}
	if f.sn == 0 {
		return
	}
	rtt := time.Duration(int32(stampOf(c.l.now)-f.sn-uint32(f.wnd))) * timeUnit
	if rtt > time.Minute {
		return // no answer waits that long: the value is a lie
	}
	rtt = max(rtt, time.Microsecond)
	if c.stats.RTT == 0 {
		c.stats.RTT = rtt
		return
	}
	c.stats.RTT += (rtt - c.stats.RTT) / 8
}

// pump moves reliable messages forward as far as the window allows.
func (c *Conn) pump() {
	c.strm.release(c)
	c.strm.feed(c)
	c.strm.update(c)
	c.strm.repeats.say(c)
}

// service does what is due.
func (c *Conn) service() {
	l := c.l
	switch c.state {
	case stateHalfOpen, stateRefused:
		c.l.count.HalfOpenExpired++
		c.becomeDead()
	case stateHello, stateConnecting, stateConfirming:
		c.serviceDial()
		if c.state != stateDead {
			c.reschedule(min(c.dial.next, c.dial.deadline))
		}
	case stateOpen:
		if c.bad != nil {
			if c.bad.serve(c); c.state != stateOpen {
				return
			}
		}
		if l.now-c.lastIn >= l.limits.Silence {
			c.end(link.Reason{Code: "timeout", Text: "nothing heard for " + l.limits.Silence.String()}, true)
			return
		}
		if c.trial != nil {
			c.serveTrial()
		}
		if c.doubt != nil {
			c.serveDoubt()
		}
		c.pump()
		if c.out != nil && l.now >= c.outBy {
			c.finish()
		}
		if l.now-c.lastOut >= c.beat() {
			c.heartbeat()
		}
		c.reschedule(c.nextDue())
	case stateLeaving:
		if l.now-c.since >= linger {
			c.becomeDead()
			return
		}
		c.sendGoodbye()
		c.reschedule(c.since + min(linger, 100*time.Millisecond*(1<<c.goodbyes-1))) // at 0.1, 0.3, 0.7 s
	case stateNew, stateDead, states:
	}
}

// beat returns how long the connection may be silent now.
func (c *Conn) beat() time.Duration {
	if c.l.now-c.lastIn >= hurryAfter {
		return min(hurryEvery, c.l.limits.Heartbeat)
	}
	return c.l.limits.Heartbeat
}

// nextDue returns when an open connection next has something to do. Anything earlier calls schedule.
func (c *Conn) nextDue() time.Duration {
	due := min(c.lastIn+c.l.limits.Silence, c.lastOut+c.beat())
	if c.out != nil {
		due = min(due, c.outBy)
	}
	if c.trial != nil {
		due = min(due, c.trial.nextDue())
	}
	if c.doubt != nil {
		due = min(due, c.doubt.next)
	}
	if c.bad != nil {
		due = c.bad.nextDue(due)
	}
	return c.strm.nextDue(due)
}

// receive processes the frames of an authentic packet.
func (c *Conn) receive(plain []byte) {
	l := c.l
	l.segments = l.segments[:0]
	var challenge []byte
	for len(plain) > 0 {
		f, rest, ok := nextFrame(plain)
		if !ok {
			l.count.BadFrames++
			c.end(link.Reason{Code: "protocol", Text: "a packet that cannot be read"}, true)
			return
		}
		plain = rest
		switch f.kind {
		case frameDatagram:
			l.handler.Datagram(c, f.data)
			if c.state != stateOpen {
				return
			}
		case frameTime:
			c.onTime(&f)
		case frameClose:
			c.end(f.reason(), false)
			return
		case frameChallenge:
			challenge = f.data
		case frameAnswer:
			c.answered(f.data)
		default:
			l.segments = f.appendKCP(l.segments)
			c.strm.repeats.acknowledged(&f)
			c.strm.allow.acknowledged(&f, c.strm.newest)
			if f.kind == framePush || f.kind == frameAsk {
				c.strm.owe(l.now)
				c.strm.allow.acks++
			}
		}
	}
	if challenge != nil { // one answer per packet, however many challenges it has
		o := c.room(challengeSize)
		c.filled(appendChallenge(c.free(o), frameAnswer, challenge))
		c.finish()
	}
	if len(l.segments) > 0 {
		c.strm.input(c, l.segments)
	}
}

// reason returns the reason in a close frame, cleaned because people will see it.
func (f *frame) reason() link.Reason {
	r := link.Reason{Code: clean(string(f.code)), Text: clean(string(f.data))}
	if r.Code == "" {
		r.Code = "closed"
	}
	return r
}

// clean makes one line of text from or for a peer.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
