//go:build unix

package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/agones"
	"github.com/tidelock/tidelock/cmd/host/agones/agonestest"
)

// TestAgonesOfTheProgram: the real program under a fake SDK server on a real port is ready when it can be joined, is allocated by a player,
// drains when an annotation requests it, and says at the end that it ends. A player keeps it from ending before that.
func TestAgonesOfTheProgram(t *testing.T) {
	t.Parallel()
	fake := agonestest.New()
	defer fake.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	must(t, err)
	server := &http.Server{Handler: fake, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends by Close
	defer server.Close()                //nolint:errcheck // the test is over
	env := []string{fmt.Sprintf("%s=%d", agones.Variable, l.Addr().(*net.TCPAddr).Port)}
	await := func(what, call string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); len(fake.Calls(call)) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: no %s", what, call)
			}
		}
	}
	host := startWith(t, env, t.TempDir(), "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--log", "json")
	at := host.await(`(?m)^ready: .* players on UDP (127\.0\.0\.1:\d+)`)
	await("the host runs", "POST /ready")
	await("the host runs", "POST /health")
	ann := startProgram(t, t.TempDir(), "join", at[1], "--name", "Ann")
	await("Ann has joined", "POST /allocate")
	await("Ann has joined", `PUT /metadata/annotation {"key":"players","value":"1"}`)
	fake.Change("", "tidelock.dev/drain", "5m")
	host.await(`"event":"drain","seconds":300,"players":1`)
	await("the host drains", `PUT /metadata/label {"key":"draining","value":"true"}`)
	host.types(`drain 0s`) // it waits for the round
	host.types(`drain 1s`)
	if code := ann.code(); code != 6 {
		t.Errorf("Ann's exit code is %d", code)
	}
	if code := host.code(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	if n := len(fake.Calls("POST /shutdown")); n != 1 {
		t.Errorf("%d calls of shutdown", n)
	}
	for l := range strings.SplitSeq(host.text(), "\n") {
		if strings.Contains(l, `"WARN"`) && !strings.Contains(l, `"event":"overload"`) { // the machine may be busy
			t.Error(l)
		}
	}
}
