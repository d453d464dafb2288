package view

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
)

// typing types keys at a view that has a prompt, and gives the lines that were entered.
func typing(v *View, keys string) (leave bool, lines []string) {
	v.hands = handed()
	v.opt.Command = func(line string) { lines = append(lines, line) }
	v.Type([]byte(keys))
	leave = v.Play(nobody{}, 0)
	return leave, lines
}

// nobody is a seat before there is a world.
type nobody struct{ Seat }

func (nobody) World() *engine.World { return nil }

// TestPrompt: what is typed behind ':' is a command and moves nobody.
func TestPrompt(t *testing.T) {
	for _, c := range []struct {
		keys  string
		lines []string
		open  bool
	}{
		{":say hello w\r", []string{"say hello w"}, false},
		{":reload level\n:quit\r", []string{"reload level", "quit"}, false},
		{":say grün\x7f\x7fau\r", []string{"say grau"}, false},
		{":\x7f\x08ok\r", []string{"ok"}, false},
		{":wrong\x15right\r", []string{"right"}, false},
		{":say \x1b[Ax\x1b", nil, false},
		{":\r", nil, false},
		{":say w", nil, true},
		{":say a:b\r", []string{"say a:b"}, false},
	} {
		v := New(Options{Keys: true})
		leave, lines := typing(v, c.keys)
		if !slices.Equal(lines, c.lines) || leave || v.prompt.open != c.open || v.hands.latched["MoveForward"] != 0 {
			t.Errorf("%q: entered %q, leave %v, open %v, forward %d", c.keys, lines, leave, v.prompt.open, v.hands.latched["MoveForward"])
		}
	}
}

// TestPromptBesideKeys: Ctrl-C leaves from there, too, keys play again once it has closed, and a view without commands has none.
func TestPromptBesideKeys(t *testing.T) {
	v := New(Options{Keys: true})
	if leave, _ := typing(v, ":sa\x03"); !leave {
		t.Error("Ctrl-C does not leave from the prompt")
	}
	v = New(Options{Keys: true})
	if _, lines := typing(v, ":say\rw"); v.hands.latched["MoveForward"] != 1 || len(lines) != 1 {
		t.Errorf("after the prompt W goes forward %d, entered %q", v.hands.latched["MoveForward"], lines)
	}
	v = New(Options{Keys: true})
	v.hands = handed()
	v.Type([]byte(":w"))
	v.Play(nobody{}, 0)
	if v.hands.latched["MoveForward"] != 1 || v.prompt.open {
		t.Error("a view without commands opens a prompt")
	}
}

// TestPromptText: the end of a long line is shown, in no more columns than there are, and no control character.
func TestPromptText(t *testing.T) {
	p := prompt{open: true}
	for _, k := range []byte("say " + strings.Repeat("長い", 30) + "\x9b end") {
		p.press(key(k))
	}
	for width := range 40 {
		shown, n := p.text(width), 0
		for _, r := range shown {
			n += columns(r)
		}
		if n > width || width > 20 && !strings.HasSuffix(shown, "い end_") || !utf8.ValidString(shown) || strings.ContainsRune(shown, 0x9b) {
			t.Errorf("%d columns: %q takes %d", width, shown, n)
		}
	}
	for range 10 * longestLine {
		p.press('x')
	}
	if len(p.line) > longestLine {
		t.Errorf("a line of %d bytes", len(p.line))
	}
}
