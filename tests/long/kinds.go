package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// kind is a kind of items, all run in the same manner.
type kind struct {
	name, what string
	items      []item
	// seconds is what an item without a record is taken to last, quickSeconds what each lasts in .ci/run, where it has a short form.
	seconds, quickSeconds float64
	// change is for how many seconds .ci/run takes items of this kind; 0 for none.
	change float64
	// atOnce is how many items one program runs.
	atOnce int
	run    func(l *long, part []item) error
}

// add adds an item that depends on some files.
func (k *kind) add(t *tree, name string, files ...[]string) {
	k.items = append(k.items, item{name: k.name + "/" + name, files: t.hash(slices.Concat(files...))})
}

// kinds lists everything that .ci/long runs.
func kinds(t *tree) ([]*kind, error) {
	var out []*kind
	for _, list := range []func(*tree) ([]*kind, error){mutants, scenarios, packages, attacks, pages, singles} {
		k, err := list(t)
		if err != nil {
			return nil, err
		}
		out = append(out, k...)
	}
	return out, nil
}

// host is the program's files: whatever is tried with a real host depends on them.
func (t *tree) host() []string { return t.program("cmd/host") }

// underscores is how go test writes a name.
func underscores(s string) string { return strings.ReplaceAll(s, " ", "_") }

var mutantLine = regexp.MustCompile(`(?m)^(file|test): (.*)$`)

// mutants are small breaks of the source. Whether one is noticed depends on the text that it breaks and on the test that must notice: an
// item depends on the files of both, and not on all that the test runs through.
func mutants(t *tree) ([]*kind, error) {
	k := &kind{name: "mutant", what: "Breaks of the source, each with the test that must notice (tests/mutants).", seconds: 3, change: 150, atOnce: 40}
	suite, err := scenario.Open(scenario.Options{Root: ".", Files: []string{"tests/scenarios"}})
	if err != nil {
		return nil, err
	}
	for _, file := range t.below("tests/mutants") {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		head, _, _ := bytes.Cut(b, []byte("--- old\n"))
		files := []string{file, "tests/mutants_test.go"}
		for _, m := range mutantLine.FindAllStringSubmatch(string(head), -1) {
			if m[1] == "file" {
				files = append(files, m[2])
				continue
			}
			words := strings.Fields(m[2])
			run := ""
			if i := slices.Index(words, "-run"); i >= 0 && i+1 < len(words) {
				run = words[i+1]
			}
			dir := strings.TrimSuffix(strings.TrimPrefix(words[0], "./"), "/...")
			files = append(files, t.testFiles(dir, run)...)
			if _, name, ok := strings.Cut(run, "Scenarios/"); ok {
				re, err := regexp.Compile(strings.TrimSuffix(name, "'"))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", file, err)
				}
				for _, c := range suite.Cases {
					if re.MatchString(underscores(c.Name)) {
						files = append(files, filepath.ToSlash(c.File))
					}
				}
			}
		}
		k.add(t, strings.TrimSuffix(filepath.Base(file), ".txt"), files)
	}
	k.run = func(l *long, part []item) error {
		names := make([]string, len(part))
		for i, it := range part {
			names[i] = it.short()
		}
		return l.goTest(part, "./tests", []string{"TIDELOCK_MUTANTS=" + strings.Join(names, ",")}, []string{"-run", "^TestMutants$"}, func(test string) string {
			return strings.TrimPrefix(test, "TestMutants/")
		})
	}
	return []*kind{k}, nil
}

