package animation

// Replace continues with another version of the playing montage, whose file was saved meanwhile: in the section
// of the same name, at the same distance from its start, or, if there is none, at the same time of the track.
// Windows that the new version does not have there end; those that it has begin. A montage that was not begun
// stays so.
func (p *Player) Replace(m *Montage, buf []Cue, which Which) []Cue {
	if p.Montage == nil || p.Montage == m {
		return buf
	}
	old := p.Montage
	was := &old.Sections[p.Section]
	p.Montage, p.Rate = m, p.Rate/old.Rate*m.Rate
	at := min(p.Position, m.Track.Length)
	if p.Section = m.Section(was.Name); was.Name != "" && p.Section >= 0 {
		s := &m.Sections[p.Section]
		at = min(s.Start+p.Position-was.Start, s.End)
	} else {
		p.Section = len(m.Sections) - 1
		for p.Section > 0 && m.Sections[p.Section].Start > at {
			p.Section--
		}
	}
	open := p.open
	opens := p.opens
	p.opens = 0
	for _, o := range open[:opens] {
		n := &old.Track.Notifies[o]
		if i := p.around(n.Name, at, which); i >= 0 {
			p.open[p.opens] = i
			p.opens++
		} else {
			buf = append(buf, Cue{CueEnd, n})
		}
	}
	if p.fresh {
		p.Position = at
		return buf
	}
	return p.jump(buf, at, which)
}

// around returns a window of a name that contains a time and is not open, −1 for none.
func (p *Player) around(name string, at float64, which Which) int {
	for _, m := range p.marks(which) {
		n := &p.Montage.Track.Notifies[m.notify]
		if m.kind == CueBegin && n.Name == name && n.Time <= at && at < n.End && !p.isOpen(m.notify) {
			return m.notify
		}
	}
	return -1
}
