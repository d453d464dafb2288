package classfile

import (
	"strings"
	"testing"
)

// TestConditionsOutliveTheTree: a file that was compiled before has no tree any more; its conditions, and the functions that
// they call, are compiled for other classes all the same.
func TestConditionsOutliveTheTree(t *testing.T) {
	const base = `local T = class("T", "Actor")
local function near(self, d) return self.F < d and math.abs(self.F) >= 0 end
T.properties { Ammo = int(0), Slow = int(0), F = float(0.5), X = struct { P = int(1) } }
function T:Over(n) local m = n or 7 if m > 3 then return self.Ammo > m end return self:IsA("T") end
T.replication {
	{ "Ammo", when = function(self) return self:Over(4) and near(self, 2) and self.X.P ~= 2 end },
	{ "Slow", when = function(self) return self:GetId() == 1 end },
}
`
	cache := NewCache(Natives())
	first := ""
	for _, other := range []string{"Ammo", "F"} {
		files := map[string]string{"T.lua": base, "U.lua": `local U = class("U", "T") function U:Over() return self.` + other + ` == 3 end`}
		p, diags := load(t, files, Options{Cache: cache, Check: true})
		if p == nil {
			t.Fatal(text(diags))
		}
		var slow []string
		for _, d := range diags {
			if d.Rule == "slow-condition" {
				slow = append(slow, d.Text)
			}
		}
		said := strings.Join(slow, "\n")
		if first == "" {
			first = said
		}
		if said != first || !strings.Contains(said, "it calls GetId,") {
			t.Errorf("with %s: %q, before: %q", other, said, first)
		}
		c := p.Classes.Find("T").Property("Ammo").Rule.Cond
		if !c.Native() {
			t.Fatalf("with %s: not native", other)
		}
		var names []string
		for _, p := range c.Props() {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != "Ammo F X" {
			t.Errorf("with %s it reads %s", other, got)
		}
	}
}
