package wire

import "github.com/tidelock/tidelock/engine"

// Every bound of this package: unit, reason, and what happens on reaching it.
const (
	// Version is the protocol's version. Peers of different versions do not talk: a hello with another one
	// is refused with code "version".
	Version = 5

	// MaxDatagram bounds a datagram's payload, in bytes: a packet of 1 200 less the gate's 25 and the frame's 3,
	// as a link's MaxDatagram says; a link refuses more.
	MaxDatagram = 1172

	// MaxDepth bounds nesting. Deeper input is an error of [Guard]: decoders that recurse, in other
	// programs too, must not be led to overflow their stack.
	MaxDepth = 16

	// MaxNodes bounds the msgpack values of one datagram or message; more is an error of [Guard]. A full
	// datagram of one-byte values has 1 172.
	MaxNodes = 4096

	// MaxVariables bounds the replicated variables of a class, as engine.MaxReplicatedProperties does at
	// load; a higher number on the wire is an error.
	MaxVariables = 256

	// MaxChannel is the highest channel number; a higher one on the wire is an error.
	MaxChannel = 1<<16 - 1

	// AckBits is how many packets before the newest an acknowledgement tells of. A sender counts what
	// falls out of it unacknowledged as lost.
	AckBits = 32

	// MaxAge bounds, in packets, how far back the base of a relative value may lie. A receiver keeps what
	// it got that long; a sender whose newest acknowledged value is older sends the whole value.
	MaxAge = 32

	// RelativeBias is added to each component of a relative vector, so that differences from −80 to +79
	// take one byte. At 30 net updates a second and a round trip of five of them, that is a player
	// running at 440 uu/s.
	RelativeBias = 48

	// MaxOptions bounds the options of a hello, in bytes; more is an error.
	MaxOptions = 1024

	// MaxText bounds any other text of a message (reasons, names of levels and classes), in bytes; the
	// encoders cut, the decoders refuse.
	MaxText = 255

	// MaxDuty bounds the names of functions that are out of use, in bytes: some four hundred. The encoder leaves out whole names, the
	// decoder refuses more.
	MaxDuty = 16 << 10

	// MaxURL bounds the place a travel leads to, in bytes; more is an error.
	MaxURL = 1024

	// HashBytes is the size of every hash on the wire: SHA-256 of the thing, whole, since scripts are
	// kept and run under that name.
	HashBytes = 32

	// MaxChunk bounds the bytes of a parcel in one message: small enough that calls between two chunks do
	// not wait long, and under link.MaxMessage. More is an error.
	MaxChunk = 16 << 10

	// MaxFile bounds a transferred file, and what a parcel inflates to, in bytes: a class file is at most 256 KB (facts:
	// gopher-lua), a table or manifest may be some of them. A chunk of more is an error.
	MaxFile = 4 << 20

	// MaxPacked bounds a parcel, in bytes: what does not compress becomes some bytes longer, five for every 16 KB. A chunk
	// of more is an error.
	MaxPacked = MaxFile + 8<<10

	// MaxFiles bounds the files of a manifest; more is an error.
	MaxFiles = 4096

	// MaxArgs bounds the arguments of a replicated call; more is an error.
	MaxArgs = engine.MaxArgs

	// MaxMoves bounds the moves in one message: the newest and older ones that may have been lost. More
	// is an error.
	MaxMoves = 8
)
