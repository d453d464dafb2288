package scriptvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// oddCalls are the calls of one native with each number or vector argument replaced in turn by an odd one, all others being
// ordinary.
func oddCalls(f *api.Function) []string {
	var prefix string
	switch f.Space {
	case api.Actor:
		prefix = "self:"
	case api.World:
		prefix = "world:"
	default:
		return nil
	}
	ordinary := map[string]string{
		"number": "1", "integer": "1", "boolean": "true", "string": `("O" .. "k")`, "class": `"Actor"`, "vector": "vector(1, 2, 3)",
		"rotator": "rotator(0, 0, 0)", "table": "{}", "Actor": "self", "Pawn": "self", "any": "1", "string|table": `"Ok"`,
		"movestate": "self:SaveMove()",
	}
	odd := map[string][]string{
		"number":  {"1e200", "-1e200", "1e155", "5e-324", "-1", "1e7", "1e38", "0"},
		"integer": {"1e200", "-1", "2^31", "2^53", "0.5"},
		"vector": {
			"vector(1e200, 0, 0)", "vector(0, 1e155, 0)", "vector(1e7, -1e7, 1e7)", "vector(0, 0, -1e30)", "vector(5e-324, 0, 0)",
			"vector(1e154, 1e154, 1e154)", "vector(999999, 999999, 999999)",
		},
	}
	if f.Name == "Travel" || f.Name == "PrepareTravel" {
		return nil
	}
	var calls []string
	for i, p := range f.Params {
		for _, x := range odd[p.Type] {
			var args []string
			for j, q := range f.Params {
				a, known := ordinary[q.Type]
				if !known {
					return nil
				}
				if j == i {
					a = x
				}
				args = append(args, a)
			}
			calls = append(calls, prefix+f.Name+"("+strings.Join(args, ", ")+")")
		}
	}
	return calls
}

// TestNativesEndOnOddNumbers calls every native of actors and of the world with numbers and vectors that are too large, too
// small or far away: each call returns or raises, and the world steps on (G7).
func TestNativesEndOnOddNumbers(t *testing.T) {
	var calls []string
	for _, f := range Natives().Functions() {
		calls = append(calls, oddCalls(f)...)
	}
	if len(calls) < 300 {
		t.Fatalf("only %d calls: are the types of the registry others now?", len(calls))
	}
	// Each in a class of its own: one that raises three times is quarantined and calls nothing any more.
	// A chunk has room for 180 of them.
	var texts []string
	for from := 0; from < len(calls); from += 150 {
		var text strings.Builder
		for i := from; i < min(from+150, len(calls)); i++ {
			fmt.Fprintf(&text, "local Odd%d = class(\"Odd%d\", \"Character\")\nfunction Odd%d:Go() %s end\n", i, i, i, calls[i])
		}
		texts = append(texts, text.String())
	}
	v, w := steppedWorld(t, 0, texts...)
	for i, c := range calls {
		a := spawnAt(t, w, fmt.Sprintf("Odd%d", i), geom.V(0, 0, 100))
		_, _ = v.Call(a, "Go") // it may raise, and must come back
		for range 3 {
			w.Step(1.0 / 60)
		}
		if !a.Deleted() {
			if !a.Location.IsFinite() || !a.Velocity.IsFinite() {
				t.Errorf("after %s: the actor is at %v with velocity %v", c, a.Location, a.Velocity)
			}
			a.Destroy()
		}
		w.Step(1.0 / 60)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ from, to, want geom.Vector }{
		{geom.V(0, 0, 0), geom.V(1, 2, 3), geom.V(1, 2, 3)},
		{geom.V(0, 0, 0), geom.V(2e6, 1e6, 0), geom.V(1e6, 5e5, 0)},
		{geom.V(1e6, 0, 0), geom.V(3e6, 0, 0), geom.V(1e6, 0, 0)},
		{geom.V(0, 0, 0), geom.V(0, 0, -1e308), geom.V(0, 0, -1e6)},
		{geom.V(0, 5e-324, 0), geom.V(0, 5e-324, 1), geom.V(0, 0, 1)},
	} {
		if got := clip(c.from, c.to); got != c.want {
			t.Errorf("clip(%v, %v) = %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
