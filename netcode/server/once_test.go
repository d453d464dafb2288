package server

import (
	"fmt"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// TestOnceGoesOnWarning: a text is told once, however many other texts there were; after more than it remembers a server still
// tells new ones.
func TestOnceGoesOnWarning(t *testing.T) {
	var told []string
	s := &Server{warned: map[string]bool{}, cfg: Config{Report: func(_ engine.Severity, text string) { told = append(told, text) }}}
	for i := range 3 * mostWarned {
		for range 2 {
			s.once(engine.SevWarning, fmt.Sprint("text ", i))
		}
	}
	if len(told) != 3*mostWarned {
		t.Errorf("told %d of %d texts", len(told), 3*mostWarned)
	}
	if n := len(s.warned); n != mostWarned || len(s.warnings) != mostWarned {
		t.Errorf("remembers %d texts in a ring of %d", n, len(s.warnings))
	}
	if s.once(engine.SevWarning, "text 0"); told[len(told)-1] != "text 0" {
		t.Error("a text that was forgotten is not told again")
	}
}
