package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// DefaultPatience is how long one run may take by the wall clock: far more than any run needs, so that it only
// ends one that hangs.
const DefaultPatience = 5 * time.Minute

// Options are those of `host test`. The zero value runs nothing.
type Options struct {
	// Files are scenario files, and folders whose *.lua files are scenarios.
	Files []string
	// Root, Scripts and Content say where scripts and content are (package assets).
	Root    string
	Scripts []string
	Content string
	// Off are the mods that are not used.
	Off []string
	// Transport is "sim", the default, or "kcp".
	Transport string
	// Via is what carries KCP's packets: carrier.UDP, the default, carrier.WebTransport or carrier.WebSocket.
	Via carrier.Via
	// Seed is the first seed; 0 means 1.
	Seed uint64
	// Seeds is how many seeds each scenario runs with; 0 means the scenario's own number.
	Seeds int
	// Again is how many times each seed runs, 0 for once; a run that differs from the first fails its scenario.
	// Runs in real time always differ, and run once.
	Again int
	// Run is a Go regular expression on names; "" runs all.
	Run     string
	Verbose bool
	// Out receives the TAP, Err usage and load errors.
	Out, Err io.Writer
	// Log, unless nil, receives each line that a scenario itself logs, at that moment of its run.
	Log func(line string)
	// Patience is the limit of a run; 0 means DefaultPatience.
	Patience time.Duration
}

// Suite is a set of scenario files, loaded and ready to run.
type Suite struct {
	Cases []*Case

	opt        Options
	sources    []classfile.Source
	content    fs.FS
	shown      func() *match.Shown // of content, read once; nil if it is broken, which every world reports
	cache      *classfile.Cache
	navigation navigation.Cache
	levels     level.Cache
}

// Case is one scenario of a suite.
type Case struct {
	// Name is the scenario's, File its file as it was given.
	Name, File string
	Line       int

	suite  *Suite
	script *script.Scenario
}

// UsageError says that options are invalid.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// LoadErrors are faults of scenario files, a line each.
type LoadErrors struct{ Texts []string }

func (e *LoadErrors) Error() string { return strings.Join(e.Texts, "\n") }

// Open reads and compiles scenario files. The error is a *UsageError, a *LoadErrors or of package assets.
func Open(o Options) (*Suite, error) {
	var pattern *regexp.Regexp
	if o.Run != "" {
		var err error
		if pattern, err = regexp.Compile(o.Run); err != nil {
			return nil, &UsageError{fmt.Sprintf("--run: %v", err)}
		}
	}
	switch o.Transport {
	case "":
		o.Transport = "sim"
	case "sim", "kcp":
	default:
		return nil, &UsageError{fmt.Sprintf("--transport: expected sim or kcp, got %q", o.Transport)}
	}
	if o.Via == "" {
		o.Via = carrier.UDP
	}
	if _, err := carrier.ParseVia(string(o.Via)); err != nil {
		return nil, &UsageError{fmt.Sprintf("--via: %v", err)}
	}
	if o.Via != carrier.UDP && o.Transport == "sim" {
		return nil, &UsageError{fmt.Sprintf("--via %s: only --transport kcp sends packets by it", o.Via)}
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Seeds < 0 {
		return nil, &UsageError{fmt.Sprintf("--seeds: expected 1 or more, got %d", o.Seeds)}
	}
	if o.Again < 0 {
		return nil, &UsageError{fmt.Sprintf("--again: expected 1 or more, got %d", o.Again)}
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	if len(o.Files) == 0 {
		return nil, &UsageError{"no scenario file given"}
	}
	a, err := assets.Open(assets.Options{Root: o.Root, Scripts: o.Scripts, Content: o.Content, Off: o.Off})
	if err != nil {
		return nil, err
	}
	list, err := a.Scripts(nil)
	if err != nil {
		return nil, err
	}
	s := &Suite{opt: o, content: a.Content(), cache: classfile.NewCache(scriptvm.Natives())}
	s.shown = sync.OnceValue(func() *match.Shown {
		shown, err := match.ReadShown(s.content)
		if err != nil {
			return nil
		}
		return shown
	})
	for _, f := range list {
		s.sources = append(s.sources, classfile.Source{Path: f.Path, Place: f.Place, Text: f.Text, Lib: f.Lib})
	}
	return s, s.load(pattern)
}

// load compiles the files and keeps the scenarios that match.
func (s *Suite) load(pattern *regexp.Regexp) error {
	files, err := find(s.opt.Files)
	if err != nil {
		return err
	}
	bad := &LoadErrors{}
	options := script.Options{Limits: script.Limits{Elapsed: elapsed(), Wall: int64(s.opt.Patience)}, Read: readText}
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			bad.Texts = append(bad.Texts, err.Error())
			continue
		}
		file, err := script.Load(f.path, string(text), options)
		if err != nil {
			bad.Texts = append(bad.Texts, err.Error())
			continue
		}
		n := 0
		for _, sc := range file.Scenarios {
			if pattern == nil || pattern.MatchString(sc.Name) {
				s.Cases = append(s.Cases, &Case{Name: sc.Name, File: f.path, Line: sc.Line, suite: s, script: sc})
				n++
			}
		}
		switch {
		case len(file.Scenarios) == 0:
			bad.Texts = append(bad.Texts, f.path+": the file has no scenario")
		case n == 0 && f.named:
			bad.Texts = append(bad.Texts, fmt.Sprintf("%s: no scenario of the file matches --run %q", f.path, s.opt.Run))
		}
	}
	if len(bad.Texts) == 0 && len(s.Cases) == 0 {
		bad.Texts = append(bad.Texts, fmt.Sprintf("no scenario matches --run %q", s.opt.Run))
	}
	if len(bad.Texts) > 0 {
		return bad
	}
	return nil
}

