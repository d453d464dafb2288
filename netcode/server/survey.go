package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/server/shadow"
)

// relState is what relevancy stores for one actor on one connection (R3), besides its look.
type relState struct {
	sight        relevancy.Sight
	seen         float64  // world time at which it was last a candidate
	slot, number int32    // of the entity; of its actor in the relevancy index
	serial       uint32   // distinguishes replication states that reuse the same memory; 0 for none
	phase        repPhase // set by Conn.become
	part         bool     // a component: follows its actor
}

// look is what relevancy passes store for an actor outside of its relState: most passes find most actors unchanged,
// and touch nothing else.
type look struct {
	found uint32 // stamp of the last pass that found it
	// sure is the stamp of the last pass that found it open and near, so that no more tests are needed (NoSight):
	// while that lasts, relState.sight is out of date (recall). 0 for not so; watched and hidden if the watch
	// handles it, in every pass until the watch reports a change.
	sure uint32
	// flat is the stamp of the last pass that found it in a state in which only its own changes can end its
	// relevancy (survey.flat); while that holds, passes skip it.
	flat uint32
	// asked is the stamp of the last pass that evaluated the rules for it, or after which they were evaluated for
	// watched actors.
	asked uint32
}

// Values of look.sure: the watch keeps it open, or skips it because it was never opened.
const (
	watched = 1<<32 - 1
	hidden  = 1<<32 - 2
)

// survey is the state of one connection's relevancy passes. A worker may begin a pass in parallel with those of
// other connections (scan), so no field leads to anything that belongs to these or to the server; Conn.pass
// completes it. TestWorkersReach checks the types for this.
type survey struct {
	reading relevancy.Reading
	watch   relevancy.Watch

	looks   []look      // by slot
	index   []int32     // by slot: index in known + 1, 0 for none
	known   []*relState // those with a channel or tested by relevancy, unordered
	slots   []int       // of known, so that a pass need not touch them
	parts   int         // those of known that belong to another
	stamp   uint32      // of the pass
	passed  [2]float64  // world times of this pass and the one before
	cands   []relevancy.Found
	missing []absentee // of a pass: what is in neither list and must be decided
	absent  []absentee // what the last pass did not find, and what was dropped since
	hidden  int        // of a pass: those that the watch skipped
	flat    flat
	near    int // of the current pass
	effort  int // how many candidates the last search found: what is known without a search costs almost nothing
	linger  int // of the current pass: those that need at most a check of when they were last found
}

// absentee is an actor that a pass did not find.
type absentee struct {
	slot, number int32
	serial       uint32
}

// flat is the result of a pass for the actors that are not culled by distance: it stays valid as long as none of
// them changes.
type flat struct {
	version, found uint64 // relevancy.Index.Flat; of the current pass
	from, to       uint32 // stamps of the pass that searched, 0 for none, and of the last for which the result holds
	sure           int    // those of them with look.flat
	same           bool   // the current pass is for the player, view target and pawn of that one
	skip, settled  bool   // of the current pass
	flats          int    // how many of cands, at the front, are of them
	rest           []relevancy.Found
}

// ground is what passes read of the server: it does not change while they begin.
type ground struct {
	time     float64 // of the world, in seconds
	blind    bool    // relevancy.Config.NoSight
	version  uint64  // relevancy.Index.Flat
	constant bool
	slots    shadow.Slots
}

// relState returns that of a slot, which must exist.
func (c *survey) relState(slot int) *relState { return c.known[c.index[slot]-1] }

// scan begins a pass: it finds what the connection has or could have, and leaves in cands what has changed.
func (c *survey) scan(q *relevancy.Search, n *ground) {
	c.stamp++
	c.passed[0], c.passed[1] = n.time, c.passed[0]
	x := &c.flat
	x.skip = n.blind && n.constant && x.from != 0 && x.version == n.version && x.same
	x.found, x.settled, x.flats = n.version, false, 0
	rest, sure := 0, 0
	if x.skip {
		x.to = c.stamp
		sure, rest = x.sure, len(x.rest)
		c.cands = c.reading.NearRest(q, &c.watch, n.time, false, append(c.cands[:0], x.rest...))
	} else {
		c.cands = c.reading.NearFlat(q, c.cands[:0])
		rest = len(c.cands)
		c.cands = c.reading.NearRest(q, &c.watch, n.time, true, c.cands)
		x.sure, x.rest = 0, x.rest[:0]
	}
	c.effort, c.near, c.hidden = len(c.cands), sure+c.watch.Kept, c.watch.Hidden
	for _, number := range c.watch.Lost {
		if slot := n.slots.Of(number); slot < len(c.looks) && c.looks[slot].sure == watched {
			r := c.relState(slot)
			if c.looks[slot].sure = 0; c.looks[slot].asked != c.stamp-1 { // the rules were evaluated since
				r.sight.Seen(c.watch.Before)
			}
			c.absent = append(c.absent, r.absentee()) // unless it is found in another list
		}
	}
	for _, number := range c.watch.Shown {
		if slot := n.slots.Of(number); slot < len(c.looks) && c.looks[slot].sure == hidden {
			r := c.relState(slot)
			c.looks[slot].sure, r.seen = 0, c.watch.Before
			c.absent = append(c.absent, r.absentee())
		}
	}
	if !n.blind {
		x.flats = rest
		return
	}
	count.Add(count.Tested, len(c.cands))
	left := c.cands[:0]
	for i, f := range c.cands {
		if f.Plain {
			if slot := n.slots.Of(f.Number); slot < len(c.looks) {
				l := &c.looks[slot]
				if x.skip && (l.found == c.stamp || l.flat == x.from) {
					continue // found before, in another list
				}
				if l.sure == c.stamp-1 && l.sure != 0 { // unchanged
					l.found, l.sure = c.stamp, c.stamp
					c.near++
					if i < rest {
						if x.skip {
							x.settled = true
						} else {
							l.flat = c.stamp
							x.sure++
						}
					}
					continue
				}
			}
		}
		if i < rest && !x.skip {
			x.flats++
		}
		left = append(left, f)
	}
	c.cands = left
	c.miss(n)
}

