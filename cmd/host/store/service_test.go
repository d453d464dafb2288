package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/store"
)

// served starts a service that the test closes.
func served(t testing.TB, b store.Backend, o ServiceOptions) *Service {
	t.Helper()
	s := Start(b, o)
	t.Cleanup(func() { _ = s.Close(context.Background()) }) // it may be closed already
	return s
}

// ask has jobs done at once, and returns their results.
func ask(t testing.TB, s *Service, jobs ...Job) []Result {
	t.Helper()
	got := make(chan Result, len(jobs))
	for _, j := range jobs {
		j.Done = func(r Result) { got <- r }
		must(t, s.Submit(j))
	}
	var out []Result
	for range jobs { // in the order of the queue
		out = append(out, <-got)
	}
	return out
}

func set(key, value string, ifRevision store.Revision) Job {
	return Job{Kind: Commit, Writes: []store.Write{{Key: key, Value: []byte(value), If: ifRevision}}}
}

// TestServiceGroups: many jobs take one transaction, each has its own result, and a read sees the writes before it.
func TestServiceGroups(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	s := served(t, b, ServiceOptions{})
	const writes = 200
	jobs := []Job{{Kind: Call, Do: func(store.Backend) error { // until all the others wait
		for s.Stats().Waiting < writes+2 {
			runtime.Gosched()
		}
		return nil
	}}}
	for i := range writes {
		jobs = append(jobs, set(fmt.Sprintf("game/%d", i%100), fmt.Sprint(i), 0)) // the second hundred conflicts
	}
	results := ask(t, s, append(jobs, Job{Kind: Get, Key: "game/99"})...)
	for i, r := range results[1 : writes+1] {
		if i < 100 && r.Err != nil || i >= 100 && !errors.Is(r.Err, store.ErrConflict) {
			t.Errorf("job %d: %v", i, r.Err)
		}
	}
	if r := results[writes+1]; string(r.Record.Value) != "99" {
		t.Error(r)
	}
	if n := b.Figures().Commits; n != 1 {
		t.Errorf("%d transactions for 200 jobs", n)
	}
	if c := s.Stats(); c.Waiting != 0 && c.WaitingBytes != 0 || c.Conflicts != 100 || c.Errors != 0 || !c.Writing {
		t.Errorf("%+v", c)
	}
}

// TestServiceBounds: a full queue and a closed service refuse, and what was taken is written before Close returns.
func TestServiceBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := served(t, open(t, path, Options{}), ServiceOptions{Queue: 3, QueueBytes: 10_000})
	hold, begun := make(chan struct{}), make(chan struct{})
	if err := s.Submit(Job{Kind: Call, Do: func(store.Backend) error { close(begun); <-hold; return nil }}); err != nil {
		t.Fatal(err)
	}
	<-begun
	for i, c := range []struct {
		size int
		want error
	}{{9_000, nil}, {9_000, ErrBusy}, {1, nil}, {1, nil}, {1, ErrBusy}} { // too many bytes, and too many jobs
		if err := s.Submit(set(fmt.Sprintf("game/%d", i), strings.Repeat("x", c.size), store.Any)); !errors.Is(err, c.want) {
			t.Errorf("job %d: %v, want %v", i, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ended); err == nil || !strings.Contains(err.Error(), "4 jobs wait") {
		t.Errorf("a close that may not wait: %v", err)
	}
	if err := s.Submit(set("game/5", "x", store.Any)); !errors.Is(err, ErrClosed) {
		t.Errorf("after the close: %v", err)
	}
	close(hold)
	must(t, s.Close(context.Background()))
	if keys, err := open(t, path, Options{}).List("", "", 10); err != nil || len(keys) != 3 {
		t.Errorf("%v, %v", keys, err)
	}
}

// faulty is a backend whose commits panic.
type faulty struct{ store.Backend }

func (faulty) Commit([]store.Write) ([]store.Revision, error) { panic("page 7 freed twice") }
func (faulty) Get(key string) (store.Record, error) {
	return store.Record{Revision: 1, Value: []byte(key)}, nil
}
func (faulty) List(prefix, _ string, _ int) ([]string, error) { return []string{prefix}, nil }

// TestServicePanics: after a panic of any backend all commits fail in one line, and reads go on.
func TestServicePanics(t *testing.T) {
	var log bytes.Buffer
	s := served(t, faulty{}, ServiceOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	r := ask(t, s, set("game/a", "1", store.Any), set("game/a", "1", store.Any), Job{Kind: Get, Key: "game/b"})
	if !store.Unsure(r[0].Err) || !strings.Contains(r[0].Err.Error(), "page 7 freed twice") {
		t.Errorf("the commit that panics: %v", r[0].Err)
	}
	if err := r[1].Err; !errors.As(err, new(*BrokenError)) || store.Unsure(err) || !strings.Contains(err.Error(), "host store check") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the next one: %v", err)
	}
	if string(r[2].Record.Value) != "game/b" {
		t.Error(r[2])
	}
	if s.Stats().Writing {
		t.Error("it says that it writes")
	}
	must(t, s.Close(context.Background()))
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d errors in the log, want one:\n%s", n, &log)
	}
}

