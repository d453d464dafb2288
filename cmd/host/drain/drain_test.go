package drain_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/netcode/link"
)

// host is one whose players the test moves. It notes what a drain does.
type host struct {
	t      *testing.T
	drain  *drain.Drain
	log    bytes.Buffer
	did    []string
	in     int // players, who are gone by Disconnect
	away   int // on the way to others
	coming int
	known  map[string]bool // who may return
	at     map[string]drain.Standing
	stored bool
	asked  int // how often the game was asked who may return
	ways   map[string]bool
}

func newHost(t *testing.T, players int) *host {
	h := &host{t: t, in: players, known: map[string]bool{}, at: map[string]drain.Standing{}, stored: true, ways: map[string]bool{}}
	h.drain = drain.New(drain.Options{
		Host: h, Log: slog.New(slog.NewTextHandler(&h.log, nil)), Usual: 10 * time.Minute,
		Trace: func(from, to drain.Phase) { h.ways[from.String()+" → "+to.String()] = true },
	})
	return h
}

func (h *host) note(format string, args ...any) { h.did = append(h.did, fmt.Sprintf(format, args...)) }
func (h *host) Announce(text string)            { h.note("say %s", text) }
func (h *host) TurnAway(why link.Reason) {
	h.note("turn away %s in phase %v", why.Code, h.drain.Phase())
}
func (h *host) Evacuate()                          { h.note("evacuate") }
func (h *host) OnTheWay() int                      { return h.away }
func (h *host) Arriving() int                      { return h.coming }
func (h *host) Players() int                       { return h.in }
func (h *host) Empty() bool                        { return h.in == 0 }
func (h *host) Standing(key string) drain.Standing { return h.at[key] }
func (h *host) Stored() bool                       { return h.stored }
func (h *host) Travel(url string)                  { h.note("travel to %s", url) }
func (h *host) Changed(is bool)                    { h.note("changed to %t", is) }
func (h *host) Disconnect(why link.Reason) (told bool) {
	h.note("disconnect %s", why.Text)
	h.in = 0
	return true
}

func (h *host) MayReturn(key string) bool {
	h.asked++
	return key == "" && len(h.known) > 0 || h.known[key]
}

// check compares what was done since the last time.
func (h *host) check(want ...string) {
	h.t.Helper()
	if !slices.Equal(h.did, want) {
		h.t.Errorf("it did\n%s\nwant\n%s", strings.Join(h.did, "\n"), strings.Join(want, "\n"))
	}
	h.did = nil
}

func (h *host) phase(want drain.Phase) {
	h.t.Helper()
	if got := h.drain.Phase(); got != want {
		h.t.Fatalf("in phase %v, want %v\n%s", got, want, h.log.String())
	}
}

func (h *host) steps(seconds float64) {
	for range int(seconds * 10) {
		h.drain.Step(0.1)
	}
}

func (h *host) start(seconds float64) string { return h.drain.Start(&seconds) }

// TestRound: a drain that waits for the end of its round, with everything that it does on the way, in order (C7).
func TestRound(t *testing.T) {
	h := newHost(t, 2)
	if h.drain.EndsRound("steps") {
		t.Error("in service it keeps the match from travelling")
	}
	if got, want := h.drain.Start(nil), "draining: no new players; the host ends after this round, in 10m0s at the latest"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	h.check("turn away draining in phase draining", "changed to true", "say This server goes out of service after this round, in 10 minutes at the latest.")
	h.steps(2)
	h.check()
	if !h.drain.EndsRound("steps") {
		t.Error("the match travels")
	}
	h.phase(drain.Leaving)
	h.check("say The round is over, and this server goes out of service.", "turn away draining in phase leaving", "evacuate")
	h.steps(drain.ReadFor - 0.5)
	h.phase(drain.Leaving)
	h.steps(1)
	h.phase(drain.Storing)
	h.check("disconnect " + drain.RoundOver)
	h.steps(drain.GoodbyeFor + 0.2)
	h.phase(drain.Drained)
	if err := <-h.drain.Over(); err != nil {
		t.Error(err)
	}
	if _, err := h.drain.Stop(); !errors.Is(err, drain.ErrGone) {
		t.Errorf("off after that: %v", err)
	}
	h.check()
}

