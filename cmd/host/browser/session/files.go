package session

import (
	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// NewFiles returns an empty cache of hosts' files, so that a reconnection fetches nothing. It is bounded,
// because it is stored on the player's machine.
func NewFiles() *cache.Memory {
	return &cache.Memory{MaxFiles: 2 * bundle.MaxFiles, MaxBytes: 64 << 20}
}
