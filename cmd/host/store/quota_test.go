package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/store"
)

// TestSetQuota: a new quota holds for the next commit; what a namespace has beyond it stays, and 0 is the default.
func TestSetQuota(t *testing.T) {
	b, err := Open(filepath.Join(t.TempDir(), "store.db"), Options{Quota: Quota{Keys: 2}})
	if err != nil {
		t.Fatal(err)
	}
	s := Start(b, ServiceOptions{})
	put := func(key string) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return s.Call(ctx, func(b store.Backend) error {
			_, err := b.Commit([]store.Write{{Key: key, Value: []byte("x"), If: store.Any}})
			return err
		})
	}
	for _, c := range []struct {
		set  *Quota
		key  string
		full bool
	}{
		{nil, "game/a", false},
		{nil, "game/b", false},
		{nil, "game/c", true},
		{&Quota{Keys: 3}, "game/c", false},
		{&Quota{Keys: 1}, "game/d", true},
		{nil, "game/c", false}, // it is there
		{&Quota{}, "game/d", false},
		{&Quota{Bytes: 10}, "game/e", true},
	} {
		if c.set != nil {
			s.SetQuota(*c.set)
		}
		if err := put(c.key); errors.Is(err, store.ErrQuota) != c.full || err != nil && !c.full {
			t.Errorf("%s after %+v: %v, expected that it is full: %v", c.key, c.set, err, c.full)
		}
	}
	if n := b.Figures().Keys; n != 4 {
		t.Errorf("%d keys, want 4", n)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	(*Service)(nil).SetQuota(Quota{})
}
