package teleport

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/bus"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	step   = 50 * time.Millisecond
	expiry = 30 * time.Second // of a dead host's profiles
	player = "key-ann"
)

// stage is some hosts, the profile that they share, and a player.
type stage struct {
	t     *testing.T
	net   *bus.Network
	now   time.Duration
	hosts map[string]*host
	rand  *rand.Rand
	// passed counts messages that came; at is called before each.
	passed int
	at     func(n int) (lost bool)

	holder string        // of the profile
	beat   time.Duration // of its holder
	gold   int           // in the profile

	client  client
	offered bool // the player was told where to go
	lines   []string
}

type host struct {
	*Service
	s    *stage
	name string
	bus  *bus.Simulated
	c    *bus.Client
	dead bool
	// in are players in the match, with what they carry along; gold is that of the profile.
	in   map[string]string
	gold int
	// links are players who are connected.
	links map[string]bool
	held  bool
	room  int
	ends  int
}

// client is the player's machine.
type client struct {
	at      string // the host where they play, "" for none
	going   *Place
	since   time.Duration
	loading time.Duration // until when
}

func newStage(t *testing.T, seed uint64, names ...string) *stage {
	s := &stage{t: t, net: bus.NewNetwork(seed), hosts: map[string]*host{}, rand: rand.New(rand.NewPCG(seed, 3)), gold: 10}
	s.net.Delay = 5 * time.Millisecond
	s.net.Passed = func(_, _ string, _ bus.Message) bool {
		s.passed++
		return s.at != nil && s.at(s.passed-1)
	}
	for _, name := range names {
		s.start(name)
	}
	return s
}

func (s *stage) start(name string) {
	h := &host{s: s, name: name, in: map[string]string{}, links: map[string]bool{}, room: 4}
	h.bus = s.net.Host(name)
	h.c = &bus.Client{Bus: h.bus, Host: name}
	var err error
	h.Service, err = New(Options{
		Bus: h.c, Random: noise{s.rand}, Log: slog.New(slog.DiscardHandler),
		Find: func(target string) ([]string, error) {
			if target == "nowhere" {
				return nil, errors.New("no host is called nowhere")
			}
			return strings.Split(target, ","), nil
		},
		Reserve: func(*Traveller, time.Duration) (Place, error) {
			if len(h.in)+h.Reserved() >= h.room {
				return Place{}, errors.New("the match is full")
			}
			return Place{Name: name, Address: "127.0.0.1:7777", Token: "token"}, nil
		},
		Offer: func(id string, p *Place) error {
			if !h.links[id] {
				return errors.New("the player is gone")
			}
			s.offered = true
			s.client.going, s.client.since, s.client.loading = p, s.now, s.now+300*time.Millisecond
			return nil
		},
		Take: func(id string, _ *Place) ([]byte, bool) {
			state, ok := h.in[id]
			h.out(id)
			return []byte(state), ok
		},
		End: func(id string, _ *Place) { h.ends++; h.out(id) },
	})
	must(s.t, err)
	s.hosts[name] = h
}

type noise struct{ r *rand.Rand }

func (n noise) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(n.r.Uint32())
	}
	return len(b), nil
}

// out ends a player here; the profile is saved and given back, or lost if another has it.
func (h *host) out(id string) {
	delete(h.in, id)
	delete(h.links, id)
}

// keep is what package profiles does in a tick.
func (h *host) keep() {
	_, in := h.in[player]
	wants := in || h.links[player]
	if h.bus.Err() != nil || h.bus == nil {
		return // the store is out of reach
	}
	s := h.s
	switch {
	case h.held && s.holder != h.name: // another took it: the player has to leave
		h.held = false
		h.out(player)
	case h.held && !wants:
		s.gold, s.holder, h.held = h.gold, "", false
	case h.held:
		s.gold, s.beat = h.gold, s.now
	case wants && !h.held && (s.holder == "" || s.now-s.beat > expiry):
		s.holder, h.held, h.gold, s.beat = h.name, true, s.gold, s.now
	}
}

// admit is what a match does with a player who is connected and has loaded.
func (h *host) admit(id string) {
	if _, in := h.in[id]; in || !h.links[id] {
		return
	}
	ready, _, refused := h.Prepare(id)
	if refused != "" {
		h.out(id)
		h.Away(id)
		return
	}
	if !ready || !h.held {
		return
	}
	state := "new"
	if b, _, _, back := h.State(id); b != nil || back {
		state = string(b)
	}
	h.In(id)
	h.in[id] = state + ">" + h.name
}

