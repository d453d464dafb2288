package metrics

import (
	"cmp"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/histogram"
)

// Phase is a part of a tick, in the order in which they run.
type Phase uint8

// The phases. PhaseOther is what runs between ticks: reloads, commands, the opening of a level.
const (
	PhaseReceive Phase = iota
	PhaseWorld
	PhaseSend
	PhaseOther
	phases
)

// String returns the value of the label phase.
func (p Phase) String() string {
	return [phases]string{"receive", "world", "send", "other"}[p]
}

// PhaseFigures are what one phase took since the host began.
type PhaseFigures struct {
	// Seconds of wall time; not measured for PhaseOther, in which the loop mostly waits.
	Seconds float64
	// Units of cost that scripts spent (instructions and the work of natives), and ScriptSeconds, how long they
	// took by the cost scale of that moment.
	Units         uint64
	ScriptSeconds float64
}

// Carrier is what brought packets.
type Carrier uint8

// The carriers. CarrierWeb is WebSocket and WebTransport.
const (
	CarrierUDP Carrier = iota
	CarrierWeb
	carriers
)

// String returns the value of the label carrier.
func (c Carrier) String() string { return [carriers]string{"udp", "web"}[c] }

// CarrierFigures count packets since the host began. Bytes include 28 for each packet, as UDP and IP add.
type CarrierFigures struct {
	PacketsIn, BytesIn, PacketsOut, BytesOut uint64
}

// Count is a counter with a name from a fixed list.
type Count struct {
	Name string
	N    uint64
}

// Figures are how a host runs. All counters are since the host began, over all its levels, and never decrease; the
// zero value is a host that did nothing yet. Slices are reused: who fills Figures appends to [:0].
type Figures struct {
	// Ticks that ran; Dropped were skipped because the host was too late, Late began after the next one was due, and
	// Overrun took longer than their period.
	Ticks, Dropped, Late, Overrun uint64
	// Tick is how long ticks took by the wall clock, TickCPU their processor time in seconds.
	Tick    Durations
	TickCPU float64
	// TickPeriod is the length of a tick in seconds.
	TickPeriod float64
	Phases     [phases]PhaseFigures

	// Level is the name of the level, "" without one. It is no label.
	Level string
	// Draining says that the host takes no new players and ends soon.
	Draining bool
	// Time is the age of the world in seconds; it begins again with each level.
	Time            float64
	Actors, Classes int
	// Players are in the match, Connecting are on their way, MaxPlayers may be in; 0 without a network.
	Players, Connecting, MaxPlayers int

	Carriers [carriers]CarrierFigures
	// Sent are payload bytes by class.
	Sent []ClassBytes
	// Relevant is how many actors were relevant to connections in the last net update, together; LongestWait how
	// many seconds an actor of them waited for bandwidth.
	Relevant    int
	LongestWait float64
	// Calls are calls of functions between server and clients, CallsDropped were refused or surplus.
	Calls, CallsDropped uint64
	// Queries were answered without joining, QueriesDropped were too many.
	Queries, QueriesDropped uint64
	// Refusals are connections refused at the gate by code, Discarded are packets by the reason why they were.
	Refusals, Discarded []Count

	// Faults are calls of scripts that ended in an error; Reports are what the log said of scripts, by kind.
	Faults  uint64
	Reports []Count
	// Quarantined is how many functions and classes are quarantined now.
	Quarantined int
	// ScriptMemory is how many bytes scripts kept at the end of the last count.
	ScriptMemory int64
	// Reloads succeeded, ReloadsFailed left the old files in use.
	Reloads, ReloadsFailed uint64

	Store    StoreFigures
	Profiles ProfileFigures
	Cluster  ClusterFigures
}

// ProfileFigures count profiles by state; Discarded ones were taken by another host, and what was not saved is gone.
type ProfileFigures struct {
	Loading, Waiting, Held, Failed int
	Discarded                      uint64
}

// ClusterFigures are how a host is connected to others; the zero value is a host by itself.
type ClusterFigures struct {
	// In says that the host is one of a cluster, Connected that it has a connection to its servers, which was made so often.
	In, Connected bool
	Connects      uint64
	// MessagesOut were sent and MessagesIn received; Unsent were lost with a connection, Lost came faster than this host took them, and
	// Malformed were no messages of a host.
	MessagesOut, MessagesIn, Unsent, Lost, Malformed uint64
	// Hosts are in the directory, this one included.
	Hosts int
	// HopsBegun are ways of players of this host to others; of them HopsArrived are there, HopsFailed ended here and HopsReturned came back
	// after they had left. HopsReceived are players from other hosts. HopTook is how long those took that arrived.
	HopsBegun, HopsArrived, HopsFailed, HopsReturned, HopsReceived uint64
	HopTook                                                        histogram.Histogram
}

