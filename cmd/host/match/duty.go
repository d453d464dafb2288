package match

import (
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/server"
)

// Functions that are out of use on the server are so on clients (G2).
var (
	_ server.Quarantiner = netGame{}
	_ client.Quarantiner = (*ClientHost)(nil)
)

// OutOfUse are the functions of the match's scripts that are out of use.
func (g netGame) OutOfUse() []string { return g.m.VM.OutOfUse() }

// OutOfUseChanged counts how often these became others.
func (g netGame) OutOfUseChanged() uint64 { return g.m.VM.OutOfUseChanged() }

// OutOfUse takes functions out of use that the server has taken out of use, and those that it has not any more into use again.
func (h *ClientHost) OutOfUse(functions []string) {
	h.outOfUse = functions
	if h.match != nil {
		h.match.VM.Mirror(functions)
	}
}
