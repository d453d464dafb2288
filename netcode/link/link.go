// Package link is what package netcode needs of a transport: connections that carry reliable, ordered
// messages and unreliable datagrams, and nothing else. Package simlink is one on virtual time, kcplink one
// over UDP.
//
// A link is driven: it has no goroutine that calls back. Everything it hands over, it hands over inside
// Poll, on the caller's goroutine; time is a parameter. All byte slices given to a Handler are valid during
// the call only.
//
// It does not know worlds, actors or what the bytes mean.
package link

import (
	"errors"
	"time"
)

// Link is one peer's end of all its connections.
type Link interface {
	// Poll hands over what has arrived and does what is due at now, which counts from any origin and never
	// goes back.
	Poll(now time.Duration, h Handler)
	// Flush sends what was queued since the last Flush, in as few packets as possible.
	Flush(now time.Duration)
	// Close says goodbye on every connection and frees the link. The handler is not called any more.
	Close() error
}

// Handler takes what a link hands over.
type Handler interface {
	// Opened is called once when a connection stands: its handshake is done and its identity known.
	Opened(c Conn)
	// Message is a reliable message: once, in order.
	Message(c Conn, b []byte)
	// Datagram is an unreliable one: perhaps, in any order, never twice.
	Datagram(c Conn, b []byte)
	// Closed is called once, for whatever reason; nothing comes from the connection afterwards.
	Closed(c Conn, why Reason)
}

// Conn is one connection.
type Conn interface {
	// ID is unique in its link while it lives.
	ID() uint64
	// Identity identifies the other end, as proved by the handshake; empty if the link has no such proof.
	Identity() Identity
	// Send queues a reliable message of at most MaxMessage bytes; b may be reused afterwards. ErrQueueFull
	// means that too much waits unacknowledged.
	Send(b []byte) error
	// SendDatagram queues an unreliable datagram of at most MaxDatagram bytes.
	SendDatagram(b []byte) error
	// MaxDatagram is the largest payload of a datagram, in bytes.
	MaxDatagram() int
	// Allow bounds the reliable stream: until the next call it puts at most so many bytes on the wire, headers included, which may be
	// negative. While at least enough of them are left, one packet may exceed what is left. What does not go waits.
	// Acknowledgements always go, and count. Before the first call there is no bound.
	Allow(bytes, enough int)
	// Close ends the connection and tells the other side why, as far as the network allows. Closed is called in the next Poll.
	Close(why Reason)
	// Stats are the connection's counters.
	Stats() Stats
	// SetUser and User keep a value of the owner's with the connection.
	SetUser(v any)
	User() any
}

// Identity identifies the other end: a public key, and the claims of a token.
type Identity struct {
	Key  [32]byte
	Name string // of the token, empty in open mode
	Addr string // as messages show it; may change while the connection lives
	// Options are what the one who dialled requested, such as a player's name: at most 512 bytes of UTF-8, not
	// proved, empty on the dialling side.
	Options string
}

// Reason is why a connection ended. Code is a short word for programs, Text a line for people.
type Reason struct{ Code, Text string }

// Restarted is the code of a connection whose other side does not know it any more; the link dialled its successor (G15).
const Restarted = "restarted"

func (r Reason) Error() string { return r.Text }

// Stats are a connection's counters since it opened. Bytes include every header that the link sends, and 28
// a datagram for UDP and IP (spec, Units).
type Stats struct {
	BytesOut, BytesIn     uint64
	PacketsOut, PacketsIn uint64
	// MessageBytesOut and DatagramBytesOut are payload handed to Send and SendDatagram that was put on the wire, retransmissions not counted.
	MessageBytesOut, DatagramBytesOut uint64
	// RetransmittedOut is payload sent again by the reliable stream.
	RetransmittedOut uint64
	// Unacked is how many bytes of reliable messages wait for acknowledgement.
	Unacked int
	// Waiting is how many bytes, headers included, the reliable stream would put on the wire now if nothing bounded it (Allow).
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
	// MaxMessage bounds a reliable message, in bytes: the largest state that an actor may have (engine.MaxStateBytes and
	// its kin). Larger things are cut by their sender.
	MaxMessage = 5 << 19

	// MaxUpMessage bounds a reliable message from a client, in bytes, as a server's link reads it: the arguments of a call
	// (engine.MaxCallBytes) and what goes with them. A longer one ends the connection.
	MaxUpMessage = 68 << 10
	// MaxPacket bounds a UDP payload, in bytes (architecture: packets of at most 1 200 bytes).
	MaxPacket = 1200
)
