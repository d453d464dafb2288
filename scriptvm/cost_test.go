package scriptvm

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// workers are calls of natives whose work depends on the world or on their arguments.
var workers = []string{
	`world:Trace(vector(-9000, 0, 100), vector(9000, 0, 100))`, `world:Trace(vector(-9000, 0, 100), vector(9000, 0, 100), { radius = 40, height = 80 })`, `self:Trace(vector(-9000, 0, 100), vector(9000, 0, 100))`,
	`world:FastTrace(vector(-9000, 0, 100), vector(9000, 0, 100))`, `self:FastTrace(vector(9000, 0, 100))`, `self:VisibleFrom(vector(2000, 0, 100))`, `self:TraceShot(vector(-9000, 0, 100), vector(9000, 0, 100))`,
	`self:ActorsOf("Info")`, `world:ActorsOf("Info")`, `self:ActorsInRadius("Info", 1e6)`, `world:ActorsInRadius("Info", 1e6, vector(0, 0, 0))`, `self:ActorsInSight("Info", 1e6, vector(0, 0, 0), rotator(0, 0, 0), -1, 64)`,
	`self:HurtRadius(1, 1e6)`, `self:MakeNoise(1e6)`, `world:ActorByName("nobody")`, `self:SetLocation(vector(0, 0, 150))`, `self:Move(vector(900, 0, 0))`, `self:AutonomousPhysics(0.1)`, `self.Location = vector(0, 0, 151)`,
	`world:FindPath(vector(-500, 0, 100), vector(500, 300, 100))`, `world:FindPath(vector(-500, 0, 100), vector(500, 300, 100), true)`, `world:FindPath(vector(-500, 0, 100), vector(500, 300, 100), false, true)`, `world:NearestNode(vector(0, 0, 100))`,
	`world:RandomReachable(vector(0, 0, 100))`, `world:Reachable(vector(-500, 0, 100), vector(500, 300, 100))`,
}

// steppedWorld is a world of the level with steps, and a crowd of n in it.
func steppedWorld(t *testing.T, n int, texts ...string) (*VM, *engine.World) {
	t.Helper()
	src, err := os.ReadFile("../content/levels/steps.map")
	if err != nil {
		t.Fatal(err)
	}
	lv, err := level.Parse("steps.map", src, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := New(Options{Cache: parsed})
	t.Cleanup(v.Close)
	sources := coreSources(t)
	for i, text := range texts {
		sources = append(sources, classfile.Source{Path: fmt.Sprint("chunk", i), Text: text, Multi: true})
	}
	for _, d := range v.Load(sources) {
		if d.Severity == engine.SevError {
			t.Fatal(d)
		}
	}
	w := engine.NewWorld(engine.Config{Classes: v.Classes(), Script: v, Seed: 1, Level: lv})
	v.Bind(w)
	for i := range n {
		spawnAt(t, w, "Info", geom.V(float64(i%20)*40, float64(i/20)*40, 100))
	}
	return v, w
}

func spawnAt(t *testing.T, w *engine.World, class string, at geom.Vector) *engine.Actor {
	t.Helper()
	a, err := w.Spawn(w.Classes.Find(class), engine.SpawnParams{Location: at})
	if err != nil || a == nil {
		t.Fatal(class, a, err)
	}
	return a
}

// TestNativesChargeTheirWork: what a native makes the engine look at is charged, all of it and once, so that a loop of the most expensive
// native ends by the budget within about the time of a loop of instructions (G7).
func TestNativesChargeTheirWork(t *testing.T) {
	var text strings.Builder
	text.WriteString("local Busy = class(\"Busy\", \"Character\")\nfunction Busy:Nothing() end\nfunction Busy:Ways() world:NearestNode(vector(0, 0, 0)) end\n")
	for i, l := range workers {
		fmt.Fprintf(&text, "function Busy:Work%d() %s end\n", i, l)
	}
	measure := func(crowd int) (costs, works []int64) {
		v, w := steppedWorld(t, crowd, text.String())
		a := spawnAt(t, w, "Busy", geom.V(0, 0, 150))
		for _, f := range []string{"Nothing", "Ways"} { // and what is made once
			if _, err := v.Call(a, f); err != nil {
				t.Fatal(err)
			}
		}
		for i, l := range workers {
			spent, worked := v.Spent(), v.worked()
			if _, err := v.Call(a, fmt.Sprintf("Work%d", i)); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			costs, works = append(costs, v.Spent()-spent), append(works, int64(v.worked()-worked))
		}
		return costs, works
	}
	few, _ := measure(10)
	many, works := measure(400)
	again, _ := measure(400)
	for i, l := range workers {
		if works[i] == 0 {
			t.Errorf("%s: nothing of its work is counted", l)
		}
		if least := works[i] * collision.WorkUnit / unit; many[i] < least {
			t.Errorf("%s costs %d units, and its work counts for %d", l, many[i], least)
		}
		if many[i] != again[i] {
			t.Errorf("%s costs %d units and then %d: a run does not repeat", l, many[i], again[i])
		}
		if crowd := strings.Contains(l, `"Info"`) || strings.Contains(l, "nobody") || strings.Contains(l, "HurtRadius"); crowd && many[i] < 4*few[i] {
			t.Errorf("%s costs %d units among 10 actors and %d among 400: expected in proportion", l, few[i], many[i])
		}
	}
}

// TestWorkWithinANativeIsChargedOnce: a native that calls scripts, which call natives, is charged for its own work alone.
func TestWorkWithinANativeIsChargedOnce(t *testing.T) {
	v, w := steppedWorld(t, 2000, `
local Busy = class("Busy", "Character")
Busy.properties { N = int(0) }
function Busy:Twice() for _ = 1, 80 do world:ActorsOf("Mover") end end
function Busy:Within() self:HurtRadius(0, 5000) end
local Hurt = class("Hurt", "Character")
function Hurt:TakeDamage() for _ = 1, 40 do world:ActorsOf("Mover") end end
`)
	a := spawnAt(t, w, "Busy", geom.V(0, 0, 150))
	cost := func(f string) int64 {
		before := v.Spent()
		if _, err := v.Call(a, f); err != nil {
			t.Fatal(err)
		}
		return v.Spent() - before
	}
	alone := cost("Within")
	spawnAt(t, w, "Hurt", geom.V(200, 0, 150))
	twice := cost("Twice")
	if got := cost("Within"); got < alone+twice/2 || got > alone+twice/2+twice/8 {
		t.Errorf("a native with one within costs %d units; alone it costs %d, and the other one %d", got, alone, twice/2)
	}
}

// TestSpentBudgetIsNamedAsSuch: the instruction at which a budget is spent is not wrong, whatever it does.
func TestSpentBudgetIsNamedAsSuch(t *testing.T) {
	b := newBench(t, `
local Busy = class("Busy", "Actor")
Busy.properties { V = vector() }
function Busy:Go() while true do local _ = self.V * 2 end end
`)
	_, err := b.v.Call(b.spawn("Busy"), "Go")
	if err == nil || !strings.Contains(err.Error(), "instruction budget spent") {
		t.Errorf("ended by %v, want the spent budget", err)
	}
}
