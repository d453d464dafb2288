package control

import (
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/netcode/server"
)

// statTicks shows where the time of ticks goes.
func (c control) statTicks(_ *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	t := inspect.TicksOf(m)
	if t.Tick == 0 {
		return nil, errNoTicks
	}
	length := m.World.Delta
	rows := [][]string{{"phase", "ms a tick", "of the tick"}}
	for p, x := range t.Phases {
		rows = append(rows, []string{profile.Phase(p).String(), milliseconds(x), percent(x, t.Tick)})
	}
	out := []string{fmt.Sprintf("last minute: %s ms a tick, %s of the time that there is; the longest took %s ms", milliseconds(t.Tick), percent(t.Tick, length), milliseconds(t.Longest))}
	return append(out, console.Table(rows, 1)...), nil
}

// statUnit shows whether the host keeps up: its frame rate, and the time of ticks on average and at worst.
func (c control) statUnit(_ *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	r := inspect.Profile(m).Report()
	if r.Ticks == 0 || r.Seconds <= 0 {
		return nil, errNoTicks
	}
	head := fmt.Sprintf("last %.0f s: %.1f ticks a second of %.0f", r.Seconds, float64(r.Ticks)/r.Seconds, 1/m.World.Delta)
	if c.Dropped != nil {
		head += fmt.Sprintf("; %d ticks dropped since the host began", c.Dropped())
	}
	rows := [][]string{{"phase", "mean ms", "worst second ms", "longest ms"}}
	worst, sums := 0.0, [profile.Phases]float64{}
	for i := range r.Timeline {
		sum := 0.0
		for p, x := range r.Timeline[i].Phases {
			sums[p] = max(sums[p], x)
			sum += x
		}
		worst = max(worst, sum)
	}
	rows = append(rows, []string{"tick", milliseconds(r.Tick), milliseconds(worst), milliseconds(r.Longest)})
	for p, x := range r.Phases {
		rows = append(rows, []string{x.Name, milliseconds(x.Time), milliseconds(sums[p]), ""})
	}
	return append([]string{head}, console.Table(rows, 1)...), nil
}

// statScripts shows which classes and functions of scripts take the time.
func (c control) statScripts(_ *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	r := inspect.Profile(m).Report()
	if r.Measured == 0 {
		return nil, errNoTicks
	}
	scripts := r.Phases[profile.Scripts].Time
	out := []string{fmt.Sprintf("last %.0f s: scripts take %s ms a tick, %s of it; %d of %d ticks measured, %d samples",
		r.Seconds, milliseconds(scripts), percent(scripts, r.Tick), r.Measured, r.Ticks, r.Samples)}
	if r.Cut > 0 {
		out = append(out, fmt.Sprintf("of %d samples the callers have a part: there are too many functions or stacks", r.Cut))
	}
	rows := [][]string{{"class", "self ms", "of scripts", "total ms", "calls a tick"}}
	for i, x := range r.Classes {
		if i == listed {
			rows = append(rows, []string{fmt.Sprintf("%d others", len(r.Classes)-i)})
			break
		}
		rows = append(rows, []string{named(x.Class), milliseconds(x.Exclusive), percent(x.Exclusive, scripts), milliseconds(x.Inclusive), calls(x.Calls)})
	}
	out = append(out, console.Table(rows, 1)...)
	rows = [][]string{{"function", "at", "self ms", "of scripts", "total ms", "calls a tick"}}
	for i, x := range r.Functions {
		if i == listed {
			rows = append(rows, []string{fmt.Sprintf("%d others", len(r.Functions)-i)})
			break
		}
		name, at := x.Name, "native"
		if !x.Native {
			name, at = named(x.Class)+":"+x.Name, fmt.Sprintf("%s:%d", x.File, x.Line)
		}
		rows = append(rows, []string{name, at, milliseconds(x.Exclusive), percent(x.Exclusive, scripts), milliseconds(x.Inclusive), calls(x.Calls)})
	}
	return append(out, console.Table(rows, 2)...), nil
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f", 1e3*seconds) }

// percent formats a part of a whole, "-" for an empty one.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// calls formats calls by the engine, "" for none.
func calls(n float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", n)
}

// named returns the name of a class, "-" for none.
func named(class string) string {
	if class == "" {
		return "-"
	}
	return class
}

// errNoTicks is for commands about the time of ticks before there was one.
var errNoTicks = errors.New("no tick was measured yet; ask again in a second")
