package wire

import "slices"

// Assembler puts the deltas of one datagram together from fragments that were encoded before: it groups actors
// with the same variables into runs, in whatever order of priority they are added, and knows how many bytes it
// will take. It keeps its memory; in steady state it allocates nothing. The zero Assembler must be Reset first.
//
// Where every connection gets the same, a run's values can be copied in one piece without it: see
// [AppendMask], [AppendChannels].
type Assembler struct {
	limit, size int
	values      int // bytes of size that are values
	recent      int
	runs        []assembledRun
	items       []assembledItem
	frags       [][]byte
	channels    []uint16
	order       []int32
}

type assembledRun struct {
	key         RunKey
	first, last int32 // items, linked
	count       int32
	ascending   bool
}

// RunKey is what the actors of one run share.
type RunKey struct {
	Mask Mask
	// Rel are the relative ones of Mask; Age, from 1 to MaxAge, says to what. Age is 0 where Rel is empty.
	Rel Mask
	Age int
	// Waits and After: the run waits for a reliable message.
	Waits bool
	After uint16
}

type assembledItem struct {
	channel    uint16
	next       int32
	frag, nfrg int32
}

// Reset empties the assembler for a datagram in which limit bytes are left for deltas.
func (a *Assembler) Reset(limit int) {
	a.limit, a.size, a.values = limit, 1, 0 // the epoch
	a.runs, a.items = a.runs[:0], a.items[:0]
	clear(a.frags) // lets go of the arena
	a.frags = a.frags[:0]
}

// Size is how many bytes [Assembler.Append] will take at most.
func (a *Assembler) Size() int { return a.size }

// Len is the number of actors added.
func (a *Assembler) Len() int { return len(a.items) }

// runHead is how many bytes a run takes at most beside its values and the first bytes of its channels.
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

// Values is how many bytes of what Append will append are values, the rest being heads of runs.
func (a *Assembler) Values() int { return a.values }

// Add adds an actor: the fragments hold, together and in order, the values of the variables of key.Mask. They
// must stay unchanged until Append. False means that it does not fit, and was not added.
func (a *Assembler) Add(channel uint16, key *RunKey, frags ...[]byte) bool {
	values := 0
	for _, f := range frags {
		values += len(f)
	}
	n := IntSize(int64(channel)) + values // the channel as the first; a step is never longer
	run := a.find(key)
	head := 0
	if run < 0 {
		head = runHead(key)
	}
	if a.size+n+head > a.limit {
		return false
	}
	a.size += n + head
	a.values += values
	at := int32(len(a.items))
	a.items = append(a.items, assembledItem{channel: channel, next: -1, frag: int32(len(a.frags)), nfrg: int32(len(frags))})
	a.frags = append(a.frags, frags...)
	if run < 0 {
		a.runs = append(a.runs, assembledRun{key: *key, first: at, last: at, count: 1, ascending: true})
		return true
	}
	r := &a.runs[run]
	r.ascending = r.ascending && channel > a.items[r.last].channel
	a.items[r.last].next = at
	r.last = at
	r.count++
	return true
}

// find is the run of a key, or −1. The one found last is likely again.
func (a *Assembler) find(key *RunKey) int {
	if a.recent < len(a.runs) && a.runs[a.recent].key == *key {
		return a.recent
	}
	for i := range a.runs {
		if k := &a.runs[i].key; k.Mask[0] == key.Mask[0] && *k == *key {
			a.recent = i
			return i
		}
	}
	a.recent = len(a.runs) // where it will be
	return -1
}

// Append appends the epoch and the runs. Nothing is appended where nothing was added.
func (a *Assembler) Append(b []byte, epoch uint8) []byte {
	if len(a.runs) == 0 {
		return b
	}
	b = AppendEpoch(b, epoch)
	age, rel := 0, Mask{}
	for i := range a.runs {
		run := &a.runs[i]
		k := &run.key
		a.order = a.order[:0]
		for j := run.first; j >= 0; j = a.items[j].next {
			a.order = append(a.order, j)
		}
		if !run.ascending {
			slices.SortFunc(a.order, func(x, y int32) int { return int(a.items[x].channel) - int(a.items[y].channel) })
		}
		a.channels = a.channels[:0]
		for _, j := range a.order {
			a.channels = append(a.channels, a.items[j].channel)
		}
		// What the base in force says of variables outside this mask does not matter.
		if needed := k.Age != age && !k.Rel.Empty() || !sameWithin(&rel, &k.Rel, &k.Mask); needed {
			age, rel = k.Age, k.Rel
			b = AppendBase(b, max(age, 1), &rel)
		}
		if k.Waits {
			b = AppendAfter(b, k.After)
		}
		b = AppendMask(b, &k.Mask)
		b = AppendChannels(b, a.channels)
		for _, j := range a.order {
			it := &a.items[j]
			for _, f := range a.frags[it.frag : it.frag+it.nfrg] {
				b = append(b, f...)
			}
		}
	}
	return b
}

// sameWithin reports whether two sets agree in a third.
func sameWithin(a, b, in *Mask) bool {
	return (a[0]^b[0])&in[0]|(a[1]^b[1])&in[1]|(a[2]^b[2])&in[2]|(a[3]^b[3])&in[3] == 0
}