// StoreFigures are how the store is; the zero value is a host without one. Counters are since the host began.
type StoreFigures struct {
	// Open says that there is one; Writing that it can be written, which damage ends.
	Open, Writing bool
	// Keys and Bytes are what quotas count, FileBytes is the size of the file.
	Keys, Bytes, FileBytes int64
	// Waiting are jobs that are not done, WaitingBytes is their size.
	Waiting, WaitingBytes int
	// Commits are transactions on the disk, each for one job or many. Jobs are all that were done; Errors, Conflicts and Quotas those of
	// them that stored nothing, and Refused those that found the queue full.
	Commits, Jobs, Errors, Conflicts, Quotas, Refused uint64
	// Records were written or removed. Took is how long jobs took, with the wait in the queue.
	Records uint64
	Took    histogram.Histogram
}

// Phase returns the figures of a phase, to be changed.
func (f *Figures) Phase(p Phase) *PhaseFigures { return &f.Phases[p] }

// Carrier returns the figures of a carrier, to be changed.
func (f *Figures) Carrier(c Carrier) *CarrierFigures { return &f.Carriers[c] }

// copyTo copies all figures, with slices of its own.
func (f *Figures) copyTo(to *Figures) {
	sent, refusals, discarded, reports := to.Sent[:0], to.Refusals[:0], to.Discarded[:0], to.Reports[:0]
	*to = *f
	to.Sent = append(sent, f.Sent...)
	to.Refusals, to.Discarded = append(refusals, f.Refusals...), append(discarded, f.Discarded...)
	to.Reports = append(reports, f.Reports...)
}

// bounds are the upper bounds of buckets in seconds; 0.0167 and 0.0334 are a little more than a tick at 60 and 30 Hz.
var bounds = [...]float64{0.0005, 0.001, 0.002, 0.004, 0.008, 0.012, 0.0167, 0.025, 0.0334, 0.05, 0.1, 0.25, 1, 5}

// Durations is a histogram of durations. The zero value is empty; it allocates nothing.
type Durations struct {
	count   uint64
	sum     float64
	buckets [len(bounds)]uint64 // not cumulative
}

// Add counts a duration in seconds.
func (d *Durations) Add(seconds float64) {
	d.count++
	d.sum += seconds
	for i, b := range bounds {
		if seconds <= b {
			d.buckets[i]++
			return
		}
	}
}

// Count returns how many durations were counted.
func (d *Durations) Count() uint64 { return d.count }

// Sum returns the sum of all durations, in seconds.
func (d *Durations) Sum() float64 { return d.sum }

// Each calls a function with every bound and how many durations were not above it.
func (d *Durations) Each(f func(bound float64, below uint64)) {
	below := uint64(0)
	for i, b := range bounds {
		below += d.buckets[i]
		f(b, below)
	}
}

// MaxClasses is how many classes have a label of their own; the others are the class "other".
const MaxClasses = 64

// otherClasses is the label of the others. A class name begins with a capital letter.
const otherClasses = "other"

// ClassBytes are the bytes sent for one class.
type ClassBytes struct {
	Class string
	Bytes uint64
}

// Classes adds up bytes by class. A class that got a label keeps it, and one that got none gets none later, so that no
// counter decreases: labels go to the classes in the order in which they are first seen, those with more bytes first.
// The zero value is ready. It belongs to one goroutine, and allocates only for classes it has not seen.
type Classes struct {
	index map[string]int
	sums  []ClassBytes
	named []bool
	names int
	fresh []int // scratch: those without a decision
	known int   // how many of sums have one
}

// Begin sets all sums to zero.
func (c *Classes) Begin() {
	for i := range c.sums {
		c.sums[i].Bytes = 0
	}
}

// Add adds bytes to a class.
func (c *Classes) Add(class string, bytes uint64) {
	i, ok := c.index[class]
	if !ok {
		if c.index == nil {
			c.index = map[string]int{}
		}
		i = len(c.sums)
		c.index[class], c.sums, c.named = i, append(c.sums, ClassBytes{Class: class}), append(c.named, false)
	}
	c.sums[i].Bytes += bytes
}

// Append appends the sums to a slice: at most MaxClasses classes, and the sum of the others if there are others.
func (c *Classes) Append(to []ClassBytes) []ClassBytes {
	c.fresh = c.fresh[:0]
	for i := c.known; i < len(c.sums); i++ {
		c.fresh = append(c.fresh, i)
	}
	c.known = len(c.sums)
	slices.SortFunc(c.fresh, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.sums[b].Bytes, c.sums[a].Bytes), cmp.Compare(c.sums[a].Class, c.sums[b].Class))
	})
	for _, i := range c.fresh {
		if c.names < MaxClasses {
			c.named[i] = true
			c.names++
		}
	}
	other := ClassBytes{Class: otherClasses}
	for i, s := range c.sums {
		if c.named[i] {
			to = append(to, s)
		} else {
			other.Bytes += s.Bytes
		}
	}
	if c.names < len(c.sums) {
		to = append(to, other)
	}
	return to
}
