package navigation

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
)

// body is the body that a graph is for, among brushes: it computes where the body gets by walking and through
// the air. It walks as engine.World does, except that it does not slide along walls, because a link is
// straight.
type body struct {
	q    collision.Query
	half vec
	step float64
	// avoid says that movers in q represent shafts of lifts, where a body must not stand.
	avoid bool
}

const (
	// uu of horizontal movement after which the floor is checked. A gap into which a Character falls is 68 uu
	// wide; the narrow walk of safe, 36 uu wide, finds it by checking every 32 uu, and then checks more
	// closely. Open floor of one brush has no gaps.
	stride     = 32
	fineStride = 4
	openStride = 256
	closeBy    = 0.5
	margin     = 16 // uu
)

// outcome is the result of a walk.
type outcome uint8

const (
	arrived outcome = iota
	blocked         // by an obstacle, or it ended on another floor
	ledge           // the floor ended
)

func (b *body) sweep(from, to vec) collision.Hit {
	return b.q.Sweep(from, to, b.half, collision.Filter{})
}

func (b *body) stands(h *collision.Hit) bool {
	return h.Blocked() && !h.StartSolid && h.Normal.Z >= engine.Walkable && (h.Mover == 0 || !b.avoid)
}

// floor puts the feet on a floor at most a step below them.
func (b *body) floor(at vec) (on, normal vec, ok bool) {
	h := b.sweep(at, at.Sub(vec{Z: b.step + 2*collision.Gap}))
	if !b.stands(&h) {
		return at, vec{Z: 1}, false
	}
	return h.Location, h.Normal, true
}

// firm reports whether there is also floor a little to every side, so that a pawn that arrives a little too
// fast, or lands there, does not fall over the edge.
func (b *body) firm(at vec) bool {
	for _, d := range [...]vec{{X: margin}, {X: -margin}, {Y: margin}, {Y: -margin}} {
		if _, _, ok := b.floor(b.sweep(at, at.Add(d)).Location); !ok {
			return false
		}
	}
	return true
}

// walk walks straight from one location to another and returns where and how it ended.
func (b *body) walk(from, to vec) (at vec, out outcome) { return b.walkBy(stride, from, to) }

func (b *body) walkBy(stride float64, from, to vec) (at vec, out outcome) {
	at, normal, ok := b.floor(from)
	if !ok {
		return at, ledge
	}
	// Each stride must come nearer. Otherwise the location is so far away that a stride is lost in rounding, or
	// an obstacle deflects the walk forever: that counts as a wall.
	for nearest := math.Inf(1); ; {
		rest := to.Sub(at)
		rest.Z = 0
		far := rest.Size()
		if !(far < nearest) {
			return at, blocked
		}
		nearest = far
		if far < closeBy {
			if math.Abs(at.Z-to.Z) > b.step {
				return at, blocked
			}
			return at, arrived
		}
		next, free := b.advance(at, rest.Mul(math.Min(1, stride/far)), normal)
		if !free {
			return at, blocked
		}
		on, n, ok := b.floor(next)
		if !ok {
			return b.edge(at, next), ledge
		}
		at, normal = on, n
	}
}

// walks reports whether one can walk straight from one place to the other.
func (b *body) walks(from, to vec) bool {
	_, out := b.walk(from, to)
	return out == arrived
}

// link reports whether a body can walk straight from one location to the other, and whether that is safe; if it
// is not, it checks more closely.
func (b *body) link(from, to vec) (walks, safe bool) {
	if b.safe(from, to) {
		return true, true
	}
	if !b.walks(from, to) {
		return false, false
	}
	_, out := b.walkBy(fineStride, from, to)
	return out == arrived, false
}

// safe reports whether a body can walk straight from one location to the other, and also slightly beside the
// line: no wall and no edge is near it. A wider body tests for walls, a narrower one for edges.
func (b *body) safe(from, to vec) bool {
	o := *b
	defer func() { b.q.Sweeps = o.q.Sweeps }()
	for _, wide := range [...]float64{b.half.X + margin, math.Max(b.half.X-margin, 1)} {
		o.half.X, o.half.Y = wide, wide
		if !o.walks(from, to) {
			return false
		}
	}
	return true
}

// edge returns the first location between two without floor below it.
func (b *body) edge(with, without vec) vec {
	lo, hi := 0.0, 1.0
	for range 6 {
		mid := (lo + hi) / 2
		if _, _, ok := b.floor(with.Lerp(without, mid)); ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	return with.Lerp(without, hi)
}

// advance moves horizontally along the floor, over slopes and steps.
func (b *body) advance(at, way, floor vec) (vec, bool) {
	for range 5 {
		h := b.sweep(at, at.Add(along(way, floor)))
		if h.StartSolid {
			return at, false
		}
		at = h.Location
		if !h.Blocked() {
			return at, true
		}
		way = way.Mul(1 - h.Fraction)
		if h.Normal.Z >= engine.Walkable && h.Normal.Dot(floor) < 1-1e-9 {
			floor = h.Normal
			continue
		}
		up := b.sweep(at, at.Add(vec{Z: b.step}))
		rise := up.Location.Z - at.Z
		if rise < collision.Gap {
			return at, false
		}
		on := b.sweep(up.Location, up.Location.Add(way))
		if on.Fraction*way.Size() < collision.Gap {
			return at, false
		}
		down := b.sweep(on.Location, on.Location.Sub(vec{Z: rise + collision.Gap}))
		if down.Blocked() && !b.stands(&down) {
			return at, false
		}
		at = down.Location
		if !down.Blocked() {
			return at, on.Fraction == 1
		}
		floor, way = down.Normal, way.Mul(1-on.Fraction)
		if way.Size() < closeBy {
			return at, true
		}
	}
	return at, false
}

// along projects a horizontal movement onto a floor's plane.
func along(way, floor vec) vec {
	way.Z = -(floor.X*way.X + floor.Y*way.Y) / floor.Z
	return way
}

// fly flies through the air without steering, and returns where it lands; false if it hits something or falls
// deeper than deep below its start.
func (b *body) fly(at, v vec, gravity, deep float64) (vec, bool) {
	const dt = 1.0 / 30 // as in the engine: the chord of a part is within 0.14 uu of the curve
	for low := at.Z - deep - b.step; at.Z >= low; {
		way := v.Mul(dt)
		way.Z += gravity * dt * dt / 2
		v.Z = math.Max(v.Z+gravity*dt, -engine.TerminalSpeed)
		h := b.sweep(at, at.Add(way))
		at = h.Location
		if h.Blocked() || h.StartSolid {
			return at, b.stands(&h) && way.Z <= 0
		}
	}
	return at, false
}
