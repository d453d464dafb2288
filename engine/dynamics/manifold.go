package dynamics

import "math"

// manifold is the contact of two solids: up to four points with their distances (below 0 if they overlap), and
// the direction from the first to the second.
type manifold struct {
	normal vec
	at     [maxManifold]vec // between the two surfaces
	sep    [maxManifold]float64
	count  int
}

func (m *manifold) add(at vec, sep float64) {
	if m.count < maxManifold {
		m.at[m.count], m.sep[m.count] = at, sep
		m.count++
	}
}

// clipper is scratch for polygons.
type clipper struct {
	a, b [maxClip]vec
}

// meetPolys finds the contact of two convex solids, by separating axes; false if they are farther apart than
// margin.
func (c *clipper) meetPolys(p, q *poly, m *manifold) bool {
	m.count = 0
	pf, ps := deepestFace(p, q)
	if ps > margin {
		return false
	}
	qf, qs := deepestFace(q, p)
	if qs > margin {
		return false
	}
	best, axis := math.Inf(-1), vec{}
	var pe, qe int32
	for i := range p.dirs {
		for j := range q.dirs {
			n := p.dirs[i].Cross(q.dirs[j])
			size := n.Size()
			if size < 1e-3 {
				continue
			}
			n = n.Mul(1 / size)
			plo, phi := p.span(n)
			qlo, qhi := q.span(n)
			s := qlo - phi
			if t := plo - qhi; t > s {
				s, n = t, n.Neg()
			}
			if s > margin {
				return false
			}
			if s > best {
				best, axis, pe, qe = s, n, int32(i), int32(j)
			}
		}
	}
	// Faces are more stable than edges, and the first solid's faces than the second's: another axis must be
	// clearly better to win.
	const better = 0.05
	if best > max(ps, qs)+better {
		if c.meetEdges(p, q, pe, qe, axis, m) {
			return true
		}
	}
	if qs > ps+better {
		c.meetFace(q, p, qf, m)
		m.normal = m.normal.Neg()
	} else {
		c.meetFace(p, q, pf, m)
	}
	return m.count > 0
}

// deepestFace returns the face of p over which q is highest.
func deepestFace(p, q *poly) (face int, sep float64) {
	sep = math.Inf(-1)
	for i := range p.normals {
		n := p.normals[i]
		lo := math.Inf(1)
		for k := range q.verts {
			lo = min(lo, n.Dot(q.verts[k]))
		}
		if s := lo + n.Dot(q.offset) - p.dist(i); s > sep {
			face, sep = i, s
		}
	}
	return face, sep
}

// meetFace clips the face of q most opposed to a face of p by the sides of that.
func (c *clipper) meetFace(p, q *poly, face int, m *manifold) {
	n := p.normals[face]
	inc, least := 0, math.Inf(1)
	for i := range q.normals {
		if d := q.normals[i].Dot(n); d < least {
			inc, least = i, d
		}
	}
	in, out := c.a[:0], c.b[:0]
	for _, i := range q.loops[inc] {
		if len(in) < maxClip/2 {
			in = append(in, q.vert(i))
		}
	}
	loop := p.loops[face]
	for k, i := range loop {
		a, b := p.vert(i), p.vert(loop[(k+1)%len(loop)])
		side := b.Sub(a).Cross(n)
		if side.Dot(p.middle().Sub(a)) > 0 {
			side = side.Neg()
		}
		d := side.Dot(a)
		out = out[:0]
		for j, v := range in {
			w := in[(j+1)%len(in)]
			hv, hw := side.Dot(v)-d, side.Dot(w)-d
			if hv <= 0 && len(out) < maxClip {
				out = append(out, v)
			}
			if (hv < 0 && hw > 0 || hv > 0 && hw < 0) && len(out) < maxClip {
				out = append(out, v.Lerp(w, hv/(hv-hw)))
			}
		}
		in, out = out, in
		if len(in) == 0 {
			return
		}
	}
	m.normal = n
	d := p.dist(face)
	kept := in[:0]
	for _, v := range in {
		if s := n.Dot(v) - d; s <= margin {
			kept = append(kept, v)
		}
	}
	reduce(kept, n, d, m)
}

