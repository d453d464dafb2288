package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/tidelock/tidelock/tests/tier"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "long:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("expected: list, run [PATTERN…] or change")
	}
	t, err := openTree()
	if err != nil {
		return err
	}
	rec, err := readRecord()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tidelock-long-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	l := &long{tree: t, record: rec, dir: dir, signals: make(chan os.Signal, 1)}
	signal.Notify(l.signals, os.Interrupt, syscall.SIGTERM)
	if out, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output(); err == nil {
		l.commit = strings.TrimSpace(string(out))
	} else {
		l.commit = "none"
	}
	if l.kinds, err = kinds(t); err != nil {
		return err
	}
	switch args[0] {
	case "list":
		l.list()
		return nil
	case "run":
		return l.runAll(args[1:])
	case "change":
		return l.change()
	}
	return fmt.Errorf("%q: expected list, run or change", args[0])
}

// item is one thing that can be run, and has a result of its own.
type item struct {
	name  string // KIND/…
	files string // hash of the files that it depends on
}

// short is the name without the kind.
func (it item) short() string {
	_, s, _ := strings.Cut(it.name, "/")
	return s
}

// long is a run of this command.
type long struct {
	tree    *tree
	record  record
	kinds   []*kind
	commit  string
	dir     string // temporary, for programs
	signals chan os.Signal
	quick   bool
	host    string // the host's program, once it was built
	failed  []string
}

// list prints how each kind stands.
func (l *long) list() {
	for _, k := range l.kinds {
		counts := map[state]int{}
		for _, it := range k.items {
			counts[l.record.state(it)]++
		}
		fmt.Printf("%-12s %5d items: %d fresh, %d stale, %d failed. %s\n", k.name, len(k.items), counts[fresh], counts[stale], counts[failed], k.what)
		for _, it := range k.items {
			if l.record.state(it) == failed {
				fmt.Printf("    failed: %s\n", it.name)
			}
		}
	}
}

// runAll runs all items that are not fresh and match.
func (l *long) runAll(patterns []string) error {
	var match []*regexp.Regexp
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
		match = append(match, re)
	}
	for _, k := range l.kinds {
		var list []item
		for _, it := range k.items {
			if l.record.state(it) != fresh && (len(match) == 0 || slices.ContainsFunc(match, func(re *regexp.Regexp) bool { return re.MatchString(it.name) })) {
				list = append(list, it)
			}
		}
		if len(list) == 0 {
			continue
		}
		fmt.Printf("--- %s: %d of %d items. %s\n", k.name, len(list), len(k.items), k.what)
		for part := range slices.Chunk(list, k.atOnce) {
			if err := k.run(l, part); err != nil {
				return err
			}
		}
	}
	return l.verdict()
}

// change runs what .ci/run takes.
func (l *long) change() error {
	l.quick = true
	fmt.Printf("draw %d (tests/tier/draw.txt)\n", tier.Number())
	type choice struct {
		kind *kind
		list []item
	}
	var chosen []choice
	fmt.Println("whole in .ci/long only:")
	for _, k := range l.kinds {
		list, left := l.choose(k)
		fmt.Printf("%-12s %d of %d items now; %d stale ones are left to .ci/long. %s\n", k.name, len(list), len(k.items), left, k.what)
		if len(list) > 0 {
			chosen = append(chosen, choice{k, list})
		}
	}
	for _, c := range chosen {
		fmt.Printf("--- %s\n", c.kind.name)
		for _, it := range c.list {
			fmt.Printf("    %s\n", it.name)
		}
		for part := range slices.Chunk(c.list, c.kind.atOnce) {
			if err := c.kind.run(l, part); err != nil {
				return err
			}
		}
	}
	return l.verdict()
}

// choose returns items of a kind for as many recorded seconds as .ci/run has for it: those first that are stale, then others, each in an order
// that the draw gives; and how many stale ones have no room.
func (l *long) choose(k *kind) (list []item, left int) {
	order := slices.Clone(k.items)
	rank := func(it item) uint64 {
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, tier.Number(), it.name) // a hash has no errors
		return h.Sum64()
	}
	slices.SortFunc(order, func(a, b item) int {
		if c := cmp.Compare(l.age(a), l.age(b)); c != 0 {
			return c
		}
		return cmp.Compare(rank(a), rank(b))
	})
	budget := k.change
	for _, it := range order {
		cost := k.seconds
		if x, ok := l.record[it.name]; ok && k.quickSeconds == 0 {
			cost = x.seconds
		} else if k.quickSeconds > 0 {
			cost = k.quickSeconds
		}
		if budget < cost {
			if l.record.state(it) != fresh {
				left++
			}
			continue
		}
		budget -= cost
		list = append(list, it)
	}
	return list, left
}

// age orders items: those that are not fresh come first.
func (l *long) age(it item) int {
	if l.record.state(it) == fresh {
		return 1
	}
	return 0
}

// note keeps what an item gave. A quick run is no proof and leaves no record.
func (l *long) note(it item, ok bool, seconds float64) error {
	verdict := "passed"
	if !ok {
		verdict = "FAILED"
		l.failed = append(l.failed, it.name)
	}
	fmt.Printf("    %s %s, %.1f s\n", it.name, verdict, seconds)
	if l.quick {
		return nil
	}
	l.record[it.name] = result{ok: ok, seconds: seconds, commit: l.commit, files: it.files}
	return l.record.write()
}

func (l *long) verdict() error {
	if len(l.failed) == 0 {
		return nil
	}
	return fmt.Errorf("%d items failed: %s", len(l.failed), strings.Join(l.failed, " "))
}
