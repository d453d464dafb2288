package wire

import "strings"

// Duty says which functions of the world's classes are out of use on the server and so here (G2):
//
//	[19, functions]
//
// functions str ≤ 16 384: Class:Function or Class:State.Function, one a line, ascending; all that are, so that those of an earlier
// message that are missing are in use again. They end with the world, and with the classes of which they are.
type Duty struct{ Functions string }

// AppendDuty appends which functions are out of use. Whole lines beyond MaxDuty bytes are left out.
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

// Duty reads which functions are out of use.
func (r *Reader) Duty(fields int) (m Duty) {
	if r.fields(fields, 1) {
		m.Functions = r.Text(MaxDuty)
	}
	return m
}
