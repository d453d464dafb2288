package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Script errors on clients, as clients report them (G5). A report costs at most a client's bandwidth and a log
// line: reports are counted by place, and logged with the number of players, once and at every power of ten.
const (
	// faultBurst reports of one connection are accepted at once and faultRate per second from then on; more are
	// dropped.
	faultBurst, faultRate = 16, 1.0
	// maxFaults bounds the places that are counted, until the next reload or level. maxFaultsOf bounds those that
	// one connection was the first to report, so that a client that invents places does not hide the reports of
	// others. Further reports are dropped.
	maxFaults, maxFaultsOf = 256, 8
	// maxFaultPlayers bounds the players that are counted separately at one place.
	maxFaultPlayers = 4096
	// faultWait is how long a place is counted before it is logged: an error on one client usually happens on all.
	faultWait = time.Second
	// maxFaultText bounds how much of the text, which is untrusted, is shown, in bytes.
	maxFaultText = 160
)

// faultPlace is where an error occurred.
type faultPlace struct {
	function, file string
	line           int
}

// clientFaults holds the errors on clients since the last reload.
type clientFaults struct {
	places  map[faultPlace]*clientFault
	waiting []*clientFault // to be logged, oldest first
	// dropped reports are not counted by place; they are logged when there are toldDropped of them.
	dropped, toldDropped int
}

type clientFault struct {
	faultPlace
	text    string
	players map[uint32]bool // connections
	reports int
	next    int // it is logged again at this number of reports
	since   time.Duration
	// first and last are the world's time.
	first, last float64
}

// ClientFault is a script error on clients, as they reported it. Function and File are plain names of letters, digits and
// few other characters; Text is untrusted.
type ClientFault struct {
	Function, File string // Class:Function
	Line           int
	Text           string // of the first report, at most 160 bytes
	// Reports is how many there were, Players from how many connections, and Names some of those that are still there,
	// untrusted text of one line.
	Reports, Players int
	Names            []string
	// First and Last are the world's time of the first and of the last report, in seconds.
	First, Last float64
}

// maxFaultNames bounds the players that ClientFaults names for a place.
const maxFaultNames = 4

// ClientFaults returns the script errors that clients reported since the last reload or level, each place once, the latest
// first, and how many reports were dropped: there were too many, or they named no function of the match.
func (s *Server) ClientFaults() (list []ClientFault, dropped int) {
	for _, x := range s.faults.places { // any order: sorted below
		f := ClientFault{
			Function: x.function, File: x.file, Line: x.line, Text: x.text, Reports: x.reports, Players: len(x.players), First: x.first, Last: x.last,
		}
		for _, c := range s.conns {
			if x.players[c.ID] && len(f.Names) < maxFaultNames {
				f.Names = append(f.Names, c.Name)
			}
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b ClientFault) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Function, b.Function))
	})
	return list, s.faults.dropped
}

// fault handles a client's report.
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
	if s.set.Classes.Find(class) == nil || !plainName(function, "_.") || !plainName(m.File, "_.-/#") { // not from an honest client
		f.dropped++
		return
	}
	x := f.places[at]
	if x == nil {
		if len(f.places) == maxFaults || c.faultsBegun == maxFaultsOf {
			f.dropped++
			return
		}
		if f.places == nil {
			f.places = map[faultPlace]*clientFault{}
		}
		c.faultsBegun++
		x = &clientFault{faultPlace: at, text: short(m.Text, maxFaultText), players: map[uint32]bool{}, next: 1, first: s.world.Time}
		f.places[at] = x
	}
	x.last = s.world.Time
	if len(x.players) < maxFaultPlayers {
		x.players[c.ID] = true
	}
	if x.reports++; x.reports == x.next {
		x.since = s.now
		f.waiting = append(f.waiting, x)
	}
}

// plainName reports whether a text consists of letters, digits and the characters in others, so that it may be
// shown as it is.
func plainName(s, others string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)) {
			return false
		}
	}
	return true
}

// tellFaults logs places that were counted for long enough: once, and again when a place has ten times as many
// reports.
func (s *Server) tellFaults() {
	f := &s.faults
	for len(f.waiting) > 0 && s.now-f.waiting[0].since >= faultWait {
		x := f.waiting[0]
		f.waiting[0] = nil
		f.waiting = f.waiting[1:]
		for x.next <= x.reports {
			x.next *= 10
		}
		where := x.function
		if x.file != "" {
			where += fmt.Sprintf(": %s:%d", x.file, x.line)
		}
		s.tellFault(fmt.Sprintf("script error on the machines of %s, reported %s: %s: %q", engine.Counted(len(x.players), "player"), engine.Counted(x.reports, "time"), where, x.text))
	}
	if f.dropped > f.toldDropped {
		s.tellFault(engine.Counted(f.dropped, "report") + " of script errors on clients dropped: too many, or of nothing that there is")
		f.toldDropped = 10 * f.dropped
	}
}

func (s *Server) tellFault(text string) {
	s.tell(Event{Kind: EventClientFault, Severity: engine.SevWarning, Text: text})
}

// forgetFaults starts over, because the code has changed.
func (s *Server) forgetFaults() {
	s.faults = clientFaults{}
	for _, c := range s.conns {
		c.faultsBegun = 0
	}
}
