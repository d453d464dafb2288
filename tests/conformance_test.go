package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// rule is one of the numbered rules of replication that scenarios must show. Where no scenario can, test is the Go test
// that does: "folder TestName".
type rule struct{ number, about, test string }

// conformance are the rules that must have a scenario, in order. What else scenarios show is listed after them.
var conformance = []rule{
	{"R1.4", "What a client keeps of its level; GameInfo is never replicated", ""},
	{"R1.5", "Net modes: one script runs unchanged in all", ""},
	{"R2.1", "Role and RemoteRole, swapped on clients", ""},
	{"R2.2", "AutonomousProxy for the owner of a controller and its pawn, SimulatedProxy for others", ""},
	{"R2.3", "What a client spawns itself is its own", ""},
	{"R2.4", "Standalone: all is Authority, everything runs", ""},
	{"R3.1", "Not replicated, not relevant", ""},
	{"R3.2", "bAlwaysRelevant", ""},
	{"R3.3", "bNetUseOwnerRelevancy", ""},
	{"R3.4", "bOnlyRelevantToOwner", ""},
	{"R3.5", "The player's own, its view target and pawn", ""},
	{"R3.6", "Attached: the base's answer", ""},
	{"R3.7", "Hidden, without collision and sound", ""},
	{"R3.8", "NetCullDistance", ""},
	{"R3.9", "Line of sight, and sound that is heard", ""},
	{"R3.10", "RelevantTimeout, and what closing leaves", ""},
	{"R3.11", "Cost, and IsNetRelevantFor", ""},
	{"R3.12", "Not a byte about what is not relevant", ""},
	{"R4.1", "The budget of a connection", ""},
	{"R4.2", "Priority by waiting time and view", ""},
	{"R4.3", "Shares by NetPriority; nobody starves", ""},
	{"R4.4", "Default priorities", ""},
	{"R4.5", "NetUpdateFrequency, its minimum, ForceNetUpdate", ""},
	{"R4.6", "Calls before variables, off the same budget", ""},
	{"R4.7", "Dormancy", ""},
	{"R4.8", "What was not sent comes first next time", ""},
	{"R5.1", "What is valid when a copy begins", ""},
	{"R5.2", "Only what differs from what the client knows", ""},
	{"R5.3", "Only variables named in the class's own block", ""},
	{"R5.4", "Compared at the net update", ""},
	{"R5.5", "Conditions", ""},
	{"R5.6", "Conditions are compiled", ""},
	{"R5.7", "Named conditions", ""},
	{"R5.8", "Variables are reliable in the end", ""},
	{"R5.8a", "A value that does not fit is an error where it is set", ""},
	{"R5.9", "Types", ""},
	{"R5.10", "Vectors and rotators on the wire", ""},
	{"R5.11", "A struct crosses whole", ""},
	{"R5.12", "Static and fast arrays", ""},
	{"R5.13", "References to actors that are not there yet", ""},
	{"R5.14", "Notifies", ""},
	{"R5.15", "A client's own change lasts until the next value", ""},
	{"R5.16", "Variables from client to server", ""},
	{"R5.17", "bNetTemporary", ""},
	{"R5.18", "bTearOff", ""},
	{"R5.19", "bReplicateInstigator, bSkipActorPropertyReplication, bOnlyDirtyReplication", ""},
	{"R5.20", "Components", ""},
	{"R5.21", "Serialised once for all", ""},
	{"R5.22", "After loss", ""},
	{"R5.23", "Class tables by hash; reload", ""},
	{"R5.24", "ReplicationInfo", ""},
	{"R6.1", "Kinds of functions", ""},
	{"R6.2", "A call returns at once and returns nothing", ""},
	{"R6.3", "Where a call runs", ""},
	{"R6.4", "Once and in order, with opening, closing and variables", ""},
	{"R6.5", "Sent in the tick; an overfull queue closes its connection", ""},
	{"R6.6", "Unreliable multicasts, twice a net update", ""},
	{"R6.7", "Validation and checks of arguments", ""},
	{"R6.8", "Only from the owner, only on what is replicated", ""},
	{"R6.9", "References as arguments", ""},
	{"R6.10", "Overrides", ""},
	{"R7.1", "Simulated functions", ""},
	{"R7.2", "States", ""},
	{"R7.3", "States of proxies, ClientGotoState", ""},
	{"R7.4", "How a simulated proxy moves", ""},
	{"R8.1", "GameInfo: on the server only, chosen by the URL", ""},
	{"R8.2", "InitGame", ""},
	{"R8.3", "PreLogin", ""},
	{"R8.4", "Login", ""},
	{"R8.5", "PostLogin and Logout", ""},
	{"R8.6", "GameState and PlayerState", ""},
	{"R12.5", "The dead are torn off; nothing of a body crosses", ""},
	{"R12.6", "Who hears a sound, and who is not told", ""},
	{"R12.7", "Montages, notifies, curves, timelines, states", ""},
	{"R12.10", "Of what hangs together one replicates", ""},
	{"R13.1", "Counters", ""},
	{"R13.2", "Why", ""},
	{"R13.4", "Logs by class", "netcode/rig TestLogOfAClass"},
}

