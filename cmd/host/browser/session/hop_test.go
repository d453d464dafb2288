package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/browser/session"
	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// sends makes the host send its player to the other one, with a token for a key.
func (r *rig) sends(key [32]byte, edit func(*place.Place)) {
	r.t.Helper()
	now := time.Now()
	token, err := r.other.link.IssueOwn(kcplink.TokenClaims{Name: "ann", Key: key, Issued: now, Expires: now.Add(time.Minute)})
	if err != nil {
		r.t.Fatal(err)
	}
	p := place.Place{Host: "b", Name: "The other", Address: "192.0.2.2:7777", ServerKey: r.other.link.PublicKey(), Token: token, Web: "https://b.example"}
	if edit != nil {
		edit(&p)
	}
	r.srv.Connections(func(c *server.Conn) { c.SendTo(p.URL()) })
}

// A host may let the player go before the other one has them: the page is told that they are on their way, and not that all is over.
func TestLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := [32]byte{5}
		key, err := kcplink.KeyFromPrivate(secret)
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, session.Config{Name: "Ann", Key: secret[:]})
		r.other = newHost(t, kcplink.Server{OwnKey: &[32]byte{7}, Wall: time.Now})
		r.until("a pawn", 20*time.Second, func() bool { return r.s.Pawn() != nil })
		r.sends(key.Public, nil)
		r.until("they set off", time.Second, func() bool { return r.has("say", func(e event) bool { return strings.HasPrefix(e.Line, "going to") }) })
		r.srv.Connections(func(c *server.Conn) { c.Kick("teleported", "you go to the other") })
		words := map[string]bool{}
		r.until("elsewhere", 20*time.Second, func() bool {
			word, line, away := r.s.State()
			words[word] = true
			if word == "closed" || r.s.At() == 0 && away && line != "going to The other …" {
				t.Fatalf("%s, %q", word, line)
			}
			return r.s.At() == 1
		})
		if !words["connecting"] {
			t.Errorf("the page was told %v", words)
		}
		r.until("a pawn there", 20*time.Second, func() bool { return r.s.Pawn() != nil })
	})
}

// A player whom the host sends to another one is at one host until the other has them, goes on there over the other line, comes back
// there by themselves, and returns over the first line (C6).
func TestElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := [32]byte{5}
		key, err := kcplink.KeyFromPrivate(secret)
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, session.Config{Name: "Ann", Key: secret[:]})
		gate := func() kcplink.Server { return kcplink.Server{Password: "pw", OwnKey: &[32]byte{7}, Wall: time.Now} }
		r.other = newHost(t, gate())
		r.until("a pawn", 20*time.Second, func() bool { return r.s.Pawn() != nil })

		// Nobody there, another's token, no page: the player stays.
		for name, c := range map[string]struct {
			key  [32]byte
			edit func(*place.Place)
			gone bool
			want string
		}{
			"gone":      {key.Public, nil, true, "you stay here: The other"},
			"token":     {[32]byte{1}, nil, false, "the connect token is for another player's key"},
			"no page":   {key.Public, func(p *place.Place) { p.Web = "" }, false, "The other has no page"},
			"other key": {key.Public, func(p *place.Place) { p.ServerKey = [32]byte{9} }, false, "you stay here: The other"},
		} {
			r.events, r.other.closed = nil, c.gone
			r.sends(c.key, c.edit)
			r.until(name, 70*time.Second, func() bool {
				return r.has("say", func(e event) bool { return strings.Contains(e.Line, c.want) })
			})
			if word, _, _ := r.s.State(); word != "playing" || r.s.Worlds != 1 || r.s.At() != 0 || r.at[1] != nil || r.players() != 1 {
				t.Errorf("%s: %s, %d worlds, line %d, the other line reaches %v, %d players", name, word, r.s.Worlds, r.s.At(), r.at[1], r.players())
			}
		}

		// A carrier that opens too late is closed.
		r.at[1] = r.other
		if err := r.s.Opened(1, nil); err != nil || r.at[1] != nil {
			t.Errorf("a late carrier: %v, it reaches %v", err, r.at[1])
		}

		r.events, r.other.closed = nil, false
		r.sends(key.Public, nil)
		r.until("elsewhere", 20*time.Second, func() bool {
			if r.s.At() == 0 && r.players() != 1 {
				t.Fatal("the player left before the other host had them")
			}
			return r.s.At() == 1
		})
		r.until("a pawn there, and nobody here", 20*time.Second, func() bool { return r.s.Pawn() != nil && r.players() == 0 })
		if word, _, away := r.s.State(); word != "playing" || away || r.s.Worlds != 2 || r.other.players() != 1 || r.at[0] != nil {
			t.Errorf("there: %s, away %t, %d worlds, %d players, the old line reaches %v", word, away, r.s.Worlds, r.other.players(), r.at[0])
		}

		// A lost connection there is made again there, without the token and without the password.
		r.other.cut, r.events = true, nil
		r.until("the loss is noticed", 20*time.Second, func() bool { _, _, away := r.s.State(); return away })
		r.other.cut = false
		r.until("back", 30*time.Second, func() bool { return r.s.Pawn() != nil && r.s.Worlds == 3 })
		if r.s.At() != 1 || r.players() != 0 || r.other.players() != 1 {
			t.Errorf("back: line %d, %d players here, %d there", r.s.At(), r.players(), r.other.players())
		}
	})
}
