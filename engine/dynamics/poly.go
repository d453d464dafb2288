package dynamics

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// poly is a convex solid prepared for contacts: corners, faces and edges. A body's or an obstacle's is in world
// coordinates; a brush's is at its original location, and offset is its movement since.
type poly struct {
	centre  vec
	offset  vec
	verts   []vec
	normals []vec
	dists   []float64
	loops   [][]int32 // corners of each face, in order around it
	dirs    []vec     // directions of edges, each once
	edges   []edge
}

type edge struct{ from, to, dir int32 }

func (p *poly) vert(i int32) vec          { return p.verts[i].Add(p.offset) }
func (p *poly) dist(i int) float64        { return p.dists[i] + p.normals[i].Dot(p.offset) }
func (p *poly) middle() vec               { return p.centre.Add(p.offset) }
func (p *poly) over(i int, v vec) float64 { return p.normals[i].Dot(v) - p.dist(i) }

// span returns the extent of the solid along a direction.
func (p *poly) span(n vec) (lo, hi float64) {
	lo = math.Inf(1)
	hi = -lo
	for i := range p.verts {
		d := n.Dot(p.verts[i])
		lo, hi = min(lo, d), max(hi, d)
	}
	o := n.Dot(p.offset)
	return lo + o, hi + o
}

// holds reports whether a point is in the solid, or nearer to it than slack.
func (p *poly) holds(v vec, slack float64) bool {
	for i := range p.normals {
		if p.over(i, v) > slack {
			return false
		}
	}
	return true
}

// ORDER: boxFaces, boxLoops and boxEdges count the same corners: bit 0 is +X, bit 1 +Y, bit 2 +Z.
func boxLoops() [][]int32 {
	return [][]int32{{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}}
}

func boxEdges() []edge {
	return []edge{
		{0, 1, 0},
		{2, 3, 0},
		{4, 5, 0},
		{6, 7, 0},
		{0, 2, 1},
		{1, 3, 1},
		{4, 6, 1},
		{5, 7, 1},
		{0, 4, 2},
		{1, 5, 2},
		{2, 6, 2},
		{3, 7, 2},
	}
}

// shape updates a box's corners and faces to the body's location.
func (b *Body) shape(loops [][]int32, edges []edge) {
	c := b.hullCentre()
	h := [3]float64{b.Half.X, b.Half.Y, b.Half.Z}
	for i := range b.verts {
		v := c
		for k := range 3 {
			s := h[k]
			if i>>k&1 == 0 {
				s = -s
			}
			v = v.MulAdd(b.axes[k], s)
		}
		b.verts[i] = v
	}
	for k := range 3 {
		n := b.axes[k]
		d := n.Dot(c)
		b.normals[2*k], b.dists[2*k] = n, d+h[k]
		b.normals[2*k+1], b.dists[2*k+1] = n.Neg(), -d+h[k]
	}
	b.poly = poly{
		centre: c, verts: b.verts[:], normals: b.normals[:], dists: b.dists[:], loops: loops, dirs: b.axes[:], edges: edges,
	}
}

// brush is one convex piece of the level or of a mover.
type brush struct {
	poly
	bounds geom.Bounds
}

func newBrush(h *collision.Hull) brush {
	b := brush{bounds: h.Bounds}
	index := func(v vec) int32 {
		for i, o := range b.verts {
			if o.Sub(v).SizeSquared() < 1e-3 {
				return int32(i)
			}
		}
		b.verts = append(b.verts, v)
		return int32(len(b.verts) - 1)
	}
	loops := make([][]int32, 0, len(h.Faces))
	for _, f := range h.Faces {
		var loop []int32
		for _, v := range f.Winding {
			if i := index(v); len(loop) == 0 || loop[len(loop)-1] != i && loop[0] != i {
				loop = append(loop, i)
			}
		}
		if len(loop) >= 3 {
			loops = append(loops, loop)
		}
	}
	// The mean of the corners is inside; the centre of the bounds may not be.
	for _, v := range b.verts {
		b.centre = b.centre.Add(v)
	}
	b.centre = b.centre.Mul(1 / float64(max(1, len(b.verts))))
	for _, loop := range loops {
		n := faceNormal(b.verts, loop)
		if n.Dot(b.centre) > n.Dot(b.verts[loop[0]]) { // windings are clockwise from outside
			n = n.Neg()
		}
		d := math.Inf(-1)
		for _, i := range loop {
			d = max(d, n.Dot(b.verts[i]))
		}
		b.normals, b.dists, b.loops = append(b.normals, n), append(b.dists, d), append(b.loops, loop)
	}
	b.findEdges()
	return b
}

