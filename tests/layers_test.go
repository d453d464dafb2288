package tests

import (
	"bytes"
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var layersTree = flag.String("layers-tree", "..", "root of the tree whose files TestLayers counts")

// upward is how many edges between files may point up, as reached; it may only fall. An
// edge is a file that uses what another file of its package defines. Of all orders of the files the one is taken that has the
// fewest edges against it, as far as a search by moves finds it; those edges point up.
var upward = map[string]int{"engine": 23, "scriptvm": 18, "netcode/server": 21}

// TestLayers: files of a package form layers.
func TestLayers(t *testing.T) {
	for _, dir := range []string{"engine", "scriptvm", "netcode/server"} {
		edges, up, order := layers(t, *layersTree, dir)
		t.Logf("%s: %d files, %d edges, %d of them up", dir, len(order), edges, up)
		if most, held := upward[dir]; held && *layersTree == ".." && up > most {
			t.Errorf("%s: %d edges point up, %d are held; the files from the bottom: %s", dir, up, most, strings.Join(order, " "))
		}
	}
}

// layers counts the edges between the files of a package and those of them that point up, and gives the files from the
// bottom.
func layers(t *testing.T, root, dir string) (edges, up int, order []string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	var names []string
	list, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files, names = append(files, f), append(names, strings.TrimSuffix(filepath.Base(path), ".go"))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", exports(t, root, dir))}
	pkg, err := config.Check("github.com/tidelock/tidelock/"+dir, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, f := range files {
		at[fset.Position(f.Package).Filename] = i
	}
	uses := make([][]bool, len(files)) // by using file and defining file
	for i := range uses {
		uses[i] = make([]bool, len(files))
	}
	for id, o := range info.Uses {
		if o.Pkg() != pkg {
			continue
		}
		if from, to := at[fset.Position(id.Pos()).Filename], at[fset.Position(o.Pos()).Filename]; from != to && !uses[from][to] {
			uses[from][to] = true
			edges++
		}
	}
	found := leastUpward(uses)
	for i, a := range found {
		order = append(order, names[a])
		for _, b := range found[i+1:] {
			if uses[a][b] {
				up++
			}
		}
	}
	return edges, up, order
}

// exports opens what the compiler exported of the packages that one imports.
func exports(t *testing.T, root, dir string) importer.Lookup {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./"+dir)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for _, line := range strings.Split(string(bytes.TrimSpace(out)), "\n") {
		path, file, _ := strings.Cut(line, " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// leastUpward orders files from the bottom so that few use what stands above them. It begins with those that use least, and then, since a
// search by moves stops where no single move helps, from some orders by chance, the same every time.
func leastUpward(uses [][]bool) []int {
	const starts = 20
	n := len(uses)
	order := make([]int, n)
	weight := make([]int, n) // used by less using
	for i := range n {
		order[i] = i
		for j := range n {
			if uses[i][j] {
				weight[i]--
				weight[j]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight[b] - weight[a] })
	upward := func(order []int) (up int) {
		for i, a := range order {
			for _, b := range order[i+1:] {
				if uses[a][b] {
					up++
				}
			}
		}
		return up
	}
	best := settle(uses, order)
	rng := rand.New(rand.NewPCG(1, 1))
	for range starts {
		order = slices.Clone(best)
		for range n / 4 { // some files elsewhere
			i, j := rng.IntN(n), rng.IntN(n)
			k := order[i]
			order = slices.Insert(slices.Delete(order, i, i+1), j, k)
		}
		if order = settle(uses, order); upward(order) < upward(best) {
			best = order
		}
	}
	return best
}

// settle puts each file, again and again, where it costs least, until none can be put better.
func settle(uses [][]bool, order []int) []int {
	n := len(uses)
	order = slices.Clone(order)
	for better := true; better; {
		better = false
		for k := range n {
			i := slices.Index(order, k)
			// cost of k at each place, against that at the bottom
			rest := slices.Delete(slices.Clone(order), i, i+1)
			best, least, cost := 0, 0, 0
			now := 0
			for p := 0; p <= len(rest); p++ {
				if p == i {
					now = cost
				}
				if cost < least {
					best, least = p, cost
				}
				if p < len(rest) { // k goes above rest[p]: what it uses of it points down now, what uses it points up
					if uses[k][rest[p]] {
						cost--
					}
					if uses[rest[p]][k] {
						cost++
					}
				}
			}
			if least < now {
				order = slices.Insert(rest, best, k)
				better = true
			}
		}
	}
	return order
}
