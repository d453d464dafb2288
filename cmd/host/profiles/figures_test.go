package profiles_test

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

// line answers requests of a client from a store, when it is told to.
type line struct {
	client *store.Client
	store  *store.Memory
	asked  []store.Request
}

func (l *line) Send(r store.Request) { l.asked = append(l.asked, r) }

func (l *line) carry() {
	for len(l.asked) > 0 {
		r := l.asked[0]
		l.asked = l.asked[1:]
		l.client.Deliver(store.Answer(l.store, &r))
	}
}

// newBook returns a book of host eu-1 whose requests to the store wait for carry; live gives the data of players, if any.
func newBook(b *store.Memory, log io.Writer, live map[string]*store.Table) (*profiles.Book, *line) {
	l := &line{store: b}
	l.client = &store.Client{Port: l}
	return profiles.New(profiles.Options{
		Store: l.client, Host: "eu-1", Log: slog.New(slog.NewTextHandler(log, nil)), Capture: func(id string) *store.Table { return live[id] },
	}), l
}

// TestFigures: profiles are counted by state, and those that another host took.
func TestFigures(t *testing.T) {
	b := &store.Memory{}
	book, l := newBook(b, io.Discard, nil)
	write(t, b, profiles.Key("away"), profiles.Record{Holder: "eu-2", Fence: 1, Data: golden(1)})
	now := time.Duration(0)
	tick := func(d time.Duration) {
		now += d
		book.Tick(now)
		l.carry()
		book.Tick(now)
		l.carry()
	}
	book.Hold("ann")
	book.Hold("away")
	if f := book.Figures(); f != (profiles.Figures{Loading: 2}) {
		t.Error(f)
	}
	tick(0)
	if f := book.Figures(); f != (profiles.Figures{Held: 1, Waiting: 1}) {
		t.Error(f)
	}
	write(t, b, profiles.Key("ann"), profiles.Record{Holder: "eu-2", Fence: 9, Data: golden(1)})
	for range 3 {
		tick(profiles.Beat)
	}
	if f := book.Figures(); f.Discarded != 1 || f.Failed != 1 {
		t.Error(f)
	}
}
