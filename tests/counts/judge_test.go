package counts

import (
	"strings"
	"testing"
)

// TestJudge holds the rules of the gate to a small book: what passes, what each failure says, and what an update may record.
func TestJudge(t *testing.T) {
	const before = "w           natives                       1000            1000\n" +
		"# why 1030: a reason\nw           instructions                  1030            1000\n" +
		"w           allocations                     10              10\n"
	open := func(text string) *book {
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
		{before, "values-encoded", 1, "no recorded count"},
		{strings.Replace(before, "# why 1030", "# why 1020", 1), "instructions", 1030, "without a reason"},
		{strings.Replace(before, "1030            1000", "1060            1000", 1), "instructions", 1040, "no reason allows that"},
	} {
		if got := open(c.book).judge("w", c.count, c.n); (got == "") != (c.said == "") || !strings.Contains(got, c.said) {
			t.Errorf("%s %d: said %q, expected %q", c.count, c.n, got, c.said)
		}
	}
	if _, err := read(strings.NewReader("# why: nothing\n")); err == nil {
		t.Error("a reason without a figure was read")
	}

	b := open(before)
	for _, c := range []struct {
		count string
		n     int64
		why   string
		ok    bool
	}{
		{"natives", 1040, "", false},
		{"natives", 1060, "it must be", false},
		{"natives", 1040, "it must be", true},
		{"instructions", 1010, "", true}, // the rest of its raise
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
		"# why 1010: a reason\nw           instructions                  1010            1000\n" +
		"w           allocations                     10              10\n" +
		"w           values-encoded                   7               7\n"
	if _, got, _ := strings.Cut(out.String(), "\n\n"); got != after {
		t.Errorf("written:\n%s\nexpected:\n%s", got, after)
	}
	if err := b.update("w", "natives", 900, ""); err != nil || len(b.entries[0].raises) != 0 {
		t.Errorf("a fall below the first figure: %v, reasons %v", err, b.entries[0].raises)
	}
}
