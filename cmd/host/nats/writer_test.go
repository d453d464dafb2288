package nats_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

// The tests of faults run hosts as processes of their own, which can be killed: this test program again, with these variables. A writer
// holds profiles, lets players earn and trade, writes records by themselves and in pairs, and tells on its output what was acknowledged.
const (
	writerURL  = "TIDELOCK_TEST_WRITER"
	writerName = "TIDELOCK_TEST_WRITER_NAME"

	players   = 8
	startGold = 100
	counters  = 6 // of each writer
	pairs     = 4 // of each writer
)

func TestMain(m *testing.M) {
	if url := os.Getenv(writerURL); url != "" {
		if err := write(url, os.Getenv(writerName)); err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("6"); err != nil { // most tests wait for servers
			panic(err) // a number is one
		}
	}
	os.Exit(m.Run())
}

// port carries requests of a client to a service, as a host does it between two ticks.
type port struct {
	service *disk.Service
	mu      sync.Mutex
	replies []store.Reply
}

func (p *port) put(r store.Reply) {
	p.mu.Lock()
	p.replies = append(p.replies, r)
	p.mu.Unlock()
}

func (p *port) Send(r store.Request) {
	j := disk.Job{Kind: disk.Get, Key: r.Key, Writes: r.Writes, Done: func(x disk.Result) {
		p.put(store.Reply{ID: r.ID, Record: x.Record, Revisions: x.Revisions, Err: x.Err})
	}}
	if r.Kind == store.Commit {
		j.Kind = disk.Commit
	}
	if err := p.service.Submit(j); err != nil {
		p.put(store.Reply{ID: r.ID, Err: err})
	}
}

func (p *port) deliver(c *store.Client) {
	p.mu.Lock()
	list := p.replies
	p.replies = nil
	p.mu.Unlock()
	for _, r := range list {
		c.Deliver(r)
	}
}

// purse is what a player has in the world.
type purse struct{ gold, xp float64 }

func playerID(i int) string { return fmt.Sprintf("player-%d", i) }

func tableOf(p purse) *store.Table {
	return &store.Table{Pairs: []store.Pair{{Key: "gold", Value: p.gold}, {Key: "xp", Value: p.xp}}}
}

func purseOf(t *store.Table) (p purse) {
	for _, x := range t.Pairs {
		switch x.Key {
		case "gold":
			p.gold, _ = x.Value.(float64)
		case "xp":
			p.xp, _ = x.Value.(float64)
		}
	}
	return p
}

// writer is one such host.
type writer struct {
	name   string
	client *store.Client
	book   *profiles.Book
	live   map[string]*purse // players in the world
	holds  map[string]bool
	known  map[string]store.Revision // of its own records
	value  map[string]int            // what was last written there
	busy   map[string]bool
	rand   *rand.Rand
}

