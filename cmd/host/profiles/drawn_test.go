package profiles_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/engine/store"
)

// document returns the part of docs/cluster.md about the profiles' holders.
func document(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(b), "\n### Who holds a profile\n")
	part, _, _ = strings.Cut(part, "\n## ")
	return part
}

// arrows returns those that a part of the document draws, and those of the table below it, "what: from → to".
func arrows(part, what string) (drawn, listed []string) {
	drawing, table, _ := strings.Cut(part, "```\n")
	for line := range strings.Lines(drawing) {
		if from, to, ok := strings.Cut(strings.TrimSpace(line), " --> "); ok && from != "[*]" && to != "[*]" {
			drawn = append(drawn, what+": "+from+" → "+to)
		}
	}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && !strings.Contains(line, "---") && strings.TrimSpace(cells[2]) != "becomes" {
			listed = append(listed, what+": "+strings.TrimSpace(cells[1])+" → "+strings.TrimSpace(cells[2]))
		}
	}
	return drawn, listed
}

// TestStatesDrawn: docs/cluster.md draws the changes of states that happen, and no others.
func TestStatesDrawn(t *testing.T) {
	happened := map[string]bool{}
	for seed := range uint64(12) {
		w := newWorld(t, seed, happened)
		for range 4000 {
			w.act()
			w.step(0.3)
		}
	}
	// What no honest host makes happen: records are damaged before and while a host waits, and a player has more than fits.
	w := newWorld(t, 0, happened)
	a, b := w.hosts[0], w.hosts[1]
	run := func() {
		for range 200 {
			w.step(1)
		}
	}
	damage := func(i int) {
		t.Helper()
		if _, err := w.store.Commit([]store.Write{{Key: profiles.Key(id(i)), Value: []byte("x"), If: store.Any}}); err != nil {
			t.Fatal(err)
		}
	}
	damage(0)
	a.book.Hold(id(0))
	run()
	if a.book.State(id(0)) != profiles.Failed {
		t.Fatal("a damaged profile is ", a.book.State(id(0)))
	}
	a.book.Hold(id(0))
	a.book.Hold(id(1))
	run()
	b.book.Hold(id(1))
	run()
	damage(1)
	run()
	a.book.Hold(id(2))
	run()
	a.book.Put(id(2), &store.Table{Pairs: []store.Pair{{Key: "x", Value: strings.Repeat("x", store.MaxValue)}}})
	a.book.Let(id(2))
	run()
	if a.book.State(id(2)) != profiles.None {
		t.Fatal("a player who left with too much is ", a.book.State(id(2)))
	}

	parts := strings.Split(document(t), "stateDiagram-v2\n")
	if len(parts) != 3 {
		t.Fatalf("%d diagrams", len(parts)-1)
	}
	all := 0
	for i, what := range []string{"profile", "save"} {
		drawn, listed := arrows(parts[i+1], what)
		all += len(listed)
		for _, x := range listed {
			if !happened[x] {
				t.Errorf("the table has %s, which does not happen", x)
			}
			if !slices.Contains(drawn, x) {
				t.Errorf("the diagram does not have %s", x)
			}
		}
		for _, x := range drawn {
			if !slices.Contains(listed, x) {
				t.Errorf("the table does not have %s", x)
			}
		}
		for x := range happened { // any order: it only reports
			if strings.HasPrefix(x, what) && !slices.Contains(listed, x) {
				t.Errorf("docs/cluster.md does not have %s", x)
			}
		}
	}
	if all != len(happened) {
		t.Errorf("%d changes are listed, %d happen", all, len(happened))
	}
}

// TestRequestsDrawn: the package and the document draw the same requests of a profile that goes from one host to another.
func TestRequestsDrawn(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, _ := strings.Cut(string(b), "//	host A ")
	drawing, _, _ = strings.Cut("//	host A "+drawing, "\n//\n")
	drawing = strings.ReplaceAll(drawing, "//	", "")
	if !strings.Contains(document(t), "```text\n"+drawing+"\n```") {
		t.Errorf("docs/cluster.md does not draw\n%s", drawing)
	}
}
