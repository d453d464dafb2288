package rewind

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// DefaultRecordTime is how long pawns are remembered by default, in seconds (R11.2).
	DefaultRecordTime = 0.4
	// MaxRecordTime is the longest that may be requested, in seconds.
	MaxRecordTime = 4
	// MaxFrames bounds the frames kept, at any rate: the oldest is dropped first. It is enough for
	// MaxRecordTime at 250 ticks a second.
	MaxFrames = 1024

	startFrames = 32 // room at first: the default time at 60 Hz
)

// Config configures a history. The zero value is ready.
type Config struct {
	// MaxRecordTime is how long pawns are remembered, in seconds: 0 is DefaultRecordTime, at most the constant
	// MaxRecordTime.
	MaxRecordTime float64
	// Boxes are the hit boxes by class; with nil every pawn has its collision cylinder.
	Boxes Table
}

// Pose is the state of a pawn at some time: everything that a hit depends on.
type Pose struct {
	Location geom.Vector
	// Radius and HalfHeight are of its collision cylinder, in uu.
	Radius, HalfHeight float64
	// Yaw is the body's, ViewPitch the pitch of its view, in rotator units.
	Yaw, ViewPitch uint16
	Stance         Stance
	// Stops says whether traces hit it: bCollideActors with bBlockActors or bBlockPlayers. Other pawns are not
	// hit.
	Stops bool
}

// frame is a recorded pose.
type frame struct {
	Pose
	jumps uint32   // teleports so far, of the pawn and of its base
	moved *playing // what moved its boxes, nil for none
	// The track of its montage, if it moves boxes, and the position in it, in seconds; nil for none.
	montage *animation.Sequence
	place   float64
}

// track is one pawn's frames. Its ring has the history's size and numbers.
type track struct {
	id     engine.ActorID // 0: free
	pawn   *engine.Actor
	kind   kind
	since  uint64 // number of its first frame
	frames []frame
}

// Work counts what traces of the level examined, in [collision.WorkUnit]s.
func (h *History) Work() uint64 { return h.query.Work }

// History records where the registered pawns of one world were. Make it with [New].
//
// Invariant: frame n of every track was recorded at times[n & mask]; those from first up to next exist. All
// times are ascending.
type History struct {
	world  *engine.World
	query  collision.Query
	shapes map[string]*shape
	keep   float64

	times       []float64 // ring; its length is a power of two
	first, next uint64    // numbers of frames

	tracks  []track
	free    []int32
	playing map[engine.ActorID]*playing // box tracks
	// slots maps the index of an actor's id to its track + 1. Ids share an index only one after the other.
	slots []int32
}

// New makes an empty history of a world. The error says what is wrong with the configuration.
func New(w *engine.World, c Config) (*History, error) {
	if c.MaxRecordTime == 0 {
		c.MaxRecordTime = DefaultRecordTime
	}
	if !(c.MaxRecordTime > 0 && c.MaxRecordTime <= MaxRecordTime) {
		return nil, fmt.Errorf("rewind: MaxRecordTime is %v s, expected above 0 and at most %d s", c.MaxRecordTime, MaxRecordTime)
	}
	h := &History{world: w, keep: c.MaxRecordTime, times: make([]float64, startFrames)}
	if err := h.SetBoxes(c.Boxes); err != nil {
		return nil, err
	}
	return h, nil
}

// SetBoxes replaces the hit boxes of all classes, also for recorded frames; on an error the old ones stay.
func (h *History) SetBoxes(t Table) error {
	shapes, err := makeShapes(h.world.Classes, t)
	if err != nil {
		return err
	}
	h.shapes = shapes
	for i := range h.tracks {
		if tr := &h.tracks[i]; tr.id != 0 {
			tr.kind = h.kindOf(tr.pawn.Class)
		}
	}
	return nil
}

