// Package counts compares the counts of twelve fixed workloads with those that counts.txt records. A change that makes the program do
// more is noticed wherever it is tested: a count follows from the program and not from the machine or its load.
//
//	go test -tags counts ./tests/counts                       compares
//	go test -tags counts ./tests/counts -update -why "…"      records other counts, with the reason why any of them is higher
//
// It guards against regressions. It does not measure time, and proves no speed.
//
// Guarantees: Two runs of one build differ by 0.2 % at most.
package counts

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"strings"
)

// What a count may differ by. A first figure is what an entry began with, and no update changes it.
const (
	tolerance = 0.02 // from the recorded count, either way
	ceiling   = 0.05 // above the first figure
)

// slack is what a count may differ by where the tolerance is less: one message more is no regression.
func slack(count string) float64 {
	if count == allocated {
		return 8192
	}
	return 20
}

// The two counts that the runtime has; the others are kinds of package count.
const (
	allocations = "allocations"
	allocated   = "bytes-allocated"
)

// entry is one count of one workload, with the reasons why it was raised.
type entry struct {
	workload, count string
	recorded, first int64
	raises          []raise
}

// raise is why a count was raised to a figure.
type raise struct {
	to  int64
	why string
}

// sealed is the hash of all first figures of counts.txt, so that an edit of that file alone cannot raise one. It changes only with a new
// workload or kind, and when the project takes new first figures of everything.
const sealed = 0x40280012

// book is the content of counts.txt, in the order of the file.
type book struct{ entries []*entry }

const heading = `# What the workloads of this folder count. "go test -tags counts ./tests/counts" compares; -update -why "…" records.
# A count may differ from the recorded one by 2 %, and may never be more than 5 % above its first figure. A recorded count above
# the first figure has a line "# why FIGURE: …" before it, with the reason for that figure.
`

// read reads a book.
func read(r io.Reader) (*book, error) {
	b := &book{}
	var raises []raise
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		text := sc.Text()
		if rest, ok := strings.CutPrefix(text, "# why"); ok {
			figure, why, _ := strings.Cut(strings.TrimSpace(rest), ":")
			to, err := strconv.ParseInt(figure, 10, 64)
			if why = strings.TrimSpace(why); err != nil || why == "" {
				return nil, fmt.Errorf(`counts.txt:%d: expected "# why FIGURE: reason"; write the recorded count and the reason for it`, line)
			}
			raises = append(raises, raise{to, why})
			continue
		}
		if text == "" || text[0] == '#' {
			continue
		}
		e := &entry{raises: raises}
		raises = nil
		if n, err := fmt.Sscan(text, &e.workload, &e.count, &e.recorded, &e.first); n != 4 {
			return nil, fmt.Errorf("counts.txt:%d: expected workload, count, recorded and first figure: %w", line, err)
		}
		b.entries = append(b.entries, e)
	}
	return b, sc.Err()
}

// open reads the book of this folder.
func open() (*book, error) {
	f, err := os.Open("counts.txt")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f)
}

// write writes a book.
func (b *book) write(w io.Writer) error {
	text := heading + fmt.Sprintf("#%-11s%-18s%16s%16s\n", "workload", "count", "recorded", "first")
	last := ""
	for _, e := range b.entries {
		if e.workload != last {
			text += "\n"
		}
		last = e.workload
		for _, r := range e.raises {
			text += fmt.Sprintf("# why %d: %s\n", r.to, r.why)
		}
		text += fmt.Sprintf("%-12s%-18s%16d%16d\n", e.workload, e.count, e.recorded, e.first)
	}
	_, err := io.WriteString(w, text)
	return err
}

// seal returns the hash of the first figures.
func (b *book) seal() uint32 {
	h := fnv.New32a()
	for _, e := range b.entries {
		fmt.Fprintln(h, e.workload, e.count, e.first)
	}
	return h.Sum32()
}

func (b *book) find(workload, count string) *entry {
	for _, e := range b.entries {
		if e.workload == workload && e.count == count {
			return e
		}
	}
	return nil
}

// differs reports whether a count is off a figure by more than a part of it, and more than its slack.
func differs(count string, n, from int64, part float64) bool {
	off := float64(n - from)
	return max(off, -off) > max(part*float64(from), slack(count))
}

// percent is how much a figure is above another.
func percent(n, from int64) string {
	if from == 0 {
		return "was 0"
	}
	return fmt.Sprintf("%+.1f %%", 100*float64(n-from)/float64(from))
}

// judge returns a line that says what is wrong with a measured count and what to do, or "".
func (b *book) judge(workload, count string, n int64) string {
	e := b.find(workload, count)
	at := workload + ": " + count + ": "
	if e == nil {
		return fmt.Sprintf("%sno recorded count, measured %d: record it with -update", at, n)
	}
	said := fmt.Sprintf("%srecorded %d, measured %d (%s): ", at, e.recorded, n, percent(n, e.recorded))
	above := func(x int64) bool { return x > e.first && differs(count, x, e.first, ceiling) }
	switch {
	case above(n), above(e.recorded):
		return fmt.Sprintf("%smore than 5 %% above the first figure, %d; no reason allows that: find what is done more often and undo it", said, e.first)
	case e.recorded > e.first && !e.explained():
		return fmt.Sprintf("%sthe recorded count is above the first figure, %d, without a reason: write \"# why %d: …\" before its line", said, e.first, e.recorded)
	case !differs(count, n, e.recorded, tolerance):
		return ""
	case n < e.recorded:
		return said + "fewer, which is to be kept: record it with -update"
	}
	return said + `find what is done more often; if it has to be, record it with -update -why "the reason"`
}

// explained reports whether there is a reason for the recorded count.
func (e *entry) explained() bool {
	n := len(e.raises)
	return n > 0 && e.raises[n-1].to >= e.recorded
}

// update records a measured count. The error says why that is not possible.
func (b *book) update(workload, count string, n int64, why string) error {
	e := b.find(workload, count)
	switch {
	case e == nil:
		at := len(b.entries)
		for i, o := range b.entries {
			if o.workload == workload {
				at = i + 1
			}
		}
		b.entries = append(b.entries[:at], append([]*entry{{workload: workload, count: count, recorded: n, first: n}}, b.entries[at:]...)...)
		return nil
	case n > e.recorded && !differs(count, n, e.recorded, tolerance), n < e.recorded && !differs(count, n, e.recorded, tolerance/10):
		return nil // so that noise changes no line
	case n > e.first && differs(count, n, e.first, ceiling):
		return fmt.Errorf("%s: %s: %d is more than 5 %% above the first figure, %d: it cannot be recorded", workload, count, n, e.first)
	case n > e.recorded && why == "":
		return fmt.Errorf(`%s: %s: %d is more than the recorded %d: say why with -why "the reason"`, workload, count, n, e.recorded)
	}
	kept := e.raises[:0]
	for _, r := range e.raises {
		if r.to < n {
			kept = append(kept, r)
		}
	}
	if n > e.first {
		if n < e.recorded && why == "" {
			why = e.raises[len(e.raises)-1].why // what remains of that raise
		}
		kept = append(kept, raise{n, why})
	}
	e.recorded, e.raises = n, kept
	return nil
}
