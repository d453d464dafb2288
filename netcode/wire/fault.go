package wire

// Fault is an error of a script on a client, for the operator's log:
//
//	[18, function, file, line, text]
//
// function ("Rocket:Tick"), file and text str ≤ 255, line int.
type Fault struct {
	Function, File string // Class:Function
	Line           int
	Text           string
}

// maxLine bounds the line number in a file: more than a class file can have.
const maxLine = 1 << 20

// AppendFault appends a fault. Texts longer than MaxText are cut.
func AppendFault(b []byte, m *Fault) []byte {
	b = appendTexts(appendMessage(b, KindFault, 4), m.Function, m.File)
	return appendTexts(appendUints(b, min(max(m.Line, 0), maxLine)), m.Text)
}

// Fault reads the fields of a fault.
func (r *Reader) Fault(fields int) (m Fault) {
	if r.fields(fields, 4) {
		r.texts(&m.Function, &m.File)
		m.Line, m.Text = int(r.IntIn(0, maxLine)), r.Text(MaxText)
	}
	return m
}
