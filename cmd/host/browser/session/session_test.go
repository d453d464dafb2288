package session_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/browser/session"
	hostcache "github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const rate = 60

// shared are compiled files and levels of all matches of these tests.
var shared = struct {
	protos *classfile.Cache
	levels *level.Cache
}{classfile.NewCache(scriptvm.Natives()), &level.Cache{}}

// end is one end of a carrier in memory. What it sends waits until the next tick; a cut one loses it.
type end struct {
	to  *end
	cut *bool
	in  [][]byte
}

func (e *end) Send(b []byte) bool {
	if !*e.cut {
		e.to.in = append(e.to.in, bytes.Clone(b))
	}
	return true
}

func (e *end) Close(link.Reason) {}

func newEnd(int) kcplink.Carrier { return &end{} }

// line passes packets of a session's line to the host that it reaches.
type line struct {
	r *rig
	n int
}

func (l line) Send(b []byte) bool {
	h := l.r.at[l.n]
	return h != nil && h.near.Send(b)
}

func (l line) Close(link.Reason) {
	if l.r.at[l.n] != nil {
		l.r.at[l.n] = nil
	}
}

// rig is a match with its server, and one session that reaches it by carriers in memory.
type rig struct {
	at    [2]*rig // what the session's lines reach: this host, or other; nil for nothing
	other *rig    // another host, without a session of its own
	t     *testing.T
	match *match.Match
	link  *kcplink.Link
	srv   *server.Server
	start time.Time
	ticks int

	s          *session.Session
	far        *kcplink.Pipe // the host's side of the carrier
	near, host *end
	cut        bool // nothing comes through
	closed     bool // no carrier can be opened
	asked      int
	events     []event
	files      *bundle.Bundle
	down       int // bytes that came to the session
}

type event struct {
	E    string `json:"e"`
	Line string `json:"line"`
	By   string `json:"by"`
	N    int    `json:"n"`
	List []struct{ Name, Label, Kind, Class string }
	// Of canvas and message.
	Calls            [][]any `json:"calls"`
	Text, Kind, From string
}

func newRig(t *testing.T, c session.Config) *rig {
	t.Helper()
	return newRigWith(t, c, session.NewFiles())
}

