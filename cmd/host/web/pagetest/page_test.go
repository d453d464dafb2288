// Package pagetest runs the checks of the page's parts that need no browser, page.test.js, in Node, which needs no package
// for that. Without Node they are skipped.
package pagetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
