package wire

// AppendReceived appends how many reliable messages were processed, modulo 65 536; sent in datagrams while the
// number changes:
//
//	[13, n]
//
// With it the sender knows that an actor's opening was processed (R5.5: bNetInitial).
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
