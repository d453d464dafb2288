package comeback

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

func reason(code string) link.Reason { return link.Reason{Code: code, Text: "text of " + code} }

// in is a machine whose player is in since 0.
func in(t *testing.T, o Options) *Machine {
	t.Helper()
	m := New(o)
	if !m.Due(0) || m.Due(0) || m.Joined(0) || m.State() != In {
		t.Fatalf("%v after the first dial", m.State())
	}
	return m
}

// Which reasons a player comes back from when in, and while returning (R8.8, W1.4).
func TestReasons(t *testing.T) {
	for code, want := range map[string]struct{ in, returning, stopped bool }{
		link.Restarted: {true, true, true}, "timeout": {true, true, true}, "unreachable": {true, true, true}, "carrier": {true, true, true}, "lost": {true, true, true},
		"full": {false, true, false}, "busy": {false, true, false}, "address": {false, true, false},
		"stopping": {false, false, true}, "closed": {false, false, true}, "restart": {false, false, true},
		"kicked": {}, "banned": {}, "draining": {}, "not_whitelisted": {}, "replaced": {}, "version": {}, "password": {}, "table": {}, "server_key": {}, "quit": {}, "offences": {}, "": {},
	} {
		m := in(t, Options{})
		if got := m.Ended(time.Minute, reason(code)); got != want.in || (m.State() == Over) == want.in {
			t.Errorf("%q of a player who is in: again %t, %v", code, got, m.State())
		}
		m = in(t, Options{})
		m.Ended(time.Minute, reason("timeout"))
		m.Due(2 * time.Minute)
		if got := m.Ended(2*time.Minute, reason(code)); got != want.returning {
			t.Errorf("%q of a player who returns: again %t", code, got)
		}
		m = in(t, Options{Stopped: true})
		if got := m.Ended(time.Minute, reason(code)); got != want.stopped {
			t.Errorf("%q with Stopped: again %t", code, got)
		}
		m = New(Options{Stopped: true})
		m.Due(0)
		if m.Ended(time.Second, reason(code)) || m.State() != Over {
			t.Errorf("%q of a player who was never in: tried again", code)
		}
	}
}

// Waits grow to a bound, lie within half of themselves, follow from the seed, and end with the time to try.
func TestWaits(t *testing.T) {
	run := func(seed uint64) (waits []time.Duration, end time.Duration) {
		m := in(t, Options{Seed: seed})
		now := time.Minute
		for m.Ended(now, reason("unreachable")) {
			if m.Due(m.at-1) || m.State() != Waiting {
				t.Fatal("a dial before its time")
			}
			waits = append(waits, m.at-now)
			if now = m.at; !m.Due(now) || m.Due(now) || m.State() != Returning || m.Tries() != len(waits) {
				t.Fatalf("%v at the time of a dial, %d tries", m.State(), m.Tries())
			}
			now += 100 * time.Millisecond
		}
		if m.State() != Over || m.Due(now+time.Hour) || !strings.HasPrefix(m.Line(), "gave up after ") {
			t.Errorf("at the end: %v, %q", m.State(), m.Line())
		}
		return waits, now - time.Minute
	}
	a, end := run(1)
	b, _ := run(1)
	c, _ := run(2)
	if fmt.Sprint(a) != fmt.Sprint(b) || fmt.Sprint(a) == fmt.Sprint(c) {
		t.Errorf("waits do not follow from the seed: %v, %v, %v", a, b, c)
	}
	if end > DefaultWithin || end < DefaultWithin-2*mostWait {
		t.Errorf("tried for %v", end)
	}
	base := firstWait
	for i, w := range a {
		if w < base/2 || w >= base+base/2 {
			t.Errorf("wait %d is %v, of %v", i, w, base)
		}
		base = min(mostWait, 2*base)
	}
}

// A player who is back begins again only after they have stayed: a host that lets in and drops is not dialled forever.
func TestSettled(t *testing.T) {
	m := in(t, Options{})
	now, dials := time.Minute, 0
	for m.Ended(now, reason("timeout")) {
		now = m.at
		m.Due(now)
		if !m.Joined(now) || m.Joined(now) || !strings.HasPrefix(m.Line(), "connected again after ") {
			t.Fatalf("not back: %q", m.Line())
		}
		if dials++; dials > 100 {
			t.Fatal("a host that drops everybody is dialled for ever")
		}
		now += settled - 1
	}
	m = in(t, Options{})
	for now = time.Minute; now < time.Hour; now += settled {
		if !m.Ended(now, reason("timeout")) || m.at-now >= firstWait+firstWait/2 {
			t.Fatalf("after having settled: %v, a wait of %v", m.State(), m.at-now)
		}
		now = m.at
		m.Due(now)
		m.Joined(now)
	}
	if m.Times() < 100 {
		t.Errorf("back %d times", m.Times())
	}
}

