package simlink

import (
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// Sizes in bytes, the same as in package kcplink, so that the same traffic costs the same on both.
const (
	// udpHeader is the size of UDP and IP headers in every packet (spec, Units).
	udpHeader = 28
	// gateHeader is the gate's: type 1, session 4, number 4, tag 16.
	gateHeader = 25
	// PacketOverhead is the size of every packet without its frames.
	PacketOverhead = udpHeader + gateHeader
	// maxPlain bounds the frames of one packet.
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
	// replayWindow, in packets: a packet that is older than the newest by this much is not accepted.
	replayWindow = 1024
	// spareRoom, in bytes, is by how much a segment must be shorter if it may exceed the allowance:
	// acknowledgements and time frames are sent in any case, and together they may exceed it by at most one packet.
	spareRoom = 128
	// segmentWindow, in segments, may be in flight; further ones wait in the queue.
	segmentWindow = 64
	// maxCode and maxText, in bytes, of a reason on the wire; longer ones are cut.
	maxCode, maxText = 32, 256
)

// Times of the protocol.
const (
	// ackDelay is how long acknowledgements wait for a Flush before a Poll sends them itself.
	ackDelay = 10 * time.Millisecond
	// timeEvery: a time frame (round-trip measurement) is sent this often.
	timeEvery = time.Second
	// hurryAfter this long without a packet the heartbeat is sent every hurryEvery: a lossy path must not look like
	// a dead one.
	hurryAfter, hurryEvery = 3 * time.Second, 250 * time.Millisecond
	// linger: a closed connection repeats its goodbye for this long.
	linger = time.Second
	// helloFirst and helloMost: a client without an answer repeats its hello after the first, doubling up to the
	// second.
	helloFirst, helloMost = 250 * time.Millisecond, 500 * time.Millisecond
	// rtoFirst, rtoMin and rtoMax bound the retransmission timeout, rtoGrain is its minimum margin; they are KCP's,
	// with no delay set.
	rtoFirst, rtoMin, rtoMax, rtoGrain = 200 * time.Millisecond, 30 * time.Millisecond, time.Minute, 10 * time.Millisecond
	// maxFirstTrip: kcplink assumes that a handshake that took longer lost packets, so that it does not measure the
	// path.
	maxFirstTrip = time.Second
	// fastResend: this many later acknowledgements retransmit a segment at once.
	fastResend = 2
	// againMost: a segment that is retransmitted for the n-th time is repeated n more times, at most this many,
	// againGap apart; one fewer if more than againThin are in flight. Everything after it waits, and timeouts grow:
	// at 30 % of loss one segment in a hundred would be lost four times in a row, which takes seven timeouts. A
	// path that neither loses nor reorders has no retransmissions.
	againMost, againThin, againGap = 3, 8, 15 * time.Millisecond
)

// Config is the configuration of a [Network]. Zeros mean the defaults.
type Config struct {
	// Seed decides every loss, delay and duplicate.
	Seed uint64
	// Silence without any packet closes a connection, with the reason "timeout"; default 10 s. A dial without an
	// answer ends after as long, with the reason "unreachable".
	Silence time.Duration
	// Heartbeat is sent after this long without another packet; default 2 s.
	Heartbeat time.Duration
	// QueueBytes and QueueMessages bound a connection's unacknowledged data, default 3 MiB, so that the largest
	// message fits beside others, and 4 096. Beyond, Send returns link.ErrQueueFull.
	QueueBytes, QueueMessages int
	// Sum makes the network compute a checksum of all packets, for Network.Sum.
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
