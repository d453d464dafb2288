package client

import (
	"time"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Reports of script errors that a client sends: a burst, and one more per faultEvery. The server accepts no more.
const (
	faultBurst = 12
	faultEvery = 2 * time.Second
)

// ReportFault reports a script error on this client to the server, for its operator (G5). Reports beyond a few per
// second are dropped.
func (c *Client) ReportFault(m *wire.Fault) {
	if c.state != Playing {
		return
	}
	for c.faults > 0 && c.now-c.faultAt >= faultEvery {
		c.faults--
		c.faultAt += faultEvery
	}
	if c.faults == 0 {
		c.faultAt = c.now
	}
	if c.faults == faultBurst {
		return
	}
	c.faults++
	c.sendMessage(wire.AppendFault(c.scratch[:0], m))
}
