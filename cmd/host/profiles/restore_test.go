package profiles_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

// golden is a profile's data with one variable.
func golden(gold float64) *store.Table {
	return &store.Table{Pairs: []store.Pair{{Key: "game", Value: &store.Table{Pairs: []store.Pair{{Key: "Gold", Value: gold}}}}}}
}

func write(t *testing.T, b store.Backend, key string, r profiles.Record) store.Revision {
	t.Helper()
	value, err := profiles.Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := b.Commit([]store.Write{{Key: key, Value: value, If: store.Any}})
	if err != nil {
		t.Fatal(err)
	}
	return rev[0]
}

func present(t *testing.T, b store.Backend, id string) profiles.Record {
	t.Helper()
	now, _, err := profiles.Kept(b, id)
	if err != nil || now == nil {
		t.Fatal(now, err)
	}
	return now.Record
}

func goldOf(t *testing.T, r profiles.Record) float64 {
	t.Helper()
	game, ok := r.Data.Get("game").(*store.Table)
	if !ok {
		t.Fatal(r)
	}
	gold, ok := game.Get("Gold").(float64)
	if !ok {
		t.Fatal(r)
	}
	return gold
}

// TestRestore: C2: an older version is the present one again, under a fence above all others, and can itself be undone. A profile that a
// host holds stays as it is, unless the holder has died.
func TestRestore(t *testing.T) {
	b := &store.Memory{}
	const id = "key-ann"
	if now, older, err := profiles.Kept(b, id); now != nil || older != nil || err != nil {
		t.Fatal(now, older, err)
	}
	for fence := uint64(12); fence < 20; fence++ {
		write(t, b, profiles.VersionKey(id, fence), profiles.Record{Fence: fence, Data: golden(float64(fence))})
	}
	write(t, b, profiles.Key(id), profiles.Record{Fence: 20, Data: golden(1)})
	if _, older, err := profiles.Kept(b, id); err != nil || len(older) != 8 || older[0].Fence != 19 || older[7].Fence != 12 {
		t.Fatal(older, err)
	}
	if _, err := profiles.Restore(b, id, 11, 0, false); err == nil || !strings.Contains(err.Error(), "no version 11") {
		t.Error(err)
	}
	if _, err := profiles.Restore(b, id, 22, 0, false); err == nil || !strings.Contains(err.Error(), "no version 22") { // its place has 12
		t.Error(err)
	}
	if _, err := profiles.Restore(b, id, 15, 0, false); err != nil {
		t.Fatal(err)
	}
	if now := present(t, b, id); goldOf(t, now) != 15 || now.Fence != 21 || now.Holder != "" {
		t.Error(now)
	}
	if _, err := profiles.Restore(b, id, 20, 0, false); err != nil {
		t.Fatal(err)
	}
	if now := present(t, b, id); goldOf(t, now) != 1 || now.Fence != 22 {
		t.Error(now)
	}

	rev := write(t, b, profiles.Key(id), profiles.Record{Holder: "eu-1", Fence: 23, Data: golden(7)})
	var held *profiles.HeldError
	for _, dead := range []store.Revision{0, rev - 1} {
		if _, err := profiles.Restore(b, id, 15, dead, false); !errors.As(err, &held) || held.Revision != rev || held.Holder != "eu-1" || !strings.Contains(err.Error(), "let them leave") {
			t.Errorf("dead at %d: %v", dead, err)
		}
	}
	if now := present(t, b, id); goldOf(t, now) != 7 || now.Holder != "eu-1" {
		t.Error("a held profile was written", now)
	}
	if _, err := profiles.Restore(b, id, 15, rev, false); err != nil {
		t.Error("the holder has died:", err)
	}
	write(t, b, profiles.Key(id), profiles.Record{Holder: "eu-1", Fence: 25, Data: golden(7)})
	if _, err := profiles.Restore(b, id, 15, 0, true); err != nil {
		t.Error("nobody uses the store:", err)
	}
	if now := present(t, b, id); goldOf(t, now) != 15 || now.Fence != 26 {
		t.Error(now)
	}
}

// meddling writes a record between a read of it and the next commit.
type meddling struct {
	store.Backend
	before func()
}

func (m *meddling) Commit(w []store.Write) ([]store.Revision, error) {
	m.before()
	return m.Backend.Commit(w)
}

// TestRestoreTaken: a host that takes the profile meanwhile wins.
func TestRestoreTaken(t *testing.T) {
	b := &store.Memory{}
	const id = "key-ann"
	write(t, b, profiles.VersionKey(id, 3), profiles.Record{Fence: 3, Data: golden(3)})
	write(t, b, profiles.Key(id), profiles.Record{Fence: 4, Data: golden(4)})
	m := &meddling{b, func() { write(t, b, profiles.Key(id), profiles.Record{Holder: "eu-1", Fence: 5, Data: golden(4)}) }}
	if _, err := profiles.Restore(m, id, 3, 0, false); !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), "nothing was changed") {
		t.Error(err)
	}
	if now := present(t, b, id); now.Holder != "eu-1" || now.Fence != 5 || goldOf(t, now) != 4 {
		t.Error(now)
	}
}

// TestPut: records of an import replace what is there, but no profile that a host holds.
func TestPut(t *testing.T) {
	b := &store.Memory{}
	const id = "key-ann"
	imported, err := profiles.Encode(&profiles.Record{Holder: "old", Fence: 2, Data: golden(2)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // again does no harm
		if err := profiles.Put(b, profiles.Key(id), imported, 0, false); err != nil {
			t.Fatal(err)
		}
		if now := present(t, b, id); goldOf(t, now) != 2 || now.Holder != "" || now.Fence < 3 {
			t.Error(now)
		}
	}
	write(t, b, profiles.Key(id), profiles.Record{Holder: "eu-1", Fence: 50, Data: golden(9)})
	if err := profiles.Put(b, profiles.Key(id), imported, 0, false); !errors.As(err, new(*profiles.HeldError)) {
		t.Error(err)
	}
	if now := present(t, b, id); goldOf(t, now) != 9 {
		t.Error(now)
	}
	if err := profiles.Put(b, "game/best", []byte("\xa1x"), 0, false); err != nil {
		t.Error(err)
	}
	if r, err := b.Get("game/best"); err != nil || string(r.Value) != "\xa1x" {
		t.Error(r, err)
	}
	if err := profiles.Put(b, profiles.Key("bob"), []byte("\xa1x"), 0, false); err == nil {
		t.Error("what is no profile became one")
	}
}
