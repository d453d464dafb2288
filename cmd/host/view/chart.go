package view

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// chart draws the surroundings from above: +X is up, +Y to the right. The level's part is computed once for
// each cell and kept while the player stays at about the same height.
type chart struct {
	of     *engine.World
	level  any
	solids []collision.Hull
	slab   int
	wide   float64 // uu represented by the width of a character; its height represents twice that
	ground map[[2]int]rune
}

const (
	// slabHeight in uu: the cached level is valid until the player's height enters another slab.
	slabHeight = 16
	// maxGround bounds the cache, in characters; beyond it, it is cleared.
	maxGround = 1 << 16
	wall      = '█'
	floor     = '·'
)

// zooms are the possible uu per character.
var zooms = [...]float64{64, 128, 32}

// mark is something on the chart.
type mark struct {
	at    geom.Vector
	sign  rune
	style string // "" for none
}

// draw returns rows of width characters around a location. Later marks cover earlier ones.
func (c *chart) draw(w *engine.World, zoom int, about geom.Vector, width, height int, marks []mark) []string {
	if wide := zooms[zoom%len(zooms)]; c.of != w || c.level != any(w.Level) || c.wide != wide || len(c.ground) > maxGround {
		*c = chart{of: w, level: w.Level, wide: wide, ground: map[[2]int]rune{}}
		if w.Level != nil {
			c.solids = w.Level.Solids()
		}
	}
	if slab := int(math.Floor(about.Z / slabHeight)); slab != c.slab {
		c.slab, c.ground = slab, map[[2]int]rune{}
	}
	row, col := c.cell(about)
	top, left := row+height/2, col-width/2
	if low, high, ok := c.bounds(); ok { // no room is used for the outside of the level
		top = clamp(top, low[0]+height-1, high[0])
		left = clamp(left, low[1], high[1]-width+1)
	}
	on := map[[2]int]mark{}
	for _, m := range marks {
		r, k := c.cell(m.at)
		on[[2]int{r, k}] = m
	}
	out := make([]string, height)
	for i := range out {
		var b strings.Builder
		for k := range width {
			at := [2]int{top - i, left + k}
			if m, ok := on[at]; ok {
				b.WriteString(styled(m.style, string(m.sign)))
				continue
			}
			b.WriteRune(c.at(at))
		}
		out[i] = b.String()
	}
	return out
}

// bounds returns the cells that the level's solids cover; false if there are none.
func (c *chart) bounds() (low, high [2]int, ok bool) {
	if len(c.solids) == 0 {
		return low, high, false
	}
	box := c.solids[0].Bounds
	for i := range c.solids {
		box = box.Union(c.solids[i].Bounds)
	}
	low[0], low[1] = c.cell(box.Min)
	high[0], high[1] = c.cell(box.Max)
	return low, high, true
}

// clamp limits x to two bounds, to their middle if they are in the wrong order.
func clamp(x, low, high int) int {
	if low > high {
		return (low + high) / 2
	}
	return max(low, min(high, x))
}

func (c *chart) cell(at geom.Vector) (row, col int) {
	return int(math.Floor(at.X / (2 * c.wide))), int(math.Floor(at.Y / c.wide))
}

// at returns the level at a character: a wall at the height of a body, floor below it, or neither.
func (c *chart) at(cell [2]int) rune {
	if r, ok := c.ground[cell]; ok {
		return r
	}
	p := geom.Vector{X: (float64(cell[0]) + 0.5) * 2 * c.wide, Y: (float64(cell[1]) + 0.5) * c.wide, Z: float64(c.slab * slabHeight)}
	r := ' '
	switch {
	case c.solid(p):
		r = wall
	case c.solid(p.Sub(geom.Vector{Z: 88 + slabHeight/2})), c.solid(p.Sub(geom.Vector{Z: 88 + 3*slabHeight})):
		r = floor
	}
	c.ground[cell] = r
	return r
}

// solid reports whether the level is solid at a character: at its centre, or if a solid thinner than a
// character has its own centre in it, so that thin walls are shown.
func (c *chart) solid(p geom.Vector) bool {
	for i := range c.solids {
		h := &c.solids[i]
		q := p
		mid, half := h.Bounds.Centre(), h.Bounds.Extent()
		if half.X < c.wide && math.Abs(mid.X-p.X) <= c.wide {
			q.X = mid.X
		}
		if half.Y < c.wide/2 && math.Abs(mid.Y-p.Y) <= c.wide/2 {
			q.Y = mid.Y
		}
		if math.Abs(q.X-mid.X) > half.X || math.Abs(q.Y-mid.Y) > half.Y || math.Abs(q.Z-mid.Z) > half.Z {
			continue
		}
		inside := true
		for _, plane := range h.Planes {
			if plane.Height(q) > 0 {
				inside = false
				break
			}
		}
		if inside {
			return true
		}
	}
	return false
}

// arrows are indexed by eighths of a turn, clockwise from up (+X).
var arrows = [...]rune{'↑', '↗', '→', '↘', '↓', '↙', '←', '↖'}

// arrow returns a direction on the chart; yaw in rotator units, 0 for up.
func arrow(yaw int) rune { return arrows[((yaw&0xffff)+4096)/8192%8] }

// initial returns the mark of a player: the first letter of the name.
func initial(name string) rune {
	r, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsPrint(r) || unicode.IsSpace(r) || r == utf8.RuneError || columns(r) != 1 {
		return '?'
	}
	return unicode.ToUpper(r)
}
