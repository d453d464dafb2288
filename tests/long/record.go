package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// recordFile keeps the results.
const recordFile = ".ci/long.txt"

const recordHead = `# What .ci/long ran last: item, result, seconds of the clock, commit, hash of the files that the item depends on. An item is stale when
# that hash is another now (go run ./tests/long list).
`

// result is what an item gave.
type result struct {
	ok      bool
	seconds float64
	commit  string
	files   string // hash
}

// record is the results by item.
type record map[string]result

func readRecord() (record, error) {
	b, err := os.ReadFile(recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := record{}
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var name, verdict string
		var x result
		if n, _ := fmt.Sscanf(line, "%s %s %f %s %s", &name, &verdict, &x.seconds, &x.commit, &x.files); n != 5 || verdict != "passed" && verdict != "failed" {
			return nil, fmt.Errorf("%s:%d: expected ITEM passed|failed SECONDS COMMIT HASH; take the line out, and the item runs again", recordFile, i+1)
		}
		x.ok = verdict == "passed"
		r[name] = x
	}
	return r, nil
}

// write replaces the file: a run that is killed leaves the file as it was.
func (r record) write() error {
	var b strings.Builder
	b.WriteString(recordHead)
	for _, name := range slices.Sorted(maps.Keys(r)) {
		x := r[name]
		verdict := "failed"
		if x.ok {
			verdict = "passed"
		}
		fmt.Fprintf(&b, "%s %s %.1f %s %s\n", name, verdict, x.seconds, x.commit, x.files)
	}
	next := recordFile + ".new"
	if err := os.WriteFile(next, []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(next, recordFile)
}

// state is how an item stands.
type state int

const (
	fresh  state = iota
	stale        // a file changed, or it never ran
	failed       // with the files as they are now
)

func (r record) state(it item) state {
	x, ok := r[it.name]
	switch {
	case !ok || x.files != it.files:
		return stale
	case !x.ok:
		return failed
	}
	return fresh
}