// newRigWith is newRig for a session with a cache.
func newRigWith(t *testing.T, c session.Config, cache *hostcache.Memory) *rig {
	t.Helper()
	r := newHost(t, kcplink.Server{})
	var err error
	r.s, err = session.New(session.Options{
		Config: c, Carrier: func(n int) kcplink.Carrier { return line{r, n} }, Protos: shared.protos, Levels: shared.levels, Cache: cache, Seed: 1,
		Open: func(n int, where string) { r.asked++; r.open(n, where) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.s.Leave() }) // the test is over
	return r
}

// newHost returns a host alone.
func newHost(t *testing.T, gate kcplink.Server) *rig {
	t.Helper()
	a, sources := assetstest.Shipped(t)
	r := &rig{t: t, start: time.Now()}
	var err error
	r.match, err = match.Open(match.Options{
		Sources: sources, Content: a.Content(), URL: "flat?game=GameInfo", NetMode: engine.NMDedicatedServer, Seed: 1, Levels: shared.levels,
		VM: scriptvm.Options{Cache: shared.protos},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.match.Close)
	files, err := r.match.Bundle(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.files = files
	if r.link, err = kcplink.New(kcplink.Config{PipesOnly: true, Server: &gate}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.link.Close() }) // it has no socket
	r.srv = server.New(server.Config{
		World: r.match.World, Game: r.match.NetGame(), Bundle: files, Level: r.match.NetLevel(), GameClass: "GameInfo", Tick: rate, Net: 30, Report: func(engine.Severity, string) {},
	})
	r.srv.Attach(r.link)
	r.near, r.host = &end{cut: &r.cut}, &end{cut: &r.cut}
	r.near.to, r.host.to = r.host, r.near
	return r
}

// open answers the session's question for a carrier, in the next tick.
func (r *rig) open(n int, where string) {
	h := r
	if where != "" {
		h = r.other
	}
	r.at[n] = nil
	h.near.in, h.host.in = nil, nil
	time.AfterFunc(time.Second/rate/2, func() {
		if h.closed {
			r.s.Broke(n, "nobody is there")
			return
		}
		r.at[n] = h
		var err error
		if h.far, err = h.link.Pipe(netip.MustParseAddrPort("192.0.2.1:1"), h.host); err != nil {
			r.t.Error(err)
		}
		if err := r.s.Opened(n, nil); err != nil {
			r.t.Error(err)
		}
	})
}

// step runs a tick of a host.
func (r *rig) step(now time.Duration) {
	up := r.host.in
	r.host.in = nil
	for _, b := range up {
		if r.far != nil {
			r.far.Receive(b)
		}
	}
	r.srv.Receive(now)
	r.match.World.Step(1.0 / rate)
	r.ticks++
	r.srv.Send(now, r.ticks%2 == 0)
}

// tick runs one of both ends.
func (r *rig) tick() {
	const dt = time.Second / rate
	time.Sleep(dt)
	synctest.Wait()
	now := time.Since(r.start)
	for n, h := range r.at {
		if h == nil {
			continue
		}
		down := h.near.in
		h.near.in = nil
		for _, b := range down {
			r.down += len(b)
			r.s.Receive(n, b)
		}
	}
	r.step(now)
	if r.other != nil {
		r.other.step(now)
	}
	r.s.Tick(now, 1.0/rate)
	if len(r.s.Events) > 0 {
		var list []event
		if err := json.Unmarshal(r.s.Events, &list); err != nil {
			r.t.Fatalf("%v: %s", err, r.s.Events)
		}
		r.events = append(r.events, list...)
	}
}

// until ticks until something is so.
func (r *rig) until(what string, within time.Duration, is func() bool) {
	r.t.Helper()
	for range int(within.Seconds() * rate) {
		if is() {
			return
		}
		r.tick()
	}
	word, line, away := r.s.State()
	r.t.Fatalf("not within %v: %s; the session is %s, %q, away %t; events %v", within, what, word, line, away, r.events)
}

// told are the actions that the page was told last.
func (r *rig) told() (list event) {
	for _, e := range r.events {
		if e.E == "actions" {
			list = e
		}
	}
	return list
}

// press holds down actions by their names, and no others.
func (r *rig) press(in session.Input, names ...string) {
	r.t.Helper()
	e := r.told()
	in.Set, in.Actions = e.N, make([]float64, len(e.List))
	for _, name := range names {
		at := -1
		for i := range e.List {
			if e.List[i].Name == name {
				at = i
			}
		}
		if at < 0 {
			r.t.Fatalf("the page was told of no action %s: %v", name, e.List)
		}
		in.Actions[at] = 1
	}
	r.s.SetInput(in)
}

func (r *rig) has(e string, is func(event) bool) bool {
	for _, x := range r.events {
		if x.E == e && (is == nil || is(x)) {
			return true
		}
	}
	return false
}

// players are the pawns of people in the host's world.
func (r *rig) players() (n int) {
	r.srv.Connections(func(*server.Conn) { n++ })
	return n
}

// A session joins, walks where it looks, is told what happens, loses its connection and comes back as the same player by
// itself, and leaves (W1.4, R8.8).
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, session.Config{Name: "Ann", Host: "here"})
		if word, _, _ := r.s.State(); word != "connecting" {
			t.Errorf("at first %s", word)
		}
		r.until("a pawn", 20*time.Second, func() bool { return r.s.Pawn() != nil && r.s.Pawn().Location != geom.Vector{} })
		if word, line, away := r.s.State(); word != "playing" || line != "" || away || r.s.Worlds != 1 || r.s.Level == nil || len(r.s.Floats) == 0 {
			t.Errorf("in: %s, %q, %t, %d worlds", word, line, away, r.s.Worlds)
		}
		r.until("the events of a player", 5*time.Second, func() bool {
			return r.has("view", nil) && r.has("control", func(e event) bool { return e.By == "you" }) && r.has("canvas", nil) && r.has("actions", nil)
		})

		from := r.s.Pawn().Location
		r.press(session.Input{Turn: 1}, "MoveForward")
		r.until("a walk", 5*time.Second, func() bool { return r.s.Pawn().Location.X > from.X+200 })
		r.press(session.Input{Turn: 1})
		for range rate {
			r.tick()
		}
		is, far := r.s.Pawn(), 0.0
		r.match.World.EachActor(func(a *engine.Actor) {
			if a.Class == r.match.World.Classes.Find(is.Class.Name) {
				far = a.Location.Sub(is.Location).Size()
			}
		})
		if far > 1 {
			t.Errorf("the host's pawn is %v uu from the session's", far)
		}

		// Lost: nothing comes through, and no carrier opens for a while.
		asked := r.asked
		r.cut, r.closed, r.events = true, true, nil
		r.until("the loss is noticed", 20*time.Second, func() bool { _, _, away := r.s.State(); return away })
		if word, line, _ := r.s.State(); word != "connecting" || !strings.Contains(line, "trying again in") {
			t.Errorf("lost: %s, %q", word, line)
		}
		r.until("some tries", 30*time.Second, func() bool { return r.asked >= asked+3 })
		if !r.has("say", func(e event) bool { return strings.HasPrefix(e.Line, "connection lost (") }) {
			t.Errorf("the loss is not told: %v", r.events)
		}
		r.cut, r.closed = false, false
		r.until("back", 30*time.Second, func() bool { return r.s.Pawn() != nil })
		if word, _, away := r.s.State(); word != "playing" || away || r.s.Worlds != 2 || r.players() != 1 {
			t.Errorf("back: %s, away %t, %d worlds, %d players", word, away, r.s.Worlds, r.players())
		}
		if !r.has("say", func(e event) bool { return strings.HasPrefix(e.Line, "connected again after ") }) {
			t.Errorf("the return is not told: %v", r.events)
		}
		if f := r.s.Sample(); f.Returns != 1 {
			t.Errorf("%d returns", f.Returns)
		}

		if err := r.s.Leave(); err != nil {
			t.Error(err)
		}
		r.until("the host notices", 5*time.Second, func() bool { return r.players() == 0 })
	})
}

