package wire

// Travel sends the client somewhere else (R8.7):
//
//	[5, url, seamless, from]
//
// url str ≤ 1 024: a level with options, or a host with them; seamless bool: the connection stays, the world
// changes under it; from int 0…65 535: the first datagram of the new world. What older ones hold is of the one before,
// but for acknowledgements. A welcome follows: it says what the new world is.
type Travel struct {
	URL      string
	Seamless bool
	From     Seq
}

// AppendTravel appends a travel.
func AppendTravel(b []byte, m Travel) []byte {
	b = appendMessage(b, KindTravel, 3)
	return AppendUint(AppendBool(AppendString(b, cut(m.URL, MaxURL)), m.Seamless), uint64(m.From))
}

// Travel reads a travel's fields.
func (r *Reader) Travel(fields int) (m Travel) {
	if r.fields(fields, 3) {
		m.URL, m.Seamless, m.From = r.Text(MaxURL), r.Bool(), Seq(r.uint16())
	}
	return m
}
