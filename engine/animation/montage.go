package animation

import "math"

// Section is a part of a montage that is a target of jumps. It covers the times from Start, inclusive, to End,
// exclusive; the last moment of the track belongs to the section that ends there.
type Section struct {
	Name       string
	Start, End float64
	// Next is the section that follows, −1 for none: then the montage ends. A section that follows itself
	// loops.
	Next int
}

// Montage is a track in sections that game logic plays on an actor. A sequence becomes a montage of one
// section. It is immutable.
type Montage struct {
	// Name is the path of its file below content/.
	Name string
	// Number is its index in its library, from 1; it is what is sent.
	Number int
	Track  *Sequence
	// Sections in order of their starts, at least one.
	Sections []Section
	// Rate is its own playback rate.
	Rate float64
	// BlendIn and BlendOut are blend times in seconds, for viewers.
	BlendIn, BlendOut float64
}

// Section returns the number of a section by its name, "" for the first; −1 if there is none.
func (m *Montage) Section(name string) int {
	if name == "" {
		return 0
	}
	for i := range m.Sections {
		if m.Sections[i].Name == name {
			return i
		}
	}
	return -1
}

// SectionNames are the names in order.
func (m *Montage) SectionNames() []string {
	out := make([]string, len(m.Sections))
	for i := range m.Sections {
		out[i] = m.Sections[i].Name
	}
	return out
}

// at returns the position of a montage so many seconds of its track after a section began, and whether it is
// over by then. Loops of sections are computed without going through every round.
func (m *Montage) at(section int, passed float64) (sec int, pos float64, over bool) {
	var seen [MaxSections]float64 // time passed when the section was entered, plus 1; 0 for never
	gone := 0.0
	for {
		s := &m.Sections[section]
		length := s.End - s.Start
		if passed < gone+length {
			return section, s.Start + (passed - gone), false
		}
		if s.Next < 0 {
			return section, s.End, true
		}
		if first := seen[section]; first > 0 {
			if round := gone - (first - 1); round > 0 && passed-gone >= round {
				gone += round * math.Floor((passed-gone)/round)
				seen = [MaxSections]float64{}
				continue
			}
		}
		seen[section] = gone + 1
		gone += length
		section = s.Next
	}
}
