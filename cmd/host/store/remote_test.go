package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

// spoiled is a backend with one damaged record, which may go away at another one.
type spoiled struct {
	base.Memory
	bad, gone string
}

var errGone = errors.New("the servers are away")

func (s *spoiled) Get(key string) (base.Record, error) {
	switch key {
	case s.bad:
		return base.Record{}, &store.DamagedError{File: "the cluster", Key: key, What: "its checksum is wrong"}
	case s.gone:
		return base.Record{}, errGone
	}
	return s.Memory.Get(key)
}

func filled(t *testing.T, n int) *spoiled {
	t.Helper()
	s := &spoiled{}
	for i := range n {
		if _, err := s.Commit([]base.Write{{Key: fmt.Sprintf("game/%05d", i), Value: fmt.Appendf(nil, "\xa5%05d", i), If: 0}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Commit([]base.Write{{Key: "world/a", Value: []byte("one"), If: 0}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScan: all records come in order, over all pages of keys; a damaged one is reported, and a store that goes away is an error.
func TestScan(t *testing.T) {
	const n = 2*base.MaxList + 7
	s := filled(t, n)
	last, count := "", 0
	look := func(key string, r base.Record) error {
		if key <= last {
			t.Fatalf("%s after %s", key, last)
		}
		last = key
		count++
		return nil
	}
	report, err := store.Scan(s, look)
	if err != nil || count != n+1 || report.Records != n+1 || !report.OK() || report.Revision != n+1 {
		t.Error(report, count, err)
	}
	s.bad, last, count = "game/00017", "", 0
	report, err = store.Scan(s, look)
	if err != nil || count != n || len(report.Damaged) != 1 || report.Damaged[0] != s.bad || !strings.Contains(report.Lines()[0], "its checksum is wrong") {
		t.Error(report, count, err)
	}
	dir := t.TempDir()
	if err := store.Backup(s, io.Discard, func(int64) { t.Error("a backup of a damaged store began") }); err == nil || !strings.Contains(err.Error(), "--damaged-ok") {
		t.Error(err)
	}
	if report, err := store.Copy(s, filepath.Join(dir, "copy.db")); err != nil || report.Records != n || report.OK() {
		t.Error(report, err)
	}
	s.gone = "game/01500"
	if _, err := store.Check(s); !errors.Is(err, errGone) {
		t.Error(err)
	}
	var out bytes.Buffer
	if _, err := store.Export(s, &out); !errors.Is(err, errGone) || strings.Contains(out.String(), `"records":`) {
		t.Error("an export that broke off has a last line", err)
	}
}

// heldError is that of a record which a host holds.
type heldError struct{ at base.Revision }

func (e *heldError) Error() string         { return "held" }
func (e *heldError) HeldAt() base.Revision { return e.at }

// TestMerge: a bad file changes nothing; what a host holds is tried again once, with the revision that was seen; an error says how far
// it came.
func TestMerge(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const lines = "{\"key\":\"game/a\",\"revision\":1,\"value\":1}\n{\"key\":\"profile/held\",\"revision\":2,\"value\":2}\n{\"key\":\"profile/dead\",\"revision\":3,\"value\":3}\n"
	set := func(text string) {
		t.Helper()
		if err := errors.Join(file.Truncate(0), write(file, text)); err != nil {
			t.Fatal(err)
		}
	}
	var puts []string
	put := func(key string, _ []byte, dead base.Revision) error {
		puts = append(puts, fmt.Sprintf("%s %d", key, dead))
		switch {
		case key == "profile/held":
			return &heldError{7 + dead}
		case key == "profile/dead" && dead != 5:
			return &heldError{5}
		}
		return nil
	}
	waits := 0
	wait := func() error { waits++; return nil }

	set(lines) // without its end
	if _, err := store.Merge(file, false, put, wait); err == nil || len(puts) > 0 {
		t.Error(err, puts)
	}
	set(lines + "{\"revision\":3,\"records\":3}\n")
	m, err := store.Merge(file, false, put, wait)
	want := []string{"game/a 0", "profile/held 0", "profile/dead 0", "profile/held 7", "profile/dead 5"}
	if err != nil || waits != 1 || m.Stored != 2 || len(m.Held) != 1 || m.Held[0] != "profile/held: held" || fmt.Sprint(puts) != fmt.Sprint(want) {
		t.Error(m, waits, puts, err)
	}
	_, err = store.Merge(fromStart(t, file), false, func(key string, _ []byte, _ base.Revision) error {
		if key == "profile/held" {
			return errGone
		}
		return nil
	}, wait)
	if !errors.Is(err, errGone) || !strings.Contains(err.Error(), "1 of 3 records were imported") {
		t.Error(err)
	}
}

func write(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

// fromStart returns a file at its beginning.
func fromStart(t *testing.T, f *os.File) *os.File {
	t.Helper()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return f
}
