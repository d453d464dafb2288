package wire

import "strings"

// Duty says which functions of the world's classes are disabled on the server and so here (G2):
//
//	[19, functions]
//
// functions str ≤ 16 384: Class:Function or Class:State.Function, one per line, ascending; the complete list, so
// that functions of an earlier message that are missing are enabled again. The list ends with the world, and with
// the classes that it names.
type Duty struct{ Functions string }

// AppendDuty appends the list of disabled functions. Whole lines beyond MaxDuty bytes are omitted.
func AppendDuty(b []byte, functions []string) []byte {
	n := -1
	for i, f := range functions {
		if n+1+len(f) > MaxDuty {
			functions = functions[:i]
			break
		}
		n += 1 + len(f)
	}
	return AppendString(appendMessage(b, KindDuty, 1), strings.Join(functions, "\n"))
}

// Duty reads the list of disabled functions.
func (r *Reader) Duty(fields int) (m Duty) {
	if r.fields(fields, 1) {
		m.Functions = r.Text(MaxDuty)
	}
	return m
}
