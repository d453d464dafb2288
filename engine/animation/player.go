package animation

import "sort"

// CueKind is what a cue tells of a notify.
type CueKind uint8

// ORDER: at one moment, ends come first and beginnings last.
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

// Which says which notifies count.
type Which bool

// GameplayCues are those marked as gameplay, for a dedicated server; AllCues are for everybody with eyes and ears.
const (
	AllCues      Which = false
	GameplayCues Which = true
)

// Player plays a montage. The zero value plays nothing.
//
// Invariant: of the requested notifies, each one that its position passes is told once and in order, however the
// time is cut into pieces, and every window that began ends: by its time, by a jump, or by Stop.
type Player struct {
	Montage *Montage // nil where nothing plays
	// Section is the one it is in, Position where, in seconds of the track.
	Section  int
	Position float64
	// Rate is how fast it plays: the montage's own rate and the caller's.
	Rate float64
	// Loop begins again where the montage would be over.
	Loop bool

	fresh bool         // nothing was told of it yet
	open  [MaxOpen]int // notifies whose window is open, in order of beginning
	opens int
}

// Start plays a montage from a section on. A section or rate out of bounds is brought into them. Windows around the place
// begin with the first Advance.
func Start(m *Montage, section int, rate float64) Player {
	section = max(0, min(section, len(m.Sections)-1))
	return Player{Montage: m, Section: section, Position: m.Sections[section].Start, Rate: m.Rate * max(MinRate, min(rate, MaxRate)), fresh: true}
}

// Playing reports whether it plays something.
func (p *Player) Playing() bool { return p.Montage != nil }

// marks are those that count.
func (p *Player) marks(which Which) []mark {
	if which == GameplayCues {
		return p.Montage.Track.gameplay
	}
	return p.Montage.Track.all
}

// Advance plays on for dt seconds and appends what is due to buf. ended tells that the montage is over: it plays nothing
// any more.
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

// pass tells what happens from a time, inclusive, to another, exclusive but where last is set.
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

// jump goes to another place of the track: windows that do not hold it end, and those around it begin.
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

// Jump goes to the start of a section.
func (p *Player) Jump(section int, buf []Cue, which Which) []Cue {
	if p.Montage == nil || section < 0 || section >= len(p.Montage.Sections) {
		return buf
	}
	p.Section = section
	return p.jump(buf, p.Montage.Sections[section].Start, which)
}

// Seek goes to where the montage is so many seconds after the section it is in began, as one sees it who comes late:
// what has passed is not told, windows around the place begin. over tells that it ended before; then it plays nothing.
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

// Stop ends it; windows that are open end.
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

// Curve is the value of a curve where it is, false where nothing plays or the track has no such curve.
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

// Root is how fast the track moves its actor over the next dt seconds, in uu/s in the actor's own directions: forward,
// right, up (R9.10). Over ticks of one length the ways add up to the track's own exactly.
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
