package animation

import (
	"errors"
	"fmt"
	"sort"
)

// Spec is an animation file as written. Its track is given by one of three: Length with Notifies and Curves (a
// sequence), Parts (a composite), or Track (another file's). Sections, which any of them may have, make a
// montage; without them there is one section, Default, that covers the whole track.
type Spec struct {
	// Name is the path of the file below content/.
	Name     string
	Length   float64
	Notifies []Notify
	Curves   []Curve
	Parts    []PartSpec
	Track    string
	Sections []SectionSpec
	// Rate is the playback rate; 0 means 1.
	Rate              float64
	BlendIn, BlendOut float64
}

// PartSpec is a part of another file's track: from From to To, in its seconds; To 0 means its end. Rate 0 means
// 1.
type PartSpec struct {
	Animation string
	From, To  float64
	Rate      float64
}

// SectionSpec is a section as written. It ends at the start of the next one. Next is the section that follows:
// "" for the next in order, none after the last; NextNone ends the montage.
type SectionSpec struct {
	Name  string
	Start float64
	Next  string
}

// NextNone as a section's Next ends the montage there.
const NextNone = "none"

// SpecError is a file that cannot be used.
type SpecError struct {
	// Name is the name of the file.
	Name string
	Text string
	// Field is the part of the file that is wrong, nil if unknown.
	Field *FieldError
}

// FieldError is a part of a file that cannot be used.
type FieldError struct {
	// Table is the kind of table, "" for a key of the file itself: notify, curve, section.
	Table string
	// Name is the name of the table, or the key, as the file writes it.
	Name string
	Text string
}

func (e *FieldError) Error() string {
	if e.Table == "" {
		return e.Name + ": " + e.Text
	}
	return e.Table + " " + e.Name + ": " + e.Text
}

func fieldErrorf(table, name, format string, args ...any) error {
	return &FieldError{table, name, fmt.Sprintf(format, args...)}
}

// specError is an error of a file.
func specError(file string, err error) *SpecError {
	e := &SpecError{Name: file, Text: err.Error()}
	_ = errors.As(err, &e.Field) // nil if it is about the whole file
	return e
}

func (e *SpecError) Error() string { return e.Name + ": " + e.Text }

// Library is the set of animations of a match. It is immutable; server and clients have the same one, so that
// numbers agree. The nil library is empty.
type Library struct {
	list   []*Montage
	byName map[string]*Montage
	spaces map[string]*Space
}

// NewLibrary resolves specs. It returns the first fault, in order of names, as a *SpecError.
func NewLibrary(specs []Spec, spaces []SpaceSpec) (*Library, error) {
	l := &Library{byName: map[string]*Montage{}, spaces: map[string]*Space{}}
	list := append([]Spec(nil), specs...)
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	if len(list) > MaxAnimations {
		return nil, &SpecError{Name: list[MaxAnimations].Name, Text: fmt.Sprintf("%d animations; at most %d", len(list), MaxAnimations)}
	}
	b := &builder{specs: map[string]*Spec{}, done: map[string]*Sequence{}}
	for i := range list {
		if b.specs[list[i].Name] != nil {
			return nil, &SpecError{Name: list[i].Name, Text: "given twice"}
		}
		b.specs[list[i].Name] = &list[i]
	}
	for i := range list {
		s := &list[i]
		m, err := b.montage(s)
		if err != nil {
			return nil, specError(s.Name, err)
		}
		m.Number = i + 1
		l.list = append(l.list, m)
		l.byName[m.Name] = m
	}
	for i := range spaces {
		s := &spaces[i]
		if l.byName[s.Name] != nil || l.spaces[s.Name] != nil {
			return nil, &SpecError{Name: s.Name, Text: "given twice"}
		}
		for _, x := range s.Samples {
			if l.byName[x.Animation] == nil {
				return nil, &SpecError{Name: s.Name, Text: fmt.Sprintf("no animation %q", x.Animation)}
			}
		}
		sp, err := NewSpace(s)
		if err != nil {
			return nil, specError(s.Name, err)
		}
		l.spaces[s.Name] = sp
	}
	return l, nil
}

// Find returns the montage of a name, nil if there is none.
func (l *Library) Find(name string) *Montage {
	if l == nil {
		return nil
	}
	return l.byName[name]
}

// Numbered returns the montage of a number, nil if there is none.
func (l *Library) Numbered(n int) *Montage {
	if l == nil || n < 1 || n > len(l.list) {
		return nil
	}
	return l.list[n-1]
}

// Space returns the blend space of a name, nil if there is none.
func (l *Library) Space(name string) *Space {
	if l == nil {
		return nil
	}
	return l.spaces[name]
}

// Names returns the names of all animations in the order of their numbers.
func (l *Library) Names() []string {
	if l == nil {
		return nil
	}
	out := make([]string, len(l.list))
	for i, m := range l.list {
		out[i] = m.Name
	}
	return out
}

// builder resolves tracks that refer to each other.
type builder struct {
	specs map[string]*Spec
	done  map[string]*Sequence
	depth int
}