// TestTime: a round that does not end is cut short, and players are told a minute before that; without a time it is not.
func TestTime(t *testing.T) {
	h := newHost(t, 1)
	h.start(300)
	h.did = nil
	h.drain.Step(239)
	h.check()
	h.drain.Step(1)
	h.drain.Step(1)
	h.check("say This server goes out of service in one minute.")
	h.drain.Step(59)
	h.phase(drain.Leaving)
	h.check("say The time is over, and this server goes out of service.", "turn away draining in phase leaving", "evacuate")

	h = newHost(t, 1)
	h.start(0)
	h.drain.Step(1e6)
	h.phase(drain.Draining)
	if !math.IsInf(h.drain.Left(), 1) {
		t.Errorf("%g s are left", h.drain.Left())
	}
}

// TestOnTheWay: those who are on the way to other hosts have as long as the hop may take, because they may come back.
func TestOnTheWay(t *testing.T) {
	h := newHost(t, 1)
	h.start(0.1)
	h.steps(1)
	h.away = 1
	h.steps(10)
	h.phase(drain.Leaving)
	h.away, h.in = 0, 0
	h.drain.Step(0.1)
	h.phase(drain.Storing)

	h = newHost(t, 1) // who comes back is sent on once, and has time to read
	h.start(0.1)
	h.steps(0.2)
	h.phase(drain.Leaving)
	h.away = 1
	h.steps(10)
	h.did, h.away = nil, 0
	h.steps(drain.ReadFor - 0.5)
	h.phase(drain.Leaving)
	h.check("evacuate")
	h.steps(1)
	h.phase(drain.Storing)
	h.check("disconnect " + drain.TimeOver)

	h = newHost(t, 1)
	h.away = 1
	h.start(0.1)
	h.steps(place.Offered.Seconds() - 1)
	h.phase(drain.Leaving)
	h.steps(2)
	h.phase(drain.Storing)
}

// TestDeserted: an empty host ends at once, but not while somebody may return, is on the way here, or has not arrived elsewhere; the game
// is asked once a second.
func TestDeserted(t *testing.T) {
	for name, wait := range map[string]func(h *host, is bool){
		"may return":  (*host).set,
		"comes":       func(h *host, is bool) { h.coming = map[bool]int{true: 1}[is] },
		"may be back": func(h *host, is bool) { h.away = map[bool]int{true: 1}[is] },
	} { // any order: each by itself
		h := newHost(t, 0)
		wait(h, true)
		h.drain.Start(nil)
		h.steps(20)
		if h.drain.Phase() != drain.Draining || h.asked > 21 {
			t.Errorf("while a player %s, the phase is %v; the game was asked %d times", name, h.drain.Phase(), h.asked)
		}
		wait(h, false)
		h.steps(1.1)
		if h.drain.Phase() != drain.Storing {
			t.Errorf("when no player %s, the phase is %v", name, h.drain.Phase())
		}
	}
}

func (h *host) set(known bool) {
	clear(h.known)
	if known {
		h.known["ann"] = true
	}
}

// TestRefuses: who may come in, phase by phase.
func TestRefuses(t *testing.T) {
	h := newHost(t, 1)
	h.known["kept"] = true
	h.at = map[string]drain.Standing{"inside": drain.Inside, "back": drain.Returning, "coming": drain.Coming}
	check := func(want ...string) {
		t.Helper()
		var in []string
		for _, key := range []string{"", "new", "kept", "inside", "back", "coming"} {
			if why := h.drain.Refuses(key); why == nil {
				in = append(in, key)
			} else if why.Code != "draining" || why.Text != drain.RefusedText {
				t.Errorf("%s is told %v", key, why)
			}
		}
		if !slices.Equal(in, want) {
			t.Errorf("in phase %v it admits %q, want %q", h.drain.Phase(), in, want)
		}
	}
	check("", "new", "kept", "inside", "back", "coming")
	h.start(0.1)
	check("kept", "inside", "back", "coming")
	h.steps(0.3)
	h.phase(drain.Leaving)
	check("kept", "inside", "back")
	h.steps(drain.ReadFor + 0.2)
	h.phase(drain.Storing)
	check()
	h.steps(2)
	h.phase(drain.Drained)
	check()
}

