package inspect

import (
	"cmp"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/scene"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// Level is a level as a map from above shows it.
type Level struct {
	Name string `json:"name"`
	// Brushes are in the order of their tops, the lowest first.
	Brushes []Outline `json:"brushes"`
}

// Outline is a brush seen from above.
type Outline struct {
	// Contents is what fills it: "solid", "water", "lava", …
	Contents string  `json:"contents"`
	Bottom   float64 `json:"bottom"`
	Top      float64 `json:"top"`
	// Corners of its convex outline, X and Y, counterclockwise.
	Corners [][2]float64 `json:"corners"`
}

// LevelOf describes a level that the host calls by a name; one without brushes for nil. A level never changes, so this may
// run on any goroutine.
func LevelOf(name string, lv *level.Level) Level {
	out := Level{Name: name, Brushes: []Outline{}}
	if lv == nil {
		return out
	}
	for i := range lv.Brushes {
		b := &lv.Brushes[i]
		o := Outline{Contents: b.Contents.String(), Bottom: b.Bounds.Min.Z, Top: b.Bounds.Max.Z}
		if o.Corners = outline(b.Vertices); len(o.Corners) > 2 {
			out.Brushes = append(out.Brushes, o)
		}
	}
	slices.SortStableFunc(out.Brushes, func(a, b Outline) int { return cmp.Compare(a.Top, b.Top) })
	return out
}

// outline returns the convex hull of points from above (Andrew's monotone chain).
func outline(points []geom.Vector) [][2]float64 {
	p := make([][2]float64, 0, len(points))
	for _, v := range points {
		p = append(p, [2]float64{v.X, v.Y})
	}
	slices.SortFunc(p, func(a, b [2]float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	p = slices.Compact(p)
	if len(p) < 3 {
		return nil
	}
	half := func(points [][2]float64) [][2]float64 {
		var h [][2]float64
		for _, c := range points {
			for len(h) > 1 {
				a, b := h[len(h)-2], h[len(h)-1]
				if (b[0]-a[0])*(c[1]-a[1])-(b[1]-a[1])*(c[0]-a[0]) > 0 {
					break
				}
				h = h[:len(h)-1]
			}
			h = append(h, c)
		}
		return h[:len(h)-1]
	}
	lower := half(p)
	slices.Reverse(p)
	return append(lower, half(p)...)
}

// Mesh is a level as triangles, those of the browser client.
type Mesh struct {
	Name string `json:"name"`
	// Positions are corners, three to a triangle, X, Y and Z of each in turn, in uu; those of a model relative to it. Corners are clockwise
	// as seen from outside, in the engine's left-handed axes.
	Positions []float64 `json:"positions"`
	// Groups are runs of corners of one contents and model; Models the movers, by their place in the level.
	Groups []scene.Group `json:"groups"`
	Models []scene.Model `json:"models"`
}

// MeshOf describes a level by its triangles; one without any for nil. It may run on any goroutine.
func MeshOf(name string, lv *level.Level) Mesh {
	m := Mesh{Name: name, Positions: []float64{}, Groups: []scene.Group{}, Models: []scene.Model{}}
	l := scene.LevelOf(lv)
	if l == nil {
		return m
	}
	m.Groups, m.Models = l.Groups, l.Models
	for _, p := range l.Positions {
		m.Positions = append(m.Positions, round(float64(p), 100))
	}
	return m
}
