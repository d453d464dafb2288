package scenario

import (
	"os"
	"runtime/debug"
)

const (
	// batchPercent is GOGC where worlds come and go by the hundred: a collection walks the worlds that run and what all
	// of them share, and frees those that ended, so it pays when many have ended.
	batchPercent = 400
	// batchMemory is the process's memory in bytes from which on the collector runs as often as it must to stay below.
	batchMemory = 1 << 30
)

// CollectLess has this process collect its garbage less often than Go would by itself: for programs that run scenarios and
// end. It costs memory, up to about 1 GB, and no result depends on it. What GOGC and GOMEMLIMIT say in the
// environment stays.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(batchPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(batchMemory)
	}
}
