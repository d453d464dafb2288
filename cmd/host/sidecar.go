package main

import (
	"log/slog"
	"time"

	"github.com/tidelock/tidelock/cmd/host/agones"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/metrics"
)

// agonesHold is how long Agones keeps an empty host that was allocated: the default of ReconnectGrace.
const agonesHold = 2 * time.Minute

// openSidecar returns the SDK server of Agones, nil without one.
func openSidecar(sys *system, log *slog.Logger) *agones.Sidecar {
	s, err := agones.Open(sys.lookup)
	if err != nil {
		log.Warn("Agones is not told how the host is", "event", "agones", "error", err.Error())
	}
	return s
}

// startSidecar tells Agones what the board shows, and the drain what Agones requests.
func startSidecar(s *agones.Sidecar, allocate func() bool, board *metrics.Board, d *drain.Drain, log *slog.Logger) {
	ok := func(ask func() (bool, string)) func() bool {
		return func() bool { is, _ := ask(); return is }
	}
	var f metrics.Figures // only used on the sidecar's goroutine
	s.Start(agones.Options{
		Log: log, Ready: ok(board.Ready), Healthy: ok(board.Healthy), Draining: board.Draining, Allocate: allocate, Hold: agonesHold,
		Players: func() (in, most int) {
			board.Read(&f)
			return f.Players, f.MaxPlayers
		},
		Drain: func(within time.Duration, usual bool) {
			if usual {
				d.Ask()
			} else {
				d.AskWithin(within)
			}
		},
		CallOff: d.AskOff,
	})
}
