package kcplink

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// Whom another host sent comes back within an hour without a token and without a password, under the same name; others do not, whatever
// the host requires (C6).
func TestReturning(t *testing.T) {
	own := [32]byte{7}
	for name, s := range map[string]Server{"password": {Password: "pw"}, "tokens": {TokenKey: &operatorKey, Name: "eu-1"}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s.OwnKey, s.Wall = &own, func() time.Time { return wallStart }
				server := w.server(s, Limits{})
				text, err := IssueToken(own, TokenClaims{Server: s.Name, Name: "ann", Key: testKey(10).Public, Issued: wallStart, Expires: wallStart.Add(time.Minute)})
				if err != nil {
					t.Fatal(err)
				}
				other := w.client(1)
				from := 40000
				comes := func(d Dial, want bool) {
					w.t.Helper()
					from++
					p, in := w.add(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 2}), uint16(from)), Config{Key: testKey(10)}), len(server.opened)
					c := p.dial(d)
					w.run(time.Second)
					if got := len(p.opened) > 0; got != want {
						w.t.Fatalf("in: %v, want %v; told %v", got, want, p.closed)
					}
					if want && server.opened[in].Identity().Name != "ann" {
						w.t.Errorf("known as %q", server.opened[in].Identity().Name)
					}
					c.Close(link.Reason{Code: "quit"})
					w.run(time.Second)
				}
				comes(Dial{}, false)
				comes(Dial{Token: text}, true)
				other.dial(Dial{})
				comes(Dial{}, true)
				comes(Dial{}, true)
				server.l.returning.by[testKey(10).Public] = returner{"ann", server.l.now}
				comes(Dial{}, false)
				if want := map[string]string{"password": "password", "tokens": "token_needed"}[name]; other.lastReason() != want {
					w.t.Errorf("somebody else: %v, want %q", other.closed, want)
				}
			})
		})
	}
}

// Over a pipe that a page of another host opened only players with a token come in, and those who had one (W2.4, C6).
func TestForeignPipe(t *testing.T) {
	own := [32]byte{7}
	inOne(t, impair.Rule{Lag: 10 * time.Millisecond}, true, func(w *world) {
		s := w.server(Server{OwnKey: &own, Wall: func() time.Time { return wallStart }}, Limits{})
		issue := func(n byte) string {
			text, err := IssueToken(own, TokenClaims{Key: testKey(n).Public, Issued: wallStart, Expires: wallStart.Add(time.Minute)})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		from := uint16(40000)
		comes := func(foreign bool, key byte, d Dial) string {
			from++
			p := w.add(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, key}), from), Config{Key: testKey(key)})
			if foreign {
				w.pipe(s, p.addr).pipe.Foreign()
			}
			c := p.dial(d)
			w.run(time.Second)
			why := "in"
			if len(p.opened) == 0 {
				why = p.lastReason()
			}
			c.Close(link.Reason{Code: "quit"})
			w.run(time.Second)
			return why
		}
		for i, c := range []struct {
			foreign bool
			key     byte
			d       Dial
			want    string
		}{
			{true, 10, Dial{}, "token_needed"},
			{false, 12, Dial{}, "in"},
			{true, 12, Dial{}, "token_needed"},
			{true, 11, Dial{Token: issue(10)}, "token"},
			{true, 11, Dial{}, "token_needed"},
			{true, 10, Dial{Token: issue(10)}, "in"},
			{true, 10, Dial{}, "in"},
			{true, 11, Dial{}, "token_needed"},
		} {
			if got := comes(c.foreign, c.key, c.d); got != c.want {
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
