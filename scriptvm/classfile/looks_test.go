package classfile

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/look"
)

// looked is a class T with variables and a .looks block.
func looked(block string) string {
	return body("T.properties { Heat = float(0), Say = str(\"x\", { max = 20 }), Side = vector(1, 2, 3), Secret = int(0), Mine = int(0) }\n" +
		"T.replication { { \"Heat\", \"Say\" }, { \"Mine\", when = COND_OwnerOnly } }\n" +
		"function T:Use() self.Secret = 1 self.Mine = 2 self.Heat = 3 end\n" +
		"T.looks { " + block + " }")
}

// shownContent is what the content of these tests has.
func shownContent(name string) bool { return name == "effects/a.toml" || name == "models/a.glb" }

// What is wrong with looks is said where it stands, with what was expected.
func TestLooksAreChecked(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"fine", `shape = "box", size = { 1, 2, 3 }, at = vector(1, 2, 3), color = "#A0b0c0", glow = 0.5, trail = "effects/a.toml", model = "models/a.glb"`, ""},
		{"variables", `size = "=Side", label = "=Say", glow = "=Heat"`, ""},
		{"engine variables", `label = "=Name", scale = "=DrawScale"`, ""},
		{"taken away", `trail = false, light = false, on = false, parts = false`, ""},
		{"conditions", `when = { { "Heat > 0.5 and not bHidden", color = "#ffffff" }, { "bNetOwner", shape = "none" }, { "self.Say == 'x'", glow = 1 } }`, ""},
		{"effects", `on = { Use = "effects/a.toml", Boom = "effects/a.toml", Landed = "effects/a.toml" }`, ""},
		{"tables", `light = { color = "#ffffff", radius = 10 }, hold = { at = { 0, 0, 1 } }, first = { shape = "box", parts = { { shape = "cone" } } }, parts = { { joint = "head", shape = "sphere" } }`, ""},

		{"unknown key", `shap = "box"`, `5:11: error: class T: .looks: unknown key "shap"; did you mean "shape"?; it takes`},
		{"key of another place", `parts = { { body = "humanoid" } }`, `5:23: error: class T: .looks: parts[1]: unknown key "body"`},
		{"twice", `glow = 1, glow = 0`, `5:21: error: class T: .looks: glow stands twice, first at T.lua:5:11`},
		{"no key", `"box"`, `5:11: error: class T: .looks: expected key = value, got "box"`},
		{"number", `glow = "a lot"`, `5:18: error: class T: .looks: glow: expected a number, or "=" and the name of a variable, got "a lot"`},
		{"bounds", `glow = 1.5`, `5:18: error: class T: .looks: glow: expected 0 to 1, got 1.5`},
		{"bounds of three", `size = { 1, 2, 30000 }`, `5:18: error: class T: .looks: size: expected 0 to 20000 each, got 30000`},
		{"three", `size = { 1, 2 }`, `5:18: error: class T: .looks: size: expected three numbers { x, y, z }`},
		{"color", `color = "red"`, `5:19: error: class T: .looks: color: expected a color "#rrggbb"`},
		{"word", `shape = "bix"`, `5:19: error: class T: .looks: shape: unknown shape "bix"; did you mean "box"?`},
		{"folder", `trail = "sounds/a.toml"`, `5:19: error: class T: .looks: trail: expected a file of content, "effects/name.toml", got "sounds/a.toml"`},
		{"way out", `trail = "effects/../a.toml"`, `trail: expected a file of content`},
		{"file", `trail = "effects/b.toml"`, `5:19: error: class T: .looks: trail: no content file "effects/b.toml" [look-file]`},
		{"file of on", `on = { Use = "effects/b.toml" }`, `5:24: error: class T: .looks: on.Use: no content file "effects/b.toml" [look-file]`},
		{"parts", `parts = { "box" }`, `parts: expected a list of tables`},
		{"many parts", `parts = { ` + strings.Repeat("{}, ", look.MaxParts+1) + `}`, `more than 32 parts`},
		{"many effects", `on = { ` + manyNames(look.MaxOn+1) + `}`, `expected at most 32 names`},
		{"text", `label = "a\nb"`, `label: expected one line`},
		{"unknown function", `on = { Usse = "effects/a.toml" }`, `5:18: error: class T: .looks: on: "Usse" is no function of T and no notify of an animation; did you mean "Use"?`},

		{"unknown variable", `label = "=Sai"`, `5:19: error: class T: .looks: label: class T has no variable "Sai"; did you mean "Say"? [unknown-name]`},
		{"type of a variable", `size = "=Heat"`, `5:18: error: class T: .looks: size: expected a vector, and Heat is float [bad-look]`},
		{"no variable there", `parts = "=Heat"`, `parts: expected a list of tables, got "=Heat"`},
		{"not replicated", `glow = 0.1, scale = "=Secret"`, `5:31: warning: class T: .looks: scale: Secret is not replicated and scripts of the server set it: others see its default; name it in T.replication [look-not-replicated]`},
		{"owner only", `scale = "=Mine"`, `5:19: warning: class T: .looks: scale: Mine is replicated to the player who owns the actor alone (T.lua:3:36): others see its default [look-not-replicated]`},
		{"not replicated in a condition", `when = { { "Secret > 0", glow = 1 } }`, `Secret is not replicated`},

		{"no condition", `when = { { glow = 1 } }`, `5:20: error: class T: .looks: when: expected a condition in quotes`},
		{"no list", `when = "bHidden"`, `when: expected a list of tables`},
		{"syntax of a condition", `when = { { "Heat >", glow = 1 } }`, `class T: .looks: when: "Heat >": `},
		{"name in a condition", `when = { { "Heat > 1 and Haet < 2", glow = 1 } }`, `5:36: error: class T: .looks: when: "Heat > 1 and Haet < 2": class T has no variable "Haet"; did you mean "Heat"?`},
		{"type in a condition", `when = { { "Say > 1", glow = 1 } }`, `5:27: error: class T: .looks: when: "Say > 1": attempt to compare string with number [condition-type]`},
		{"a script in a condition", `when = { { "self:Use()", glow = 1 } }`, `looks never run scripts`},
		{"the connection", `when = { { "bNetInitial", glow = 1 } }`, `bNetInitial is known to the server alone`},
		{"two expressions", `when = { { "Heat, Say", glow = 1 } }`, `expected one expression`},
		{"when in when", `when = { { "bHidden", when = {} } }`, `unknown key "when"`},
		{"many", `when = { ` + strings.Repeat(`{ "bHidden", glow = 1 }, `, look.MaxWhens+1) + `}`, `17 entries of when, inherited ones included; at most 16`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, diags := load(t, map[string]string{"T.lua": looked(c.block)}, Options{Check: true, Content: shownContent, Notifies: []string{"Boom"}})
			got := strings.TrimSpace(text(diags))
			if c.want == "" && (got != "" || p == nil || look.From(p.Classes.Find("T")) == nil) {
				t.Errorf("%s\ngot: %s", c.block, got)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s\ngot:  %s\nwant: %s", c.block, got, c.want)
			}
		})
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("Use" + strings.Repeat("e", i) + ` = "effects/a.toml", `)
	}
	return b.String()
}

// A class without looks has its parent's; a host that does not check runs without a file that is named.
func TestLooksAreInherited(t *testing.T) {
	files := map[string]string{
		"T.lua": looked(`color = "#ABCDEF", trail = "effects/b.toml", on = { Use = "effects/a.toml" }`),
		"U.lua": "local U = class(\"U\", \"T\")\nU.looks { glow = 1 }\nreturn U",
		"V.lua": "local V = class(\"V\", \"U\")\nreturn V",
	}
	p, diags := load(t, files, Options{Content: shownContent})
	if p == nil {
		t.Fatal(text(diags))
	}
	if got := text(diags); !strings.Contains(got, `no content file "effects/b.toml" [unknown-content]`) {
		t.Errorf("got %s", got)
	}
	v := p.Classes.Find("V")
	tree := look.From(v).Variant(0)
	if tree.Find("color").Text != "#abcdef" || tree.Find("glow").Num != 1 {
		t.Errorf("%+v", tree)
	}
	if f := v.Functions["Use"]; !f.Cued {
		t.Error("a function that looks name is not marked")
	}
	if p.Classes.Find("Pawn").Functions["Use"].Cued || look.From(p.Classes.Find("Pawn")) != nil {
		t.Error("a class without looks pays for others")
	}
}
