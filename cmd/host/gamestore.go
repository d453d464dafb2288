package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
)

const (
	// localID is the id of the player at the host's own machine.
	localID = "local"
	// profileTime is how long the host waits for that player's profile at its start, and saveTime for all to be saved at its end.
	profileTime, saveTime = 5 * time.Second, 10 * time.Second
)

// errNoStore is the answer of a host without a store.
var errNoStore = errors.New("this host runs without a store (--store)")

// mailbox carries requests of the world to the goroutine of the store, and its answers back between two ticks.
type mailbox struct {
	service *disk.Service // nil without a store
	came    chan struct{} // has one element if there may be answers

	mu      sync.Mutex
	answers []store.Reply
	taken   []store.Reply // the loop's
}

// Send implements [store.Port].
func (m *mailbox) Send(r store.Request) {
	j := disk.Job{Key: r.Key, After: r.After, Most: r.Most, Writes: r.Writes, Done: func(x disk.Result) {
		m.put(store.Reply{ID: r.ID, Record: x.Record, Keys: x.Keys, Revisions: x.Revisions, Err: x.Err})
	}}
	switch r.Kind {
	case store.Get:
		j.Kind = disk.Get
	case store.List:
		j.Kind, j.Key = disk.List, r.Prefix
	case store.Commit:
		j.Kind = disk.Commit
	}
	err := errNoStore
	if m.service != nil {
		err = m.service.Submit(j)
	}
	if err != nil {
		m.put(store.Reply{ID: r.ID, Err: err})
	}
}

func (m *mailbox) put(r store.Reply) {
	m.mu.Lock()
	m.answers = append(m.answers, r)
	m.mu.Unlock()
	select {
	case m.came <- struct{}{}:
	default:
	}
}

// deliver passes on what was answered.
func (m *mailbox) deliver(c *store.Client) {
	m.mu.Lock()
	m.taken, m.answers = m.answers, m.taken[:0]
	m.mu.Unlock()
	for i := range m.taken {
		c.Deliver(m.taken[i])
		m.taken[i] = store.Reply{}
	}
}

// keeping is what a game keeps beyond its matches.
type keeping struct {
	mail     *mailbox
	client   *store.Client
	cluster  *bus.Client
	hosts    *hosts
	profiles *match.Profiles // nil without a store
	begun    time.Time
}

func newKeeping(s *disk.Service, b bus.Bus, log *slog.Logger) keeping {
	k := keeping{mail: &mailbox{service: s, came: make(chan struct{}, 1)}, hosts: &hosts{}, begun: time.Now()}
	k.client = &store.Client{Port: k.mail}
	id := hostID()
	if b == nil {
		b = &bus.Local{} // a host by itself
	}
	k.cluster = &bus.Client{Bus: b, Host: id}
	if s == nil {
		return k
	}
	k.profiles = match.NewProfiles(profiles.Options{
		Store: k.client, Host: id, Exclusive: !s.Shared(), Log: log, // a file is locked
	})
	return k
}

// hostID returns an id that no other run of a host has: the machine's name, as far as [bus.CheckHost] permits, and a random number.
func hostID() string {
	var run [8]byte
	_, _ = rand.Read(run[:]) // never fails
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "host"
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), 40)] + "-" + hex.EncodeToString(run[:])
}

// tick takes answers and saves what is due, before a tick.
func (k *keeping) tick() {
	k.mail.deliver(k.client)
	k.cluster.Deliver(time.Since(k.begun))
	k.hosts.tick(time.Since(k.begun))
	if k.profiles != nil {
		k.profiles.Tick(time.Since(k.begun))
	}
}

// await lets the store work, while there are no ticks, until something is done or the time is over; it returns whether it is.
func (k *keeping) await(done func() bool, within time.Duration) bool {
	end := time.NewTimer(within)
	defer end.Stop()
	again := time.NewTicker(50 * time.Millisecond) // for what is tried again
	defer again.Stop()
	for {
		if k.tick(); done() {
			return true
		}
		select {
		case <-k.mail.came:
		case <-again.C:
		case <-end.C:
			return false
		}
	}
}

// holdLocal gets the profile of the player at this machine, if the game keeps any variables in one.
func (g *game) holdLocal() {
	if g.keeping.profiles == nil || !g.VM.Persists() {
		return
	}
	book := g.keeping.profiles.Book
	book.Hold(localID)
	settled := func() bool { s := book.State(localID); return s == profiles.Held || s == profiles.Failed }
	if !g.keeping.await(settled, profileTime) || book.State(localID) != profiles.Held {
		g.log.Error("the profile of the player at this machine cannot be read: what they earn is not kept", "error", book.Error(localID), "event", "profile_failed")
	}
}

// saveAll has the profiles of all players written, and given back.
func (k *keeping) saveAll() {
	if k.profiles != nil {
		k.profiles.Book.SaveAll(true)
	}
}

// saved reports whether everything that players and scripts gave to the store is safe, or has failed.
func (k *keeping) saved() bool {
	return !k.client.Busy() && (k.profiles == nil || k.profiles.Book.Idle())
}

// save writes what players have, and what scripts requested, before the world ends.
func (g *game) save() {
	k := &g.keeping
	k.saveAll()
	if !k.await(k.saved, saveTime) {
		g.log.Error("not everything was stored in time", "waiting", k.client.Waiting(), "event", "store")
	}
}

// diskWorlds keeps saved worlds in the store. It implements worlds.Store.
type diskWorlds struct{ client *store.Client }

// Put implements worlds.Store.
func (w diskWorlds) Put(name string, data []byte, done func(error)) {
	w.client.Commit([]store.Write{{Key: store.Full(store.Worlds, name), Value: data, If: store.Any}}, func(_ []store.Revision, err error) { done(err) })
}

// Get implements worlds.Store.
func (w diskWorlds) Get(name string, done func([]byte, error)) {
	w.client.Read(store.Full(store.Worlds, name), func(r store.Record, err error) {
		if err == nil && r.Revision == 0 {
			err = fmt.Errorf("there is no world %q; the command worlds lists them", name)
		}
		done(r.Value, err)
	})
}

// List implements worlds.Store.
func (w diskWorlds) List(done func([]string, error)) {
	if err := w.client.List(store.Worlds, "", "", store.MaxList, done); err != nil {
		done(nil, err)
	}
}
