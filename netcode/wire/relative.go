package wire

// A relative vector is the difference of a quantised vector from a base: the value that the receiver got for the
// same variable in an earlier datagram that it acknowledged. The run identifies it ([Run].Age). It is not one value
// but two or four, so that an actor that walks on a floor takes two bytes:
//
//	x y         z did not change
//	nil x y z
//
// each component being the difference plus 48 ([RelativeBias]).
//
// Rejected: prediction from the velocity, which would save nothing once a component takes one byte, and requires
// both sides to compute the same result.

// Nearer reports whether v is shorter relative to base than as a whole.
func Nearer(g Grid, v, base Quantised) bool {
	if x, y, z := v[0]-base[0]+RelativeBias, v[1]-base[1]+RelativeBias, v[2]-base[2]+RelativeBias; uint32(x) < 128 && uint32(y) < 128 {
		if v[2] == base[2] {
			return true // two bytes
		}
		if uint32(z) < 128 && (uint32(v[0]+32) >= 160 || uint32(v[1]+32) >= 160) {
			return true // four, and as a whole it takes at least five
		}
	}
	return RelativeSize(v, base) < VectorSize(g, v)
}

// AppendRelative appends v relative to base.
func AppendRelative(b []byte, v, base Quantised) []byte {
	if x, y := v[0]-base[0]+RelativeBias, v[1]-base[1]+RelativeBias; v[2] == base[2] && uint32(x) < 128 && uint32(y) < 128 {
		return append(b, byte(x), byte(y))
	}
	x := int64(v[0]) - int64(base[0]) + RelativeBias
	y := int64(v[1]) - int64(base[1]) + RelativeBias
	if v[2] == base[2] {
		return AppendInt(AppendInt(b, x), y)
	}
	z := int64(v[2]) - int64(base[2]) + RelativeBias
	return AppendInt(AppendInt(AppendInt(append(b, mpNil), x), y), z)
}

// RelativeSize returns how many bytes [AppendRelative] takes: if that is not less than the whole value, send the
// whole value.
func RelativeSize(v, base Quantised) int {
	n := IntSize(int64(v[0])-int64(base[0])+RelativeBias) + IntSize(int64(v[1])-int64(base[1])+RelativeBias)
	if v[2] != base[2] {
		n += 1 + IntSize(int64(v[2])-int64(base[2])+RelativeBias)
	}
	return n
}

// VectorSize returns how many bytes [AppendVector] takes.
func VectorSize(g Grid, q Quantised) int {
	return min(1+IntSize(int64(q[0]))+IntSize(int64(q[1]))+IntSize(int64(q[2])), 2+packedSize(g, q))
}

// Relative reads what [AppendRelative] writes. A result outside the grid is an error.
func (r *Reader) Relative(g Grid, base Quantised) Quantised {
	three := r.Nil()
	var d [3]int64
	d[0], d[1], d[2] = r.Int(), r.Int(), RelativeBias
	if three {
		d[2] = r.Int()
	}
	for i := range d {
		// Bounded before the sum, so that the sum cannot overflow.
		if d[i] < -1<<33 || d[i] > 1<<33 {
			r.Fail(ErrRange)
		}
		d[i] += int64(base[i]) - RelativeBias
	}
	return r.onGrid(g, d)
}

// SkipRelative skips a relative vector.
func (r *Reader) SkipRelative() {
	if r.Nil() {
		r.Int()
	}
	r.Int()
	r.Int()
}

// Bases holds the last values of one vector variable by number: on the receiving side the number of the datagram
// that brought it; on the sending side, once for all connections, the number of the net update in which it was
// sent. Numbers older than [MaxAge] are forgotten. The zero Bases is empty.
//
// It takes 512 bytes: only keep it for variables that move.
type Bases struct {
	value [MaxAge]Quantised
	seq   [MaxAge]Seq
	held  uint32
}

// Put stores the value of a number.
func (k *Bases) Put(s Seq, q Quantised) {
	i := s % MaxAge
	k.value[i], k.seq[i] = q, s
	k.held |= 1 << i
}

// Get returns the value of exactly that number, if it is still stored.
func (k *Bases) Get(s Seq) (Quantised, bool) {
	i := s % MaxAge
	if k.held&(1<<i) == 0 || k.seq[i] != s {
		return Quantised{}, false
	}
	return k.value[i], true
}

// Clear forgets everything.
func (k *Bases) Clear() { k.held = 0 }
