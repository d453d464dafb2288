package relevancy

import (
	"github.com/tidelock/tidelock/engine"
)

// Index holds the actors that may be relevant to some viewer, so that those near a viewer are found without
// examining the rest (R3.11). Use [New].
//
// An actor is filed in one of these lists, by its variables alone:
//
//   - none, if R3.1 says no for all viewers, or only owner and instigator can say yes (R3.4)
//   - always, which every search returns: bAlwaysRelevant (R3.2), and classes that define IsNetRelevantFor (R3.11)
//   - the followers of the owner or base that decides for it (R3.3, R3.6): it is a candidate exactly if that is
//   - the grid, by location and cull distance
//
// In addition it is in the list of its top owner and in that of its instigator (R3.4, R3.5).
type Index struct {
	world *engine.World
	cfg   Config
	// aimShare is the cosine of AimAngle, squared.
	aimShare float64
	classes  *engine.Classes // that infos and filings are for
	infos    []*classInfo    // by Class.Index
	slots    []slot          // by number
	hot      []hot           // by number
	always   []int32         // numbers
	loose    []int32         // followers of actors that are not in the index: every search returns them
	grid     grid

	search Search
	watch  Watch
	found  []Found // scratch
	said   map[engine.ActorID]bool
	traces uint64
}

// slot holds how an actor is filed, and the lists that it heads.
type slot struct {
	id    engine.ActorID // the actor's id; also for actors that are not in the index but head a list
	filed filing
	at    int32 // in always or loose
	up    [numLists]engine.ActorID
	next  [numLists]int32 // in the list of up; 0 ends
	prev  [numLists]int32
	first [followers]int32 // of the lists that this actor heads, except its followers: see hot
}

// hot is the data of an actor that a search reads.
type hot struct {
	actor  *engine.Actor // nil if it is not in the index
	follow int32         // first of its followers
	plain  bool          // it is in the grid, has no owner (R3.5), and R3.7 does not apply
	silent bool          // in addition only lines of sight to its cylinder decide (R3.9), or none: no sound, and its class does not turn sight off
}

type filing uint8

const (
	filedNowhere filing = iota
	filedAlways
	filedLoose
	filedBehind
	filedGrid
)

// list is one of the lists that an actor heads.
type list int

const (
	owned      list = iota // by TopOwner
	instigated             // by Instigator
	followers              // by the owner or base that decides
	numLists
)

// number returns an actor's index in the world's table, from 1: small, dense, and reused after the actor was
// destroyed.
func number(id engine.ActorID) int32 { return int32(uint32(id)) }

// numberOf is number for an actor that may be nil, 0 for that.
func numberOf(a *engine.Actor) int32 {
	if a == nil {
		return 0
	}
	return number(a.ID())
}

// New makes an index without actors for a world; values of the Config out of bounds are clamped.
func New(w *engine.World, c Config) *Index {
	c = c.withDefaults()
	if w.Level != nil {
		if v, ok := w.Level.World.Get("nosight"); ok && truth(v) {
			c.NoSight = true
		}
	}
	return &Index{world: w, cfg: c, classes: w.Classes, aimShare: aimShareOf(c.View.AimAngle)}
}

// Config returns the effective configuration: with defaults, and the level's setting of sight.
func (x *Index) Config() Config { return x.cfg }

// SetTimeout changes Config.Timeout from now on, for actors that are out of sight already, too.
func (x *Index) SetTimeout(seconds float64) {
	x.cfg.Timeout = seconds
	x.cfg = x.cfg.withDefaults()
}

// Len returns the number of actors in the index.
func (x *Index) Len() int {
	n := 0
	for i := range x.hot {
		if x.hot[i].actor != nil {
			n++
		}
	}
	return n
}

// Add adds an actor that may replicate, now or later; one that is present is updated. Components are ignored:
// their actor's result is theirs.
func (x *Index) Add(a *engine.Actor) {
	if a == nil || a.Outer != nil || a.Deleted() {
		return
	}
	n := x.claim(a.ID())
	if x.hot[n].actor == nil {
		x.hot[n].actor = a
		for k := x.hot[n].follow; k != 0; k = x.slots[k].next[followers] {
			x.file(k, filedBehind) // they were loose
		}
	}
	x.refresh(n)
}

// Update is called when an actor in the index moved or one of the variables that relevancy depends on changed:
// its flags, NetCullDistance, Owner (or the owner's owner), Instigator, Base, RemoteRole; see
// [engine.Actor.Moved] and [engine.Actor.NetDirty]. An actor that is not in the index is ignored. A move within
// a cell costs one store.
func (x *Index) Update(a *engine.Actor) {
	if a == nil {
		return
	}
	if n := number(a.ID()); x.holds(n, a.ID()) {
		x.refresh(n)
	}
}

// Move is [Index.Update] for an actor of which only the location changed.
func (x *Index) Move(a *engine.Actor) {
	n := number(a.ID())
	if int(n) >= len(x.hot) || x.hot[n].actor != a || int(n) >= len(x.grid.where) || x.grid.where[n].layer == 0 || x.classes != x.world.Classes {
		return // not in the index, or not in the grid
	}
	if !x.grid.step(n, a.Location) {
		x.grid.put(n, a.Location, a.NetCullDistance)
	}
}

// Remove removes an actor; an unknown one is ignored. Every search returns its followers until they are
// updated.
func (x *Index) Remove(a *engine.Actor) {
	if a == nil {
		return
	}
	n := number(a.ID())
	if !x.holds(n, a.ID()) {
		return
	}
	x.drop(n)
}

