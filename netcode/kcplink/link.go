package kcplink

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// Config is the configuration of a link.
type Config struct {
	// Addr to bind, host:port; a free port of all addresses if empty. ":7777" accepts IPv4 and IPv6.
	Addr string
	// PipesOnly creates a link without a socket and without a goroutine: all packets go through [Link.Pipe]. A
	// browser has no other kind.
	PipesOnly bool
	// Key is the static key pair, a server's or a player's identity. Zero: a random one.
	Key Key
	// Server makes the link accept connections; nil makes a link that only dials.
	Server *Server
	// Renew dials a session again, with the same arguments and the server's key, when its server no longer knows it
	// because the server was restarted or has given the session up. Closed is then called with the reason
	// link.Restarted, followed by Opened.
	Renew bool
	// Limits holds non-default limits.
	Limits Limits
	// Random is the source of keys; crypto/rand if nil. Tests of vectors set it.
	Random io.Reader

	// socket replaces the UDP socket in tests.
	socket socket
}

// Server is the configuration of a link that accepts connections.
type Server struct {
	// Password that players must know, in open mode; none if empty.
	Password string
	// TokenKey switches to token mode: only tokens of IssueToken with this key are accepted.
	TokenKey *[32]byte
	// OwnKey has tokens accepted that this process issued itself, such as for players whom another host sends (C6): in any mode, and
	// without the password. Nil for none.
	OwnKey *[32]byte
	// Name is the server name that tokens must have.
	Name string
	// TokensSince refuses tokens issued before it, if not zero. Used tokens are remembered in memory only: set it
	// to the start of the process, so that a restart does not make a used token valid again.
	TokensSince time.Time
	// Wall is the wall clock, for tokens; needed with TokenKey and OwnKey.
	Wall func() time.Time
	// Accept is called, inside Poll, before the game sees a connection; Identity holds key, name, options. Nil
	// accepts everybody.
	Accept func(link.Identity) (why link.Reason, ok bool)
}

// Link is a UDP socket, pipes, and the connections over them. Its methods are for one goroutine, except Pipe.
//
// Invariant: table[i] is nil or has id&0xffff == i; accepted, open and halves count what the table holds.
type Link struct {
	server *Server
	key    Key
	limits Limits
	renews bool
	random io.Reader
	sock   socket
	in     *inbound
	// gathered are the packets that the next Poll handles, if gathers says that they were taken.
	gathered []*packet
	gathers  bool
	pipes    pipes
	now      time.Duration
	// started is set once Poll has been called.
	started, closed bool

	handler link.Handler
	// ended holds connections for which the next Poll calls Closed.
	ended []ended

	table  []*Conn
	unused []uint16
	serial uint64
	dials  []*Conn
	halves map[halfKey]*Conn
	// accepted counts open connections that did not dial, open all open ones.
	accepted, open int
	dirty          []*Conn
	timers         timers

	cookies    *cookies
	hellos     answerThrottle
	unknowns   answerThrottle
	queries    answerThrottle
	info       []byte // answers queries; empty answers none
	handshakes throttle.Bucket
	addresses  addresses
	guesses    throttle.Guesses // wrong passwords by network
	wrong      []Guess          // not yet requested
	used       usedTokens
	returning  returning
	// exchanges of this Poll, and the CONNECTs that wait for the next one.
	exchanges int
	backlog   []packet

	out     []*outPacket
	outPool []*outPacket
	// kcpNow is KCP's clock at the start of this Poll or Flush.
	clock  kcpClock
	kcpNow uint32
	nonce  nonce
	// segments and scratch are buffers for a packet's KCP segments and a segment's data.
	segments []byte
	scratch  [1500]byte

	count Counters
}

var _ link.Link = (*Link)(nil)

type ended struct {
	c   *Conn
	why link.Reason
}

// outPacket is a datagram to send.
type outPacket struct {
	b    [maxPacket]byte
	n    int
	to   path
	conn *Conn // whose counters it belongs to, nil for the handshake's
}

// maxOutPool bounds the packets kept for reuse, 2.6 MB.
const maxOutPool = 2048

