package kcplink

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

var (
	operatorKey = [32]byte{1, 2, 3}
	wallStart   = time.Unix(1_800_000_000, 0)
)

func token(t *testing.T, key [32]byte, c TokenClaims) string {
	t.Helper()
	if c.Issued.IsZero() {
		c.Issued = wallStart
	}
	if c.Expires.IsZero() {
		c.Expires = wallStart.Add(time.Minute)
	}
	if c.Server == "" {
		c.Server = "eu-1"
	}
	s, err := IssueToken(key, c)
	must(t, err)
	return s
}

// issues is a server in token mode.
func issues(since time.Time) Server {
	return Server{TokenKey: &operatorKey, Name: "eu-1", TokensSince: since, Wall: func() time.Time { return wallStart }}
}

// changed is a token with other bytes.
func changed(t *testing.T, text string, change func(raw []byte)) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	must(t, err)
	change(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

func forgetSecret(raw []byte) { clear(raw[len(raw)-secretSize:]) }

func TestTokens(t *testing.T) {
	of := func(c TokenClaims) string { return token(t, operatorKey, c) }
	for _, tt := range []struct {
		name, token string
		since       time.Time
		want        string // empty: gets in
	}{
		{name: "good", token: of(TokenClaims{Name: "Ann"})},
		{name: "for this key", token: of(TokenClaims{Name: "Ann", Key: testKey(10).Public})},
		{name: "for another key", want: "token", token: of(TokenClaims{Name: "Ann", Key: testKey(11).Public})},
		{name: "none", want: "token_needed"},
		{name: "another operator", want: "token", token: token(t, [32]byte{9}, TokenClaims{})},
		{name: "another server", want: "token_server", token: of(TokenClaims{Server: "eu-2"})},
		{name: "expired", want: "token_expired", token: of(TokenClaims{Issued: wallStart.Add(-2 * time.Hour), Expires: wallStart.Add(-time.Hour)})},
		{name: "issued before the start", want: "token_expired", since: wallStart.Add(time.Second), token: of(TokenClaims{})},
		{name: "longer expiry forged", want: "token", token: changed(t, of(TokenClaims{}), func(raw []byte) { raw[5]++ })},
		// The secret is not in the packet: without it the exchange does not decrypt, and the server is silent.
		{name: "secret unknown", want: "unreachable", token: changed(t, of(TokenClaims{}), forgetSecret)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s, c := w.server(issues(tt.since), Limits{}), w.client(0)
				c.dial(Dial{Token: tt.token, Options: "x"})
				if tt.want != "" {
					w.until("refused", 11*time.Second, func() bool { return len(c.closed) == 1 })
					if c.lastReason() != tt.want || len(s.opened) != 0 {
						t.Errorf("closed %v, want %s; opened %d", c.closed, tt.want, len(s.opened))
					}
					return
				}
				w.until("open", time.Second, func() bool { return len(c.opened) == 1 && len(s.opened) == 1 })
				if id := s.opened[0].Identity(); id.Name != "Ann" || id.Key != testKey(10).Public || id.Options != "x" {
					t.Errorf("the server sees %+v", id)
				}
			})
		})
	}
}

// A token opens one session, also when the line repeats its packets, and when two come with it at once. An onlooker who copies it out
// of a CONNECT does not spend it.
func TestTokenIsUsedOnce(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond, Dup: 1}, func(w *world) {
		s := w.server(issues(time.Time{}), Limits{})
		tok := token(t, operatorKey, TokenClaims{Name: "Ann"})
		a, b, late, onlooker := w.client(0), w.client(1), w.client(2), w.client(3)
		onlooker.dial(Dial{Token: changed(t, tok, forgetSecret)})
		w.run(time.Second)
		a.dial(Dial{Token: tok})
		b.dial(Dial{Token: tok})
		w.run(time.Second)
		if len(s.opened) != 1 || len(a.opened)+len(b.opened) != 1 {
			t.Errorf("opened %d on the server, %d and %d", len(s.opened), len(a.opened), len(b.opened))
		}
		late.dial(Dial{Token: tok})
		w.run(time.Second)
		for _, p := range []*peer{a, b, late} {
			if len(p.opened) == 0 && p.lastReason() != "token_used" {
				t.Errorf("closed %v", p.closed)
			}
		}
		w.run(15 * time.Second)
		if s.l.Open() != 1 || len(s.l.halves) != 0 {
			t.Errorf("%d open, %d half-open", s.l.Open(), len(s.l.halves))
		}
	})
}

