package kcplink

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// comes has a player of a key dial from an address of its own and leave again. It returns as whom it was let in, or why not.
func (w *world) comes(s *peer, key byte, foreign bool, d Dial) string {
	w.t.Helper()
	p := w.add(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, key}), uint16(40000+len(w.peers))), Config{Key: testKey(key)})
	if foreign {
		w.pipe(s, p.addr).pipe.Foreign()
	}
	c, in := p.dial(d), len(s.opened)
	w.run(time.Second)
	as := p.lastReason()
	if len(p.opened) > 0 {
		as = "in as " + s.opened[in].Identity().Name
	}
	c.Close(link.Reason{Code: "quit"})
	w.run(time.Second)
	return as
}

// Whom another host sent comes back within an hour without a token and without a password, under the same name; others do not, whatever
// the host requires (C6).
func TestReturning(t *testing.T) {
	for no, s := range map[string]Server{"password": {Password: "pw"}, "token_needed": {TokenKey: &operatorKey, Name: "eu-1"}} {
		t.Run(no, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s, issue := owned(t, s)
				server := w.server(s, Limits{})
				for i, c := range []struct {
					key  byte
					d    Dial
					want string
				}{
					{10, Dial{}, no},
					{10, Dial{Token: issue(*s.OwnKey, "ann", 10)}, "in as ann"},
					{11, Dial{}, no},
					{10, Dial{}, "in as ann"},
					{10, Dial{}, "in as ann"},
				} {
					if got := w.comes(server, c.key, false, c.d); got != c.want {
						t.Errorf("%d: %s, want %s", i, got, c.want)
					}
				}
				server.l.returning.by[testKey(10).Public] = returner{"ann", server.l.now}
				if got := w.comes(server, 10, false, Dial{}); got != no {
					t.Errorf("after an hour: %s", got)
				}
			})
		})
	}
}

// Over a pipe that a page of another host opened only players with a token come in, and those who had one (W2.4, C6).
func TestForeignPipe(t *testing.T) {
	inOne(t, impair.Rule{Lag: 10 * time.Millisecond}, true, func(w *world) {
		own, issue := owned(t, Server{})
		s, tok := w.server(own, Limits{}), Dial{Token: issue(*own.OwnKey, "", 10)}
		for i, c := range []struct {
			foreign bool
			key     byte
			d       Dial
			want    string
		}{
			{true, 10, Dial{}, "token_needed"},
			{false, 12, Dial{}, "in as "},
			{true, 12, Dial{}, "token_needed"},
			{true, 11, tok, "token"},
			{true, 11, Dial{}, "token_needed"},
			{true, 10, tok, "in as "},
			{true, 10, Dial{}, "in as "},
			{true, 11, Dial{}, "token_needed"},
		} {
			if got := w.comes(s, c.key, c.foreign, c.d); got != c.want {
				t.Errorf("%d: %s, want %s", i, got, c.want)
			}
		}
	})
}

// TestReturningIsBounded: those who came first are forgotten first.
func TestReturningIsBounded(t *testing.T) {
	var r returning
	key := func(n int) (k [32]byte) { k[0], k[1] = byte(n), byte(n>>8); return k }
	for n := range mostReturning + 10 {
		r.add(link.Identity{Key: key(n)}, time.Duration(n))
	}
	for n, want := range map[int]bool{0: false, 9: false, 10: true, mostReturning + 9: true} {
		if _, got := r.by[key(n)]; got != want {
			t.Errorf("%d is known: %v", n, got)
		}
	}
	if len(r.by) != mostReturning {
		t.Errorf("%d are known", len(r.by))
	}
}
