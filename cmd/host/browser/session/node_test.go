//go:build !js

package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// TestInNode runs the tests of this package as what they are about: compiled for js/wasm, as the Worker has the client, in Node
// instead of a browser (W6). It takes twenty seconds of a processor, so plain `go test` leaves it to .ci/run.
func TestInNode(t *testing.T) {
	tier.Change(t) // compiles the client for js/wasm
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("node is missing; install Node.js 20 or later")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "go_js_wasm_exec")
	cmd := exec.Command("go", "test", "-count=1", "-v", "-vet=off", "-tags=gate", "-ldflags=-s -w", "-exec", runner, ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go test for js/wasm: %v\n%s", err, out)
	}
	for _, name := range []string{"TestSession", "TestStock", "TestStarvedClock"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}
