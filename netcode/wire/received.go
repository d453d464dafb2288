package wire

// AppendReceived appends how many reliable messages were processed, modulo 65 536; in datagrams, while there is
// news:
//
//	[13, n]
//
// By it the sender knows that an actor's opening was seen (R5.5: bNetInitial).
func AppendReceived(b []byte, n uint16) []byte {
	return AppendUint(appendMessage(b, KindReceived, 1), uint64(n))
}

// Received reads the fields of a received.
func (r *Reader) Received(fields int) (n uint16) {
	if r.fields(fields, 1) {
		n = r.uint16()
	}
	return n
}
