//go:build unix

// Package sockets tries a whole host over real UDP sockets on loopback: a server with scripts, players in processes of
// their own, bad lines, strangers who flood. Here time is the wall's, so what is asserted are facts (nobody was
// disconnected, nothing was lost) and generous bounds; the figures are printed, for docs/performance.md.
//
//	go test ./tests/sockets -v                                        a minute
//	TIDELOCK_CI=1 go test ./tests/sockets -v                          as .ci/run does
//	go test ./tests/sockets -v -run Soak -full 200 -soak 10m -timeout 20m  two hundred full players
//	go test ./tests/sockets -v -run Flood -flood 20s                  strangers at the UDP socket, and at the web listener
//	go test ./tests/sockets -v -run Match -match 10m -timeout 20m     a match of sixteen bots, half of them over bad lines
//
// Guarantees: Facts are asserted, times are printed.
package sockets

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/tier"
)

var (
	fullPlayers = flag.Int("full", 0, "TestSoak: how many players; 0: 8, or 40 under TIDELOCK_CI")
	soakFor     = flag.Duration("soak", 0, "TestSoak: how long it is measured; 0: 5s, or 20s under TIDELOCK_CI")
	matchFor    = flag.Duration("match", 0, "TestMatch: how long the match lasts; 0: 10s, or 60s under TIDELOCK_CI")
	floodFor    = flag.Duration("flood", 0, "TestFlood and TestWebFlood: how long the flood lasts; 0: 2s")
)

// childVariable makes the test binary a part of a test instead: its value is a childConfig.
const childVariable = "TIDELOCK_SOCKETS_CHILD"

// longer chooses the form of a test.
func longer[T any](short, long T) T { return tier.Choose(short, long, long) }

// childConfig is what a child process does: one of its fields is set.
type childConfig struct {
	Crowd *crowdConfig `json:",omitempty"`
	Flood *floodConfig `json:",omitempty"`
}

// scratch is a folder of this process.
var scratch string

// sideBySide runs as many tests at once as have a host of their own and mostly wait, unless -parallel says how many.
func sideBySide() {
	f := flag.Lookup("test.parallel")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set("3"); err != nil {
		panic(err) // a number is one
	}
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var c childConfig
		err := json.Unmarshal([]byte(text), &c)
		switch {
		case err != nil:
		case c.Crowd != nil:
			err = crowdMain(*c.Crowd)
		case c.Flood != nil:
			err = floodMain(*c.Flood)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "sockets: a part of the test failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	sideBySide()
	var err error
	if scratch, err = os.MkdirTemp("", "sockets"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch) // a temporary folder
	os.Exit(code)
}

// patience is how long is waited for what must come: so long that only what never comes is missed, however busy the
// machine is. How soon it came is printed.
const patience = 5 * time.Minute

// starved is how long a process of a test may be silent where silence is not what is tried: a machine that has twenty
// others to run keeps it waiting for longer than a player may be away.
const starved = time.Minute

// until looks every few milliseconds whether something has come to be, and fails the test where it never does.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-deadline.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// figure prints a figure of wall time that is worse than asked. It is no fault: a busy machine makes any host slow. What a rule requires in
// seconds is held to by scenarios on a virtual clock.
func figure(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("figure: "+format, args...)
}

// pass lets time go by: for as long as something is measured, never to wait for a result.
func pass(d time.Duration) { <-time.After(d) }
