package syntax

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// compileAll takes a source the whole way and gives the first error.
func compileAll(name, src string) error {
	c, err := Parse(name, src)
	if err != nil {
		return err
	}
	if err := Harden(c, HardenOptions{}); err != nil {
		return err
	}
	_, err = Compile(c)
	return err
}

// fill repeats a unit up to the largest file.
func fill(before, unit, after string) string {
	n := (MaxSource - len(before) - len(after)) / len(unit)
	return before + strings.Repeat(unit, n) + after
}

// numbered repeats a pattern with a running number up to the largest file.
func numbered(before, pattern, after string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := 0; ; i++ {
		unit := strings.ReplaceAll(pattern, "#", fmt.Sprint(i))
		if b.Len()+len(unit)+len(after) > MaxSource {
			break
		}
		b.WriteString(unit)
	}
	b.WriteString(after)
	return b.String()
}

// bombs gives sources of the greatest length that are built to hurt parser or compiler. Those with a
// word in refused must be refused with it; the others may compile.
func bombs() []struct{ name, src, refused string } {
	return []struct{ name, src, refused string }{
		{"braces", fill("x=", "{", ""), "nested"},
		{"parentheses", fill("x=", "(", ""), "nested"},
		{"brackets", fill("x=a", "[a", ""), "nested"},
		{"not", fill("x=", "not ", "1"), "operators in a row"},
		{"minus", fill("local x=1 local y=", "- ", "x"), "operators in a row"},
		{"length", fill("local x=1 local y=", "#", "x"), "operators in a row"},
		{"minus after operand", fill("local x=1 local y=x", "- - ", "x"), "operators in a row"},
		{"power", fill("local a=1 local x=", "a^", "a"), "'^'"},
		{"concat", fill("local a=1 local x=", "a..", "a"), "'..'"},
		{"sum", fill("local a=1 local x=", "a+", "a"), "nested"},
		{"and", fill("local a=1 local x=", "a and ", "a"), "nested"},
		{"equal", fill("local a=1 local x=", "a==", "a"), "nested"},
		{"calls", fill("f", "()", ""), "nested"},
		{"method calls", fill("f", ":f()", ""), "nested"},
		{"string calls", fill("f", "''", ""), "nested"},
		{"dots", fill("x=a", ".b", ""), "nested"},
		{"indices", fill("x=a", "[1]", ""), "nested"},
		{"elseif", fill("if x then ", "elseif x then ", "end"), "elseif"},
		{"do", fill("", "do ", ""), "nested"},
		{"while", fill("", "while x do ", ""), "nested"},
		{"if", fill("", "if x then ", ""), "nested"},
		{"else", fill("", "if x then else ", ""), "nested"},
		{"repeat", fill("", "repeat ", ""), "nested"},
		{"nested functions", fill("", "function f() ", ""), "nested"},
		{"nested functions closed", strings.Repeat("local function f() ", 40) + strings.Repeat("end ", 40), "functions nested"},
		{"functions", fill("local a={", "function()end,", "}"), "functions in one file"},
		{"tables", fill("local a={", "{},", "}"), "items in one table"},
		{"fields", fill("local a={", "1,", "}"), "items in one table"},
		{"keyed fields", fill("local a={", "a=1,", "}"), ""},
		{"unique fields", numbered("local a={", "a#=1,", "}"), "too many different"},
		{"unique numbers", numbered("local a={", "[#]=0,", "}"), "too many different"},
		{"unique strings", numbered("local a={", "['#']=0,", "}"), "too many different"},
		{"unique globals", numbered("", "a(b#)", ""), "too many different"},
		{"locals", numbered("", "local a# ", ""), "local variables"},
		{"local list", numbered("local a", ",a#", ""), "local variables"},
		{"parameters", numbered("local function f(a", ",a#", ") end"), "local variables"},
		{"arguments", numbered("f(1", ",2", ")"), "values at once"},
		{"returns", fill("return 1", ",2", ""), "values at once"},
		{"targets", fill("local a a", ",a", "=1"), "values at once"},
		{"values", fill("local a=1", ",2", ""), "values at once"},
		{"assignments", fill("local a ", "a=a ", ""), ""},
		{"statements", fill("local a ", "a() ", ""), ""},
		{"semicolons", fill("", ";", ""), ""},
		{"blocks", fill("", "do end ", ""), ""},
		{"ifs", fill("local a ", "if a then end ", ""), ""},
		{"loops", fill("", "for i=1,2 do end ", ""), ""},
		{"labels", numbered("", "::a#::", ""), "goto and labels"},
		{"gotos", numbered("", "goto a#", ""), "goto and labels"},
		{"comments", fill("", "--\n", ""), ""},
		{"open long comment", fill("--[[", "-", ""), "long comment"},
		{"open long string", fill("x=[[", "-", ""), "long string"},
		{"long string", fill("local x=[[", "-", "]]"), "a string of"},
		{"long number", fill("local x=", "1", ""), "a number of"},
		{"long name", fill("local ", "x", ""), "a name of"},
		{"newlines", fill("", "\n", ""), ""},
		{"spaces", fill("", " ", ""), ""},
		{"zero bytes", fill("", "\x00", ""), "unexpected character"},
		{"long brackets", fill("x=", "[", ""), "long string"},
		{"equal signs", fill("x=[", "=", ""), "second '['"},
		{"arithmetic trees", fill("local a=1 local x={", "a+a*a-a/a%a^a+a*a-a/a%a^a,", "}"), ""},
		{"folded constants", fill("local x={", "1+2*3-4/5%6^7+-8,", "}"), ""},
		{"logic", fill("local a=1 local x={", "a and not a or a==a and a<a,", "}"), ""},
		{"just under the work", justUnder(), ""},
		{"wide upvalues", wideUpvalues(), "variables of the functions around"},
		{"deep name look-up", deepLookup(), "too many different"},
		{"nested tables of fifty", "local a=" + strings.Repeat("{"+strings.Repeat("1,", 49), 5) + strings.Repeat("}", 5), "values at once"},
	}
}

