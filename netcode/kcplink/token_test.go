package kcplink

import (
	"encoding/base64"
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
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		token func(t *testing.T) string
		since time.Time
		want  string // empty: gets in
	}{
		{name: "good", token: func(t *testing.T) string { return token(t, operatorKey, TokenClaims{Name: "Ann"}) }},
		{name: "for this key", token: func(t *testing.T) string {
			return token(t, operatorKey, TokenClaims{Name: "Ann", Key: testKey(10).Public})
		}},
		{name: "for another key", want: "token", token: func(t *testing.T) string {
			return token(t, operatorKey, TokenClaims{Name: "Ann", Key: testKey(11).Public})
		}},
		{name: "none", want: "token_needed", token: func(*testing.T) string { return "" }},
		{name: "another operator", want: "token", token: func(t *testing.T) string { return token(t, [32]byte{9}, TokenClaims{}) }},
		{name: "another server", want: "token_server", token: func(t *testing.T) string {
			return token(t, operatorKey, TokenClaims{Server: "eu-2"})
		}},
		{name: "expired", want: "token_expired", token: func(t *testing.T) string {
			return token(t, operatorKey, TokenClaims{Issued: wallStart.Add(-2 * time.Hour), Expires: wallStart.Add(-time.Hour)})
		}},
		{name: "issued before the start", want: "token_expired", since: wallStart.Add(time.Second), token: func(t *testing.T) string {
			return token(t, operatorKey, TokenClaims{})
		}},
		{name: "longer expiry forged", want: "token", token: func(t *testing.T) string {
			raw, _ := base64.RawURLEncoding.DecodeString(token(t, operatorKey, TokenClaims{}))
			raw[5]++
			return base64.RawURLEncoding.EncodeToString(raw)
		}},
		// The secret is not in the packet: without it the exchange does not decrypt, and the server is silent.
		{name: "secret unknown", want: "unreachable", token: func(t *testing.T) string {
			raw, _ := base64.RawURLEncoding.DecodeString(token(t, operatorKey, TokenClaims{}))
			clear(raw[len(raw)-secretSize:])
			return base64.RawURLEncoding.EncodeToString(raw)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s := w.server(Server{TokenKey: &operatorKey, Name: "eu-1", TokensSince: tt.since, Wall: func() time.Time { return wallStart }}, Limits{})
				c := w.client(0)
				c.dial(Dial{Token: tt.token(t), Options: "x"})
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

// A token opens one session, also when the line repeats its packets, and when two come with it at once.
func TestTokenIsUsedOnce(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond, Dup: 1}, func(w *world) {
		s := w.server(Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return wallStart }}, Limits{})
		tok := token(t, operatorKey, TokenClaims{Name: "Ann"})
		a, b, late := w.client(0), w.client(1), w.client(2)
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

// An onlooker who copies the token out of a CONNECT cannot spend it.
func TestTokenIsNotSpentByAnOnlooker(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s := w.server(Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return wallStart }}, Limits{})
		tok := token(t, operatorKey, TokenClaims{Name: "Ann"})
		raw, _ := base64.RawURLEncoding.DecodeString(tok)
		clear(raw[len(raw)-secretSize:])
		thief, c := w.client(1), w.client(0)
		thief.dial(Dial{Token: base64.RawURLEncoding.EncodeToString(raw)})
		w.run(time.Second)
		c.dial(Dial{Token: tok})
		w.until("the owner is in", time.Second, func() bool { return len(c.opened) == 1 })
		if len(s.opened) != 1 || s.opened[0].Identity().Key != c.l.PublicKey() {
			t.Error("somebody else is in")
		}
	})
}

// A refused player keeps its token.
func TestRefusedTokenCanBeUsedAgain(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		full := true
		s := w.server(Server{
			TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return wallStart },
			Accept: func(link.Identity) (link.Reason, bool) { return link.Reason{Code: "match_full", Text: "full"}, !full },
		}, Limits{})
		tok := token(t, operatorKey, TokenClaims{})
		a, b := w.client(0), w.client(1)
		a.dial(Dial{Token: tok})
		w.until("refused", time.Second, func() bool { return a.lastReason() == "match_full" })
		full = false
		b.dial(Dial{Token: tok})
		w.until("in", time.Second, func() bool { return len(b.opened) == 1 && len(s.opened) == 1 })
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
	good := TokenClaims{Issued: wallStart, Expires: wallStart.Add(time.Second)}
	for _, tt := range []struct {
		name string
		key  [32]byte
		edit func(*TokenClaims)
	}{
		{"no key", [32]byte{}, func(*TokenClaims) {}},
		{"long name", operatorKey, func(c *TokenClaims) { c.Name = strings.Repeat("x", 65) }},
		{"bad name", operatorKey, func(c *TokenClaims) { c.Name = "\xff" }},
		{"long server", operatorKey, func(c *TokenClaims) { c.Server = strings.Repeat("x", 65) }},
		{"expired", operatorKey, func(c *TokenClaims) { c.Expires = c.Issued }},
	} {
		c := good
		tt.edit(&c)
		if _, err := IssueToken(tt.key, c); err == nil {
			t.Errorf("%s: issued", tt.name)
		}
	}
	long := good
	long.Name, long.Server = strings.Repeat("x", 64), strings.Repeat("y", 64)
	if s, err := IssueToken(operatorKey, long); err != nil || base64.RawURLEncoding.DecodedLen(len(s)) > maxToken+secretSize {
		t.Errorf("the longest: %d characters, %v", len(s), err)
	}
}

// Tokens that a process issued itself open any mode, and need no password; other ways in are as they were.
func TestOwnTokens(t *testing.T) {
	own := [32]byte{7}
	for name, s := range map[string]Server{"open": {}, "password": {Password: "pw"}, "tokens": {TokenKey: &operatorKey, Name: "eu-1"}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s.OwnKey, s.Wall = &own, func() time.Time { return wallStart }
				server := w.server(s, Limits{})
				issue := func(key, player [32]byte) string {
					text, err := IssueToken(key, TokenClaims{Server: s.Name, Key: player, Issued: wallStart, Expires: wallStart.Add(time.Minute)})
					if err != nil {
						t.Fatal(err)
					}
					return text
				}
				sent, other, forged, plain := w.client(0), w.client(1), w.client(2), w.client(3)
				sent.dial(Dial{Token: issue(own, testKey(10).Public)})
				other.dial(Dial{Token: issue(own, testKey(10).Public)})
				forged.dial(Dial{Token: issue([32]byte{8}, testKey(12).Public)})
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
