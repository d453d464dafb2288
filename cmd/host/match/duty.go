package match

import (
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/server"
)

// Functions that the server disables are disabled on clients, too (G2).
var (
	_ server.Quarantiner = netGame{}
	_ client.Quarantiner = (*ClientHost)(nil)
)

// OutOfUse returns the disabled functions of the match's scripts.
func (g netGame) OutOfUse() []string { return g.m.VM.OutOfUse() }

// OutOfUseChanged counts the changes of that list.
func (g netGame) OutOfUseChanged() uint64 { return g.m.VM.OutOfUseChanged() }

// OutOfUse disables the functions that the server has disabled, and enables all others again.
func (h *ClientHost) OutOfUse(functions []string) {
	h.outOfUse = functions
	if h.match != nil {
		h.match.VM.Mirror(functions)
	}
}
