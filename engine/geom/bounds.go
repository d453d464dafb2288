package geom

// Bounds is an axis-aligned box, its corners included. The zero value is the point at the origin.
type Bounds struct{ Min, Max Vector }

// BoundsAround returns the box with the given half extents around a centre.
func BoundsAround(centre, half Vector) Bounds {
	return Bounds{centre.Sub(half), centre.Add(half)}
}

// Overlaps reports whether the boxes share a point, touching included.
func (b Bounds) Overlaps(o Bounds) bool {
	return b.Min.X <= o.Max.X && o.Min.X <= b.Max.X &&
		b.Min.Y <= o.Max.Y && o.Min.Y <= b.Max.Y &&
		b.Min.Z <= o.Max.Z && o.Min.Z <= b.Max.Z
}

// Contains reports whether p lies in the box, its faces included.
func (b Bounds) Contains(p Vector) bool {
	return p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y &&
		p.Z >= b.Min.Z && p.Z <= b.Max.Z
}

// Union returns the smallest box that contains both.
func (b Bounds) Union(o Bounds) Bounds {
	return Bounds{
		Vector{min(b.Min.X, o.Min.X), min(b.Min.Y, o.Min.Y), min(b.Min.Z, o.Min.Z)},
		Vector{max(b.Max.X, o.Max.X), max(b.Max.Y, o.Max.Y), max(b.Max.Z, o.Max.Z)},
	}
}

// Expand enlarges the box by the half extents on every side.
func (b Bounds) Expand(half Vector) Bounds { return Bounds{b.Min.Sub(half), b.Max.Add(half)} }

// Translate moves the box.
func (b Bounds) Translate(d Vector) Bounds { return Bounds{b.Min.Add(d), b.Max.Add(d)} }

// Centre returns the centre of the box.
func (b Bounds) Centre() Vector { return b.Min.Add(b.Max).Mul(0.5) }

// Extent returns half the box's size along each axis.
func (b Bounds) Extent() Vector { return b.Max.Sub(b.Min).Mul(0.5) }
