package classfile

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// acting is a class T with an .actions block.
func acting(block string) string {
	return body("T.actions { " + block + " }\nfunction T:Use() return self:IsActionDown(\"Horn\") end")
}

// What is wrong with actions is said where it stands, with what was expected (W4.3).
func TestActionsAreChecked(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"fine", `Horn = { keys = { "KeyH", "Mouse3" }, buttons = { "ls" }, label = "Honk", touch = "button", terminal = "o" }`, ""},
		{"an axis", `Horn = {}, Lean = { kind = "axis", keys = "KeyQ", negative = { "KeyZ" }, negative_label = "Left", buttons = { "lx" }, touch = "stick-x" }`, ""},

		{"name", `Horn = {}, horn = {}`, `2:24: error: class T: .actions: horn: name: expected a name of an action`},
		{"no name", `Horn = {}, { keys = {} }`, `2:24: error: class T: .actions: expected Name = { … }, got a table [bad-action]`},
		{"twice", `Horn = {}, Horn = {}`, `2:24: error: class T: .actions: Horn stands twice, first at T.lua:2:13 [repeated]`},
		{"no table", `Horn = "KeyH"`, `2:20: error: class T: .actions: Horn: expected a table { keys = { … }, … }, got "KeyH"`},
		{"unknown key", `Horn = { kees = {} }`, `2:22: error: class T: .actions: Horn: unknown key "kees"; did you mean "keys"?; it takes label, kind`},
		{"no list", `Horn = { keys = 5 }`, `2:29: error: class T: .actions: Horn: keys: expected a list of names, { "KeyH" }, got number 5`},
		{"a key", `Horn = { keys = { "KeyHH" } }`, `class T: .actions: Horn: keys: unknown key "KeyHH"; did you mean "KeyH"?`},
		{"a kept key", `Horn = { keys = { "F5" } }`, `keys: "F5" cannot be the key of an action: it loads the page again`},
		{"a string", `Horn = { label = 7 }`, `2:30: error: class T: .actions: Horn: label: expected a string, got number 7`},
		{"kind", `Horn = { kind = "buton" }`, `unknown kind "buton"; did you mean "button"?`},
		{"what a parent lacks", `Horn = {}, Bell = false`, `2:24: error: class T: .actions: Bell = false takes away an action of the parent, which has none of that name`},
		{"what content has", `Horn = {}, Fire = {}`, `2:24: error: class T: .actions: Fire is declared in content/input.toml, too; give it another name`},
		{"many", `Horn = {}, ` + many(engine.MaxClassActions), `17 actions, inherited ones included; at most 16`},
		{"an unknown action in a script", `Hron = {}`, `3:43: error: IsActionDown: unknown action "Horn"; did you mean "Hron"?; declare it in content/input.toml or in a class's .actions [unknown-action]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, diags := load(t, map[string]string{"T.lua": acting(c.block)}, Options{Check: true, Actions: []string{"Fire"}})
			got := strings.TrimSpace(text(diags))
			if c.want == "" && (got != "" || p == nil || len(p.Classes.Find("T").Actions) == 0) {
				t.Errorf("%s\ngot: %s", c.block, got)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s\ngot:  %s\nwant: %s", c.block, got, c.want)
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("A" + strings.Repeat("a", i) + " = {}, ")
	}
	return b.String()
}

// A class has its parent's actions, changed and taken away by name.
func TestActionsAreInherited(t *testing.T) {
	p, diags := load(t, map[string]string{
		"T.lua": acting(`Horn = { keys = { "KeyH" } }, Bell = {}, Lamp = {}`),
		"U.lua": "local U = class(\"U\", \"T\")\nU.actions { Bell = false, Horn = { keys = { \"KeyU\" } }, Siren = {} }\nreturn U",
		"V.lua": "local V = class(\"V\", \"U\")\nreturn V",
	}, Options{})
	if p == nil {
		t.Fatal(text(diags))
	}
	for class, want := range map[string]string{"T": "Horn of T KeyH, Bell of T , Lamp of T ", "V": "Horn of U KeyU, Lamp of T , Siren of U "} {
		var got []string
		for _, a := range p.Classes.Find(class).Actions {
			got = append(got, a.Name+" of "+a.Class+" "+strings.Join(a.Keys, " "))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s; expected %s", class, s, want)
		}
	}
}
