package counts

import (
	"strings"
	"testing"
)

// TestBook: each recorded count passes by itself, and nobody changed a first figure.
func TestBook(t *testing.T) {
	b, err := open()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range b.entries {
		if line := b.judge(e.workload, e.count, e.recorded); line != "" {
			t.Error("counts.txt: " + line)
		}
	}
	if got := b.seal(); got != sealed {
		t.Errorf("counts.txt: the first figures changed: their hash is %#08x, expected %#08x: restore them; after adding a workload or a kind, set sealed in book_test.go", got, uint32(sealed))
	}
}

// TestJudge holds the rules of the gate to a small book: what passes, what each failure says, and what an update may record.
func TestJudge(t *testing.T) {
	const before = "w           natives                       1000            1000\n" +
		"# why 1030: a reason\nw           instructions                  1030            1000\n" +
		"w           allocations                     10              10\n" +
		"w           bytes-sent                       0               0\n"
	parse := func(text string) *book {
		b, err := read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range []struct {
		book, count string
		n           int64
		said        string // part of the line, "" for none
	}{
		{before, "natives", 1020, ""},
		{before, "natives", 980, ""},
		{before, "natives", 1021, "recorded 1000, measured 1021 (+2.1 %)"},
		{before, "natives", 1021, "-why"},
		{before, "natives", 979, "is to be kept"},
		{before, "natives", 1051, "no reason allows that"},
		{before, "instructions", 1050, ""},
		{before, "instructions", 1051, "no reason allows that"},
		{before, "allocations", 30, ""},
		{before, "allocations", 31, "no reason allows that"},
		{before, "bytes-sent", 20, ""},
		{before, "bytes-sent", 21, "was 0"},
		{before, "values-encoded", 1, "no recorded count"},
		{strings.Replace(before, "# why 1030", "# why 1020", 1), "instructions", 1030, "without a reason"},
		{strings.Replace(before, "1030            1000", "1060            1000", 1), "instructions", 1040, "no reason allows that"},
	} {
		if got := parse(c.book).judge("w", c.count, c.n); (got == "") != (c.said == "") || !strings.Contains(got, c.said) {
			t.Errorf("%s %d: said %q, expected %q", c.count, c.n, got, c.said)
		}
	}
	if _, err := read(strings.NewReader("# why: nothing\n")); err == nil {
		t.Error("a reason without a figure was read")
	}

	b := parse(before)
	for _, c := range []struct {
		count string
		n     int64
		why   string
		ok    bool
	}{
		{"natives", 1040, "", false},
		{"natives", 1060, "it must be", false},
		{"natives", 1040, "it must be", true},
		{"instructions", 1005, "", true}, // the rest of its raise
		{"allocations", 29, "", true},    // noise
		{"values-encoded", 7, "", true},
	} {
		if err := b.update("w", c.count, c.n, c.why); (err == nil) != c.ok {
			t.Errorf("update of %s to %d: %v", c.count, c.n, err)
		}
	}
	var out strings.Builder
	if err := b.write(&out); err != nil {
		t.Fatal(err)
	}
	const after = "# why 1040: it must be\nw           natives                       1040            1000\n" +
		"# why 1005: a reason\nw           instructions                  1005            1000\n" +
		"w           allocations                     10              10\n" +
		"w           bytes-sent                       0               0\n" +
		"w           values-encoded                   7               7\n"
	if _, got, _ := strings.Cut(out.String(), "\n\n"); got != after {
		t.Errorf("written:\n%s\nexpected:\n%s", got, after)
	}
	if err := b.update("w", "natives", 900, ""); err != nil || len(b.entries[0].raises) != 0 {
		t.Errorf("a fall below the first figure: %v, reasons %v", err, b.entries[0].raises)
	}
}
