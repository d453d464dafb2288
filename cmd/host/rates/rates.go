// Package rates keeps what a server's players were sent in each of the last seconds, by class, variable, function and connection,
// for a chart over time.
//
// It owns a ring of samples, which one goroutine fills between two ticks and any goroutine reads. It deliberately does not: decide when
// to sample (package admin does, while somebody looks: 0.2 ms a second for 64 connections, BenchmarkSample64), count anything itself (package traffic does), or know HTTP.
package rates

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
)

const (
	// Every is the least time between two samples, Kept how many are kept: five minutes.
	Every = time.Second
	Kept  = 300
	// maxCells bounds the figures in all samples, 12 bytes each; beyond it the oldest samples are dropped first.
	maxCells = 1 << 20
	// longestGap is the longest time between two samples of which the second counts: what was sent in a longer one cannot be told by second.
	longestGap = 5 * time.Second
	// maxNames bounds the names; what has none is counted as "(other)".
	maxNames = 1 << 15
)

// By is what a chart's series are.
type By uint8

const (
	// ByClass is classes with their variables and functions, and "(headers)", "(control)" and "(files)".
	ByClass By = iota
	// ByVariable and ByFunction are Class.Name.
	ByVariable
	ByFunction
	// ByConnection is players, by number and name.
	ByConnection
)

var byNames = [...]string{"class", "variable", "function", "connection"}

func (b By) String() string { return byNames[b] }

// ParseBy returns what a word means; "" is ByClass.
func ParseBy(word string) (By, error) {
	if i := slices.Index(byNames[:], cmp.Or(word, "class")); i >= 0 {
		return By(i), nil
	}
	return 0, fmt.Errorf("by is %q, expected one of %s", word, strings.Join(byNames[:], ", "))
}

// Chart is bytes over time.
type Chart struct {
	// Times are the ends of the samples, in seconds since 1970.
	Times []float64 `json:"times"`
	// Series are the largest, and "(rest)" if there are more.
	Series []Series `json:"series"`
}

// Series is one line of a chart.
type Series struct {
	Name string `json:"name"`
	// Values are payload bytes a second, one for each time.
	Values []float64 `json:"values"`
}

// Rates is the ring. The zero Rates is empty and ready.
type Rates struct {
	mu      sync.Mutex
	of      *server.Server
	at      time.Time // of the last sample
	names   []named
	index   map[string]uint16
	players map[uint32]string
	// sent is what a connection had been sent of each name by the last sample.
	sent    map[uint32][]uint64 // by the number of the name
	samples []sample
	cells   int
}

type named struct {
	text string
	kind traffic.Kind
}

// sample is what was sent in the time before it.
type sample struct {
	at      time.Time
	seconds float64
	cells   []cell
}

// cell is what one connection was sent of one name.
type cell struct {
	conn  uint32
	name  uint16
	bytes uint32
}

// Sample adds what was sent since the last one, if Every has passed. It must run on the goroutine that owns the server, between two
// ticks; s may be nil. With another server it begins again.
func (r *Rates) Sample(now time.Time, s *server.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s != r.of || r.index == nil {
		r.of, r.at, r.samples, r.cells = s, time.Time{}, nil, 0
		r.names, r.index, r.players, r.sent = nil, map[string]uint16{}, map[uint32]string{}, map[uint32][]uint64{}
	}
	gap := now.Sub(r.at)
	if s == nil || gap < Every {
		return
	}
	begins := r.at.IsZero() || gap > longestGap
	r.at = now
	x := sample{at: now, seconds: gap.Seconds()}
	here := map[uint32]bool{}
	s.Connections(func(c *server.Conn) {
		here[c.ID] = true
		r.players[c.ID] = c.Name
		before := r.sent[c.ID]
		add := func(kind traffic.Kind, name string, bytes uint64) {
			n := r.nameOf(kind, name)
			if int(n) >= len(before) {
				before = append(before, make([]uint64, len(r.names)-len(before))...)
			}
			if more := bytes - before[n]; more != 0 && bytes > before[n] {
				before[n] = bytes
				x.cells = append(x.cells, cell{c.ID, n, uint32(min(more, math.MaxUint32))})
			}
		}
		other := uint64(0)
		c.Traffic.Each(func(kind traffic.Kind, name string, e traffic.Entry) {
			if _, known := r.index[name]; !known && len(r.names) >= maxNames {
				other += e.Bytes
				return
			}
			add(kind, name, e.Bytes)
		})
		add(traffic.Class, "(other)", other)
		add(traffic.Class, "(headers)", c.Traffic.Headers.Bytes)
		add(traffic.Class, "(control)", c.Traffic.Control.Bytes)
		add(traffic.Class, "(files)", c.Traffic.Files.Bytes)
		r.sent[c.ID] = before
	})
	for id := range r.sent { // any order: each on its own
		if !here[id] {
			delete(r.sent, id)
		}
	}
	if begins {
		return
	}
	r.samples = append(r.samples, x)
	r.cells += len(x.cells)
	for len(r.samples) > Kept || r.cells > maxCells && len(r.samples) > 1 {
		r.cells -= len(r.samples[0].cells)
		r.samples = slices.Delete(r.samples, 0, 1)
	}
}

// nameOf returns the number of a name.
func (r *Rates) nameOf(kind traffic.Kind, name string) uint16 {
	n, ok := r.index[name]
	if !ok {
		n = uint16(len(r.names))
		r.index[name] = n
		r.names = append(r.names, named{name, kind})
	}
	return n
}

// Read returns the most series of a kind with the most bytes, and the sum of the others; conn is one connection's number, or 0 for all.
// It may run on any goroutine.
func (r *Rates) Read(by By, conn uint32, most int) Chart {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Chart{Times: []float64{}, Series: []Series{}}
	values, sums := map[string][]float64{}, map[string]float64{}
	for i, s := range r.samples {
		out.Times = append(out.Times, math.Round(float64(s.at.UnixMilli()))/1000)
		for _, c := range s.cells {
			name, ok := r.seriesOf(by, c)
			if !ok || conn != 0 && c.conn != conn {
				continue
			}
			if values[name] == nil {
				values[name] = make([]float64, len(r.samples))
			}
			values[name][i] += float64(c.bytes) / s.seconds
			sums[name] += float64(c.bytes)
		}
	}
	names := make([]string, 0, len(sums))
	for name := range sums { // any order: sorted below
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b)) })
	for _, name := range names[:min(most, len(names))] {
		out.Series = append(out.Series, Series{name, rounded(values[name])})
	}
	if len(names) > most {
		rest := make([]float64, len(r.samples))
		for _, name := range names[most:] {
			for i, v := range values[name] {
				rest[i] += v
			}
		}
		out.Series = append(out.Series, Series{"(rest)", rounded(rest)})
	}
	return out
}

// seriesOf returns the series that a cell counts for.
func (r *Rates) seriesOf(by By, c cell) (name string, ok bool) {
	n := r.names[c.name]
	switch by {
	case ByVariable:
		return n.text, n.kind == traffic.Property
	case ByFunction:
		return n.text, n.kind == traffic.Function
	case ByConnection:
		return fmt.Sprintf("%d %s", c.conn, r.players[c.conn]), true
	case ByClass:
	}
	class, _, _ := strings.Cut(n.text, ".")
	return class, true
}

// rounded rounds to a tenth of a byte a second, which is shorter as text.
func rounded(list []float64) []float64 {
	for i := range list {
		list[i] = math.Round(list[i]*10) / 10
	}
	return list
}
