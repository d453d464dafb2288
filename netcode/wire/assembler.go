package wire

import (
	"slices"

	"github.com/tidelock/tidelock/engine/count"
)

// Assembler assembles the deltas of one datagram from fragments that were encoded before: it groups actors with the
// same variables into runs, in whatever order of priority they are added, and knows the resulting size. It reuses
// its memory; in steady state it allocates nothing. The zero Assembler must be Reset first.
//
// If every connection gets the same run, its values can be copied at once without an Assembler: see [AppendMask],
// [AppendChannels].
type Assembler struct {
	limit, size int
	values      int // the part of size that is values
	count       int // actors
	recent      int
	keys        []narrowKey // of the runs so far: nearly always enough to distinguish them
	runs        []assembledRun
	channels    []uint16 // scratch of Append
	order       []int32
}

// narrowKey is a RunKey without the variables from number 64 on. If it has some, wide is set.
type narrowKey struct {
	mask, rel uint64
	rest      uint32 // Age, Waits and After
	wide      bool
}

// assembledRun is a run's actors in the order in which they were added. Its memory is reused.
type assembledRun struct {
	key    RunKey
	values []byte
	items  []assembledItem
	sorted bool // channels ascend
}

type assembledItem struct {
	channel uint16
	end     uint16 // of its values
}

// RunKey is what the actors of a run have in common.
type RunKey struct {
	Mask Mask
	// Rel is the set of relative variables of Mask; Age, from 1 to MaxAge, identifies their base. Age is 0 if Rel
	// is empty.
	Rel Mask
	Age int
	// Waits and After: the run waits for a reliable message.
	Waits bool
	After uint16
}

func (k *RunKey) narrow() narrowKey {
	n := narrowKey{mask: k.Mask[0], rel: k.Rel[0], rest: uint32(k.Age) | uint32(k.After)<<16}
	if k.Waits {
		n.rest |= 1 << 15
	}
	n.wide = k.Mask[1]|k.Mask[2]|k.Mask[3] != 0
	return n
}

// Reset empties the assembler for a datagram in which limit bytes are left for deltas.
func (a *Assembler) Reset(limit int) {
	a.limit, a.size, a.values, a.count = limit, 1, 0, 0 // the epoch
	a.keys, a.recent = a.keys[:0], 0
}

// Limit changes how many bytes the deltas may take. What was added stays.
func (a *Assembler) Limit(limit int) { a.limit = limit }

// Size returns the maximum number of bytes that [Assembler.Append] will append.
func (a *Assembler) Size() int { return a.size }

// Len returns the number of actors added.
func (a *Assembler) Len() int { return a.count }

// runHead returns the maximum size of a run without its values and the first bytes of its channels.
func runHead(k *RunKey) int {
	n := maskSize(&k.Mask) + 3 // the array's head may grow to three bytes
	if k.Age != 0 {
		n += 2*(2+maskSize(&k.Rel)) + 1 // and ending it again
	}
	if k.Waits {
		n += 2 + IntSize(int64(k.After))
	}
	return n
}

func maskSize(m *Mask) int {
	if m[1]|m[2]|m[3] == 0 && m[0] < 128 {
		return IntSize(-1 - int64(m[0]))
	}
	_, gaps := m.gapSize()
	n := min(gaps, 2+m.bytes())
	if m[1]|m[2]|m[3] == 0 && m[0] < 1<<31 {
		n = min(n, IntSize(-1-int64(m[0])))
	}
	return n
}

// Values returns how many of the bytes that Append will append are values; the others are heads of runs.
func (a *Assembler) Values() int { return a.values }

// Add adds an actor: the fragments hold, together and in order, the values of the variables of key.Mask; they are
// copied. It returns false if the actor does not fit, and then does not add it.
func (a *Assembler) Add(channel uint16, key *RunKey, frags ...[]byte) bool {
	values := 0
	for _, f := range frags {
		values += len(f)
	}
	n := IntSize(int64(channel)) + values // the channel as the first; a step is never longer
	narrow := key.narrow()
	run := a.find(&narrow, key)
	if run < 0 {
		n += runHead(key)
	}
	if a.size+n > a.limit {
		return false
	}
	if run < 0 {
		run = a.start(&narrow, key)
	}
	r := &a.runs[run]
	for _, f := range frags {
		r.values = append(r.values, f...)
	}
	a.took(r, channel, n, values)
	return true
}

// AddNarrow is Add for variables with numbers below 64, in a run that does not wait for anything.
func (a *Assembler) AddNarrow(channel uint16, mask, rel uint64, age int, values []byte) bool {
	narrow := narrowKey{mask: mask, rel: rel, rest: uint32(age)}
	n := IntSize(int64(channel)) + len(values)
	run := a.find(&narrow, nil)
	if run < 0 {
		key := RunKey{Mask: Mask{mask}, Rel: Mask{rel}, Age: age}
		if n += runHead(&key); a.size+n > a.limit {
			return false
		}
		run = a.start(&narrow, &key)
	} else if a.size+n > a.limit {
		return false
	}
	r := &a.runs[run]
	r.values = append(r.values, values...)
	a.took(r, channel, n, len(values))
	return true
}

