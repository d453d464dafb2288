package nats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf returns the error of a call whose value nobody needs.
func errOf[T any](_ T, err error) error { return err }

// logged keeps the lines of a log.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// dial connects to servers; the connection ends with the test.
func dial(t testing.TB, o nats.Options) *nats.Conn {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.OnlyThese = true
	c, err := nats.Dial(o)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = c.Close(ctx) // its servers may be gone
	})
	return c
}

// until waits until something holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("not within 30 s: " + what)
}

// opened returns the store of a new connection, when it can be used.
func opened(t testing.TB, o nats.Options, so nats.StoreOptions) *nats.Store {
	t.Helper()
	c := dial(t, o)
	s := c.Store(so)
	t.Cleanup(func() { _ = s.Close() })
	until(t, "the store is there", func() bool {
		_, err := s.List("", "", 1)
		return err == nil
	})
	return s
}

func put(t testing.TB, b store.Backend, key, value string, before store.Revision) store.Revision {
	t.Helper()
	r, err := b.Commit([]store.Write{{Key: key, Value: []byte(value), If: before}})
	if err != nil || len(r) != 1 || r[0] == 0 {
		t.Fatalf("%s: %v, %v", key, r, err)
	}
	return r[0]
}

func get(t testing.TB, b store.Backend, key string) store.Record {
	t.Helper()
	r, err := b.Get(key)
	must(t, err)
	return r
}

// TestStore: the store does what a backend must (C1).
func TestStore(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	other := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	if x := get(t, s, "game/a"); x.Revision != 0 || x.Value != nil {
		t.Error(x)
	}
	first := put(t, s, "game/a", "1", 0)
	second := put(t, s, "game/a", "2", first)
	if x := get(t, other, "game/a"); x.Revision != second || string(x.Value) != "2" || second <= first {
		t.Error(x, first, second)
	}
	for _, bad := range []store.Revision{0, first, second + 1} {
		if _, err := other.Commit([]store.Write{{Key: "game/a", Value: []byte("3"), If: bad}}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("revision %d: %v", bad, err)
		}
	}
	put(t, other, "game/a", "4", store.Any)
	if x := get(t, s, "game/a"); string(x.Value) != "4" {
		t.Error(x)
	}
	// A removed record is not there, and can be made again; an old revision is no revision of the new one.
	if rev, err := s.Commit([]store.Write{{Key: "game/a", If: store.Any}}); err != nil || rev[0] != 0 {
		t.Error(rev, err)
	}
	if x := get(t, other, "game/a"); x.Revision != 0 || x.Value != nil {
		t.Error(x)
	}
	third := put(t, other, "game/a", "", 0)
	if x := get(t, s, "game/a"); x.Revision != third || x.Value == nil || len(x.Value) != 0 {
		t.Error(x)
	}
	if _, err := s.Commit([]store.Write{{Key: "game/a", Value: []byte("x"), If: second}}); !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
	for _, key := range []string{"", "game", "/x", "game/", "game/\x01", "game/" + strings.Repeat("x", 600)} {
		if _, err := s.Commit([]store.Write{{Key: key, Value: []byte("x"), If: store.Any}}); err == nil || store.Unsure(err) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := s.Commit([]store.Write{{Key: "game/a", Value: make([]byte, store.MaxValue+1), If: store.Any}}); err == nil {
		t.Error("a value that is too long is stored")
	}
}

// TestTransactions: several writes happen together or not at all, with consecutive revisions.
func TestTransactions(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	var writes []store.Write
	for i := range store.MaxTx {
		writes = append(writes, store.Write{Key: fmt.Sprintf("profile/%d", i), Value: []byte("1")})
	}
	revs, err := s.Commit(writes)
	must(t, err)
	for i := range writes {
		if x := get(t, s, writes[i].Key); x.Revision != revs[i] || string(x.Value) != "1" {
			t.Fatal(x, revs[i])
		}
		writes[i].Value, writes[i].If = []byte("2"), revs[i]
	}
	// One of them conflicts: the first, one in the middle, the last.
	for _, bad := range []int{0, 31, 63} {
		writes[bad].If--
		if _, err := s.Commit(writes); !errors.Is(err, store.ErrConflict) {
			t.Fatal(err)
		}
		writes[bad].If++
		for i := range writes {
			if x := get(t, s, writes[i].Key); x.Revision != revs[i] || string(x.Value) != "1" {
				t.Fatalf("after a conflict at %d record %d is %q", bad, i, x.Value)
			}
		}
	}
	// Removing is one of the writes; a removed record can be made again in one.
	revs, err = s.Commit([]store.Write{{Key: "profile/0", If: revs[0]}, {Key: "profile/1", Value: []byte("3"), If: revs[1]}})
	if err != nil || revs[0] != 0 || revs[1] == 0 {
		t.Fatal(revs, err)
	}
	if _, err = s.Commit([]store.Write{{Key: "profile/0", Value: []byte("4")}, {Key: "profile/1", Value: []byte("4"), If: revs[1]}}); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Commit(append(writes, store.Write{Key: "profile/x", Value: []byte("1"), If: store.Any})); err == nil {
		t.Error("more writes than allowed are stored")
	}
	if _, err = s.Commit([]store.Write{{Key: "profile/y", Value: []byte("1"), If: store.Any}, {Key: "profile/y", Value: []byte("1"), If: store.Any}}); err == nil {
		t.Error("a key is written twice")
	}
}

// TestListAndQuota: keys are listed in order, and a namespace is bounded.
func TestListAndQuota(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{Quotas: map[string]disk.Quota{"mod.x": {Keys: 3, Bytes: 1000}}})
	other := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	keys := []string{"game/a", "game/a//b", "game/a/b", "game/b.c=:@+~", "game/ü", "profile/x"}
	for _, k := range keys {
		put(t, s, k, k, 0)
	}
	got, err := s.List("game/", "", 100)
	if err != nil || strings.Join(got, " ") != "game/a game/a//b game/a/b game/b.c=:@+~ game/ü" {
		t.Error(got, err)
	}
	if got, err = s.List("game/a", "game/a", 1); err != nil || strings.Join(got, " ") != "game/a//b" {
		t.Error(got, err)
	}
	until(t, "another host knows the keys", func() bool {
		got, err := other.List("", "", 100)
		return err == nil && len(got) == len(keys)
	})
	must(t, errOf(s.Commit([]store.Write{{Key: "game/a", If: store.Any}})))
	if got, err = s.List("game/a", "", 100); err != nil || len(got) != 2 {
		t.Error(got, err)
	}
	until(t, "another host knows that a key was removed", func() bool {
		got, err := other.List("game/a", "", 100)
		return err == nil && len(got) == 2
	})
	for i := range 3 {
		put(t, s, fmt.Sprintf("mod.x/%d", i), "x", 0)
	}
	if _, err := s.Commit([]store.Write{{Key: "mod.x/4", Value: []byte("x")}}); !errors.Is(err, store.ErrQuota) {
		t.Error(err)
	}
	if _, err := s.Commit([]store.Write{{Key: "mod.x/0", Value: make([]byte, 1000), If: store.Any}}); !errors.Is(err, store.ErrQuota) {
		t.Error(err)
	}
	put(t, s, "mod.x/0", "yy", store.Any)
	if f := s.Figures(); f.Keys != int64(len(keys))-1+3 || f.Bytes == 0 {
		t.Error(f)
	}
}

