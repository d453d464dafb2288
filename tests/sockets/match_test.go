//go:build unix

package sockets

import (
	"fmt"
	"net/netip"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/tests/tier"
)

// bout is the sample match without an end.
const bout = `
local Bout = class("Bout", "DeathMatch")
Bout.defaults { GoalScore = 0, TimeLimit = 0, PostMatchTime = 3600 }
`

// matchLine is the line to the players of TestMatch: 100 ms there and back, 2 % of datagrams lost each way.
var matchLine = impair.Rule{Lag: 50 * time.Millisecond, Loss: 0.02}

// TestMatch: sixteen bots play the sample match, eight of them full clients over bad lines. No script fails, nobody
// is lost, every byte is accounted for, and in the end every client's table of scores is the server's.
func TestMatch(t *testing.T) {
	tier.Change(t)
	inFull(t)
	const each = 8
	lasts := longer(10*time.Second, time.Minute)
	if *matchFor > 0 {
		lasts = *matchFor
	}
	// All know the level's ways from the start: what is tried is not how fast a busy machine finds them twice.
	graphs := &navigation.Cache{}
	h := startHost(t, hostConfig{level: fmt.Sprintf("arena?game=Bout?bots=%d?skill=4", each), more: bout, navigation: graphs})
	line := badLine(t, h.link.Addr(), matchLine, 7)
	k, err := newCrowd(crowdConfig{Addr: line.Addr(), Full: each, Seed: 5, Brain: true, Navigation: graphs})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.run(); err != nil {
		t.Fatal(err)
	}
	ended := sync.OnceFunc(func() {
		if err := k.end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(ended)
	until(t, "all players in", func() bool {
		r := k.report()
		for _, f := range r.Faults {
			t.Fatal(f)
		}
		return r.In == each
	})
	h.do(func() { h.ticks, h.work, h.dropped = h.ticks[:0], h.work[:0], 0 })

	pass(lasts)
	attributed(t, h, line)
	h.do(func() {
		if _, err := h.match.VM.Call(h.match.Game, "EndMatch", engine.String("the test is over")); err != nil {
			t.Error(err)
		}
	})
	// What is the server's comes to everybody, however much is lost.
	var want string
	h.do(func() { want = scores(h.match.World) })
	until(t, "the server's scores at every client", func() bool {
		same := true
		if err := k.each(func(f *fullPlayer) { same = same && f.player.World() != nil && scores(f.player.World()) == want }); err != nil {
			t.Fatal(err)
		}
		return same
	})
	h.do(func() {
		t.Logf("tick of the server: p50 %.2f ms, p99 %.2f ms of a processor; %d of %d ticks dropped", ms(quantile(h.work, 0.5)), ms(quantile(h.work, 0.99)), h.dropped, len(h.work)+h.dropped)
	})
	t.Logf("scores (name score deaths):\n%s", want)
	for _, f := range k.report().Faults {
		t.Error(f)
	}
	h.quiet(comeAgain)
	ended()
}

// handshakes is the most packets that a player's handshake takes of the host, with what the line loses.
const handshakes = 16

// attributed checks that every byte to the players is told by class, variable, function or as the carrier's own, that what is told adds up to the
// packets with 28 bytes each, and those to what the socket at the other end was given (R13.1).
func attributed(t *testing.T, h *host, line *impair.Proxy) {
	t.Helper()
	h.do(func() {
		s := h.door.Server()
		var bytes, packets uint64
		told := func(conn uint32, want uint64) {
			var sum, waiting uint64
			for _, e := range inspect.TrafficOf(s, conn) {
				if e.Kind == "waiting" {
					waiting = e.Bytes
				} else {
					sum += e.Bytes
				}
			}
			if sum-waiting != want {
				t.Errorf("connection %d: %d bytes are told, %d of them not sent yet, and %d were sent", conn, sum, waiting, want)
			}
		}
		players := inspect.Connections(s)
		for _, c := range players {
			told(c.ID, c.BytesOut)
			bytes += c.BytesOut
			packets += c.PacketsOut
		}
		told(0, bytes)
		c := h.link.Counters()
		if own := c.PacketsOut - packets; own > uint64(handshakes*len(players)) {
			t.Errorf("%d of %d packets belong to no player", own, c.PacketsOut)
		}
		// The host is between two ticks and sends nothing; what it sent is on its way through this machine.
		var came uint64
		for range 200 {
			if _, came = line.Came(); came == c.PacketsOut {
				break
			}
			pass(10 * time.Millisecond)
		}
		pass(20 * time.Millisecond) // the line takes what came every millisecond
		st := line.Stats()
		switch {
		case came != c.PacketsOut || st.Overrun > 0:
			t.Logf("of %d packets %d came through this machine, whose queues were full: their bytes are not compared", c.PacketsOut, came)
			if st.DownInBytes >= c.BytesOut {
				t.Errorf("%d bytes of fewer packets came, and %d were sent", st.DownInBytes, c.BytesOut)
			}
		case st.DownInBytes != c.BytesOut:
			t.Errorf("the socket was given %d bytes, and the host counts %d", st.DownInBytes, c.BytesOut)
		}
		t.Logf("%d bytes in %d packets, %d of them for players by class, variable, function and carrier", c.BytesOut, c.PacketsOut, bytes)
	})
}

// badLine is a proxy before a host, which does the same to both ways. It is polled every millisecond until the test's end.
func badLine(t *testing.T, to netip.AddrPort, rule impair.Rule, seed uint64) *impair.Proxy {
	t.Helper()
	p, err := impair.NewProxy(to, rule, rule, seed)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	var wait sync.WaitGroup
	wait.Go(func() { p.Run(tick.C) })
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wait.Wait()
		tick.Stop()
	})
	return p
}

// scores is a peer's table of scores.
func scores(w *engine.World) string {
	var lines []string
	for _, a := range w.ActorsOf("PlayerReplicationInfo") {
		get := func(name string) engine.Value { return a.Get(a.Class.Property(name)) }
		lines = append(lines, fmt.Sprintf("%s %g %g", get("PlayerName").Str, get("Score").Num, get("Deaths").Num))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
