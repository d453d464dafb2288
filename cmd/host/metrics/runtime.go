package metrics

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cputime"
)

// runtimeFigure is a figure of the Go runtime: the sum of what runtime/metrics calls from. Names and meanings are those of
// Prometheus' client library for Go, because dashboards know them.
type runtimeFigure struct {
	name, help, kind string
	from             []string
}

func runtimeFigures() []runtimeFigure {
	return []runtimeFigure{
		{"go_goroutines", "Number of goroutines that currently exist.", gauge, []string{"/sched/goroutines:goroutines"}},
		{"go_threads", "Number of OS threads that the Go runtime has.", gauge, []string{"/sched/threads/total:threads"}},
		{"go_sched_gomaxprocs_threads", "The current runtime.GOMAXPROCS setting.", gauge, []string{"/sched/gomaxprocs:threads"}},
		{"go_gc_gogc_percent", "Heap size target percentage (GOGC).", gauge, []string{"/gc/gogc:percent"}},
		{"go_gc_gomemlimit_bytes", "Go runtime memory limit (GOMEMLIMIT), otherwise math.MaxInt64.", gauge, []string{"/gc/gomemlimit:bytes"}},
		{"go_memstats_alloc_bytes_total", "Total number of bytes allocated in heap until now, even if released already.", counter, []string{"/gc/heap/allocs:bytes"}},
		{"go_memstats_heap_alloc_bytes", "Number of heap bytes allocated and currently in use.", gauge, []string{"/memory/classes/heap/objects:bytes"}},
		{"go_memstats_heap_inuse_bytes", "Number of heap bytes that are in use.", gauge, []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
		{"go_memstats_heap_idle_bytes", "Number of heap bytes waiting to be used.", gauge, []string{"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
		{"go_memstats_heap_released_bytes", "Number of heap bytes released to OS.", gauge, []string{"/memory/classes/heap/released:bytes"}},
		{"go_memstats_heap_objects", "Number of currently allocated objects.", gauge, []string{"/gc/heap/objects:objects"}},
		{"go_memstats_next_gc_bytes", "Number of heap bytes when next garbage collection will take place.", gauge, []string{"/gc/heap/goal:bytes"}},
		{"go_memstats_stack_inuse_bytes", "Number of bytes obtained from system for goroutine stacks.", gauge, []string{"/memory/classes/heap/stacks:bytes"}},
		{"go_memstats_sys_bytes", "Number of bytes obtained from system.", gauge, []string{"/memory/classes/total:bytes"}},
	}
}

// writeRuntime appends the figures of the Go runtime. Reading them does not stop the world.
func writeRuntime(e *exposition) {
	e.family("go_info", "Information about the Go environment.", gauge)
	e.sample("version", runtime.Version(), 1)

	figures := runtimeFigures()
	var samples []metrics.Sample
	for _, f := range figures {
		for _, name := range f.from {
			samples = append(samples, metrics.Sample{Name: name})
		}
	}
	metrics.Read(samples)
	for _, f := range figures {
		sum, known := 0.0, true
		for _, s := range samples[:len(f.from)] {
			if known = known && s.Value.Kind() == metrics.KindUint64; known {
				sum += float64(s.Value.Uint64())
			}
		}
		samples = samples[len(f.from):]
		if known { // another version of Go may have no such figure
			e.family(f.name, f.help, f.kind)
			e.sample("", "", sum)
		}
	}

	quantiles := [...]string{"0", "0.25", "0.5", "0.75", "1"}
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, len(quantiles))}
	debug.ReadGCStats(&stats)
	e.family("go_gc_duration_seconds", "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", summary)
	for i, q := range quantiles {
		e.sample("quantile", q, stats.PauseQuantiles[i].Seconds())
	}
	e.sum(stats.PauseTotal.Seconds())
	e.count("_count", "", "", uint64(stats.NumGC))
}

// writeProcess appends the figures of the process that the system tells; others are left out.
func writeProcess(e *exposition) {
	if cpu, ok := cputime.Process(); ok {
		e.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", cpu.Seconds())
	}
	writeSystem(e)
}
