// Package movers is the world of the benchmark comparison, in integer arithmetic that every program of it does alike: the
// same stream of random numbers, the same hash in the end. It knows nothing of the engine.
//
//	w := movers.New(200, 100, 32)
//	w.Tick()
//
// Guarantees: The same arguments give the same world, in every program of the comparison.
package movers

import (
	"fmt"
	"math"
)

// World holds N actors, of which M move in every tick, and K clients.
type World struct {
	N, M, K int
	// Step is the distance between the indexes of two actors that move.
	Step   int
	Actors []Body
	seed   uint32
	cosine [256]int32
}

// Body is one actor. Units are 2 cm in that world; the engine takes them as uu.
type Body struct {
	X, Y, Z, Yaw              int32
	Health, Ammo, Team, State int32
}

const (
	// Side is the length of the world's sides.
	Side = 60000
	half = Side / 2
	// Sight is half the side of the square that a client of world B sees.
	Sight = 3286
)

func (w *World) draw() uint32 {
	w.seed ^= w.seed << 13
	w.seed ^= w.seed >> 17
	w.seed ^= w.seed << 5
	return w.seed
}

// below gives a draw modulo n, with the sign that the comparison's programs give it.
func (w *World) below(n int32) int32 { return int32(w.draw() % uint32(n)) }

// New returns the world at its beginning.
func New(n, m, k int) *World {
	w := &World{N: n, M: m, K: k, Step: n / m, seed: 12345, Actors: make([]Body, n)}
	for i := range w.cosine {
		w.cosine[i] = int32(math.Floor(1024*math.Cos(2*math.Pi*float64(i)/256) + 0.5))
	}
	for i := range w.Actors {
		a := &w.Actors[i]
		a.X = w.below(Side) - half
		a.Y = w.below(Side) - half
		a.Z = w.below(1001)
		a.Yaw = int32(w.draw()&255) << 8
		a.Health = w.below(101)
		a.Ammo = w.below(31)
		a.Team = int32(w.draw() & 3)
		a.State = int32(w.draw() & 7)
	}
	return w
}

// Client returns the index of the actor that client i sits on.
func (w *World) Client(i int) int { return i * (w.M / w.K) * w.Step }

// Tick moves the world on.
func (w *World) Tick() {
	for i := 0; i < w.N; i += w.Step {
		a := &w.Actors[i]
		r := w.draw()
		speed := int32(10 + i%11)
		if r&7 == 0 {
			a.Yaw = (a.Yaw + (int32(r>>3&15)-8)*256) & 0xffff
		}
		h := a.Yaw >> 8
		a.X += (w.cosine[h] * speed) >> 10
		a.Y += (w.cosine[(h-64)&255] * speed) >> 10
		for _, p := range [...]*int32{&a.X, &a.Y} {
			if *p > half {
				*p, a.Yaw = half, (a.Yaw+32768)&0xffff
			} else if *p < -half {
				*p, a.Yaw = -half, (a.Yaw+32768)&0xffff
			}
		}
		if r>>7&3 == 0 {
			a.Z = max(0, min(1000, a.Z+int32(r>>9&7)-3))
		}
		if r>>12&63 == 0 {
			a.Health = int32((r >> 18) % 101)
		}
		if r>>18&31 == 0 {
			if a.Ammo--; a.Ammo < 0 {
				a.Ammo = 30
			}
		}
		if r>>23&63 == 0 {
			a.State = int32(r >> 29 & 7)
		}
	}
}

// Hash returns a hash of all actors.
func (w *World) Hash() string {
	h := uint32(0x811c9dc5)
	for i := range w.Actors {
		a := &w.Actors[i]
		for _, v := range [...]int32{a.X, a.Y, a.Z, a.Yaw, a.Health, a.Ammo, a.Team, a.State} {
			for b := range 4 {
				h = (h ^ uint32(v)>>(8*b)&255) * 0x01000193
			}
		}
	}
	return fmt.Sprintf("%x", h)
}
