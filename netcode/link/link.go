// Package link defines what package netcode needs of a transport: connections that carry reliable, ordered messages
// and unreliable datagrams, and nothing else. Package simlink implements it on virtual time, kcplink over UDP.
//
// A link does not run by itself: no goroutine of it calls back. It delivers everything inside Poll, on the caller's
// goroutine; time is a parameter. All byte slices passed to a Handler are valid during the call only.
//
// It does not know worlds, actors or the meaning of the bytes.
//
// Guarantees: Reliable messages and unreliable datagrams, nothing else.
package link

import (
	"errors"
	"time"
)

// Link is one peer's end of all its connections.
type Link interface {
	// Poll delivers what has arrived and does what is due at now, which counts from any origin and never decreases.
	Poll(now time.Duration, h Handler)
	// Flush sends what was queued since the last Flush, in as few packets as possible.
	Flush(now time.Duration)
	// Close disconnects every connection and frees the link. The handler is not called any more.
	Close() error
}

// Handler receives what a link delivers.
type Handler interface {
	// Opened is called once when a connection is open: its handshake is done and its identity known.
	Opened(c Conn)
	// Message is called with a reliable message: exactly once, in order.
	Message(c Conn, b []byte)
	// Datagram is called with an unreliable one: at most once, in any order.
	Datagram(c Conn, b []byte)
	// Closed is called once, for whatever reason; the connection delivers nothing afterwards.
	Closed(c Conn, why Reason)
}

// Conn is one connection.
type Conn interface {
	// ID is unique in its link while it lives.
	ID() uint64
	// Identity identifies the other end, as proved by the handshake; empty if the link has no such proof.
	Identity() Identity
	// Send queues a reliable message of at most MaxMessage bytes; b may be reused afterwards. ErrQueueFull means
	// that too much data is unacknowledged.
	Send(b []byte) error
	// SendDatagram queues an unreliable datagram of at most MaxDatagram bytes.
	SendDatagram(b []byte) error
	// MaxDatagram is the largest payload of a datagram, in bytes.
	MaxDatagram() int
	// Allow bounds the reliable stream: until the next call it puts at most that many bytes on the wire, headers
	// included; the number may be negative. While at least enough of them are left, one packet may exceed the rest.
	// Further data waits. Acknowledgements are always sent, and count. Before the first call there is no bound.
	Allow(bytes, enough int)
	// Close ends the connection and tells the other side why, as far as the network allows. Closed is called in the next Poll.
	Close(why Reason)
	// Stats are the connection's counters.
	Stats() Stats
	// SetUser and User store a value of the owner with the connection.
	SetUser(v any)
	User() any
}

// Impairer is a connection that can simulate a bad path, for playtests. Links over a network implement it.
type Impairer interface {
	// Impair adds lag to the round trip, half in each direction, 0 to MaxLag, and drops a share of the packets in each
	// direction, 0 to MaxLoss. 0 and 0 restore the path. Any other value is an error; ErrClosed means that the
	// connection is not open.
	Impair(lag time.Duration, loss float64) error
	// Impaired returns what Impair has set.
	Impaired() (lag time.Duration, loss float64)
}

// Identity identifies the other end: a public key, and the claims of a token.
type Identity struct {
	Key  [32]byte
	Name string // from the token, empty in open mode
	Addr string // as messages show it; may change during the connection
	// Options is what the dialling side requested, such as a player's name: at most 512 bytes of UTF-8, not proved,
	// empty on the dialling side.
	Options string
}

// Reason is why a connection ended. Code is a short word for programs, Text a line for people.
type Reason struct{ Code, Text string }

// Restarted is the code of a connection whose other side no longer knows it; the link dialled its successor (G15).
const Restarted = "restarted"

func (r Reason) Error() string { return r.Text }

// Stats holds a connection's counters since it opened. Bytes include every header that the link sends, and 28 per
// datagram for UDP and IP (spec, Units).
type Stats struct {
	BytesOut, BytesIn     uint64
	PacketsOut, PacketsIn uint64
	// MessageBytesOut and DatagramBytesOut count payload passed to Send and SendDatagram that was put on the wire,
	// without retransmissions.
	MessageBytesOut, DatagramBytesOut uint64
	// RetransmittedOut is payload retransmitted by the reliable stream.
	RetransmittedOut uint64
	// Unacked is how many bytes of reliable messages wait for acknowledgement.
	Unacked int
	// Waiting is how many bytes, headers included, the reliable stream would put on the wire now if it were not
	// bounded (Allow).
	Waiting int
	// RTT is the smoothed round trip, 0 before the first measurement.
	RTT time.Duration
}

// Errors of Send and SendDatagram.
var (
	ErrClosed    = errors.New("link: the connection is closed")
	ErrQueueFull = errors.New("link: the reliable queue is full")
	ErrTooLarge  = errors.New("link: larger than the limit")
)

// Limits of the contract.
const (
	// MaxLag and MaxLoss bound Impairer.Impair. At MaxLoss one packet of a hundred makes a round trip.
	MaxLag  = 2 * time.Second
	MaxLoss = 0.9

	// MaxMessage bounds a reliable message, in bytes: the largest state that an actor may have
	// (engine.MaxStateBytes and related bounds). The sender splits larger data.
	MaxMessage = 5 << 19

	// MaxUpMessage bounds a reliable message from a client, in bytes, when a server's link reads it: the arguments
	// of a call (engine.MaxCallBytes) and its header. A longer one ends the connection.
	MaxUpMessage = 68 << 10
	// MaxPacket bounds a UDP payload, in bytes (architecture: packets of at most 1 200 bytes).
	MaxPacket = 1200
)