func (s *stage) kill(name string) {
	h := s.hosts[name]
	h.dead = true
	h.bus.Leave()
	h.in, h.links = map[string]string{}, map[string]bool{}
}

// turn lets a step pass.
func (s *stage) turn() {
	s.now += step
	s.net.Deliver(s.now)
	for _, name := range []string{"a", "b", "c"} {
		if h := s.hosts[name]; h != nil && !h.dead {
			h.c.Deliver(s.now)
			h.keep()
			h.Service.Tick(s.now)
			for id := range h.links { // any order: there is one player
				h.admit(id)
			}
		}
	}
	s.play()
}

// patience is how long the player's machine tries while it has another world.
const patience = 25 * time.Second

// plays reports whether the player's machine still has the world where they were.
func (s *stage) plays() bool {
	h := s.hosts[s.client.at]
	return h != nil && !h.dead && h.links[player]
}

// play is what the player's machine does.
func (s *stage) play() {
	c := &s.client
	if c.going != nil {
		to := s.hosts[c.going.Host]
		switch {
		case to == nil || to.dead, s.now-c.since > patience && s.plays(), s.now-c.since > 60*time.Second, s.now > c.loading && !to.links[player] && s.now > c.loading+step:
			if to != nil && !to.dead && to.links[player] {
				to.out(player)
				to.Away(player)
			}
			c.going = nil
		case s.now > c.loading && !to.links[player]:
			to.links[player] = true
		case to.in[player] != "":
			if from := s.hosts[c.at]; from != nil && !from.dead {
				from.out(player)
			}
			c.at, c.going = c.going.Host, nil
		}
		return
	}
	at := s.hosts[c.at]
	if at != nil && !at.dead && !at.links[player] { // comes back
		at.links[player] = true
	}
}

// begin puts the player into a host's match.
func (s *stage) begin(name string) {
	h := s.hosts[name]
	h.links[player] = true
	s.client.at = name
	for range 10 {
		s.turn()
	}
	if h.in[player] == "" || !h.held {
		s.t.Fatal("the player is not in")
	}
	h.in[player] = name
	h.gold = 11
}

func (s *stage) send(from, target string) {
	h := s.hosts[from]
	h.Send(Traveller{ID: player, State: []byte(h.in[player])}, target, func(err error) {
		if err == nil {
			s.lines = append(s.lines, "arrived")
			return
		}
		s.lines = append(s.lines, err.Error())
	})
}

// worlds returns where the player is.
func (s *stage) worlds() (in []string) {
	for name, h := range s.hosts { // any order: sorted below
		if _, ok := h.in[player]; ok {
			in = append(in, name)
		}
	}
	slices.Sort(in)
	return in
}

// check expects the player in one world, with all they own.
func (s *stage) check(what string) {
	s.t.Helper()
	in := s.worlds()
	if len(in) != 1 {
		for name, h := range s.hosts { // any order: for a person
			s.t.Logf("%s: dead %v, in %v, links %v, held %v; holder %q", name, h.dead, h.in, h.links, h.held, s.holder)
		}
		s.t.Fatalf("%s: the player is in %v; client %+v; %v", what, in, s.client, s.lines)
	}
	h := s.hosts[in[0]]
	if !h.held || h.gold != 11 {
		s.t.Fatalf("%s: in %s with %d gold, held %v", what, in[0], h.gold, h.held)
	}
	if state := h.in[player]; !strings.HasPrefix(state, "a") {
		s.t.Fatalf("%s: in %s with the state %q", what, in[0], state)
	}
	if len(s.lines) != 1 {
		s.t.Fatalf("%s: the source was told %q", what, s.lines)
	}
}

func (s *stage) run(d time.Duration) {
	for range d / step {
		s.turn()
	}
}

