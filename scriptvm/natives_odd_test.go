package scriptvm

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// hangs is a thousand times what any call below takes on a busy machine: a native still running after it never returns.
const hangs = 30 * time.Second

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
	src, err := os.ReadFile("../content/levels/steps.map")
	if err != nil {
		t.Fatal(err)
	}
	lv, err := level.Parse("steps.map", src, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, f := range Natives().Functions() {
		calls = append(calls, oddCalls(f)...)
	}
	if len(calls) < 300 {
		t.Fatalf("only %d calls: are the types of the registry others now?", len(calls))
	}
	// Each in a class of its own: one that raises three times is quarantined and calls nothing any more.
	// A chunk has room for 180 of them.
	sources := coreSources(t)
	for from := 0; from < len(calls); from += 150 {
		var text strings.Builder
		for i := from; i < min(from+150, len(calls)); i++ {
			fmt.Fprintf(&text, "local Odd%d = class(\"Odd%d\", \"Character\")\nfunction Odd%d:Go() %s end\n", i, i, i, calls[i])
		}
		sources = append(sources, classfile.Source{Path: fmt.Sprintf("chunk%d", from), Text: text.String(), Multi: true})
	}
	v := New(Options{Cache: parsed})
	t.Cleanup(v.Close)
	for _, d := range v.Load(sources) {
		if d.Severity == engine.SevError && d.Rule != "call-argument" {
			t.Fatal(d)
		}
	}
	w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v, Seed: 1, Level: lv})
	v.Bind(w)
	for i, c := range calls {
		done := make(chan struct{}) // the test waits for it: the VM is used by one goroutine at a time
		go func() {
			defer close(done)
			a, err := w.Spawn(w.Classes.Find(fmt.Sprintf("Odd%d", i)), engine.SpawnParams{Location: geom.V(0, 0, 100)})
			if err != nil || a == nil {
				t.Errorf("spawn for %s: %v", c, err)
				return
			}
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
		}()
		select {
		case <-done:
		case <-time.After(hangs):
			t.Fatalf("%s does not return", c)
		}
	}
}

// TestPlacesBeyondAreTheCallersErrors: a place that is too far away raises where it is passed; the end of a trace is drawn in.
func TestPlacesBeyondAreTheCallersErrors(t *testing.T) {
	b := newBench(t, `
local Far = class("Far", "Actor")
Far.properties { Out = str("", { max = 1000 }), bFree = false }
local function try(self, f)
	local ok, err = pcall(f)
	self.Out = ok and "ok" or tostring(err)
end
function Far:Place() try(self, function() self:SetLocation(vector(0, 1000001, 0)) end) end
function Far:Edge() try(self, function() self:SetLocation(vector(0, 1000000, 0)) end) end
function Far:Infinite() try(self, function() world:NearestNode(vector(1 / 0, 0, 0)) end) end
function Far:Push() try(self, function() self:Move(vector(1e200, 0, 0)) end) end
function Far:Start() try(self, function() world:FastTrace(vector(1e200, 0, 0), vector(0, 0, 0)) end) end
function Far:Sky() try(self, function() self.bFree = world:FastTrace(vector(0, 0, 0), vector(1e300, -1e300, 1e200)) end) end
function Far:Spawned() try(self, function() self:Spawn("Actor", { Location = vector(0, 0, 1e7) }) end) end
`)
	a := b.spawn("Far")
	const beyond = "a place within 1000000 uu of the origin"
	for _, c := range []struct{ call, want string }{
		{"Place", beyond},
		{"Edge", "ok"},
		{"Infinite", beyond},
		{"Push", "a vector of parts up to 2000000 uu"},
		{"Start", beyond},
		{"Sky", "ok"},
		{"Spawned", beyond},
	} {
		if _, err := b.v.Call(a, c.call); err != nil {
			t.Errorf("%s: %v", c.call, err)
		}
		if got := b.get(a, "Out").Str; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.call, got, c.want)
		}
	}
	if b.get(a, "bFree").Num != 1 {
		t.Error("a trace into the sky of an empty world met something")
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
