package server

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// addressed is a connection from an address, which takes everything.
type addressed struct {
	link.Conn
	id   link.Identity
	user any
}

func (a *addressed) Identity() link.Identity { return a.id }
func (a *addressed) Send([]byte) error       { return nil }
func (a *addressed) MaxDatagram() int        { return 1000 }
func (a *addressed) Stats() link.Stats       { return link.Stats{} }
func (a *addressed) SetUser(v any)           { a.user = v }
func (a *addressed) User() any               { return a.user }
func (a *addressed) Close(link.Reason)       {}

// guarded is a game with a password of its own; asked counts how often it judged one.
type guarded struct {
	Stay
	asked int
}

func (g *guarded) PreLogin(options, _ string) (text, code string) {
	g.asked++
	if !strings.Contains(options, "password=sesame") {
		return "this server wants a password", "password"
	}
	return "", ""
}
func (*guarded) Login(string, string) (*engine.Actor, string, string) { return nil, "in", "in" }
func (*guarded) PostLogin(*engine.Actor)                              {}
func (*guarded) Logout(*engine.Actor)                                 {}

func emptyWorld(t *testing.T) *engine.World {
	t.Helper()
	cs, diags := engine.BuildClasses([]*engine.ClassSpec{{Name: "Actor", Native: engine.NativeActor}}, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return engine.NewWorld(engine.Config{Classes: cs, NetMode: engine.NMDedicatedServer})
}

// TestGamesPasswordWaits (G16): 1 000 wrong passwords of the game from one network, by ever new connections: a handful are judged, each
// is told with its address, and players from elsewhere do not wait. It goes on over a travel.
func TestGamesPasswordWaits(t *testing.T) {
	var told []Event
	g := &guarded{}
	cfg := Config{World: emptyWorld(t), Game: g, Tick: 60, Net: 30, Event: func(e Event) { told = append(told, e) }}
	s := New(cfg)
	try := func(addr, options string) string {
		c := &addressed{id: link.Identity{Addr: addr}}
		s.Opened(c)
		conn := connOf(c)
		conn.opts = options
		_, _, code := conn.admit()
		s.conns = nil
		return code
	}
	codes := map[string]int{}
	for i := range 1000 {
		s.now += 50 * time.Millisecond // 50 s in all
		codes[try("[2001:db8::"+string(rune('a'+i%6))+"]:7", "?password=guess")]++
		if i%100 == 0 {
			if got := try("192.0.2.1:7", "?password=sesame"); got != "in" {
				t.Errorf("a player from elsewhere is told %q", got)
			}
		}
		if i == 500 {
			cfg.World = emptyWorld(t)
			s = s.Travel(cfg, "")
		}
	}
	if codes["password"] < 4 || codes["password"] > 9 || codes["password"]+codes["password_wait"] != 1000 {
		t.Errorf("answers %v, want at most 9 wrong passwords judged in 50 s", codes)
	}
	if g.asked != codes["password"]+10 {
		t.Errorf("the game judged %d", g.asked)
	}
	if len(told) != codes["password"] || told[0].Kind != EventPassword || told[0].Addr != "[2001:db8::a]:7" {
		t.Errorf("told %+v", told)
	}
	if got := try("[2001:db8::1]:7", "?password=sesame"); got != "password_wait" {
		t.Errorf("the right password is told %q while its network waits", got)
	}
}

// TestNamesAreQuoted (G19): whatever a player is called, a line about them is one line in which the name can be told from the rest.
func TestNamesAreQuoted(t *testing.T) {
	var told []Event
	s := &Server{cfg: Config{Event: func(e Event) { told = append(told, e) }}}
	for _, name := range []string{"Ann, 192.0.2.9:1) joined\nconnection 2 (Bob", "\x1b[2J\u202ennA\u2066", "\"", strings.Repeat("n", 10000), "\xff\x00"} {
		c := &Conn{ID: 1, Name: name, Address: "192.0.2.1:7", s: s}
		line := c.String()
		if strings.ContainsAny(line, "\n\x1b\x00\u202e\u2066") || !utf8.ValidString(line) || len(line) > 1200 || !strings.HasPrefix(line, `connection 1 ("`) || !strings.HasSuffix(line, `", 192.0.2.1:7)`) {
			t.Errorf("%q is shown as %q", name, line)
		}
	}
}
