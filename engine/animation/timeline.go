package animation

// Timeline plays a track forwards or backwards, once or in a loop, for things other than movements of a body: a
// door, a light, a countdown. The zero value plays nothing.
type Timeline struct {
	Track *Sequence
	// Position in seconds of the track.
	Position float64
	// Rate is the playback rate, below 0 backwards.
	Rate float64
	Loop bool
}

// NewTrack makes a track without a file, as a script declares it.
func NewTrack(length float64, notifies []Notify, curves []Curve) (*Sequence, error) {
	s := &Sequence{Length: length, Notifies: append([]Notify(nil), notifies...), Curves: copyCurves(curves)}
	return s, s.check()
}

// Advance advances by dt seconds and appends the cues that it passes to buf, in that order: forwards from a
// moment, inclusive, to the next, exclusive, and backwards in reverse. Both ends of the track are included.
// Backwards, a window begins at its end. ended reports that it has reached its end, where it stays.
func (t *Timeline) Advance(dt float64, buf []Cue) (cues []Cue, ended bool) {
	if t.Track == nil || !(dt > 0) || t.Rate == 0 {
		return buf, false
	}
	length := t.Track.Length
	if !t.Loop && (t.Rate > 0 && t.Position >= length || t.Rate < 0 && t.Position <= 0) {
		return buf, true
	}
	left := dt * t.Rate
	for range MaxPasses {
		to := t.Position + left
		over := to >= length || to <= 0 && left < 0
		to = max(0, min(to, length))
		buf = t.pass(buf, t.Position, to, over)
		left -= to - t.Position
		t.Position = to
		if !over {
			return buf, false
		}
		if !t.Loop {
			return buf, true
		}
		if t.Rate > 0 {
			t.Position = 0
		} else {
			t.Position = length
		}
		if left == 0 {
			return buf, false
		}
	}
	return buf, false
}

func (t *Timeline) pass(buf []Cue, from, to float64, last bool) []Cue {
	list := t.Track.all
	if t.Rate > 0 {
		for i := range list {
			if m := &list[i]; m.at >= from && (m.at < to || last && m.at == to) {
				buf = append(buf, Cue{m.kind, &t.Track.Notifies[m.notify]})
			}
		}
		return buf
	}
	for i := len(list) - 1; i >= 0; i-- {
		m := &list[i]
		if !(m.at <= from && (m.at > to || last && m.at == to)) {
			continue
		}
		kind := m.kind
		switch kind {
		case CueBegin:
			kind = CueEnd
		case CueEnd:
			kind = CueBegin
		case CueFire:
		}
		buf = append(buf, Cue{kind, &t.Track.Notifies[m.notify]})
	}
	return buf
}