// TestTeleport: a player arrives with state and profile, and the source lets go only then (C6).
func TestTeleport(t *testing.T) {
	s := newStage(t, 1, "a", "b")
	s.begin("a")
	s.send("a", "b")
	s.run(200 * time.Millisecond)
	s.hosts["a"].in[player] = "a2" // a point scored meanwhile
	if !slices.Equal(s.worlds(), []string{"a"}) {
		t.Fatal("the player does not play on while they load")
	}
	s.run(3 * time.Second)
	s.check("a hop")
	if s.hosts["b"].in[player] != "a2>b" || s.lines[0] != "arrived" || !s.hosts["b"].Idle() {
		t.Fatal(s.hosts["b"].in, s.lines)
	}
	if a := s.hosts["a"].Stats; a.Begun != 1 || a.Took.Count() != 1 || a.Took.Sum() <= 0 || a.Took.Sum() > 10 {
		t.Fatal(a)
	}
	if b := s.hosts["b"]; b.Stats.Arrived != 1 || s.hosts["a"].Stats.Sent != 1 || b.Reserved() != 0 {
		t.Fatal(b.Stats, s.hosts["a"].Stats)
	}
}

// TestRefusals: a host without room passes them on to the next, and nobody moves without a place.
func TestRefusals(t *testing.T) {
	s := newStage(t, 1, "a", "b", "c")
	s.begin("a")
	s.hosts["b"].room = 0
	s.send("a", "b,c")
	s.run(3 * time.Second)
	s.check("the second of two hosts")
	if s.worlds()[0] != "c" {
		t.Fatal(s.worlds())
	}
	for target, want := range map[string]string{"b": "host b: the match is full", "nowhere": "no host is called nowhere", "dead": "host dead: no host answered in time"} {
		s := newStage(t, 1, "a", "b")
		s.begin("a")
		s.hosts["b"].room = 0
		s.send("a", target)
		s.run(4 * time.Second)
		s.check(target)
		if s.lines[0] != want || s.worlds()[0] != "a" {
			t.Errorf("%s: %v, in %v", target, s.lines, s.worlds())
		}
	}
}

// TestEveryStep loses each message of a hop, kills each host before and after it, and cuts each host off there, for a moment and
// for long: in every case the player ends in one world with one profile and all they own (C6, C10).
func TestEveryStep(t *testing.T) {
	whole := newStage(t, 1, "a", "b")
	whole.begin("a")
	whole.passed = 0
	whole.send("a", "b")
	whole.run(5 * time.Second)
	n := whole.passed // of an undisturbed hop
	if n < 6 {
		t.Fatalf("a hop has %d messages", n)
	}
	cuts := map[string]time.Duration{"cut 3s": 3 * time.Second, "cut 12s": 12 * time.Second, "cut 40s": 40 * time.Second}
	runs := 0
	for at := range n {
		for _, who := range []string{"a", "b"} {
			for _, fault := range []string{"loses", "kill", "kill after", "cut 3s", "cut 12s", "cut 40s"} {
				if fault == "loses" && who == "b" {
					continue
				}
				what := fmt.Sprintf("message %d, %s %s", at, fault, who)
				s := newStage(t, 1, "a", "b")
				s.begin("a")
				s.passed = 0
				var later []func()
				offered := false
				kill := func() {
					if !s.hosts[who].dead {
						offered = s.offered
						s.kill(who)
					}
				}
				s.at = func(i int) bool {
					if i != at {
						return false
					}
					switch fault {
					case "loses":
						return true
					case "kill":
						kill()
						return true
					case "kill after":
						later = append(later, kill)
					default:
						s.hosts[who].bus.Cut(true)
						end := s.now + cuts[fault]
						later = append(later, func() {
							if s.now >= end {
								s.hosts[who].bus.Cut(false)
							}
						})
					}
					return false
				}
				s.send("a", "b")
				for range 100 * time.Second / step {
					s.turn()
					for _, f := range later {
						f()
					}
					if w := s.worlds(); len(w) > 1 && s.hosts["a"].held && s.hosts["b"].held {
						t.Fatalf("%s: two profiles", what)
					}
				}
				runs++
				a, b := s.hosts["a"], s.hosts["b"]
				if a.dead && !offered || b.dead && s.client.at == "b" {
					continue // their world is gone, and they know of no other: they come back with its restart
				}
				if a.dead {
					s.lines = []string{"nobody is left to be told"}
				}
				s.check(what)
				if _, there := b.in[player]; fault == "loses" && there != (s.lines[0] == "arrived") {
					t.Fatalf("%s: the player is in b: %v, and the source was told %q", what, there, s.lines)
				}
				if a.dead && b.in[player] == "" {
					t.Fatalf("%s: the player was told where to go, and is in %v", what, s.worlds())
				}
			}
		}
	}
	t.Logf("%d runs over %d messages", runs, n)
}

