package main

import (
	"math"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/profile"
)

// TestProfileOfAMatch: in a match of bots with a player's network side, the phases add up to the ticks that were run, by a
// clock of the test's own, and classes and functions to the scripts' phase, within 3 % (P19).
func TestProfileOfAMatch(t *testing.T) {
	g := newParty(t, t.TempDir(), gameOptions{URL: "arena?game=DeathMatch?bots=8", Mode: engine.NMListenServer}).game
	ticks := 0
	took := time.Duration(0)
	for ; took < 3*time.Second && ticks < 1200; ticks++ {
		from := time.Now()
		g.Step(1.0 / 60)
		took += time.Since(from)
	}
	r := g.profile.Report()
	if r.Ticks != ticks || r.Measured == 0 {
		t.Fatalf("%d ticks, of which %d measured; want %d", r.Ticks, r.Measured, ticks)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.03*want {
			t.Errorf("%s: %.4f ms a tick, want %.4f", what, got*1e3, want*1e3)
		}
	}
	sum := 0.0
	for _, p := range r.Phases {
		sum += p.Time
	}
	near("phases", sum, took.Seconds()/float64(ticks))
	near("a tick", r.Tick, took.Seconds()/float64(ticks))
	scripts := r.Phases[profile.Scripts].Time
	if scripts < sum/20 || r.Phases[profile.Movement].Time == 0 || r.Phases[profile.Evaluate].Time == 0 {
		t.Errorf("phases: %+v", r.Phases)
	}
	sum = 0
	for _, c := range r.Classes {
		sum += c.Exclusive
	}
	near("classes", sum, scripts)
	sum = 0
	natives := 0
	for _, f := range r.Functions {
		sum += f.Exclusive
		if f.Native {
			natives++
		} else if f.Name != profile.Other && f.Name != profile.Waiting && (f.File == "" || f.Line == 0) {
			t.Errorf("%s:%s has no place: %+v", f.Class, f.Name, f)
		}
	}
	near("functions", sum, scripts)
	if natives == 0 {
		t.Error("no native is named")
	}
	t.Logf("figure: measuring takes %.3f of a tick", r.Phases[profile.Profiler].Time/r.Tick) // its bound is 0.004, plus the first ticks (P19)
}