// reduce keeps the four most useful points: the deepest, the farthest from it, and the two that span the
// largest area to either side.
func reduce(list []vec, n vec, d float64, m *manifold) {
	put := func(v vec) {
		s := n.Dot(v) - d
		m.add(v.MulAdd(n, -s/2), s)
	}
	if len(list) <= maxManifold {
		for _, v := range list {
			put(v)
		}
		return
	}
	first, low := 0, math.Inf(1)
	for i, v := range list {
		if s := n.Dot(v) - d; s < low-1e-6 {
			first, low = i, s
		}
	}
	a := list[first]
	second, far := 0, -1.0
	for i, v := range list {
		if s := v.Sub(a).SizeSquared(); s > far+1e-6 {
			second, far = i, s
		}
	}
	b := list[second]
	left, right, most, least := -1, -1, 1e-6, -1e-6
	for i, v := range list {
		s := b.Sub(a).Cross(v.Sub(a)).Dot(n)
		if s > most {
			left, most = i, s
		}
		if s < least {
			right, least = i, s
		}
	}
	put(a)
	if far > 1e-9 {
		put(b)
	}
	if left >= 0 {
		put(list[left])
	}
	if right >= 0 {
		put(list[right])
	}
}

// meetEdges finds the nearest points of the outermost edges of two directions.
func (c *clipper) meetEdges(p, q *poly, pd, qd int32, n vec, m *manifold) bool {
	a0, a1 := outermost(p, pd, n)
	b0, b1 := outermost(q, qd, n.Neg())
	u, v, w := a1.Sub(a0), b1.Sub(b0), a0.Sub(b0)
	a, b, cc, d, e := u.Dot(u), u.Dot(v), v.Dot(v), u.Dot(w), v.Dot(w)
	det := a*cc - b*b
	if det < 1e-9*a*cc {
		return false
	}
	s, t := (b*e-cc*d)/det, (a*e-b*d)/det
	if s < -0.01 || s > 1.01 || t < -0.01 || t > 1.01 {
		return false
	}
	x, y := a0.MulAdd(u, s), b0.MulAdd(v, t)
	m.normal = n
	m.add(x.Add(y).Mul(0.5), y.Sub(x).Dot(n))
	return true
}

func outermost(p *poly, dir int32, n vec) (from, to vec) {
	best := math.Inf(-1)
	for _, e := range p.edges {
		if e.dir != dir {
			continue
		}
		a, b := p.vert(e.from), p.vert(e.to)
		if d := n.Dot(a) + n.Dot(b); d > best {
			best, from, to = d, a, b
		}
	}
	return from, to
}

// meetSphere finds the contact of a sphere with a solid; the direction is from the sphere to the solid.
func meetSphere(centre vec, radius float64, q *poly, m *manifold) bool {
	m.count = 0
	face, over := 0, math.Inf(-1)
	for i := range q.normals {
		if s := q.over(i, centre); s > over {
			face, over = i, s
		}
	}
	if over > radius+margin {
		return false
	}
	if over <= 1e-9 { // the centre is inside: the shortest exit
		n := q.normals[face]
		m.normal = n.Neg()
		m.add(centre.MulAdd(n, -over), over-radius)
		return true
	}
	nearest, least := vec{}, math.Inf(1)
	for i := range q.normals {
		if q.over(i, centre) <= 0 {
			continue
		}
		p := q.nearestOn(i, centre)
		if d := p.Sub(centre).SizeSquared(); d < least {
			nearest, least = p, d
		}
	}
	dist := math.Sqrt(least)
	if dist > radius+margin || dist < 1e-9 {
		return false
	}
	m.normal = nearest.Sub(centre).Mul(1 / dist)
	m.add(nearest, dist-radius)
	return true
}

// nearestOn returns the point of a face nearest to a point outside.
func (p *poly) nearestOn(face int, v vec) vec {
	n := p.normals[face]
	on := v.MulAdd(n, -p.over(face, v))
	loop := p.loops[face]
	inside := true
	best, least := on, math.Inf(1)
	for k, i := range loop {
		a, b := p.vert(i), p.vert(loop[(k+1)%len(loop)])
		side := b.Sub(a).Cross(n)
		if side.Dot(p.middle().Sub(a)) > 0 {
			side = side.Neg()
		}
		if side.Dot(on.Sub(a)) > 0 {
			inside = false
		}
		u := b.Sub(a)
		t := max(0, min(1, on.Sub(a).Dot(u)/max(1e-12, u.SizeSquared())))
		x := a.MulAdd(u, t)
		if d := x.Sub(v).SizeSquared(); d < least {
			best, least = x, d
		}
	}
	if inside {
		return on
	}
	return best
}

// meetSpheres finds the contact of two spheres.
func meetSpheres(a, b *Body, m *manifold) bool {
	m.count = 0
	d := b.Position.Sub(a.Position)
	dist := d.Size()
	s := dist - a.Radius - b.Radius
	if s > margin {
		return false
	}
	if m.normal = d.Normal(); m.normal.IsZero() {
		m.normal = vec{Z: 1}
	}
	m.add(a.Position.MulAdd(m.normal, a.Radius+s/2), s)
	return true
}
