package classfile

import (
	"fmt"
	"strings"
	"testing"
)

// TestMessagesAreTheSame: what is wrong is said alike each time, also where each of many states of a class is wrong in its own
// way: the first by name is told of.
func TestMessagesAreTheSame(t *testing.T) {
	class := func(outside string, inside func(i int) string) map[string]string {
		var b strings.Builder
		b.WriteString("local T = class(\"T\")\nT.properties { Ammo = int(0), Other = int(0) }\nT.replication { { \"Ammo\", when = function(self) return self:Ready() end } }\n")
		fmt.Fprintf(&b, "function T:Ready() %s end\n", outside)
		for i := range 9 {
			fmt.Fprintf(&b, "T.state(\"S%d\", {})\nfunction T.state.S%d:Ready() %s end\n", i, i, inside(i))
		}
		return map[string]string{"T.lua": b.String()}
	}
	for name, c := range map[string]struct {
		files map[string]string
		said  string
	}{
		"effects": {class("return true", func(i int) string { return fmt.Sprintf("self.Other = %d return true", i) }), "T.lua:6:34"},
		"only Lua": {class("return true", func(i int) string {
			return "return string." + strings.Fields("upper lower rep len sub byte reverse format find")[i] + "(\"x\", 1) == \"X\""
		}), "string.upper"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 30 {
				if _, diags := load(t, c.files, Options{Check: true}); !strings.Contains(text(diags), c.said) {
					t.Fatalf("said:\n%s\nexpected %s", text(diags), c.said)
				}
			}
		})
	}
}