// The page is told what the HUD draws when that changes, and nothing in its place once the world is gone; what is typed there is said
// in the match (W4.1, W4.2).
func TestHUD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, session.Config{Name: "Ann", Host: "here"})
		shows := func(text string) bool {
			return r.has("canvas", func(e event) bool {
				return slices.ContainsFunc(e.Calls, func(c []any) bool { return c[0] == "text" && c[3] == text })
			})
		}
		r.until("a HUD", 20*time.Second, func() bool { return r.s.Pawn() != nil && shows("health 100") })
		for range rate { // until what the beginning shows is over
			r.tick()
		}
		r.events = nil
		for range 2 * rate {
			r.tick()
		}
		told := 0
		for i := range r.events {
			if r.events[i].E == "canvas" {
				told++
			}
		}
		if told > 5 { // the clock
			t.Errorf("%d frames were told in 2 s in which nothing happened", told)
		}
		r.s.Say("hello\x1b there", false)
		r.until("the line", 2*time.Second, func() bool { return shows("Ann: hello there") })
		if !r.has("message", func(e event) bool { return e.Text == "hello there" && e.Kind == "chat" && e.From == "Ann" }) {
			t.Errorf("the message is not told: %v", r.events)
		}
		r.cut, r.closed, r.events = true, true, nil
		r.until("an empty screen", 20*time.Second, func() bool { return r.has("canvas", func(e event) bool { return len(e.Calls) == 0 }) })
	})
}