// AddRelative adds an actor of which only one variable is sent, a vector with a number below 64, encoded by
// [AppendRelative] from v and base, age datagrams ago. It returns the size, 0 if the actor does not fit and was not
// added.
func (a *Assembler) AddRelative(channel uint16, variable, age int, v, base Quantised) (values int) {
	narrow := narrowKey{mask: 1 << variable, rel: 1 << variable, rest: uint32(age)}
	run := a.find(&narrow, nil)
	head := 0
	if run < 0 {
		key := RunKey{Mask: Mask{narrow.mask}, Rel: Mask{narrow.rel}, Age: age}
		head = runHead(&key)
		if a.size+head+8 > a.limit { // even if the rest is as short as possible
			return 0
		}
		run = a.start(&narrow, &key)
	}
	r := &a.runs[run]
	was := len(r.values)
	count.Add(count.Encoded, 1)
	r.values = AppendRelative(r.values, v, base)
	values = len(r.values) - was
	n := IntSize(int64(channel)) + values + head
	if a.size+n > a.limit {
		if r.values = r.values[:was]; len(r.items) == 0 {
			a.keys = a.keys[:run]
		}
		return 0
	}
	a.took(r, channel, n, values)
	return values
}

// took records an actor whose values are in a run.
func (a *Assembler) took(r *assembledRun, channel uint16, size, values int) {
	count.Add(count.Copied, values)
	a.size += size
	a.values += values
	a.count++
	if n := len(r.items); n > 0 && channel <= r.items[n-1].channel {
		r.sorted = false
	}
	r.items = append(r.items, assembledItem{channel, uint16(len(r.values))})
}

// start begins a run.
func (a *Assembler) start(k *narrowKey, key *RunKey) int {
	n := len(a.keys)
	a.keys = append(a.keys, *k)
	if n == len(a.runs) {
		a.runs = append(a.runs, assembledRun{values: make([]byte, 0, MaxDatagram), items: make([]assembledItem, 0, 128)})
	}
	r := &a.runs[n]
	r.key, r.values, r.items, r.sorted = *key, r.values[:0], r.items[:0], true
	a.recent = n
	return n
}

// find returns the run of a key, or −1. It tries the last result first. key may be nil if it is not wide.
func (a *Assembler) find(k *narrowKey, key *RunKey) int {
	if a.recent < len(a.keys) && a.keys[a.recent] == *k && (!k.wide || a.runs[a.recent].key == *key) {
		return a.recent
	}
	for i := range a.keys {
		if a.keys[i] == *k && (!k.wide || a.runs[i].key == *key) {
			a.recent = i
			return i
		}
	}
	return -1
}

// Append appends the epoch and the runs. It appends nothing if no actor was added.
func (a *Assembler) Append(b []byte, epoch uint8) []byte {
	if len(a.keys) == 0 {
		return b
	}
	count.Add(count.Copied, a.values)
	b = AppendEpoch(b, epoch)
	age, rel := 0, Mask{}
	for i := range a.keys {
		run := &a.runs[i]
		k := &run.key
		// Variables of the current base outside this mask do not matter.
		if needed := k.Age != age && !k.Rel.Empty() || !sameWithin(&rel, &k.Rel, &k.Mask); needed {
			age, rel = k.Age, k.Rel
			b = AppendBase(b, max(age, 1), &rel)
		}
		if k.Waits {
			b = AppendAfter(b, k.After)
		}
		b = AppendMask(b, &k.Mask)
		if len(run.items) == 1 {
			b = append(AppendUint(b, uint64(run.items[0].channel)), run.values...)
			continue
		}
		a.channels = a.channels[:0]
		if run.sorted {
			for j := range run.items {
				a.channels = append(a.channels, run.items[j].channel)
			}
			b = append(AppendChannels(b, a.channels), run.values...)
			continue
		}
		a.order = a.order[:0]
		for j := range run.items {
			a.order = append(a.order, int32(j))
		}
		slices.SortFunc(a.order, func(x, y int32) int { return int(run.items[x].channel) - int(run.items[y].channel) })
		for _, j := range a.order {
			a.channels = append(a.channels, run.items[j].channel)
		}
		b = AppendChannels(b, a.channels)
		for _, j := range a.order {
			from := uint16(0)
			if j > 0 {
				from = run.items[j-1].end
			}
			b = append(b, run.values[from:run.items[j].end]...)
		}
	}
	return b
}

// sameWithin reports whether two sets are equal within a third.
func sameWithin(a, b, in *Mask) bool {
	return (a[0]^b[0])&in[0]|(a[1]^b[1])&in[1]|(a[2]^b[2])&in[2]|(a[3]^b[3])&in[3] == 0
}