// TestLongValues: saved worlds are longer than a message; who replaces one lets those finish that read it.
func TestLongValues(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	rev := store.Revision(0)
	for _, size := range []int{256 << 10, 256<<10 + 1, 512 << 10, 5_000_001} {
		value := bytes.Repeat([]byte{byte(size), 1, 2, 3, 4, 5, 6}, size/7+1)[:size]
		revs, err := s.Commit([]store.Write{{Key: "world/w", Value: value, If: rev}})
		must(t, err)
		rev = revs[0]
		if x := get(t, s, "world/w"); x.Revision != rev || !bytes.Equal(x.Value, value) {
			t.Fatalf("%d bytes of %d, revision %d", len(x.Value), size, x.Revision)
		}
	}
	if f := s.Figures(); f.Keys != 1 {
		t.Error(f)
	}
}

// TestService: a service of it does many jobs at once, those of one key in order.
func TestService(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := disk.Start(opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{}), disk.ServiceOptions{})
	const keys, rounds = 20, 30
	var wg sync.WaitGroup
	for i := range rounds {
		for k := range keys {
			key, value := fmt.Sprintf("game/%d", k), fmt.Sprint(i)
			wg.Add(2)
			must(t, s.Submit(disk.Job{Kind: disk.Commit, Writes: []store.Write{{Key: key, Value: []byte(value), If: store.Any}}, Done: func(r disk.Result) {
				if r.Err != nil {
					t.Error(r.Err)
				}
				wg.Done()
			}}))
			must(t, s.Submit(disk.Job{Kind: disk.Get, Key: key, Done: func(r disk.Result) {
				if string(r.Record.Value) != value {
					t.Errorf("%s is %s, want %s: %v", key, r.Record.Value, value, r.Err)
				}
				wg.Done()
			}}))
		}
	}
	wg.Wait()
	must(t, s.Call(t.Context(), func(b store.Backend) error { return errOf(b.Get("game/0")) }))
	if n := s.Stats(); n.Waiting != 0 || n.Jobs != 2*keys*rounds+1 || n.Errors != 0 {
		t.Errorf("%+v", n)
	}
	must(t, s.Close(t.Context()))
}

// BenchmarkUpdates reads a record and commits it with its revision, by many callers at once.
func BenchmarkUpdates(b *testing.B) {
	for _, nodes := range []int{1, 3} {
		r := rig.Start(b, nodes, rig.Options{})
		s := opened(b, nats.Options{Servers: r.URL(), Replicas: nodes}, nats.StoreOptions{})
		value := make([]byte, 200)
		for _, callers := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("nodes=%d/callers=%d", nodes, callers), func(b *testing.B) {
				var wg sync.WaitGroup
				for c := range callers {
					wg.Go(func() {
						for i := c; i < b.N; i += callers {
							key := fmt.Sprintf("game/%d-%d", c, i%50)
							x, err := s.Get(key)
							if err == nil {
								_, err = s.Commit([]store.Write{{Key: key, Value: value, If: x.Revision}})
							}
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
			})
		}
	}
}
