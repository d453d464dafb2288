package control_test

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// TestErrorsCommand: errors are listed with how often and when, the latest first, each on one line whatever it contains.
func TestErrorsCommand(t *testing.T) {
	h := newHost(t)
	h.says("errors", "no script errors in this match")
	h.m.VM.Report(engine.SevError, h.m.Game, "broken")
	for range 120 {
		h.m.World.Step(1.0 / 60)
	}
	h.m.VM.Report(engine.SevError, h.m.Game, "broken")
	h.m.VM.Report(engine.SevWarning, nil, "red \x1b[31m\nline")
	for range 60 {
		h.m.World.Step(1.0 / 60)
	}
	text := h.says("errors", "server error, 2 times, first 3 s ago, last 1 s ago: DeathMatch: broken (DeathMatch_0")
	if !strings.Contains(text, `server warning, once, last 1 s ago: "red \x1b[31m\nline"`) || strings.Count(text, "\n") != 1 {
		t.Errorf("it says %q", text)
	}
}
