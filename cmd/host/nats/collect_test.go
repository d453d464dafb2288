package nats

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/engine/store"
)

// TestOrphans: parts of long values that belong to no record are removed, and no others.
func TestOrphans(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	c, err := Dial(Options{Servers: r.URL(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Store(StoreOptions{})
	t.Cleanup(func() {
		_ = s.Close()
		_ = c.Close(context.Background()) // nothing is to be sent
	})
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("abc"), chunkSize)
	if _, err := s.Commit([]store.Write{{Key: "world/kept", Value: value}}); err != nil {
		t.Fatal(err)
	}
	lost, err := s.writeChunks(value) // as a host that dies before it writes the record
	if err != nil {
		t.Fatal(err)
	}
	collect := func() {
		t.Helper()
		for s.collect(t.Context()) != nil { // until all keys are known
			if err := wait(t.Context(), againAfter); err != nil {
				t.Fatal(err)
			}
		}
	}
	collect()
	if got, err := s.readChunks("world/lost", lost); err != nil || !bytes.Equal(got, value) {
		t.Fatal("young chunks are removed", err)
	}
	s.orphanAfter = -1
	collect()
	if _, err := s.readChunks("world/lost", lost); err == nil {
		t.Error("chunks of no record are kept")
	}
	if x, err := s.Get("world/kept"); err != nil || !bytes.Equal(x.Value, value) {
		t.Error("chunks of a record are removed", err)
	}
	// A replaced value is removed, too, when nobody reads it any more.
	if _, err := s.Commit([]store.Write{{Key: "world/kept", Value: []byte("short"), If: store.Any}}); err != nil {
		t.Fatal(err)
	}
	collect()
	var info streamInfo
	ctx, cancel := s.request()
	defer cancel()
	if err := s.api(ctx, "STREAM.INFO."+s.blobStream(), map[string]any{"subjects_filter": ">"}, &info); err != nil || len(info.State.Subjects) != 0 {
		t.Error(info.State.Subjects, err)
	}
}

// TestIndex: what is known of keys follows the order of revisions, whatever the order in which it comes.
func TestIndex(t *testing.T) {
	var x index
	x.note("game/a", entry{rev: 5, size: 10}, false)
	x.note("game/a", entry{rev: 4, size: 99}, true)
	x.note("game/b", entry{rev: 6, dead: true}, false) // own removal, ahead of the messages
	x.note("game/b", entry{rev: 3, size: 1}, true)
	if got := x.list("", "", 9); len(got) != 1 || got[0] != "game/a" {
		t.Error(got)
	}
	if keys, size := x.sums(); keys != 1 || size != 10+int64(len("game/a")) {
		t.Error(keys, size)
	}
	for rev, stale := range map[store.Revision]bool{0: true, 4: true, 5: false, 7: false} { // any order: cases
		if x.stale("game/a", rev) != stale {
			t.Error(rev)
		}
	}
	if x.stale("game/b", 0) || !x.stale("game/b", 3) || x.stale("game/c", 1) {
		t.Error("a removed record is there, or one of which nothing is known is not")
	}
	x.note("game/b", entry{rev: 6, dead: true}, true)
	if len(x.entries) != 1 {
		t.Error("what was removed is remembered forever", x.entries)
	}
	x.note("game/b", entry{rev: 7, size: 1}, true)
	x.note("game/b", entry{rev: 7, size: 1}, false)
	if keys, _ := x.sums(); keys != 2 {
		t.Error(keys)
	}
}