// New binds the socket and starts the goroutine that reads it. Close stops it and waits for it.
func New(cfg Config) (*Link, error) {
	limits, err := cfg.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Link{
		key: cfg.Key, limits: limits, random: cfg.Random, renews: cfg.Renew,
		pipes:  pipes{all: make(map[*Pipe]struct{})},
		halves: make(map[halfKey]*Conn), addresses: addresses{by: make(map[netip.Addr]*address)},
		hellos: answerThrottle{seed: maphash.MakeSeed()}, unknowns: answerThrottle{seed: maphash.MakeSeed()},
		queries: answerThrottle{seed: maphash.MakeSeed()}, clock: newKCPClock(),
	}
	if l.random == nil {
		l.random = rand.Reader
	}
	if cfg.Server != nil && !serves {
		return nil, errors.New("kcplink: a browser accepts no connections; leave Server nil")
	}
	if cfg.Server != nil {
		s := *cfg.Server
		switch {
		case (s.TokenKey != nil || s.OwnKey != nil) && s.Wall == nil:
			return nil, errors.New("kcplink: tokens need Server.Wall, the wall clock")
		case s.TokenKey != nil && *s.TokenKey == [32]byte{} || s.OwnKey != nil && *s.OwnKey == [32]byte{}:
			return nil, errors.New("kcplink: the operator's token key is empty")
		case s.TokenKey != nil && s.Password != "":
			return nil, errors.New("kcplink: a password is for open mode, not beside tokens")
		case len(s.Name) > maxName:
			return nil, fmt.Errorf("kcplink: the server's name is %d bytes, at most %d", len(s.Name), maxName)
		}
		l.server = &s
	}
	if l.key == (Key{}) {
		if l.key, err = newKey(l.random); err != nil {
			return nil, err
		}
	}
	if want, err := KeyFromPrivate(l.key.Private); err != nil || want.Public != l.key.Public {
		return nil, errors.New("kcplink: the key pair's halves do not belong together")
	}
	var secret [32]byte
	if _, err = io.ReadFull(l.random, secret[:]); err != nil {
		return nil, fmt.Errorf("kcplink: %w", err)
	}
	l.cookies = newCookies(secret)
	l.in = newInbound(limits.Inbound)
	if l.sock = cfg.socket; l.sock == nil && !cfg.PipesOnly {
		if l.sock, err = openSocket(cfg.Addr); err != nil {
			return nil, fmt.Errorf("kcplink: %w", err)
		}
	}
	if l.sock != nil {
		go l.in.read(l.sock)
	}
	return l, nil
}

// Addr returns the address of the socket; the zero address if there is none.
func (l *Link) Addr() netip.AddrPort {
	if l.sock == nil {
		return netip.AddrPort{}
	}
	return l.sock.localAddr()
}

// PublicKey returns the link's own identity.
func (l *Link) PublicKey() [32]byte { return l.key.Public }

// Arrived returns how many datagrams the link's goroutine has read from the socket: the next Poll delivers those
// that were not dropped. A caller with both ends of a path on one machine can use it to check that nothing is left
// between them.
func (l *Link) Arrived() uint64 { return l.in.arrived.Load() }

// Open returns how many connections are open.
func (l *Link) Open() int { return l.open }

// Poll delivers what has arrived and does what is due. It never blocks.
func (l *Link) Poll(now time.Duration, h link.Handler) {
	if l.closed {
		return
	}
	l.standStill(now)
	l.setNow(now)
	if !l.started {
		// Dials made earlier did not know the origin of the clock.
		l.started = true
		for _, c := range l.dials {
			c.dial.next, c.dial.deadline = l.now+helloFirst, l.now+l.limits.DialTimeout
		}
	}
	l.handler = h
	l.exchanges = 0
	for i := 0; i < len(l.ended); i++ {
		e := l.ended[i]
		l.ended[i] = ended{}
		l.count.Closed++
		h.Closed(e.c, e.why)
	}
	l.ended = l.ended[:0]
	l.catchUp()
	l.Gather()
	batch := l.gathered
	l.gathered, l.gathers = nil, false
	for _, p := range batch {
		l.receive(p)
	}
	l.in.give(batch)
	for len(l.timers.heap) > 0 && l.timers.heap[0].due <= l.now {
		l.timers.heap[0].service()
	}
	if l.in.broken.Load() {
		l.breakAll()
	}
	l.breaks()
	l.write()
	l.handler = nil
}

// standStill excludes the time in which this link was not polled from timeouts: it received nothing because it did
// not read, and packets sent meanwhile may still be in flight (G15).
func (l *Link) standStill(now time.Duration) {
	gap := now - l.now
	if !l.started || gap < standstill {
		return
	}
	for _, c := range l.table {
		if c != nil && c.state == stateOpen {
			c.lastIn += gap
		}
	}
}

