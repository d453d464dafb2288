package engine

import "math/bits"

// Rand is the world's random generator: xoshiro256**, seeded by splitmix64, so that a seed gives the
// same match on every machine and Go release. The zero value is not seeded; use [Rand.Seed].
type Rand struct{ s [4]uint64 }

// Seed starts the sequence of a seed.
func (r *Rand) Seed(seed uint64) {
	for i := range r.s {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		r.s[i] = z ^ z>>31
	}
}

// Uint64 returns the next 64 bits.
func (r *Rand) Uint64() uint64 {
	s := &r.s
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}

// Float64 returns a number in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Intn returns a number in [0, n); n must be positive.
func (r *Rand) Intn(n int) int {
	if n <= 0 {
		panic("engine: Rand.Intn of a number below 1")
	}
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// State returns the generator's whole state, to be hashed, saved or rewound.
func (r *Rand) State() [4]uint64 { return r.s }

// SetState continues from a saved state.
func (r *Rand) SetState(s [4]uint64) { r.s = s }
