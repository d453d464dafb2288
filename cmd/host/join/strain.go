package join

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/scriptvm"
)

// A server's scripts cannot block a client (G17): they run within the same budgets, and are throttled and
// quarantined as on the server. Functions that are never throttled, such as those of moves, may still exceed
// what a machine can do; instead of freezing, the program then leaves with a message.

const (
	// strainRatio is how many ticks' worth of time scripts may take per tick, for at most strainFor: by then
	// throttling and quarantine have taken effect.
	strainRatio = 4
	strainFor   = 10 * time.Second
	// ceiling is how many units scripts may cost between two ticks, about a second of them: more than any
	// honest match needs to begin, and few enough that the program stays responsive.
	ceiling = 50_000_000
	// codeStrain is the reason's code.
	codeStrain = "strain"
)

// strain measures how much time scripts take.
type strain struct {
	on          bool
	since, last time.Duration
}

// over reports whether scripts have taken too much for too long; ratio is how many ticks' worth of time they
// took per tick.
func (s *strain) over(now time.Duration, ratio float64) bool {
	if !(ratio > strainRatio) {
		s.on = false
		return false
	}
	if gap := now - s.last; s.on && gap > time.Second {
		s.since += gap // the machine was suspended: scripts did not cause that
	}
	s.last = now
	if !s.on {
		s.on, s.since = true, now
	}
	return now-s.since >= strainFor
}

// leaveStrained leaves a host whose scripts take too much, after a tick of dt seconds.
func (p *Player) leaveStrained(vm *scriptvm.VM, dt float64) {
	if dt <= 0 || p.ended {
		return
	}
	ratio := vm.Milliseconds() / 1e3 / dt
	text := ""
	switch over := p.strain.over(p.now, ratio); {
	case vm.OverCeiling():
		text = "its scripts took more of one tick than this program allows"
	case over:
		text = fmt.Sprintf("its scripts take %.0f times the time that there is, for %.0f s", ratio, strainFor.Seconds())
	default:
		return
	}
	if costs := vm.Costs(); len(costs) > 0 {
		text += fmt.Sprintf("; the costliest is %s:%s", costs[0].Class, costs[0].Function)
	}
	why := link.Reason{Code: codeStrain, Text: view.Clean(text)}
	p.client.Leave(link.Reason{Code: codeStrain, Text: "the server's scripts take too long on the player's machine"})
	p.lost(why)
}