// track resolves the track of a file; the caller adds the file's name to errors.
func (b *builder) track(s *Spec) (*Sequence, error) {
	if t := b.done[s.Name]; t != nil {
		return t, nil
	}
	if b.depth++; b.depth > MaxDepth {
		return nil, fmt.Errorf("parts within parts more than %d deep; does it hold itself?", MaxDepth)
	}
	defer func() { b.depth-- }()
	kinds := 0
	for _, has := range [...]bool{s.Length != 0, len(s.Parts) > 0, s.Track != ""} {
		if has {
			kinds++
		}
	}
	if kinds != 1 {
		return nil, fmt.Errorf("expected one of length, parts and track, got %d of them", kinds)
	}
	t := &Sequence{Name: s.Name, Length: s.Length}
	switch {
	case s.Track != "":
		of, err := b.named(s.Track)
		if err != nil {
			return nil, err
		}
		t.Length = of.Length
		t.Notifies = append(t.Notifies, of.Notifies...)
		t.Curves = copyCurves(of.Curves)
	case len(s.Parts) > 0:
		if len(s.Parts) > MaxParts {
			return nil, fmt.Errorf("%d parts; at most %d", len(s.Parts), MaxParts)
		}
		parts := make([]part, len(s.Parts))
		for i, p := range s.Parts {
			of, err := b.named(p.Animation)
			if err != nil {
				return nil, err
			}
			to, rate := p.To, p.Rate
			if to == 0 {
				to = of.Length
			}
			if rate == 0 {
				rate = 1
			}
			if !(p.From >= 0 && p.From < to && to <= of.Length) || !(rate >= MinRate && rate <= MaxRate) {
				return nil, fmt.Errorf("part %d: expected 0 <= from < to <= %g and a rate of %g to %d", i+1, of.Length, MinRate, MaxRate)
			}
			parts[i] = part{of, p.From, to, rate}
		}
		var err error
		if t, err = compose(s.Name, parts); err != nil {
			return nil, err
		}
	}
	t.Notifies = append(t.Notifies, s.Notifies...)
	t.Curves = append(t.Curves, copyCurves(s.Curves)...)
	if err := t.check(); err != nil {
		return nil, err
	}
	b.done[s.Name] = t
	return t, nil
}

func copyCurves(list []Curve) []Curve {
	out := make([]Curve, len(list))
	for i, c := range list {
		out[i] = Curve{Name: c.Name, Step: c.Step, Keys: append([]Key(nil), c.Keys...)}
	}
	return out
}

func (b *builder) named(name string) (*Sequence, error) {
	s := b.specs[name]
	if s == nil {
		return nil, fmt.Errorf("no animation %q", name)
	}
	return b.track(s)
}

// montage builds the montage of a file.
func (b *builder) montage(s *Spec) (*Montage, error) {
	t, err := b.track(s)
	if err != nil {
		return nil, err
	}
	m := &Montage{Name: s.Name, Track: t, Rate: s.Rate, BlendIn: s.BlendIn, BlendOut: s.BlendOut}
	if m.Rate == 0 {
		m.Rate = 1
	}
	if !(m.Rate >= MinRate && m.Rate <= MaxRate) {
		return nil, fieldErrorf("", "rate", "expected %g to %d, got %g", MinRate, MaxRate, m.Rate)
	}
	if !(m.BlendIn >= 0 && m.BlendIn <= MaxLength) || !(m.BlendOut >= 0 && m.BlendOut <= MaxLength) {
		return nil, fmt.Errorf("blend_in and blend_out: expected 0 to %d seconds", MaxLength)
	}
	if len(s.Sections) == 0 {
		m.Sections = []Section{{Name: "Default", End: t.Length, Next: -1}}
		return m, nil
	}
	if len(s.Sections) > MaxSections {
		return nil, fmt.Errorf("%d sections; at most %d", len(s.Sections), MaxSections)
	}
	for i, c := range s.Sections {
		end := t.Length
		if i+1 < len(s.Sections) {
			end = s.Sections[i+1].Start
		}
		switch {
		case c.Name == "" || c.Name == NextNone || m.Section(c.Name) >= 0 && i > 0:
			return nil, fmt.Errorf("section %d: expected a name of its own, got %q", i+1, c.Name)
		case i == 0 && c.Start != 0:
			return nil, fieldErrorf("section", c.Name, "the first section starts at 0")
		case !(end-c.Start >= MinLength):
			return nil, fieldErrorf("section", c.Name, "expected to start before the next one and before the track's end at %g s", t.Length)
		}
		m.Sections = append(m.Sections, Section{Name: c.Name, Start: c.Start, End: end, Next: -1})
	}
	for i, c := range s.Sections {
		switch c.Next {
		case "":
			if i+1 < len(m.Sections) {
				m.Sections[i].Next = i + 1
			}
		case NextNone:
		default:
			if m.Sections[i].Next = m.Section(c.Next); m.Sections[i].Next < 0 {
				return nil, fieldErrorf("section", c.Name, "next: no section %q", c.Next)
			}
		}
	}
	return m, nil
}
