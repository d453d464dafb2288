package control_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/profile"
)

// TestProfileCommands: stat ticks and stat scripts show what the profile has, and say when there is nothing yet.
func TestProfileCommands(t *testing.T) {
	h := newHost(t)
	h.says("stat ticks", "error: no tick was measured yet")
	h.says("stat unit", "error: no tick was measured yet")
	h.says("stat scripts", "error: no tick was measured yet")
	now, step := int64(0), int64(0)
	w := h.m.World
	w.Profile = profile.New(func() int64 { now += step; return now }, nil, 1)
	step = 400
	for range 600 {
		w.Profile.Begin()
		h.m.VM.Measure(w.Profile)
		w.Profile.Phase(profile.World)
		w.Step(1.0 / 60)
		w.Profile.Phase(profile.Evaluate)
		now += 2e6
		w.Profile.End()
	}
	text := h.says("stat ticks", "evaluate      ")
	if lines := strings.Split(text, "\n"); len(lines) != 2+int(profile.Phases) {
		t.Errorf("stat ticks has %d lines:\n%s", len(lines), text)
	}
	text = h.says("stat unit", "3 ticks dropped since the host began")
	lines := strings.Split(text, "\n")
	if len(lines) != 3+int(profile.Phases) || !strings.HasPrefix(lines[0], "last ") || !strings.Contains(lines[0], " ticks a second of 60;") {
		t.Fatalf("stat unit:\n%s", text)
	}
	if mean, err := strconv.ParseFloat(strings.Fields(lines[2])[1], 64); err != nil || mean <= 2 {
		t.Errorf("a tick takes %g ms, %v", mean, err)
	}
	text = h.says("stat scripts", "class")
	for _, want := range []string{"Brain", "Brain:Play", "scripts/core/Brain.lua:", " others"} {
		if !strings.Contains(text, want) {
			t.Errorf("stat scripts has no %q:\n%s", want, text)
		}
	}
}
