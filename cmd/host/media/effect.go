package media

import (
	"fmt"
	"path"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// Bounds of effects (W3.2).
const (
	maxParticles = 8   // tables of particles in a file
	maxBeams     = 4   // tables of beams
	maxBurst     = 200 // particles at once
	maxRate      = 500 // particles a second
	maxLife      = 10  // seconds
)

// effectFile is a file of content/effects: a short visual effect (docs/see.md).
type effectFile struct {
	Life      float64     `toml:"life" json:"life"` // s of the whole
	Particles []particles `toml:"particles" json:"particles,omitempty"`
	Beam      []beam      `toml:"beam" json:"beam,omitempty"`
	Light     *flash      `toml:"light" json:"light,omitempty"`
	Shake     *shake      `toml:"shake" json:"shake,omitempty"`
}

type particles struct {
	Shape   string    `toml:"shape" json:"shape"`
	Rate    float64   `toml:"rate" json:"rate"`   // 1/s
	Burst   int       `toml:"burst" json:"burst"` // at once
	Life    []float64 `toml:"life" json:"life"`   // s, least and most
	Size    []float64 `toml:"size" json:"size"`   // uu, at the start and at the end
	Color   []string  `toml:"color" json:"color"`
	Opacity []float64 `toml:"opacity" json:"opacity"`
	Speed   []float64 `toml:"speed" json:"speed"`     // uu/s, least and most
	Spread  float64   `toml:"spread" json:"spread"`   // degrees around the direction
	Gravity float64   `toml:"gravity" json:"gravity"` // share
	Drag    float64   `toml:"drag" json:"drag"`       // 1/s
	Glow    float64   `toml:"glow" json:"glow"`
	Radius  float64   `toml:"radius" json:"radius"` // uu, distance at which they begin
}

type beam struct {
	Length float64 `toml:"length" json:"length"` // uu
	Width  float64 `toml:"width" json:"width"`   // uu
	Color  string  `toml:"color" json:"color"`
	Life   float64 `toml:"life" json:"life"` // s
	Glow   float64 `toml:"glow" json:"glow"`
}

type flash struct {
	Color  string  `toml:"color" json:"color"`
	Radius float64 `toml:"radius" json:"radius"` // uu
	Life   float64 `toml:"life" json:"life"`     // s
}

type shake struct {
	Amount float64 `toml:"amount" json:"amount"` // degrees
	Life   float64 `toml:"life" json:"life"`     // s
	Radius float64 `toml:"radius" json:"radius"` // uu
}

var particleShapes = []string{"square", "round", "spark", "ring", "smoke"}

// readEffect reads a file of content/effects.
func readEffect(f *bundle.File) (*effectFile, error) {
	var d effectFile
	if err := decode(f, &d); err != nil {
		return nil, err
	}
	c := checker{f: f}
	if d.Life == 0 {
		d.Life = 1
	}
	c.number("life", d.Life, 0.01, maxLife)
	c.many("particles", len(d.Particles), maxParticles)
	c.many("beam", len(d.Beam), maxBeams)
	if len(d.Particles)+len(d.Beam) == 0 && d.Light == nil && d.Shake == nil {
		c.fail("", "expected [[particles]], [[beam]], [light] or [shake]")
	}
	for i := range d.Particles {
		p := &d.Particles[i]
		c.in("particles", i)
		c.word("shape", &p.Shape, particleShapes)
		c.number("rate", p.Rate, 0, maxRate)
		c.number("burst", float64(p.Burst), 0, maxBurst)
		if p.Rate == 0 && p.Burst == 0 {
			c.fail("", "expected a rate or a burst")
		}
		c.pair("life", &p.Life, [2]float64{0.5, 0.5}, 0.01, maxLife)
		c.pair("size", &p.Size, [2]float64{8, 8}, 0, 2000)
		c.colors("color", &p.Color)
		c.pair("opacity", &p.Opacity, [2]float64{1, 0}, 0, 1)
		c.pair("speed", &p.Speed, [2]float64{0, 0}, 0, 10000)
		c.number("spread", p.Spread, 0, 180)
		c.number("gravity", p.Gravity, -10, 10)
		c.number("drag", p.Drag, 0, 100)
		c.number("glow", p.Glow, 0, 1)
		c.number("radius", p.Radius, 0, 2000)
	}
	for i := range d.Beam {
		b := &d.Beam[i]
		c.in("beam", i)
		c.number("length", b.Length, 1, 20000)
		c.number("width", b.Width, 0.1, 500)
		c.color("color", &b.Color)
		c.number("life", b.Life, 0.01, maxLife)
		c.number("glow", b.Glow, 0, 1)
	}
	if d.Light != nil {
		c.in("light", -1)
		c.color("color", &d.Light.Color)
		c.number("radius", d.Light.Radius, 1, 5000)
		c.number("life", d.Light.Life, 0.01, maxLife)
	}
	if d.Shake != nil {
		c.in("shake", -1)
		c.number("amount", d.Shake.Amount, 0, 20)
		c.number("life", d.Shake.Life, 0.01, maxLife)
		c.number("radius", d.Shake.Radius, 1, 20000)
	}
	if c.err != nil {
		return nil, c.err
	}
	return &d, nil
}

// checker checks the values of a file against their bounds; the first that is wrong is its error.
type checker struct {
	f     *bundle.File
	table string // the table of the values, "" for the file itself
	index int    // index in an array of tables, -1 for a single table
	err   *Error
}

// in sets the table of the values that follow.
func (c *checker) in(table string, index int) { c.table, c.index = table, index }

func (c *checker) fail(key, format string, args ...any) {
	if c.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if key != "" {
		text = key + ": " + text
	}
	c.err = plain.Errorf(c.f.Name, placeOf(c.f.Data, c.table, max(0, c.index), key), "%s", text)
	if c.table != "" {
		c.err.Text = c.table + ": " + text
	}
}

func (c *checker) number(key string, v, least, most float64) {
	if !(v >= least && v <= most) {
		c.fail(key, "expected %v to %v, got %v", least, most, v)
	}
}

func (c *checker) many(key string, n, most int) {
	if n > most {
		c.in(key, most)
		c.fail("", "%d tables; at most %d", n, most)
		c.in("", 0)
	}
}

// pair returns two numbers; none means def.
func (c *checker) pair(key string, v *[]float64, def [2]float64, least, most float64) {
	switch len(*v) {
	case 0:
		*v = def[:]
	case 2:
	default:
		c.fail(key, "expected two numbers [first, last], got %d", len(*v))
		return
	}
	for _, x := range *v {
		c.number(key, x, least, most)
	}
}

func (c *checker) color(key string, v *string) {
	if *v == "" {
		*v = "#ffffff"
	}
	if !isColor(*v) {
		c.fail(key, `expected a color "#rrggbb", got %q`, cutText(*v))
	}
	*v = strings.ToLower(*v)
}

func (c *checker) colors(key string, v *[]string) {
	if len(*v) == 0 {
		*v = []string{"#ffffff", "#ffffff"}
	}
	if len(*v) != 2 {
		c.fail(key, `expected two colors ["#rrggbb", "#rrggbb"], got %d`, len(*v))
		return
	}
	for i := range *v {
		c.color(key, &(*v)[i])
	}
}

// word returns a word of a list; none means the first.
func (c *checker) word(key string, v *string, list []string) {
	if *v == "" {
		*v = list[0]
	}
	for _, w := range list {
		if *v == w {
			return
		}
	}
	c.fail(key, `unknown %s %q%s; expected "%s"`, key, cutText(*v), engine.Nearest(*v, list), strings.Join(list, `", "`))
}

// file returns the name of a file in content, "" for none.
func (c *checker) file(key, v string, folder string, ends ...string) {
	if v == "" {
		return
	}
	for _, end := range ends {
		if strings.HasPrefix(v, folder) && strings.HasSuffix(v, end) && path.Clean(v) == v && len(v) <= 256 && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == '\\' }) {
			return
		}
	}
	c.fail(key, `expected a file of content, "%sname%s", got %q`, folder, ends[0], cutText(v))
}

func isColor(s string) bool {
	if len(s) != 7 || s[0] != '#' {
		return false
	}
	return strings.Trim(strings.ToLower(s[1:]), "0123456789abcdef") == ""
}

func cutText(s string) string { return engine.OneLine(s, 60) }
