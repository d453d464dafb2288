package session

import (
	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// NewFiles is an empty cache of files of hosts, so that coming back fetches nothing. It is bounded, since it lives on the player's
// machine.
func NewFiles() *cache.Memory {
	return &cache.Memory{MaxFiles: 2 * bundle.MaxFiles, MaxBytes: 64 << 20}
}
