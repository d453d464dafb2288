//go:build counts

package counts

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/engine/count"
)

var (
	updating = flag.Bool("update", false, "record what is measured in counts.txt")
	why      = flag.String("why", "", "the reason why counts are higher, for -update")
)

// workload is fixed work: run calls m.begin and m.end around what is counted.
type workload struct {
	name string
	run  func(t *testing.T, m *measure)
}

// workloads lists all; those without a function of their own are scenarios of workloads.lua.
var workloads = []workload{
	{"world-a", worldA},
	{"world-b", worldB},
	{"bots", match},
	{"players", match},
	{"move", match},
	{"join", match},
	{"reload", match},
	{"relevancy", match},
	{"store", match},
	{"load", match},
	{"idle", match},
	{"hop", match},
}

// mostHeap is how many bytes a workload may allocate until the garbage collector runs, which ends it.
const mostHeap = 3 << 30

// measure takes the counts of one workload.
type measure struct {
	name   string
	before count.Totals
	mem    runtime.MemStats
	counts map[string]int64
	failed string
}

// begin begins to count, with the garbage collector off: what it frees is not counted, but it empties pools at any time.
func (m *measure) begin() {
	for range 2 { // a pool keeps what it has for one more collection
		runtime.GC()
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostHeap)
	m.before = count.Read()
	runtime.ReadMemStats(&m.mem)
}

// end ends counting.
func (m *measure) end() {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	after := count.Read()
	debug.SetGCPercent(100)
	if mem.NumGC != m.mem.NumGC {
		m.failed = fmt.Sprintf("%s: the garbage collector ran, since the heap reached %d bytes: make the workload smaller", m.name, mem.HeapAlloc)
	}
	m.counts = map[string]int64{allocations: int64(mem.Mallocs - m.mem.Mallocs), allocated: int64(mem.TotalAlloc - m.mem.TotalAlloc)}
	for k := range count.Kinds {
		m.counts[k.String()] = after[k] - m.before[k]
	}
}

// order is that of the counts in the file.
func order() (list []string) {
	for k := range count.Kinds {
		list = append(list, k.String())
	}
	return append(list, allocations, allocated)
}

// match runs the scenario of workloads.lua that has the workload's name.
func match(t *testing.T, m *measure) {
	s, err := scenario.Open(scenario.Options{
		Files: []string{"workloads.lua"}, Root: t.TempDir(), Run: "^" + m.name + "$", Seed: 1,
		Log: func(line string) {
			switch line {
			case "begin":
				m.begin()
			case "end":
				m.end()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := s.Cases[0].RunSeed(1); !out.OK {
		t.Fatalf("%+v", out.Result.Failures)
	}
}

// take runs a workload.
func (w workload) take(t *testing.T) *measure {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := &measure{name: w.name}
	w.run(t, m)
	if m.failed != "" || m.counts == nil {
		t.Fatalf("%s: nothing was counted %s", w.name, m.failed)
	}
	return m
}

// TestCounts compares what each workload counts with counts.txt.
func TestCounts(t *testing.T) {
	b, err := open()
	if err != nil {
		t.Fatal(err)
	}
	small().take(t) // what a process does once is counted for no workload
	known := map[string]bool{}
	for _, w := range workloads {
		known[w.name] = true
		t.Run(w.name, func(t *testing.T) {
			m := w.take(t)
			for _, c := range order() {
				n := m.counts[c]
				if testing.Verbose() {
					t.Logf("%-12s%-18s%16d", w.name, c, n)
				}
				if *updating {
					if err := b.update(w.name, c, n, *why); err != nil {
						t.Error(err)
					}
				} else if line := b.judge(w.name, c, n); line != "" {
					t.Error(line)
				}
			}
		})
	}
	for _, e := range b.entries {
		if !known[e.workload] || !slices.Contains(order(), e.count) {
			t.Errorf("counts.txt: %s: %s: there is no such count; delete the line", e.workload, e.count)
		}
	}
	if *updating && !t.Failed() {
		f, err := os.Create("counts.txt")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.write(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// small returns a workload that takes little time.
func small() workload {
	return workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == "join" })]
}

// TestRepeats: a workload counts the same each time.
func TestRepeats(t *testing.T) {
	w := small()
	w.take(t)
	a, b := w.take(t), w.take(t)
	for _, c := range order() {
		if differs(c, a.counts[c], b.counts[c], 0.002) {
			t.Errorf("%s: %d, then %d", c, a.counts[c], b.counts[c])
		}
	}
}
