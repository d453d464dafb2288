package wire

// Travel sends the client somewhere else (R8.7):
//
//	[5, url, seamless, from]
//
// url str ≤ 1 024: a level with options, or a host with them; seamless bool: the connection stays and the world is
// replaced; from int 0…65 535: the first datagram of the new world. The content of older ones, except
// acknowledgements, belongs to the previous world. A welcome follows, which describes the new world.
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
