package client

import (
	"strings"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Quarantiner is a Host that takes functions of scripts out of use as the server does (G2): those named, and no others that
// it took out of use for the server before. The list ends with Open, and holds on over Reload.
type Quarantiner interface {
	OutOfUse(functions []string)
}

// duty does as the server does with its functions.
func (c *Client) duty(m wire.Duty) {
	q, ok := c.cfg.Host.(Quarantiner)
	if !ok || c.state != Playing {
		return // what is said before the world is open is said again when the server lets the player in
	}
	var functions []string
	if m.Functions != "" {
		functions = strings.Split(m.Functions, "\n")
	}
	q.OutOfUse(functions)
}
