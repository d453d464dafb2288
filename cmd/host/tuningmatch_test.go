package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/engine"
)

var tunings = flag.Int("tunings", 0, "TestTuneUnderPlay: how many random sequences of changes, 40 for 0; .ci/long asks for 1 000")

const (
	// ledgers is how many actors keep values that no change may lose, each of the variables below.
	ledgers = 4
	// oneSequence bounds the changes of one sequence.
	oneSequence = 8
)

// books are the two files whose defaults are changed, and what variables each may have. A variable is in a text or not.
var books = map[string][]string{"Ledger": {"A", "B", "C", "D"}, "Journal": {"E", "F"}}

// bookText is a file: variables with their defaults.
func bookText(class string, of map[string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Values that stay.\nlocal %s = class(%q, \"Actor\")\n\n%[1]s.properties {\n", class, class)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&b, "\t%s = int(%d), -- of %[1]s\n", name, of[name])
	}
	fmt.Fprintf(&b, "}\n\nreturn %s\n", class)
	return b.String()
}

var bookLine = regexp.MustCompile(`(?m)^\t(\w+) = int\((-?\d+)\)`)

// defaultsOf reads the defaults of a file.
func defaultsOf(t *testing.T, text string) map[string]int {
	out := map[string]int{}
	for _, m := range bookLine.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		must(t, err)
		out[m[1]] = n
	}
	return out
}

// tuningMatch is a match of bots whose scripts are changed.
type tuningMatch struct {
	t        *testing.T
	root     string
	game     *game
	turn     *serve.Turn
	commands *command.Registry
	rng      *rand.Rand
	log      *bytes.Buffer // of this sequence, for a failure
	actors   []*engine.Actor
	// kept are the values that were given to actors, by actor and variable. What is not there has its default.
	kept []map[string]int
}

func (m *tuningMatch) path(class string) string {
	return filepath.Join(m.root, "scripts", class+".lua")
}

func (m *tuningMatch) file(class string) string {
	b, err := os.ReadFile(m.path(class))
	must(m.t, err)
	return string(b)
}

// do gives a command as the owner does.
func (m *tuningMatch) do(line string) ([]string, error) {
	answer, err := m.commands.Do(context.Background(), command.Caller{Name: "test", Role: access.Owner, Via: "test"}, line)
	fmt.Fprintf(m.log, "> %s\n%s %v\n", line, strings.Join(answer, "\n"), err)
	return answer, err
}

// in runs f between two ticks.
func (m *tuningMatch) in(f func()) {
	m.t.Helper()
	must(m.t, m.turn.Do(context.Background(), func() error { f(); return nil }))
}

// running is the defaults that run.
func (m *tuningMatch) running(class string) map[string]int {
	out := map[string]int{}
	m.in(func() {
		c := m.game.World.Classes.Find(class)
		for _, name := range books[class] {
			if p := c.Property(name); p != nil {
				out[name] = int(c.Default(p).Num)
			}
		}
	})
	return out
}

// variables are the names of all that run; no two classes have one in common.
func (m *tuningMatch) variables() map[string]bool {
	out := map[string]bool{}
	for class := range books {
		for name := range m.running(class) {
			out[name] = true
		}
	}
	return out
}

// change does one random thing.
func (m *tuningMatch) change() {
	class := []string{"Ledger", "Journal"}[m.rng.IntN(2)]
	name := books[class][m.rng.IntN(len(books[class]))]
	_, there := m.running(class)[name]
	had := m.variables()
	back := false
	refused := func(err error, want bool) {
		m.t.Helper()
		if (err != nil) != want {
			m.t.Fatalf("refused %v, expected refused %v\n%s", err, want, m.log)
		}
	}
	switch m.rng.IntN(10) {
	case 0, 1, 2:
		_, err := m.do(fmt.Sprintf("set %s.%s %d", class, name, m.rng.IntN(1000)))
		refused(err, !there)
	case 3:
		_, _ = m.do("unset") // refused where nothing is set
	case 4:
		_, err := m.do(fmt.Sprintf("set %s.%s bad", class, name))
		refused(err, true)
	case 5:
		back = true
		_, _ = m.do("undo " + strconv.Itoa(1+m.rng.IntN(3))) // refused at the end of what is kept
	case 6:
		back = true
		_, _ = m.do("redo " + strconv.Itoa(1+m.rng.IntN(3)))
	case 7:
		_, _ = m.do("write")
	case 8:
		if _, err := m.do("revert --write"); err == nil && m.differ() != nil {
			m.t.Fatalf("after revert --write the files are not what runs: %v\n%s", m.differ(), m.log)
		}
	case 9: // a file is saved with other variables, or with other defaults
		of := defaultsOf(m.t, m.file(class))
		if _, there := of[name]; there && len(of) > 1 && m.rng.IntN(2) == 0 {
			delete(of, name)
		} else {
			of[name] = m.rng.IntN(1000)
		}
		saveFile(m.t, m.root, "scripts/"+class+".lua", bookText(class, of))
		_, err := m.do("reload")
		refused(err, false)
	}
	// Undo and redo bring values back with their variable. A file that is read and has a variable that did not run has it as a new one.
	for name := range m.variables() {
		if !back && !had[name] {
			m.read(name)
		}
	}
	m.values()
}

