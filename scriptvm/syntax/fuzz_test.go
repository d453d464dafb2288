package syntax

import (
	"errors"
	"testing"

	"github.com/yuin/gopher-lua/ast"
)

// FuzzParse: whatever the text, there is a tree or a placed error; every node has a word; what parses
// also compiles or says why.
func FuzzParse(f *testing.F) {
	f.Add(positionSource)
	for _, src := range odd {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		c, err := Parse("fuzz.lua", src)
		if err != nil {
			var typed *Error
			if !errors.As(err, &typed) || typed.Line < 1 || typed.Msg == "" {
				t.Fatalf("not a placed error: %#v", err)
			}
			return
		}
		c.Walk(Visitor{Expr: func(e ast.Expr, _ *Path) bool {
			if c.token(e) == nil {
				t.Fatalf("%T of line %d has no word", e, e.Line())
			}
			if pos := c.Pos(e); e.Line() > 0 && pos.Line < 1 {
				t.Fatalf("%T at %s", e, pos)
			}
			return true
		}})
		if err := Harden(c, HardenOptions{}); err != nil {
			return
		}
		if _, err := Compile(c); err != nil {
			var typed *Error
			if !errors.As(err, &typed) || typed.Line < 1 {
				t.Fatalf("not a placed error: %#v", err)
			}
		}
	})
}
