package sandbox

import (
	"testing"
)

// The expected values of this file were compared with PUC Lua 5.1.5, error texts aside. The one wanted
// difference: %s takes any value, as in Lua 5.2.

func TestPatterns(t *testing.T) {
	wants(t, [][2]string{
		{`return ("hello world"):find("o w")`, "5,7"},
		{`return ("hello"):find("l+")`, "3,4"},
		{`return ("hello"):find("xyz"), ("hello"):find("")`, "nil,1,0"},
		{`return ("hello"):find("", 10)`, "6,5"},
		{`return ("hello"):find("l", -2)`, "4,4"},
		{`return ("a.b"):find(".", 1, true), ("a.b"):find("%.")`, "2,2,2"},
		{`return ("a+b"):find("+", 1, true)`, "2,2"},
		{`return ("key = value"):match("^(%w+)%s*=%s*(%w+)$")`, "key,value"},
		{`return ("  x "):match("^%s*(.-)%s*$") .. "|"`, "x|"},
		{`return ("abc"):match("()b()")`, "2,3"},
		{`return ("abc"):find("(b)(c)")`, "2,3,b,c"},
		{`return ("THE (quick) fox"):find("%((%a+)%)")`, "5,11,quick"},
		{`return ("f(a(b)c)d"):match("%b()")`, "(a(b)c)"},
		{`return ("f(a(b"):match("%b()")`, "nil"},
		{`return ("THE (quick) fox"):gsub("%f[%a]%a+", "W")`, "W (W) W,3"},
		{`return ("foo"):find("%f[%z]")`, "4,3"},
		{`return ("x=1, y=2"):gsub("(%w+)=(%w+)", "%2=%1")`, "1=x, 2=y,2"},
		{`return ("hello"):gsub("", "-")`, "-h-e-l-l-o-,6"},
		{`return ("abc"):gsub("%w", "%0%0")`, "aabbcc,3"},
		{`return ("abc"):gsub("%w", "%%%1")`, "%a%b%c,3"},
		{`return ("hello world"):gsub("o", "0", 1)`, "hell0 world,1"},
		{`return ("hello"):gsub("l", { l = "L" })`, "heLLo,2"},
		{`return ("$name is $age"):gsub("%$(%w+)", { name = "Bob" })`, "Bob is $age,2"},
		{`return ("abc"):gsub("b", function(c) return c:upper() end)`, "aBc,1"},
		{`return ("abc"):gsub("b", function() return nil end), ("abc"):gsub("b", function() return false end)`, "abc,abc,1"},
		{`return ("abc"):gsub("(a)(b)", function(x, y) return y .. x end)`, "bac,1"},
		{`return ("abc"):gsub("^a", "x")`, "xbc,1"},
		{`return ("aaa"):gsub("^a", "x")`, "xaa,1"},
		{`return ("abc"):gsub("b", {})`, "abc,1"},
		{`return ("abc"):gsub("b", function() return {} end)`, "!invalid replacement value (a table)"},
		{`return ("abc"):gsub("b", true)`, "!string/function/table expected"},
		{`return ("abc"):gsub("b", "%9")`, "!invalid capture index"},
		{`local s = "" for w in ("one two three"):gmatch("%a+") do s = s .. w .. ";" end return s`, "one;two;three;"},
		{`local s = "" for k, v in ("a=1,b=2"):gmatch("(%w+)=(%w+)") do s = s .. k .. v end return s`, "a1b2"},
		{`local n = 0 for _ in ("abc"):gmatch("") do n = n + 1 end return n`, "4"},
		{`local n = 0 for p in ("aXbX"):gmatch("()X") do n = n * 10 + p end return n`, "24"},
		{`return ("aaab"):match("a-b"), ("aaab"):match("a*"), ("aaab"):match("a?b"), ("b"):match("a+")`, "aaab,aaa,ab,nil"},
		{`return ("[x]"):match("[]]"), ("a-b"):match("[a%-]+"), ("a-b"):match("[^-]+"), ("]"):match("[^]]")`, "],a-,a,nil"},
		{`return ("5-x"):match("[0-9]%-%a"), ("\0a"):match("%z(.)"), ("x"):match("%Z")`, "5-x,a,x"},
		{`return ("abab"):match("(ab)%1"), ("abac"):match("(ab)%1")`, "ab,nil"},
		{`return ("a$"):match("a$"), ("a"):match("a$"), ("a$b"):match("a$b")`, "nil,a,a$b"},
		{`return ("x^y"):match("x^y")`, "x^y"},
		{`return ("aé"):match("[\128-\255]+") == "é", ("é"):upper() == "é", #("é")`, "true,true,2"},
		{`return ("a\nb"):match("a.b") == "a\nb", ("  "):match("%S"), ("a_1"):match("^[%a_][%w_]*$")`, "true,nil,a_1"},
		{`return ("x"):match("(x)()")`, "x,2"},
		{`return ("x"):match("(")`, "!unfinished capture"},
		{`return ("x"):match(")")`, "!invalid pattern capture"},
		{`return ("x"):match("[a")`, "!malformed pattern (missing ']')"},
		{`return ("x"):match("%")`, "!malformed pattern (ends with '%')"},
		{`return ("x"):match("%b")`, "!unbalanced pattern"},
		{`return ("x"):match("%f")`, "!missing '[' after '%f' in pattern"},
		{`return ("x"):match("%1")`, "!invalid capture index"},
		{`return ("x"):match(("()"):rep(33))`, "!too many captures"},
		{`return ("x"):find("[%a-z]"), ("-"):find("[%a-z]"), ("-"):find("[a-]")`, "1,1,1,1"},
		{`return ("0x1F"):match("^0[xX](%x+)$"), ("tab\there"):match("%c") == "\t", ("a,b"):match("%p")`, "1F,true,,"},
		{`return (("x"):rep(3, ",")), string.rep("ab", 3), ("x"):rep(0), ("x"):rep(-1)`, "xxx,ababab,,"},
	})
}

