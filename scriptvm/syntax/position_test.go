package syntax

import (
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/ast"
)

func mustParse(t testing.TB, src string) *Chunk {
	t.Helper()
	c, err := Parse("t.lua", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return c
}

// textAt is the source from a position to the end of its line.
func textAt(src string, at Position) string {
	lines := strings.Split(src, "\n")
	if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len(lines[at.Line-1])+1 {
		return "(outside the file: " + at.String() + ")"
	}
	return lines[at.Line-1][at.Column-1:]
}

const positionSource = `-- a file
local Rocket, b = class("Rocket", 'Projectile'), (1)
function Rocket.server.reliable:ServerDetonate(after, ...)
	if ((self.Fuse) < after) and not self["Seeker"] then
		self:SetTimer(after .. "x", false, [[Explode]])
	elseif #after == -2 then
		for i = 1, (2), 3 do print(i) end
	else
		for k, v in pairs { a = 1, ["b"] = nil; 7 } do local z <const_ = k; end
	end
	repeat local q = 0x1F until q ~= 2 ^ (3)
	return self.Location.X, function(x) return x end
end
`

// TestEveryNodeHasItsWord walks a file of all constructs and compares what stands at each position.
func TestEveryNodeHasItsWord(t *testing.T) {
	src := strings.Replace(positionSource, "z <const_ = k", "z = k", 1)
	c := mustParse(t, src)
	check := func(node ast.PositionHolder, at Position, want string) {
		t.Helper()
		if !strings.HasPrefix(textAt(src, at), want) {
			t.Errorf("%T at %s: %q, want %q there", node, at, textAt(src, at), want)
		}
	}
	seen := 0
	c.Walk(Visitor{Expr: func(e ast.Expr, at *Path) bool {
		seen++
		if e.Line() > 0 && at.Parent == nil {
			t.Errorf("%T has no parent", e)
		}
		pos := c.Pos(e)
		switch e := e.(type) {
		case *ast.IdentExpr:
			check(e, pos, e.Value)
		case *ast.NumberExpr:
			check(e, pos, e.Value)
		case *ast.StringExpr:
			text := textAt(src, pos)
			if !strings.HasPrefix(strings.TrimLeft(text, `"'[`), e.Value) {
				t.Errorf("string %q at %s: %q", e.Value, pos, text)
			}
		case *ast.AttrGetExpr:
			if textAt(src, pos)[0] != '[' {
				check(e, pos, e.Key.(*ast.StringExpr).Value)
			}
		case *ast.FuncCallExpr:
			if e.Func == nil {
				check(e, pos, e.Method)
			}
		case *ast.LogicalOpExpr:
			check(e, pos, e.Operator)
		case *ast.RelationalOpExpr:
			check(e, pos, e.Operator)
		case *ast.ArithmeticOpExpr:
			check(e, pos, e.Operator)
		case *ast.StringConcatOpExpr:
			check(e, pos, "..")
		case *ast.UnaryLenOpExpr:
			check(e, pos, "#")
		case *ast.UnaryMinusOpExpr:
			check(e, pos, "-")
		case *ast.UnaryNotOpExpr:
			check(e, pos, "not")
		case *ast.FunctionExpr:
			check(e, pos, "function")
			for i, name := range e.ParList.Names {
				check(e, c.NamePos(e, i), name)
			}
		case *ast.TableExpr:
			check(e, pos, "{")
		case *ast.NilExpr:
			check(e, pos, "nil")
		}
		return true
	}, Stmt: func(s ast.Stmt, _ *Path) bool {
		words := map[string]bool{}
		switch s := s.(type) {
		case *ast.LocalAssignStmt:
			words["local"] = true
			for i, name := range s.Names {
				check(s, c.NamePos(s, i), name)
			}
		case *ast.IfStmt:
			words["if"], words["elseif"] = true, true
		case *ast.GenericForStmt:
			words["for"] = true
			check(s, c.NamePos(s, 1), s.Names[1])
		case *ast.NumberForStmt:
			words["for"] = true
			check(s, c.NamePos(s, 0), s.Name)
		case *ast.FuncDefStmt:
			words["function"] = true
			for i, part := range []string{"Rocket", "server", "reliable", "ServerDetonate"} {
				check(s, c.NamePos(s, i), part)
			}
		case *ast.RepeatStmt:
			words["repeat"] = true
		case *ast.ReturnStmt:
			words["return"] = true
		default:
			return true
		}
		word, _, _ := strings.Cut(textAt(src, c.Pos(s)), " ")
		if !words[word] {
			t.Errorf("%T at %s: %q", s, c.Pos(s), word)
		}
		return true
	}})
	if seen < 60 {
		t.Errorf("only %d expressions visited", seen)
	}
}

func TestStartIsTheLeftmostWord(t *testing.T) {
	src := "return aa.bb[1]:cc(dd).ee + ff"
	c := mustParse(t, src)
	sum := c.Stmts[0].(*ast.ReturnStmt).Exprs[0]
	if at := c.Start(sum); at != (Position{1, 8}) {
		t.Errorf("starts at %s, want 1:8", at)
	}
	if at := c.Pos(sum); at != (Position{1, 27}) {
		t.Errorf("is at %s, want 1:27", at)
	}
}

func TestColumnsWithTabsCarriageReturnsAndLongStrings(t *testing.T) {
	src := "local a = [[\r\nx\r\n]] local b\r\n\tlocal cc = 1"
	c := mustParse(t, src)
	for i, want := range []Position{{1, 1}, {3, 4}, {4, 2}} {
		if at := c.Pos(c.Stmts[i]); at != want {
			t.Errorf("statement %d at %s, want %s", i, at, want)
		}
	}
}

func TestErrorsArePlacedAndPlain(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"local x = = 1", "t.lua:1:11: unexpected '='"},
		{"if x = 1 then end", "t.lua:1:6: unexpected '='; to compare write '=='"},
		{"local x\nx += 1", "t.lua:2:3: unexpected '+='; write x = x + …"},
		{"function f()\n  if x then\n", "t.lua:3:1: unexpected end of file; 'then' of 2:8 is not closed by 'end'"},
		{"for i=1,2 do\nend\nend", "t.lua:3:1: unexpected 'end'; nothing is open that it could close"},
		{"f(1\nend", "t.lua:2:1: unexpected 'end'; '(' of 1:2 wants ')' first"},
		{"x", "t.lua:1:2: unexpected end of file: an expression alone"},
		{"local s = 'abc\n", "t.lua:1:11: a string without its closing quote"},
		{"local s = [[abc\n", "t.lua:1:11: a long string without its closing ]]"},
		{"a = b != c", "t.lua:1:7: unexpected '!='; 'not equal' is written '~='"},
		{"a = 3x b()", "t.lua:1:5: unexpected '3x'; a number has no suffix"},
		{"x = x++", "t.lua:1:6: unexpected '++'; write x = x + 1"},
		{"a = 0x", "t.lua:1:5: malformed number near '0x'"},
		{"a = 1e", "t.lua:1:5: malformed number near '1e'"},
		{"a = 0010", "t.lua:1:5: malformed number near '010'"},
		{"break", "t.lua:1:1: no loop to break"},
		{"return ...", ""},
		{"function f() return ... end", "t.lua:1:21: '...' outside a function that takes '...'"},
		{"do return 1 local x end", "t.lua:1:13: unexpected 'local'; return must be the last statement"},
		{"goto x", "t.lua:1:1: goto and labels are not part of this language"},
		{"x = 1 y = 2", "t.lua:1:1: assignment to global 'x': globals are read-only"},
		{"local Health helth = 1", "t.lua:1:14: assignment to global 'helth': globals are read-only, write 'local helth'"},
		{"function f() end", "t.lua:1:10: assignment to global 'f'"},
		{"local s = 'a' .. 'b' .. \"\\q\"", ""},
		{"f()\n(g)()", "t.lua:2:1: ambiguous"},
	} {
		err := compileAll("t.lua", test.src)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%q: %v", test.src, err)
		case test.want != "" && err == nil:
			t.Errorf("%q: no error, want %q", test.src, test.want)
		case test.want != "" && !strings.HasPrefix(err.Error(), test.want):
			t.Errorf("%q:\n got %s\nwant %s", test.src, err, test.want)
		}
	}
}