func (l *Link) setNow(now time.Duration) {
	l.now = max(l.now, now)
	l.kcpNow = l.clock.now()
}

// catchUp serves CONNECTs that waited in the backlog, oldest first.
func (l *Link) catchUp() {
	n := 0
	for n < len(l.backlog) && l.exchanges < maxHandshakesAPoll {
		l.onConnect(&l.backlog[n])
		n++
	}
	l.backlog = l.backlog[:copy(l.backlog, l.backlog[n:])]
	if len(l.backlog) == 0 {
		l.backlog = nil
	}
}

// breakAll closes everything when the socket fails.
func (l *Link) breakAll() {
	for _, c := range l.table {
		if c == nil || c.path.pipe != nil {
			continue
		}
		why := link.Reason{Code: "socket", Text: "the socket cannot be read any more"}
		switch c.state {
		case stateOpen:
			c.end(why, false)
		case stateHello, stateConnecting, stateConfirming:
			c.fail(why)
		case stateNew, stateHalfOpen, stateRefused, stateLeaving, stateDead, states:
		}
	}
}

// Flush sends what was queued since the last Flush.
func (l *Link) Flush(now time.Duration) {
	if l.closed {
		return
	}
	l.setNow(now)
	for i, c := range l.dirty {
		l.dirty[i] = nil
		c.fresh = false
		if c.state != stateOpen {
			continue
		}
		c.pump()
		c.finish()
		c.schedule(c.nextDue())
	}
	l.dirty = l.dirty[:0]
	l.write()
}

// Close sends a goodbye on every connection, several times because there is no later retry, closes the socket and
// waits for its reader.
func (l *Link) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	for range 3 {
		for _, c := range l.table {
			if c == nil {
				continue
			}
			if c.state == stateOpen {
				c.becomeLeaving(link.Reason{Code: "closed", Text: "the other side has shut down"})
			} else if c.state == stateLeaving {
				c.sendGoodbye()
			}
		}
		l.write()
	}
	l.closePipes(link.Reason{Code: "closed", Text: "the other side has shut down"})
	if l.sock == nil {
		return nil
	}
	err := l.sock.close()
	<-l.in.done
	return err
}

// receive dispatches a datagram by type.
func (l *Link) receive(p *packet) {
	l.count.PacketsIn++
	l.count.BytesIn += uint64(p.n) + udpOverhead
	if p.from.pipe != nil {
		l.count.PipePacketsIn++
		l.count.PipeBytesIn += uint64(p.n) + udpOverhead
	}
	switch p.b[0] {
	case typeData:
		l.onData(p)
	case typeHello:
		l.onHello(p)
	case typeCookie:
		l.onCookie(p)
	case typeConnect:
		l.onConnect(p)
	case typeResponse:
		l.onResponse(p)
	case typeConfirm:
		l.onConfirm(p)
	case typeDeny:
		l.onDeny(p)
	case typeUnknown:
		l.onUnknown(p)
	case typeQuery:
		l.onQuery(p)
	default:
		l.count.Malformed++ // impossible: the reader filters these
	}
}

// onData is the hot path: find the session, then (onPacket) reject replays, decrypt, deliver.
func (l *Link) onData(p *packet) {
	if p.n < headerSize+tagSize {
		l.count.Malformed++
		return
	}
	c := l.find(binary.BigEndian.Uint32(p.b[1:]))
	if c == nil || c.recv == nil {
		l.count.UnknownSession++
		if c == nil {
			l.tellUnknown(p)
		}
		return
	}
	if c.bad != nil {
		c.bad.holdIn(c, p)
		return
	}
	l.onPacket(c, p)
}

// onPacket processes a packet of a connection.
func (l *Link) onPacket(c *Conn, p *packet) {
	number := c.win.number(binary.BigEndian.Uint32(p.b[5:]))
	if !c.win.fresh(number) {
		l.count.Replayed++
		return
	}
	plain, err := openPacket(c.recv, &l.nonce, p.b[:p.n], number)
	if err != nil {
		l.count.BadSeals++
		return
	}
	newest := number >= c.win.next
	c.win.mark(number)
	switch c.state {
	case stateOpen:
	case stateConfirming:
		if f, _, ok := nextFrame(plain); ok && f.kind == frameClose {
			c.fail(f.reason())
			return
		}
		instead := c.dial.instead
		c.becomeOpen()
		c.heartbeat() // so that the server can measure a round trip, too
		c.succeeds(instead)
		l.handler.Opened(c)
		if c.state != stateOpen {
			return
		}
	case stateLeaving:
		if l.now-c.goodbyeAt >= 100*time.Millisecond {
			c.sendGoodbye()
		}
		return
	default:
		return
	}
	c.stats.PacketsIn++
	c.stats.BytesIn += uint64(p.n) + udpOverhead
	c.lastIn = l.now
	if c.doubt != nil {
		c.believe()
	}
	if !c.dialled {
		if p.from != c.path {
			c.consider(p.from, p.n, newest)
		}
		if !c.tolerate() {
			return
		}
	}
	c.receive(plain)
	if c.state == stateOpen {
		c.schedule(c.nextDue())
	}
}

