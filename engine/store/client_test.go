package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/store"
)

// line carries requests to a backend and replies back, late and in any order; it loses answers.
type line struct {
	rand     *rand.Rand
	backend  store.Backend
	requests []store.Request
	replies  []store.Reply
	down     float64 // the chance that a request does not arrive
	lose     float64 // and that its answer does not
}

func (l *line) Send(r store.Request) { l.requests = append(l.requests, r) }

var errDown = errors.New("the line is down")

// turn lets some requests and replies arrive.
func (l *line) turn(c *store.Client) {
	for i := 0; i < len(l.requests); i++ {
		if l.rand.Float64() < 0.5 {
			continue
		}
		r := l.requests[i]
		l.requests = slices.Delete(l.requests, i, i+1)
		i--
		if l.rand.Float64() < l.down {
			l.replies = append(l.replies, store.Reply{ID: r.ID, Err: errDown})
			continue
		}
		a := store.Answer(l.backend, &r)
		if l.rand.Float64() < l.lose && r.Kind == store.Commit {
			a = store.Reply{ID: r.ID, Err: &store.UnsureError{Err: errDown}}
		}
		l.replies = append(l.replies, a)
	}
	for i := 0; i < len(l.replies); i++ {
		if l.rand.Float64() < 0.5 {
			r := l.replies[i]
			l.replies = slices.Delete(l.replies, i, i+1)
			i--
			c.Deliver(r)
		}
	}
}

func number(b []byte) float64 {
	if b == nil {
		return 0
	}
	x, err := store.Decode(b)
	if err != nil {
		panic(err)
	}
	return x.(float64)
}

// TestCounters: several hosts count at the same keys, while answers are late, lost, or errors. Each acknowledged step is there once,
// and each that was said not to be stored is not (C1).
func TestCounters(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		m := &store.Memory{}
		var lines []*line
		var clients []*store.Client
		for range 3 {
			l := &line{rand: rnd, backend: m, down: 0.05, lose: 0.05}
			lines, clients = append(lines, l), append(clients, &store.Client{Port: l})
		}
		const keys = 3
		var sure, unsure [keys]int
		begun, ended := 0, 0
		turn := func() {
			for i, l := range lines {
				l.turn(clients[i])
			}
		}
		for range 300 {
			k, c := rnd.IntN(keys), clients[rnd.IntN(len(clients))]
			op := store.Op{Namespace: "game", Key: fmt.Sprintf("game/%d", k), Done: func(value []byte, err error) {
				ended++
				if err == nil && number(value) < 0 {
					t.Fatalf("seed %d: the counter is %v", seed, number(value))
				}
			}}
			if rnd.IntN(4) > 0 {
				op.Apply = func(old []byte) ([]byte, error) { return store.Append(nil, number(old)+1) }
				op.Done = func(_ []byte, err error) {
					ended++
					switch {
					case err == nil:
						sure[k]++
					case store.Unsure(err):
						unsure[k]++
					case !strings.Contains(err.Error(), "nothing was stored"):
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			}
			if err := c.Do(op); err != nil {
				t.Fatal(err)
			}
			if begun++; rnd.IntN(3) == 0 {
				turn()
			}
		}
		for range 10000 {
			if ended == begun {
				break
			}
			turn()
		}
		if ended != begun {
			t.Fatalf("seed %d: %d of %d operations ended", seed, ended, begun)
		}
		for _, c := range clients {
			if c.Waiting() != 0 {
				t.Errorf("seed %d: %d operations are counted as waiting", seed, c.Waiting())
			}
		}
		for k := range keys {
			r, _ := m.Get(fmt.Sprintf("game/%d", k))
			if n := int(number(r.Value)); n < sure[k] || n > sure[k]+unsure[k] {
				t.Errorf("seed %d, key %d: %d, with %d steps acknowledged and %d unsure", seed, k, n, sure[k], unsure[k])
			}
		}
	}
}

// at waits for the answers of a client whose line is whole.
func at(c *store.Client, l *line) {
	for c.Waiting() > 0 {
		l.turn(c)
	}
}

// TestMerges: what waits at a key is one write, in its order, and each operation gets the value of its turn.
func TestMerges(t *testing.T) {
	l := &line{rand: rand.New(rand.NewPCG(1, 1)), backend: &store.Memory{}}
	c := &store.Client{Port: l}
	var got []string
	do := func(name string, apply func(old []byte) ([]byte, error), blind bool) {
		t.Helper()
		if err := c.Do(store.Op{Namespace: "game", Key: "game/x", Apply: apply, Blind: blind, Done: func(value []byte, err error) {
			text := "nothing"
			if value != nil {
				text = fmt.Sprint(number(value))
			}
			if err != nil {
				text = err.Error()
			}
			got = append(got, name+" "+text)
		}}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(n float64) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return store.Append(nil, n) }
	}
	add := func(old []byte) ([]byte, error) { return store.Append(nil, number(old)+1) }
	do("first", set(5), true) // goes at once
	do("read", nil, false)
	do("add", add, false)
	do("refuse", func([]byte) ([]byte, error) { return nil, errors.New("no") }, false)
	do("remove", func([]byte) ([]byte, error) { return nil, nil }, true)
	do("gone", nil, false)
	do("add", add, false)
	at(c, l)
	want := []string{"first 5", "read 5", "add 6", "refuse no", "remove nothing", "gone nothing", "add 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r, _ := l.backend.Get("game/x")
	if r.Revision != 2 || number(r.Value) != 1 {
		t.Errorf("%v at revision %d, want 1 after two writes", number(r.Value), r.Revision)
	}
	// If a write fails, what was read before it stands.
	got = nil
	l.down = 0
	do("first", set(7), true)
	do("read", nil, false)
	do("add", add, false)
	for len(l.replies) == 0 { // the first is written
		l.turn(c)
	}
	for len(got) == 0 {
		l.turn(c)
	}
	l.down = 1
	at(c, l)
	if want := []string{"first 7", "read 7", "add " + errDown.Error() + "; nothing was stored"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFull: who wants too much is refused, alone, until answers come.
func TestFull(t *testing.T) {
	l := &line{rand: rand.New(rand.NewPCG(1, 1)), backend: &store.Memory{}}
	c := &store.Client{Port: l}
	op := func(namespace string) store.Op {
		return store.Op{Namespace: namespace, Key: namespace + "/x", Done: func([]byte, error) {}}
	}
	for range store.MaxWaiting {
		if err := c.Do(op("mod.a")); err != nil {
			t.Fatal(err)
		}
	}
	var full *store.FullError
	if err := c.Do(op("mod.a")); !errors.As(err, &full) {
		t.Errorf("one more: %v", err)
	}
	if err := c.List("mod.a", "", "", 10, func([]string, error) {}); !errors.As(err, &full) {
		t.Errorf("a list: %v", err)
	}
	if err := c.Do(op("mod.b")); err != nil {
		t.Errorf("another mod: %v", err)
	}
	at(c, l)
	if err := c.Do(op("mod.a")); err != nil {
		t.Errorf("after all were answered: %v", err)
	}
}
