package scenario

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// batchPercent is GOGC for programs that create worlds by the hundred: a collection walks the running
	// worlds and their shared data, and frees ended ones, so it is efficient when many have ended.
	batchPercent = 400
	// batchMemory is the process's memory in bytes for each processor above which the collector runs as often
	// as needed: twice the memory of scenarios that run concurrently in real time.
	batchMemory = 768 << 20
)

// CollectLess makes this process collect its garbage less often: for programs that run scenarios and end. It
// costs memory, up to about 768 MB for each processor, and does not change results. GOGC and GOMEMLIMIT in the
// environment take precedence.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(batchPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(batchMemory * int64(runtime.GOMAXPROCS(0)))
	}
}
