package wire

// Hello is the client's first message:
//
//	[1, version, agent, options, cold]
//
// version int; agent str ≤ 255, the program and its version, for logs; options str ≤ 1 024, as in a URL (R8.3);
// cold bool: the client has no files at all, and the server sends the manifest of its welcome and all its files
// without a request, which saves two round trips.
type Hello struct {
	Version int
	Agent   string
	Options string
	Cold    bool
}

// AppendHello appends a hello.
func AppendHello(b []byte, m *Hello) []byte {
	b = appendMessage(b, KindHello, 4)
	b = AppendUint(b, uint64(m.Version))
	b = AppendString(b, cut(m.Agent, MaxText))
	b = AppendString(b, cut(m.Options, MaxOptions))
	return AppendBool(b, m.Cold)
}

// Hello reads a hello's fields. For another version it reads only Version, so that the sender can be notified.
func (r *Reader) Hello(fields int) (m Hello) {
	if fields < 1 {
		r.Fail(ErrFields)
		return m
	}
	m.Version = int(r.uint16())
	if m.Version != Version {
		for range fields - 1 {
			r.Skip()
		}
		return m
	}
	if r.fields(fields, 4) {
		m.Agent, m.Options, m.Cold = r.Text(MaxText), r.Text(MaxOptions), r.Bool()
	}
	return m
}
