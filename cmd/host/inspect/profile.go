package inspect

import (
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine/profile"
)

// Profile describes where the time of the last minute's ticks went: by phase, class, function and stack of scripts. It is
// computed on demand, in up to a millisecond.
func Profile(m *match.Match) profile.Report { return m.World.Profile.Report() }

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
