package syntax

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// odd are sources of every construct, some of them wrong.
var odd = []string{
	"", ";;", "return", "return;", "return 1,2;", "do end", "do ; ; end", "break", "while 1 do break; end", "for i=1,2 do break return end", "local a <x",
	"f{1,[2]=3;a=b,}", "a.b:c'x'", "return ((a))(b)", "x = -(-1)^2..3", "if a then elseif b then else end", "if a then elseif b then elseif c then end",
	"--[==[ x ]==] local s = [=[\n]=]", "for i=1,2 do break end", "for a,b,c in x,y do end", "for i=1,2,3 do end", "for i=1 do end", "for i do end", "for 1 do end",
	"function f(...) return ... end", "function a.b.c:d(x, y, ...) end", "function f(a,) end", "function f(..., a) end", "function a:b.c() end",
	"\x00", "'\\\n'", "local s = '\\065\\x\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\'\\999\\0'", "local s='\\\r\n'", "local s=[[\r\na\rb\n\rc\n\nd]]", "local s = [==[]]]=]]==]",
	"a=0x1e+1", "a=01", "a=1..2", "a=1.5.3", "a=.5.3", "a=3.", "a=1e+5", "a=1E5x", "a=0X1F", "a=0xg",
	"repeat local x until x", "local function f() f() end return (f())", "(a).b = 1", "(a) = 1", "(f()) = 1", "(f())", "((f()))", "f() = 1", "f(), a = 1", "a, f() = 1",
	"a, (b) = 1", "a[b][c], d = e, (f)", "a, b", "a", "a.b", "a[1]", "a b", "a 'x' {} (y):z()", "'x':y()", "('x'):y()", "x = 'a' 'b'", "x = {} {}",
	"--[[", "--[=", "--[x", "--", "a = [=x", "a = [", "a = t[[[x]]]", "x = a.b.c[d].e", "x = not not -#a", "x = 2^-3^2*4", "x = a or b and c == d .. e + f * -g ^ h",
	"x = a < b < c <= d > e >= f ~= g == h", "x = a - -b - - -c", "x = (...)", "x = ((...))", "x, y = (a.b)", "local x = function(a, ...) local b = arg end", "goto a", "::a::",
	"return a.b\n\t.c\n\t:d(\n1,\n2\n)\n\t..\n'x'", "x = (\na\n+\nb\n) *\nc", "local t = {\n1,\n[\n2\n] = 3,\nfunction()\nend\n}", "if a\nthen\nelse\nend", "x\n=\n-\na", "(\nf\n)\n.x()",
	"f\n{}", "f\n''", "return f(" + strings.Repeat("1,", 60) + "1)", "return a:f(" + strings.Repeat("1,", 60) + "1)", "return {" + strings.Repeat("1,", 130) + "}",
	"local a,b,c = f(g(h(1,2,3),4),5), {1,{2,{3,{4}}}}", "return a..b..f(c..d..e)..g",
	"x = function\n() end", "while a\ndo\nb()\nend", "repeat\nx()\nuntil\na and\nb", "local a,\nb = 1,\n2", "end", "until x", ")", "x = }", "= 1", "+", "x = +1", "f(", "f(1", "f(1,", "a:", "a:b", "a.", "a.1",
	"{}", "x = {1,,2}", "x = {a=}", "x = {[a] 1}", "x = {[a]=1;b=2,3;}", "local", "local 1", "local a =", "local function", "local function f", "function", "function f", "if", "if a", "do", "x = function", "#x", "not x", "\xef\xbb\xbfx = 1", "x = 'a\nb'", "x = \"",
}

// corpus are all scripts, scenarios and odd ones.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"positions": positionSource}
	for i, src := range odd {
		out[fmt.Sprint("odd ", i)] = src
	}
	for _, root := range []string{"../../scripts", "../../tests/scenarios"} {
		err := filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".lua") {
				return err
			}
			text, err := os.ReadFile(p)
			out[p] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestAgreesWithGopherLua compiles a corpus of the trees of gopher-lua's own parser as well: the bytecode is the same, lines included,
// and what one refuses the other does. The bytecode is cut to size, has no tail calls and needs no more registers than were estimated.
func TestAgreesWithGopherLua(t *testing.T) {
	compared := 0
	for name, src := range corpus(t) { // any order: each by itself
		stmts, theirs := parse.Parse(strings.NewReader(strings.TrimPrefix(src, "\xef\xbb\xbf")), name)
		c, ours := Parse(name, src)
		if (theirs == nil) != (ours == nil) {
			if ours == nil || !refusedByUs(ours.Error()) {
				t.Errorf("%s %.60q: ours says %v, gopher-lua %v", name, src, ours, theirs)
			}
			continue
		}
		if ours != nil {
			continue
		}
		want, theirs := lua.Compile(stmts, name)
		c.hardened = true
		got, ours := Compile(c)
		if (theirs == nil) != (ours == nil) {
			t.Errorf("%s: ours says %v, gopher-lua %v", name, ours, theirs)
		}
		if theirs != nil || ours != nil {
			continue
		}
		// The prototype counts the registers from 0 and adds one for good measure.
		if n := int(got.NumUsedRegisters); n > c.Functions()[0].registers+2 {
			t.Errorf("%s: uses %d registers, estimated %d", name, n, c.Functions()[0].registers)
		}
		finish(want)
		compared++
		same(t, name, got, want, true)
	}
	if compared < 200 {
		t.Errorf("%d files were compared", compared)
	}
}

// refusedByUs reports whether an error is of what gopher-lua takes and scripts may not have.
func refusedByUs(text string) bool {
	return slices.ContainsFunc([]string{"goto and labels", "malformed number", "'...' outside", "ambiguous"}, func(s string) bool { return strings.Contains(text, s) })
}

func same(t *testing.T, name string, got, want *lua.FunctionProto, main bool) {
	t.Helper()
	g, w := *got, *want
	if room := len(g.Code) + len(g.Code)/4 + 8; cap(g.Code) > room || cap(g.DbgSourcePositions) > room {
		t.Errorf("%s: code %d of %d is not cut to size", name, len(g.Code), cap(g.Code))
	}
	if slices.ContainsFunc(g.Code, func(inst uint32) bool { return int(inst>>opcodeShift) == lua.OP_TAILCALL }) {
		t.Errorf("%s: a tail call", name)
	}
	if main { // where it ends says nothing
		g.LastLineDefined, w.LastLineDefined = 0, 0
		n := min(len(g.DbgSourcePositions), len(w.DbgSourcePositions)) - 1
		g.DbgSourcePositions, w.DbgSourcePositions = g.DbgSourcePositions[:n], w.DbgSourcePositions[:n]
	}
	g.FunctionPrototypes, w.FunctionPrototypes = nil, nil
	constants := fmt.Sprint(g.Constants) == fmt.Sprint(w.Constants) // not by ==: one may be NaN
	g.Constants, w.Constants = nil, nil
	if !constants || !reflect.DeepEqual(g, w) {
		t.Errorf("%s: function of line %d\n got %+v\nwant %+v", name, w.LineDefined, g, w)
	}
	if len(got.FunctionPrototypes) != len(want.FunctionPrototypes) {
		t.Fatalf("%s: %d functions, want %d", name, len(got.FunctionPrototypes), len(want.FunctionPrototypes))
	}
	for i := range got.FunctionPrototypes {
		same(t, name, got.FunctionPrototypes[i], want.FunctionPrototypes[i], false)
	}
}
