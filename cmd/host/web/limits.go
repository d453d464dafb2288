package web

import (
	"cmp"
	"fmt"
	"time"
)

// Limits bound what strangers can make a listener keep or do. A zero field means the default; a negative one is
// an error of Listen. Counts by address are by IPv4 address or by IPv6 /64.
type Limits struct {
	// HeaderBytes of one request, request line included, default 16 384, at least 8 192. Beyond: status 431.
	HeaderBytes int
	// ReadHeader is how long a request may take to arrive, and a WebTransport session to be requested after its QUIC
	// connection opened, default 10 s. Beyond: the connection closes.
	ReadHeader time.Duration
	// Write is how long an answer may take, default 5 min: 4.8 MB at 16 KB/s. Beyond: the connection closes.
	Write time.Duration
	// Idle is how long a connection waits for its next request, default 1 min.
	Idle time.Duration
	// Conns open at once, TCP and QUIC together, default 2048, and ConnsPerAddress, default 256: a browser opens up to six
	// for a page and one to play. Beyond, or beyond an eighth of what is free: closed at once.
	Conns, ConnsPerAddress int
	// RequestsPerSecond from one address, default 200, bursts of four times as many; a new connection counts as one.
	// Beyond: status 429, and new connections are closed.
	RequestsPerSecond int
	// UpgradesPerSecond from one address, default 10, bursts of eight times as many: players behind one address who all come
	// back at once. WebSocket and WebTransport together. Beyond: status 429, or the QUIC connection is refused. Ten times as
	// many packets of handshakes are taken from an address; beyond: dropped.
	UpgradesPerSecond int
	// Handshakes of TLS a second in all, over TCP and QUIC, default 200, bursts of twice as many; one costs about 0.5 ms.
	// Beyond: closed at once.
	Handshakes int
	// Pipes (sessions of both carriers) open at once, default 1024, and PipesPerAddress, default 64. Beyond, or beyond an
	// eighth of what is free: status 503.
	Pipes, PipesPerAddress int
}

// Bounds that are no settings.
const (
	// maxVisitors bounds the table of addresses. When it is full of addresses in use, further ones are refused.
	maxVisitors = 8192
	// firstSweep, addresses: the table is swept when it reaches twice what was left last time, this many at least.
	firstSweep = 64
	// leastHeaderBytes: net/http adds 4 096 bytes to what it is told, and a browser's own headers need some room.
	leastHeaderBytes = 8192
	// headerSlack is what net/http adds to MaxHeaderBytes.
	headerSlack = 4096
	// maxForwarded bounds the examined addresses of X-Forwarded-For, from its end.
	maxForwarded = 16
)

func (l Limits) withDefaults() (Limits, error) {
	err := cmp.Or(
		limit("HeaderBytes", &l.HeaderBytes, 16<<10),
		limit("Conns", &l.Conns, 2048),
		limit("ConnsPerAddress", &l.ConnsPerAddress, 256),
		limit("RequestsPerSecond", &l.RequestsPerSecond, 200),
		limit("UpgradesPerSecond", &l.UpgradesPerSecond, 10),
		limit("Handshakes", &l.Handshakes, 200),
		limit("Pipes", &l.Pipes, 1024),
		limit("PipesPerAddress", &l.PipesPerAddress, 64),
		limit("ReadHeader", &l.ReadHeader, 10*time.Second),
		limit("Write", &l.Write, 5*time.Minute),
		limit("Idle", &l.Idle, time.Minute),
	)
	if err == nil && l.HeaderBytes < leastHeaderBytes {
		err = fmt.Errorf("web: limit HeaderBytes is %d; give at least %d", l.HeaderBytes, leastHeaderBytes)
	}
	return l, err
}

// limit returns a limit, or its default if it is 0.
func limit[T int | time.Duration](name string, v *T, def T) error {
	if *v < 0 {
		return fmt.Errorf("web: limit %s is negative: %v; give 0 for the default of %v", name, *v, def)
	}
	*v = cmp.Or(*v, def)
	return nil
}
