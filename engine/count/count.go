// Package count counts what a program does, in a build with the tag counts: actors and pairs that are visited, values, bytes,
// instructions. Two runs of the same work give the same counts, however busy the machine is, so a
// test can compare them with those of earlier builds (tests/counts).
//
// Without the tag On is a constant false, Add is empty, and a call of it compiles to nothing. The counts belong to the process
// and not to a world, because a counter in every structure of the hot paths would cost memory in builds that do not count.
//
// It does not measure time, and it knows neither worlds nor connections.
//
//	count.Add(count.Encoded, 1)
//
// Guarantees: Costs nothing in a build without the tag.
package count

// Kind is what is counted.
type Kind uint8

// Kinds. A pair is one actor and one connection.
const (
	// Actors counts actors that a tick runs, or whose marks a net update reads.
	Actors Kind = iota
	// Tested counts pairs that relevancy looks at.
	Tested
	// Updated counts pairs that a change is made pending for, or that are looked at to send something.
	Updated
	// Compared counts values that are compared with what was sent before.
	Compared
	// Encoded counts values that are encoded, those within structures and arrays included.
	Encoded
	// Copied counts bytes of encoded values and datagrams that are copied to be sent.
	Copied
	// Sent counts bytes on simulated links, in both directions, headers included.
	Sent
	// Natives counts Go functions that scripts call.
	Natives
	// Instructions counts instructions of Lua.
	Instructions
	// Kinds is the number of kinds.
	Kinds
)

var names = [Kinds]string{
	Actors: "actors-visited", Tested: "pairs-tested", Updated: "pairs-updated", Compared: "values-compared", Encoded: "values-encoded",
	Copied: "bytes-copied", Sent: "bytes-sent", Natives: "natives", Instructions: "instructions",
}

func (k Kind) String() string { return names[k] }

// Totals holds the counts since the process began, by kind.
type Totals [Kinds]int64