// Register records a pawn from the next Record on. Registering it again does nothing. An actor that is nil,
// destroyed, of another world or not a pawn is an error.
func (h *History) Register(a *engine.Actor) error {
	switch {
	case a == nil || a.Deleted():
		return fmt.Errorf("rewind: register: the pawn is nil or destroyed; register it while it lives")
	case a.World() != h.world:
		return fmt.Errorf("rewind: register %s: it belongs to another world; use that world's history", a.Name)
	case !a.Class.IsPawn():
		return fmt.Errorf("rewind: register %s: class %s is not a Pawn; only pawns are recorded", a.Name, a.Class.Name)
	case h.find(a) != nil:
		return nil
	}
	h.sweep() // an earlier actor with its index may still be there
	place := int(uint32(a.ID()))
	if place >= len(h.slots) {
		h.slots = append(h.slots, make([]int32, place+1-len(h.slots))...)
	}
	var n int32
	if k := len(h.free); k > 0 {
		n, h.free = h.free[k-1], h.free[:k-1]
	} else {
		n = int32(len(h.tracks))
		h.tracks = append(h.tracks, track{frames: make([]frame, len(h.times))})
		h.free = slices.Grow(h.free, len(h.tracks)) // so that removal never allocates
	}
	tr := &h.tracks[n]
	tr.id, tr.pawn, tr.since, tr.kind = a.ID(), a, h.next, h.kindOf(a.Class)
	h.slots[place] = n + 1
	return nil
}

// Unregister forgets a pawn and reports whether it was registered.
func (h *History) Unregister(a *engine.Actor) bool {
	if a == nil {
		return false
	}
	tr := h.find(a)
	if tr == nil {
		return false
	}
	h.drop(tr)
	return true
}

// Registered returns how many pawns are recorded, including those destroyed since the last Record.
func (h *History) Registered() int { return len(h.tracks) - len(h.free) }

// drop frees a track; its ring is reused.
func (h *History) drop(tr *track) {
	place := uint32(tr.id)
	n := h.slots[place] - 1
	h.slots[place] = 0
	tr.id, tr.pawn, tr.kind = 0, nil, kind{}
	h.free = append(h.free, n)
}

// sweep frees the tracks of destroyed pawns.
func (h *History) sweep() {
	for i := range h.tracks {
		if tr := &h.tracks[i]; tr.id != 0 && gone(tr.pawn, tr.id) {
			h.drop(tr)
		}
	}
}

// gone reports whether an actor is no longer the live one of that id.
func gone(a *engine.Actor, id engine.ActorID) bool { return a.Deleted() || a.ID() != id }

// find returns the track of a pawn, nil if it has none.
func (h *History) find(a *engine.Actor) *track {
	id := a.ID()
	place := uint32(id)
	if int(place) >= len(h.slots) || h.slots[place] == 0 {
		return nil
	}
	// Another world may use the same ids.
	if tr := &h.tracks[h.slots[place]-1]; tr.id == id && tr.pawn == a {
		return tr
	}
	return nil
}

// Record records the pose of every registered pawn at time now, in seconds of the server's world. Recording a
// time again replaces its frame. Destroyed pawns are forgotten. A time that is not finite or is before the last
// is an error, and nothing is recorded. In steady state it allocates nothing.
func (h *History) Record(now float64) error {
	if math.IsNaN(now) || math.IsInf(now, 0) {
		return fmt.Errorf("rewind: record: time %v is not finite; pass the world's time", now)
	}
	mask := uint64(len(h.times) - 1)
	if h.next > h.first {
		switch last := h.times[(h.next-1)&mask]; {
		case now < last:
			return fmt.Errorf("rewind: record: time %v s is before the last frame's, %v s; time must not run back", now, last)
		case now == last:
			h.next-- // also for pawns registered in between: their first frame is this one
			for i := range h.tracks {
				h.tracks[i].since = min(h.tracks[i].since, h.next)
			}
		}
	}
	// Of the frames at or before the oldest needed time, one is kept.
	for h.first+1 < h.next && h.times[(h.first+1)&mask] <= now-h.keep {
		h.first++
	}
	if h.next-h.first == uint64(len(h.times)) {
		if len(h.times) < MaxFrames {
			h.grow()
			mask = uint64(len(h.times) - 1)
		} else {
			h.first++
		}
	}
	i := h.next & mask
	h.times[i] = now
	h.next++
	for n := range h.tracks {
		tr := &h.tracks[n]
		switch {
		case tr.id == 0:
		case gone(tr.pawn, tr.id):
			h.drop(tr)
		default:
			h.see(tr, &tr.frames[i])
		}
	}
	return nil
}

