package join

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
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
		"127.0.0.1:0":      `"0" is not a port; give a number from 1 to 65535`,
		"127.0.0.1:65536":  `"65536" is not a port`,
		"127.0.0.1:":       `"" is not a port`,
		"1:2:3":            `"1:2:3" is not an address`,
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
	// run is a run that ends with its context, after a while; its result is how long it had.
	run := func(t *testing.T, after time.Duration) (context.Context, <-chan error, func(), error) {
		ctx, stop := context.WithCancel(t.Context())
		ended, want := make(chan error, 1), errors.New("result")
		context.AfterFunc(ctx, func() { time.AfterFunc(after, func() { ended <- want }) })
		return ctx, ended, stop, want
	}
	synctest.Test(t, func(t *testing.T) {
		// A run that ends by itself gives its result, and so does one that a signal ended.
		for _, signals := range []chan os.Signal{nil, make(chan os.Signal, 1)} {
			ctx, ended, stop, want := run(t, time.Second)
			time.AfterFunc(time.Minute, func() {
				if signals == nil {
					stop()
				} else {
					signals <- os.Interrupt
				}
			})
			t0 := time.Now()
			err := Await(ctx, ended, stop, signals, func() { t.Error("hung") })
			if err != want || time.Since(t0) != time.Minute+time.Second {
				t.Errorf("%v after %v", err, time.Since(t0))
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// A signal asks, a second one does not wait.
		signals, hung := make(chan os.Signal, 2), 0
		time.AfterFunc(time.Second, func() { signals <- os.Interrupt })
		time.AfterFunc(2*time.Second, func() { signals <- syscall.SIGTERM })
		ctx, ended, stop, _ := run(t, time.Hour)
		err := Await(ctx, ended, stop, signals, func() { hung++ })
		var left *ErrLeft
		if !errors.As(err, &left) || left.Number() != int(syscall.SIGTERM) || hung != 1 {
			t.Errorf("%v, hung %d", err, hung)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// What does not stop is left behind, no matter who asked it to.
		for _, signals := range []chan os.Signal{nil, make(chan os.Signal, 1)} {
			ctx, ended, stop, _ := run(t, time.Hour)
			time.AfterFunc(time.Second, func() {
				if signals == nil {
					stop()
				} else {
					signals <- os.Interrupt
				}
			})
			t0, hung := time.Now(), 0
			err := Await(ctx, ended, stop, signals, func() { hung++ })
			if err == nil || time.Since(t0) != time.Second+goodbyeWithin || hung != 1 {
				t.Errorf("%v after %v, hung %d", err, time.Since(t0), hung)
			}
		}
	})
}
