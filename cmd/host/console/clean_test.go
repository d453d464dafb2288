package console_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tidelock/tidelock/cmd/host/console"
)

// TestCleanLines (G19): whatever a stranger is called, a line stays one line of printing characters, of bounded length, in either form.
func TestCleanLines(t *testing.T) {
	const name = "Ann\n2026 ERR \x1b[2J\u202egnp\u2066\x00\xff\u200f é"
	for _, form := range []console.Format{console.Text, console.JSON} {
		var level slog.LevelVar
		var b bytes.Buffer
		log := console.Logger(&b, form, &level, false).With("who", name)
		log.Info(name, "player", name, "error", errors.New(name), slog.Group("g", "of", name), "list", []string{name})
		out := strings.TrimSuffix(b.String(), "\n")
		if strings.ContainsFunc(out, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: %q", form, out)
		}
		if n := strings.Count(out, "Ann"); n != 6 {
			t.Errorf("%s: the name stands there %d times, want 6: %s", form, n, out)
		}
		if !strings.Contains(out, "é") {
			t.Errorf("%s: what prints is gone: %s", form, out)
		}
		b.Reset()
		log.Info(strings.Repeat("é", 100000), "player", strings.Repeat("x", 100000))
		if b.Len() > 20000 {
			t.Errorf("%s: a line of %d bytes", form, b.Len())
		}
	}
}

// TestDurationsAreSeconds (G19).
func TestDurationsAreSeconds(t *testing.T) {
	var level slog.LevelVar
	var b bytes.Buffer
	console.Logger(&b, console.JSON, &level, false).Info("x", "within", 90*time.Second, "seconds", 2500*time.Microsecond)
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["within"] != 90.0 || line["seconds"] != 0.003 {
		t.Errorf("%s: %v", b.Bytes(), err)
	}
}