// grow doubles the rings.
func (h *History) grow() {
	old := uint64(len(h.times) - 1)
	size := 2 * len(h.times)
	mask := uint64(size - 1)
	times := make([]float64, size)
	for n := h.first; n < h.next; n++ {
		times[n&mask] = h.times[n&old]
	}
	h.times = times
	for i := range h.tracks {
		frames := make([]frame, size)
		for n := h.first; n < h.next; n++ {
			frames[n&mask] = h.tracks[i].frames[n&old]
		}
		h.tracks[i].frames = frames
	}
}

// see records a pawn's pose.
func (h *History) see(tr *track, f *frame) {
	a := tr.pawn
	if a.Class != tr.kind.class { // reloaded
		tr.kind = h.kindOf(a.Class)
	}
	*f = frame{Pose: Pose{
		Location: a.Location, Radius: a.CollisionRadius, HalfHeight: a.CollisionHeight, Yaw: a.Rotation.Yaw,
		Stops: a.BCollideActors && (a.BBlockActors || a.BBlockPlayers),
	}, jumps: a.Teleports()}
	if p := tr.kind.crouching; p != nil && a.Word(p) != 0 {
		f.Stance = Crouching
	}
	if p := tr.kind.viewPitch; p != nil {
		f.ViewPitch = uint16(a.Word(p) << 8) // 1/256 of a turn
	}
	if len(h.playing) > 0 {
		f.moved = h.playing[a.ID()]
	}
	if m, _, at := a.Montage(); m != nil && len(m.Track.Boxes) > 0 {
		f.montage, f.place = m.Track, at
	}
	// A teleport of the base moves attached pawns, too. Attachments form no loops.
	for c := a; c.BAttached; {
		if c = h.world.Actor(c.Base); c == nil {
			break
		}
		f.jumps += c.Teleports()
	}
}

// moment is the position of a time: frame at, and the share of the interval to the next.
type moment struct {
	at   uint64
	part float64 // 0 up to, not including, 1
	ok   bool
}

// moment finds the frames of a time by bisection.
func (h *History) moment(t float64) moment {
	if h.next == h.first || math.IsNaN(t) {
		return moment{}
	}
	mask := uint64(len(h.times) - 1)
	newest := h.times[(h.next-1)&mask]
	switch {
	case t >= newest:
		return moment{at: h.next - 1, ok: true}
	case t < newest-h.keep || t < h.times[h.first&mask]:
		return moment{}
	}
	lo, hi := h.first, h.next-1 // times[lo] <= t < times[hi]
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if h.times[mid&mask] <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	from, to := h.times[lo&mask], h.times[hi&mask]
	return moment{at: lo, part: (t - from) / (to - from), ok: true}
}

// pair returns the frames of a track at a moment; the second is nil if only the first counts: between frames
// with a teleport in between the pawn is still at the first.
func (h *History) pair(tr *track, m moment) (a, b *frame) {
	if !m.ok || m.at < tr.since || m.at >= h.next {
		return nil, nil
	}
	mask := uint64(len(h.times) - 1)
	a = &tr.frames[m.at&mask]
	if m.part > 0 {
		if b = &tr.frames[(m.at+1)&mask]; b.jumps != a.jumps {
			b = nil
		}
	}
	return a, b
}

// pose interpolates between two frames: location and angles; the rest is that of the first.
func pose(a, b *frame, part float64) Pose {
	p := a.Pose
	if b != nil {
		p.Location = a.Location.Lerp(b.Location, part)
		p.Yaw = turn(a.Yaw, b.Yaw, part)
		p.ViewPitch = turn(a.ViewPitch, b.ViewPitch, part)
	}
	return p
}

// turn interpolates in the shorter direction from one angle to another.
func turn(a, b uint16, part float64) uint16 {
	return a + uint16(int(math.Round(float64(geom.Signed(b-a))*part)))
}

// At returns a pawn's pose at a time, in seconds of the server's world. Times between two frames are
// interpolated, except over teleports; for those after the newest it is the newest. ok is false for a time
// before the record, a pawn that was not recorded then, and one that is nil or destroyed. It takes O(log n) and
// allocates nothing.
func (h *History) At(a *engine.Actor, t float64) (p Pose, ok bool) {
	if a == nil || a.Deleted() {
		return Pose{}, false
	}
	tr := h.find(a)
	if tr == nil {
		return Pose{}, false
	}
	m := h.moment(t)
	from, to := h.pair(tr, m)
	if from == nil {
		return Pose{}, false
	}
	return pose(from, to, m.part), true
}
