package media

import (
	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// animationFile is a file of content/animations: a sequence, a composite, a montage or a blend space
// (docs/animation.md).
type animationFile struct {
	Length   float64
	Track    string
	Rate     float64
	BlendIn  float64 `toml:"blend_in"`
	BlendOut float64 `toml:"blend_out"`
	Notify   []animation.Notify
	Curve    []struct {
		Name string
		Keys [][]float64
		Step bool
	}
	Part    []animation.PartSpec
	Section []animation.SectionSpec
	Sample  []animation.Sample
}

// readAnimation parses a file into one of the two lists.
func readAnimation(f *bundle.File, specs *[]animation.Spec, spaces *[]animation.SpaceSpec) error {
	var d animationFile
	if err := decode(f, &d); err != nil {
		return err
	}
	if len(d.Sample) > 0 {
		if d.Length != 0 || d.Track != "" || len(d.Part)+len(d.Section)+len(d.Notify)+len(d.Curve) > 0 {
			return plain.Errorf(f.Name, keyLine(f.Data, "sample"), "samples make a blend space, which has nothing else")
		}
		*spaces = append(*spaces, animation.SpaceSpec{Name: f.Name, Samples: d.Sample})
		return nil
	}
	s := animation.Spec{
		Name: f.Name, Length: d.Length, Track: d.Track, Rate: d.Rate, BlendIn: d.BlendIn, BlendOut: d.BlendOut,
		Notifies: d.Notify, Parts: d.Part, Sections: d.Section,
	}
	for n, c := range d.Curve {
		k := animation.Curve{Name: c.Name, Step: c.Step}
		for i, p := range c.Keys {
			if len(p) != 2 {
				return plain.Errorf(f.Name, placeOf(f.Data, "curve", n, ""), "curve %s: key %d: expected [seconds, value]", c.Name, i+1)
			}
			k.Keys = append(k.Keys, animation.Key{Time: p[0], Value: p[1]})
		}
		s.Curves = append(s.Curves, k)
	}
	*specs = append(*specs, s)
	return nil
}

// animationItem is the description of an animation for a page: its resolved track.
type animationItem struct {
	Length   float64      `json:"length"` // s
	Rate     float64      `json:"rate"`
	BlendIn  float64      `json:"blend_in"`  // s
	BlendOut float64      `json:"blend_out"` // s
	Curves   []curveItem  `json:"curves"`
	Notifies []notifyItem `json:"notifies"`
}

type curveItem struct {
	Name string       `json:"name"`
	Keys [][2]float64 `json:"keys"` // s and value
	Step bool         `json:"step"`
}

type notifyItem struct {
	Name string  `json:"name"`
	Time float64 `json:"time"` // s
	End  float64 `json:"end"`
}

func shownAnimation(m *animation.Montage) *animationItem {
	a := &animationItem{Length: m.Track.Length, Rate: m.Rate, BlendIn: m.BlendIn, BlendOut: m.BlendOut, Curves: []curveItem{}, Notifies: []notifyItem{}}
	for i := range m.Track.Curves {
		c := &m.Track.Curves[i]
		item := curveItem{Name: c.Name, Step: c.Step, Keys: [][2]float64{}}
		for _, k := range c.Keys {
			item.Keys = append(item.Keys, [2]float64{k.Time, k.Value})
		}
		a.Curves = append(a.Curves, item)
	}
	for i := range m.Track.Notifies {
		n := &m.Track.Notifies[i]
		a.Notifies = append(a.Notifies, notifyItem{n.Name, n.Time, n.End})
	}
	return a
}
