// Package tests has the tests that cross packages: imports, documents, scenarios, mutants.
//
// Guarantees: Not part of any program.
package tests

import (
	"fmt"
	godoc "go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	architecture = "../ARCHITECTURE.md"
	packagesFrom = "<!-- Written by `go test ./tests -run TestArchitecture -update` from the comments of the packages. -->\n"
	packagesTo   = "<!-- The end of what is written. -->\n"
	longestRow   = 320 // characters: about two lines
)

var (
	// tops is the order of the tables of ARCHITECTURE.md.
	tops = []string{"engine", "scriptvm", "netcode", "cmd", "scripts", "content", "tests"}
	// opening is what the first sentence of a package's comment begins with, and ruleRef a reference to numbered rules in it.
	opening = regexp.MustCompile(`^(?:Package|Command|Program) \w+ (?:is |are )?`)
	ruleRef = regexp.MustCompile(` \([A-Z]+[0-9][^)]*\)`)
	// docLink is a link to Go documentation, such as [World.Step].
	docLink = regexp.MustCompile(`\[([\w.]+)\]`)
)

// TestArchitecture compares the tables of packages in ARCHITECTURE.md with the packages' comments: the first sentence says what
// a package is, the paragraph that begins with "Guarantees: " what it guarantees. Every folder with Go files has one comment.
func TestArchitecture(t *testing.T) {
	tables := map[string]string{}
	comments := packageComments(t)
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		list := comments[dir]
		_, guarantee, ok := strings.Cut("\n"+strings.Join(list, ""), "\nGuarantees: ")
		if len(list) != 1 || !ok {
			t.Errorf("%s: %d package comments, or no paragraph \"Guarantees: …\" in it; write one comment that says what the package is and what it guarantees", dir, len(list))
			continue
		}
		guarantee, _, _ = strings.Cut(guarantee, "\n\n")
		is := docLink.ReplaceAllString(ruleRef.ReplaceAllString(opening.ReplaceAllString(new(godoc.Package).Synopsis(list[0]), ""), ""), "`$1`")
		row := fmt.Sprintf("| `%s` | %s%s | %s |\n", dir, strings.ToUpper(is[:1]), is[1:], strings.ReplaceAll(strings.TrimSpace(guarantee), "\n", " "))
		if len(row) > longestRow || strings.Count(row, "|") != 4 {
			t.Errorf("%s: its row has more than %d characters, or a bar; shorten the first sentence of its comment or its guarantees:\n%s", dir, longestRow, row)
		}
		top, _, _ := strings.Cut(dir, "/")
		tables[top] += row
	}
	var want strings.Builder
	for _, top := range tops {
		fmt.Fprintf(&want, "\n### %s\n\n| package | what it is or does | what it guarantees |\n|---|---|---|\n%s", top, tables[top])
		delete(tables, top)
	}
	if len(tables) > 0 {
		t.Errorf("tops of this test lacks %v; add these folders where their tables belong", slices.Sorted(maps.Keys(tables)))
	}
	want.WriteString("\n")

	page, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), packagesFrom)
	got, after, closed := strings.Cut(rest, packagesTo)
	if !ok || !closed {
		t.Fatalf("%s lacks the lines between which its tables are:\n%s%s", architecture, packagesFrom, packagesTo)
	}
	if got == want.String() {
		return
	}
	if *updateDocs {
		if err := os.WriteFile(architecture, []byte(before+packagesFrom+want.String()+packagesTo+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for line := range strings.Lines(want.String()) {
		if !strings.Contains(got, line) {
			t.Errorf("%s lacks:\n%s", architecture, line)
		}
	}
	t.Errorf("%s differs from the packages' comments; go test ./tests -run TestArchitecture -update writes it", architecture)
}

// packageComments returns the package comments of every folder of this module that has Go files. Folders that the go command
// ignores, and those of other modules (linters; stand-ins for modules that are compiled and not used), are left out.
func packageComments(t *testing.T) map[string][]string {
	found := map[string][]string{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != ".." {
			_, other := os.Stat(filepath.Join(file, "go.mod"))
			if other == nil || d.Name() == "testdata" || d.Name()[0] == '.' {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || path.Ext(file) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../")
		found[dir] = append(found[dir], "")[:len(found[dir])]
		if text := f.Doc.Text(); text != "" {
			found[dir] = append(found[dir], text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
