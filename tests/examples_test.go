package tests

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// exampleMost is how many files an example of CONTRIBUTING.md may change by hand, besides tests and generated pages.
var exampleMost = map[string]int{"native": 3, "relevancy rule": 3, "property type": 4}

var exampleStep = regexp.MustCompile("(?ms)^`([^`\n]+)`, (new|(?:(after|before|in place of) the line `([^\n]+)`)):\n\n```[a-z]+\n(.*?)^```$")

// TestExamples performs the worked examples of CONTRIBUTING.md by the text itself: each is laid over the tree, the host is built, and
// the scenario of the example runs.
func TestExamples(t *testing.T) {
	t.Parallel() // beside the scenarios
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "\n## Worked examples\n")
	part, _, _ = strings.Cut(part, "\n## ")
	examples := strings.Split(part, "\n### A ")[1:] // no heading within a block begins like this
	if len(examples) != len(exampleMost) {
		t.Fatalf("CONTRIBUTING.md has %d worked examples, expected %d", len(examples), len(exampleMost))
	}
	for i, e := range examples {
		name, body, _ := strings.Cut(e, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, scenario := performExample(t, body)
			if most, known := exampleMost[name]; !known || len(files) > most {
				t.Errorf("the example changes %d files, expected at most %d", len(files), most)
			}
			if !tier.Drawn(i, len(examples)) {
				tier.Long(t) // builds the host and runs a scenario
			}
			runExample(t, files, scenario)
		})
	}
}

// performExample returns the changed files by their paths in the tree, and the scenario that tests them.
func performExample(t *testing.T, body string) (files map[string]string, scenario string) {
	t.Helper()
	files = map[string]string{}
	steps := exampleStep.FindAllStringSubmatch(body, -1)
	if fences := strings.Count(body, "\n```") / 2; len(steps) != fences {
		t.Fatalf("%d of %d blocks say where they belong: `FILE`, new: or `FILE`, after the line `LINE`:", len(steps), fences)
	}
	for _, s := range steps {
		path, how, where, line, block := s[1], s[2], s[3], s[4], s[5]
		if how == "new" {
			if _, err := os.Stat(filepath.Join("..", path)); err == nil {
				t.Errorf("%s is there already", path)
			}
			scenario = block
			continue
		}
		old, changed := files[path]
		if !changed {
			src, err := os.ReadFile(filepath.Join("..", path))
			if err != nil {
				t.Fatal(err)
			}
			old = string(src)
		}
		lines := strings.SplitAfter(old, "\n")
		at, found := 0, 0
		for i := range lines {
			if strings.TrimSpace(lines[i]) == line {
				at, found = i, found+1
			}
		}
		if found != 1 {
			t.Fatalf("%s has the line %q %d times, not once", path, line, found)
		}
		switch where {
		case "after":
			lines[at] += block
		case "before":
			lines[at] = block + lines[at]
		default:
			lines[at] = block
		}
		files[path] = strings.Join(lines, "")
	}
	for path, text := range files { // any order: each is judged by itself
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted with the example's blocks in it (%v)", path, err)
		}
	}
	if scenario == "" {
		t.Fatal("the example has no scenario")
	}
	return files, scenario
}

// runExample builds the host with the files in place of those of the tree, and runs the scenario.
func runExample(t *testing.T, files map[string]string, scenario string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace := map[string]string{}
	for path, text := range files {
		to := filepath.Join(dir, "tree", path)
		write(to, text)
		replace[filepath.Join(root, path)] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, host, lua := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "host.exe"), filepath.Join(dir, "example.lua")
	write(overlay, string(list))
	write(lua, scenario)
	for _, args := range [][]string{
		{"go", "build", "-overlay", overlay, "-o", host, "./cmd/host"},
		{host, "test", lua},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = root
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out.String())
		}
	}
}
