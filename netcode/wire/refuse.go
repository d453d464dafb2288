package wire

// Refusal is the reason why a client is not admitted (R8.3), or why a connection ends:
//
//	[3, code, text]   refuse
//	[4, code, text]   kick
//
// code str ≤ 255, a word for programs; text str ≤ 255, a line for people.
type Refusal struct{ Code, Text string }

// AppendRefuse appends a refusal.
func AppendRefuse(b []byte, m Refusal) []byte { return m.append(b, KindRefuse) }

// AppendKick appends a kick.
func AppendKick(b []byte, m Refusal) []byte { return m.append(b, KindKick) }

func (m Refusal) append(b []byte, k Kind) []byte {
	return appendTexts(appendMessage(b, k, 2), m.Code, m.Text)
}

// Refusal reads the fields of a refusal or a kick.
func (r *Reader) Refusal(fields int) (m Refusal) {
	if r.fields(fields, 2) {
		r.texts(&m.Code, &m.Text)
	}
	return m
}