func TestLines(t *testing.T) {
	m := in(t, Options{})
	m.Ended(time.Minute, reason("timeout"))
	if !strings.HasPrefix(m.Line(), "connection lost (text of timeout); trying again in ") || !strings.HasSuffix(m.Line(), " s") {
		t.Errorf("%q", m.Line())
	}
	m.Leave()
	if m.State() != Over || m.Due(time.Hour) || m.Ended(time.Hour, reason("timeout")) || m.Joined(time.Hour) || m.State() != Over {
		t.Error("who left came back")
	}
	if m = in(t, Options{Within: -1}); m.Ended(time.Minute, reason("timeout")) {
		t.Error("who wants none came back")
	}
}

// The table of docs/states.md holds exactly the transitions there are, and its diagram has the arrows of the table.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	part := string(text)
	written := map[string]bool{}
	for line := range strings.SplitSeq(part, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 5 && !strings.Contains(cells[1], "-") && strings.TrimSpace(cells[1]) != "from" {
			written[strings.TrimSpace(cells[1])+" → "+strings.TrimSpace(cells[2])] = true
		}
	}
	// Every state, and every event in it.
	found1 := map[string]bool{}
	at := 5 * time.Minute
	for _, s := range States {
		for _, event := range []func(*Machine){
			func(m *Machine) { m.Due(at) }, func(m *Machine) { m.Joined(at) }, func(m *Machine) { m.Leave() },
			func(m *Machine) { m.Ended(at, reason("timeout")) }, func(m *Machine) { m.Ended(at, reason("kicked")) },
			func(m *Machine) { m.Ended(at+time.Hour, reason("timeout")) }, func(m *Machine) { m.Ended(at, reason(link.Restarted)) },
			func(m *Machine) { m.Silent(at, doubt) }, func(m *Machine) { m.Silent(at, doubt-1) },
		} {
			m := New(Options{})
			m.state, m.dial, m.lost = s, s == Joining || s == Waiting, at
			event(m)
			if m.state != s {
				found1[s.String()+" → "+m.state.String()] = true
			}
		}
	}
	_, diagram, _ := strings.Cut(part, "stateDiagram-v2\n")
	diagram, _, _ = strings.Cut(diagram, "```\n")
	drawn := map[string]bool{}
	for line := range strings.Lines(diagram) {
		if from, to, ok := strings.Cut(strings.TrimSpace(line), " --> "); ok && from != "[*]" && to != "[*]" {
			drawn[from+" → "+to] = true
		}
	}
	if !maps.Equal(drawn, written) {
		t.Errorf("the diagram has the arrows %v, the table %v", drawn, written)
	}
	for _, s := range States {
		if !strings.Contains(part, "- **"+s.String()+"**: ") {
			t.Errorf("docs/states.md does not say what %v is", s)
		}
	}
	for way := range found1 { // any order: it only reports
		if !written[way] {
			t.Errorf("docs/states.md does not have %s", way)
		}
	}
	for way := range written { // any order: it only reports
		if !found1[way] {
			t.Errorf("docs/states.md has %s, which does not happen", way)
		}
	}
	for _, want := range []string{firstWait.String(), mostWait.String(), settled.String(), doubt.String(), fmt.Sprintf("%g s", DefaultWithin.Seconds())} {
		want = strings.TrimSuffix(want, "s")
		if !strings.Contains(part, strings.TrimSpace(want)) {
			t.Errorf("docs/states.md does not say %s", want)
		}
	}
}

// G15: a player who is in doubts a silent host, goes on when it is heard, and comes back without a wait where it was started again, unless it
// drops everybody.
func TestDoubting(t *testing.T) {
	m := in(t, Options{})
	if m.Silent(time.Second, doubt-1) || m.State() != In {
		t.Errorf("%v before its time", m.State())
	}
	if !m.Silent(5*time.Second, doubt) || m.State() != Doubting || !strings.HasPrefix(m.Line(), "nothing heard from the host for 4.0 s") || m.Due(time.Hour) {
		t.Errorf("%v, %q", m.State(), m.Line())
	}
	if m.Silent(6*time.Second, 5*time.Second) || !m.Silent(7*time.Second, 0) || m.State() != In || m.Times() != 0 {
		t.Errorf("%v, %q", m.State(), m.Line())
	}
	m.Silent(20*time.Second, doubt)
	if !m.Ended(21*time.Second, reason(link.Restarted)) || !m.Due(21*time.Second) || m.State() != Returning {
		t.Errorf("%v after a restart, %q", m.State(), m.Line())
	}
	m.Joined(22 * time.Second)
	if !m.Ended(23*time.Second, reason(link.Restarted)) || m.Due(23*time.Second) {
		t.Error("a host that drops everybody is dialled without a wait")
	}
	for _, s := range []State{Joining, Waiting, Returning, Over} {
		m := New(Options{})
		m.state = s
		if m.Silent(time.Minute, time.Minute) || m.State() != s {
			t.Errorf("%v doubts", s)
		}
	}
}
