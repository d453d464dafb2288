package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/build"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// browserPackage is the package of the client, below the module's folder.
const browserPackage = "cmd/host/browser"

// keyBytes is the number of bytes of a SHA-256 that form a key, written in hex.
const keyBytes = 16

func isKey(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == keyBytes
}

// source hashes the client's sources.
type source struct {
	module string // folder
	path   string // of the module
	build  build.Context
	sum    hash.Hash
	seen   map[string]bool // folders of packages, below module
}

// sourceKey returns the key of the client that would be built now: a hash over the Go version, the flags,
// go.mod, go.sum, the folders with which go.mod replaces modules, and all files of the module that are compiled
// into the client. Test files and packages that the client does not import make no difference.
func sourceKey(module string) (string, error) {
	s := &source{module: module, build: build.Default, sum: sha256.New(), seen: map[string]bool{}}
	s.build.GOOS, s.build.GOARCH, s.build.CgoEnabled, s.build.BuildTags = "js", "wasm", false, nil
	s.write("go", []byte(goVersion()))
	s.write("flags", []byte(strings.Join(buildArguments("out"), "\x00")))
	// These variables of the operator change the compiler's output.
	for _, name := range []string{"GOWASM", "GOEXPERIMENT"} {
		s.write(name, []byte(os.Getenv(name)))
	}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("no checkout to build the client from: %w; start the host in a checkout, or use a released one", err)
	}
	s.write("go.mod", mod)
	if err := s.file("go.sum"); err != nil && !errors.Is(err, fs.ErrNotExist) { // a module without dependencies has no go.sum
		return "", unreadable(err)
	}
	var replaced []string
	s.path, replaced = parseModule(string(mod))
	if s.path == "" {
		return "", errors.New("go.mod has no module line; restore it")
	}
	for _, dir := range replaced {
		if err := s.folder(dir); err != nil {
			return "", unreadable(err)
		}
	}
	if err := s.pkg(browserPackage); err != nil {
		return "", unreadable(err)
	}
	return hex.EncodeToString(s.sum.Sum(nil)[:keyBytes]), nil
}

func unreadable(err error) error {
	return fmt.Errorf("reading the client's sources: %w; correct that and restart the host", err)
}

// write adds one item; its length separates it from the next.
func (s *source) write(name string, b []byte) {
	_, _ = fmt.Fprintf(s.sum, "%q %d\n", name, len(b)) // a hash has no errors
	_, _ = s.sum.Write(b)
}

// file adds a file, by its path below the module.
func (s *source) file(name string) error {
	b, err := os.ReadFile(s.at(name))
	if err == nil {
		s.write(name, b)
	}
	return err
}

// at returns the path of a file given below the module, or by an absolute path.
func (s *source) at(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.module, name)
}

// folder adds every file below a folder, or a single file.
func (s *source) folder(root string) error {
	return fs.WalkDir(os.DirFS(s.at(root)), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return s.file(path.Join(root, name))
	})
}

// pkg adds a package of the module and those of the module that it imports.
func (s *source) pkg(dir string) error {
	if s.seen[dir] {
		return nil
	}
	s.seen[dir] = true
	p, err := s.build.ImportDir(s.at(dir), 0)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles) {
		if err := s.file(path.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := s.embeds(dir, p.EmbedPatterns); err != nil {
		return err
	}
	for _, name := range p.Imports {
		rest, ok := strings.CutPrefix(name+"/", s.path+"/")
		if !ok {
			continue // of another module: go.mod and go.sum determine it
		}
		if err := s.pkg(path.Clean(rest)); err != nil {
			return err
		}
	}
	return nil
}

// embeds adds the files that a package embeds; all files of a folder, although go build uses fewer.
func (s *source) embeds(dir string, patterns []string) error {
	for _, pattern := range patterns {
		names, err := fs.Glob(os.DirFS(s.at(dir)), strings.TrimPrefix(pattern, "all:"))
		if err != nil {
			return err
		}
		for _, name := range names {
			name = path.Join(dir, name)
			st, err := os.Stat(s.at(name))
			switch {
			case err != nil:
			case st.IsDir():
				err = s.folder(name)
			default:
				err = s.file(name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// parseModule extracts from go.mod the module's path, and the folders that replace other modules.
func parseModule(mod string) (name string, replaced []string) {
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		for i, w := range words {
			words[i] = strings.Trim(w, "\"`")
		}
		if len(words) == 2 && words[0] == "module" {
			name = words[1]
		}
		arrow := slices.Index(words, "=>")
		if arrow < 0 || arrow+1 >= len(words) {
			continue
		}
		// A path that is not a folder has no dot or slash at its beginning
		// (go.dev/ref/mod#go-mod-file-replace).
		if to := words[arrow+1]; strings.HasPrefix(to, "./") || strings.HasPrefix(to, "../") || filepath.IsAbs(to) {
			replaced = append(replaced, to)
		}
	}
	return name, replaced
}
