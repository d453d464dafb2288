package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// elsewhere are the rules of docs/rules.md that no scenario shows: test is the Go test that does, as "folder TestName", or
// reason says why there is none.
var elsewhere = map[string]struct{ test, reason string }{
	"R13.3": {reason: "not built"},
	"R13.4": {test: "netcode/rig TestLogOfAClass"},
	"R13.5": {reason: "not built"},
	"R13.6": {reason: "figures for benchmarks; those by class are not built"},
}

var leadingRule = regexp.MustCompile(`^R(\d+)\.(\d+)([a-z]?) ?`)

// rulesOf are the numbers that a scenario's name begins with.
func rulesOf(name string) []string {
	var out []string
	for {
		m := leadingRule.FindString(name)
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
	all, _ := theRules(t)
	var rules []rule // of replication: what holds the others to the code is in docs/security.md and tests/web
	for _, r := range all {
		if r.number[0] == 'R' {
			rules = append(rules, r)
		}
	}
	known := map[string]bool{}
	for _, r := range rules {
		known[r.number] = true
		other, apart := elsewhere[r.number]
		switch {
		case other.test != "":
			hasTest(t, r, other.test)
		case apart && by[r.number] != nil:
			t.Errorf("%s (%s) has a scenario: take it out of elsewhere", r.number, r.title)
		case !apart && by[r.number] == nil:
			t.Errorf("%s (%s): no scenario of tests/scenarios has a name that begins with it; write one", r.number, r.title)
		}
	}
	for n := range by { // any order: errors of a test
		if !known[n] {
			t.Errorf("a scenario's name begins with %s, which docs/rules.md does not have", n)
		}
	}
	for n := range elsewhere { // any order: errors of a test
		if !known[n] {
			t.Errorf("elsewhere has %s, which docs/rules.md does not have", n)
		}
	}

	const path = "../docs/conformance.md"
	text := conformancePage(rules, by)
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
func hasTest(t *testing.T, r rule, test string) {
	folder, name, _ := strings.Cut(test, " ")
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
	t.Errorf("%s (%s): %s has no test %s", r.number, r.title, folder, name)
}

// inOrder reports whether a number stands before another: R5.8 before R5.8a before R5.10 before W1.1 before G2.
func inOrder(a, b string) bool {
	const families = "RWG"
	if a[0] != b[0] {
		return strings.IndexByte(families, a[0]) < strings.IndexByte(families, b[0])
	}
	x, y := ruleNumber.FindStringSubmatch(a), ruleNumber.FindStringSubmatch(b)
	for i := 1; i < len(x); i++ {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM == nil && errN == nil && m != n {
			return m < n
		}
	}
	return x[3] < y[3]
}

// conformancePage is docs/conformance.md.
func conformancePage(rules []rule, by map[string]*shown) string {
	var b strings.Builder
	b.WriteString(`<!-- Written by tests/conformance_test.go from docs/rules.md and the names of the scenarios: go test ./tests -run TestConformance -update -->
# Conformance

The [rules of replication](rules.md) and the scenarios that show them. Every scenario's name begins with the rule it shows; run
those of one rule with ` + "`go run ./cmd/host test tests/scenarios --run 'R6.3 '`" + `. A rule without a scenario fails a
test; where no scenario can show a rule, a Go test does.

| rule | about | scenarios | in |
|---|---|---|---|
`)
	for _, r := range rules {
		link := fmt.Sprintf("[%s](rules.md#%s)", r.number, anchor(r.number))
		s := by[r.number]
		switch e := elsewhere[r.number]; {
		case e.test != "":
			folder, name, _ := strings.Cut(e.test, " ")
			fmt.Fprintf(&b, "| %s | %s | Go test | `%s` in [%s](../%s) |\n", link, r.title, name, folder, folder)
		case e.reason != "":
			fmt.Fprintf(&b, "| %s | %s | none | %s |\n", link, r.title, e.reason)
		case s != nil: // else the test fails
			var files []string
			for _, f := range s.files {
				files = append(files, fmt.Sprintf("[%s](../tests/scenarios/%s)", strings.TrimSuffix(f, ".lua"), f))
			}
			fmt.Fprintf(&b, "| %s | %s | [%d](#%s) | %s |\n", link, r.title, s.count, anchor(r.number), strings.Join(files, ", "))
		}
	}
	for _, r := range rules {
		s := by[r.number]
		if s == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n[%s](rules.md#%s).\n", r.number, r.title, anchor(r.number))
		for _, f := range s.files {
			fmt.Fprintf(&b, "\n`%s`\n\n", f)
			for _, n := range s.names[f] {
				fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(n))
			}
		}
	}
	return b.String()
}

// anchor is the link to a heading, as Markdown viewers make it: small letters, digits, hyphens and underscores, spaces as hyphens.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
