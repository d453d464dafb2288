package profiles_test

import (
	"io"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

// TestHurry: a profile that another host gives back is had within three ticks while somebody hurries, and a store is not flooded with
// questions when the other host does not give it back (C9).
func TestHurry(t *testing.T) {
	b := &store.Memory{}
	book, l := newBook(b, io.Discard, nil)
	now, asked := time.Duration(0), 0
	step := func(id string) {
		now += time.Second / 60
		if id != "" {
			book.Hurry(id)
		}
		book.Tick(now)
		asked += len(l.asked)
		l.carry()
	}
	write(t, b, profiles.Key("ann"), profiles.Record{Holder: "eu-2", Fence: 1, Data: golden(1)})
	book.Hold("ann")
	for range 10 {
		step("")
	}
	if book.State("ann") != profiles.Waiting || asked != 1 {
		t.Fatalf("%v after %d requests, want to wait after one", book.State("ann"), asked)
	}
	step("ann") // too early
	write(t, b, profiles.Key("ann"), profiles.Record{Fence: 1, Data: golden(1)})
	for range 3 { // 15 ms are over in the second; it reads, takes and is answered
		step("ann")
	}
	if book.State("ann") != profiles.Held {
		t.Errorf("%v three ticks after it was given back, want %v", book.State("ann"), profiles.Held)
	}

	write(t, b, profiles.Key("bob"), profiles.Record{Holder: "eu-2", Fence: 1, Data: golden(1)})
	book.Hold("bob")
	asked = 0
	for range 60 {
		step("bob")
	}
	if asked < 8 || asked > 14 {
		t.Errorf("%d requests in a second of hurrying, want about 12", asked)
	}
}
