package kcplink

import "testing"

// TestRelimit: new limits are those of the link, but for the size of its queue; wrong ones change nothing.
func TestRelimit(t *testing.T) {
	l, err := New(Config{Addr: "127.0.0.1:0", Server: &Server{}, Limits: Limits{Inbound: 512, PacketsIn: 10}})
	if err != nil {
		t.Fatal(err)
	}
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
