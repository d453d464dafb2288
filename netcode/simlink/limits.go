package simlink

import (
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// Sizes of package kcplink, in bytes, so that the same traffic costs the same on both.
const (
	// udpHeader is UDP's and IP's part of every packet (spec, Units).
	udpHeader = 28
	// gateHeader is the gate's: type 1, session 4, number 4, tag 16.
	gateHeader = 25
	// PacketOverhead is what every packet costs beside its frames.
	PacketOverhead = udpHeader + gateHeader
	// maxPlain is the frames of one packet at most.
	maxPlain = link.MaxPacket - gateHeader
	// MaxDatagram is the largest payload of SendDatagram; a larger one is link.ErrTooLarge.
	MaxDatagram = maxPlain - datagramHeader
	// maxSegment is the data of one segment of the stream: a full one fills a packet.
	maxSegment = maxPlain - pushHeader
	// helloSize and acceptSize are the payloads of the handshake's packets.
	helloSize, acceptSize = 1000, 106
)

// Bounds of a connection.
const (
	// replayWindow, in packets: of those older than the newest by this much nothing is taken.
	replayWindow = 1024
	// spareRoom, in bytes, is by how much segments are shorter that may exceed what is allowed: acknowledgements and the time go all the
	// same, and together they are to exceed it by one packet at most.
	spareRoom = 128
	// segmentWindow, in segments, may be in flight; the rest waits in the queue.
	segmentWindow = 64
	// maxCode and maxText, in bytes, of a reason on the way; longer ones are cut.
	maxCode, maxText = 32, 256
)

// Times of the protocol.
const (
	// ackDelay is how long acknowledgements wait for a Flush before a Poll sends them by themselves.
	ackDelay = 10 * time.Millisecond
	// timeEvery: a time frame (measuring the round trip) rides along this often.
	timeEvery = time.Second
	// hurryAfter this long without a packet the heartbeat comes every hurryEvery: a lossy way must not look like a dead one.
	hurryAfter, hurryEvery = 3 * time.Second, 250 * time.Millisecond
	// linger: a closed connection repeats its goodbye for this long.
	linger = time.Second
	// helloFirst and helloMost: a client without an answer repeats itself after the first, doubling up to the
	// second.
	helloFirst, helloMost = 250 * time.Millisecond, 500 * time.Millisecond
	// rtoFirst, rtoMin and rtoMax bound the retransmission time-out, rtoGrain is its least margin; they are KCP's,
	// with no delay set.
	rtoFirst, rtoMin, rtoMax, rtoGrain = 200 * time.Millisecond, 30 * time.Millisecond, time.Minute, 10 * time.Millisecond
	// maxFirstTrip: kcplink takes a handshake that lasted longer for one that lost packets, which says nothing of the way.
	maxFirstTrip = time.Second
	// fastResend: so many later acknowledgements send a segment again at once.
	fastResend = 2
	// againMost: a segment that is sent again for the n-th time goes n more times, so many at most, againGap apart; one less where
	// more than againThin are under way. All behind it wait, and time-outs grow: at 30 % of loss one in a hundred would be lost
	// four times running, which takes seven of them. A way that neither loses nor reorders has nothing to send again.
	againMost, againThin, againGap = 3, 8, 15 * time.Millisecond
)

// Config is what a [Network] starts with. Zeros take the defaults.
type Config struct {
	// Seed decides every loss, delay and double.
	Seed uint64
	// Silence closes a connection from which nothing came, with the reason "timeout"; default 10 s. A dial
	// without an answer ends after as long, with the reason "unreachable".
	Silence time.Duration
	// Heartbeat is sent when nothing else was for this long; default 2 s.
	Heartbeat time.Duration
	// QueueBytes and QueueMessages bound what a connection may have unacknowledged, default 3 MiB, so that the largest message finds room beside others, and 4 096.
	// Beyond, Send returns link.ErrQueueFull.
	QueueBytes, QueueMessages int
	// Sum has the network sum up all packets, for Network.Sum.
	Sum bool
}

func (c Config) withDefaults() Config {
	if c.Silence <= 0 {
		c.Silence = 10 * time.Second
	}
	if c.Heartbeat <= 0 {
		c.Heartbeat = 2 * time.Second
	}
	if c.QueueBytes <= 0 {
		c.QueueBytes = link.MaxMessage + 512<<10
	}
	if c.QueueMessages <= 0 {
		c.QueueMessages = 4096
	}
	return c
}
