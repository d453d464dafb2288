package join

import (
	"time"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
)

// Figures describe a player's connection since the figures before.
type Figures struct {
	State client.State
	// Ping is the smoothed round trip, including the wait for a tick at either end; Jitter the mean deviation
	// of the round trips of datagrams, which also includes the wait for a net update. 0 before the first.
	Ping, Jitter time.Duration
	// LossIn and LossOut are the shares of datagrams that did not arrive, from and to the host.
	LossIn, LossOut float64
	// In and Out are bytes per second on the wire, including all headers.
	In, Out float64
	// Stale is the age of the host's newest update, averaged over the ticks: the time since its last datagram
	// and half a round trip. A host without changes sends nothing, so in a still world it means less.
	Stale time.Duration
	// Actors is the number of copies of the host's actors and components.
	Actors int
	// Corrections counts the host's corrections of the player's movement (PlayerController.CorrectionCount).
	Corrections int
	// Score, Kills and Deaths are the player's in the match so far, Stuck the total time for which their brain
	// was stuck.
	Score         float64
	Kills, Deaths int
	Stuck         time.Duration
	// Returns is how often the player reconnected after a lost connection.
	Returns int
	// Playing is how long the player has been in the match.
	Playing time.Duration
}

// meter measures between two calls of sample.
type meter struct {
	at                        time.Duration
	stats                     link.Stats
	delivered, lost, got, all uint64
	seen                      uint64 // datagrams
	last                      time.Duration
	age                       time.Duration // sum over ticks
	ticks                     int
	figures                   Figures
	corrections               int           // as last counted, by the controller counter
	counter                   *engine.Actor // of which
}

// tick measures the age of the newest update.
func (m *meter) tick(now time.Duration, c *client.Client) {
	s := c.Session()
	if s == nil || c.State() != client.Playing {
		return
	}
	if s.Got != m.seen || m.last == 0 {
		m.seen, m.last = s.Got, now
	}
	m.age += now - m.last
	m.ticks++
}

// Sample returns the figures since the last Sample.
func (p *Player) Sample() Figures {
	m, s := &p.meter, p.client.Session()
	f := Figures{State: p.client.State(), Returns: p.back.Times()}
	if p.joined {
		f.Playing = p.now - p.since
	}
	if s == nil {
		return f
	}
	if f.State == client.Closed { // its connection has ended: the last figures are kept
		m.figures.State, m.figures.Returns = client.Closed, f.Returns
		return m.figures
	}
	st := s.Conn.Stats()
	f.Ping, f.Jitter = st.RTT, s.Jitter
	f.LossIn = share(s.Came-s.Got-(m.all-m.got), s.Came-m.all)
	f.LossOut = share(s.Lost-m.lost, s.Lost+s.Delivered-m.lost-m.delivered)
	if seconds := (p.now - m.at).Seconds(); seconds > 0 {
		f.In, f.Out = float64(st.BytesIn-m.stats.BytesIn)/seconds, float64(st.BytesOut-m.stats.BytesOut)/seconds
	}
	if m.ticks > 0 {
		f.Stale = m.age/time.Duration(m.ticks) + st.RTT/2
	}
	f.Actors = p.client.Channels()
	p.match(&f)
	m.at, m.stats = p.now, st
	m.delivered, m.lost, m.got, m.all = s.Delivered, s.Lost, s.Got, s.Came
	m.age, m.ticks = 0, 0
	m.figures = f
	return f
}

// match adds the match's figures of the player.
func (p *Player) match(f *Figures) {
	m, w := &p.meter, p.World()
	if w == nil {
		return
	}
	pc := w.LocalPlayer()
	if pc == nil {
		return
	}
	if n, ok := view.Number(pc, "CorrectionCount"); ok {
		if m.counter != pc {
			m.counter, m.corrections = pc, 0
		}
		f.Corrections = max(0, int(n)-m.corrections)
		m.corrections = int(n)
	}
	if out := p.Call(pc, "GetStuckSeconds"); len(out) > 0 {
		f.Stuck = time.Duration(out[0].Num * float64(time.Second))
	}
	if s := view.Reference(pc, "PlayerReplicationInfo"); s != nil {
		f.Score, _ = view.Number(s, "Score")
		kills, ok := view.Number(s, "Kills")
		if !ok {
			kills = f.Score
		}
		deaths, _ := view.Number(s, "Deaths")
		f.Kills, f.Deaths = int(kills), int(deaths)
	}
}

// share returns part as a share of whole, 0 for an empty whole. A late datagram makes part negative for a
// moment.
func share(part, whole uint64) float64 {
	if whole == 0 || int64(part) <= 0 || int64(whole) <= 0 {
		return 0
	}
	return min(1, float64(part)/float64(whole))
}
