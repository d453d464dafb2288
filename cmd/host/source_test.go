package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/versions"
)

// TestSource: a text that is saved over the API runs and is written; one with an error, one for a file that has changed, and one for
// whatever is no file of the scripts change nothing.
func TestSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	first := bookText("Ledger", map[string]int{"A": 1})
	saveFile(t, root, "scripts/Ledger.lua", first)
	saveFile(t, root, "secret.lua", "return 1")
	m := newTuningMatch(t, root)
	path := m.path("Ledger") // messages name it so, since the folder is another than the program's
	read := func() versions.Source {
		t.Helper()
		s, err := m.turn.Source(path)
		must(t, err)
		return s
	}
	save := func(path, sum, text string) (string, error) {
		lines, err := m.turn.Save(context.Background(), path, sum, text)
		return strings.Join(lines, "\n"), err
	}
	was := read()
	if was.Text != first || was.Fixed != "" {
		t.Fatalf("%+v", was)
	}
	second := strings.Replace(first, "int(1)", "int(7)", 1) + "-- a note\n"
	if answer, err := save(path, was.Sum, second); err != nil || !strings.Contains(answer, "Ledger.A 1 → 7") {
		t.Errorf("%q, %v", answer, err)
	}
	if m.file("Ledger") != second || m.running("Ledger")["A"] != 7 || m.turn.Notes() != nil {
		t.Errorf("file %q, running %v, status %v", m.file("Ledger"), m.running("Ledger"), m.turn.Notes())
	}
	now := read()
	var core string
	for _, s := range m.game.scripts {
		if strings.HasSuffix(s.Path, "Pawn.lua") && s.File == "" {
			core = s.Path
		}
	}
	fixed, err := m.turn.Source(core)
	if err != nil || fixed.Text == "" || !strings.Contains(fixed.Fixed, "compiled into this program") {
		t.Errorf("%q: %+v, %v", core, fixed, err)
	}
	for _, c := range []struct{ name, path, sum, text, says string }{
		{"a file that has changed since", path, was.Sum, first, "has changed on disk"},
		{"a text with an error", path, now.Sum, second + ")", ":10:1: "},
		{"a text that is too large", path, now.Sum, strings.Repeat("-", versions.MaxSource+1), "can be saved here"},
		{"a zero byte", path, now.Sum, second + "\x00", "zero byte"},
		{"what is compiled in", core, fixed.Sum, "return 1", "compiled into this program"},
		{"a file beside the scripts", filepath.Join(root, "secret.lua"), "", "x", "there is no file"},
		{"a way out of the scripts", path + "/../../secret.lua", "", "x", "there is no file"},
		{"a file of the system", "/etc/hostname", "", "x", "there is no file"},
		{"nothing", "", "", "x", "there is no file"},
	} {
		if answer, err := save(c.path, c.sum, c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v", c.name, answer, err)
		}
		if c.says == "there is no file" {
			if got, err := m.turn.Source(c.path); err == nil {
				t.Errorf("%s can be read: %+v", c.name, got)
			}
		}
	}
	if m.file("Ledger") != second || m.running("Ledger")["A"] != 7 || m.turn.Notes() != nil {
		t.Errorf("after what was refused: file %q, running %v, status %v", m.file("Ledger"), m.running("Ledger"), m.turn.Notes())
	}
	if b, err := os.ReadFile(filepath.Join(root, "secret.lua")); string(b) != "return 1" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