// each calls f for each variable of each actor, between two ticks.
func (m *tuningMatch) each(f func(i int, a *engine.Actor, p *engine.Property)) {
	m.in(func() {
		for i, a := range m.actors {
			for _, name := range books[a.Class.Name] {
				if p := a.Class.Property(name); p != nil {
					f(i, a, p)
				}
			}
		}
	})
}

// read takes the values of a variable that a saved file has added as they are.
func (m *tuningMatch) read(name string) {
	m.each(func(i int, a *engine.Actor, p *engine.Property) {
		if v := a.Get(p); p.Name != name {
			return
		} else if v.Num == a.Class.Default(p).Num {
			delete(m.kept[i], name)
		} else {
			m.kept[i][name] = int(v.Num)
		}
	})
}

// give sets values of actors.
func (m *tuningMatch) give() {
	m.each(func(i int, a *engine.Actor, p *engine.Property) {
		if m.rng.IntN(2) == 0 {
			m.kept[i][p.Name] = 1000 + m.rng.IntN(1000)
			if err := a.Set(p, engine.Int(m.kept[i][p.Name])); err != nil {
				m.t.Error(err)
			}
		}
	})
}

// values compares what actors have with what they were given.
func (m *tuningMatch) values() {
	m.t.Helper()
	var wrong []string
	m.each(func(i int, a *engine.Actor, p *engine.Property) {
		want, given := m.kept[i][p.Name]
		if !given {
			want = int(a.Class.Default(p).Num)
		}
		if got := int(a.Get(p).Num); got != want {
			wrong = append(wrong, fmt.Sprintf("%s.%s is %d, expected %d (given %v)", a, p.Name, got, want, given))
		}
	})
	if wrong != nil {
		m.t.Fatalf("%s\n%s", strings.Join(wrong, "\n"), m.log)
	}
}

// differ lists the files whose defaults are not those that run.
func (m *tuningMatch) differ() (out []string) {
	for _, class := range slices.Sorted(maps.Keys(books)) {
		if !maps.Equal(defaultsOf(m.t, m.file(class)), m.running(class)) {
			out = append(out, m.path(class))
		}
	}
	return out
}

// newTuningMatch runs a match of bots with the scripts of a folder until the test ends, without anything that watches the files.
func newTuningMatch(t *testing.T, root string) *tuningMatch {
	t.Helper()
	g, _ := openedGame(t, root, gameOptions{URL: "arena?game=DeathMatch?bots=4?skill=4", Mode: engine.NMDedicatedServer}, slog.DiscardHandler)
	a, err := assets.Open(assets.Options{Root: root})
	must(t, err)
	m := &tuningMatch{t: t, root: root, game: g, turn: &serve.Turn{}, commands: &command.Registry{}, rng: rand.New(rand.NewPCG(12, 0)), log: &bytes.Buffer{}}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- serve.Run(ctx, serve.Options{
			Game: g, Assets: a, Rate: 240, CatchUp: 15, StopWithin: time.Minute, Log: slog.New(slog.DiscardHandler), Out: io.Discard,
			Commands: m.commands, Turn: m.turn, Scripts: g.scripts,
		})
	}()
	t.Cleanup(func() { stop(); <-ended })
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if err := m.turn.Do(ctx, func() error { return nil }); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	return m
}

// TestTuneUnderPlay: random sequences of set, unset, undo, redo, write, revert and saved files, while bots play: in the end what runs is what the files
// say, or the status says which files are not; and no actor has lost a value.
func TestTuneUnderPlay(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "scripts/Ledger.lua", bookText("Ledger", map[string]int{"A": 1, "B": 2, "C": 3}))
	saveFile(t, root, "scripts/Journal.lua", bookText("Journal", map[string]int{"E": 5, "F": 6}))
	m := newTuningMatch(t, root)
	g := m.game
	m.in(func() {
		for i := range ledgers {
			class := []string{"Ledger", "Journal"}[i%2]
			x, err := g.World.Spawn(g.World.Classes.Find(class), engine.SpawnParams{})
			if err != nil {
				t.Error(errors.Join(err, errors.New(class)))
				return
			}
			m.actors, m.kept = append(m.actors, x), append(m.kept, map[string]int{})
		}
	})
	if t.Failed() {
		return
	}
	n := *tunings
	if n == 0 {
		n = 40
	}
	var ticks, faults uint64
	m.in(func() { ticks = g.World.Frame() })
	differed := 0
	for range n {
		m.log.Reset()
		m.give()
		for range 1 + m.rng.IntN(oneSequence) {
			m.change()
		}
		differ := m.differ()
		status := strings.Join(m.turn.Notes(), "\n")
		want := ""
		if differ != nil {
			differed++
			want = "the scripts that run are not those of the files: " + strings.Join(differ, ", ")
		}
		if got := status[max(0, strings.LastIndex(status, "the scripts that run")):]; differ != nil && got != want || differ == nil && strings.Contains(status, "the scripts that run") {
			t.Fatalf("the status says %q, expected %q\n%s", status, want, m.log)
		}
	}
	m.in(func() {
		ticks = g.World.Frame() - ticks
		var f metrics.Figures
		g.Figures(&f)
		faults = f.Faults
	})
	if faults > 0 || ticks < uint64(n) {
		t.Errorf("%d faults of scripts in %d ticks", faults, ticks)
	}
	t.Logf("%d sequences while bots played %d ticks; after %d of them files were not what ran, and the status said so", n, ticks, differed)
}
