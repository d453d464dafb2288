package scenario

import (
	"fmt"
	"log/slog"

	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	netserver "github.com/tidelock/tidelock/netcode/server"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// Drain takes a host out of service (C7).
func (s *stage) Drain(p script.Peer, seconds *float64) (string, error) {
	h, err := s.running(p, "t:drain")
	if err != nil {
		return "", err
	}
	return h.drain.Start(seconds), nil
}

// StopDrain calls that off.
func (s *stage) StopDrain(p script.Peer) (string, error) {
	h, err := s.hostOf(p)
	if err != nil {
		return "", err
	}
	if h.drain != nil && h.drain.Phase() == drain.Drained {
		return "", drain.ErrGone
	}
	if h, err = s.running(p, "t:drain"); err != nil {
		return "", err
	}
	return h.drain.Stop()
}

// Draining names the phase of a host's drain.
func (s *stage) Draining(p script.Peer) string {
	h, err := s.hostOf(p)
	if err != nil || h.drain == nil || !h.drain.Active() {
		return ""
	}
	return h.drain.Phase().String()
}

// running returns the site of a server's peer that runs.
func (s *stage) running(p script.Peer, what string) (*site, error) {
	h, err := s.hostOf(p)
	if err == nil && h.server.Match == nil {
		err = fmt.Errorf("%s: %s does not run", what, h.name)
	}
	return h, err
}

// serves begins a process that is in service.
func (h *site) serves() {
	h.drain = drain.New(drain.Options{Host: drained{h}, Log: slog.New(slog.DiscardHandler), Usual: drain.Usual})
}

// stepDrain does what is due of a drain after a tick of dt seconds, and ends the host when it is over.
func (h *site) stepDrain(dt float64) {
	h.drain.Step(dt)
	if h.drain.Phase() != drain.Drained {
		return
	}
	if err := <-h.drain.Over(); err != nil {
		h.stage.report(h.server, engine.SevWarning, err.Error())
	}
	if err := h.server.stop(link.Reason{Code: "stopping", Text: "the server is shutting down"}); err != nil {
		h.stage.report(h.server, engine.SevWarning, err.Error())
	}
	h.storage.kill() // nothing of it is on its way any more
}

// drained is a site as its drain uses it. It implements [drain.Host].
type drained struct{ *site }

// Announce implements [drain.Host].
func (h drained) Announce(text string) {
	if err := h.server.Say(text); err != nil {
		h.stage.report(h.server, engine.SevWarning, "players were not told about the drain: "+err.Error())
	}
}

// TurnAway implements [drain.Host].
func (h drained) TurnAway(why link.Reason) {
	h.storage.crossing.TurnAway(why, func(key string) bool { return h.drain.Refuses(key) != nil })
}

// Evacuate implements [drain.Host].
func (h drained) Evacuate() { h.storage.crossing.Evacuate() }

// OnTheWay implements [drain.Host].
func (h drained) OnTheWay() int { return h.storage.crossing.Leaving() }

// Arriving implements [drain.Host].
func (h drained) Arriving() int { return h.storage.crossing.Reserved() }

// Players implements [drain.Host].
func (h drained) Players() (n int) {
	if h.network != nil {
		h.network.server.Connections(func(*netserver.Conn) { n++ })
	}
	return n
}

// Empty implements [drain.Host].
func (h drained) Empty() bool {
	return h.server.local == nil && (h.network == nil || h.network.open() == 0)
}

// MayReturn implements [drain.Host].
func (h drained) MayReturn(key string) bool { return h.server.MayReturn(key) }

// Standing implements [drain.Host].
func (h drained) Standing(key string) drain.Standing { return h.storage.crossing.Standing(key) }

// Disconnect implements [drain.Host].
func (h drained) Disconnect(why link.Reason) (told bool) {
	if h.network != nil {
		h.network.server.Stop(why)
	}
	h.storage.profiles.Book.SaveAll(true)
	return h.network != nil
}

// Stored implements [drain.Host].
func (h drained) Stored() bool { return !h.storage.client.Busy() && h.storage.profiles.Book.Idle() }

// Travel implements [drain.Host].
func (h drained) Travel(url string) { h.server.travel(url) }

// Changed implements [drain.Host]: other hosts hear it by the entry, and nobody else asks.
func (h drained) Changed(bool) {}
