package kcplink

// udpOverhead is what UDP and IP add to a datagram (spec, Units).
const udpOverhead = 28

// Counters holds a link's counters since it was created. Every datagram that reaches the socket is in PacketsIn or
// in one of the Dropped counters; every one in PacketsIn counts either for a connection or in exactly one of the
// groups below it.
type Counters struct {
	// PacketsIn and BytesIn were taken from the queue; PacketsOut and BytesOut were accepted by the system. Bytes
	// include 28 per datagram.
	PacketsIn, BytesIn, PacketsOut, BytesOut uint64
	// PipePacketsIn to PipeBytesOut are the part of them that pipes carried (WebSocket, WebTransport); the others are
	// the socket's.
	PipePacketsIn, PipeBytesIn, PipePacketsOut, PipeBytesOut uint64

	// Malformed: a length or a first byte that no packet has. UnknownSession: no connection waits for it. Replayed:
	// a number that was received before or is too old. BadSeals: not sealed by the peer.
	Malformed, UnknownSession, Replayed, BadSeals uint64
	// BadCookies: expired, or of another address. BadHandshakes: a key exchange that does not decrypt.
	BadCookies, BadHandshakes uint64
	// HellosThrottled were not answered.
	HellosThrottled uint64
	// UnknownsTold: answers to packets of unknown sessions; UnknownsHeard: such answers received for a session that
	// is open here; Renewals: handshakes that they caused.
	UnknownsTold, UnknownsHeard, Renewals uint64
	// Queries that were answered; QueriesDropped were too many, or there was nothing to answer.
	Queries, QueriesDropped uint64
	// Throttled: authentic, but above the rate limit. BadFrames: authentic and unreadable.
	Throttled, BadFrames uint64

	// Cookies sent; Denied by reason, as reason codes; Refused after the key exchange; HalfOpenExpired were never
	// confirmed.
	Cookies                  uint64
	Denied                   [denials]uint64
	Refused, HalfOpenExpired uint64
	// WrongPasswords that were checked; attempts of a network that has to wait are in Denied.
	WrongPasswords uint64
	// Opened and Closed connections; Moved to another path. PathsTried were candidates; PathsFailed of these did
	// not answer their challenge, or the path in use answered, too.
	Opened, Closed, Moved, PathsTried, PathsFailed uint64
	// ImpairedIn and ImpairedOut were dropped by Conn.Impair. Those out are in the counters of their connection.
	ImpairedIn, ImpairedOut uint64
	// QueuesFull: refused Sends. SendsDropped: the socket's buffer was full. SendErrors: the system refused.
	QueuesFull, SendsDropped, SendErrors uint64

	// DroppedShort, DroppedLong and DroppedType were dropped by the reader for their size or first byte,
	// DroppedFull because Poll was too slow. ReadErrors are those of the socket.
	DroppedShort, DroppedLong, DroppedType, DroppedFull, ReadErrors uint64
}

// DeniedBy returns one of the Denied counters by the code that the client saw, such as "token_used".
func (c Counters) DeniedBy(code string) uint64 {
	for d := range denials {
		if d.code() == code {
			return c.Denied[d]
		}
	}
	return 0
}

// Counters returns the link's counters.
func (l *Link) Counters() Counters {
	c := l.count
	c.DroppedShort, c.DroppedLong = l.in.short.Load(), l.in.long.Load()
	c.DroppedType, c.DroppedFull = l.in.unknown.Load(), l.in.full.Load()
	c.ReadErrors = l.in.errors.Load()
	return c
}

// sent counts a packet that left.
func (l *Link) sent(o *outPacket) {
	bytes := uint64(o.n) + udpOverhead
	l.count.PacketsOut++
	l.count.BytesOut += bytes
	if o.to.pipe != nil {
		l.count.PipePacketsOut++
		l.count.PipeBytesOut += bytes
	}
	if o.conn != nil {
		o.conn.stats.PacketsOut++
		o.conn.stats.BytesOut += bytes
	}
}
