package match_test

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// TestCostScale (G6): the scale follows the clock of the scripts, in steps; noise makes none; the next match goes on with it.
func TestCostScale(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and a minute of it with the race detector")
	}
	var now, took int64 = 0, 200_000 // nanoseconds between two looks at the clock
	clock := func() int64 { now += took; return now }
	busy := func() *match.Match {
		m := open(t, "?game=GameInfo", engine.NMStandalone, scriptvm.Options{Elapsed: clock, Report: func(scriptvm.Report) {}},
			classfile.Source{Path: "scripts/Busy.lua", Text: `local Busy = class("Busy", "Actor")
function Busy:Tick(_) local x = 0 for i = 1, 40000 do x = x + i end end
return Busy`})
		if _, err := m.World.Spawn(m.World.Classes.Find("Busy"), engine.SpawnParams{}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	var c match.CostScale
	changes := 0
	run := func(m *match.Match, seconds int) {
		for range seconds * 60 {
			m.World.Step(1.0 / 60)
			if ns, changed := c.Step(m); changed {
				changes++
				if ns != m.VM.CostScale() {
					t.Errorf("told of %v, and the scripts count by %v", ns, m.VM.CostScale())
				}
			}
		}
	}
	m := busy()
	run(m, 5)
	first := m.VM.CostScale()
	if changes == 0 || first == scriptvm.DefaultCostScale {
		t.Fatalf("after %d changes a unit takes %v ns", changes, first)
	}
	run(m, 5)
	took, changes = took*11/10, 0
	run(m, 10)
	if changes != 0 {
		t.Errorf("a tenth more made %d changes", changes)
	}
	took *= 3
	run(m, 20)
	slow := m.VM.CostScale()
	if math.Abs(slow/first-3.3) > 1 || changes > 8 {
		t.Errorf("three times as slow is %v after %v, by %d changes", slow, first, changes)
	}
	next := busy()
	changes = 0
	run(next, 1)
	if got := next.VM.CostScale(); got != slow || changes != 1 {
		t.Errorf("the next match counts by %v after %d changes, want %v at once", got, changes, slow)
	}
}
