package profiles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

// TestTooLargeTogether: of two profiles that are saved together, one cannot be stored: that is reported now and then and not in every
// tick, nothing of the other is stored alone, and once it fits both are (C2).
func TestTooLargeTogether(t *testing.T) {
	b := &store.Memory{}
	var log strings.Builder
	live := map[string]*store.Table{"ann": golden(1), "bob": golden(1)}
	book, l := newBook(b, &log, live)
	now := time.Duration(0)
	tick := func(n int) {
		for range n {
			now += time.Second / 60
			book.Tick(now)
			l.carry()
		}
	}
	book.Hold("ann")
	book.Hold("bob")
	tick(3)
	large := golden(2)
	large.Pairs = append(large.Pairs, store.Pair{Key: "text", Value: strings.Repeat("x", 70<<10)})
	live["ann"], live["bob"] = large, golden(0)
	if err := book.Join([]string{"ann", "bob"}); err != nil {
		t.Fatal(err)
	}
	book.Save("bob", nil)
	tick(600)
	if n := strings.Count(log.String(), "profile_unsaved"); n < 1 || n > 2 {
		t.Errorf("%d lines in ten seconds, want 1 or 2:\n%.300s", n, log.String())
	}
	gold := func(id string) any {
		r, err := b.Get(profiles.Key(id))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := profiles.Decode(r.Value)
		if err != nil || rec.Data == nil {
			return err
		}
		game, _ := rec.Data.Get("game").(*store.Table)
		return game.Get("Gold")
	}
	if x := gold("bob"); x == 0.0 {
		t.Error("the other is stored alone")
	}
	live["ann"] = golden(2)
	tick(int(profiles.Interval.Seconds()+1) * 60)
	if a, b := gold("ann"), gold("bob"); a != 2.0 || b != 0.0 {
		t.Errorf("later ann has %v and bob %v, want 2 and 0", a, b)
	}
}
