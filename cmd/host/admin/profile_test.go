package admin_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/profile"
)

// TestProfile: the profile is what the description says of it, and its times add up (P19).
func TestProfile(t *testing.T) {
	s := newSite(t)
	var empty profile.Report
	status, text := s.ask(here, "GET", "/api/v1/profile", "")
	if err := json.Unmarshal([]byte(text), &empty); err != nil || status != 200 || empty.Ticks != 0 || empty.Stacks == nil {
		t.Fatalf("before there is a profile: %d, %v, %s", status, err, text)
	}
	now, step := int64(0), int64(0)
	w := s.world.m.World
	w.Profile = profile.New(func() int64 { now += step; return now }, nil, 1)
	step = 400
	for range 600 {
		w.Profile.Begin()
		s.world.m.VM.Measure(w.Profile)
		w.Profile.Phase(profile.World)
		w.Step(1.0 / 60)
		now += 5e6
		w.Profile.End()
	}
	_, text = s.ask(here, "GET", "/api/v1/profile", "")
	var r profile.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	sum := 0.0 // what the other sums are is tested in engine/profile
	for _, x := range r.Phases {
		sum += x.Time
	}
	if r.Tick == 0 || math.Abs(sum-r.Tick) > 1e-9 || len(r.Classes) == 0 || len(r.Functions) == 0 || len(r.Stacks) == 0 {
		t.Errorf("phases take %v of a tick's %v: %s", sum, r.Tick, text)
	}
	// The schema of the description has the fields of the answer, and no others.
	var answer any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	s.describes(t, "profile", answer)
	if status, _ := s.ask(there, "GET", "/api/v1/profile", ""); status != 401 {
		t.Errorf("a stranger is answered %d", status)
	}
}

// describes compares an answer with the schema of the description.
func (s *site) describes(t *testing.T, name string, answer any) {
	t.Helper()
	_, text := s.ask(here, "GET", "/api/v1/openapi.json", "")
	var doc struct {
		Components struct{ Schemas map[string]*schema }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Components.Schemas[name] == nil {
		t.Fatalf("%s is not described: %v", name, err)
	}
	doc.Components.Schemas[name].holds(t, name, answer)
}

// schema is a part of a JSON schema.
type schema struct {
	Type       string
	Required   []string
	Properties map[string]*schema
	Items      *schema
}

// holds compares a value with its schema.
func (s *schema) holds(t *testing.T, at string, v any) {
	t.Helper()
	kind := ""
	switch v := v.(type) {
	case map[string]any:
		kind = "object"
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				t.Errorf("%s has no %s", at, name)
			}
		}
		for name, x := range v {
			if p := s.Properties[name]; p != nil {
				p.holds(t, at+"."+name, x)
			} else {
				t.Errorf("%s.%s is not described", at, name)
			}
		}
	case []any:
		kind = "array"
		for _, x := range v {
			s.Items.holds(t, at+"[]", x)
		}
	case float64:
		if kind = "number"; s.Type == "integer" && v == math.Trunc(v) {
			kind = "integer"
		}
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	}
	if s.Type != kind {
		t.Errorf("%s is a %s, described as %q", at, kind, s.Type)
	}
}
