package client

import (
	"strings"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Quarantiner is a Host that disables script functions as the server does (G2): the listed ones, and no others that
// it disabled for the server before. The list ends with Open, and stays in force across Reload.
type Quarantiner interface {
	OutOfUse(functions []string)
}

// duty applies the server's list of disabled functions.
func (c *Client) duty(m wire.Duty) {
	q, ok := c.cfg.Host.(Quarantiner)
	if !ok || c.state != Playing {
		return // the server repeats a list sent before the world is open when it admits the player
	}
	var functions []string
	if m.Functions != "" {
		functions = strings.Split(m.Functions, "\n")
	}
	q.OutOfUse(functions)
}