// TestForgedFrames: another host than the target gets nobody's state, and malformed frames are counted.
func TestForgedFrames(t *testing.T) {
	s := newStage(t, 1, "a", "b", "c")
	s.begin("a")
	s.send("a", "b")
	s.run(100 * time.Millisecond)
	a, thief := s.hosts["a"], s.hosts["c"]
	hop := a.order[0].hop
	ask := func(kind string, body []byte) (out string) {
		err := thief.c.Request(subject("a", kind), body, time.Second, func(in bus.In, err error) { out = string(in.Body) })
		must(t, err)
		s.run(200 * time.Millisecond)
		return out
	}
	if out := ask("handover", encode(&hopOnly{hop, player})); !strings.Contains(out, cancelled) || a.in[player] == "" {
		t.Errorf("a strange host gets %q; in %v", out, a.in)
	}
	ask("arrived", encode(&hopOnly{hop, player}))
	if a.ends != 0 || len(s.lines) != 0 {
		t.Error("a strange host ends a player")
	}
	for _, body := range []string{"", "{", `{"hop":"../x","id":"y"}`, `{"hop":"x","id":"` + strings.Repeat("y", 200) + `"}`, "\xff"} {
		before := a.Stats.Bad
		ask("handover", []byte(body))
		if a.Stats.Bad != before+1 {
			t.Errorf("%q is not counted as bad", body)
		}
	}
	s.run(5 * time.Second)
	s.check("after forged frames")
}

// TestTakenForDead: a source that was cut off and still has the player ends them when it hears that they arrived.
func TestTakenForDead(t *testing.T) {
	s := newStage(t, 1, "a", "b")
	s.begin("a")
	s.send("a", "b")
	s.run(100 * time.Millisecond)
	a := s.hosts["a"]
	must(t, s.hosts["b"].c.Request(subject("a", "arrived"), encode(&hopOnly{a.order[0].hop, player}), time.Second, func(bus.In, error) {}))
	s.run(100 * time.Millisecond)
	if a.ends != 1 || a.in[player] != "" {
		t.Errorf("ended %d times, in %v", a.ends, a.in)
	}
}

// FuzzFrames: nothing that a host may send causes a panic.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"hop":"x","id":"y","key":[1],"state":"AA=="}`))
	f.Add([]byte(`{"host":"b","name":"B","address":"[::1]:7777","token":"t","web":"https://x","hashes":["00"]}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		var r reserve
		var h hopOnly
		var p Place
		var x handed
		_ = parse(b, &r) == nil && r.check() == nil
		_ = parse(b, &h) == nil && h.check() == nil
		_ = parse(b, &p) == nil && p.Check() == nil
		_ = parse(b, &x) == nil && x.check() == nil
	})
}

// TestDrawn: the protocol is drawn in the documents as in the package, and the drawing has its messages.
func TestDrawn(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	must(t, err)
	cluster, err := os.ReadFile("../../../docs/cluster.md")
	must(t, err)
	_, drawing, _ := strings.Cut(string(doc), "//	source ")
	drawing, _, _ = strings.Cut("//	source "+drawing, "\n//\n")
	drawing = strings.ReplaceAll(drawing, "//	", "")
	if !strings.Contains(string(cluster), drawing) {
		t.Errorf("docs/cluster.md does not draw\n%s", drawing)
	}
	s := newStage(t, 1, "a", "b")
	seen := map[string]bool{}
	s.begin("a")
	s.net.Passed = func(_, _ string, m bus.Message) bool {
		if parts := strings.Split(m.Subject, "."); parts[0] == "host" {
			seen[parts[2]] = true
		}
		return false
	}
	s.send("a", "b")
	s.run(3 * time.Second)
	for kind := range seen { // any order: each by itself
		if !strings.Contains(drawing, "- "+kind+" ") {
			t.Errorf("the drawing has no %s", kind)
		}
	}
	if len(seen) != 3 {
		t.Errorf("messages %v", seen)
	}
}