func TestUnknownGlobalNamesTheNearest(t *testing.T) {
	known := []string{"pairs", "ipairs", "vector"}
	options := HardenOptions{Names: known, Globals: func(name string) bool {
		for _, k := range known {
			if k == name {
				return true
			}
		}
		return false
	}}
	c := mustParse(t, "local Health = 1\nreturn vectr(Healt)")
	err := Harden(c, options)
	if want := "t.lua:2:8: unknown name 'vectr'; did you mean \"vector\"?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c = mustParse(t, "local Health = 1\nreturn vector(Healt)")
	err = Harden(c, options)
	if want := "t.lua:2:15: unknown name 'Healt'; did you mean \"Health\"?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestComments(t *testing.T) {
	src := "--- Rocket: flies.\n-- Then it explodes.\n\n-- not leading\nlocal a = '--no' -- [m] speed\n" +
		"--[[ of\n  two lines ]]\nlocal b = [[--no]] --[==[ deep ]] ]==]\nlocal c\n\n-- gap\n\nlocal d\n"
	c := mustParse(t, src)
	if got, want := c.Leading(), "Rocket: flies.\nThen it explodes."; got != want {
		t.Errorf("leading %q, want %q", got, want)
	}
	for line, want := range map[int]string{5: "[m] speed", 8: "deep ]]", 9: "", 13: ""} {
		if got := c.Doc(line); line != 9 && got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	if got, want := c.Above(8), "of\ntwo lines"; got != want {
		t.Errorf("above 8: %q, want %q", got, want)
	}
	if got, want := c.Above(5), "not leading"; got != want {
		t.Errorf("above 5: %q, want %q", got, want)
	}
	if n := len(c.comments); n != 7 {
		t.Errorf("%d comments, want 7: %+v", n, c.comments)
	}
}