// tolerate bounds the packets of an authentic peer. It reports whether this one is to be read.
func (c *Conn) tolerate() bool {
	l := c.l
	per := float64(l.limits.PacketsIn)
	if c.packets.Take(l.now, per, 2*per) {
		return true
	}
	l.count.Throttled++
	if l.now-c.dropsAt >= time.Second {
		c.drops, c.dropsAt = 0, l.now
	}
	if c.drops++; c.drops > l.limits.FloodDrops {
		c.end(link.Reason{Code: "flood", Text: "more than " + itoa(l.limits.PacketsIn) + " packets a second"}, true)
	}
	return false
}

// newConn allocates a slot in the table; it returns nil if there is none.
func (l *Link) newConn(w path) *Conn {
	if len(l.unused) == 0 {
		n := len(l.table)
		if n >= min(2*(l.limits.Conns+l.limits.HalfOpen), 1<<16) { // leaving ones occupy slots, too
			return nil
		}
		l.table = append(l.table, nil)
		l.unused = append(l.unused, uint16(n))
	}
	i := l.unused[len(l.unused)-1]
	l.unused = l.unused[:len(l.unused)-1]
	var high [2]byte
	if _, err := io.ReadFull(l.random, high[:]); err != nil {
		panic(fmt.Sprintf("kcplink: no randomness: %v", err))
	}
	l.serial++
	c := &Conn{
		l: l, serial: l.serial, at: -1,
		id: uint32(binary.BigEndian.Uint16(high[:]))<<16 | uint32(i),
	}
	c.usePath(w)
	l.table[i] = c
	return c
}

// free frees the slot.
func (l *Link) free(c *Conn) {
	i := uint16(c.id)
	l.table[i] = nil
	l.unused = append(l.unused, i)
}

func (l *Link) find(id uint32) *Conn {
	if i := int(id & 0xffff); i < len(l.table) {
		if c := l.table[i]; c != nil && c.id == id {
			return c
		}
	}
	return nil
}

func (l *Link) forgetDial(c *Conn) {
	if i, last := slices.Index(l.dials, c), len(l.dials)-1; i >= 0 {
		l.dials[i], l.dials[last] = l.dials[last], nil
		l.dials = l.dials[:last]
	}
	c.dial = nil
}

func (l *Link) newOut(to path) *outPacket {
	n := len(l.outPool)
	if n == 0 {
		return &outPacket{to: to}
	}
	o := l.outPool[n-1]
	l.outPool = l.outPool[:n-1]
	o.to, o.conn = to, nil
	return o
}

func (l *Link) release(o *outPacket) {
	if len(l.outPool) < maxOutPool {
		o.conn, o.to = nil, path{}
		l.outPool = append(l.outPool, o)
	}
}

func (l *Link) queueOut(o *outPacket, n int) {
	o.n = n
	if o.to.pipe != nil {
		l.hand(o)
		return
	}
	if l.out = append(l.out, o); len(l.out) >= outBatch {
		l.write()
	}
}

// write passes everything to the system. What it does not accept at once is lost, as on any network: a tick never
// waits for a socket.
func (l *Link) write() {
	for rest := l.out; len(rest) > 0; {
		n, err := l.sock.write(rest)
		for _, o := range rest[:n] {
			l.sent(o)
		}
		rest = rest[n:]
		if err == nil && n > 0 {
			continue
		}
		if errors.Is(err, errFull) {
			l.count.SendsDropped += uint64(len(rest))
			break
		}
		if len(rest) > 0 { // the first has an unreachable address, or a similar error
			l.count.SendErrors++
			rest = rest[1:]
		}
	}
	for _, o := range l.out {
		l.release(o)
	}
	clear(l.out)
	l.out = l.out[:0]
}

func itoa(n int) string { return strconv.Itoa(n) }
