package admin_test

import (
	"encoding/json"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// TestErrors: the list of script errors is what the description says of it.
func TestErrors(t *testing.T) {
	s := newSite(t)
	m := s.world.m
	m.VM.Report(engine.SevError, m.Game, "broken")
	m.VM.Report(engine.SevError, m.Game, "broken")
	_, text := s.ask(here, "GET", "/api/v1/errors", "")
	var answer struct {
		Time   float64
		Errors []struct {
			Side, Kind, Class, Message string
			Count                      int
			First, Last                float64
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Errors) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	if e := answer.Errors[0]; e.Side != "server" || e.Kind != "error" || e.Class != "DeathMatch" || e.Message != "broken" || e.Count != 2 || e.Last != m.World.Time || answer.Time != m.World.Time {
		t.Errorf("%+v", answer)
	}
	var any any
	if err := json.Unmarshal([]byte(text), &any); err != nil {
		t.Fatal(err)
	}
	s.describes(t, "errors", any)
}
