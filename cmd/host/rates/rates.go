// Package rates keeps what a server's players were sent in each of the last seconds, by class, variable, function and connection,
// for a chart over time.
//
// It owns a ring of samples, which one goroutine fills between two ticks and any goroutine reads. It deliberately does not: decide when
// to sample (package admin does, while somebody looks, BenchmarkSample64), count anything itself (package traffic does), or know HTTP.
//
// Invariant: every byte of a connection's counters is in one sample at most, and in one exactly if nothing was missed for longer than longestGap.
//
// Guarantees: The sums are those of package traffic; sampled only while an inspector is open.
package rates

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
)

const (
	// Every is the least time between two samples, Kept how many are kept: five minutes.
	Every = time.Second
	Kept  = 300
	// maxCells bounds the figures in all samples, 12 bytes each; beyond it the oldest samples are dropped first.
	maxCells = 1 << 20
	// longestGap is the longest time between two calls of Sample of which the second counts: what was sent in a longer one cannot be told by second.
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
	mu sync.Mutex
	ring
}

// ring is what Rates has of one server.
type ring struct {
	of      *server.Server
	at      time.Time // of the last sample
	called  time.Time // Sample, last
	begins  bool      // what is being read is where samples begin
	names   []named
	index   map[string]uint16
	players map[uint32]string
	readers map[uint32]*reader // by the number of the connection
	samples []sample
	cells   int

	// next is the sample that is being filled, and round its number.
	next  sample
	round int
	// members are the numbers of the names of namesOf's members, by class, noName where nothing was sent yet.
	members [][]uint16
	namesOf *schema.Set
}

// noName is a member without a name.
const noName uint16 = math.MaxUint16

