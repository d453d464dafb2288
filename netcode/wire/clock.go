package wire

// Ask is a client's request for the server's time (R11.1), by datagram:
//
//	[15, stamp]
//
// stamp int, the client's own time in microseconds, with any origin.
//
// AppendAsk appends it.
func AppendAsk(b []byte, stamp int64) []byte {
	return AppendInt(appendMessage(b, KindAsk, 1), stamp)
}

// Ask reads the fields of a request for the time.
func (r *Reader) Ask(fields int) (stamp int64) {
	if r.fields(fields, 1) {
		stamp = r.Int()
	}
	return stamp
}

// Tell is the reply:
//
//	[16, stamp, time, held]
//
// stamp int as in the request; time int, the world's time in microseconds when the reply was sent; held int ≥ 0,
// how many microseconds the request waited at the server for its tick, so that the client can subtract it from the
// round trip.
type Tell struct{ Stamp, Time, Held int64 }

// AppendTell appends a reply.
func AppendTell(b []byte, m Tell) []byte {
	return AppendInt(AppendInt(AppendInt(appendMessage(b, KindTell, 3), m.Stamp), m.Time), m.Held)
}

// Tell reads a reply's fields.
func (r *Reader) Tell(fields int) (m Tell) {
	if r.fields(fields, 3) {
		m.Stamp, m.Time = r.Int(), r.Int()
		m.Held = r.IntIn(0, 1<<40)
	}
	return m
}