// justUnder has as many different constants as MaxCompileWork lets through.
func justUnder() string {
	var b strings.Builder
	b.WriteString("local a={")
	for i := range 13_900 {
		fmt.Fprintf(&b, "a%d=0,", i)
	}
	b.WriteString("}")
	return b.String()
}

// wideUpvalues closes over 300 variables; gopher-lua counts them in eight bits.
func wideUpvalues() string {
	var b strings.Builder
	for level := range 2 {
		b.WriteString("local function f() ")
		for i := range 150 {
			fmt.Fprintf(&b, "local v%d_%d ", level, i)
		}
	}
	b.WriteString("return function() return v0_0")
	for level := range 2 {
		for i := range 150 {
			fmt.Fprintf(&b, "==v%d_%d", level, i)
			if i%50 == 49 {
				b.WriteString(", v0_0")
			}
		}
	}
	return b.String() + " end end end"
}

// deepLookup has every name searched through thousands of variables.
func deepLookup() string {
	var b strings.Builder
	for level := range 25 {
		b.WriteString("local function f() ")
		for i := range 150 {
			fmt.Fprintf(&b, "local v%d_%d ", level, i)
		}
	}
	end := strings.Repeat(" end", 25)
	return fill(b.String(), "g()", end)
}

func TestBombsAreBounded(t *testing.T) {
	for _, bomb := range bombs() {
		t.Run(bomb.name, func(t *testing.T) {
			if len(bomb.src) > MaxSource {
				t.Fatalf("the test's source has %d bytes", len(bomb.src))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := compileAll("bomb.lua", bomb.src)
			runtime.ReadMemStats(&after)
			if mb := (int64(after.Sys) - int64(before.Sys)) >> 20; mb >= 128 {
				t.Errorf("the process grew by %d MB", mb)
			}
			switch {
			case bomb.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case bomb.refused != "" && err == nil:
				t.Errorf("compiled; want an error with %q", bomb.refused)
			case bomb.refused != "" && !strings.Contains(err.Error(), bomb.refused):
				t.Errorf("error %q; want %q in it", err, bomb.refused)
			}
			var typed *Error
			if err != nil && (!errors.As(err, &typed) || typed.File != "bomb.lua" || typed.Line < 1) {
				t.Errorf("not a placed *Error: %#v", err)
			}
		})
	}
}

func TestSourceLargerThanTheBoundIsRefused(t *testing.T) {
	if err := compileAll("big.lua", strings.Repeat(" ", MaxSource)); err != nil {
		t.Errorf("%d bytes: %v", MaxSource, err)
	}
	err := compileAll("big.lua", strings.Repeat(" ", MaxSource+1))
	if err == nil || !strings.Contains(err.Error(), "at most 262144") {
		t.Errorf("%d bytes: %v", MaxSource+1, err)
	}
}
