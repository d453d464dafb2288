package classfile

import (
	"fmt"
	"strings"
	"testing"
)

// TestSizesThatNeverFit: what could be more than one message holds is refused when it loads, with class and variable
// (G11); what just fits is not.
func TestSizesThatNeverFit(t *testing.T) {
	strings1000 := func(n int) string {
		var props, names []string
		for i := range n {
			props = append(props, fmt.Sprintf(`T%d = str("", { max = 1000 })`, i))
			names = append(names, fmt.Sprintf("%q", fmt.Sprintf("T%d", i)))
		}
		return "C.properties { " + strings.Join(props, ", ") + " }\nC.replication { { " + strings.Join(names, ", ") + " } }\n"
	}
	fast := func(n int) string {
		var props, names []string
		for i := range n {
			props = append(props, fmt.Sprintf(`F%d = fastarray(struct { A = int(0) })`, i))
			names = append(names, fmt.Sprintf("%q", fmt.Sprintf("F%d", i)))
		}
		return "C.properties { " + strings.Join(props, ", ") + " }\nC.replication { { " + strings.Join(names, ", ") + " } }\n"
	}
	members := func(n int, typ string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("M%d = %s", i, typ))
		}
		return "struct { " + strings.Join(list, ", ") + " }"
	}
	nest := func(n int) string {
		return strings.Repeat("struct { A = ", n) + "int(0)" + strings.Repeat(" }", n)
	}
	const up = ", when = function(self) return self.Role < ROLE_Authority end } }"
	for _, c := range []struct{ name, text, want string }{
		{"what a client sends", `C.properties { A = str("", { max = 1000 }), B = array(int(0), 100), D = array(false, 447) }
C.replication { { "A", "B", "D"` + up, ""},
		{"too much of a client", `C.properties { A = str("", { max = 1000 }), B = struct { S = str("", { max = 1000 }), T = str("", { max = 1000 }) } }
C.replication { { "A", "B"` + up, "class C: B goes from clients to the server and takes up to 2011 bytes on the wire; at most 1100"},
		{"a fast array of a client", `C.properties { F = fastarray(struct { A = int(0) }) }
C.replication { { "F"` + up, "class C: F is a fastarray, and those do not go from clients to the server"},
		{"8 levels", "C.properties { A = " + nest(8) + ` }
C.replication { { "A" } }`, ""},
		{"9 levels", "C.properties { A = " + nest(9) + ` }
C.replication { { "A" } }`, "class C: A nests structs and arrays 9 deep; at most 8 cross"},
		{"9 levels that do not cross", "C.properties { A = " + nest(9) + " }", ""},
		{"9 levels of an argument", `function C.server.reliable:Say(n, a) end
C.params { Say = { int(0), ` + nest(9) + ` } }
function C.validate:Say(n, a) return true end`, "class C: function Say: argument 2 nests structs and arrays 9 deep"},
		{"62 long strings", strings1000(62), ""},
		{"255 long strings", strings1000(255), ""},
		{"300 variables", strings1000(300), "replicated variables, at most 256 [too-many-replicated]"},
		{"a long array of structs with long strings", `C.properties { A = array(struct { S = str("", { max = 1000 }) }, 4000) }
C.replication { { "A" } }`, "array-too-large"},
		{"an array in a struct", `C.properties { A = struct { L = array(str("", { max = 1000 }), 300) } }
C.replication { { "A" } }`, "class C: with A, of "},
		{"the same where it does not cross", `C.properties { A = struct { L = local_(array(str("", { max = 1000 }), 300)) } }
C.replication { { "A" } }`, ""},
		{"what does not replicate", `C.properties { A = array(str("", { max = 1000 }), 4000) }`, ""},
		{"16 fast arrays", fast(16), ""},
		{"17 fast arrays", fast(17), "class C: F16 is replicated fastarray 17; at most 16"},
		{"64 members", "C.properties { A = " + members(64, "int(0)") + " }", ""},
		{"65 members", "C.properties { A = " + members(65, "int(0)") + " }", "a struct of 65 members"},
		{"8 times 8", "C.properties { A = " + members(8, members(8, "int(0)")) + " }", ""},
		{"9 times 8", "C.properties { A = " + members(9, members(8, "int(0)")) + " }", "a struct of 72 members"},
		{"structs in an array in a struct", "C.properties { A = struct { L = array(" + members(65, "int(0)") + ", 2) } }", "a struct of 65 members"},
		{"arguments", `function C.server.reliable:Say(a) end
C.params { Say = { array(str("", { max = 1000 }), 65) } }
function C.validate:Say(a) return true end`, ""},
		{"too long arguments", `function C.server.reliable:Say(n, a) end
C.params { Say = { int(0), array(str("", { max = 1000 }), 66) } }
function C.validate:Say(n, a) return true end`, "class C: function Say: with argument 2 its arguments take up to"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, diags := load(t, map[string]string{"C.lua": "local C = class(\"C\", \"Actor\")\n" + c.text + "\nreturn C\n"}, Options{})
			got := text(diags)
			switch {
			case c.want == "" && strings.Contains(got, ": error: "):
				t.Errorf("refused: %s", got)
			case c.want != "" && !strings.Contains(got, c.want):
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}
