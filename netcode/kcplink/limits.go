package kcplink

import (
	"fmt"
	"time"

	"github.com/xtaci/kcp-go/v5"

	"github.com/tidelock/tidelock/netcode/link"
)

// Version of the handshake and of the packets. Peers of different versions refuse each other and say both
// numbers.
const Version = 2

// Bounds of the wire: both sides must agree, so they are no settings.
const (
	// maxPacket, bytes of UDP payload. Larger datagrams are dropped by the reader: no way needs to fragment us.
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
	// helloSize, bytes: a HELLO is at least this long, so that anyone who forges its source gets fewer bytes sent
	// there than it spends. Shorter ones are dropped.
	helloSize = 1000
	// connectSize, bytes: the same for CONNECT and its answer of 106.
	connectSize = 200
	// maxToken, bytes of a token inside CONNECT.
	maxToken = 512
	// MaxOptions, bytes of the string that a client hands over when it connects. Dial refuses longer ones.
	MaxOptions = 512
	// maxName, bytes of the name and of the server in a token. IssueToken refuses longer ones.
	maxName = 64
	// maxCode and maxText, bytes of a reason on the wire. Longer ones are cut.
	maxCode, maxText = 32, 256
	// replayWindow, packets: of those older than the newest by this much nothing is accepted.
	replayWindow = 1024
	// spareRoom, bytes by which segments are shorter that may exceed what is allowed ([Conn.Allow]): acknowledgements and the time go
	// all the same, and together they are to exceed it by one packet at most.
	spareRoom = 128
	// segmentWindow, segments in flight each way: 64 × 1 158 B is 74 KB a round trip, enough for scripts, and it
	// bounds what a peer makes us keep out of order (64 buffers of 1 500 B). The rest waits in the queue.
	segmentWindow = 64
	// firstWindow and leastWindow, segments: what may be in flight at first, and after however much loss.
	firstWindow, leastWindow = 16, 8
	// waysOwnLoss: one of so many segments may be lost, and one more, before it counts as a sign that the way is full. Ways of
	// players lose some by themselves, however little is sent.
	waysOwnLoss = 8
	// maxHandshakesAPoll bounds the key exchanges of one Poll (about 0.25 ms each), so that a rush of players
	// never holds up a tick. The others wait for the next Poll, maxBacklog of them; beyond: "busy".
	maxHandshakesAPoll = 8
	maxBacklog         = 256
	// maxFailed RESPONSEs or CONFIRMs of one exchange that do not decrypt; then it is given up.
	maxFailed = 8
	// outBatch, packets: as many are handed to the system at once.
	outBatch = 64
	// readBatch, packets taken from the system at once.
	readBatch = 64
	// bigQueue, bytes: the buffer of a queue that once was longer is let go when it is empty.
	bigQueue = 4096
	// unknownsPerAddress and unknownsMost, a second: answers to packets of unknown sessions, with bursts of twice and as many. A player
	// needs one. Beyond: not answered. Their table is that of HELLOs.
	unknownsPerAddress, unknownsMost = 100, 1000
	// helloBuckets: HELLOs are throttled by a hash of their address in a table of this size, because anyone who
	// forges addresses must not make it grow. Strangers who fall into one bucket share it.
	helloBuckets = 1024
	// maxAddresses bounds the table of addresses that passed the cookie. When it is full of live ones, new
	// addresses are told that the server is busy.
	maxAddresses = 8192
	// maxGuesses, wrong passwords that wait for who tells of them; more are only counted.
	maxGuesses = 64
	// amplification, times: as much of what came over a path that has not answered its challenge may be sent there (RFC 9000,
	// section 8). challengePacket, bytes of UDP payload.
	amplification   = 3
	challengePacket = headerSize + challengeSize + tagSize
	// maxReadErrors in a row end the link: its connections close with the reason "socket".
	maxReadErrors = 1000
)

