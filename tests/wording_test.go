package tests

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// phrase is a line of .ci/wording.txt: what is not written, and what to write instead.
type phrase struct {
	find    *regexp.Regexp
	instead string
}

// readPhrases parses .ci/wording.txt.
func readPhrases(text string) ([]phrase, error) {
	var out []phrase
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		find, instead, ok := strings.Cut(line, "\t")
		if !ok || instead == "" {
			return nil, fmt.Errorf("line %d: expected an expression, a tab and a replacement", i+1)
		}
		re, err := regexp.Compile(find)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, phrase{re, instead})
	}
	return out, nil
}

// passage is text for people, without line breaks: a paragraph of a document, or a comment.
type passage struct {
	text  string
	lines []int // for each word, its line in the file
}

// lineAt returns the line of the file on which the byte of the text is.
func (p passage) lineAt(at int) int {
	return p.lines[min(strings.Count(p.text[:at], " "), len(p.lines)-1)]
}

// passages collects passages word by word.
type passages struct {
	list  []passage
	words []string
	lines []int
}

func (p *passages) add(line int, text string) {
	for _, w := range strings.Fields(text) {
		p.words, p.lines = append(p.words, w), append(p.lines, line)
	}
}

// end closes the present passage, if it has any words.
func (p *passages) end() {
	if len(p.words) > 0 {
		p.list = append(p.list, passage{strings.Join(p.words, " "), p.lines})
		p.words, p.lines = nil, nil
	}
}

var inlineCode = regexp.MustCompile("`[^`]*`")

// markdownPassages returns the paragraphs, items and cells of a document, without its code.
func markdownPassages(text string) []passage {
	var p passages
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			p.end()
		case fenced || strings.HasPrefix(line, "    "):
		case trimmed == "" || strings.HasPrefix(trimmed, "<!--"):
			p.end()
		case strings.HasPrefix(trimmed, "|"):
			p.end()
			for _, cell := range strings.Split(inlineCode.ReplaceAllString(trimmed, "`x`"), "|") {
				p.add(i+1, cell)
				p.end()
			}
		default:
			if strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "* ") {
				p.end()
			}
			p.add(i+1, inlineCode.ReplaceAllString(trimmed, "`x`"))
		}
	}
	p.end()
	return p.list
}

// goPassages returns the comments of a Go file. Comments on lines that follow each other are one passage.
func goPassages(src []byte) []passage {
	var (
		p    passages
		s    scanner.Scanner
		fset = token.NewFileSet()
		file = fset.AddFile("", fset.Base(), len(src))
		last = -1
	)
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.COMMENT {
			continue
		}
		line := file.Line(pos)
		if line != last+1 {
			p.end()
		}
		for i, l := range strings.Split(lit, "\n") {
			l = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(l), "//"), "/*"), "*/")
			if strings.TrimSpace(l) == "" {
				p.end()
			}
			p.add(line+i, l)
			last = line + i
		}
	}
	p.end()
	return p.list
}

// luaPassages returns the comments of a Lua file, those to its lines' ends. A "--" in a string is taken for one, too.
func luaPassages(text string) []passage {
	var p passages
	for i, line := range strings.Split(text, "\n") {
		code, comment, found := strings.Cut(line, "--")
		switch {
		case !found:
			p.end()
		case strings.TrimSpace(code) != "":
			p.end()
			p.add(i+1, comment)
			p.end()
		default:
			p.add(i+1, comment)
		}
	}
	p.end()
	return p.list
}

// findPhrases returns "line: what; write what" for each phrase that a file's passages contain.
func findPhrases(phrases []phrase, list []passage) []string {
	var out []string
	for _, p := range list {
		for _, ph := range phrases {
			for _, m := range ph.find.FindAllStringIndex(p.text, -1) {
				out = append(out, fmt.Sprintf("%d: %q; write: %s", p.lineAt(m[0]), p.text[m[0]:m[1]], ph.instead))
			}
		}
	}
	return out
}

// generated documents quote names of scenarios; their source is checked instead.
var unworded = regexp.MustCompile(`(^|/)(conformance\.md|unused|vendor|testdata|node_modules)(/|$)`)

// TestWording reports phrases of .ci/wording.txt in documents and comments.
func TestWording(t *testing.T) {
	text, err := os.ReadFile("../.ci/wording.txt")
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := readPhrases(string(text))
	if err != nil {
		t.Fatalf(".ci/wording.txt: %v", err)
	}
	files := 0
	err = filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); unworded.MatchString(filepath.ToSlash(file)) || strings.HasPrefix(name, ".") && name != ".." {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		var read func([]byte) []passage
		switch filepath.Ext(file) {
		case ".md":
			read = func(b []byte) []passage { return markdownPassages(string(b)) }
		case ".go":
			read = goPassages
		case ".lua":
			read = func(b []byte) []passage { return luaPassages(string(b)) }
		default:
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files++
		for _, f := range findPhrases(phrases, read(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")))) {
			t.Errorf("%s:%s", strings.TrimPrefix(filepath.ToSlash(file), "../"), f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
}

func TestFindPhrases(t *testing.T) {
	phrases, err := readPhrases("# a comment\n\\bfor ever\\b\tforever\n(?:^|[.] )Who [a-z]+s\tA player who\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		list []passage
		want string
	}{
		{"markdown", markdownPassages("# T\n\nIt lasts for\never. `for ever`\n\n| for ever | x |\n```\nfor ever\n```\n"), "[3: \"for ever\"; write: forever 6: \"for ever\"; write: forever]"},
		{"go", goPassages([]byte("package x\n\n// F runs\n// for ever.\nvar f = \"for ever\" // for ever\n")), "[4: \"for ever\"; write: forever 5: \"for ever\"; write: forever]"},
		{"go across lines", goPassages([]byte("package x\n\n// F runs for\n// ever. Who\n// runs is not.\n")), "[3: \"for ever\"; write: forever 4: \". Who runs\"; write: A player who]"},
		{"lua", luaPassages("-- runs for\n-- ever\nlocal x = 1 -- for ever\nlocal y = 2\n"), "[1: \"for ever\"; write: forever 3: \"for ever\"; write: forever]"},
	} {
		if got := fmt.Sprint(findPhrases(phrases, c.list)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, bad := range []string{"no tab", "[\tx", "x\t"} {
		if _, err := readPhrases(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
