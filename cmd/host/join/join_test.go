package join

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/netcode/client"
)

func TestResolve(t *testing.T) {
	for _, c := range []struct{ in, addr, options, shown string }{
		{"127.0.0.1", "127.0.0.1:7777", "", "127.0.0.1"},
		{"127.0.0.1:1234", "127.0.0.1:1234", "", "127.0.0.1:1234"},
		{"[::1]:1234", "[::1]:1234", "", "[::1]:1234"},
		{"[::1]", "[::1]:7777", "", "[::1]"},
		{"::1", "[::1]:7777", "", "::1"},
		{"127.0.0.1:1234?team=1?class=Scout", "127.0.0.1:1234", "?team=1?class=Scout", "127.0.0.1:1234"},
	} {
		got, err := Resolve(c.in)
		if err != nil || got.Addr.String() != c.addr || got.Options != c.options || got.Shown != c.shown {
			t.Errorf("%s: %+v, %v", c.in, got, err)
		}
	}
	for in, want := range map[string]string{
		"127.0.0.1:0":      `"0" is no port; give a number from 1 to 65535`,
		"127.0.0.1:65536":  `"65536" is no port`,
		"127.0.0.1:":       `"" is no port`,
		"1:2:3":            `"1:2:3" is no address`,
		"nohost.invalid":   `no host of that name`,
		"nohost.invalid:1": `no host of that name`,
	} {
		if _, err := Resolve(in); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"": true, "Ann": true, "Ann of the Hill": true, "Ähm": true, strings.Repeat("a", 32): true,
		strings.Repeat("a", 33): false, "a?b": false, "a=b": false, "a\x1b[2J": false, "a\nb": false, "\u202e": false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Nothing that a host says reaches a terminal as a command.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain ümlaut ✓":              "plain ümlaut ✓",
		"\x1b]0;title\x07\x1b[2Jtext": "]0;title[2Jtext",
		"two\nlines\tand\r":           "two lines and",
		"\u009b31m\u202eback":         "31mback",
		"bad \xff utf8":               "bad \ufffd utf8",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func aPicture() picture {
	return picture{
		Host: "localhost", Level: "arena", Game: "DeathMatch", Tick: 60, Net: 30,
		Figures: Figures{
			State: client.Playing, Ping: 17 * time.Millisecond, Jitter: 4400 * time.Microsecond, LossIn: 0.012, In: 14321, Out: 2100,
			Actors: 21, Playing: 61 * time.Second,
		},
		Classes: []tally{{"Pickup", 9}, {"Pawn", 5}, {"A", 1}, {"B", 1}, {"C", 1}, {"D", 1}, {"E", 1}},
		Body:    "Pawn at (1, 2, 3), health 80",
		Players: []standing{{Name: "Bo", Score: 3, Ping: 31, Note: "bot"}, {Name: "Ann", Score: 2, Deaths: 1, Own: true}},
		Lines:   []string{"one", "two"},
	}
}

func TestDraw(t *testing.T) {
	pic := aPicture()
	want := `Tidelock  localhost  arena (DeathMatch)  60 ticks/s, 30 net updates/s  1m1s

ping    17 ms     jitter 4 ms      loss 1.2 % in, 0.0 % out
in      14.3 kB/s out    2100 B/s  corrections 0
actors  21        9 Pickup, 5 Pawn, 1 A, 1 B, 1 C, 1 D, …
body    Pawn at (1, 2, 3), health 80

   score  deaths    ping  player
       3       0   31 ms  Bo (bot)
       2       1   17 ms  Ann (you)

one
two

Ctrl-C leaves`
	if got := strings.Join(pic.draw(80, 15), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := pic.status(), "playing 61 s: ping 17 ms, jitter 4 ms, loss in 1.2 % out 0.0 %, in 14.3 kB/s, out 2100 B/s, actors 21, corrections 0, "+
		"body Pawn at (1, 2, 3), health 80"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// On the smallest usual terminal one finds oneself among the players, last or not, and all keys when one asks for them.
func TestDrawSmall(t *testing.T) {
	pic := aPicture()
	pic.Players, pic.Keys, pic.HealthMax, pic.Hands = nil, true, 100, "forward"
	for i := range 9 {
		pic.Players = append(pic.Players, standing{Name: strings.Repeat("x", i+1)})
		pic.Near = append(pic.Near, neighbour{Name: "N", Class: "Crate"})
	}
	pic.Players = append(pic.Players, standing{Name: "Ann", Own: true})
	text := func() string { return strings.Join(pic.draw(80, 24), "\n") }
	if got := text(); !strings.Contains(got, "  Ann (you)\n") || !strings.Contains(got, " and 5 more\n") {
		t.Errorf("got\n%s", got)
	}
	pic.Help = true
	if got := text(); !strings.Contains(got, helpText) || !strings.Contains(got, "  Ann (you)\n") {
		t.Errorf("got\n%s", got)
	}
}

// A view never has more lines than the terminal nor longer ones, whatever there is to show: else the top scrolls away.
func TestDrawFits(t *testing.T) {
	pic := aPicture()
	for i := range 100 {
		pic.Players = append(pic.Players, standing{Name: strings.Repeat("x", i)})
		pic.Lines = append(pic.Lines, strings.Repeat("y", i))
	}
	for _, state := range []client.State{client.Connecting, client.Loading, client.Playing, client.Closed} {
		pic.State = state
		for _, size := range [][2]int{{80, 24}, {20, 5}, {200, 60}, {1, 2}} {
			lines := pic.draw(size[0], size[1])
			if len(lines) > size[1] {
				t.Fatalf("%d×%d: %d lines", size[0], size[1], len(lines))
			}
			for _, l := range lines {
				if n := len([]rune(l)); n > size[0] {
					t.Fatalf("%d×%d: a line of %d", size[0], size[1], n)
				}
			}
		}
	}
}

func TestScreenComesAndGoes(t *testing.T) {
	var b strings.Builder
	s := screen{write: func(t string) { b.WriteString(t) }, size: func() (int, int) { return 40, 8 }}
	s.end()
	if b.Len() != 0 {
		t.Error("left a screen that was never entered")
	}
	pic := aPicture()
	s.draw(&pic)
	s.draw(&pic)
	s.end()
	s.end()
	if strings.Count(b.String(), enterScreen) != 1 || strings.Count(b.String(), leaveScreen) != 1 || strings.Count(b.String(), toTop) != 2 {
		t.Errorf("%q", b.String())
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		part, whole uint64
		want        float64
	}{
		{0, 0, 0}, {1, 4, 0.25}, {4, 4, 1}, {^uint64(0), 10, 0}, {5, 4, 1}, {1, ^uint64(0), 0},
	} {
		if got := share(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %v", c.part, c.whole, got)
		}
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The end of the run's time asks it to stop and takes its result.
		ended, stopped := make(chan error, 1), 0
		want := errors.New("result")
		t0 := time.Now()
		err := Await(ended, func() { stopped++; ended <- want }, time.Minute, nil, func() { t.Error("hung") })
		if err != want || stopped != 1 || time.Since(t0) != time.Minute {
			t.Errorf("%v, stopped %d times after %v", err, stopped, time.Since(t0))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// A signal asks, a second one does not wait.
		signals, hung := make(chan os.Signal, 2), 0
		time.AfterFunc(time.Second, func() { signals <- os.Interrupt })
		time.AfterFunc(2*time.Second, func() { signals <- syscall.SIGTERM })
		err := Await(make(chan error), func() {}, 0, signals, func() { hung++ })
		var left *ErrLeft
		if !errors.As(err, &left) || left.Number() != int(syscall.SIGTERM) || hung != 1 {
			t.Errorf("%v, hung %d", err, hung)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// What does not stop is left behind.
		t0 := time.Now()
		err := Await(make(chan error), func() {}, time.Second, nil, func() {})
		if err == nil || time.Since(t0) != time.Second+goodbyeWithin {
			t.Errorf("%v after %v", err, time.Since(t0))
		}
	})
}