// Times that are no settings.
const (
	// cookieSlot: a cookie is good for the rest of its slot and the next, 10 to 20 s.
	cookieSlot = 10 * time.Second
	// ackDelay: acknowledgements wait this long for something to ride along with. More, and KCP at the other end,
	// whose least timeout is 30 ms, sends again what has long come.
	ackDelay = 10 * time.Millisecond
	// kcpInterval: KCP looks at its segments this often while some are not acknowledged; its least.
	kcpInterval = 10 * time.Millisecond
	// leastRTO is KCP's least retransmission timeout: sooner after sending it need not be looked at.
	leastRTO = kcp.IKCP_RTO_NDL * time.Millisecond
	// hurryAfter this long without a packet the heartbeat comes every hurryEvery: a lossy way must not look
	// like a dead one.
	hurryAfter, hurryEvery = 4 * time.Second, 250 * time.Millisecond
	// timeEvery: a time frame (round trip measurement) rides along this often.
	timeEvery = time.Second
	// againMost: a segment that is sent again for the n-th time goes along with n later packets, so many at most, againGap
	// apart; with one less where more than againThin are under way, as of files: those behind tell soon what was lost.
	againMost, againThin, againGap = 3, 8, 15 * time.Millisecond
	// linger: a closed connection answers late packets with its goodbye for this long, then its id is free.
	linger = time.Second
	// tripSlack is by how much, beside half of it, a round trip may grow before the way counts as full: what ticks of both
	// sides and an acknowledgement's wait make of it.
	tripSlack = 40 * time.Millisecond
	// maxFirstTrip: a handshake that took longer had packets lost, and says nothing of the way.
	maxFirstTrip = time.Second
	// helloFirst and helloMost: a dialling client repeats itself after the first, doubling up to the second.
	helloFirst, helloMost = 150 * time.Millisecond, 500 * time.Millisecond
	// holdOff is how long after its answer, and after a round trip of the path in use, a candidate waits: the path in use may
	// answer, too, and then keeps the session. firstAgain later a challenge is repeated, then at growing intervals, to 16 times
	// that, for a candidate over trialMost.
	holdOff, firstAgain = 60 * time.Millisecond, 20 * time.Millisecond
	trialMost           = 3 * time.Second
	// trialPause follows an answer of the path in use: an onlooker who copies every packet costs twenty trials a second.
	trialPause = 30 * time.Millisecond
	// homeMost is how long after a move the path from before may still take the session back.
	homeMost = 3 * time.Second
	// doubtQuiet is how long a session whose server is said not to know it must be silent, after doubtProds packets that an
	// honest server answers at once, before it is dialled again: forged answers are to cost nobody a handshake. doubtPause is
	// the time until the next doubt.
	doubtQuiet, doubtPause = 150 * time.Millisecond, 2 * time.Second
	doubtProds             = 3
	// standstill: a link that was not polled for so long stood still, and its peers are not to pay for that.
	standstill = 500 * time.Millisecond
	// cookieTries and confirmTries: CONNECTs or CONFIRMs without an answer before the client requests a new
	// cookie. A CONFIRM is repeated for as long as the server keeps its half: if it has come and only the answers
	// were lost, starting over would leave a session behind.
	cookieTries, confirmTries = 4, 12
)

// Limits are the bounds that an operator sets. A zero takes the default; a negative one is an error of New.
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
	// Hellos answered a second, default 4000, and HellosPerAddress, default 50: answering costs a hash and a
	// packet. Beyond: dropped.
	Hellos, HellosPerAddress int
	// Handshakes a second, default 200 (5 % of a core), and HandshakesPerAddress, default 50: a key exchange
	// costs 0.25 ms. Bursts of twice as many. Beyond: "busy".
	Handshakes, HandshakesPerAddress int
	// HandshakeTimeout is how long a half-open connection waits, default 5 s.
	HandshakeTimeout time.Duration
	// DialTimeout ends a Dial without success, default 10 s, with the reason "unreachable" or the last "busy".
	DialTimeout time.Duration
	// Silence closes a connection from which nothing authentic came, default 10 s, with the reason "timeout".
	Silence time.Duration
	// Heartbeat is sent when nothing else was for this long, default 3 s; keep it below a third of Silence, and
	// that of the other side's.
	Heartbeat time.Duration
	// QueueBytes and QueueMessages bound what a connection may have unacknowledged, default 3 MiB, so that the largest message finds room beside others, and 4096.
	// Beyond: Send returns ErrQueueFull.
	QueueBytes, QueueMessages int
	// PacketsIn a second from an accepted connection, default 1000, bursts of twice as many. Beyond: dropped
	// after authentication; FloodDrops of them within a second, default 2000, close it with "flood".
	PacketsIn, FloodDrops int
	// Inbound packets that may wait for Poll, default 4096 (5 MB), a quarter of it for handshakes. Beyond:
	// dropped and counted.
	Inbound int
	// UsedTokens remembered until they expire, default 65536. Beyond: token holders are told "busy"; none is
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
