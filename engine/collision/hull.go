package collision

import (
	"errors"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// Why a set of planes is not a hull.
var (
	ErrEmpty = errors.New("the planes enclose no volume")
	ErrOpen  = errors.New("the planes do not close")
	ErrFaces = errors.New("too many planes")
)

// Plane is the surface Normal·p = Dist; the space behind it (Normal·p < Dist) is solid. Normal has length 1.
type Plane struct {
	Normal geom.Vector
	Dist   float64 // uu from the origin along Normal
}

// Height returns how far p is in front of the plane, in uu; negative behind it.
func (p Plane) Height(v geom.Vector) float64 { return p.Normal.Dot(v) - p.Dist }

// heightOfBox returns the height of the lowest corner of a box with the given half extents.
func (p Plane) heightOfBox(centre, half geom.Vector) float64 {
	return p.Height(centre) - support(p.Normal, half)
}

// support returns how far a box of half extents h extends along n from its centre.
func support(n, h geom.Vector) float64 {
	return math.Abs(n.X)*h.X + math.Abs(n.Y)*h.Y + math.Abs(n.Z)*h.Z
}

// PlaneThrough returns the plane of three points that are clockwise as seen from outside (the order of `.map`
// files). It returns false if they are (nearly) on one line.
func PlaneThrough(a, b, c geom.Vector) (Plane, bool) {
	u, v := a.Sub(b), c.Sub(b)
	n := u.Cross(v)
	size := n.Size()
	// |u×v| is the sine of the corner times both lengths: below 1e-5 of them the corner gives no direction.
	if !(size > 1e-5*u.Size()*v.Size()) || size < 1e-7 {
		return Plane{}, false
	}
	n = n.Mul(1 / size)
	for _, axis := range axes {
		// Points on a grid give exact axial normals except for the division above.
		if d := n.Dot(axis); math.Abs(d) > 1-1e-14 {
			n = axis.Mul(math.Copysign(1, d))
		}
	}
	n = n.Add(geom.Vector{}) // no −0, which would print
	return Plane{n, n.Dot(b) + 0}, true
}

var axes = [3]geom.Vector{{X: 1}, {Y: 1}, {Z: 1}}

// Face is a flat side of a hull.
type Face struct {
	Source  int           // which of the planes given to NewHull
	Winding []geom.Vector // its corners, clockwise from outside
}

// Hull is a convex solid, made with [NewHull] or [BoxHull] and never changed.
type Hull struct {
	// Planes are the planes of the solid, then the bevels: those supporting planes that an axis-aligned box
	// needs to hit the solid's edges and corners exactly (the facets of the Minkowski sum of the two).
	Planes   []Plane
	Vertices []geom.Vector
	Faces    []Face
	Bounds   geom.Bounds
	// LinesPass marks a hull that stops boxes and lets lines through (what editors call a clip brush).
	LinesPass bool
}

// NewHull makes the solid behind all the planes. It tolerates what editors write: duplicate and superfluous
// planes, and corners where more than three planes meet only nearly. The error is ErrEmpty, ErrOpen or
// ErrFaces.
func NewHull(planes []Plane) (Hull, error) {
	if len(planes) > MaxFaces {
		return Hull{}, ErrFaces
	}
	var (
		h      Hull
		points []geom.Vector // every corner of every face, not welded: bevels must not cut any
		volume float64
		buf    [2][]geom.Vector
	)
	for i, p := range planes {
		if doubled(planes[:i], p) {
			continue
		}
		buf[0] = baseWinding(buf[0][:0], p)
		for j, other := range planes {
			if j == i || same(other, p) {
				continue
			}
			buf[1] = clipBehind(buf[1][:0], buf[0], other)
			buf[0], buf[1] = buf[1], buf[0]
			if len(buf[0]) == 0 {
				break
			}
		}
		if len(buf[0]) == 0 {
			continue // superfluous: the others are in front of it everywhere
		}
		points = append(points, buf[0]...)
		h.Planes = append(h.Planes, p)
		if w := welded(buf[0]); len(w) >= 3 {
			h.Faces = append(h.Faces, Face{Source: i, Winding: w})
		}
	}
	if len(points) == 0 {
		return Hull{}, ErrEmpty
	}
	h.Bounds = geom.Bounds{Min: points[0], Max: points[0]}
	for _, v := range points {
		h.Bounds = h.Bounds.Union(geom.Bounds{Min: v, Max: v})
		if !slices.ContainsFunc(h.Vertices, func(o geom.Vector) bool { return near(o, v) }) {
			h.Vertices = append(h.Vertices, v)
		}
	}
	lo, hi := h.Bounds.Min, h.Bounds.Max
	if min(lo.X, lo.Y, lo.Z) < -MaxExtent || max(hi.X, hi.Y, hi.Z) > MaxExtent {
		return Hull{}, ErrOpen
	}
	centre := h.Bounds.Centre()
	for _, f := range h.Faces {
		p := planes[f.Source]
		volume -= p.Height(centre) * area(f.Winding, p.Normal) / 3
		width := 0.0
		for _, v := range h.Vertices {
			width = max(width, -p.Height(v))
		}
		if width < minWidth {
			return Hull{}, ErrEmpty
		}
	}
	if len(h.Faces) < 4 || volume < minVolume {
		return Hull{}, ErrEmpty
	}
	h.bevel(points)
	return h, nil
}

// BoxHull returns the solid axis-aligned box; it panics if the box has no volume or exceeds MaxExtent.
func BoxHull(b geom.Bounds) Hull {
	h, err := NewHull([]Plane{
		{geom.V(1, 0, 0), b.Max.X},
		{geom.V(-1, 0, 0), -b.Min.X},
		{geom.V(0, 1, 0), b.Max.Y},
		{geom.V(0, -1, 0), -b.Min.Y},
		{geom.V(0, 0, 1), b.Max.Z},
		{geom.V(0, 0, -1), -b.Min.Z},
	})
	if err != nil {
		panic("collision: BoxHull of " + b.Min.String() + " " + b.Max.String() + ": " + err.Error())
	}
	return h
}

// Translate returns the hull moved by d.
func (h Hull) Translate(d geom.Vector) Hull {
	out := Hull{Bounds: h.Bounds.Translate(d), LinesPass: h.LinesPass}
	for _, p := range h.Planes {
		out.Planes = append(out.Planes, Plane{p.Normal, p.Dist + p.Normal.Dot(d)})
	}
	for _, v := range h.Vertices {
		out.Vertices = append(out.Vertices, v.Add(d))
	}
	for _, f := range h.Faces {
		w := make([]geom.Vector, len(f.Winding))
		for i, v := range f.Winding {
			w[i] = v.Add(d)
		}
		out.Faces = append(out.Faces, Face{f.Source, w})
	}
	return out
}

// bevel adds the six axial supporting planes and those along edge × axis where the edge is extreme. The
// normals of a Minkowski sum's facets are the faces of both solids and the cross products of their edges;
// a box's edges are the axes. Any supporting plane is correct, so tolerance here only costs time.
func (h *Hull) bevel(points []geom.Vector) {
	add := func(n geom.Vector, at *geom.Vector) {
		dist := math.Inf(-1)
		for _, v := range points {
			dist = max(dist, n.Dot(v))
		}
		if at != nil && n.Dot(*at) < dist-weld {
			return
		}
		for _, p := range h.Planes {
			if p.Normal.Dot(n) > 1-1e-11 && math.Abs(p.Dist-dist) < onPlane {
				return
			}
		}
		h.Planes = append(h.Planes, Plane{n, dist})
	}
	for _, axis := range axes {
		add(axis, nil)
		add(axis.Neg(), nil)
	}
	for _, f := range h.Faces {
		for i, a := range f.Winding {
			edge := f.Winding[(i+1)%len(f.Winding)].Sub(a)
			size := edge.Size()
			for _, axis := range axes {
				n := edge.Cross(axis)
				if n.Size() < 1e-4*size {
					continue
				}
				n = n.Normal()
				add(n, &a)
				add(n.Neg(), &a)
			}
		}
	}
}

// same compares planes by what they cut off: one that differs by less than this makes no face of its own.
func same(a, b Plane) bool {
	return a.Normal.Dot(b.Normal) > 1-1e-10 && math.Abs(a.Dist-b.Dist) < onPlane
}

func doubled(before []Plane, p Plane) bool {
	return slices.ContainsFunc(before, func(o Plane) bool { return same(o, p) })
}

func near(a, b geom.Vector) bool { return a.Sub(b).SizeSquared() < weld*weld }

// baseWinding returns a square in the plane, larger than any level.
func baseWinding(dst []geom.Vector, p Plane) []geom.Vector {
	up := geom.V(0, 0, 1)
	if math.Abs(p.Normal.Z) > 0.7 {
		up = geom.V(1, 0, 0)
	}
	up = up.MulAdd(p.Normal, -up.Dot(p.Normal)).Normal().Mul(4 * MaxExtent)
	right := up.Cross(p.Normal)
	o := p.Normal.Mul(p.Dist)
	return append(dst, o.Sub(right).Add(up), o.Add(right).Add(up), o.Add(right).Sub(up), o.Sub(right).Sub(up))
}

// clipBehind returns the part of the polygon behind or in the plane; empty if there is none.
func clipBehind(dst, in []geom.Vector, p Plane) []geom.Vector {
	behind := false
	for i, a := range in {
		b := in[(i+1)%len(in)]
		ha, hb := p.Height(a), p.Height(b)
		if ha <= onPlane {
			dst = append(dst, a)
			behind = behind || ha < onPlane
		}
		if (ha > onPlane && hb < -onPlane) || (ha < -onPlane && hb > onPlane) {
			dst = append(dst, a.Lerp(b, ha/(ha-hb)))
		}
	}
	if !behind || len(dst) < 3 {
		return dst[:0]
	}
	return dst
}

// welded returns the polygon without corners that nearly coincide, as a new slice.
func welded(in []geom.Vector) []geom.Vector {
	var out []geom.Vector
	for _, v := range in {
		if len(out) == 0 || !near(out[len(out)-1], v) {
			out = append(out, v)
		}
	}
	for len(out) > 1 && near(out[0], out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}

func area(winding []geom.Vector, n geom.Vector) float64 {
	var sum geom.Vector
	for i := 2; i < len(winding); i++ {
		sum = sum.Add(winding[i-1].Sub(winding[0]).Cross(winding[i].Sub(winding[0])))
	}
	return math.Abs(sum.Dot(n)) / 2
}
