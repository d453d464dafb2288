package metrics

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ticksPerSecond is the unit of start times in /proc, the same on all processors that Go compiles for (proc_pid_stat(5)).
const ticksPerSecond = 100

// writeSystem appends what /proc and the limits of the process tell. What cannot be read, as in a sandbox without /proc, is
// left out.
func writeSystem(e *exposition) {
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		e.gauge("process_open_fds", "Number of open file descriptors.", float64(len(open)-1)) // one of them reads the folder
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		e.gauge("process_max_fds", "Maximum number of open file descriptors.", float64(limit.Cur))
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	p, ok := parseStat(string(stat))
	if !ok {
		return
	}
	e.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", p.virtual)
	e.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", p.pages*float64(os.Getpagesize()))
	system, err := os.ReadFile("/proc/stat")
	if err != nil {
		return
	}
	_, rest, _ := strings.Cut(string(system), "\nbtime ")
	line, _, _ := strings.Cut(rest, "\n")
	if boot, err := strconv.ParseFloat(line, 64); err == nil {
		e.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", boot+p.start)
	}
}

// processStat is what the figures need of /proc/self/stat: the start in seconds since that of the system, the size of the
// virtual memory in bytes, and the number of pages in memory.
type processStat struct{ start, virtual, pages float64 }

// parseStat reads a line of /proc/self/stat. The program's name, in parentheses, may itself have spaces and parentheses.
func parseStat(line string) (p processStat, ok bool) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	ok = true
	number := func(field int) float64 { // as proc_pid_stat(5) numbers them; fields begins with number 3
		if field-3 >= len(fields) {
			ok = false
			return 0
		}
		n, err := strconv.ParseUint(fields[field-3], 10, 64)
		ok = ok && err == nil
		return float64(n)
	}
	p = processStat{start: number(22) / ticksPerSecond, virtual: number(23), pages: number(24)}
	return p, ok
}
