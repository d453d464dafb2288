package scenario

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/scenarios.md has a table of the keys of config; the rest of it is held to the code by scriptvm/scenario.
func TestDocumentedConfig(t *testing.T) {
	b, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## Keys of config\n")
	if !ok {
		t.Fatal("docs/scenarios.md has no chapter of the keys of config")
	}
	text, _, _ = strings.Cut(text, "\n## ")
	known := configKeys()
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(text, -1) {
		documented[m[1]] = true
		if known[m[1]] == nil {
			t.Errorf("docs/scenarios.md has the key %s, which there is not", m[1])
		}
	}
	for k := range known {
		if !documented[k] {
			t.Errorf("docs/scenarios.md does not have the key %s", k)
		}
	}
}