// write runs a writer until its input ends.
func write(url, name string) error {
	conn, err := nats.Dial(nats.Options{Servers: url, Replicas: 3, Host: name, OnlyThese: true, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	p := &port{service: disk.Start(conn.Store(nats.StoreOptions{}), disk.ServiceOptions{})}
	w := &writer{
		name: name, client: &store.Client{Port: p}, live: map[string]*purse{}, holds: map[string]bool{}, known: map[string]store.Revision{}, value: map[string]int{}, busy: map[string]bool{},
		rand: tier.Named(name),
	}
	w.book = profiles.New(profiles.Options{
		Store: w.client, Host: name, Interval: 500 * time.Millisecond, Expiry: 6 * time.Second, Log: slog.New(slog.DiscardHandler),
		Capture: func(id string) *store.Table {
			if x := w.live[id]; x != nil {
				return tableOf(*x)
			}
			return nil
		},
		Reset: func(id, _ string) {
			if w.live[id] != nil {
				x := purseOf(w.book.Data(id))
				w.live[id] = &x
			}
		},
		Lost: func(id, _ string) {
			delete(w.live, id)
			fmt.Println("lost", id)
		},
	})
	lines := make(chan string)
	go func() { // ends with the input
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	begun := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	paused, unsaved := false, 0
	for {
		select {
		case line, ok := <-lines:
			switch {
			case !ok:
				return p.service.Close(context.Background())
			case line == "pause":
				for i := range players {
					if id := playerID(i); w.book.State(id) == profiles.Held {
						unsaved++
						w.book.Save(id, func(error) { unsaved-- })
					}
				}
				paused = true
			case line == "go":
				paused = false
			}
		case <-tick.C:
			p.deliver(w.client)
			w.book.Tick(time.Since(begun))
			switch {
			case !paused:
				w.act()
			case unsaved == 0 && !w.client.Busy():
				fmt.Println("paused")
				for line := range lines {
					if line == "go" {
						break
					}
				}
				paused = false
			}
		}
	}
}

// act does something at random, and lets players in whose profile has come.
func (w *writer) act() {
	for i := range players {
		id := playerID(i)
		if w.holds[id] && w.live[id] == nil && w.book.State(id) == profiles.Held {
			x := purseOf(w.book.Data(id))
			w.live[id] = &x
			fmt.Println("held", id)
		}
		if w.holds[id] && w.book.State(id) == profiles.Failed {
			w.book.Let(id)
			delete(w.holds, id)
		}
	}
	id := playerID(w.rand.IntN(players))
	switch w.rand.IntN(10) {
	case 0:
		if !w.holds[id] {
			w.holds[id] = true
			w.book.Hold(id)
		}
	case 1:
		if w.live[id] != nil && w.rand.IntN(8) == 0 {
			w.book.Let(id)
			delete(w.holds, id)
			delete(w.live, id)
		}
	case 2, 3:
		if x := w.live[id]; x != nil {
			x.xp++
			xp := x.xp
			w.book.Save(id, func(err error) {
				if err == nil {
					fmt.Println("xp", id, xp)
				}
			})
		}
	case 4, 5:
		other := playerID(w.rand.IntN(players))
		x, y := w.live[id], w.live[other]
		if x != nil && y != nil && id != other && w.book.Join([]string{id, other}) == nil {
			n := float64(w.rand.IntN(20))
			x.gold -= n
			y.gold += n
		}
	case 6, 7:
		w.set([]string{fmt.Sprintf("game/%s/c%d", w.name, w.rand.IntN(counters))})
	default:
		n := w.rand.IntN(pairs)
		w.set([]string{fmt.Sprintf("game/%s/a%d", w.name, n), fmt.Sprintf("game/%s/b%d", w.name, n)})
	}
}

// set writes the next number to records of its own, together.
func (w *writer) set(keys []string) {
	if w.busy[keys[0]] {
		return
	}
	n := w.value[keys[0]] + 1
	var writes []store.Write
	for _, k := range keys {
		writes = append(writes, store.Write{Key: k, Value: []byte(strconv.Itoa(n)), If: w.known[k]})
	}
	w.busy[keys[0]] = true
	w.client.Commit(writes, func(revs []store.Revision, err error) {
		switch {
		case err == nil:
			w.busy[keys[0]] = false
			w.value[keys[0]] = n
			for i, k := range keys {
				w.known[k] = revs[i]
			}
			fmt.Println("stored", n, strings.Join(keys, " "))
		case store.Unsure(err) || errors.Is(err, store.ErrConflict):
			w.look(keys)
		default:
			w.busy[keys[0]] = false
		}
	})
}

// look reads what became of a write without an answer.
func (w *writer) look(keys []string) {
	left := len(keys)
	for _, k := range keys {
		w.client.Read(k, func(r store.Record, err error) {
			if err == nil {
				n, _ := strconv.Atoi(string(r.Value)) // 0 for none
				w.known[k], w.value[k] = r.Revision, n
			}
			if left--; left == 0 {
				w.busy[keys[0]] = false
			}
		})
	}
}
