package tests

import (
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// dateParts are methods by which a test could go by the date or draw a seed from the clock. Deadlines and measured times use others.
var dateParts = map[string]bool{
	"Unix": true, "UnixNano": true, "UnixMilli": true, "UnixMicro": true, "YearDay": true, "Day": true, "Weekday": true, "Month": true, "Year": true, "Hour": true, "Minute": true, "Second": true, "Nanosecond": true, "ISOWeek": true,
}

// seeded are the functions of math/rand that take a seed, or none.
var seeded = map[string]bool{"New": true, "NewPCG": true, "NewChaCha8": true, "NewSource": true, "NewZipf": true, "Rand": true, "Source": true, "PCG": true, "Zipf": true}

// datesForOthers are uses of the clock that choose nothing, with why.
var datesForOthers = map[string]string{
	"cmd/host/nats/bus_test.go": "a token says when it was issued",
	"tests/report/cpu.go":       "processor time is noted with the time of the clock",
}

// TestNothingIsLeftToChance: what a test tries follows from the tree. No test goes by the date, draws from an unseeded source, or lets rapid choose
// its seed; no script of .ci does either. Package tests/tier gives seeds and draws.
func TestNothingIsLeftToChance(t *testing.T) {
	excused := map[string]bool{}
	for _, f := range goFiles(t, parser.SkipObjectResolution) {
		if !f.test && !strings.HasPrefix(f.path, "tests/") {
			continue
		}
		rand := ""
		for i, imp := range f.imports {
			if imp == "math/rand" || imp == "math/rand/v2" {
				rand = "rand"
				if name := f.file.Imports[i].Name; name != nil {
					rand = name.Name
				}
			}
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch x := sel.X.(type) {
			case *ast.Ident:
				switch {
				case x.Name == rand && !seeded[sel.Sel.Name]:
					t.Errorf("%s: %s.%s draws from an unseeded source; take one from tier.Rand", f.set.Position(n.Pos()), rand, sel.Sel.Name)
				case x.Name == "rapid" && sel.Sel.Name == "Check" && !strings.HasPrefix(f.path, "tests/tier/"):
					t.Errorf("%s: rapid.Check draws its seed from the clock; call tier.Check", f.set.Position(n.Pos()))
				}
			case *ast.CallExpr:
				if called, ok := x.Fun.(*ast.SelectorExpr); ok && dateParts[sel.Sel.Name] {
					if pkg, ok := called.X.(*ast.Ident); ok && pkg.Name+"."+called.Sel.Name == "time.Now" {
						if datesForOthers[f.path] == "" {
							t.Errorf("%s: time.Now().%s: what a test tries must not follow from the date", f.set.Position(n.Pos()), sel.Sel.Name)
						}
						excused[f.path] = true
					}
				}
			}
			return true
		})
	}
	for path, why := range datesForOthers {
		if !excused[path] {
			t.Errorf("%s is excused (%s) and uses no date", path, why)
		}
	}
	drawn := regexp.MustCompile(`\bdate\b|\bRANDOM\b|\bshuf\b|EPOCH`)
	for _, script := range []string{"run", "long", "release"} {
		b, err := os.ReadFile(filepath.Join("..", ".ci", script))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			if code, _, _ := strings.Cut(line, "#"); drawn.MatchString(code) {
				t.Errorf(".ci/%s:%s: %s: what runs must not follow from the date or from chance", script, strconv.Itoa(i+1), strings.TrimSpace(line))
			}
		}
	}
}