// TestBoltPanics: after a panic or a memory fault inside of bbolt nothing of the transaction is stored and no write follows. What was
// stored before can be read and exported, and the lock is given back. A file that is cut off under a running host makes reading its
// mapping a fault, which would end the process.
func TestBoltPanics(t *testing.T) {
	const records = 200
	value := strings.Repeat("x", 1000)
	for _, cut := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "store.db")
		var log bytes.Buffer
		b := open(t, path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		for i := range records {
			put(t, b, fmt.Sprintf("game/%03d", i), value)
		}
		s := served(t, b, ServiceOptions{})
		why := "freed twice"
		if cut {
			why = "memory fault"
			h, _ := headers(b.file)
			must(t, os.Truncate(path, int64(h.pages)/2*h.pageSize))
		} else {
			b.opt.panicking = func() { panic(why) }
			r := ask(t, s, set("game/b", "2", store.Any), Job{Kind: Get, Key: "game/007"}, Job{Kind: List}) // the first group may have had one job or all
			if !errors.As(r[0].Err, new(*BrokenError)) || store.Unsure(r[0].Err) || string(r[1].Record.Value) != value || len(r[2].Keys) != records {
				t.Fatalf("%+v", r)
			}
		}
		good := 0
		for i := range records {
			key := fmt.Sprintf("game/%03d", i)
			switch r := ask(t, s, Job{Kind: Get, Key: key})[0]; {
			case r.Err == nil && string(r.Record.Value) == value:
				good++
			case r.Err == nil || !strings.Contains(r.Err.Error(), key):
				t.Fatalf("%s: %v", key, r)
			}
		}
		if r := ask(t, s, set("game/new", "1", store.Any))[0]; (good == records) == cut || !errors.As(r.Err, new(*BrokenError)) || s.Stats().Writing || !strings.Contains(log.String(), why) {
			t.Errorf("%d good, a commit: %v; the log: %s", good, r.Err, &log)
		}
		snap, err := b.Snapshot()
		must(t, err)
		var out bytes.Buffer
		report, err := snap.Export(&out)
		if err != nil || report.OK() == cut || report.Records < max(good, 1) {
			t.Errorf("export: %v, %+v", err, report)
		}
		if err := b.Backup(&out, nil); err == nil {
			t.Error("a broken store was backed up")
		}
		must(t, s.Close(t.Context()))
		b = open(t, path, Options{})
		if (b.Broken() != nil) != cut {
			t.Error(b.Broken())
		}
	}
}

// TestFullDisk: on a full disk nothing is acknowledged that is not safe, and writing goes on when there is room.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "32m")
	path := filepath.Join(dir, "store.db")
	var log bytes.Buffer
	b := open(t, path, Options{})
	s := served(t, b, ServiceOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	filler := filepath.Join(dir, "filler")
	must(t, os.WriteFile(filler, make([]byte, 8<<20), 0o600))
	value := strings.Repeat("v", 60_000)
	stored := map[string]bool{}
	fill := func(most int) (failed error) {
		for range most {
			key := fmt.Sprintf("game/%d", len(stored))
			if err := ask(t, s, set(key, value, store.Any))[0].Err; err != nil {
				return err
			}
			stored[key] = true
		}
		return nil
	}
	check := func(store.Backend) error { // on the goroutine of the service, which a t.Fatal would end
		snap, err := b.Snapshot()
		if err != nil {
			return err
		}
		defer snap.Close()
		if r := snap.Check(); !r.OK() || r.Records != len(stored) {
			return fmt.Errorf("%d records, %d were acknowledged: %q", r.Records, len(stored), r.Lines())
		}
		for key := range stored { // any order: each is read
			if r, err := b.Get(key); err != nil || string(r.Value) != value {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	}
	full := func() {
		t.Helper()
		if err := fill(1000); err == nil || store.Unsure(err) || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "nothing was stored") || b.Broken() != nil {
			t.Fatalf("the disk is full: %v, %v", err, b.Broken())
		}
		must(t, s.Call(t.Context(), check))
	}
	full()
	_ = fill(1) // pages that the failed write gave back may be enough for one more
	must(t, os.Remove(filler))
	if err := fill(1); err != nil {
		t.Fatalf("there is room again: %v", err)
	}
	full()
	must(t, s.Close(t.Context()))
	b = open(t, path, Options{})
	if err := errors.Join(check(b), b.Close()); err != nil { // before the file system goes
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "The store fails: ") || !strings.Contains(log.String(), "The store works again") {
		t.Errorf("the log: %s", &log)
	}
}