// readText returns the text of a module.
func readText(name string) (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(name))
	return string(text), err
}

// elapsed returns a clock of wall time in nanoseconds since now. It ends runs that hang and affects nothing
// else.
func elapsed() func() int64 {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) }
}

type found struct {
	path  string
	named bool // itself, not its folder
}

// find lists the files that were named and those of the folders named, without the modules of folders "shared", sorted within each.
func find(names []string) ([]found, error) {
	var out []found
	seen := map[string]bool{}
	add := func(p string, named bool) {
		p = filepath.ToSlash(filepath.Clean(p))
		if !seen[p] {
			seen[p] = true
			out = append(out, found{p, named})
		}
	}
	for _, name := range names {
		st, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &UsageError{name + ": there is no such file or folder; give scenario files, or folders of them"}
		}
		if err != nil {
			return nil, &UsageError{err.Error()}
		}
		if !st.IsDir() {
			add(name, true)
			continue
		}
		var files []string
		err = filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == script.SharedFolder && p != name:
				return fs.SkipDir // modules of the files beside it
			case !d.IsDir() && assets.IsScript(d.Name()):
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, &UsageError{err.Error()}
		}
		if len(files) == 0 {
			return nil, &UsageError{fmt.Sprintf("%s: the folder has no scenario file", name)}
		}
		sort.Strings(files)
		for _, p := range files {
			add(p, false)
		}
	}
	return out, nil
}

// Outcome is the result of a scenario over all its seeds.
type Outcome struct {
	OK bool
	// Seed is the one that failed, or the last.
	Seed   uint64
	Result script.Result
	// Sum hashes the run: equal for equal seeds. It is 0 if each seed runs once.
	Sum uint64
	// Log is what the peers logged and reported in that run, in order.
	Log []string
}

// Seeds is how many seeds the scenario runs with.
func (c *Case) Seeds() int {
	if n := c.suite.opt.Seeds; n != 0 {
		return n
	}
	return c.script.Seeds
}

// longest returns the longest total time of its runs, in seconds of simulated time.
func (c *Case) longest() float64 {
	return c.script.Budget * float64(c.Seeds()*max(1, c.suite.opt.Again))
}

// Long reports whether it declares itself as long.
func (c *Case) Long() bool { return c.script.Long }

// Run runs the scenario with each of its seeds, until one fails.
func (c *Case) Run() Outcome {
	var out Outcome
	for i := range c.Seeds() {
		out = c.runAgain(c.suite.opt.Seed + uint64(i))
		if !out.OK {
			break
		}
	}
	return out
}

