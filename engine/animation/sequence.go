package animation

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// Notify is an event in a movement: at a moment, or over a window of time.
type Notify struct {
	Name string
	// Time is when it happens, or begins, in seconds from the track's start.
	Time float64
	// End is when its window ends; 0 for a notify without a window.
	End float64
	// Gameplay marks a notify that affects the game: it happens on a dedicated server, too.
	Gameplay bool
}

// window reports whether it has a window.
func (n *Notify) window() bool { return n.End > 0 }

// Sequence is a track: a movement with a length, notifies and curves. A composite is converted to one. It is
// immutable.
type Sequence struct {
	Name string
	// Length in seconds.
	Length float64
	// Notifies in order of their times.
	Notifies []Notify
	Curves   []Curve

	// Boxes are the hit boxes that the track moves (R11.3), from its curves named Box.NAME.X, .Y and .Z.
	// BoxReach bounds how far it moves any of them, in uu.
	Boxes    []BoxCurves
	BoxReach float64

	all, gameplay []mark
	root          [3]*Curve // RootX, RootY, RootZ: location of the root in uu, relative to its start
}

// mark is a moment at which a notify fires, begins or ends.
type mark struct {
	at     float64
	kind   CueKind
	notify int
}

// rootNames are the names of the curves by which a track moves its actor.
var rootNames = [3]string{"RootX", "RootY", "RootZ"}

// check prepares a sequence for use.
func (s *Sequence) check() error {
	if !(s.Length >= MinLength && s.Length <= MaxLength) {
		return fieldErrorf("", "length", "expected %g to %d seconds, got %g", MinLength, MaxLength, s.Length)
	}
	if len(s.Notifies) > MaxNotifies {
		return fmt.Errorf("%d notifies; at most %d", len(s.Notifies), MaxNotifies)
	}
	if len(s.Curves) > MaxCurves {
		return fmt.Errorf("%d curves; at most %d", len(s.Curves), MaxCurves)
	}
	sort.SliceStable(s.Notifies, func(i, j int) bool { return s.Notifies[i].Time < s.Notifies[j].Time })
	for i := range s.Notifies {
		n := &s.Notifies[i]
		switch {
		case n.Name == "" || len(n.Name) > 64:
			return fmt.Errorf("a notify at %g s: expected a name of at most 64 bytes", n.Time)
		case !(n.Time >= 0 && n.Time <= s.Length):
			return fieldErrorf("notify", n.Name, "time: expected 0 to %g, got %g", s.Length, n.Time)
		case n.End != 0 && !(n.End > n.Time && n.End <= s.Length):
			return fieldErrorf("notify", n.Name, "end: expected more than its time %g and at most %g, got %g", n.Time, s.Length, n.End)
		}
		if n.window() {
			s.all = append(s.all, mark{n.Time, CueBegin, i}, mark{n.End, CueEnd, i})
		} else {
			s.all = append(s.all, mark{n.Time, CueFire, i})
		}
	}
	// At the same moment, open windows end first, and new ones begin last.
	slices.SortStableFunc(s.all, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.notify, b.notify))
	})
	open := 0
	for _, m := range s.all {
		switch m.kind {
		case CueBegin:
			open++
		case CueEnd:
			open--
		case CueFire:
		}
		if open > MaxOpen {
			return fieldErrorf("notify", s.Notifies[m.notify].Name, "more than %d windows are open at %g s", MaxOpen, m.at)
		}
		if s.Notifies[m.notify].Gameplay {
			s.gameplay = append(s.gameplay, m)
		}
	}
	for i := range s.Curves {
		c := &s.Curves[i]
		if err := c.check(); err != nil {
			return err
		}
		for j := range i {
			if s.Curves[j].Name == c.Name {
				return fieldErrorf("curve", c.Name, "there are two")
			}
		}
		for j, name := range rootNames {
			if c.Name == name {
				s.root[j] = c
			}
		}
		if err := s.takeBox(c); err != nil {
			return err
		}
	}
	s.BoxReach = 0
	for i := range s.Boxes {
		s.BoxReach = max(s.BoxReach, s.Boxes[i].reach())
	}
	return nil
}

// Curve returns the curve of a name, nil if the track has none.
func (s *Sequence) Curve(name string) *Curve {
	for i := range s.Curves {
		if s.Curves[i].Name == name {
			return &s.Curves[i]
		}
	}
	return nil
}

// HasRoot reports whether the track moves its actor (R9.10).
func (s *Sequence) HasRoot() bool { return s.root[0] != nil || s.root[1] != nil || s.root[2] != nil }

// rootAt returns the location of the root at a time, relative to the start of the track.
func (s *Sequence) rootAt(t float64) (at [3]float64) {
	for i, c := range s.root {
		if c != nil {
			at[i] = c.At(t)
		}
	}
	return at
}

// part is a part of a sequence inside a composite.
type part struct {
	of       *Sequence
	from, to float64
	rate     float64
}

// compose concatenates parts. Windows and curves are cut at the ends of a part; a curve that a part does not
// have keeps its last value.
func compose(name string, parts []part) (*Sequence, error) {
	s := &Sequence{Name: name}
	curves := map[string]int{}
	for _, p := range parts {
		start := s.Length
		at := func(t float64) float64 { return start + (t-p.from)/p.rate }
		for _, n := range p.of.Notifies {
			last := p.to == p.of.Length && n.Time == p.to
			if n.Time >= p.to && !last || n.Time < p.from && (!n.window() || n.End <= p.from) {
				continue
			}
			c := Notify{Name: n.Name, Time: at(max(n.Time, p.from)), Gameplay: n.Gameplay}
			if n.window() {
				c.End = at(min(n.End, p.to))
			}
			s.Notifies = append(s.Notifies, c)
		}
		for i := range p.of.Curves {
			c := &p.of.Curves[i]
			k, ok := curves[c.Name]
			if !ok {
				k = len(s.Curves)
				curves[c.Name] = k
				s.Curves = append(s.Curves, Curve{Name: c.Name, Step: c.Step})
			}
			to := &s.Curves[k]
			if c.Step != to.Step {
				return nil, fieldErrorf("curve", c.Name, "some parts step and some do not")
			}
			first := start
			if n := len(to.Keys); n > 0 && first <= to.Keys[n-1].Time {
				first = to.Keys[n-1].Time + tiny // the value may jump between two parts
			}
			to.Keys = append(to.Keys, Key{first, c.At(p.from)})
			for _, key := range c.Keys {
				if t := at(key.Time); key.Time > p.from && key.Time < p.to && t > to.Keys[len(to.Keys)-1].Time {
					to.Keys = append(to.Keys, Key{t, key.Value})
				}
			}
			if t := at(p.to); t > to.Keys[len(to.Keys)-1].Time {
				to.Keys = append(to.Keys, Key{t, c.At(p.to)})
			}
			if len(to.Keys) > MaxKeys {
				return nil, fieldErrorf("curve", c.Name, "more than %d keys", MaxKeys)
			}
		}
		s.Length = at(p.to)
	}
	return s, nil
}

// tiny is the time in which a curve jumps between two parts, in seconds.
const tiny = 1e-6
