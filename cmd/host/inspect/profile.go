package inspect

import (
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine/profile"
)

// Profile has where the time of the last minute's ticks went: by phase, class, function and stack of scripts. Its report is computed on demand, in up
// to a millisecond, and needs no turn with the world.
func Profile(m *match.Match) *profile.Snapshot { return m.World.Profile.Snapshot() }

// Ticks is the time of ticks by phase.
type Ticks struct {
	// Tick and Longest are seconds: of a tick, on average over the last minute, and of the longest one.
	Tick    float64
	Longest float64
	// Phases add up to Tick; see profile.Phase.
	Phases [profile.Phases]float64
}

// TicksOf describes the time of ticks in a few numbers, within a microsecond or so.
func TicksOf(m *match.Match) (t Ticks) {
	t.Phases, t.Longest = m.World.Profile.Phases()
	for _, x := range t.Phases {
		t.Tick += x
	}
	return t
}
