package web

import (
	"os"
	"regexp"
	"testing"
)

// Each id of the page is of one element: a script that finds the first of two writes into the wrong one, and no error says so.
func TestIDsAreUnique(t *testing.T) {
	html, err := os.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllSubmatch(html, -1) {
		if id := string(m[1]); seen[id] {
			t.Errorf("two elements have the id %q", id)
		} else {
			seen[id] = true
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d ids were found", len(seen))
	}
}
