package wire

// Travel sends the client somewhere else:
//
//	[5, url, seamless]
//
// url str ≤ 1 024: a level with options, or a host with them; seamless bool: the connection stays, the world
// changes under it.
type Travel struct {
	URL      string
	Seamless bool
}

// AppendTravel appends a travel.
func AppendTravel(b []byte, m Travel) []byte {
	b = appendMessage(b, KindTravel, 2)
	return AppendBool(AppendString(b, cut(m.URL, MaxURL)), m.Seamless)
}

// Travel reads a travel's fields.
func (r *Reader) Travel(fields int) (m Travel) {
	if r.fields(fields, 2) {
		m.URL, m.Seamless = r.str(MaxURL), r.Bool()
	}
	return m
}