// The page is told the actions of the match, and says by their order what is held. What it gets wrong counts for nothing and is told
// once (W4.3).
func TestActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, session.Config{Host: "here"})
		r.until("the actions", 20*time.Second, func() bool { return r.s.Pawn() != nil && r.has("actions", nil) })
		e := r.told()
		if e.N != 1 || len(e.List) < 20 || e.List[0].Name != "MoveForward" || e.List[0].Kind != "axis" || e.List[0].Label != "Forward" {
			t.Fatalf("told %+v", e)
		}
		w := r.s.World()
		input := func() engine.Input {
			r.tick()
			in, _ := w.Input(r.s.Controller())
			return in
		}
		r.press(session.Input{Turn: 1}, "Fire", "Scores", "Weapon3")
		if in := input(); !in.Fire || in.Weapon != 3 || in.Action("Scores") != 1 || in.Forward != 0 {
			t.Errorf("held: %+v", in)
		}
		// Another set, too many values, no numbers: what was held before stays.
		wrong := make([]float64, len(e.List))
		for _, in := range []session.Input{
			{Turn: 1, Set: e.N + 1, Actions: wrong},
			{Turn: 1, Set: 0, Actions: wrong},
			{Turn: 1, Set: e.N, Actions: make([]float64, 1000)},
			{Turn: 1, Set: e.N},
			{Turn: 1, Set: e.N, Actions: wrong[:10]},
			{Turn: 1, Set: e.N, Actions: append(slices.Clone(wrong[1:]), math.NaN())},
		} {
			r.s.SetInput(in)
			if in := input(); !in.Fire {
				t.Errorf("wrong values let go of what is held")
			}
		}
		faults := 0
		for _, x := range r.events {
			if x.E == "say" && strings.HasPrefix(x.Line, "the page sent values for 1000 actions; it was told of ") {
				faults++
			}
		}
		if faults != 1 {
			t.Errorf("said %d times; expected once", faults)
		}
		wrong[0] = 1e9
		r.s.SetInput(session.Input{Turn: 1, Set: e.N, Actions: wrong})
		if in := input(); in.Forward != 1 || in.Fire {
			t.Errorf("out of bounds: %+v", in)
		}
		// Another file of actions: told again, and what is held of those that stay stays held.
		w.SetActions([]engine.Action{{Name: "Scores"}, {Name: "MoveForward", Kind: engine.ActionAxis}})
		if in := input(); in.Forward != 1 {
			t.Errorf("a reload let go of what is held: %+v", in)
		}
		if e := r.told(); e.N != 2 || len(e.List) != 2 {
			t.Errorf("told %+v", e)
		}
		input()
		if e := r.told(); e.N != 2 {
			t.Errorf("the same actions are told again: %+v", e)
		}
		if n := r.s.Numbers(); len(n.ByClass) == 0 || n.ByClass[0].Bytes <= 0 || len(n.ByClass) > 8 {
			t.Errorf("bytes by class: %+v", n.ByClass)
		}
		for range rate { // the host answers every move by a call
			r.tick()
		}
		n := r.s.Numbers()
		if !slices.ContainsFunc(n.ByClass, func(c session.ClassBytes) bool { return c.Class == "PlayerController" && c.Bytes > 10 }) {
			t.Errorf("bytes by class of a second: %+v", n.ByClass)
		}
	})
}

// A player who was never in is not dialled again, and is told why.
func TestNoHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, session.Config{Host: "here"})
		r.closed = true
		r.until("the end", 5*time.Second, func() bool { word, _, _ := r.s.State(); return word == "closed" })
		if _, line, _ := r.s.State(); line != "no route to here: nobody is there" || r.asked != 1 {
			t.Errorf("%q, asked %d times", line, r.asked)
		}
	})
}

// What the page may get wrong is told, and nothing else happens.
func TestConfig(t *testing.T) {
	for want, c := range map[string]session.Config{
		"the player's key has 3 bytes; expected 32": {Key: []byte("abc")},
		"give one without":                          {Name: "a?b"},
	} {
		if _, err := session.New(session.Options{Config: c, Carrier: newEnd, Open: func(int, string) {}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	s, err := session.New(session.Options{Carrier: newEnd, Open: func(int, string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Opened(0, []byte("abc")); err == nil || err.Error() != "the host's key has 3 bytes; expected 32" {
		t.Error(err)
	}
	s.Receive(0, []byte("before there is a way"))
	_ = s.Leave()
}

// The files of hosts are bounded: the first that came goes.
func TestFiles(t *testing.T) {
	f := session.NewFiles()
	if !f.Empty() {
		t.Error("a new one is not empty")
	}
	big := make([]byte, 20<<20)
	for i := range byte(4) {
		f.Put([32]byte{i}, big)
	}
	if f.Get([32]byte{0}) != nil || f.Get([32]byte{1}) == nil || f.Get([32]byte{3}) == nil || f.Empty() {
		t.Error("64 MB: expected the last three of four files of 20 MB")
	}
	f.Put([32]byte{9}, make([]byte, 65<<20))
	if f.Get([32]byte{9}) != nil || f.Get([32]byte{3}) == nil {
		t.Error("a file that is too large was kept, or drove out others")
	}
	for i := range 3 * bundle.MaxFiles {
		f.Put([32]byte{1, byte(i), byte(i >> 8)}, []byte{1})
	}
	if f.Get([32]byte{1, 0, 0}) != nil {
		t.Error("more files than are listed are kept")
	}
}