// reader is how far a connection's counters were read.
type reader struct {
	round int      // the last that it was read in
	sent  []uint64 // by the number of the name
	// members is what it was sent of the members of of, by class; since is of traffic.Counters.EachBytes.
	members [][]uint64
	of      *schema.Set
	since   uint32
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

// Sample adds what was sent since the last sample, once Every has passed. It is called about ten times in that time: each call reads as many
// connections as the time that has passed is of it, at most an eighth of them and a few, so that all calls cost about the same; the sample ends when
// all have been read. The figures of a connection are therefore those of a second of its own, which ended up to a second before the sample. It must run on the goroutine that owns the server, between two
// ticks; s may be nil. With another server it begins again.
func (r *Rates) Sample(now time.Time, s *server.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s != r.of || r.index == nil {
		r.ring = ring{of: s, index: map[string]uint16{}, players: map[uint32]string{}, readers: map[uint32]*reader{}}
	}
	if s == nil {
		return
	}
	if now.Sub(r.called) > longestGap {
		r.begins, r.next = true, sample{}
		r.round++
	}
	r.called = now
	gap := now.Sub(r.at)
	n := 0
	s.Connections(func(*server.Conn) { n++ })
	due, most, left := n, n/8+8, 0 // due is how many are to be read by now
	if !r.begins && gap < Every {
		due = int(float64(n) * gap.Seconds() / Every.Seconds())
	}
	i := 0
	s.Connections(func(c *server.Conn) {
		i++
		switch x := r.reader(c); {
		case x.round == r.round:
		case i > due || most == 0:
			left++
		default:
			most--
			x.round = r.round
			r.players[c.ID] = c.Name
			r.connection(x, c)
		}
	})
	if left > 0 || !r.begins && gap < Every {
		return
	}
	for id, x := range r.readers { // any order: each on its own
		if x.round != r.round {
			delete(r.readers, id)
		}
	}
	x := r.next
	x.at, x.seconds = now, gap.Seconds()
	r.at, r.next = now, sample{cells: make([]cell, 0, len(x.cells)+len(x.cells)/8)}
	r.round++
	if r.begins {
		r.begins = false
		return
	}
	r.samples = append(r.samples, x)
	r.cells += len(x.cells)
	for len(r.samples) > Kept || r.cells > maxCells && len(r.samples) > 1 {
		r.cells -= len(r.samples[0].cells)
		r.samples = slices.Delete(r.samples, 0, 1)
	}
}

// reader returns what was read of a connection.
func (r *Rates) reader(c *server.Conn) *reader {
	x := r.readers[c.ID]
	if x == nil {
		x = &reader{round: -1}
		r.readers[c.ID] = x
	}
	return x
}

// connection adds what a connection was sent since it was read last to the next sample.
func (r *Rates) connection(x *reader, c *server.Conn) {
	t := &c.Traffic
	if set := t.Bound(); set != x.of { // at first, and after a reload, which counts what was before it by name alone
		r.whole(x, c)
		x.of, x.members = set, nil
		x.since = t.EachBytes(0, func(class, member int, bytes uint64) { *memberOf(&x.members, class, member, 0) = bytes })
		return
	}
	if x.of != r.namesOf {
		r.members, r.namesOf = nil, x.of
	}
	x.since = t.EachBytes(x.since, func(class, member int, bytes uint64) {
		if before := memberOf(&x.members, class, member, 0); bytes != *before {
			r.add(x, c, r.memberName(class, member), bytes-*before)
			*before = bytes
		}
	})
	r.overhead(x, c)
}

// whole reads all counters of a connection by their names.
func (r *Rates) whole(x *reader, c *server.Conn) {
	other := uint64(0)
	c.Traffic.Each(func(kind traffic.Kind, name string, e traffic.Entry) {
		if _, known := r.index[name]; !known && len(r.names) >= maxNames {
			other += e.Bytes
			return
		}
		r.upTo(x, c, r.nameOf(kind, name), e.Bytes)
	})
	r.upTo(x, c, r.nameOf(traffic.Class, otherName), other)
	r.overhead(x, c)
}

// overhead reads what belongs to no class.
func (r *Rates) overhead(x *reader, c *server.Conn) {
	r.upTo(x, c, r.nameOf(traffic.Class, "(headers)"), c.Traffic.Headers.Bytes)
	r.upTo(x, c, r.nameOf(traffic.Class, "(control)"), c.Traffic.Control.Bytes)
	r.upTo(x, c, r.nameOf(traffic.Class, "(files)"), c.Traffic.Files.Bytes)
}

// upTo adds what a connection was sent of a name since its bytes were read last.
func (r *Rates) upTo(x *reader, c *server.Conn, n uint16, bytes uint64) {
	if before := *x.name(n); bytes > before {
		r.add(x, c, n, bytes-before)
	}
}

// add adds bytes to the next sample.
func (r *Rates) add(x *reader, c *server.Conn, n uint16, more uint64) {
	*x.name(n) += more
	r.next.cells = append(r.next.cells, cell{c.ID, n, uint32(min(more, math.MaxUint32))})
}

// name returns what was read of a name.
func (x *reader) name(n uint16) *uint64 { return element(&x.sent, int(n), 0) }

// memberOf returns what a list has of a class's member; what it lacks is filled with fill.
func memberOf[T any](list *[][]T, class, member int, fill T) *T {
	return element(element(list, class, nil), member, fill)
}

// element returns an element of a list, which it makes longer where that is needed.
func element[T any](list *[]T, n int, fill T) *T {
	for n >= len(*list) {
		*list = append(*list, fill)
	}
	return &(*list)[n]
}

// memberName returns the number of a member's name, of the classes namesOf.
func (r *Rates) memberName(class, member int) uint16 {
	n := memberOf(&r.members, class, member, noName)
	if *n == noName {
		kind, name := traffic.MemberName(r.namesOf, class, member)
		if _, known := r.index[name]; !known && len(r.names) >= maxNames {
			kind, name = traffic.Class, otherName
		}
		*n = r.nameOf(kind, name)
	}
	return *n
}

// otherName is what is counted beyond maxNames.
const otherName = "(other)"

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
