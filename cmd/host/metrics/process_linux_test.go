package metrics

import "testing"

// TestParseStat: a program's name does not move the fields, and a line that is cut off is refused.
func TestParseStat(t *testing.T) {
	const line = "7 (a) b (c)) S 1 7 7 0 -1 4194304 97 0 0 0 300 45 0 0 20 0 9 0 12345 67890 55 18446744073709551615\n"
	if p, ok := parseStat(line); !ok || p != (processStat{start: 123.45, virtual: 67890, pages: 55}) {
		t.Errorf("%+v %v", p, ok)
	}
	if p, ok := parseStat(line[:70]); ok {
		t.Errorf("a part is read as %+v", p)
	}
}
