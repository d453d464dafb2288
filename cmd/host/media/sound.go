package media

import (
	"path"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// soundFile is a file of content/sounds: how far it is heard, and its recording or synthesizer.
type soundFile struct {
	Radius  float64 `toml:"radius" json:"radius"`
	Volume  float64 `toml:"volume" json:"volume"`
	Pitch   float64 `toml:"pitch" json:"pitch"`
	Caption string  `toml:"caption" json:"caption"`
	File    string  `toml:"file" json:"file,omitempty"`
	Loop    bool    `toml:"loop" json:"loop,omitempty"`
	Synth   *synth  `toml:"synth" json:"synth,omitempty"`
	Layer   []layer `toml:"layer" json:"layer,omitempty"`
}

// synth contains what all layers have in common.
type synth struct {
	Duration float64 `toml:"duration" json:"duration"` // s
	Volume   float64 `toml:"volume" json:"volume"`
}

// layer is an oscillator or noise, its envelope and its filter.
type layer struct {
	Wave      string    `toml:"wave" json:"wave"`
	Frequency []float64 `toml:"frequency" json:"frequency"` // Hz, from and to
	Attack    float64   `toml:"attack" json:"attack"`       // s
	Decay     float64   `toml:"decay" json:"decay"`         // s
	Sustain   float64   `toml:"sustain" json:"sustain"`
	Release   float64   `toml:"release" json:"release"` // s
	Volume    *float64  `toml:"volume" json:"volume"`
	Filter    string    `toml:"filter" json:"filter"`
	Cutoff    []float64 `toml:"cutoff" json:"cutoff"` // Hz, from and to
	Q         float64   `toml:"q" json:"q"`
	Delay     float64   `toml:"delay" json:"delay"`     // s
	Vibrato   float64   `toml:"vibrato" json:"vibrato"` // Hz
	Depth     float64   `toml:"depth" json:"depth"`     // Hz of the vibrato
}

// Bounds of sounds.
const (
	maxCaption = 100 // bytes of the text for listeners without sound
	maxLayers  = 8
	maxSeconds = 10
)

var (
	soundWaves   = []string{"sine", "square", "saw", "triangle", "noise"}
	soundFilters = []string{"none", "lowpass", "highpass", "bandpass"}
)

// wrongShare returns the key of a share that is out of bounds, "" for none.
func wrongShare(d *soundFile) string {
	switch {
	case !(d.Volume > 0 && d.Volume <= 16):
		return "volume"
	case !(d.Pitch > 0 && d.Pitch <= 16):
		return "pitch"
	}
	return ""
}

func readSound(f *bundle.File) (engine.Sound, *soundFile, error) {
	d := &soundFile{Volume: 1, Pitch: 1}
	if err := decode(f, d); err != nil {
		return engine.Sound{}, nil, err
	}
	switch {
	case !(d.Radius >= 0 && d.Radius <= 1e6):
		return engine.Sound{}, nil, plain.Errorf(f.Name, keyLine(f.Data, "radius"), "radius: expected 0 to 1000000 uu; 0 leaves it to the actor's SoundRadius")
	case wrongShare(d) != "":
		return engine.Sound{}, nil, plain.Errorf(f.Name, keyLine(f.Data, wrongShare(d)), "%s", wrongShare(d)+": expected a share above 0 and up to 16")
	case len(d.Caption) > maxCaption || strings.ContainsFunc(d.Caption, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return engine.Sound{}, nil, plain.Errorf(f.Name, keyLine(f.Data, "caption"), "caption: expected one line of at most 100 bytes")
	}
	if err := checkSynth(f, d); err != nil {
		return engine.Sound{}, nil, err
	}
	s := engine.Sound{Name: f.Name, Radius: d.Radius, Volume: d.Volume, Pitch: d.Pitch, Caption: d.Caption}
	switch {
	case d.File == "":
	case strings.HasPrefix(d.File, soundFolder):
		s.File = path.Clean(d.File)
	default: // next to the file itself
		s.File = path.Join(path.Dir(f.Name), d.File)
	}
	if strings.HasPrefix(s.File, "../") || len(s.File) > 256 {
		return engine.Sound{}, nil, plain.Errorf(f.Name, keyLine(f.Data, "file"), "file: expected a recording below content/")
	}
	d.File = s.File
	return s, d, nil
}

// checkSynth checks a synthesizer and fills in defaults.
func checkSynth(f *bundle.File, d *soundFile) error {
	c := checker{f: f}
	if d.Synth == nil && len(d.Layer) > 0 {
		d.Synth = &synth{}
	}
	if d.Synth == nil {
		return nil
	}
	c.in("synth", -1)
	if d.Synth.Volume == 0 {
		d.Synth.Volume = 1
	}
	if d.Synth.Duration == 0 {
		d.Synth.Duration = 1
	}
	c.number("duration", d.Synth.Duration, 0.01, maxSeconds)
	c.number("volume", d.Synth.Volume, 0, 4)
	if len(d.Layer) == 0 {
		c.fail("", "expected [[layer]]")
	}
	c.many("layer", len(d.Layer), maxLayers)
	for i := range d.Layer {
		l := &d.Layer[i]
		c.in("layer", i)
		c.word("wave", &l.Wave, soundWaves)
		c.pair("frequency", &l.Frequency, [2]float64{440, 440}, 1, 20000)
		c.number("attack", l.Attack, 0, maxSeconds)
		c.number("decay", l.Decay, 0, maxSeconds)
		c.number("sustain", l.Sustain, 0, 1)
		c.number("release", l.Release, 0, maxSeconds)
		if l.Volume == nil {
			one := 1.0
			l.Volume = &one
		}
		c.number("volume", *l.Volume, 0, 4)
		c.word("filter", &l.Filter, soundFilters)
		c.pair("cutoff", &l.Cutoff, [2]float64{2000, 2000}, 10, 20000)
		if l.Q == 0 {
			l.Q = 1
		}
		c.number("q", l.Q, 0.01, 50)
		c.number("delay", l.Delay, 0, maxSeconds)
		c.number("vibrato", l.Vibrato, 0, 100)
		c.number("depth", l.Depth, 0, 5000)
	}
	if c.err != nil {
		return c.err
	}
	return nil
}
