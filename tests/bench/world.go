package main

import (
	"fmt"
	"math"
)

// world is the world of the comparison, in integer arithmetic that every program of it does alike (WORLD.md there): the
// same stream of random numbers, the same hash in the end.
type world struct {
	n, m, k int
	step    int
	actors  []body
	seed    uint32
	cosine  [256]int32
}

// body is one actor. Units are 2 cm in that world; here they are taken as uu.
type body struct {
	x, y, z, yaw              int32
	health, ammo, team, state int32
}

const (
	side = 60000
	half = side / 2
	// sight is half the side of the square that a client of world B sees.
	sight = 3286
)

func (w *world) draw() uint32 {
	w.seed ^= w.seed << 13
	w.seed ^= w.seed >> 17
	w.seed ^= w.seed << 5
	return w.seed
}

// below gives a draw modulo n, with the sign that the comparison's programs give it.
func (w *world) below(n int32) int32 { return int32(w.draw() % uint32(n)) }

func newWorld(n, m, k int) *world {
	w := &world{n: n, m: m, k: k, step: n / m, seed: 12345, actors: make([]body, n)}
	for i := range w.cosine {
		w.cosine[i] = int32(math.Floor(1024*math.Cos(2*math.Pi*float64(i)/256) + 0.5))
	}
	for i := range w.actors {
		a := &w.actors[i]
		a.x = w.below(side) - half
		a.y = w.below(side) - half
		a.z = w.below(1001)
		a.yaw = int32(w.draw()&255) << 8
		a.health = w.below(101)
		a.ammo = w.below(31)
		a.team = int32(w.draw() & 3)
		a.state = int32(w.draw() & 7)
	}
	return w
}

// client is the actor that client i sits on.
func (w *world) client(i int) int { return i * (w.m / w.k) * w.step }

func (w *world) tick() {
	for i := 0; i < w.n; i += w.step {
		a := &w.actors[i]
		r := w.draw()
		speed := int32(10 + i%11)
		if r&7 == 0 {
			a.yaw = (a.yaw + (int32(r>>3&15)-8)*256) & 0xffff
		}
		h := a.yaw >> 8
		a.x += (w.cosine[h] * speed) >> 10
		a.y += (w.cosine[(h-64)&255] * speed) >> 10
		for _, p := range [...]*int32{&a.x, &a.y} {
			if *p > half {
				*p, a.yaw = half, (a.yaw+32768)&0xffff
			} else if *p < -half {
				*p, a.yaw = -half, (a.yaw+32768)&0xffff
			}
		}
		if r>>7&3 == 0 {
			a.z = max(0, min(1000, a.z+int32(r>>9&7)-3))
		}
		if r>>12&63 == 0 {
			a.health = int32((r >> 18) % 101)
		}
		if r>>18&31 == 0 {
			if a.ammo--; a.ammo < 0 {
				a.ammo = 30
			}
		}
		if r>>23&63 == 0 {
			a.state = int32(r >> 29 & 7)
		}
	}
}

func (w *world) hash() string {
	h := uint32(0x811c9dc5)
	for i := range w.actors {
		a := &w.actors[i]
		for _, v := range [...]int32{a.x, a.y, a.z, a.yaw, a.health, a.ammo, a.team, a.state} {
			for b := range 4 {
				h = (h ^ uint32(v)>>(8*b)&255) * 0x01000193
			}
		}
	}
	return fmt.Sprintf("%x", h)
}
