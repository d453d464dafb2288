package profiles_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

const players = 4

// world is a store with several hosts on a virtual clock. Whatever happens, a profile has one holder for each fence, the sum of
// gold stays, and what was acknowledged is there.
type world struct {
	t    *testing.T
	seed uint64
	// expiry is short in every other run: then profiles are taken from living hosts all the time.
	expiry time.Duration
	rand   *rand.Rand
	now    time.Duration
	store  store.Memory
	hosts  []*host
	runs   int
	acked  [players]float64 // experience that was acknowledged
	// held is who wrote with a fence.
	held map[string]string
	// changes are the changes of states that happened, if that is wanted.
	changes map[string]bool
}

// host is one process.
type host struct {
	w      *world
	name   string
	client *store.Client
	book   *profiles.Book
	alive  bool
	down   bool // no line to the store
	lines  []store.Request
	back   []store.Reply
	live   map[string]*player
	holds  map[string]int
}

// player is in a host's world.
type player struct{ gold, xp float64 }

var errDown = errors.New("no line to the store")

func id(i int) string { return fmt.Sprintf("key-%d", i) }

func (w *world) start(i int) {
	w.runs++
	h := &host{w: w, name: fmt.Sprintf("host %d, run %d", i, w.runs), alive: true, live: map[string]*player{}, holds: map[string]int{}}
	h.client = &store.Client{Port: h}
	h.book = profiles.New(profiles.Options{
		Store: h.client, Host: h.name, Interval: 5 * time.Second, Expiry: w.expiry, Log: slog.New(slog.DiscardHandler),
		Capture: func(id string) *store.Table {
			if p := h.live[id]; p != nil {
				return dataOf(p)
			}
			return nil
		},
		Reset: func(id, _ string) {
			if h.live[id] != nil {
				h.live[id] = playerOf(h.book.Data(id))
			}
		},
		Lost: func(id, _ string) { delete(h.live, id) },
	})
	h.book.Trace(func(of, from, to string) {
		if w.changes != nil {
			w.changes[of+": "+from+" → "+to] = true
		}
	})
	w.hosts[i] = h
}

func dataOf(p *player) *store.Table {
	return &store.Table{Pairs: []store.Pair{{Key: "gold", Value: p.gold}, {Key: "xp", Value: p.xp}}}
}

func playerOf(t *store.Table) *player {
	p := &player{}
	for _, x := range t.Pairs {
		switch x.Key {
		case "gold":
			p.gold = x.Value.(float64)
		case "xp":
			p.xp = x.Value.(float64)
		}
	}
	return p
}

// Send implements [store.Port].
func (h *host) Send(r store.Request) { h.lines = append(h.lines, r) }

// carry lets some of what is on its way arrive. What a dead host has sent may still arrive.
func (h *host) carry(chance float64) {
	w := h.w
	for i := 0; i < len(h.lines); i++ {
		if w.rand.Float64() > chance {
			continue
		}
		r := h.lines[i]
		h.lines = slices.Delete(h.lines, i, i+1)
		i--
		if h.down {
			h.back = append(h.back, store.Reply{ID: r.ID, Err: errDown})
			continue
		}
		a := store.Answer(&w.store, &r)
		if r.Kind == store.Commit && a.Err == nil {
			w.watch(r.Writes)
			if w.rand.IntN(20) == 0 {
				a = store.Reply{ID: r.ID, Err: &store.UnsureError{Err: errDown}}
			}
		}
		h.back = append(h.back, a)
	}
	for h.alive && len(h.back) > 0 && w.rand.Float64() < chance {
		r := h.back[0]
		h.back = h.back[1:]
		h.client.Deliver(r)
	}
}

// watch checks every write: a fence has one holder.
func (w *world) watch(writes []store.Write) {
	for _, x := range writes {
		if strings.Contains(x.Key, "~") {
			continue
		}
		r, err := profiles.Decode(x.Value)
		if err != nil {
			w.t.Fatalf("seed %d: %v", w.seed, err)
		}
		k := fmt.Sprintf("%s fence %d", x.Key, r.Fence)
		if r.Holder == "" {
			continue
		}
		if w.held[k] != "" && w.held[k] != r.Holder {
			w.t.Fatalf("seed %d: %s is held by %s and %s", w.seed, k, w.held[k], r.Holder)
		}
		w.held[k] = r.Holder
	}
}