func TestFormat(t *testing.T) {
	wants(t, [][2]string{
		{`return ("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%d"):format(42, 42, 42, 42, 42, 42, 7, -3.7)`, "42|   42|42   |00042|+42| 42|007|-3"},
		{`return ("%x|%X|%#x|%o|%#o|%u|%x"):format(255, 255, 255, 8, 8, 7, -1)`, "ff|FF|0xff|10|010|7|ffffffffffffffff"},
		{`return ("%f|%.2f|%8.3f|%-8.1f|%+.1f|%08.2f|%.0f"):format(1.5, 1.005, 3.14159, 2.25, 1, -3.14159, 0.5)`, "1.500000|1.00|   3.142|2.2     |+1.0|-0003.14|0"},
		{`return ("%e|%.2E|%g|%g|%g|%g|%.3g|%G"):format(12345.678, 0.00012, 100000, 1000000, 0.0001, 0.00001, 1234.5, 1e-10)`, "1.234568e+04|1.20E-04|100000|1e+06|0.0001|1e-05|1.23e+03|1E-10"},
		{`return ("%#g|%#.3g|%#.0f|%g|%g"):format(1, 1, 1, 0, 0.1)`, "1.00000|1.00|1.|0|0.1"},
		{`return ("%s|%10s|%-10s|%.2s|%s|%s|%s"):format("abc", "abc", "abc", "abc", 1, true, nil)`, "abc|       abc|abc       |ab|1|true|nil"},
		{`return ("%c%c%c|%3c|%-3c|"):format(76, 117, 97, 65, 66)`, "Lua|  A|B  |"},
		{`return ("%q"):format('a "b"\n\\\0')`, "\"a \\\"b\\\"\\\n\\\\\\000\""},
		{`return ("%5.1f%%"):format(99.55)`, " 99.5%"},
		{`return ("%f %f %g"):format(1/0, -1/0, 1/0)`, "inf -inf inf"},
		{`return ("%d"):format("10"), ("%s"):format(setmetatable({}, { __tostring = function() return "T" end }))`, "10,T"},
		{`return ("%i"):format(3)`, "3"},
		{`return ("%v"):format(1)`, "!invalid option '%v' to 'format'"},
		{`return ("%#v"):format({})`, "!invalid option '%#v' to 'format'"},
		{`return ("%p"):format({})`, "!invalid option '%p' to 'format'"},
		{`return ("%100d"):format(1)`, "!width or precision too long"},
		{`return ("%.100f"):format(1)`, "!width or precision too long"},
		{`return ("%"):format(1)`, "!invalid conversion"},
		{`return ("%------d"):format(1)`, "!repeated flags"},
		{`return ("%d"):format()`, "!bad argument #2"},
		{`return ("%d"):format("x")`, "!number expected"},
		{`return ("%d"):format(1/0)`, "!no integer representation"},
	})
}

func TestStrings(t *testing.T) {
	wants(t, [][2]string{
		{`return ("hello"):sub(2, 3), ("hello"):sub(-3), ("hello"):sub(2), ("hello"):sub(0), ("hello"):sub(4, 2), ("hello"):sub(-100, 100)`, "el,llo,ello,hello,,hello"},
		{`return ("hello"):byte(), ("hello"):byte(-1), ("AB"):byte(1, 2)`, "104,111,65,66"},
		{`return (""):byte(), ("a"):byte(5)`, "nil"},
		{`return string.char(72, 105), string.char()`, "Hi,"},
		{`return string.char(256)`, "!invalid value"},
		{`return ("aBc"):upper(), ("aBc"):lower(), ("abc"):reverse(), ("abc"):len(), (12):rep(2)`, "!attempt to index a non-table object(number)"},
		{`return ("aBc"):upper(), ("aBc"):lower(), ("abc"):reverse(), ("abc"):len(), string.rep(12, 2)`, "ABC,abc,cba,3,1212"},
		{`return ("x"):nothing()`, "!string has no 'nothing'"},
		{`return 1 .. 2, "a" .. 0.1, 1e15 .. ""`, "12,a0.1,1e+15"},
		{`return ("x"):rep(1e9)`, "!string too long"},
		{`return ("x"):rep(1/0)`, "!string too long"},
		{`return ("x"):rep(0/0) == ""`, "true"},
		{`return ("x"):rep(300):byte(1, -1)`, "!string slice too long"},
	})
}
