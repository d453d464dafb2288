package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// orderMark begins the comment that says why the order of a loop over a map cannot be seen from outside.
const orderMark = "// any order: "

// TestMapOrder: Go visits a map in another order each time. Below cmd/host, where the same seed gives the same run, every loop
// over one has a comment that says why its order reaches no behaviour, byte, log line or error; others are over sorted keys.
func TestMapOrder(t *testing.T) {
	loops, bad := mapLoops(t, "./engine/...", "./scriptvm/...", "./netcode/...")
	for _, at := range bad {
		t.Errorf("%s: a loop over a map: sort what it visits, or say on the line or the one above why its order does not matter: %q", at, orderMark+"…")
	}
	if loops < 20 {
		t.Errorf("only %d loops over maps were found: the search is broken", loops)
	}
	t.Logf("%d loops over maps", loops)
}

// mapLoops gives how many loops over maps packages have outside their tests, and the places of those without a mark.
func mapLoops(t *testing.T, patterns ...string) (loops int, bad []string) {
	t.Helper()
	exports := map[string]string{}
	type pack struct{ path, dir, files string }
	var packs []pack
	args, broken := []string{"list"}, overlay(t)
	if broken != nil {
		args = append(args, "-overlay", os.Getenv(overlayVariable))
	}
	cmd := exec.Command("go", append(append(args, "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.DepOnly}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"), patterns...)...)
	cmd.Dir = ".."
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			t.Fatalf("go list: %q", line)
		}
		exports[f[0]] = f[1]
		if f[2] == "false" {
			packs = append(packs, pack{f[0], f[3], f[4]})
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packs {
		var files []*ast.File
		marks := map[string]bool{} // file:line
		for _, name := range strings.Fields(p.files) {
			path := filepath.Join(p.dir, name)
			var src any
			if b := broken[path]; b != "" {
				text, err := os.ReadFile(b)
				if err != nil {
					t.Fatal(err)
				}
				src = text
			}
			f, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			for _, g := range f.Comments {
				for _, c := range g.List {
					if at := fset.Position(c.Pos()); strings.HasPrefix(c.Text, orderMark) && len(c.Text) > len(orderMark)+8 {
						marks[fmt.Sprintf("%s:%d", at.Filename, at.Line)] = true
						marks[fmt.Sprintf("%s:%d", at.Filename, fset.Position(g.End()).Line+1)] = true
					}
				}
			}
		}
		info := types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		if _, err := (&types.Config{Importer: imports}).Check(p.path, fset, files, &info); err != nil {
			t.Fatal(err)
		}
		see := func(n ast.Node) {
			loops++
			at := fset.Position(n.Pos())
			if !marks[fmt.Sprintf("%s:%d", at.Filename, at.Line)] {
				rel, err := filepath.Rel(root, at.Filename)
				if err != nil {
					t.Fatal(err)
				}
				bad = append(bad, fmt.Sprintf("%s:%d:%d", filepath.ToSlash(rel), at.Line, at.Column))
			}
		}
		for _, f := range files {
			sorted := map[ast.Node]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.RangeStmt:
					if tv, ok := info.Types[n.X]; ok && isMap(tv.Type) {
						see(n)
					}
				case *ast.CallExpr:
					switch name := calledName(&info, n); name {
					case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
						sorted[n.Args[0]] = true
					case "maps.Keys", "maps.Values", "maps.All", "maps.DeleteFunc":
						if !sorted[n] {
							see(n)
						}
					case "(*github.com/yuin/gopher-lua.LTable).ForEach": // Next goes by the order of insertion
						see(n)
					}
				}
				return true
			})
		}
	}
	return loops, bad
}

func isMap(t types.Type) bool {
	if p, ok := t.(*types.TypeParam); ok {
		t = p.Constraint().Underlying()
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// calledName is package.Function of a call of a package's function, (type).Method of one of a method, else "".
func calledName(info *types.Info, call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if m := info.Selections[sel]; m != nil {
		if f, ok := m.Obj().(*types.Func); ok {
			return f.FullName()
		}
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if p, ok := info.Uses[id].(*types.PkgName); ok {
		return p.Imported().Path() + "." + sel.Sel.Name
	}
	return ""
}
