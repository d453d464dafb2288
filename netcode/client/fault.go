package client

import (
	"time"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Reports of script errors that a client sends: so many at once, and one more in every faultEvery. The server takes no
// more.
const (
	faultBurst = 12
	faultEvery = 2 * time.Second
)

// ReportFault tells the server of an error of a script on this client, for its operator (G5). What is more than
// a few a second goes nowhere.
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
