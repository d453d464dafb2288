package kcplink

import (
	"errors"
	"fmt"
	"time"

	"github.com/xtaci/kcp-go/v5"

	"github.com/tidelock/tidelock/netcode/link"
)

// Version of the handshake and of the packets. Peers of different versions refuse each other and report both
// numbers.
const Version = 2

// Bounds of the wire: both sides must agree, so they are not configurable.
const (
	// maxPacket, bytes of UDP payload. The reader drops larger datagrams: no network path needs to fragment ours.
	maxPacket = link.MaxPacket
	// headerSize, bytes: type 1, receiver's session id 4, low half of the packet's number 4.
	headerSize = 9
	// tagSize, bytes of AES-GCM's tag.
	tagSize = 16
	// maxPlain, bytes of frames in one data packet.
	maxPlain = maxPacket - headerSize - tagSize
	// maxDatagram, bytes of one unreliable datagram; larger ones are ErrTooLarge.
	maxDatagram = maxPlain - datagramHeader
	// maxSegment, bytes of one KCP segment's data: a full one fills a packet.
	maxSegment = maxPlain - pushHeader
	// helloSize, bytes: a HELLO is at least this long, so that a sender with a forged source address causes fewer
	// bytes to be sent there than it spends. Shorter ones are dropped.
	helloSize = 1000
	// connectSize, bytes: the same for CONNECT and its answer of 106.
	connectSize = 200
	// maxToken, bytes of a token inside CONNECT.
	maxToken = 512
	// MaxOptions, bytes of the string that a client sends when it connects. Dial refuses longer ones.
	MaxOptions = 512
	// maxName, bytes of the name and of the server in a token. IssueToken refuses longer ones.
	maxName = 64
	// maxCode and maxText, bytes of a reason on the wire. Longer ones are cut.
	maxCode, maxText = 32, 256
	// replayWindow, packets: a packet that is older than the newest by this much is not accepted.
	replayWindow = 1024
	// spareRoom, bytes by which a segment must be shorter if it may exceed the allowance ([Conn.Allow]):
	// acknowledgements and time frames are sent in any case, and together they may exceed it by at most one packet.
	spareRoom = 128
	// segmentWindow, segments in flight in each direction: 64 × 1 158 B is 74 KB per round trip, enough for
	// scripts, and it bounds what a peer makes us store out of order (64 buffers of 1 500 B). Further data waits in
	// the queue.
	segmentWindow = 64
	// firstWindow and leastWindow, segments: what may be in flight at first, and after however much loss.
	firstWindow, leastWindow = 16, 8
	// waysOwnLoss: one in this many segments may be lost, and one more, before loss counts as a sign of congestion.
	// Players' paths lose some packets at any load.
	waysOwnLoss = 8
	// maxHandshakesAPoll bounds the key exchanges of one Poll (about 0.25 ms each), so that many players connecting
	// at once never delay a tick. Up to maxBacklog others wait for the next Poll; further ones are told "busy".
	maxHandshakesAPoll = 8
	maxBacklog         = 256
	// maxFailed RESPONSEs or CONFIRMs of one exchange may fail to decrypt; then it is abandoned.
	maxFailed = 8
	// outBatch, packets passed to the system at once.
	outBatch = 64
	// readBatch, packets taken from the system at once.
	readBatch = 64
	// bigQueue, bytes: the buffer of a queue that was longer than this is released when it is empty.
	bigQueue = 4096
	// unknownsPerAddress and unknownsMost, per second: answers to packets of unknown sessions, with bursts of twice
	// and once that number. A player needs one. Beyond: not answered. They share the table of HELLOs.
	unknownsPerAddress, unknownsMost = 100, 1000
	// helloBuckets: HELLOs are throttled by a hash of their address in a table of this size, because senders with
	// forged addresses must not make it grow. Peers in one bucket share it.
	helloBuckets = 1024
	// maxAddresses bounds the table of addresses that passed the cookie. When it is full of live ones, new
	// addresses are answered "busy".
	maxAddresses = 8192
	// maxGuesses, wrong passwords that wait to be reported; more are only counted.
	maxGuesses = 64
	// amplification, factor: this many times the bytes received over a path that has not answered its challenge may
	// be sent there (RFC 9000, section 8). challengePacket, bytes of UDP payload.
	amplification   = 3
	challengePacket = headerSize + challengeSize + tagSize
	// maxReadErrors in a row end the link: its connections close with the reason "socket".
	maxReadErrors = 1000
)

