package classfile

import (
	"fmt"
	"testing"
)

// What is loaded in pieces is what Load finds, so that nothing is left for it to do (W5).
func TestLoading(t *testing.T) {
	var sources []Source
	for n, s := range small {
		sources = append(sources, Source{Path: n, Text: s})
	}
	for i := range 20 {
		sources = append(sources, Source{Path: fmt.Sprintf("C%d.lua", i), Text: fmt.Sprintf("local C%d = class(\"C%d\", \"Pawn\")\nfunction C%d:Tick(dt) self.Health = %d end\n", i, i, i, i)})
	}
	opt := Options{Cache: NewCache(Natives())}
	g, steps := Begin(sources, opt), 0
	for g.Step() {
		steps++
	}
	if steps < 2*len(sources) || g.Step() {
		t.Errorf("%d pieces for two passes over %d files", steps, len(sources))
	}
	made := opt.Cache.recent
	if len(made) != 1 {
		t.Fatalf("%d programs were made", len(made))
	}
	p, diags := Load(sources, opt)
	if p != made[0] {
		t.Errorf("Load made another program: %v", diags)
	}
	whole, want := Load(sources, Options{Cache: NewCache(Natives())})
	if fmt.Sprint(diags) != fmt.Sprint(want) || len(whole.Defs) != len(p.Defs) || whole.Classes.SlotKey() != p.Classes.SlotKey() {
		t.Errorf("loaded in pieces: %v; at once: %v", diags, want)
	}
	again, n := Begin(sources, opt), 0
	for again.Step() {
		n++
	}
	if n > len(sources)+1 {
		t.Errorf("what is there was made again, in %d pieces", n)
	}

	// What is wrong is left for Load to tell, and ends the pieces.
	for _, text := range []string{"local X = class(", `local X = class("X", "Nothing")`, "local X = class(\"X\", \"Pawn\")\nfunction X:Tick(dt) self.Healht = nil + self:Nope() end"} {
		wrong := append(sources[:len(sources):len(sources)], Source{Path: "X.lua", Text: text})
		for g := Begin(wrong, opt); g.Step(); {
		}
		if p, diags := Load(wrong, opt); p != nil || len(diags) == 0 {
			t.Errorf("%s: %v", text, diags)
		}
	}
}
