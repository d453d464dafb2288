package engine

// Creases: the lines in which surfaces meet, and along which a body that touches both surfaces moves.

// kerb returns the horizontal normal, of length 1, of the line in which a wall meets the floor. A body on that
// floor moves away from the wall, or along it, if its horizontal movement w has w·kerb ≥ 0. It differs from the
// wall's own horizontal normal if the floor slopes and the wall leans. It is zero if the two are parallel.
func kerb(floor, wall vec) vec {
	if floor.Z < Walkable/2 {
		return wall.Normal2D()
	}
	return vec{X: wall.X - floor.X*wall.Z/floor.Z, Y: wall.Y - floor.Y*wall.Z/floor.Z}.Normal2D()
}

// cleft returns the floor that two steep surfaces form together: the plane that contains the line in which they
// meet, and every horizontal line across it. ok is false unless that line rises by at most 45° and gravity
// presses a body against both surfaces.
func cleft(p, q vec) (floor vec, ok bool) {
	c := p.Cross(q)
	size := c.SizeSquared()
	if size < 1e-6 {
		return vec{}, false // parallel
	}
	floor = vec{Z: 1}.MulAdd(c, -c.Z/size).Normal()
	if floor.Z < Walkable {
		return vec{}, false
	}
	// floor = a·p + b·q with a, b > 0: both support the body, and neither pulls.
	d := p.Dot(q)
	fp, fq := floor.Dot(p), floor.Dot(q)
	return floor, fp-d*fq > 1e-9 && fq-d*fp > 1e-9
}
