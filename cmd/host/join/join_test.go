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

// TestAwait: what ends within the time gives its result, no matter who asked it to; what does not is left behind, and at a second signal at once.
func TestAwait(t *testing.T) {
	result := errors.New("result")
	for name, c := range map[string]struct {
		signals []os.Signal // one a second; without one the run is stopped by its caller
		after   time.Duration
		ends    time.Duration
		hung    int
	}{
		"stopped":            {nil, time.Second, 2 * time.Second, 0},
		"by a signal":        {[]os.Signal{os.Interrupt}, time.Second, 2 * time.Second, 0},
		"stopped, hangs":     {nil, time.Hour, time.Second + goodbyeWithin, 1},
		"by a signal, too":   {[]os.Signal{os.Interrupt}, time.Hour, time.Second + goodbyeWithin, 1},
		"by a second signal": {[]os.Signal{os.Interrupt, syscall.SIGTERM}, time.Hour, 2 * time.Second, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			ended, hung := make(chan error, 1), 0
			context.AfterFunc(ctx, func() { time.AfterFunc(c.after, func() { ended <- result }) })
			var signals chan os.Signal
			if c.signals == nil {
				time.AfterFunc(time.Second, stop)
			} else {
				signals = make(chan os.Signal, 2)
			}
			for i, s := range c.signals {
				time.AfterFunc(time.Duration(i+1)*time.Second, func() { signals <- s })
			}
			t0 := time.Now()
			err := Await(ctx, ended, stop, signals, func() { hung++ })
			var left *ErrLeft
			second := errors.As(err, &left) && left.Number() == int(syscall.SIGTERM)
			if (err == result) != (c.hung == 0) || err == nil || second != (len(c.signals) == 2) || time.Since(t0) != c.ends || hung != c.hung {
				t.Errorf("%s: %v after %v, hung %d", name, err, time.Since(t0), hung)
			}
		})
	}
}
