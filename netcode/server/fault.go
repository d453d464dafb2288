package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Errors of scripts on clients, as clients report them (guard.md G5). A report costs a client's bandwidth and a line of
// the log at most: they are counted by place, and told once with the number of players.
const (
	// faultBurst reports of one connection are taken at once and faultRate a second from then on; more are dropped.
	faultBurst, faultRate = 16, 1.0
	// maxFaults bounds the places that are counted, until the next reload or level; reports of others are dropped.
	maxFaults = 64
	// faultWait is how long a place is counted before it is told: an error on one client is mostly one on all.
	faultWait = time.Second
	// maxFaultText bounds what is shown of the text, which is a stranger's, in bytes.
	maxFaultText = 160
)

// faultPlace is where an error arose.
type faultPlace struct {
	function, file string
	line           int
}

// clientFaults are the errors on clients since the last reload.
type clientFaults struct {
	places  map[faultPlace]*clientFault
	waiting []*clientFault // not told yet, oldest first
	dropped int
}

type clientFault struct {
	faultPlace
	text    string
	players map[uint32]bool // connections
	since   time.Duration
}

// fault takes a client's report.
func (c *Conn) fault(m *wire.Fault) {
	s := c.s
	f := &s.faults
	if c.state != playing {
		return
	}
	c.faultTokens = min(faultBurst, c.faultTokens+faultRate*(s.now-c.faultAt).Seconds())
	c.faultAt = s.now
	if c.faultTokens < 1 {
		f.dropped++
		return
	}
	c.faultTokens--
	at := faultPlace{m.Function, m.File, m.Line}
	class, function, _ := strings.Cut(m.Function, ":")
	if s.set.Classes.Find(class) == nil || !plainName(function, "_.") || !plainName(m.File, "_.-/#") { // no honest client's
		f.dropped++
		return
	}
	x := f.places[at]
	if x == nil {
		if len(f.places) == maxFaults {
			f.dropped++
			return
		}
		if f.places == nil {
			f.places = map[faultPlace]*clientFault{}
		}
		text := m.Text
		if len(text) > maxFaultText {
			text = strings.ToValidUTF8(text[:maxFaultText], "") + "…"
		}
		x = &clientFault{faultPlace: at, text: text, players: map[uint32]bool{}, since: s.now}
		f.places[at] = x
		f.waiting = append(f.waiting, x)
	}
	x.players[c.ID] = true
}

// plainName reports whether a text is letters, digits and some others: what may be shown as it is.
func plainName(s, others string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)) {
			return false
		}
	}
	return true
}

// tellFaults reports what was counted for long enough.
func (s *Server) tellFaults() {
	f := &s.faults
	for len(f.waiting) > 0 && s.now-f.waiting[0].since >= faultWait {
		x := f.waiting[0]
		f.waiting[0] = nil
		f.waiting = f.waiting[1:]
		where := x.function
		if x.file != "" {
			where += fmt.Sprintf(": %s:%d", x.file, x.line)
		}
		players, n := "1 player", len(x.players)
		if n > 1 {
			players = fmt.Sprintf("%d players", n)
		}
		more := ""
		if f.dropped > 0 {
			more = fmt.Sprintf("; %d other reports of clients dropped", f.dropped)
			f.dropped = 0
		}
		s.report(engine.SevWarning, fmt.Sprintf("script error on the machines of %s: %s: %q%s", players, where, x.text, more))
	}
}

// forgetFaults begins anew: the code is another.
func (s *Server) forgetFaults() { s.faults = clientFaults{} }
