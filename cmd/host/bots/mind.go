package bots

import (
	"math/rand/v2"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// stuckSpeed is the speed, in uu/s, below which a walking player is blocked; stuckFor is for how many ticks
	// before it turns: a landing or a step up does not count.
	stuckSpeed, stuckFor = 60, 10
	// patience is how many ticks after a turn nothing counts as blocked: the server has to receive it, and the
	// pawn to accelerate.
	patience = 45
	// halfTurn in rotator units.
	halfTurn = 1 << 15
)

// mind walks around at random by a player's input, and turns where something blocks it. Times are in ticks.
type mind struct {
	rand  *rand.Rand
	input engine.Input
	until int // end of the present movement
	stuck int
	at    geom.Vector
	known bool // at is the pawn's location one tick ago
}

func newMind(seed uint64) *mind {
	return &mind{rand: rand.New(rand.NewPCG(seed, 0x626f7473))} //nolint:gosec // it only has to differ
}

// think decides the input of the next tick. pawn is nil for a player without one.
func (m *mind) think(tick int, dt float64, pawn *engine.Actor) engine.Input {
	in := &m.input
	if pawn == nil {
		m.known = false
		m.stuck = -patience
		*in = engine.Input{View: in.View, Fire: tick/30%2 == 0} // games respawn a player who presses fire
		return *in
	}
	speed := stuckSpeed + 1.0
	if m.known {
		step := pawn.Location.Sub(m.at)
		step.Z = 0
		speed = step.Size() / dt
	}
	m.at, m.known = pawn.Location, true
	switch {
	case in.Forward > 0 && speed < stuckSpeed:
		m.stuck++
	default:
		m.stuck = min(m.stuck, 0)
	}
	switch {
	case m.stuck > stuckFor:
		m.turn(halfTurn/2, halfTurn) // away from the wall, to either side
		m.until = tick + 2*patience
	case tick >= m.until:
		m.turn(0, halfTurn/2)
		m.until = tick + 60 + m.rand.IntN(180)
		in.Strafe = float64(m.rand.IntN(3) - 1)
		in.Fire = m.rand.IntN(3) == 0
	}
	in.Forward = 1
	in.Jump = m.rand.IntN(120) == 0
	return *in
}

// turn turns the view by an angle between least and most, left or right.
func (m *mind) turn(least, most int) {
	by := least + m.rand.IntN(most-least+1)
	if m.rand.IntN(2) == 0 {
		by = -by
	}
	m.input.View = geom.Rot(0, int(m.input.View.Yaw)+by, 0)
	m.stuck = -patience
}
