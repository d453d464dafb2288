package classfile

import (
	"strings"
	"testing"
)

// TestEditDefault: a default is changed where it stands, and nothing else is.
func TestEditDefault(t *testing.T) {
	const text = `-- Cannon: "Speed = 1" in a comment is none.
local Cannon = class("Cannon", "Weapon") -- the class

Cannon.properties {
	Speed = float(12.5, { min = 0, max = 99 }), -- uu/s
	bLoud = true; -- a switch
	Name = "Speed = 3",
	Aim = quantized(vector(1, 2, 3), 10),
	At = vector(0, 0, 0), Shots = int(), -- none yet
	Mode = enum("A", "B"),
	Deep = struct { Speed = float(1) },
	List = array(int(0), 3),
}

Cannon.defaults {
	NetPriority = 3, -- seen from afar
	Health = 5
}

local other = { Speed = 4 }
function Cannon:Fire() local Cannon = { properties = function(_) end } Cannon.properties { Speed = 9 } end
`
	for _, c := range []struct{ variable, value, old, new string }{
		{"Speed", "-3.5e2", "float(12.5, {", "float(-3.5e2, {"},
		{"bLoud", "false", "bLoud = true;", "bLoud = false;"},
		{"Name", `"a -- b"`, "", "one line, without a comment"},
		{"Name", `"x"`, `Name = "Speed = 3"`, `Name = "x"`},
		{"Aim", "vector(4, 5, 6)", "quantized(vector(1, 2, 3), 10)", "quantized(vector(4, 5, 6), 10)"},
		{"At", "vector(1, 1, 1)", "At = vector(0, 0, 0)", "At = vector(1, 1, 1)"},
		{"Shots", "7", "Shots = int()", "Shots = int(7)"},
		{"NetPriority", "4", "NetPriority = 3,", "NetPriority = 4,"},
		{"Health", "6", "Health = 5\n", "Health = 6\n"},
		{"DrawScale", "2", "	Health = 5\n}", "	Health = 5,\n	DrawScale = 2,\n}"},
		{"Mode", "2", "", "a default of enum(…) cannot be written"},
		{"List", "2", "", "a default of array(…) cannot be written"},
		{"Speed", "1, 2", "", "more than one value"},
		{"Speed", "1 end", "", "no value"},
		{"Speed", "", "", "no value"},
		{"Speed", "1\n", "", "one line"},
		{"Speed", "(1", "", "no value"},
	} {
		got, err := EditDefault(Source{Path: "scripts/Cannon.lua", Text: text}, "Cannon", c.variable, c.value)
		if c.old == "" {
			if err == nil || !strings.Contains(err.Error(), c.new) {
				t.Errorf("%s = %s: %v, want %s", c.variable, c.value, err, c.new)
			}
			continue
		}
		if want := strings.Replace(text, c.old, c.new, 1); err != nil || got != want {
			t.Errorf("%s = %s: %v\n%s", c.variable, c.value, err, got)
		}
	}
	for before, want := range map[string]string{
		`local C = class("C", "Actor") -- x` + "\nreturn C\n":                                 `local C = class("C", "Actor") -- x` + "\n\nC.defaults {\n\tA = 1,\n}\nreturn C\n",
		`local C = class("C", "Actor")`:                                                       `local C = class("C", "Actor")` + "\n\nC.defaults {\n\tA = 1,\n}",
		`local C = class("C", "Actor") C.defaults {}`:                                         `local C = class("C", "Actor") C.defaults { A = 1 }`,
		`local C = class("C", "Actor") C.defaults { B = 2 }`:                                  `local C = class("C", "Actor") C.defaults { B = 2, A = 1 }`,
		`local C = class("C", "Actor") C.defaults { B = 2, }`:                                 `local C = class("C", "Actor") C.defaults { B = 2, A = 1 }`,
		`local C = class("C", "Actor") C.defaults({ B = { A = 3 } })`:                         `local C = class("C", "Actor") C.defaults({ B = { A = 3 }, A = 1 })`,
		"\xef\xbb\xbflocal C = class(\"C\", \"Actor\")\r\nC.defaults {\r\n  B = 2\r\n}":       "\xef\xbb\xbflocal C = class(\"C\", \"Actor\")\r\nC.defaults {\r\n  B = 2,\r\n  A = 1,\n}",
		"local C = class(\"C\", \"Actor\")\nC.defaults {\n\tB = 2, -- two\n\t-- the end\n}\n": "local C = class(\"C\", \"Actor\")\nC.defaults {\n\tB = 2, -- two\n\t-- the end\n\tA = 1,\n}\n",
		"local C = class(\"C\", \"Actor\")\nC.defaults {\n\tB = 2 -- two\n}\n":                "local C = class(\"C\", \"Actor\")\nC.defaults {\n\tB = 2, -- two\n\tA = 1,\n}\n",
		"local C = class(\"C\", \"Actor\")\nC.defaults {\n}\n":                                "local C = class(\"C\", \"Actor\")\nC.defaults {\n\tA = 1,\n}\n",
	} {
		got, err := EditDefault(Source{Path: "C.lua", Text: before}, "C", "A", "1")
		if err != nil || got != want {
			t.Errorf("%q\nbecame %q, %v,\nwant   %q", before, got, err, want)
		}
		if again, err := EditDefault(Source{Path: "C.lua", Text: got}, "C", "A", "1"); err != nil || again != got {
			t.Errorf("again: %q, %v", again, err)
		}
	}
	if _, err := EditDefault(Source{Path: "C.lua", Text: text}, "Nobody", "A", "1"); err == nil {
		t.Error("a class that is not there")
	}
}