// scenarios are the scenario files, in several manners.
func scenarios(t *tree) ([]*kind, error) {
	files, err := filepath.Glob("tests/scenarios/*.lua")
	if err != nil {
		return nil, err
	}
	shared := t.below("tests/scenarios/shared")
	net := func(f string) bool { return strings.HasPrefix(filepath.Base(f), "net_") }
	list := []struct {
		kind
		flags, quick []string
		net          bool // only files whose peers are connected
	}{
		{kind: kind{name: "seeds", what: "Scenario files with 20 seeds.", seconds: 15, quickSeconds: 3, change: 60, atOnce: 1}, flags: []string{"--seeds", "20"}, quick: []string{"--seeds", "3"}},
		{kind: kind{name: "again", what: "Scenario files with clients 20 times with one seed, the others twice: every run is the same.", seconds: 15, quickSeconds: 2, change: 30, atOnce: 1}, flags: []string{"--seeds", "1", "--again", "20"}, quick: []string{"--seeds", "1", "--again", "2"}},
		{kind: kind{name: "udp", what: "Scenario files with clients over KCP and UDP, in real time.", seconds: 10, atOnce: 1000}, flags: []string{"--transport", "kcp", "--seeds", "1"}, net: true},
		{kind: kind{name: "ws", what: "The same over WebSockets.", seconds: 10, atOnce: 1000}, flags: []string{"--transport", "kcp", "--via", "ws", "--seeds", "1"}, net: true},
		{kind: kind{name: "wt", what: "The same over WebTransport.", seconds: 10, atOnce: 1000}, flags: []string{"--transport", "kcp", "--via", "wt", "--seeds", "1"}, net: true},
	}
	var out []*kind
	for _, s := range list {
		k := s.kind
		for _, f := range files {
			if s.net && !net(f) {
				continue
			}
			k.add(t, strings.TrimSuffix(filepath.Base(f), ".lua"), []string{f}, shared, t.host())
		}
		k.run = func(l *long, part []item) error {
			flags := s.flags
			if l.quick {
				flags = s.quick
			} else if s.name == "again" && !net(part[0].short()) {
				flags = s.quick
			}
			return l.hostTest(part, flags)
		}
		out = append(out, &k)
	}
	return out, nil
}

// Packages where goroutines meet: those that start some or guard something against them, in their tests too.
var meet = regexp.MustCompile(`(?m)^\s*go (func\b|[A-Za-z])|\bsync\.|\batomic\.|\.Parallel\(\)|\bParallel:`)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// packages are run whole: under the race detector, or one fuzz target at a time.
func packages(t *tree) ([]*kind, error) {
	race := &kind{name: "race", what: "Packages where goroutines meet, under the race detector.", seconds: 50, change: 100, atOnce: 1}
	fuzz := &kind{name: "fuzz", what: "Fuzz targets, 100 s each.", seconds: 110, quickSeconds: 8, change: 70, atOnce: 1}
	paths := make([]string, 0, len(t.native))
	for path := range t.native {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		p := t.native[path]
		dir := strings.TrimPrefix(path, module)
		racy := false
		for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			b, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			racy = racy || meet.Match(b)
			if strings.HasSuffix(name, "_test.go") {
				for _, m := range fuzzTarget.FindAllSubmatch(b, -1) {
					fuzz.add(t, dir+"/"+string(m[1]), t.tests(dir))
				}
			}
		}
		// These drive programs of their own, which are not built with the race detector.
		if racy && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 && !slices.Contains([]string{"tests/web", "tests/hostile", "tests/sockets"}, dir) {
			race.add(t, dir, t.tests(dir))
		}
	}
	race.run = func(l *long, part []item) error {
		// -short: what one goroutine does for long is done for a part of it. There is no race to find in it.
		// Scenarios, documents and mutants run one match after another on one goroutine, or programs of their own.
		return l.goCommand(part[0], []string{"TIDELOCK_CI=", "TIDELOCK_LONG="}, "test", "-race", "-short", "-count=1", "-timeout=1h",
			"-skip", "^(TestScenarios|TestDocuments|TestBuiltInScripts|TestMutants|TestImage)$", "./"+part[0].short())
	}
	fuzz.run = func(l *long, part []item) error {
		dir, name := filepath.Split(part[0].short())
		seconds := "100s"
		if l.quick {
			seconds = "4s"
		}
		return l.goCommand(part[0], nil, "test", "-run", "^$", "-fuzz", "^"+name+"$", "-fuzztime", seconds, "-fuzzminimizetime", "10x", "-timeout=30m", "./"+dir)
	}
	return []*kind{race, fuzz}, nil
}

