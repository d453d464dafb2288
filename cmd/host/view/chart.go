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

// chart draws the surroundings from above: X is up, Y to the right, as they look to somebody who faces +X. What the level
// has is found once for each place and kept while the player stays on about the same height.
type chart struct {
	of     *engine.World
	level  any
	solids []collision.Hull
	slab   int
	wide   float64 // uu that a character stands for across; down it is twice that
	ground map[[2]int]rune
}

const (
	// slabHeight in uu: what is known of the level is kept until the player is in another slab.
	slabHeight = 16
	// maxGround bounds what is kept, in characters; then it is found again.
	maxGround = 1 << 16
	wall      = '█'
	floor     = '·'
)

// zooms are the uu that a character may stand for.
var zooms = [...]float64{64, 128, 32}

// mark is something on the chart.
type mark struct {
	at    geom.Vector
	sign  rune
	style string // "" for none
}

// draw gives rows of width characters about a place. Marks that come later lie on top.
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
	if low, high, ok := c.bounds(); ok { // what lies outside of the level is worth no room
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

// bounds are the cells that the level's solids cover; false where there are none.
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

// clamp brings x between two bounds, to their middle where they are the wrong way round.
func clamp(x, low, high int) int {
	if low > high {
		return (low + high) / 2
	}
	return max(low, min(high, x))
}

func (c *chart) cell(at geom.Vector) (row, col int) {
	return int(math.Floor(at.X / (2 * c.wide))), int(math.Floor(at.Y / c.wide))
}

// at is what the level has at a character: a wall at the height of a body, floor below it, or neither.
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

// solid reports whether the level is solid where a character is looked at: in its middle, or where something thinner
// than a character has its own middle in it, since a thin wall is one all the same.
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

// arrows by eighth of a turn, from up (+X) clockwise.
var arrows = [...]rune{'↑', '↗', '→', '↘', '↓', '↙', '←', '↖'}

// arrow is a direction on the chart; yaw in rotator units, 0 for up.
func arrow(yaw int) rune { return arrows[((yaw&0xffff)+4096)/8192%8] }

// initial is how a player is drawn: the first letter of the name.
func initial(name string) rune {
	r, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsPrint(r) || unicode.IsSpace(r) || r == utf8.RuneError || columns(r) != 1 {
		return '?'
	}
	return unicode.ToUpper(r)
}
