package wire

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/pace"
)

// Every bound of this package: unit, reason, and what happens when it is reached.
const (
	// Version is the protocol's version. Peers of different versions cannot communicate: a hello with another
	// version is refused with code "version".
	Version = 6

	// MaxDatagram bounds a datagram's payload, in bytes: a packet of 1 200 minus 25 for the gate and 3 for the
	// frame, the same as a link's MaxDatagram; a link refuses more.
	MaxDatagram = 1172

	// MaxDepth bounds nesting. Deeper input is an error of [Guard]: it could overflow the stack of decoders that
	// recurse, including those of other programs.
	MaxDepth = 16

	// MaxNodes bounds the msgpack values of one datagram or message; more is an error of [Guard]. A full
	// datagram of one-byte values has 1 172.
	MaxNodes = 4096

	// MaxVariables bounds the replicated variables of a class, as engine.MaxReplicatedProperties does at
	// load; a higher number on the wire is an error.
	MaxVariables = 256

	// MaxChannel is the highest channel number; a higher one on the wire is an error.
	MaxChannel = 1<<16 - 1

	// AckBits is how many packets before the newest an acknowledgement covers. A sender counts packets that leave
	// this range unacknowledged as lost.
	AckBits = 32

	// MaxAge bounds, in packets, how far back the base of a relative value may be. A receiver keeps values that
	// long; a sender whose newest acknowledged value is older sends the whole value.
	MaxAge = 32

	// RelativeBias is added to each component of a relative vector, so that differences from −80 to +79 take one
	// byte. At 30 net updates per second and a round trip of five of them, that is a player running at 440 uu/s.
	RelativeBias = 48

	// MaxOptions bounds the options of a hello, in bytes; more is an error.
	MaxOptions = 1024

	// MaxText bounds any other text of a message (reasons, names of levels and classes), in bytes; the
	// encoders cut, the decoders refuse.
	MaxText = 255

	// MaxDuty bounds the list of disabled functions, in bytes: some four hundred names. The encoder omits whole
	// names, the decoder refuses more.
	MaxDuty = 16 << 10

	// NormalScale is the scale of a pace at which the world ticks once per tick of the loop. MinScale and MaxScale
	// bound a scale other than 0: slower, a match seems to hang; faster, a server runs more than four ticks at once.
	// The decoder refuses others.
	NormalScale, MinScale, MaxScale = pace.Normal, pace.Min * pace.Normal, pace.Max * pace.Normal

	// MaxSteps bounds the world ticks of one pace message: ten seconds at 60 Hz. The decoder refuses more.
	MaxSteps = pace.MaxSteps

	// MaxURL bounds the URL of a travel, in bytes; more is an error.
	MaxURL = 1024

	// HashBytes is the size of every hash on the wire: SHA-256 of the whole content, because scripts are stored and
	// run under that name.
	HashBytes = 32

	// MaxChunk bounds the bytes of an archive in one message: small enough that calls between two chunks do not wait
	// long, and below link.MaxMessage. More is an error.
	MaxChunk = 16 << 10

	// MaxFile bounds a transferred file, and the inflated size of an archive, in bytes: a class file is at most 256
	// KB (facts: gopher-lua), a table or manifest may be several times that. A chunk of more is an error.
	MaxFile = 4 << 20

	// MaxPacked bounds an archive, in bytes: incompressible data grows by some bytes, five for every 16 KB. A larger
	// chunk is an error.
	MaxPacked = MaxFile + 8<<10

	// MaxFiles bounds the files of a manifest; more is an error.
	MaxFiles = 4096

	// MaxArgs bounds the arguments of a replicated call; more is an error.
	MaxArgs = engine.MaxArgs

	// MaxMoves bounds the moves in one message: the newest and older ones that may have been lost. More
	// is an error.
	MaxMoves = 8
)
