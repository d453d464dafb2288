package tests

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var sizeTree = flag.String("size-tree", "..", "root of the tree that TestSize counts")

// mostLines is how long a Go file may be, tests and generated files excepted.
const mostLines = 600

// longer are files that are longer than that still; none may be added.
var longer = map[string]bool{}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestSize counts the tokens and exported identifiers of the Go source, without tests and generated files, and holds the
// length of files.
func TestSize(t *testing.T) {
	var tokens, exported int
	long := map[string]bool{}
	err := filepath.WalkDir(*sizeTree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != *sizeTree && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || generated.Match(src) {
			return err
		}
		fset := token.NewFileSet()
		var s scanner.Scanner
		s.Init(fset.AddFile(path, -1, len(src)), src, nil, 0)
		for _, tok, lit := s.Scan(); tok != token.EOF; _, tok, lit = s.Scan() {
			if tok != token.SEMICOLON || lit == ";" { // one that stands there
				tokens++
			}
		}
		f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		exported += exportedIn(f)
		if n := strings.Count(string(src), "\n"); n > mostLines {
			name, err := filepath.Rel(*sizeTree, path)
			if err != nil {
				return err
			}
			if long[filepath.ToSlash(name)] = true; *sizeTree == ".." && !longer[filepath.ToSlash(name)] {
				t.Errorf("%s has %d lines, at most %d: divide it by what it is about", name, n, mostLines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range longer { // any order
		if *sizeTree == ".." && !long[name] {
			t.Errorf("%s is not longer than %d lines any more: take it off the list", name, mostLines)
		}
	}
	t.Logf("%d tokens, %d exported identifiers, %d files of more than %d lines", tokens, exported, len(long), mostLines)
}

// exportedIn counts the exported identifiers that a file declares: at the top, of methods, fields and interfaces.
func exportedIn(f *ast.File) (n int) {
	count := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			count(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						count(id)
					}
				case *ast.TypeSpec:
					count(spec.Name)
					ast.Inspect(spec.Type, func(x ast.Node) bool {
						if field, ok := x.(*ast.Field); ok {
							for _, id := range field.Names {
								count(id)
							}
						}
						return true
					})
				}
			}
		}
	}
	return n
}
