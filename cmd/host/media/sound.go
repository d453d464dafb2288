package media

import (
	"path"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// soundFile is a file of content/sounds.
type soundFile struct {
	Radius  float64 `toml:"radius"`
	Volume  float64 `toml:"volume"`
	Pitch   float64 `toml:"pitch"`
	Caption string  `toml:"caption"`
	File    string  `toml:"file"`
}

// maxCaption bounds what a listener reads, in bytes.
const maxCaption = 100

// wrongShare is the key of a share that is out of bounds, "" for none.
func wrongShare(d soundFile) string {
	switch {
	case !(d.Volume > 0 && d.Volume <= 16):
		return "volume"
	case !(d.Pitch > 0 && d.Pitch <= 16):
		return "pitch"
	}
	return ""
}

func readSound(f *bundle.File) (engine.Sound, error) {
	d := soundFile{Volume: 1, Pitch: 1}
	if err := decode(f, &d); err != nil {
		return engine.Sound{}, err
	}
	switch {
	case !(d.Radius >= 0 && d.Radius <= 1e6):
		return engine.Sound{}, &Error{f.Name, keyLine(f.Data, "radius"), "radius: expected 0 to 1000000 uu; 0 leaves it to the actor's SoundRadius"}
	case wrongShare(d) != "":
		return engine.Sound{}, &Error{f.Name, keyLine(f.Data, wrongShare(d)), wrongShare(d) + ": expected a share above 0 and up to 16"}
	case len(d.Caption) > maxCaption || strings.ContainsFunc(d.Caption, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return engine.Sound{}, &Error{f.Name, keyLine(f.Data, "caption"), "caption: expected one line of at most 100 bytes"}
	}
	s := engine.Sound{Name: f.Name, Radius: d.Radius, Volume: d.Volume, Pitch: d.Pitch, Caption: d.Caption}
	if d.File != "" {
		s.File = path.Join(path.Dir(f.Name), d.File)
	}
	return s, nil
}
