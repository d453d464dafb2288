package match

import "github.com/tidelock/tidelock/scriptvm"

const (
	// scaleSeconds is the world time between two measurements of the scripts' speed.
	scaleSeconds = 1
	// scaleStep is the factor by which the measured scale must differ from the one in use to replace it. Each
	// change is a log line and a command that a repeated run needs, so noise must not cause any.
	scaleStep = 1.25
)

// CostScale measures how long a unit of script cost takes on this machine and sets the scripts' scale (G6):
// this is the only input of wall time to a match. The zero value is ready. It belongs to the goroutine of the
// match, and is kept when the next match follows.
type CostScale struct {
	vm       *scriptvm.VM
	measured float64 // nanoseconds a unit, smoothed; 0 before the first
	used     float64 // in use by the scripts; 0 for the default
	due      float64 // world time of the next measurement
}

// Step is called after a tick. It reports a new scale in nanoseconds per unit when it changes; the tick is the
// world's Frame.
func (c *CostScale) Step(m *Match) (nanoseconds float64, changed bool) {
	if m.VM != c.vm {
		c.vm, c.due = m.VM, m.World.Time+scaleSeconds
		if c.used == 0 {
			return 0, false
		}
		c.vm.SetCostScale(c.used)
		return c.used, true
	}
	if m.World.Time < c.due {
		return 0, false
	}
	c.due = m.World.Time + scaleSeconds
	ns, ok := c.vm.MeasureCost()
	if !ok {
		return 0, false
	}
	if c.measured == 0 {
		c.measured = ns
	}
	c.measured += (ns - c.measured) / 4 // a second with much garbage collection is not a slower machine
	now := c.vm.CostScale()
	if c.measured < now*scaleStep && c.measured > now/scaleStep {
		return 0, false
	}
	c.vm.SetCostScale(c.measured)
	c.used = c.vm.CostScale() // clamped to its bounds
	return c.used, c.used != now
}
