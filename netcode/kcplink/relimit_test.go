package kcplink

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// TestRelimit: new limits are those of the link, but for the size of its queue; wrong ones change nothing.
func TestRelimit(t *testing.T) {
	l := newReal(t).add(Config{Server: &Server{}, Limits: Limits{Inbound: 512, PacketsIn: 10}}).l
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
	l := newReal(t).add(Config{Server: &Server{}}).l
	for _, p := range []string{"sesame", ""} {
		if err := l.SetPassword(p); err != nil || l.server.Password != p {
			t.Errorf("%q: %v, %q", p, err, l.server.Password)
		}
	}
	l.server.TokenKey = &[32]byte{1}
	must(t, l.SetPassword(""))
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
		w.pass(50 * time.Millisecond) // it arrives, and nobody polls
		for polls := range 2 {
			s.l.Poll(w.now, s)
			if n := len(s.datagrams) - before; n != polls {
				t.Errorf("%d datagrams by Poll %d, expected %d", n, polls, polls)
			}
		}
	})
}
