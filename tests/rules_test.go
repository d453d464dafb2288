package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rulesPage is where the rules stand, from here.
const rulesPage = "../docs/rules.md"

var (
	ruleHeading = regexp.MustCompile(`^### (.*)$`)
	ruleNumber  = regexp.MustCompile(`^R(\d+)\.(\d+)([a-z]?)$`)
	ruleTitle   = regexp.MustCompile(`^\*\*([^*]+)\.\*\* `)
	ruleNamed   = regexp.MustCompile(`\bR\d+\.\d+[a-z]?\b`)
)

// rule is one of docs/rules.md: a heading that is its number, and a title in bold that begins its text.
type rule struct{ number, title string }

// readRules gives the rules in the order of the page, and what is wrong with its form.
func readRules(page string) (rules []rule, wrong []string) {
	known := map[string]bool{}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		m := ruleHeading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		r := rule{number: m[1]}
		if !ruleNumber.MatchString(r.number) {
			wrong = append(wrong, line+": a heading of this level is the number of a rule and nothing else, since links lead to it by that")
			continue
		}
		if i+1 < len(lines) {
			if m := ruleTitle.FindStringSubmatch(lines[i+1]); m != nil {
				r.title = m[1]
			}
		}
		switch {
		case r.title == "":
			wrong = append(wrong, r.number+": its text does not begin with a title in bold that ends with a full stop")
		case known[r.number]:
			wrong = append(wrong, r.number+" stands twice")
		case len(rules) > 0 && !inOrder(rules[len(rules)-1].number, r.number):
			wrong = append(wrong, r.number+" stands behind "+rules[len(rules)-1].number)
		}
		known[r.number] = true
		rules = append(rules, r)
	}
	return rules, wrong
}

// unknownRules gives the numbers that a text names and no rule has, with their lines.
func unknownRules(text string, known map[string]bool) (lines []int, numbers []string) {
	for i, line := range strings.Split(text, "\n") {
		for _, n := range ruleNamed.FindAllString(line, -1) {
			if !known[n] {
				lines, numbers = append(lines, i+1), append(numbers, n)
			}
		}
	}
	return lines, numbers
}

// theRules are those of docs/rules.md.
func theRules(t *testing.T) []rule {
	t.Helper()
	page, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	rules, wrong := readRules(string(page))
	for _, w := range wrong {
		t.Errorf("docs/rules.md: %s", w)
	}
	return rules
}

// TestRules holds every number of a rule in the sources to an entry of docs/rules.md.
func TestRules(t *testing.T) {
	known := map[string]bool{}
	for _, r := range theRules(t) {
		known[r.number] = true
	}
	if len(known) < 100 {
		t.Fatalf("docs/rules.md has %d rules", len(known))
	}
	named := 0
	err := filepath.WalkDir("..", func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); strings.HasPrefix(name, ".") && name != ".." && name != ".ci" {
				return filepath.SkipDir
			}
			return nil
		}
		if !ruleSource.MatchString(file) || strings.HasSuffix(file, "rules_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		named += len(ruleNamed.FindAllString(string(text), -1))
		lines, numbers := unknownRules(string(text), known)
		for i, n := range numbers {
			t.Errorf("%s:%d names %s, which docs/rules.md does not have", file, lines[i], n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if named < 1000 {
		t.Errorf("only %d numbers of rules were found in the sources", named)
	}
}

// ruleSource are files that may name rules.
var ruleSource = regexp.MustCompile(`\.(go|lua|md|txt|tmpl|toml)$`)

func TestReadRules(t *testing.T) {
	const good = "# Rules\n\n## R1 World\n\n### R1.1\n**Actors and more.** Text of R1.2.\n\n### R1.10a\n**The loop.** x\n"
	rules, wrong := readRules(good)
	if len(wrong) != 0 || len(rules) != 2 || rules[0] != (rule{"R1.1", "Actors and more"}) || rules[1] != (rule{"R1.10a", "The loop"}) {
		t.Errorf("%v %v", rules, wrong)
	}
	for _, bad := range []string{
		good + "### R1.11 Title\n**T.** x\n",
		good + "### R1.11\nno title\n",
		good + "### R1.10a\n**Twice.** x\n",
		good + "### R1.2\n**Late.** x\n",
	} {
		if _, wrong := readRules(bad); len(wrong) != 1 {
			t.Errorf("%q: %v", bad[len(good):], wrong)
		}
	}
	lines, numbers := unknownRules("see R1.1\n(R1.2, R1.10a) R9.99 or R1.1b, not PR1.7\n", map[string]bool{"R1.1": true, "R1.10a": true})
	if len(numbers) != 3 || numbers[0] != "R1.2" || numbers[1] != "R9.99" || numbers[2] != "R1.1b" || lines[0] != 2 {
		t.Errorf("%v %v", lines, numbers)
	}
}
