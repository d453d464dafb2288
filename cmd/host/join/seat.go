package join

import (
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
)

// seat gives package view access to a player of `host join`.
type seat struct {
	*Player
	figures *Figures
}

var _ view.Seat = seat{}

// Status returns the state of the connection.
func (s seat) Status() view.Status {
	w, f := s.client.Welcome(), s.figures
	st := view.Status{
		Place: s.opt.Shown, Level: view.Clean(w.Level), Game: view.Clean(w.Game), Playing: f.Playing,
		Has: func(a *engine.Actor) bool { return s.client.NetOf(a.ID()) != 0 },
	}
	switch s.client.State() {
	case client.Connecting:
		st.Waiting = "connecting to " + s.opt.Shown + " …"
	case client.Loading:
		st.Waiting = "loading the match of " + s.opt.Shown + " …"
	case client.Playing, client.Closed:
	}
	if line, away := s.Away(); away {
		st.Waiting = line
	}
	if f.Playing > 0 {
		st.Ping = Millis(f.Ping)
		st.Figures = []string{
			"ping " + Millis(f.Ping), fmt.Sprintf("loss %s in, %s out", Percent(f.LossIn), Percent(f.LossOut)), "in " + BytesRate(f.In),
			"out " + BytesRate(f.Out), fmt.Sprintf("corrections %d", f.Corrections), "jitter " + Millis(f.Jitter), fmt.Sprintf("actors %d", f.Actors),
			fmt.Sprintf("%d ticks/s", w.Tick), fmt.Sprintf("%d net updates/s", w.Net),
		}
	}
	return st
}

// status returns the same as one line, for output without a terminal.
func (s seat) status() string {
	f := s.figures
	if line, away := s.Away(); away {
		return line
	}
	switch f.State {
	case client.Connecting, client.Loading, client.Closed:
		return f.State.String()
	case client.Playing:
	}
	text := fmt.Sprintf("playing %.0f s: ping %s, jitter %s, loss in %s out %s, in %s, out %s, actors %d, corrections %d, body %s", f.Playing.Seconds(),
		Millis(f.Ping), Millis(f.Jitter), Percent(f.LossIn), Percent(f.LossOut), BytesRate(f.In), BytesRate(f.Out), f.Actors,
		f.Corrections, view.Body(s.Pawn()))
	if w := s.World(); w != nil {
		if match := view.MatchText(w); match != "" {
			text += fmt.Sprintf(", score %g, match %s", f.Score, match)
		}
	}
	return text
}