func (r *relState) absentee() absentee { return absentee{r.slot, r.number, r.serial} }

// miss lists what the connection has and scan did not find, unless the time at which it was last found settles it
// (R3.10).
func (c *survey) miss(n *ground) {
	c.missing, c.linger = c.missing[:0], 0
	known := c.near
	count.Add(count.Tested, len(c.cands))
	for _, f := range c.cands {
		if slot := n.slots.Of(f.Number); slot > 0 && slot < len(c.index) && c.index[slot] != 0 && c.looks[slot].asked != c.stamp {
			c.looks[slot].asked = c.stamp
			known++
		}
	}
	known += c.parts + c.hidden
	absent := c.absent
	c.absent = c.absent[:0]
	if known == len(c.known) {
		return
	}
	for _, a := range absent { // usually these are all
		if at := c.index[a.slot]; at != 0 && c.known[at-1].serial == a.serial && !c.finds(int(a.slot)) {
			c.lacks(c.known[at-1], n)
		}
	}
	if known+len(c.absent) == len(c.known) {
		return
	}
	c.missing, c.linger, c.absent = c.missing[:0], 0, c.absent[:0]
	count.Add(count.Tested, len(c.known))
	for i := len(c.known) - 1; i >= 0; i-- {
		if c.finds(c.slots[i]) {
			continue
		}
		if r := c.known[i]; !r.part {
			c.lacks(r, n)
		}
	}
}

// finds reports whether the current pass found the actor in a slot.
func (c *survey) finds(slot int) bool {
	from := c.flat.from
	if !c.flat.skip {
		from = c.stamp
	}
	l := &c.looks[slot]
	return l.sure >= hidden || l.found == c.stamp || l.asked == c.stamp || l.flat != 0 && l.flat == from
}

// lacks records what the current pass did not find.
func (c *survey) lacks(r *relState, n *ground) {
	c.absent = append(c.absent, r.absentee())
	if r.phase == repOpen {
		if c.looks[r.slot].sure != 0 {
			c.recall(r)
		}
		if c.reading.Lingers(r.number, &r.sight, n.time) {
			c.linger++
			return
		}
	}
	c.missing = append(c.missing, r.absentee())
}

// recall updates relState.sight with what passes learned without touching it.
func (c *survey) recall(r *relState) {
	l := &c.looks[r.slot]
	switch {
	case l.sure == 0, l.sure == hidden:
		return
	case l.sure == watched: // in every pass so far, and it continues
		if l.asked != c.stamp { // a later evaluation of the rules counts
			l.asked = c.stamp
			r.sight.Seen(c.passed[0])
		}
		return
	case l.sure == c.stamp, l.flat != 0 && l.flat == c.flat.from && c.flat.to == c.stamp:
		r.sight.Seen(c.passed[0])
	default: // in a pass that has not reached it yet
		r.sight.Seen(c.passed[1])
	}
	if l.flat == c.flat.from {
		c.flat.from = 0 // all are tested again
	}
	l.sure, l.flat = 0, 0
}

// unwatch is recall for an actor that the watch must drop, if the watch keeps it.
func (c *survey) unwatch(r *relState) {
	c.recall(r)
	l := &c.looks[r.slot]
	switch l.sure {
	case watched:
		c.near--
	case hidden:
		c.hidden--
	default:
		return
	}
	l.sure = 0
	c.watch.Forget(r.number)
}

// add adds an actor that the connection has from now on.
func (c *survey) add(r *relState) {
	for int(r.slot) >= len(c.looks) {
		c.looks, c.index = append(c.looks, look{}), append(c.index, 0)
	}
	c.known, c.slots = append(c.known, r), append(c.slots, int(r.slot))
	c.looks[r.slot], c.index[r.slot] = look{}, int32(len(c.known))
	if r.part {
		c.parts++
	}
}

// remove removes an actor that the connection no longer has.
func (c *survey) remove(r *relState) {
	at, last := c.index[r.slot]-1, len(c.known)-1
	moved := c.known[last]
	c.known[at], c.slots[at], c.known[last] = moved, c.slots[last], nil
	c.known, c.slots = c.known[:last], c.slots[:last]
	c.index[moved.slot], c.index[r.slot] = at+1, 0
	if r.part {
		c.parts--
	}
}
