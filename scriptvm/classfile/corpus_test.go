package classfile

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/tidelock/tidelock/tests/tier"
	"github.com/yuin/gopher-lua/ast"
)

// A corpus of Lua that is right: the scripts that come with the host, what scenarios give their peers, and what documents
// show. Whatever is reported of it is a false alarm, or listed in testdata/corpus.txt because it is wrong on purpose. A
// twelfth of the pieces of the scenarios is judged by plain `go test`, and all by .ci/run.

// piece is Lua of a file of another kind.
type piece struct {
	file string
	line int // where it begins, less one
	text string
}

// pieces are the strings of a scenario file that declare classes, or the Lua blocks of a document.
func pieces(t *testing.T, file string) (out []piece) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".md") {
		for _, m := range fence.FindAllSubmatchIndex(b, -1) {
			text := string(b[m[2]:m[3]])
			if !strings.Contains(text, "class(") { // a part of a function
				text = "local Part = class(\"Part\", \"ShooterPawn\") function Part:Do(other, pawn, pc, move, shot, options)" + text + "end"
			}
			out = append(out, piece{filepath.Base(file), strings.Count(string(b[:m[2]]), "\n"), text})
		}
		return out
	}
	chunk, err := syntax.Parse(file, string(b))
	if err != nil {
		t.Fatal(err)
	}
	chunk.Walk(syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
		if s, ok := e.(*ast.StringExpr); ok && strings.Contains(s.Value, "class(") {
			out = append(out, piece{filepath.Base(file), chunk.Pos(s).Line - 1, s.Value})
		}
		return true
	}})
	return out
}

var fence = regexp.MustCompile("(?ms)^```lua[^\n]*\n(.*?)^```")

// ofCalls are the rules by which calls, members and operators are judged.
var ofCalls = map[string]bool{
	"argument-type": true, "missing-argument": true, "extra-argument": true, "operation": true, "constant-comparison": true,
	"unknown-name": true, "unknown-key": true, "type-error": true, "read-only": true,
}

func TestCorpus(t *testing.T) {
	base := scripts(t)
	if _, diags := Load(base, Options{Check: true, Cache: NewCache(Natives())}); len(diags) > 0 {
		t.Error(text(diags))
	}
	var all []piece
	files := []string{"../../README.md"}
	for _, glob := range []string{"../../tests/scenarios/*.lua", "../../tests/scenarios/shared/*.lua", "../../docs/*.md"} {
		found, _ := filepath.Glob(glob)
		files = append(files, found...)
	}
	for _, f := range files {
		all = append(all, pieces(t, f)...)
	}
	cache, judged := NewCache(Natives()), 0
	said := map[string]bool{}
	whole := *update || tier.IsChange()
	for i, p := range all {
		if !whole && i%12 != 0 && strings.HasSuffix(p.file, ".lua") {
			continue
		}
		prog, diags := Load(append(base[:len(base):len(base)], Source{Path: p.file, Text: p.text, Multi: true, LineOffset: p.line}), Options{Cache: cache, Check: true})
		found := prog != nil
		for _, d := range diags {
			if d.Severity == engine.SevError && !ofCalls[d.Rule] {
				found = false
				break
			}
			if ofCalls[d.Rule] {
				found = true
			}
		}
		if !found {
			continue // a part of a script, or one that is refused on purpose
		}
		judged++
		for _, d := range diags {
			if ofCalls[d.Rule] && !strings.HasPrefix(d.Text, "class Part: unknown name self.") {
				said[d.Pos.File+": "+d.Text+" ["+d.Rule+"]"] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(said))
	got := strings.Join(list, "\n") + "\n"
	t.Logf("%d pieces, %d judged", len(all), judged)
	const golden = "testdata/corpus.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || whole && got != string(want) {
		t.Errorf("%v\n%s", err, changed(got, string(want)))
	}
	for _, line := range list {
		if !strings.Contains(string(want), line+"\n") {
			t.Errorf("reported, and not wrong on purpose (testdata/corpus.txt): %s", line)
		}
	}
	if judged < 20 {
		t.Errorf("%d pieces were judged", judged)
	}
}
