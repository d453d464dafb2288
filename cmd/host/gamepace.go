package main

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/pace"
)

// The pace of the match: pause, step and slow motion. All methods belong to the loop's goroutine. The pace outlives a
// travel; clients are told every change, and those that join later when they do.

// SetPace sets how many world ticks run per tick of the loop: 1 normally, 0 pauses the match, 0.01 to 4 is slow or
// fast motion. Ticks of StepTicks that have not run are discarded. Another scale is an error, and changes nothing.
func (g *game) SetPace(scale float64) error {
	if err := pace.Check(scale); err != nil {
		return err
	}
	g.pace.Set(scale)
	return g.tellPace(0)
}

// StepTicks pauses the match and runs n world ticks, 1 to 600, at the normal rate, in addition to those that have not
// run yet. Another number is an error, and changes nothing.
func (g *game) StepTicks(n int) error {
	if err := pace.CheckSteps(n); err != nil {
		return err
	}
	g.pace.Step(float64(n))
	return g.tellPace(n)
}

// Pace returns the scale of the match, 1 normally and 0 while it is paused, and how many ticks of StepTicks are still
// to run.
func (g *game) Pace() (scale float64, pending int) { return g.pace.Scale(), g.pace.Pending() }

// tellPace tells the players, and the log.
func (g *game) tellPace(steps int) error {
	scale, pending := g.Pace()
	if g.door != nil {
		if err := g.door.Server().SetPace(scale, steps); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("the match runs at %g times its normal speed", scale)
	switch {
	case steps > 0:
		text = "the match is paused and steps"
	case scale == 0:
		text = "the match is paused"
	case scale == 1:
		text = "the match runs at its normal speed"
	}
	g.log.Info(text, "event", "pace", "scale", scale, "steps", pending, "level", g.levelName(), "tick", g.World.Frame())
	return nil
}

// tick runs the world ticks of this tick of the loop: usually one, none in a paused match.
func (g *game) tick(dt float64) {
	ticks := g.pace.Next()
	for range ticks {
		g.World.Step(dt)
	}
	if ticks == 0 && g.pace.Still() {
		g.VM.StandStill()
	}
}
