package main

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tidelock/tidelock/cmd/host/console"
)

// TestScreen checks the whole life of a screen: it takes the terminal, shows pictures, and gives it back as it was.
func TestScreen(t *testing.T) {
	term := openTerminal(t, 20, 4)
	fmt.Fprint(term.TTY, "before\n")
	was := term.Mode()
	s, ok := console.OpenScreen(term.TTY, term.TTY, true)
	if !ok || !s.Keys() {
		t.Fatal("a terminal is none")
	}
	full := strings.Repeat("x", 20)
	s.Show([]string{"one", full, "three", "four"})
	term.Await(within, "one\n"+full+"\nthree\nfour")
	s.Show([]string{"one", "two"})
	term.Await(within, "one\ntwo\n\n")
	s.Show([]string{"one", full + "yy", "\x1b[31mred\x1b[0m", full})
	term.Await(within, "one\n"+full[:19]+"y\nred\n"+full)
	term.Look(func(e *emulator) {
		if e.second == 0 || e.cursor || e.wrap {
			t.Errorf("screen %d, cursor %v, wraps %v", e.second, e.cursor, e.wrap)
		}
	})
	if n := strings.Count(term.Raw(), "one"); n != 1 {
		t.Errorf("a line that stayed the same was written %d times", n)
	}
	m := term.Mode()
	if m.Lflag&(unix.ICANON|unix.ECHO) != 0 || m.Lflag&unix.ISIG == 0 || m.Oflag&unix.OPOST == 0 {
		t.Errorf("local modes %#x, output modes %#x: expected keys one by one without echo, signals, and ends of lines as always", m.Lflag, m.Oflag)
	}

	term.Resize(30, 4)
	s.Show([]string{"one", "two"})
	term.Until(within, "all drawn anew", func(e *emulator) bool { return e.String() == "one\ntwo\n\n" })

	s.Close()
	s.Close()
	s.Show([]string{"late"})
	term.Until(within, "the terminal as it was", func(e *emulator) bool {
		return e.second == 0 && e.cursor && e.wrap && strings.HasPrefix(e.String(), "before\n")
	})
	if now := term.Mode(); now != was {
		t.Errorf("mode %+v, it was %+v", now, was)
	}
	fmt.Fprint(term.TTY, "after\n")
	term.Await(within, "before\nafter\n")
	if strings.Contains(term.Raw(), "late") {
		t.Error("drawn after the end")
	}
}

// TestScreenWithoutPicture: anyone who only takes keys leaves what is printed alone.
func TestScreenWithoutPicture(t *testing.T) {
	term := openTerminal(t, 20, 4)
	was := term.Mode()
	s, ok := console.OpenScreen(term.TTY, nil, false)
	if !ok || !s.Keys() {
		t.Fatal("a terminal is none")
	}
	term.Type("w")
	key := make([]byte, 8)
	if n, err := term.TTY.Read(key); err != nil || string(key[:n]) != "w" {
		t.Errorf("%q, %v", key[:n], err)
	}
	fmt.Fprint(term.TTY, "one\ntwo\n")
	term.Await(within, "one\ntwo\n")
	s.Close()
	if now := term.Mode(); now != was || strings.Contains(term.Raw(), "\x1b") || strings.Contains(term.Raw(), "w\r") {
		t.Errorf("mode %+v, it was %+v; written %q", now, was, term.Raw())
	}
}

// TestScreenElsewhere: there is none where nobody looks, or nobody can type.
func TestScreenElsewhere(t *testing.T) {
	term := openTerminal(t, 20, 4)
	if _, ok := console.OpenScreen(term.TTY, &strings.Builder{}, true); ok {
		t.Error("a picture where nobody looks")
	}
	if _, ok := console.OpenScreen(strings.NewReader("w"), term.TTY, false); ok {
		t.Error("keys where nobody types")
	}
	s, ok := console.OpenScreen(strings.NewReader("w"), term.TTY, true)
	if !ok || s.Keys() {
		t.Fatal("who only looks has no screen, or has keys")
	}
	s.Close()
}
