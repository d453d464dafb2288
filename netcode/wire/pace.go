package wire

// Pace says how fast the world ticks from now on:
//
//	[20, scale, steps, time]
//
// scale int 0 or 10…4 000: thousandths of a world tick per tick of the loop; 0 is a paused world. steps int 0…600:
// how many world ticks of the server to run at the normal rate and then stay paused, 0 unless scale is 0; they are
// added to those of an earlier message that have not run yet, and steps 0 discards these. time int, the world's time
// in microseconds when the pace changed.
type Pace struct {
	Scale, Steps int
	Time         int64
}

// AppendPace appends a pace.
func AppendPace(b []byte, m Pace) []byte {
	b = appendMessage(b, KindPace, 3)
	return AppendInt(appendUints(b, m.Scale, m.Steps), m.Time)
}

// Pace reads a pace's fields.
func (r *Reader) Pace(fields int) (m Pace) {
	if !r.fields(fields, 3) {
		return m
	}
	m.Scale, m.Steps = int(r.IntIn(0, MaxScale)), int(r.IntIn(0, MaxSteps))
	m.Time = r.Int()
	if m.Scale != 0 && (m.Scale < MinScale || m.Steps != 0) {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return Pace{Scale: NormalScale}
	}
	return m
}