// TestStores: the host ends when everything is stored, or with an error when it is not.
func TestStores(t *testing.T) {
	for _, answers := range []bool{true, false} {
		h := newHost(t, 0)
		h.stored = false
		h.drain.Start(nil)
		h.steps(10)
		h.phase(drain.Storing)
		h.stored = answers
		h.steps(drain.StoreFor)
		h.phase(drain.Drained)
		if err := <-h.drain.Over(); (err == nil) != answers {
			t.Errorf("stored %t: %v", answers, err)
		}
	}
}

// TestAsked: other goroutines ask, and the last of them is heard with the next step.
func TestAsked(t *testing.T) {
	h := newHost(t, 1)
	h.drain.AskWithin(time.Millisecond) // no time is not the shortest one
	h.phase(drain.InService)
	h.drain.Step(0.1)
	if h.phase(drain.Draining); h.drain.Left() > 1 {
		t.Errorf("%g s are left", h.drain.Left())
	}
	if notes := h.drain.Notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], "draining: ") {
		t.Errorf("the status says %q", notes)
	}
	h.drain.EndsRound("steps")
	h.did = nil
	h.drain.AskOff()
	h.drain.Step(0.1)
	h.phase(drain.InService)
	h.check("changed to false", "say This server stays in service.", "travel to steps")
	if notes := h.drain.Notes(); notes != nil {
		t.Errorf("the status says %q", notes)
	}
	h.drain.Ask()
	h.drain.Step(0.1)
	if h.phase(drain.Draining); h.drain.Held() != "" {
		t.Errorf("another drain holds a travel to %q", h.drain.Held())
	}
}

// TestDrawn: docs/cluster.md draws the ways that a drain takes, and no others.
func TestDrawn(t *testing.T) {
	h := newHost(t, 1)
	off := func() {
		t.Helper()
		if _, err := h.drain.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	h.drain.Start(nil)
	off()
	h.start(0.1)
	h.steps(0.5)
	h.phase(drain.Leaving)
	off()
	h.start(0.1)
	h.steps(10)
	h.phase(drain.Drained)
	empty := newHost(t, 0)
	empty.ways = h.ways
	empty.drain.Start(nil)
	empty.steps(5)
	empty.phase(drain.Drained)
	happened := h.ways

	b, err := os.ReadFile("../../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(b), "\n## Taking a host out of service\n")
	_, part, _ = strings.Cut(part, "stateDiagram-v2\n")
	drawing, table, _ := strings.Cut(part, "```\n")
	table, _, _ = strings.Cut(strings.TrimSpace(table), "\n\n")
	drawn, listed := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(drawing) {
		if from, to, ok := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "_", " "), " --> "); ok && from != "[*]" && to != "[*]" {
			drawn[from+" → "+to] = true
		}
	}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && !strings.Contains(line, "---") && strings.TrimSpace(cells[2]) != "becomes" {
			listed[strings.TrimSpace(cells[1])+" → "+strings.TrimSpace(cells[2])] = true
		}
	}
	for what, ways := range map[string]map[string]bool{"the diagram": drawn, "the table": listed} { // any order: each by itself
		if !maps.Equal(ways, happened) {
			t.Errorf("%s of docs/cluster.md has %v, and %v happen", what, ways, happened)
		}
	}
	for _, want := range []string{"three seconds", fmt.Sprintf("%d seconds", drain.StoreFor), fmt.Sprintf("%g seconds", place.Offered.Seconds())} {
		if !strings.Contains(table, want) {
			t.Errorf("the table of docs/cluster.md does not say %s", want)
		}
	}
}