func (w *world) step(chance float64) {
	w.now += 100 * time.Millisecond
	for _, h := range w.hosts {
		if h == nil {
			continue
		}
		h.carry(chance)
		if h.alive {
			h.book.Tick(w.now)
			h.enter()
		}
	}
}

// enter lets players whose profile has come into the world.
func (h *host) enter() {
	for i := range players {
		if h.holds[id(i)] > 0 && h.live[id(i)] == nil && h.book.State(id(i)) == profiles.Held {
			h.live[id(i)] = playerOf(h.book.Data(id(i)))
		}
	}
}

func (h *host) leave(id string) {
	h.book.Let(id)
	if h.holds[id]--; h.holds[id] == 0 {
		delete(h.live, id)
	}
}

// act does something at random.
func (w *world) act() {
	n := w.rand.IntN(len(w.hosts))
	h := w.hosts[n]
	if !h.alive {
		if w.rand.IntN(10) == 0 {
			w.start(n)
		}
		return
	}
	i := w.rand.IntN(players)
	p := h.live[id(i)]
	switch w.rand.IntN(14) {
	case 0, 1: // comes, as one who was elsewhere before
		if h.holds[id(i)] == 0 {
			for _, o := range w.hosts {
				if o != h && o.alive && o.holds[id(i)] > 0 && w.rand.IntN(4) > 0 {
					o.leave(id(i))
				}
			}
			h.holds[id(i)]++
			h.book.Hold(id(i))
			h.enter()
		}
	case 2:
		if h.holds[id(i)] > 0 {
			h.leave(id(i))
		}
	case 3, 4, 5:
		if p != nil {
			p.xp++
		}
	case 6, 7:
		if p != nil {
			xp := p.xp
			h.book.Save(id(i), func(err error) {
				if err == nil {
					w.acked[i] = max(w.acked[i], xp)
				}
			})
		}
	case 8, 9, 10: // a trade
		j := w.rand.IntN(players)
		q := h.live[id(j)]
		if p == nil || q == nil || i == j || h.book.Join([]string{id(i), id(j)}) != nil {
			return
		}
		p.gold--
		q.gold++
		if w.rand.IntN(2) == 0 {
			h.book.Save(id(i), nil)
		}
	case 11:
		if w.rand.IntN(8) == 0 {
			h.down = true
		}
	case 12:
		if w.rand.IntN(12) == 0 { // mostly after another host has taken over
			h.down = false
		}
	case 13:
		if w.rand.IntN(20) == 0 { // kill −9
			h.alive = false
			if w.rand.IntN(2) == 0 {
				h.lines = nil
			}
		}
	}
}

// newWorld makes three hosts and players with 100 gold each; changes may be nil.
func newWorld(t *testing.T, seed uint64, changes map[string]bool) *world {
	t.Helper()
	w := &world{t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 7)), hosts: make([]*host, 3), held: map[string]string{}, changes: changes}
	if seed%2 == 1 {
		w.expiry = 3 * time.Second
	}
	for i := range w.hosts {
		w.start(i)
	}
	for i := range players {
		b, err := profiles.Encode(&profiles.Record{Fence: 1, Data: dataOf(&player{gold: 100})})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Commit([]store.Write{{Key: profiles.Key(id(i)), Value: b}}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestFaults: hosts that are killed, cut off and overtaken at random moments lose no gold and nothing acknowledged, and
// no profile has two holders (C2, C10).
func TestFaults(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		w := newWorld(t, seed, nil)
		for range 4000 {
			w.act()
			w.step(0.3)
		}
		// All lines are whole again, and all hosts end in order.
		for i, h := range w.hosts {
			if h.down = false; h.alive {
				h.book.SaveAll(true)
			} else {
				w.start(i)
			}
		}
		for range 100 {
			w.step(1)
		}
		gold := 0.0
		for i := range players {
			r, err := w.store.Get(profiles.Key(id(i)))
			if err != nil {
				t.Fatal(err)
			}
			rec, err := profiles.Decode(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			p := playerOf(rec.Data)
			gold += p.gold
			if p.xp < w.acked[i] {
				t.Errorf("seed %d: player %d has %v experience; %v was acknowledged", seed, i, p.xp, w.acked[i])
			}
		}
		if gold != 100*players {
			t.Fatalf("seed %d: there is %v gold, want %d", seed, gold, 100*players)
		}
		for _, h := range w.hosts {
			if !h.book.Idle() {
				t.Errorf("seed %d: %s is not done", seed, h.name)
			}
		}
	}
}
