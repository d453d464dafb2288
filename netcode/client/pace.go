package client

import (
	"time"

	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/netcode/wire"
)

// pacing is the pace of the world as the server last told it.
type pacing struct {
	pace.Pace
	// steps are the server's ticks that were requested and not passed to Pace, whose ticks are the client's.
	steps float64
	// time is the server's world time, in seconds, at which a paused world stands, or will after its steps.
	time float64
	at   time.Duration // when the last change was received
	told bool          // there was one
	asks int           // requests for the time that follow each other quickly now
	// trip is the shortest round trip of recent requests for the time, and tripAt when it was measured; 0 for none.
	trip, tripAt time.Duration
}

// measured records the round trip of a request for the time.
func (p *pacing) measured(now, rtt time.Duration) {
	if p.trip == 0 || rtt <= p.trip || now-p.tripAt > tripFor {
		p.trip, p.tripAt = rtt, now
	}
}

// tripFor is how long the shortest round trip counts: then the path may have changed.
const tripFor = 10 * time.Second

const (
	// burst is how many requests for the time follow a change of pace at once, burstEvery apart. They tell the server
	// that the change was received, although some are lost and a paused client sends nothing else; and the clock is
	// measured again.
	burst      = 5
	burstEvery = 30 * time.Millisecond
)

// askAfter returns how long after the last request for the time the next one is due, asked counts one.
func (p *pacing) askAfter() time.Duration {
	if p.asks > 0 {
		return burstEvery
	}
	return askEvery
}

func (p *pacing) asked() { p.asks = max(0, p.asks-1) }

// Pace returns the scale of the world's pace as the server last told it, 1 before that and 0 while paused, and how
// many of the server's ticks of a step have not run here.
func (c *Client) Pace() (scale float64, pending int) {
	return c.pace.Scale(), c.pace.Pending() + int(c.pace.steps)
}

// Paused reports whether the world is paused and has no steps to run: its owner makes no ticks.
func (c *Client) Paused() bool { return c.pace.Still() && c.pace.steps == 0 }

// Ticks begins an iteration of the loop that runs the world, and returns how many ticks of dt seconds to run in it,
// 0 to 4. Call it between Receive and Send, once per iteration in which there is a world.
func (c *Client) Ticks(dt float64) int {
	if n := c.pace.steps; n > 0 && dt > 0 {
		c.pace.steps = 0
		c.pace.Step(n / float64(max(1, c.welcome.Tick)) / dt)
	}
	return c.pace.Next()
}

// paced follows the server's change of pace. The server's time is known better now than an exchange could measure:
// it was m.Time as long ago as the message took.
func (c *Client) paced(m wire.Pace) {
	p := &c.pace
	was, now := p.Scale(), float64(m.Scale)/wire.NormalScale
	seconds := float64(m.Time) / 1e6
	step := m.Scale == 0 && m.Steps > 0
	if step {
		if !p.Paused() {
			p.Set(0)
		}
		p.steps += float64(m.Steps)
		seconds += float64(m.Steps) / float64(max(1, c.welcome.Tick))
	} else {
		p.Set(now)
		p.steps = 0
	}
	if step && was == 0 && p.told {
		p.time = max(p.time, seconds)
		p.at, p.asks = c.now, burst
		c.lastAsk = 0
		return // both sides run the same ticks: the clocks stay as far apart as they are
	}
	switch {
	case c.world == nil:
	case now > 0 && c.bestRTT > 0 && c.bestTime > m.Time:
		// The last exchange overtook this message: the server's time ran at the new pace already.
		c.stepClock(float64(c.bestTime)/1e6 + now*(c.now-c.bestAt+c.bestRTT/2).Seconds())
	default:
		age := p.trip.Seconds() / 2 // how long ago the server's clock was m.Time, in real seconds
		if was > 0 {                // by the clock that was right until now, with retransmissions
			if by := (c.world.ServerTime() - float64(m.Time)/1e6) / was; by >= 0 && by <= mostAge {
				age = by
			}
		}
		c.stepClock(seconds + now*age)
	}
	p.time, p.at, p.told, p.asks = seconds, c.now, true, burst
	c.bestRTT, c.lastAsk = 0, 0 // measured at another pace
}

// mostAge bounds, in seconds, how long a change of pace is believed to have been under way: an estimate of the
// server's time that says more is wrong.
const mostAge = 5.0

// stepClock sets the server's time as of now.
func (c *Client) stepClock(server float64) {
	c.offset = server - c.world.Time
	c.world.StepServerTime(c.offset)
}

// factor converts real seconds to seconds of the world for latencies: a step runs at the normal rate.
func (p *pacing) factor() float64 {
	if p.Paused() {
		return 1
	}
	return p.Scale()
}
