package animation

import "sort"

// CueKind is whether a notify fires, begins or ends.
type CueKind uint8

// ORDER: at the same moment, ends come first and beginnings last.
const (
	CueEnd CueKind = iota
	CueFire
	CueBegin
)

// Cue is a notify that is due.
type Cue struct {
	Kind   CueKind
	Notify *Notify
}

// Which selects the notifies to report.
type Which bool

// GameplayCues selects those marked as gameplay, for a dedicated server; AllCues is for peers with a viewer.
const (
	AllCues      Which = false
	GameplayCues Which = true
)

// Player plays a montage. The zero value plays nothing.
//
// Invariant: each requested notify that the position passes is reported once and in order, however the time is
// divided, and every window that began ends: by its time, by a jump, or by Stop.
type Player struct {
	Montage *Montage // nil if nothing plays
	// Section is the present section, Position the position in seconds of the track.
	Section  int
	Position float64
	// Rate is the playback rate: the montage's own times the caller's.
	Rate float64
	// Loop starts again at the end of the montage.
	Loop bool

	fresh bool         // nothing was reported yet
	open  [MaxOpen]int // notifies whose window is open, in order of beginning
	opens int
}

// Start plays a montage from a section on. A section or rate out of bounds is clamped. Windows at the start
// position begin with the first Advance.
func Start(m *Montage, section int, rate float64) Player {
	section = max(0, min(section, len(m.Sections)-1))
	return Player{Montage: m, Section: section, Position: m.Sections[section].Start, Rate: m.Rate * max(MinRate, min(rate, MaxRate)), fresh: true}
}

// Playing reports whether it plays something.
func (p *Player) Playing() bool { return p.Montage != nil }

// marks returns the marks that Which selects.
func (p *Player) marks(which Which) []mark {
	if which == GameplayCues {
		return p.Montage.Track.gameplay
	}
	return p.Montage.Track.all
}

// Advance advances by dt seconds and appends the due cues to buf. ended reports that the montage is over and
// nothing plays any more.
func (p *Player) Advance(dt float64, buf []Cue, which Which) (cues []Cue, ended bool) {
	if p.Montage == nil || !(dt > 0) {
		return buf, false
	}
	if p.fresh {
		buf = p.jump(buf, p.Position, which)
	}
	left := dt * p.Rate
	for range MaxPasses {
		s := &p.Montage.Sections[p.Section]
		to, over := p.Position+left, false
		if to >= s.End {
			to, over = s.End, true
		}
		buf = p.pass(buf, p.Position, to, over && to == p.Montage.Track.Length, which)
		left -= to - p.Position
		p.Position = to
		if !over {
			return buf, false
		}
		follows := s.Next
		if follows < 0 && p.Loop {
			follows = 0
		}
		if follows < 0 {
			buf = p.Stop(buf)
			return buf, true
		}
		next := &p.Montage.Sections[follows]
		p.Section = follows
		if next.Start != to || to == p.Montage.Track.Length {
			buf = p.jump(buf, next.Start, which)
		}
		if left <= 0 {
			return buf, false
		}
	}
	return buf, false
}

// pass appends the cues from a time, inclusive, to another, exclusive unless last is set.
func (p *Player) pass(buf []Cue, from, to float64, last bool, which Which) []Cue {
	list := p.marks(which)
	track := p.Montage.Track
	i := sort.Search(len(list), func(i int) bool { return list[i].at >= from })
	for ; i < len(list); i++ {
		m := &list[i]
		if m.at > to || m.at == to && !last {
			break
		}
		switch m.kind {
		case CueBegin:
			if p.isOpen(m.notify) {
				continue // it began by a jump into it
			}
			p.open[p.opens] = m.notify
			p.opens++
		case CueEnd:
			if !p.close(m.notify) {
				continue
			}
		case CueFire:
		}
		buf = append(buf, Cue{m.kind, &track.Notifies[m.notify]})
	}
	return buf
}

func (p *Player) isOpen(notify int) bool {
	for _, n := range p.open[:p.opens] {
		if n == notify {
			return true
		}
	}
	return false
}

func (p *Player) close(notify int) bool {
	for i, n := range p.open[:p.opens] {
		if n == notify {
			copy(p.open[i:], p.open[i+1:p.opens])
			p.opens--
			return true
		}
	}
	return false
}

// jump moves to another position of the track: windows that do not contain it end, and those that do begin.
func (p *Player) jump(buf []Cue, to float64, which Which) []Cue {
	p.fresh = false
	track := p.Montage.Track
	for i := 0; i < p.opens; {
		n := &track.Notifies[p.open[i]]
		if n.Time <= to && to < n.End {
			i++
			continue
		}
		buf = append(buf, Cue{CueEnd, n})
		p.close(p.open[i])
	}
	p.Position = to
	for _, m := range p.marks(which) {
		if m.at >= to {
			break
		}
		if n := &track.Notifies[m.notify]; m.kind == CueBegin && to < n.End && !p.isOpen(m.notify) {
			buf = append(buf, Cue{CueBegin, n})
			p.open[p.opens] = m.notify
			p.opens++
		}
	}
	return buf
}

// Jump moves to the start of a section.
func (p *Player) Jump(section int, buf []Cue, which Which) []Cue {
	if p.Montage == nil || section < 0 || section >= len(p.Montage.Sections) {
		return buf
	}
	p.Section = section
	return p.jump(buf, p.Montage.Sections[section].Start, which)
}

// Seek moves to where the montage is so many seconds after its present section began, for an observer who joins
// late: passed notifies are not reported, and windows at the position begin. over reports that it has ended
// already; then nothing plays.
func (p *Player) Seek(elapsed float64, buf []Cue, which Which) (cues []Cue, over bool) {
	if p.Montage == nil || !(elapsed > 0) {
		return buf, false
	}
	sec, pos, over := p.Montage.at(p.Section, elapsed*p.Rate)
	if over {
		return p.Stop(buf), true
	}
	p.Section = sec
	return p.jump(buf, pos, which), false
}

// Stop ends playback; open windows end.
func (p *Player) Stop(buf []Cue) []Cue {
	if p.Montage == nil {
		return buf
	}
	for _, n := range p.open[:p.opens] {
		buf = append(buf, Cue{CueEnd, &p.Montage.Track.Notifies[n]})
	}
	*p = Player{}
	return buf
}

// Curve returns the present value of a curve, and false if nothing plays or the track has no such curve.
func (p *Player) Curve(name string) (v float64, ok bool) {
	if p.Montage == nil {
		return 0, false
	}
	c := p.Montage.Track.Curve(name)
	if c == nil {
		return 0, false
	}
	return c.At(p.Position), true
}

// Root returns the velocity by which the track moves its actor over the next dt seconds, in uu/s in the actor's
// own directions: forward, right, up (R9.10). Over ticks of equal length the displacements add up exactly to
// the track's.
func (p *Player) Root(dt float64) (v [3]float64) {
	if p.Montage == nil || !p.Montage.Track.HasRoot() || !(dt > 0) {
		return v
	}
	t := p.Montage.Track
	end := p.Montage.Sections[p.Section].End
	from, to := t.rootAt(p.Position), t.rootAt(min(p.Position+dt*p.Rate, end))
	for i := range v {
		v[i] = (to[i] - from[i]) / dt
	}
	return v
}
