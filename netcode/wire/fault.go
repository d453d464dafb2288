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

// maxLine bounds a line of a file: more than a class file can have.
const maxLine = 1 << 20

// AppendFault appends a fault. What is longer than MaxText is cut.
func AppendFault(b []byte, m *Fault) []byte {
	b = AppendString(AppendString(appendMessage(b, KindFault, 4), cut(m.Function, MaxText)), cut(m.File, MaxText))
	b = AppendUint(b, uint64(min(max(m.Line, 0), maxLine)))
	return AppendString(b, cut(m.Text, MaxText))
}

// Fault reads the fields of a fault.
func (r *Reader) Fault(fields int) (m Fault) {
	if r.fields(fields, 4) {
		m.Function, m.File = r.str(MaxText), r.str(MaxText)
		m.Line = int(r.IntIn(0, maxLine))
		m.Text = r.str(MaxText)
	}
	return m
}
