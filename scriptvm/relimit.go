package scriptvm

import "github.com/tidelock/tidelock/engine"

// Relimit changes Options.Shares, Memory and Actors while scripts run. Shares are judged by the new ones after the present second, memory
// at its next walk; actors beyond a new bound stay, and no more can be spawned. The maps must not change any more.
func (v *VM) Relimit(shares map[string]float64, memory map[string]int64, actors engine.ActorLimits) {
	v.opt.Shares, v.opt.Memory, v.opt.Actors = shares, memory, actors
	if v.world != nil {
		v.world.SetActorLimits(actors)
	}
}
