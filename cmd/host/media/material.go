package media

import (
	"strings"

	"github.com/tidelock/tidelock/netcode/bundle"
)

// maxPatterns bounds the textures that a material matches by patterns.
const maxPatterns = 64

// materialFile is a file of content/materials: the appearance of faces with a texture (W3.3, docs/see.md).
type materialFile struct {
	Color    string  `toml:"color" json:"color"`
	Second   string  `toml:"second" json:"second"`
	Pattern  string  `toml:"pattern" json:"pattern"`
	Scale    float64 `toml:"scale" json:"scale"` // uu
	Contrast float64 `toml:"contrast" json:"contrast"`
	Glow     float64 `toml:"glow" json:"glow"`
	Image    string  `toml:"image" json:"image,omitempty"`
	Match    struct {
		Textures []string `toml:"textures" json:"textures"`
	} `toml:"match" json:"match"`
}

var materialPatterns = []string{"plain", "noise", "bricks", "planks", "checker", "tiles", "panels", "grid"}

// readMaterial parses a file of content/materials. It applies to the texture of its own name, and to those that
// [match] names.
func readMaterial(f *bundle.File) (*materialFile, error) {
	d := materialFile{Scale: 64, Contrast: 0.3}
	if err := decode(f, &d); err != nil {
		return nil, err
	}
	c := checker{f: f}
	if d.Color == "" && d.Image != "" {
		d.Color = "#ffffff" // the picture's own colors
	}
	if d.Color == "" {
		c.fail("color", `expected a color "#rrggbb"`)
	}
	c.color("color", &d.Color)
	if d.Second == "" {
		d.Second = d.Color
	}
	c.color("second", &d.Second)
	c.word("pattern", &d.Pattern, materialPatterns)
	c.number("scale", d.Scale, 1, 4096)
	c.number("contrast", d.Contrast, 0, 1)
	c.number("glow", d.Glow, 0, 1)
	c.file("image", d.Image, imageFolder, imageEnds...)
	c.in("match", -1)
	if len(d.Match.Textures) > maxPatterns {
		c.fail("textures", "%d patterns; at most %d", len(d.Match.Textures), maxPatterns)
	}
	for _, p := range d.Match.Textures {
		if p == "" || len(p) > 256 || strings.ContainsFunc(p, func(r rune) bool { return r <= ' ' || r == 0x7f }) || strings.Count(p, "*") > 4 {
			c.fail("textures", "expected the name of a texture, * for any letters, got %q", cutText(p))
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	if d.Match.Textures == nil {
		d.Match.Textures = []string{}
	}
	return &d, nil
}
