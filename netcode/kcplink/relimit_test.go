package kcplink

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// TestRelimit: new limits are those of the link, but for the size of its queue; wrong ones change nothing.
func TestRelimit(t *testing.T) {
	l, err := New(Config{Addr: "127.0.0.1:0", Server: &Server{}, Limits: Limits{Inbound: 512, PacketsIn: 10}})
	must(t, err)
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := l.Relimit(Limits{ConnsPerAddress: 3, Inbound: 9}); err != nil || l.limits.ConnsPerAddress != 3 || l.limits.Inbound != 512 || l.limits.PacketsIn != 1000 {
		t.Errorf("%v, %+v", err, l.limits)
	}
	before := l.limits
	if err := l.Relimit(Limits{Conns: -1}); err == nil || l.limits != before {
		t.Errorf("%v, %+v", err, l.limits)
	}
}

// TestSetPassword: a password can be given and taken away, but not beside tokens, nor where nobody is admitted.
func TestSetPassword(t *testing.T) {
	l, err := New(Config{Addr: "127.0.0.1:0", Server: &Server{}})
	must(t, err)
	defer l.Close() //nolint:errcheck // the test is over
	for _, p := range []string{"sesame", ""} {
		if err := l.SetPassword(p); err != nil || l.server.Password != p {
			t.Errorf("%q: %v, %q", p, err, l.server.Password)
		}
	}
	l.server.TokenKey = &[32]byte{1}
	if err := l.SetPassword(""); err != nil {
		t.Error(err)
	}
	if err := l.SetPassword("sesame"); err == nil || l.server.Password != "" {
		t.Errorf("a password beside tokens: %v", err)
	}
	l.server = nil
	if err := l.SetPassword("sesame"); err == nil {
		t.Error("a password where nobody is admitted")
	}
}

// TestGather: Poll handles what was gathered before it, and what came since waits for the next one.
func TestGather(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s, c, _, cc := w.pair(Limits{})
		w.run(time.Second)
		before := len(s.datagrams)
		s.l.Gather()
		s.l.Gather() // a second time takes no more
		must(t, cc.SendDatagram([]byte("later")))
		c.l.Flush(w.now)
		for range 5 { // it arrives, and nobody polls
			time.Sleep(10 * time.Millisecond)
			w.now += 10 * time.Millisecond
			w.deliver()
			synctest.Wait()
		}
		s.l.Poll(w.now, s)
		if n := len(s.datagrams); n != before {
			t.Errorf("%d datagrams that came after Gather", n-before)
		}
		s.l.Poll(w.now, s)
		if n := len(s.datagrams); n != before+1 {
			t.Errorf("%d datagrams by the next Poll, expected 1", n-before)
		}
	})
}
