package match

import "github.com/tidelock/tidelock/scriptvm"

const (
	// scaleSeconds is how much world time passes between two looks at how long scripts take.
	scaleSeconds = 1
	// scaleStep is by which factor the measured scale must differ from the one in use to replace it. Each change is a line and
	// a command that a repeated run needs, so noise makes none.
	scaleStep = 1.25
)

// CostScale follows how long a unit of script cost takes on this machine and has the scripts count by it (G6): wall
// time enters a match by this one command alone. The zero value is ready. It belongs to the goroutine of the match, and goes
// on when a match is followed by the next.
type CostScale struct {
	vm       *scriptvm.VM
	measured float64 // nanoseconds a unit, smoothed; 0 before the first
	used     float64 // that the scripts count by; 0 for the default
	due      float64 // world time of the next look
}

// Step is called after a tick. It reports the scale in nanoseconds a unit where it has another from now on; the tick is the
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
	c.measured += (ns - c.measured) / 4 // one second with much of the garbage collector in it is no slower machine
	now := c.vm.CostScale()
	if c.measured < now*scaleStep && c.measured > now/scaleStep {
		return 0, false
	}
	c.vm.SetCostScale(c.measured)
	c.used = c.vm.CostScale() // within its bounds
	return c.used, c.used != now
}