func (x *Index) drop(n int32) {
	x.file(n, filedNowhere)
	x.hot[n].plain, x.hot[n].silent = false, false
	x.bare(n)
	for l := range numLists {
		x.link(n, l, 0)
	}
	delete(x.said, x.slots[n].id)
	x.hot[n].actor = nil
	for k := x.hot[n].follow; k != 0; k = x.slots[k].next[followers] {
		x.file(k, filedLoose)
	}
}

// holds reports whether the actor of an id is in the index, and not another one with its number.
func (x *Index) holds(n int32, id engine.ActorID) bool {
	return n > 0 && int(n) < len(x.slots) && x.slots[n].id == id && x.hot[n].actor != nil
}

// claim initializes the slot of an id, and clears what an earlier actor left.
func (x *Index) claim(id engine.ActorID) int32 {
	n := number(id)
	for int(n) >= len(x.slots) {
		x.slots = append(x.slots, slot{})
		x.hot = append(x.hot, hot{})
	}
	if x.slots[n].id == id {
		return n
	}
	if x.hot[n].actor != nil { // destroyed without a call of Remove
		x.drop(n)
	}
	for l := range numLists {
		for *x.head(n, l) != 0 {
			x.link(*x.head(n, l), l, 0)
		}
	}
	x.slots[n].id = id
	return n
}

// link moves an actor into the list of another, 0 for none, out of the one it is in.
func (x *Index) link(n int32, l list, up engine.ActorID) {
	s := &x.slots[n]
	if s.up[l] == up {
		return
	}
	if l == followers {
		x.grid.version++
	}
	if s.up[l] != 0 {
		next, prev := s.next[l], s.prev[l]
		if prev != 0 {
			x.slots[prev].next[l] = next
		} else {
			*x.head(number(s.up[l]), l) = next
			if l == followers {
				x.bare(number(s.up[l]))
			}
		}
		if next != 0 {
			x.slots[next].prev[l] = prev
		}
		s.up[l], s.next[l], s.prev[l] = 0, 0, 0
	}
	if up == 0 {
		return
	}
	h := x.claim(up)
	s = &x.slots[n] // claim may have moved it
	head := x.head(h, l)
	s.up[l], s.next[l], s.prev[l] = up, *head, 0
	if *head != 0 {
		x.slots[*head].prev[l] = n
	}
	*head = n
	if l == followers {
		x.bare(h)
	}
}

// bare updates the grid's mark of actors about which a search need not know more: those that are silent and
// have no followers.
func (x *Index) bare(n int32) { x.grid.mark(n, x.hot[n].silent && x.hot[n].follow == 0) }

// head returns the first actor of a list, 0 for none.
func (x *Index) head(n int32, l list) *int32 {
	if l == followers {
		return &x.hot[n].follow
	}
	return &x.slots[n].first[l]
}

// file moves an actor to another way of filing; for the grid the caller inserts it.
func (x *Index) file(n int32, to filing) {
	s := &x.slots[n]
	if s.filed == to {
		return
	}
	switch s.filed {
	case filedAlways:
		x.always = x.takeOut(x.always, s.at)
	case filedLoose:
		x.loose = x.takeOut(x.loose, s.at)
	case filedGrid:
		x.grid.remove(n)
	default:
	}
	s.filed = to
	switch to {
	case filedAlways:
		s.at = int32(len(x.always))
		x.always = append(x.always, n)
	case filedLoose:
		s.at = int32(len(x.loose))
		x.loose = append(x.loose, n)
	default:
	}
}

func (x *Index) takeOut(list []int32, at int32) []int32 {
	last := len(list) - 1
	list[at] = list[last]
	x.slots[list[at]].at = at
	return list[:last]
}

// refresh files an actor by its present variables.
func (x *Index) refresh(n int32) {
	a := x.hot[n].actor
	to, top, cause, leader, plain, silent := x.placement(a)
	s := &x.slots[n]
	if s.up != [numLists]engine.ActorID{top, cause, leader} {
		led := s.up[followers] != leader
		x.link(n, owned, top)
		x.link(n, instigated, cause)
		x.link(n, followers, leader)
		if led && leader != 0 {
			x.findLoop(a)
		}
	}
	if leader != 0 {
		to = filedLoose
		if x.holds(number(leader), leader) {
			to = filedBehind
		}
	}
	x.file(n, to)
	was := x.hot[n].plain
	x.hot[n].plain, x.hot[n].silent = plain, silent
	x.bare(n)
	if was != x.hot[n].plain {
		x.grid.version++
	}
	if to == filedGrid {
		x.grid.put(n, a.Location, a.NetCullDistance)
	}
}

// findLoop reports a loop of owners and bases that an actor leads into.
func (x *Index) findLoop(a *engine.Actor) {
	marker, steps, limit := a, 0, 1
	for t := x.answerer(a); t != nil; t = x.answerer(t) {
		if t == marker {
			x.reportLoop(t)
			return
		}
		if steps++; steps == limit {
			marker, steps, limit = t, 0, limit*2
		}
	}
}

// sync files all actors again after a reload: a class may have gained or lost IsNetRelevantFor.
func (x *Index) sync() {
	if x.classes == x.world.Classes {
		return
	}
	x.classes = x.world.Classes
	for n := range x.hot {
		if x.hot[n].actor != nil {
			x.refresh(int32(n))
		}
	}
}