var ruleNumber = regexp.MustCompile(`^R(\d+)\.(\d+)([a-z]?) ?`)

// rulesOf are the numbers that a scenario's name begins with.
func rulesOf(name string) []string {
	var out []string
	for {
		m := ruleNumber.FindString(name)
		if m == "" {
			return out
		}
		out = append(out, strings.TrimSpace(m))
		name = name[len(m):]
	}
}

// shown is what scenarios show of one rule: their names by file, in order.
type shown struct {
	files []string
	names map[string][]string
	count int
}

func (s *shown) add(file, name string) {
	if s.names == nil {
		s.names = map[string][]string{}
	}
	list := s.names[file]
	if len(list) > 0 && list[len(list)-1] == name {
		return // the same with another seed
	}
	if list == nil {
		s.files = append(s.files, file)
	}
	s.names[file] = append(list, name)
	s.count++
}

// TestConformance holds docs/conformance.md to the scenarios' names, and every rule to having a scenario.
func TestConformance(t *testing.T) {
	suite, err := scenario.Open(scenario.Options{Root: "..", Files: []string{"scenarios"}})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*shown{}
	for _, c := range suite.Cases {
		for _, n := range rulesOf(c.Name) {
			if by[n] == nil {
				by[n] = &shown{}
			}
			by[n].add(filepath.Base(c.File), c.Name)
		}
	}
	listed := map[string]bool{}
	for _, r := range conformance {
		listed[r.number] = true
		if r.test != "" {
			hasTest(t, r)
		} else if by[r.number] == nil {
			t.Errorf("%s (%s): no scenario of tests/scenarios has a name that begins with it; write one", r.number, r.about)
		}
	}
	list := append([]rule(nil), conformance...)
	for n := range by {
		if !listed[n] {
			list = append(list, rule{number: n})
		}
	}
	more := list[len(conformance):]
	sort.Slice(more, func(i, j int) bool { return before(more[i].number, more[j].number) })

	const path = "../docs/conformance.md"
	text := conformancePage(list, by)
	if *updateDocs {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != text {
		t.Errorf("docs/conformance.md does not fit the scenarios any more: go test ./tests -run TestConformance -update")
	}
}

// hasTest fails where the Go test that shows a rule is not there.
func hasTest(t *testing.T, r rule) {
	folder, name, _ := strings.Cut(r.test, " ")
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
			return
		}
	}
	t.Errorf("%s (%s): %s has no test %s", r.number, r.about, folder, name)
}

// before orders R5.8 before R5.8a before R5.10.
func before(a, b string) bool {
	x, y := ruleNumber.FindStringSubmatch(a), ruleNumber.FindStringSubmatch(b)
	for i := 1; i <= 2; i++ {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM == nil && errN == nil && m != n {
			return m < n
		}
	}
	return x[3] < y[3]
}

// conformancePage is docs/conformance.md.
func conformancePage(list []rule, by map[string]*shown) string {
	var b strings.Builder
	b.WriteString(`<!-- Written by tests/conformance_test.go from the names of the scenarios: go test ./tests -run TestConformance -update -->
# Conformance

The rules of replication and the scenarios that show them. Every scenario's name begins with the rule it shows; run
those of one rule with ` + "`go run ./cmd/host test tests/scenarios --run 'R6.3 '`" + `. A rule without a scenario fails a
test; where no scenario can show a rule, a Go test does.

| rule | about | scenarios | in |
|---|---|---|---|
`)
	section := func(r rule) string {
		if r.about == "" {
			return "also shown"
		}
		return r.about
	}
	for _, r := range list {
		s := by[r.number]
		if r.test != "" {
			folder, name, _ := strings.Cut(r.test, " ")
			fmt.Fprintf(&b, "| %s | %s | Go test | `%s` in [%s](../%s) |\n", r.number, section(r), name, folder, folder)
			continue
		}
		if s == nil {
			continue // the test fails
		}
		var files []string
		for _, f := range s.files {
			files = append(files, fmt.Sprintf("[%s](../tests/scenarios/%s)", strings.TrimSuffix(f, ".lua"), f))
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %d | %s |\n", r.number, anchor(r.number), section(r), s.count, strings.Join(files, ", "))
	}
	for _, r := range list {
		s := by[r.number]
		if s == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", r.number)
		if r.about != "" {
			fmt.Fprintf(&b, "%s.\n", r.about)
		}
		for _, f := range s.files {
			fmt.Fprintf(&b, "\n`%s`\n\n", f)
			for _, n := range s.names[f] {
				fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(n))
			}
		}
	}
	return b.String()
}

// anchor is the link to a heading, as Markdown viewers make it.
func anchor(heading string) string { return strings.ToLower(strings.ReplaceAll(heading, ".", "")) }
