package simlink

// rng is SplitMix64 (Steele, Lea, Flood 2014): its numbers never change, unlike those of the standard library's
// generators might, and a separate stream for each direction costs eight bytes.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float returns a number in [0, 1).
func (r *rng) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// stream returns an independent generator for a purpose numbered n.
func stream(seed, n uint64) rng {
	r := rng(seed ^ n*0xd1342543de82ef95)
	r.next()
	return rng(r.next())
}
