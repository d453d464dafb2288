package bots

import (
	"math/rand/v2"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	// stuckSpeed is the speed, in uu/s, below which one who walks stands at something; stuckFor is for how many ticks
	// before they turn: a landing or a step up is no wall.
	stuckSpeed, stuckFor = 60, 10
	// patience is how many ticks after a turn nothing is a wall: the server has to be told of it, and the body to get going.
	patience = 45
	// halfTurn in rotator units.
	halfTurn = 1 << 15
)

// mind walks about at random by a player's input, and turns where something stops it. Times are in ticks.
type mind struct {
	rand  *rand.Rand
	input engine.Input
	until int // goes on like this
	stuck int
	at    geom.Vector
	known bool // at is the pawn's place one tick ago
}

func newMind(seed uint64) *mind {
	return &mind{rand: rand.New(rand.NewPCG(seed, 0x626f7473))} //nolint:gosec // it only has to differ
}

// think decides what is pressed in the next tick. pawn is nil for one who has no body.
func (m *mind) think(tick int, dt float64, pawn *engine.Actor) engine.Input {
	in := &m.input
	if pawn == nil {
		m.known = false
		m.stuck = -patience
		*in = engine.Input{View: in.View, Fire: tick/30%2 == 0} // games bring back who presses fire
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
