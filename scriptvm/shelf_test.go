package scriptvm

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestShelf: whatever is removed and brought back, an actor has the value again that a variable had when it was last taken away; a set that
// is new begins with its defaults.
func TestShelf(t *testing.T) {
	variants := map[string][]string{ // of each variable: the first is that it is not there
		"A": {"", "A = int(1)", `A = "one"`},
		"B": {"", "B = int(2)", "B = int(3, { max = 50 })"},
		"C": {"", "C = vector(1, 2, 3)"},
	}
	names := []string{"A", "B", "C"}
	defaults := map[string]string{"A = int(1)": "1", `A = "one"`: `"one"`, "B = int(2)": "2", "B = int(3, { max = 50 })": "3", "C = vector(1, 2, 3)": "vector(1, 2, 3)"}
	tier.Check(t, func(t *rapid.T) {
		source := func(pick map[string]int) []classfile.Source {
			text := "local Thing = class(\"Thing\", \"Actor\")\nThing.properties {\n"
			for _, n := range names {
				if v := variants[n][pick[n]]; v != "" {
					text += "\t" + v + ",\n"
				}
			}
			return []classfile.Source{
				{Path: "scripts/core/Actor.lua", Text: "local Actor = class(\"Actor\")\n"},
				{Path: "scripts/Thing.lua", Text: text + "}\n"},
			}
		}
		pick := func() map[string]int {
			out := map[string]int{}
			for _, n := range names {
				out[n] = rapid.IntRange(0, len(variants[n])-1).Draw(t, n)
			}
			return out
		}
		now := pick()
		v := New(Options{Report: func(r Report) { t.Errorf("reported: %s", r.Text) }})
		defer v.Close()
		if d := v.Load(source(now)); v.Classes() == nil {
			t.Fatal(d)
		}
		w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v, NetMode: engine.NMDedicatedServer})
		v.Bind(w)
		a, err := w.Spawn(w.Classes.Find("Thing"), engine.SpawnParams{})
		if err != nil {
			t.Fatal(err)
		}
		get := func(n string) string {
			p := a.Class.Property(n)
			if p == nil {
				return ""
			}
			text, err := v.EvalLine("test", fmt.Sprintf("world:ActorsOf('Thing')[1].%s", n))
			if x := a.Get(p); err != nil || p.Type.Kind != engine.KindVector && text != x.Literal() {
				t.Fatalf("%s is %s for scripts and %s for the engine: %v", n, text, x.Literal(), err)
			}
			return a.Get(p).Literal()
		}
		shelf := map[string]string{}
		kept := []map[string]int{now}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if p := a.Class.Property("B"); p != nil && rapid.Bool().Draw(t, "changes") {
				if err := a.Set(p, engine.Int(rapid.IntRange(4, 40).Draw(t, "value"))); err != nil {
					t.Fatal(err)
				}
				v.Changed(a, p)
			}
			back := rapid.Bool().Draw(t, "back")
			next := pick()
			if back {
				next = kept[rapid.IntRange(0, len(kept)-1).Draw(t, "which")]
			}
			before, want := map[string]string{}, map[string]string{}
			for _, n := range names {
				before[n] = get(n)
				old, new := variants[n][now[n]], variants[n][next[n]]
				same := old == new || n == "B" && old != "" && new != "" // another bound alone keeps a value that fits
				switch {
				case new == "":
					want[n] = ""
				case same:
					want[n] = before[n]
				case back && shelf[n] != "" && (shelf[n][0] == '"') == (n == "A" && next[n] == 2):
					want[n] = shelf[n]
				default:
					want[n] = defaults[new]
				}
				if n == "B" && same && old != new { // a value that equals the old default follows it
					def := map[int]string{1: "2", 2: "3"}
					if before[n] == def[now[n]] {
						want[n] = def[next[n]]
					}
				}
			}
			p := v.Prepare(source(next))
			if back {
				p.Back()
			}
			if r := p.Apply(nil); r.Failed {
				t.Fatal(r.Diagnostics)
			}
			for _, n := range names {
				if got := get(n); got != want[n] {
					t.Fatalf("%s is %q, want %q; it was %q, back %t, %v became %v", n, got, want[n], before[n], back, now, next)
				}
				old, new := variants[n][now[n]], variants[n][next[n]]
				if back && new != "" && (old == "" || n == "A" && old != new) {
					delete(shelf, n) // given back, or not fit for it
				}
				if old != "" && (new == "" || n == "A" && old != new) {
					if shelf[n] = before[n]; before[n] == defaults[old] {
						delete(shelf, n) // nobody gave it to the actor: it has the default of what is brought back
					}
				}
			}
			if now = next; !slices.ContainsFunc(kept, func(k map[string]int) bool { return fmt.Sprint(k) == fmt.Sprint(next) }) {
				kept = append(kept, next)
			}
		}
	})
}