// A refused player keeps its token.
func TestRefusedTokenCanBeUsedAgain(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		full := true
		server := issues(time.Time{})
		server.Accept = func(link.Identity) (link.Reason, bool) { return link.Reason{Code: "match_full", Text: "full"}, !full }
		w.server(server, Limits{})
		tok := token(t, operatorKey, TokenClaims{})
		a, b := w.client(0), w.client(1)
		a.dial(Dial{Token: tok})
		w.until("refused", time.Second, func() bool { return a.lastReason() == "match_full" })
		full = false
		b.dial(Dial{Token: tok})
		w.until("in", time.Second, func() bool { return len(b.opened) == 1 })
	})
}

// What is remembered of tokens is bounded, and nothing is forgotten for it.
func TestUsedTokensAreBounded(t *testing.T) {
	var u usedTokens
	id := func(n int) [16]byte { return [16]byte{byte(n), byte(n >> 8)} }
	for i := range 10 {
		if !u.add(id(i), int64(100+i), 0, 10) {
			t.Fatal(i)
		}
	}
	if u.add(id(10), 200, 1, 10) || u.add(id(10), 200, 99, 10) {
		t.Error("more than there is room for")
	}
	for i := range 10 {
		if !u.has(id(i)) {
			t.Errorf("%d forgotten", i)
		}
	}
	if !u.add(id(10), 200, 104, 10) || u.has(id(4)) || !u.has(id(5)) {
		t.Error("the expired ones are to make room")
	}
}

func TestIssueTokenRefuses(t *testing.T) {
	issue := func(key [32]byte, name, server string, lasts time.Duration) (string, error) {
		return IssueToken(key, TokenClaims{Name: name, Server: server, Issued: wallStart, Expires: wallStart.Add(lasts)})
	}
	long, longest := strings.Repeat("x", 65), strings.Repeat("x", 64)
	for _, tt := range []struct {
		what         string
		key          [32]byte
		name, server string
		lasts        time.Duration
	}{
		{"no key", [32]byte{}, "", "", time.Second},
		{"long name", operatorKey, long, "", time.Second},
		{"bad name", operatorKey, "\xff", "", time.Second},
		{"long server", operatorKey, "", long, time.Second},
		{"expired", operatorKey, "", "", 0},
	} {
		if _, err := issue(tt.key, tt.name, tt.server, tt.lasts); err == nil {
			t.Errorf("%s: issued", tt.what)
		}
	}
	if s, err := issue(operatorKey, longest, longest, time.Second); err != nil ||
		base64.RawURLEncoding.DecodedLen(len(s)) > maxToken+secretSize {
		t.Errorf("the longest: %d characters, %v", len(s), err)
	}
}

// owned is a server that also takes tokens of its process's own key, and who issues them for a player's key.
func owned(t *testing.T, s Server) (Server, func(key [32]byte, name string, player byte) string) {
	s.OwnKey, s.Wall = &[32]byte{7}, func() time.Time { return wallStart }
	return s, func(key [32]byte, name string, player byte) string {
		t.Helper()
		text, err := IssueToken(key, TokenClaims{Server: s.Name, Name: name, Key: testKey(player).Public, Issued: wallStart, Expires: wallStart.Add(time.Minute)})
		must(t, err)
		return text
	}
}

// Tokens that a process issued itself open any mode, and need no password; other ways in are as they were.
func TestOwnTokens(t *testing.T) {
	for name, s := range map[string]Server{"open": {}, "password": {Password: "pw"}, "tokens": {TokenKey: &operatorKey, Name: "eu-1"}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s, issue := owned(t, s)
				server := w.server(s, Limits{})
				sent, other, forged, plain := w.client(0), w.client(1), w.client(2), w.client(3)
				sent.dial(Dial{Token: issue(*s.OwnKey, "", 10)})
				other.dial(Dial{Token: issue(*s.OwnKey, "", 10)})
				forged.dial(Dial{Token: issue([32]byte{8}, "", 12)})
				plain.dial(Dial{Password: "wrong"})
				w.run(11 * time.Second)
				if len(sent.opened) != 1 || server.opened[0].Identity().Key != testKey(10).Public || server.opened[0].Identity().Name != "" {
					t.Errorf("whom the host expects is refused: %v", sent.closed)
				}
				if other.lastReason() != "token" || forged.lastReason() != "token" {
					t.Errorf("another player: %v; a forged token: %v", other.closed, forged.closed)
				}
				if want := map[string]string{"password": "password", "tokens": "token_needed"}[name]; plain.lastReason() != want {
					t.Errorf("without a token: %v, want %q", plain.closed, want)
				}
			})
		})
	}
}

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