// transport returns the kind of connection between its peers.
func (c *Case) transport() string {
	if c.script.Transport != "" {
		return c.script.Transport
	}
	return c.suite.opt.Transport
}

// runAgain runs the scenario with one seed as often as configured, and expects the same each time.
func (c *Case) runAgain(seed uint64) Outcome {
	if c.suite.opt.Again <= 1 || c.transport() != "sim" {
		return c.RunSeed(seed)
	}
	var first *trail
	var out Outcome
	for range c.suite.opt.Again {
		t := newTrail()
		out = c.runLeaving(seed, t)
		if first == nil {
			first = t
		} else if text := t.differs(first); text != "" {
			out.Result.Failures = append(out.Result.Failures, script.Failure{Message: text, File: c.File, Line: c.Line})
			out.OK = false
		}
		if !out.OK {
			break
		}
	}
	return out
}

// runLeaving is RunSeed with a trail.
func (c *Case) runLeaving(seed uint64, t *trail) Outcome {
	st := newStage(c, seed)
	defer st.close()
	st.trail = t
	out := c.runOn(st, st)
	t.step(st, true)
	out.Sum = t.sum()
	return out
}

// RunSeed runs the scenario with one seed.
func (c *Case) RunSeed(seed uint64) Outcome {
	st := newStage(c, seed)
	defer st.close()
	return c.runOn(st, st)
}

// runOn runs the scenario on a stage, seen as is, and ends with the sum of R13.1.
func (c *Case) runOn(st *stage, as script.Stage) Outcome {
	r := c.script.Run(script.Run{Seed: st.seed, Stage: as, Log: c.suite.opt.Log})
	for _, text := range st.audit() {
		r.Failures = append(r.Failures, script.Failure{Message: text, File: c.File, Line: c.Line})
	}
	return Outcome{OK: len(r.Failures) == 0, Seed: st.seed, Result: r, Log: st.log}
}

// seedOf returns the seed of the k-th world of a run. Peers must not share random numbers.
func seedOf(seed uint64, k int) uint64 {
	var r engine.Rand
	r.Seed(seed)
	for range k {
		r.Uint64()
	}
	return r.Uint64()
}

// Main runs scenario files as `host test` does and returns the exit code: 1 if any failed, 2 for usage or
// load errors.
func Main(o Options) int {
	s, err := Open(o)
	if err != nil {
		var load *LoadErrors
		if errors.As(err, &load) {
			for _, t := range load.Texts {
				fmt.Fprintln(o.Err, t)
			}
		} else {
			fmt.Fprintf(o.Err, "host test: %v\n", err)
		}
		return 2
	}
	w := newTAP(o.Out, o.Verbose)
	s.Run(w.result)
	if !w.end() {
		return 1
	}
	return 0
}

// sideBySide is how many scenarios run at once in real time, for each processor: they mostly wait.
const sideBySide = 16

// Run runs all scenarios and reports the outcomes in order. They run concurrently: first those in real time,
// many at once, then those on a virtual clock, as many at once as there are processors. In both groups the
// longest begin first, so that the rest need not wait for one of them in the end.
func (s *Suite) Run(tell func(*Case, Outcome)) {
	done := make([]chan Outcome, len(s.Cases))
	var real, virtual []int
	for i, c := range s.Cases {
		done[i] = make(chan Outcome, 1)
		if c.transport() == "kcp" {
			real = append(real, i)
		} else {
			virtual = append(virtual, i)
		}
	}
	for _, list := range [][]int{real, virtual} {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.Cases[b].longest(), s.Cases[a].longest()) })
	}
	run := func(i int) { done[i] <- s.Cases[i].Run() }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		together(real, runtime.GOMAXPROCS(0)*sideBySide, run)
		together(virtual, runtime.GOMAXPROCS(0), run)
	}()
	for i, c := range s.Cases {
		tell(c, <-done[i])
	}
	<-ended
}

// together runs something for each of a list on as many goroutines as there are workers, and waits for all.
func together(list []int, workers int, run func(i int)) {
	next := make(chan int)
	var all sync.WaitGroup
	for range min(len(list), workers) {
		all.Go(func() {
			for i := range next {
				run(i)
			}
		})
	}
	for _, i := range list {
		next <- i
	}
	close(next)
	all.Wait()
}
