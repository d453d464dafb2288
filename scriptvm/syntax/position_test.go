package syntax

import (
	"slices"
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
	c = mustParse(t, "return function(x, yy) end")
	if at := c.NamePos(c.Stmts[0].(*ast.ReturnStmt).Exprs[0], 1); at != (Position{1, 20}) {
		t.Errorf("the second name is at %s, want 1:20", at)
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
	options := HardenOptions{Names: known, Globals: func(name string) bool { return slices.Contains(known, name) }}
	for src, want := range map[string]string{
		"local Health = 1\nreturn vectr(Healt)":  "t.lua:2:8: unknown name 'vectr'; did you mean \"vector\"?",
		"local Health = 1\nreturn vector(Healt)": "t.lua:2:15: unknown name 'Healt'; did you mean \"Health\"?",
	} {
		if err := Harden(mustParse(t, src), options); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
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
