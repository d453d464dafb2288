package wire

// Header opens every datagram:
//
//	seq      int        this datagram's number, from 0, wrapping at 65 536
//	ack      int | nil  the newest datagram got from the peer; nil before the first
//	missing  int        not after nil: bit i is set where datagram ack−1−i was not got; 0 where all of the
//	                    32 were, or there were none
//
//	cd 12 34 │ cd 12 30 │ 00            seven bytes where nothing is lost
//
// Missing datagrams are set, not received ones, so that the usual case takes one byte.
type Header struct {
	Seq Seq
	// Acks is false before anything was received; Ack and Missing then mean nothing.
	Acks    bool
	Ack     Seq
	Missing uint32
}

// AppendHeader appends a datagram's header.
func AppendHeader(b []byte, h Header) []byte {
	b = AppendUint(b, uint64(h.Seq))
	if !h.Acks {
		return append(b, mpNil)
	}
	b = AppendUint(b, uint64(h.Ack))
	return AppendUint(b, uint64(h.Missing))
}

// MaxHeader is the largest header, in bytes.
const MaxHeader = 3 + 3 + 5

// Header reads a datagram's header.
func (r *Reader) Header() Header {
	h := Header{Seq: Seq(r.uint16())}
	if r.Nil() {
		return h
	}
	h.Acks = true
	h.Ack = Seq(r.uint16())
	h.Missing = r.uint32()
	if r.err != nil {
		return Header{}
	}
	return h
}
