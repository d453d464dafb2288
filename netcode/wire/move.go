package wire

import "github.com/tidelock/tidelock/engine/geom"

// Move is the input of a local player for one tick (R9.0).
type Move struct {
	// Stamp is the client's time in milliseconds, modulo 2³².
	Stamp uint32
	// Forward, Strafe and Up are −1…1 in steps of 1/127.
	Forward, Strafe, Up int8
	// Buttons has a bit for each of R9.0: jump, fire, altfire, crouch, run, aim, reload, use from the lowest.
	Buttons uint16
	// View is the player's view rotation, at full precision; roll is not sent.
	View geom.Rotator
}

// AppendMoves appends one to MaxMoves moves, the newest last, stamps ascending:
//
//	[14, stamp, forward, strafe, up, buttons, pitch, yaw, Δstamp, forward, …]
//
// stamp int; each further move has the time since the previous one. Old moves that may have been lost are included,
// so that one lost datagram loses no jump (R9.2). Of more than MaxMoves moves, the newest are sent.
func AppendMoves(b []byte, moves []Move) []byte {
	if len(moves) > MaxMoves {
		moves = moves[len(moves)-MaxMoves:]
	}
	b = appendMessage(b, KindMove, 7*len(moves))
	last := uint32(0)
	for i := range moves {
		m := &moves[i]
		b = AppendUint(b, uint64(m.Stamp-last))
		last = m.Stamp
		b = AppendInt(AppendInt(AppendInt(b, int64(max(m.Forward, -127))), int64(max(m.Strafe, -127))), int64(max(m.Up, -127)))
		b = AppendUint(b, uint64(m.Buttons))
		b = AppendUint(AppendUint(b, uint64(m.View.Pitch)), uint64(m.View.Yaw))
	}
	return b
}

// Moves reads moves into out and returns their number.
func (r *Reader) Moves(fields int, out *[MaxMoves]Move) int {
	n := fields / 7
	if n == 0 || n > MaxMoves || fields%7 != 0 {
		r.Fail(ErrFields)
		return 0
	}
	last := uint32(0)
	for i := range n {
		m := &out[i]
		last += r.uint32()
		m.Stamp = last
		m.Forward, m.Strafe, m.Up = r.axis(), r.axis(), r.axis()
		m.Buttons = r.uint16()
		m.View = geom.Rotator{Pitch: r.uint16(), Yaw: r.uint16()}
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *Reader) axis() int8 { return int8(r.IntIn(-127, 127)) }

// Axis converts −1…1 to a move's steps; values outside saturate, NaN is 0.
func Axis(f float64) int8 {
	n, _ := saturate(nearest(float64(f*127)), -127, 127)
	return int8(n)
}
