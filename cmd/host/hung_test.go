package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
)

// TestHungEndsTheProcess: the last words come after the terminal was given back, and the exit code is no other end's.
func TestHungEndsTheProcess(t *testing.T) {
	var said bytes.Buffer
	var order []string
	sys := &system{stderr: &said, exit: func(code int) {
		if code != serve.ExitHung {
			t.Errorf("exit code %d, want %d", code, serve.ExitHung)
		}
		order = append(order, "exit")
	}}
	sys.hung(func() { order = append(order, "given back") })(watchdog.Hang{For: 30 * time.Second, Function: "Brain:Tick", Native: "world.FindPath", Stacks: "goroutine 7 [running]:"})
	if got := strings.Join(order, ", "); got != "given back, exit" {
		t.Errorf("order: %s", got)
	}
	want := "host: the world hangs: one tick has taken 30 s so far, in Brain:Tick, in the native world.FindPath; it is ended, exit code 70\ngoroutine 7 [running]:\n"
	if said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
	if (&system{}).hung(nil) != nil {
		t.Error("a process that cannot be ended has a watchdog")
	}
}
