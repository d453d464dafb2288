package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/tidelock/tidelock/"

// goPackage is what `go list -json` says of a package of the module.
type goPackage struct {
	ImportPath, Dir                             string
	GoFiles, TestGoFiles, XTestGoFiles          []string
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
	Imports, TestImports, XTestImports          []string
}

// tree knows which files of the checkout a package is made of.
type tree struct {
	root     string
	native   map[string]*goPackage // by import path
	browser  map[string]*goPackage
	closures map[string][]string
	sums     map[string]string // of files
}

func openTree() (*tree, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, closures: map[string][]string{}, sums: map[string]string{}}
	if t.native, err = list(); err != nil {
		return nil, err
	}
	t.browser, err = list("GOOS=js", "GOARCH=wasm")
	return t, err
}

func list(env ...string) (map[string]*goPackage, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]*goPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all[p.ImportPath] = p
	}
}

// program returns the files of a package and of those of the module that it imports, with what they embed.
func (t *tree) program(pkg string) []string { return t.closure(t.native, pkg, false) }

// client returns the same as compiled for browsers.
func (t *tree) client(pkg string) []string { return t.closure(t.browser, pkg, false) }

// tests returns the files of a package's tests and of all that these import.
func (t *tree) tests(pkg string) []string { return t.closure(t.native, pkg, true) }

func (t *tree) closure(all map[string]*goPackage, pkg string, tests bool) []string {
	key := fmt.Sprint(len(all), pkg, tests)
	if files, ok := t.closures[key]; ok {
		return files
	}
	var files []string
	seen := map[string]bool{}
	var visit func(path string, tests bool)
	visit = func(path string, tests bool) {
		p := all[path]
		if p == nil || seen[path] {
			return
		}
		seen[path] = true
		names, imports := slices.Concat(p.GoFiles, p.EmbedFiles), p.Imports
		if tests {
			names = slices.Concat(names, p.TestGoFiles, p.XTestGoFiles, p.TestEmbedFiles, p.XTestEmbedFiles)
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
			files = append(files, t.below(filepath.Join(p.Dir, "testdata"))...)
		}
		for _, name := range names {
			files = append(files, t.relative(filepath.Join(p.Dir, name)))
		}
		for _, imp := range imports {
			visit(imp, false)
		}
	}
	visit(module+pkg, tests)
	files = append(files, "go.mod", "go.sum")
	t.closures[key] = files
	return files
}

func (t *tree) relative(path string) string {
	if rel, err := filepath.Rel(t.root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// below returns all files below a folder; none where it is not there.
func (t *tree) below(dir string) []string {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.root, dir)
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // a folder that is not there has no files
		if err == nil && d.Type().IsRegular() {
			files = append(files, t.relative(path))
		}
		return nil
	})
	return files
}

// hash is the hash of files by their names and contents.
func (t *tree) hash(files []string) string {
	files = slices.Compact(slices.Sorted(slices.Values(files)))
	h := sha256.New()
	for _, name := range files {
		sum, ok := t.sums[name]
		if !ok {
			b, err := os.ReadFile(filepath.Join(t.root, name))
			sum = "absent"
			if err == nil {
				sum = fmt.Sprintf("%x", sha256.Sum256(b))
			}
			t.sums[name] = sum
		}
		_, _ = fmt.Fprintf(h, "%s %s\n", name, sum) // a hash has no errors
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// testFiles returns the files of a package's folder that declare one of the tests that a pattern of -run names, or all test files where
// there is none.
func (t *tree) testFiles(dir, run string) []string {
	all, _ := filepath.Glob(filepath.Join(t.root, dir, "*_test.go")) // the pattern is one
	first, _, _ := strings.Cut(run, "/")
	var named, every []string
	for _, f := range all {
		every = append(every, t.relative(f))
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, name := range strings.Split(strings.Trim(first, "'^$()"), "|") {
			if name != "" && bytes.Contains(b, []byte("\nfunc "+name)) {
				named = append(named, t.relative(f))
				break
			}
		}
	}
	if len(named) > 0 {
		return named
	}
	return every
}
