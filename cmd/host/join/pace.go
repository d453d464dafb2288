package join

import "github.com/tidelock/tidelock/engine"

// step runs the ticks that the match's pace has now, and reports whether there were any. Input is state and not a
// queue, so a key that was pressed and released while the match was paused leaves no trace.
func (p *Player) step(w *engine.World, dt float64) (ran bool) {
	ticks := p.client.Ticks(dt)
	for range ticks {
		w.Step(dt)
	}
	m := p.host.Match()
	if ticks > 0 {
		p.costs.Step(m)
		p.watchMemory()
	} else if p.client.Paused() {
		m.VM.StandStill()
	}
	return ticks > 0
}

// Pace returns the scale of the match as the host last told it, 1 normally and 0 while it is paused, and how many of
// the host's ticks of a step have not run here.
func (p *Player) Pace() (scale float64, pending int) { return p.client.Pace() }
