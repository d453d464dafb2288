package wire

// Closing is the reason why a channel closes, and so what happens to the client's copy.
type Closing uint8

// The reasons to close a channel.
//
// ORDER: closings (docs/protocol.md).
const (
	CloseDestroyed  Closing = iota // the actor was destroyed: the copy is destroyed
	CloseIrrelevant                // it is no longer relevant: the copy is destroyed (R3.10)
	CloseDormant                   // it is dormant: the copy stays (R4.7)
	CloseTemporary                 // bNetTemporary: the copy continues independently (R5.17)
	CloseTornOff                   // bTearOff: the copy gets Role Authority (R5.18)
	numClosings
)

func (c Closing) String() string {
	names := [numClosings]string{"destroyed", "irrelevant", "dormant", "temporary", "torn off"}
	if c < numClosings {
		return names[c]
	}
	return "Closing?"
}

// Close ends an actor's channel; its number may be reused afterwards:
//
//	[11, channel, why]
type Close struct {
	Channel uint16
	Why     Closing
}

// AppendClose appends a close.
func AppendClose(b []byte, m Close) []byte {
	return append(AppendUint(appendMessage(b, KindClose, 2), uint64(m.Channel)), byte(m.Why))
}

// Close reads a close's fields.
func (r *Reader) Close(fields int) (m Close) {
	if r.fields(fields, 2) {
		m.Channel = r.uint16()
		m.Why = Closing(r.IntIn(0, int64(numClosings)-1))
	}
	return m
}
