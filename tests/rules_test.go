package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rulesPage is where the rules stand, from here.
const rulesPage = "../docs/rules.md"

var (
	ruleChapter = regexp.MustCompile(`^## ([RW]\d+) `)
	ruleHeading = regexp.MustCompile(`^### (.*)$`)
	ruleNumber  = regexp.MustCompile(`^(?:R(\d+)\.(\d+)([a-z]?)|W(\d+)\.(\d+)|G(\d+))$`)
	ruleTitle   = regexp.MustCompile(`^\*\*([^*]+)\.\*\* `)
	ruleNamed   = regexp.MustCompile(`\b(?:R\d+\.\d+[a-z]?|W\d+(?:\.\d+)?|G\d+)\b`)
)

// rule is one of docs/rules.md: a heading that is its number, and a title in bold that begins its text. R is replication, W the
// browser and G the guard; G has no chapters.
type rule struct{ number, title string }

// readRules returns the rules and the chapters (R5, W2) in the order of the page, and what is wrong with its form.
func readRules(page string) (rules []rule, chapters, wrong []string) {
	known := map[string]bool{}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		if m := ruleChapter.FindStringSubmatch(line); m != nil {
			chapters = append(chapters, m[1])
		}
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
	return rules, chapters, wrong
}

// unknownRules returns the numbers that a text names and no rule has, with their lines.
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

// theRules returns the rules and chapters of docs/rules.md.
func theRules(t *testing.T) (rules []rule, chapters []string) {
	t.Helper()
	page, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	rules, chapters, wrong := readRules(string(page))
	for _, w := range wrong {
		t.Errorf("docs/rules.md: %s", w)
	}
	return rules, chapters
}

// exampleRule is the rule that a worked example of CONTRIBUTING.md adds (TestExamples).
const exampleRule = "R3.13"

// TestRules checks that every number of a rule or chapter in the sources has an entry in docs/rules.md.
func TestRules(t *testing.T) {
	known, families := map[string]bool{}, map[byte]int{}
	rules, chapters := theRules(t)
	for _, r := range rules {
		known[r.number] = true
		families[r.number[0]]++
	}
	for _, c := range chapters {
		known[c] = true
	}
	if families['R'] < 100 || families['W'] < 20 || families['G'] < 19 {
		t.Fatalf("docs/rules.md has %d rules of R, %d of W and %d of G", families['R'], families['W'], families['G'])
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
			if n == exampleRule && filepath.Base(file) == "CONTRIBUTING.md" {
				continue
			}
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
	rules, chapters, wrong := readRules(good)
	if len(wrong) != 0 || len(rules) != 2 || rules[0] != (rule{"R1.1", "Actors and more"}) || rules[1] != (rule{"R1.10a", "The loop"}) ||
		len(chapters) != 1 || chapters[0] != "R1" {
		t.Errorf("%v %v %v", rules, chapters, wrong)
	}
	const others = "## W1 Page\n### W1.2\n**No calls.** x\n## W2 More\n### W2.1\n**Pipes.** x\n## G Blame\n### G2\n**Two.** x\n### G10\n**Ten.** x\n"
	if rules, chapters, wrong := readRules(good + others); len(wrong) != 0 || len(rules) != 6 || rules[5] != (rule{"G10", "Ten"}) || len(chapters) != 3 {
		t.Errorf("%v %v %v", rules, chapters, wrong)
	}
	for _, bad := range []string{
		good + "### R1.11 Title\n**T.** x\n",
		good + "### R1.11\nno title\n",
		good + "### R1.10a\n**Twice.** x\n",
		good + "### R1.2\n**Late.** x\n",
		good + others + "### G9\n**Late.** x\n",
		good + others + "### W2.2\n**Behind another family.** x\n",
		good + "### W2\n**A chapter is no rule.** x\n",
		good + "### G1.1\n**G has no chapters.** x\n",
	} {
		if _, _, wrong := readRules(bad); len(wrong) != 1 {
			t.Errorf("%q: %v", bad[len(good):], wrong)
		}
	}
	lines, numbers := unknownRules("see R1.1\n(R1.2, R1.10a) R9.99 or R1.1b, not PR1.7\nW1, W2, W1.2, W2.9, G1, G20\n",
		map[string]bool{"W1": true, "R1.1": true, "R1.10a": true, "W1.2": true, "G1": true})
	if want := "[R1.2 R9.99 R1.1b W2 W2.9 G20] [2 2 2 3 3 3]"; fmt.Sprint(numbers, lines) != want {
		t.Errorf("%v %v, want %s", numbers, lines, want)
	}
}
