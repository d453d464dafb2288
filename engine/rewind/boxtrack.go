package rewind

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// MaxBoxKeys bounds the keys of a box track, maxTrackTime their times, in seconds.
	MaxBoxKeys   = 64
	maxTrackTime = 60
)

// BoxKey is the offsets of a pawn's boxes at a time of a track.
type BoxKey struct {
	// Time is in seconds from the beginning of the track; keys are in order of their times.
	Time float64
	// Offsets are by box of the class, in the order of its table: the distance of each from its place in the
	// table, relative to its pawn, in uu. Missing ones are 0.
	Offsets []geom.Vector
}

// BoxTrack moves the hit boxes of a pawn for a while, as a montage moves the visible body (R11.3). Between two
// keys boxes move linearly; before the first and after the last there are no offsets.
type BoxTrack []BoxKey

// Check returns what is wrong with a track, nil if it can be played.
func (t BoxTrack) Check() error {
	if len(t) == 0 || len(t) > MaxBoxKeys {
		return fmt.Errorf("rewind: a box track has %d keys, expected 1 to %d", len(t), MaxBoxKeys)
	}
	last := 0.0
	for i, k := range t {
		if !(k.Time >= last && k.Time <= maxTrackTime) {
			return fmt.Errorf("rewind: key %d of a box track is at %v s, expected %v to %d: keys stand in order of time", i+1, k.Time, last, maxTrackTime)
		}
		last = k.Time
		if len(k.Offsets) > MaxBoxes {
			return fmt.Errorf("rewind: key %d of a box track has %d boxes, at most %d are allowed", i+1, len(k.Offsets), MaxBoxes)
		}
		for _, o := range k.Offsets {
			if !within(o) {
				return fmt.Errorf("rewind: key %d of a box track moves a box by %v, expected within %d uu", i+1, o, maxReach)
			}
		}
	}
	return nil
}

// offset returns how far a box is from its place at a time of the track.
func (t BoxTrack) offset(box int, at float64) geom.Vector {
	n := len(t)
	if n == 0 || at < t[0].Time || at > t[n-1].Time {
		return geom.Vector{}
	}
	of := func(k *BoxKey) geom.Vector {
		if box < len(k.Offsets) {
			return k.Offsets[box]
		}
		return geom.Vector{}
	}
	i := 1
	for i < n && t[i].Time < at {
		i++
	}
	if i == n {
		return of(&t[n-1])
	}
	from, to := &t[i-1], &t[i]
	if to.Time == from.Time {
		return of(to)
	}
	return of(from).Lerp(of(to), (at-from.Time)/(to.Time-from.Time))
}

// farthest returns the longest offset of a track, for the sphere that contains all boxes.
func (t BoxTrack) farthest() float64 {
	most := 0.0
	for _, k := range t {
		for _, o := range k.Offsets {
			most = math.Max(most, o.Size())
		}
	}
	return most
}

// playing is a track that plays on a pawn, or that of a recorded frame.
type playing struct {
	track    BoxTrack
	farthest float64
	since    float64 // the world's time at which it began
}

// PlayBoxes plays a box track on a pawn, from world time now on, in place of the present one; nil ends that.
// Recorded frames do not change.
func (h *History) PlayBoxes(a *engine.Actor, t BoxTrack, now float64) error {
	if a == nil || a.Deleted() {
		return fmt.Errorf("rewind: play boxes: the pawn is nil or destroyed")
	}
	if t == nil {
		delete(h.playing, a.ID())
		return nil
	}
	if err := t.Check(); err != nil {
		return err
	}
	if h.playing == nil {
		h.playing = map[engine.ActorID]*playing{}
	}
	for id := range h.playing { // any order: ended tracks are dropped; they are few
		if p := h.playing[id]; h.world.Actor(id) == nil || now > p.since+p.track[len(p.track)-1].Time {
			delete(h.playing, id)
		}
	}
	h.playing[a.ID()] = &playing{track: t, farthest: t.farthest(), since: now}
	return nil
}
