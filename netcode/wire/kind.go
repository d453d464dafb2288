package wire

// Kind is the type of a message. A message is an array whose first element is its kind; it is alone or with others
// in a reliable message of the link, or in a datagram between its header and its deltas. A program that does not
// know any kinds can still parse the stream.
type Kind uint8

// The kinds of messages. Numbers of kinds are never reused; new ones raise [Version].
//
// ORDER: kinds (docs/protocol.md, kindNames).
const (
	KindHello    Kind = 1 + iota // client: who I am and what I run
	KindWelcome                  // server: connected
	KindRefuse                   // server: not admitted, for this reason (R8.3)
	KindKick                     // either: the connection ends, for this reason
	KindTravel                   // server: go to this level or host
	KindClasses                  // server: from here on, this class table (R5.23)
	KindReady                    // client: I run the classes of this epoch
	KindWant                     // client: send me these files
	KindChunk                    // server: a part of an archive of files
	KindOpen                     // server: an actor (R5.1)
	KindClose                    // server: an actor's channel ends
	KindCall                     // either: a replicated call, reliable or not depending on how it is sent
	KindReceived                 // either: how many reliable messages were processed
	KindMove                     // client: input of the local player
	KindAsk                      // client: what time is it (R11.1)
	KindTell                     // server: this
	KindRole                     // server: the copy's role has changed (R2.2)
	KindFault                    // client: a script failed here
	KindDuty                     // server: these functions are disabled
	KindPace                     // server: the world ticks this fast
	numKinds
)

var kindNames = [numKinds]string{
	"", "hello", "welcome", "refuse", "kick", "travel", "classes", "ready", "want", "chunk", "open", "close",
	"call", "received", "move", "ask", "tell", "role", "fault", "duty", "pace",
}

func (k Kind) String() string {
	if k < numKinds && k > 0 {
		return kindNames[k]
	}
	return "Kind?"
}

// appendMessage appends the head of a message with n fields after its kind.
func appendMessage(b []byte, k Kind, n int) []byte { return append(AppendArray(b, n+1), byte(k)) }

// Message reads the head of a message: its kind and the number of fields that follow. The message's own reader
// reads those, and fails if their number is wrong.
func (r *Reader) Message() (k Kind, fields int) {
	n := r.Array()
	if n == 0 {
		r.Fail(ErrFields)
		return 0, 0
	}
	k = Kind(r.IntIn(0, 255))
	if r.err == nil && (k == 0 || k >= numKinds) {
		r.err = ErrKind
	}
	if r.err != nil {
		return 0, 0
	}
	return k, n - 1
}

// fields fails unless a message has exactly the number of fields it should have.
func (r *Reader) fields(have, want int) bool {
	if have != want {
		r.Fail(ErrFields)
	}
	return r.err == nil
}

// Hash identifies a file by its contents: SHA-256.
type Hash [HashBytes]byte

// Hash reads a hash.
func (r *Reader) hash() (h Hash) {
	if s := r.bin(HashBytes); len(s) == HashBytes {
		copy(h[:], s)
	} else {
		r.Fail(ErrRange)
	}
	return h
}

// texts reads texts of at most MaxText bytes.
func (r *Reader) texts(into ...*string) {
	for _, s := range into {
		*s = r.Text(MaxText)
	}
}

// appendTexts appends texts, cut to MaxText bytes.
func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = AppendString(b, cut(s, MaxText))
	}
	return b
}

// appendUints appends numbers.
func appendUints[T uint8 | uint16 | uint32 | int](b []byte, numbers ...T) []byte {
	for _, n := range numbers {
		b = AppendUint(b, uint64(n))
	}
	return b
}