// attacks are those of tests/hostile, against the real program with honest players beside it.
func attacks(t *tree) ([]*kind, error) {
	k := &kind{name: "attack", what: "Attacks on the real program, with honest players beside it (tests/hostile).", seconds: 25, atOnce: 1000}
	suite := t.tests("tests/hostile")
	found := map[string][]string{}
	var order []string
	for _, f := range t.below("tests/hostile/attacks") {
		rel := strings.TrimPrefix(f, "tests/hostile/attacks/")
		parts := strings.Split(rel, "/")
		if len(parts) < 2 {
			continue
		}
		name := parts[0] + "/" + strings.TrimSuffix(parts[1], filepath.Ext(parts[1]))
		if found[name] == nil {
			order = append(order, name)
		}
		found[name] = append(found[name], f)
	}
	for _, name := range order {
		k.add(t, name, found[name], suite, t.below("tests/hostile/stage"), t.host())
	}
	k.run = func(l *long, part []item) error {
		names := make([]string, len(part))
		for i, it := range part {
			names[i] = regexp.QuoteMeta(it.short())
		}
		return l.goTest(part, "./tests/hostile", nil, []string{"-run", "^TestAttacks$", "-attacks", strings.Join(names, "|")}, nil)
	}
	return []*kind{k}, nil
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// pages are the tests in Chromium.
func pages(t *tree) ([]*kind, error) {
	k := &kind{name: "web", what: "The browser's client and the inspector in Chromium, in their long form, where times are judged.", seconds: 40, atOnce: 1000}
	for _, f := range t.testFiles("tests/web", "") {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, m := range testFunction.FindAllSubmatch(b, -1) {
			k.add(t, string(m[1]), t.tests("tests/web"), t.host(), t.client("cmd/host/browser"))
		}
	}
	k.run = func(l *long, part []item) error {
		names := make([]string, len(part))
		for i, it := range part {
			names[i] = it.short()
		}
		return l.goTest(part, "./tests/web", []string{"TIDELOCK_LONG=1"}, []string{"-run", "^(" + strings.Join(names, "|") + ")$"}, func(test string) string { return test })
	}
	return []*kind{k}, nil
}

// singles are tests that are long as a whole, one item each.
func singles(t *tree) ([]*kind, error) {
	k := &kind{name: "test", what: "Tests that are long as a whole: walks, soaks, floods, kills, clusters, saved worlds, the natives' fuzzer.", seconds: 600, atOnce: 1}
	commands := map[string][]string{}
	for _, s := range []struct{ name, pkg, args string }{
		{"walks", "engine", "-run ^(TestWander|TestSlopedBrushes)$"},
		{"converge", "netcode/rig", "-run Converge|Workers|Window|Share"},
		{"soak", "tests/sockets", "-run ^TestSoak$ -full 200 -soak 10m"},
		{"match", "tests/sockets", "-run ^TestMatch$ -match 10m"},
		{"floods", "tests/sockets", "-run Flood -flood 20s"},
		{"natives", "tests/hostile/fuzz", "-run ^TestNativesStandAnything$ -calls 20000000"},
		{"tuning", "cmd/host", "-run ^TestTuneUnderPlay$ -tunings 1000"},
		{"kills", "cmd/host/store", "-run ^(TestKill|TestFlippedBytes)$ -kills 500 -flips"},
		{"faults", "cmd/host/nats", "-run ^TestFaults$ -kind all -moments 5"},
		{"hops", "cmd/host", "-run ^TestHops$ -bots 40 -hops 10m"},
		{"hops-nodes", "cmd/host", "-run ^TestHops$ -bots 40 -hops 5m -kill nodes"},
		{"hops-hosts", "cmd/host", "-run ^TestHops$ -bots 40 -hops 5m -kill hosts"},
		{"worlds", "tests", "-run ^TestSaved -saved-moments 100"},
		{"examples", "tests", "-run ^TestExamples$"},
		{"races", "netcode/rig", "-race -count=200 -run FatStructs|Lanes"},
	} {
		k.add(t, s.name, t.tests(s.pkg), t.host())
		commands[s.name] = append([]string{"test", "-v", "-timeout=2h", "-count=1", "./" + s.pkg}, strings.Fields(s.args)...)
	}
	k.run = func(l *long, part []item) error {
		return l.goCommand(part[0], []string{"TIDELOCK_LONG=1"}, commands[part[0].short()]...)
	}
	every := make([][]string, 0, len(t.native))
	for path := range t.native { // any order: the hash sorts
		every = append(every, t.tests(strings.TrimPrefix(path, module)))
	}
	all := slices.Concat(every...)
	whole := &kind{name: "whole", what: "go test ./... ten times, and with a clock that is a year ahead: the same tests run.", seconds: 300, atOnce: 1}
	for i := range 10 {
		whole.add(t, fmt.Sprintf("repeat-%02d", i+1), all)
	}
	whole.add(t, "year", all)
	whole.run = func(l *long, part []item) error {
		if part[0].short() == "year" {
			return l.year(part[0])
		}
		return l.goCommand(part[0], []string{"TIDELOCK_CI=", "TIDELOCK_LONG="}, "test", "-count=1", "./...")
	}
	return []*kind{k, whole}, nil
}
