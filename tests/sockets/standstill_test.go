//go:build unix

package sockets

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/port"
	"github.com/tidelock/tidelock/tests/program"
	"github.com/tidelock/tidelock/tests/tier"
)

// built builds the host once for all tests, into scratch.
var built = sync.OnceValues(func() (string, error) { return program.Build(filepath.Join("..", ".."), scratch) })

// inFull skips under -short: the test waits for the real clock. Otherwise such tests run side by side, since all mostly wait.
func inFull(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("waits for the real clock; run without -short")
	}
	t.Parallel()
}

// standing is how many players TestStandstill has.
const standing = 8

// stayedLine is the last line about a bot: its name, and how often it came back.
var stayedLine = regexp.MustCompile(`^Bot\d+ .* (\d+)$`)

// TestStandstill: either side stands still for 3 s, the host for 15 s, and it is killed and started again, at once and after a while. All
// players of the real program play on by themselves, as those that they were (G15). How soon, and that no shot is refused afterwards, shows
// tests/scenarios/net_r15_stand.lua, where time is virtual.
func TestStandstill(t *testing.T) {
	tier.Change(t)
	inFull(t)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), port.Reserve(t, 1)
	host := func() *program.Process {
		t.Helper()
		p := program.Start(t, program.Options{Path: path, Dir: dir, Args: []string{
			"--listen", addr, "--host-key", filepath.Join(dir, "key"), "--web", "off", "--log", "text", "--seed", "1", "arena?game=DeathMatch?bots=0",
		}})
		if _, _, err := p.Await(0, `^ready: `); err != nil {
			t.Fatal(err)
		}
		return p
	}
	h := host()
	bots := program.Start(t, program.Options{Path: path, Dir: dir, Args: []string{"bots", addr, "-n", fmt.Sprint(standing), "--every", "0s"}})
	// in waits until the host has all of them.
	in := func(what string) {
		t.Helper()
		since := time.Now()
		until(t, "all players in: "+what, func() bool {
			from := len(h.Lines())
			if err := h.Say("health"); err != nil {
				t.Fatal(err)
			}
			line, _, err := h.Await(from, `^health: `)
			return err == nil && strings.HasSuffix(line, fmt.Sprintf(" %d players", standing))
		})
		t.Logf("%s: all play on after %v", what, time.Since(since))
	}
	in("joined")
	still := func(p *program.Process, lasts time.Duration) {
		t.Helper()
		from := len(h.Lines())
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		pass(lasts)
		if err := p.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second) // what was given up is told by then
		in(fmt.Sprintf("stopped for %v", lasts))
		for _, l := range h.Lines()[from:] {
			if strings.Contains(l, " left: ") {
				t.Errorf("stopped for %v: the host says %s", lasts, l)
			}
		}
	}
	still(bots, 3*time.Second)
	still(h, 3*time.Second)
	still(h, 15*time.Second)
	for _, down := range []time.Duration{0, longer(3*time.Second, 30*time.Second)} {
		h.Kill()
		pass(down)
		h = host()
		in(fmt.Sprintf("killed, and started again after %v", down))
	}
	bots.End(syscall.SIGINT)
	if code, err := bots.Ended(); code != 0 || err != nil {
		t.Errorf("the players ended with %d, %v\n%s", code, err, bots.Tail(12))
	}
	n := 0
	for _, l := range bots.Lines() {
		if m := stayedLine.FindStringSubmatch(l); m != nil {
			if n++; m[1] == "0" { // a host that is back at once may not be missed at all
				t.Errorf("expected that the player came back: %s", l)
			}
		}
	}
	if n != standing {
		t.Errorf("%d of %d players are told of\n%s", n, standing, bots.Tail(12))
	}
}