// Times that are not configurable.
const (
	// cookieSlot: a cookie is valid for the rest of its slot and the next, 10 to 20 s.
	cookieSlot = 10 * time.Second
	// ackDelay: acknowledgements wait this long for a packet to travel in. With a longer delay, KCP at the other
	// end, whose minimum timeout is 30 ms, would retransmit segments that have arrived long ago.
	ackDelay = 10 * time.Millisecond
	// kcpInterval: KCP checks its segments this often while some are not acknowledged; its minimum.
	kcpInterval = 10 * time.Millisecond
	// leastRTO is KCP's minimum retransmission timeout: no check is needed sooner after sending.
	leastRTO = kcp.IKCP_RTO_NDL * time.Millisecond
	// hurryAfter this long without a packet the heartbeat is sent every hurryEvery: a lossy path must not look like
	// a dead one.
	hurryAfter, hurryEvery = 4 * time.Second, 250 * time.Millisecond
	// timeEvery: a time frame (round-trip measurement) is sent this often.
	timeEvery = time.Second
	// againMost: a segment that is retransmitted for the n-th time is repeated in n later packets, at most this
	// many, againGap apart; one fewer if more than againThin are in flight, as with files: then later segments soon
	// show what was lost.
	againMost, againThin, againGap = 3, 8, 15 * time.Millisecond
	// linger: a closed connection answers late packets with its goodbye for this long; then its id is free.
	linger = time.Second
	// tripSlack is by how much, in addition to half of it, a round trip may grow before the path counts as
	// congested: ticks of both sides and an acknowledgement's delay cause that much.
	tripSlack = 40 * time.Millisecond
	// maxFirstTrip: a handshake that took longer had lost packets, and does not measure the path.
	maxFirstTrip = time.Second
	// helloFirst and helloMost: a dialling client repeats its packet after the first, doubling up to the second.
	helloFirst, helloMost = 150 * time.Millisecond, 500 * time.Millisecond
	// holdOff is how long a candidate waits after its answer, and after a round trip of the path in use: the path
	// in use may answer, too, and then keeps the session. A challenge is repeated after firstAgain, then at growing
	// intervals, up to 16 times that; a candidate lasts trialMost.
	holdOff, firstAgain = 60 * time.Millisecond, 20 * time.Millisecond
	trialMost           = 3 * time.Second
	// trialPause follows an answer of the path in use: an eavesdropper that copies every packet costs twenty
	// trials per second.
	trialPause = 30 * time.Millisecond
	// homeMost is how long after a move the previous path may still take the session back.
	homeMost = 3 * time.Second
	// doubtQuiet is how long a session must be silent whose server allegedly does not know it, after doubtProds
	// packets that an honest server answers at once, before it is dialled again: forged answers must not cause
	// handshakes. doubtPause is the time until the next doubt.
	doubtQuiet, doubtPause = 150 * time.Millisecond, 2 * time.Second
	doubtProds             = 3
	// standstill: a link that was not polled for this long was suspended, and its peers must not suffer for that.
	standstill = 500 * time.Millisecond
	// cookieLeast and cookieMost: how long a CONNECT may be unanswered before the client requests a new cookie; within
	// these twice what the cookie took, and twice as long after each time that it was in vain. An answer that comes after
	// that belongs to no dial any more: on a way that is longer nobody would ever come in.
	cookieLeast, cookieMost = 1450 * time.Millisecond, 8 * time.Second
	// confirmTries: unanswered CONFIRMs before that. They are repeated for as long as the server keeps its half-open
	// connection: if one arrived and only the answers were lost, starting over would leave a dead session on the server.
	confirmTries = 12
)

