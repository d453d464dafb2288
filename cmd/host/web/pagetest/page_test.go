// Package pagetest runs the checks of the page's parts that need no browser, page.test.js, in Node, which needs no package
// for that. Without Node they are skipped.
//
// Guarantees: Not part of any program.
package pagetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/action"
)

func TestPage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing; install Node.js 20 or later to check the page's parts")
	}
	// go test keeps results by the files that the test itself opened; those that Node opens are unknown to it.
	files, err := filepath.Glob("../page/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in ../page: %v", err)
	}
	for _, f := range append(files, "page.test.js", "../package.json") {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), node, "--test", "page.test.js").CombinedOutput(); err != nil {
		t.Fatalf("node --test page.test.js: %v\n%s", err, out)
	}
}

// The page and the checks of content agree on which keys no action can have, and on the names of a gamepad's buttons, whose order is
// the Gamepad API's.
func TestWordsOfInput(t *testing.T) {
	b, err := os.ReadFile("../page/bindings.js")
	if err != nil {
		t.Fatal(err)
	}
	between := func(from, to string) []string {
		_, rest, ok := strings.Cut(string(b), from)
		part, _, end := strings.Cut(rest, to)
		if !ok || !end {
			t.Fatalf("bindings.js has no %s", from)
		}
		return regexp.MustCompile(`"?([A-Za-z][A-Za-z0-9]*)"?`).FindAllString(part, -1)
	}
	pad := between("PAD = Object.freeze([", "]")
	for i := range pad {
		pad[i] = strings.Trim(pad[i], `"`)
	}
	if !slices.Equal(pad, action.Buttons) {
		t.Errorf("buttons %v; expected %v", pad, action.Buttons)
	}
	_, rest, _ := strings.Cut(string(b), "KEPT = Object.freeze({")
	block, _, _ := strings.Cut(rest, "});")
	var kept []string
	for _, m := range regexp.MustCompile(`(?m)(?:^\t|, )([A-Z][A-Za-z0-9]*): "`).FindAllStringSubmatch(block, -1) {
		kept = append(kept, m[1])
	}
	slices.Sort(kept)
	if !slices.Equal(kept, action.Kept()) {
		t.Errorf("kept keys %v; expected %v", kept, action.Kept())
	}
}
