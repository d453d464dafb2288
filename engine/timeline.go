package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tidelock/tidelock/engine/animation"
)

// MaxTimelines bounds the timelines that play on one actor; PlayTimeline fails beyond it with an error.
const MaxTimelines = 16

// TimelineParams says how a timeline plays. With only Track set, it plays once, forwards, at its own rate, from
// its start.
type TimelineParams struct {
	Track *animation.Sequence
	// Rate is the playback rate, below 0 backwards from its end; 0 means 1.
	Rate float64
	Loop bool
	// Drives names, by curve, float variables of the actor that follow the curve each tick.
	Drives map[string]string
	// From is where it begins, in seconds of the track; below 0 at the start, or at the end if it plays backwards.
	From float64
}

// PlayTimeline plays a timeline on the actor under a name; a playing one of that name is replaced. The engine
// advances it after movement, sets the variables that it drives, and calls TimelineEvent and TimelineFinished.
func (a *Actor) PlayTimeline(name string, p TimelineParams) error {
	if p.Rate == 0 {
		p.Rate = 1
	}
	if r := max(p.Rate, -p.Rate); !(r >= animation.MinRate && r <= animation.MaxRate) {
		return fmt.Errorf("timeline %s: rate: expected %g to %d either way, got %g", name, animation.MinRate, animation.MaxRate, p.Rate)
	}
	t := &timeline{name: name, Timeline: animation.Timeline{Track: p.Track, Rate: p.Rate, Loop: p.Loop, Position: p.From}}
	switch {
	case !(p.From >= 0) && p.Rate < 0:
		t.Position = p.Track.Length
	case !(p.From >= 0):
		t.Position = 0
	}
	t.Position = min(t.Position, p.Track.Length)
	for _, c := range slices.Sorted(maps.Keys(p.Drives)) {
		curve, prop := p.Track.Curve(c), a.Class.byName[p.Drives[c]]
		switch {
		case curve == nil:
			return fmt.Errorf("timeline %s: no curve %q", name, c)
		case prop == nil:
			return fmt.Errorf("timeline %s: %s has no variable %s%s", name, a.Class.Name, p.Drives[c], Nearest(p.Drives[c], a.Class.PropertyNames()))
		case prop.Type.Kind != KindFloat || prop.Native != nil && prop.Native.readOnly:
			return fmt.Errorf("timeline %s: %s.%s is not a float that can be set", name, a.Class.Name, prop.Name)
		}
		t.drives = append(t.drives, drive{curve, prop})
	}
	s := a.animFor()
	a.StopTimeline(name)
	if len(s.timelines) >= MaxTimelines {
		return fmt.Errorf("timeline %s: %s plays %d timelines, at most %d", name, a, len(s.timelines), MaxTimelines)
	}
	s.timelines = append(s.timelines, t)
	a.world.list(a)
	t.set(a)
	return nil
}

// timeline returns the playing timeline of a name, nil for none.
func (a *Actor) timeline(name string) *timeline {
	if a.anim == nil {
		return nil
	}
	for _, t := range a.anim.timelines {
		if t.name == name && !t.gone {
			return t
		}
	}
	return nil
}

// StopTimeline stops a timeline at its position, without TimelineFinished. It reports whether it played.
func (a *Actor) StopTimeline(name string) bool {
	t := a.timeline(name)
	if t == nil {
		return false
	}
	t.gone = true
	if !a.world.inStep {
		a.anim.dropGone()
	}
	return true
}

// ReverseTimeline reverses the direction of a timeline. It reports whether it played.
func (a *Actor) ReverseTimeline(name string) bool {
	t := a.timeline(name)
	if t != nil {
		t.Rate = -t.Rate
	}
	return t != nil
}

// TimelinePosition returns the position of a timeline, in seconds of its track, and false if it does not play.
func (a *Actor) TimelinePosition(name string) (float64, bool) {
	if t := a.timeline(name); t != nil {
		return t.Position, true
	}
	return 0, false
}

// TimelineValue returns the present value of a timeline's curve, and false if there is none.
func (a *Actor) TimelineValue(name, curve string) (float64, bool) {
	t := a.timeline(name)
	if t == nil {
		return 0, false
	}
	c := t.Track.Curve(curve)
	if c == nil {
		return 0, false
	}
	return c.At(t.Position), true
}

// set writes the variables that the timeline drives.
func (t *timeline) set(a *Actor) {
	for _, d := range t.drives {
		if a.Class.byName[d.prop.Name] != d.prop {
			d.prop = a.Class.byName[d.prop.Name] // the class was reloaded
		}
		if d.prop == nil || d.prop.Type.Kind != KindFloat {
			continue
		}
		if err := a.Set(d.prop, Float(d.curve.At(t.Position))); err != nil {
			a.world.Script.Report(SevWarning, a, fmt.Sprintf("timeline %s: %s.%s: %v", t.name, a.Class.Name, d.prop.Name, err))
			continue
		}
		if d.prop.Native == nil {
			a.world.Script.Changed(a, d.prop)
		}
	}
}