// Limits holds the bounds that an operator sets. Zero means the default; negative values are an error of New.
type Limits struct {
	// Conns that were accepted and are open, default 1024. Beyond: refused with "full".
	Conns int
	// ConnsPerAddress, open from one IPv4 address or IPv6 /64, default 64 (a whole LAN party or a table of
	// bots). Beyond: refused with "address".
	ConnsPerAddress int
	// HalfOpen connections between CONNECT and CONFIRM, default 256 (about 3 KB each). Beyond: "busy", and
	// clients try again.
	HalfOpen int
	// HalfOpenPerAddress, default 64. Beyond: "busy".
	HalfOpenPerAddress int
	// Hellos answered per second, default 4000, and HellosPerAddress, default 50: answering costs a hash and a
	// packet. Beyond: dropped.
	Hellos, HellosPerAddress int
	// Handshakes per second, default 200 (5 % of a core), and HandshakesPerAddress, default 50: a key exchange
	// costs 0.25 ms. Bursts of twice as many. Beyond: "busy".
	Handshakes, HandshakesPerAddress int
	// HandshakeTimeout is how long a half-open connection waits, default 5 s.
	HandshakeTimeout time.Duration
	// DialTimeout ends a Dial without success, default 10 s, with the reason "unreachable" or the last "busy".
	DialTimeout time.Duration
	// Silence without any authentic packet closes a connection, default 10 s, with the reason "timeout".
	Silence time.Duration
	// Heartbeat is sent after this long without another packet, default 3 s; keep it below a third of both sides'
	// Silence.
	Heartbeat time.Duration
	// QueueBytes and QueueMessages bound a connection's unacknowledged data, default 3 MiB, so that the largest
	// message fits beside others, and 4096. Beyond: Send returns ErrQueueFull.
	QueueBytes, QueueMessages int
	// PacketsIn per second from an accepted connection, default 1000, bursts of twice as many. Beyond: dropped
	// after authentication; FloodDrops of them within a second, default 2000, close it with "flood".
	PacketsIn, FloodDrops int
	// Inbound is how many packets that may wait for Poll, default 4096 (5 MB), a quarter of it for handshakes.
	// Beyond: dropped and counted.
	Inbound int
	// UsedTokens remembered until they expire, default 65536. Beyond: token holders are answered "busy"; none is
	// forgotten early.
	UsedTokens int
}

func (l Limits) withDefaults() (Limits, error) {
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{
		{"Conns", &l.Conns, 1024},
		{"ConnsPerAddress", &l.ConnsPerAddress, 64},
		{"HalfOpen", &l.HalfOpen, 256},
		{"HalfOpenPerAddress", &l.HalfOpenPerAddress, 64},
		{"Hellos", &l.Hellos, 4000},
		{"HellosPerAddress", &l.HellosPerAddress, 50},
		{"Handshakes", &l.Handshakes, 200},
		{"HandshakesPerAddress", &l.HandshakesPerAddress, 50},
		{"QueueBytes", &l.QueueBytes, link.MaxMessage + 512<<10},
		{"QueueMessages", &l.QueueMessages, 4096},
		{"PacketsIn", &l.PacketsIn, 1000},
		{"FloodDrops", &l.FloodDrops, 2000},
		{"Inbound", &l.Inbound, 4096},
		{"UsedTokens", &l.UsedTokens, 1 << 16},
	} {
		if *f.v < 0 {
			return l, fmt.Errorf("kcplink: limit %s is negative: %d", f.name, *f.v)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	for _, f := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"HandshakeTimeout", &l.HandshakeTimeout, 5 * time.Second},
		{"DialTimeout", &l.DialTimeout, 10 * time.Second},
		{"Silence", &l.Silence, 10 * time.Second},
		{"Heartbeat", &l.Heartbeat, 3 * time.Second},
	} {
		if *f.v < 0 {
			return l, fmt.Errorf("kcplink: limit %s is negative: %v", f.name, *f.v)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	// A session id holds 16 bits of table index.
	if l.Conns+l.HalfOpen > 1<<16-1 {
		return l, fmt.Errorf("kcplink: Conns + HalfOpen is %d, at most 65535 fit the session table", l.Conns+l.HalfOpen)
	}
	return l, nil
}

// SetPassword changes the password that players need from now on, "" for none; open connections stay. The error is that of a link without
// Config.Server, or with one that admits by tokens.
func (l *Link) SetPassword(password string) error {
	switch {
	case l.server == nil:
		return errors.New("kcplink: a link without Config.Server has no password")
	case l.server.TokenKey != nil && password != "":
		return errors.New("kcplink: a password is for open mode, not beside tokens")
	}
	l.server.Password = password
	return nil
}

// Relimit changes the limits from now on, those of open connections included. Inbound stays as it is. The error is that of [New]; nothing
// is changed then.
func (l *Link) Relimit(x Limits) error {
	x.Inbound = l.limits.Inbound
	x, err := x.withDefaults()
	if err == nil {
		l.limits = x
	}
	return err
}
