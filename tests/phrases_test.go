package tests

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updatePhrases = flag.Bool("phrases-update", false, "add what is new to testdata/phrases.txt; nothing is ever taken off by that")

const phrasesFile = "testdata/phrases.txt"

// TestPhrases holds the codes and the phrases of messages that people's scenarios match, which are a promise as names are:
// testdata/phrases.txt lists them, and each must still be in a string of the Go source. Codes are those of refusals, of the
// ends of connections and of t:why. Phrases are taken from what this tree's own scenarios expect of messages.
func TestPhrases(t *testing.T) {
	codes, texts := messagesOf(t)
	said := strings.Join(texts, "\x00")
	data, err := os.ReadFile(phrasesFile)
	if err != nil && !*updatePhrases {
		t.Fatal(err)
	}
	var listed []string
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		listed = append(listed, line)
		kind, text, _ := strings.Cut(line, " ")
		switch {
		case kind == "code" && !codes[text]:
			t.Errorf("no refusal, end of a connection or answer of t:why has the code %q any more: scenarios compare with it", text)
		case kind == "phrase" && !strings.Contains(said, text):
			t.Errorf("no message says %q any more: scenarios match it", text)
		case kind != "code" && kind != "phrase":
			t.Errorf("%s: expected \"code …\" or \"phrase …\", got %q", phrasesFile, line)
		}
	}
	var fresh []string
	for code := range codes { // any order: sorted below
		fresh = append(fresh, "code "+code)
	}
	for _, piece := range expectedPieces(t) {
		if strings.Contains(said, piece) {
			fresh = append(fresh, "phrase "+piece)
		}
	}
	fresh = slices.DeleteFunc(fresh, func(s string) bool { return slices.Contains(listed, s) })
	if len(fresh) == 0 {
		return
	}
	if !*updatePhrases {
		slices.Sort(fresh)
		t.Fatalf("not in %s (go test ./tests -run TestPhrases -phrases-update):\n%s", phrasesFile, strings.Join(slices.Compact(fresh), "\n"))
	}
	listed = append(listed, fresh...)
	slices.Sort(listed)
	out := "# Codes and pieces of messages that scenarios compare with (phrases_test.go). They stay.\n" +
		strings.Join(slices.Compact(listed), "\n") + "\n"
	if err := os.WriteFile(phrasesFile, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// messagesOf are the codes that the Go source gives and the text of all its strings, tests excepted. A verb of fmt ends a
// text, as what it stands for is in no string.
func messagesOf(t *testing.T) (codes map[string]bool, texts []string) {
	codes = map[string]bool{}
	verb := regexp.MustCompile(`%[-+# 0]*\d*(\.\d+)?[a-zA-Z]`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../tests") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, ok := unquoted(n); ok {
					texts = append(texts, verb.Split(s, -1)...)
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Code" {
					if s, ok := unquoted(n.Value); ok {
						codes[s] = true
					}
				}
			case *ast.CompositeLit: // Refusal{"full", "…"}
				if named, ok := n.Type.(*ast.SelectorExpr); ok && named.Sel.Name == "Refusal" && len(n.Elts) > 0 {
					if s, ok := unquoted(n.Elts[0]); ok {
						codes[s] = true
					}
				}
			case *ast.CallExpr: // c.Kick("offences", "…")
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Kick" || f.Sel.Name == "abort") && len(n.Args) == 2 {
					if s, ok := unquoted(n.Args[0]); ok {
						codes[s] = true
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if strings.HasPrefix(id.Name, "Why") && i < len(n.Values) {
						if s, ok := unquoted(n.Values[i]); ok {
							codes[s] = true
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes, texts
}

func unquoted(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

var (
	// expectation is a pattern that a scenario holds a message against.
	expectation = regexp.MustCompile(`(?:expect_error\(|:error\(.*,\s*|:match\(.*,\s*|:find\()("(?:[^"\\]|\\.)*")`)
	// magic is what no message says as it stands in a pattern.
	magic = regexp.MustCompile(`%[a-zA-Z]|[*?^$]|[.][*+-]?|\[[^]]*\][*+-]?|[()]|\d+|"[^"]*"`)
)

// expectedPieces are the literal parts, of two words at least, of the patterns in this tree's scenarios.
func expectedPieces(t *testing.T) (pieces []string) {
	files, err := filepath.Glob("scenarios/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range expectation.FindAllStringSubmatch(string(src), -1) {
			text, err := strconv.Unquote(m[1])
			if err != nil { // an escape of Lua's own: a pattern of bytes, not of words
				continue
			}
			for _, piece := range magic.Split(text, -1) {
				piece = strings.Trim(strings.ReplaceAll(piece, "%", ""), " ,:;\"")
				if strings.Contains(piece, " ") && len(piece) >= 8 {
					pieces = append(pieces, piece)
				}
			}
		}
	}
	return pieces
}
