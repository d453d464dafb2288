package scenario

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// batchPercent is GOGC where worlds come and go by the hundred: a collection walks the worlds that run and what all
	// of them share, and frees those that ended, so it pays when many have ended.
	batchPercent = 400
	// batchMemory is the process's memory in bytes for each processor from which on the collector runs as often as it
	// must to stay below. Twice what scenarios hold that run side by side in real time.
	batchMemory = 768 << 20
)

// CollectLess has this process collect its garbage less often than Go would by itself: for programs that run scenarios and
// end. It costs memory, up to about 768 MB for each processor, and no result depends on it. What GOGC and GOMEMLIMIT
// say in the environment stays.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(batchPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(batchMemory * int64(runtime.GOMAXPROCS(0)))
	}
}