func faceNormal(verts []vec, loop []int32) vec {
	var n vec
	for i := 2; i < len(loop); i++ {
		n = n.Add(verts[loop[i-1]].Sub(verts[loop[0]]).Cross(verts[loop[i]].Sub(verts[loop[0]])))
	}
	return n.Normal()
}

func (p *poly) findEdges() {
	seen := map[[2]int32]bool{}
	for _, loop := range p.loops {
		for i, a := range loop {
			b := loop[(i+1)%len(loop)]
			if a > b {
				a, b = b, a
			}
			if seen[[2]int32{a, b}] {
				continue
			}
			seen[[2]int32{a, b}] = true
			d := p.verts[b].Sub(p.verts[a]).Normal()
			if d.IsZero() {
				continue
			}
			k := -1
			for j, o := range p.dirs {
				if math.Abs(o.Dot(d)) > 1-1e-9 {
					k = j
				}
			}
			if k < 0 {
				k = len(p.dirs)
				p.dirs = append(p.dirs, d)
			}
			p.edges = append(p.edges, edge{a, b, int32(k)})
		}
	}
}

// prism is an upright obstacle with eight sides.
type prism struct {
	poly
	verts   [16]vec
	normals [10]vec
	dists   [10]float64
	loops   [10][]int32
	dirs    [5]vec
}

func prismLoops() [10][]int32 {
	var l [10][]int32
	for i := range int32(8) {
		j := (i + 1) % 8
		l[i] = []int32{i, j, j + 8, i + 8}
	}
	l[8] = []int32{8, 9, 10, 11, 12, 13, 14, 15}
	l[9] = []int32{7, 6, 5, 4, 3, 2, 1, 0}
	return l
}

func prismEdges() []edge {
	var l []edge
	for i := range int32(8) {
		j := (i + 1) % 8
		l = append(l, edge{i, j, i % 4}, edge{i + 8, j + 8, i % 4}, edge{i, i + 8, 4})
	}
	return l
}

func (p *prism) set(o *Obstacle, loops *[10][]int32, edges []edge) {
	r := o.Radius
	for i := range 8 {
		s, c := math.Sincos(float64(i) * math.Pi / 4)
		v := o.Centre.Add(vec{X: c * r, Y: s * r, Z: -o.HalfHeight})
		p.verts[i] = v
		p.verts[i+8] = v.Add(vec{Z: 2 * o.HalfHeight})
	}
	for i := range 8 {
		s, c := math.Sincos((float64(i) + 0.5) * math.Pi / 4)
		n := vec{X: c, Y: s}
		p.normals[i], p.dists[i] = n, n.Dot(p.verts[i])
	}
	p.normals[8], p.dists[8] = vec{Z: 1}, o.Centre.Z+o.HalfHeight
	p.normals[9], p.dists[9] = vec{Z: -1}, -o.Centre.Z+o.HalfHeight
	for i := range 4 {
		p.dirs[i] = p.verts[i+1].Sub(p.verts[i]).Normal()
	}
	p.dirs[4] = vec{Z: 1}
	p.loops = *loops
	p.poly = poly{
		centre: o.Centre, verts: p.verts[:], normals: p.normals[:], dists: p.dists[:], loops: p.loops[:], dirs: p.dirs[:], edges: edges,
	}
}
