package animation

import "github.com/tidelock/tidelock/engine/archive"

// Save writes what plays, with the position and the windows that are open (C3). A montage is written by its name.
func (p *Player) Save(w *archive.Writer) {
	w.Bool(p.Montage != nil)
	if p.Montage == nil {
		return
	}
	w.String(p.Montage.Name)
	w.Uint(uint64(p.Section))
	w.Float(p.Position)
	w.Float(p.Rate)
	w.Bool(p.Loop)
	w.Bool(p.fresh)
	w.Uint(uint64(p.opens))
	for _, n := range p.open[:p.opens] {
		w.Uint(uint64(n))
	}
}

// LoadPlayer reads what [Player.Save] wrote. A montage that the library does not have, or no longer with that section or those
// windows, plays no more: then lost is its name.
func LoadPlayer(r *archive.Reader, l *Library) (p Player, lost string) {
	if !r.Bool() {
		return Player{}, ""
	}
	name := r.String(MaxNameBytes)
	p.Montage = l.Find(name)
	p.Section = int(r.Uint(MaxSections))
	p.Position, p.Rate = r.Float(), r.Float()
	p.Loop, p.fresh = r.Bool(), r.Bool()
	p.opens = r.Count(MaxOpen, 1)
	for i := range p.opens {
		p.open[i] = int(r.Uint(MaxNotifies))
	}
	if r.Err() != nil {
		return Player{}, ""
	}
	if m := p.Montage; m == nil || p.Section >= len(m.Sections) || !(p.Position >= 0 && p.Position <= m.Track.Length) || !(p.Rate >= minSaved && p.Rate <= maxSaved) {
		return Player{}, name
	}
	for _, n := range p.open[:p.opens] {
		if n >= len(p.Montage.Track.Notifies) {
			return Player{}, name
		}
	}
	return p, ""
}

// The rate of a player is a product of two, each within MinRate and MaxRate.
const (
	minSaved = MinRate * MinRate
	maxSaved = MaxRate * MaxRate
)

// MaxNameBytes bounds the name of an animation in an archive, in bytes.
const MaxNameBytes = 1024

// Save writes the timeline: its track by name, or as a whole if the library has none of that name.
func (t *Timeline) Save(w *archive.Writer, l *Library) {
	named := false
	if m := l.Find(t.Track.Name); m != nil {
		named = m.Track == t.Track
	}
	w.Bool(named)
	if named {
		w.String(t.Track.Name)
	} else {
		t.Track.save(w)
	}
	w.Float(t.Position)
	w.Float(t.Rate)
	w.Bool(t.Loop)
}

// LoadTimeline reads what [Timeline.Save] wrote. A track that the library does not have any more gives a timeline without one, and
// its name.
func LoadTimeline(r *archive.Reader, l *Library) (t Timeline, lost string) {
	if r.Bool() {
		name := r.String(MaxNameBytes)
		if m := l.Find(name); m != nil {
			t.Track = m.Track
		} else {
			lost = name
		}
	} else {
		t.Track = loadTrack(r)
	}
	t.Position, t.Rate, t.Loop = r.Float(), r.Float(), r.Bool()
	if t.Track != nil {
		t.Position = max(0, min(t.Position, t.Track.Length))
	}
	if rate := max(t.Rate, -t.Rate); r.Err() == nil && !(rate >= minSaved && rate <= maxSaved) {
		r.Failf("a timeline with the rate %g", t.Rate)
	}
	return t, lost
}

func (s *Sequence) save(w *archive.Writer) {
	w.Float(s.Length)
	w.Uint(uint64(len(s.Notifies)))
	for _, n := range s.Notifies {
		w.String(n.Name)
		w.Float(n.Time)
		w.Float(n.End)
		w.Bool(n.Gameplay)
	}
	w.Uint(uint64(len(s.Curves)))
	for _, c := range s.Curves {
		w.String(c.Name)
		w.Bool(c.Step)
		w.Uint(uint64(len(c.Keys)))
		for _, k := range c.Keys {
			w.Float(k.Time)
			w.Float(k.Value)
		}
	}
}

// loadTrack reads a track that a script declared; nil after a fault.
func loadTrack(r *archive.Reader) *Sequence {
	length := r.Float()
	notifies := make([]Notify, r.Count(MaxNotifies, 18))
	for i := range notifies {
		notifies[i] = Notify{Name: r.String(MaxNameBytes), Time: r.Float(), End: r.Float(), Gameplay: r.Bool()}
	}
	curves := make([]Curve, r.Count(MaxCurves, 3))
	for i := range curves {
		c := &curves[i]
		c.Name, c.Step = r.String(MaxNameBytes), r.Bool()
		c.Keys = make([]Key, r.Count(MaxKeys, 16))
		for k := range c.Keys {
			c.Keys[k] = Key{r.Float(), r.Float()}
		}
	}
	if r.Err() != nil {
		return nil
	}
	s, err := NewTrack(length, notifies, curves)
	if err != nil {
		r.Failf("a track: %v", err)
		return nil
	}
	return s
}
