// Package assets finds the scripts and the content that a host runs with: folders where they are given
// or there, and what is compiled into the binary otherwise.
//
// It owns the order in which they are looked at and the paths that messages show. Scripts come in layers;
// a file of a later layer replaces the file of the same place in an earlier one:
//
//  1. the folder ./scripts (or what is compiled in, where there is none, or where it has no
//     core/Actor.lua and so only adds to it),
//  2. every folder given by --scripts, in order.
//
// A given folder that has a core/Actor.lua of its own is whole and replaces what is before it. Content is
// looked up in the given folder, then in ./content, then in the binary.
//
// It deliberately does not: parse Lua, watch for changes (package watch), or keep files open.
//
//	a, err := assets.Open(assets.Options{})
//	scripts, err := a.Scripts(nil)
package assets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/scripts"
)

// MaxScriptBytes is how much of a script file is read: more than the loader takes, so that it is the
// loader who refuses the file, with a message, whatever its size.
const MaxScriptBytes = 1 << 20

// Options says where to look.
type Options struct {
	// Root is the folder in which ./scripts and ./content are looked for; "" is the current one.
	Root string
	// Scripts are folders given by name; each must exist.
	Scripts []string
	// Content is a folder given by name, which must exist then; "" for none.
	Content string
}

// Assets is what a host runs with. It holds paths only: every call reads anew.
type Assets struct {
	layers  []Layer
	content overlay
	origins []string // folders of content
}

// Layer is one source of scripts.
type Layer struct {
	// Dir is the folder, "" for what is compiled in.
	Dir string
	// Show is put before a file's place in messages: "scripts".
	Show string
	fs   fs.FS
}

// Script is one Lua file.
type Script struct {
	// Path is the file as messages show it: scripts/core/Pawn.lua.
	Path string
	// Lib is the name a module is required by ("lib.geo"), "" for a class file.
	Lib  string
	Text string
}

// Open looks where scripts and content are. A folder that was asked for and is not there is an error.
func Open(o Options) (*Assets, error) {
	a := &Assets{}
	root := o.Root
	if root == "" {
		root = "."
	}
	if dir := filepath.Join(root, "scripts"); isDir(dir) {
		a.add(layerOf(dir))
	}
	for _, dir := range o.Scripts {
		if err := wantDir("scripts", dir); err != nil {
			return nil, err
		}
		a.add(layerOf(dir))
	}
	if len(a.layers) == 0 || !whole(a.layers[0].fs) {
		a.layers = append([]Layer{{Show: "scripts", fs: scripts.FS}}, a.layers...)
	}

	if o.Content != "" {
		if err := wantDir("content", o.Content); err != nil {
			return nil, err
		}
		a.content = append(a.content, os.DirFS(o.Content))
		a.origins = append(a.origins, o.Content)
	}
	if dir := filepath.Join(root, "content"); isDir(dir) && !same(dir, o.Content) {
		a.content = append(a.content, os.DirFS(dir))
		a.origins = append(a.origins, dir)
	}
	a.content = append(a.content, content.FS)
	return a, nil
}

// add puts a layer last; a whole one replaces those before it. A folder given twice counts once.
func (a *Assets) add(l Layer) {
	for _, have := range a.layers {
		if same(have.Dir, l.Dir) {
			return
		}
	}
	if whole(l.fs) {
		a.layers = nil
	}
	a.layers = append(a.layers, l)
}

func layerOf(dir string) Layer {
	return Layer{Dir: dir, Show: filepath.ToSlash(filepath.Clean(dir)), fs: os.DirFS(dir)}
}

// whole reports whether a folder brings the base classes itself.
func whole(f fs.FS) bool {
	_, err := fs.Stat(f, "core/Actor.lua")
	return err == nil
}

func isDir(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir()
}

func same(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	sa, ea := os.Stat(a)
	sb, eb := os.Stat(b)
	return ea == nil && eb == nil && os.SameFile(sa, sb)
}

// MissingError is a folder that was asked for and cannot be used.
type MissingError struct {
	What string // scripts or content
	Dir  string
	Err  error
}

func (e *MissingError) Error() string {
	why := "is not a folder"
	if e.Err != nil {
		var pe *fs.PathError
		if errors.As(e.Err, &pe) {
			why = pe.Err.Error()
		} else {
			why = e.Err.Error()
		}
	}
	return fmt.Sprintf("%s folder %q: %s; give a folder that exists", e.What, e.Dir, why)
}

// Unwrap is what the file system said.
func (e *MissingError) Unwrap() error { return e.Err }

func wantDir(what, dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return &MissingError{what, dir, err}
	}
	if !st.IsDir() {
		return &MissingError{what, dir, nil}
	}
	return nil
}

// Folders are the script folders on disk: what there is to watch.
func (a *Assets) Folders() []string {
	var dirs []string
	for _, l := range a.layers {
		if l.Dir != "" {
			dirs = append(dirs, l.Dir)
		}
	}
	return dirs
}

// Origin says in a few words where scripts and content come from.
func (a *Assets) Origin() (scripts, content string) {
	names := make([]string, 0, len(a.layers))
	for _, l := range a.layers {
		if l.Dir == "" {
			names = append(names, "built in")
		} else {
			names = append(names, l.Show)
		}
	}
	return strings.Join(names, " + "), strings.Join(append(a.origins[:len(a.origins):len(a.origins)], "built in"), " + ")
}

// Content is the content to look files up in: levels/arena.map.
func (a *Assets) Content() fs.FS { return a.content }

// Scripts reads all scripts, sorted by path. Folders that snapshot has are not read from disk: their files
// are what it says (path below the folder → text), which is how a set that package watch found stable is
// loaded as it was.
func (a *Assets) Scripts(snapshot map[string]map[string]string) ([]Script, error) {
	files := map[string]Script{}
	for _, l := range a.layers {
		texts, ok := snapshot[l.Dir]
		if !ok || l.Dir == "" {
			var err error
			if texts, err = readAll(l.fs); err != nil {
				return nil, fmt.Errorf("%s: %w", l.Show, err)
			}
		}
		for name, text := range texts {
			files[name] = Script{Path: path.Join(l.Show, name), Lib: libName(name), Text: text}
		}
	}
	out := make([]Script, 0, len(files))
	for _, f := range files {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// libName is the name by which lib/geo.lua is required, lib.geo; "" for class files.
func libName(name string) string {
	if !strings.HasPrefix(name, "lib/") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), "/", ".")
}

// IsScript reports whether a file name is one of a script, and not an editor's temporary or hidden file.
func IsScript(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".lua" && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "#") && base != ".lua"
}

// readAll reads the scripts of a folder and its sub-folders; hidden folders are left out. Files may be links
// (as in mounted config maps); links to folders are not followed, so that a loop ends.
func readAll(f fs.FS) (map[string]string, error) {
	texts := map[string]string{}
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since the folder was listed
			}
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !IsScript(name) {
			return nil
		}
		text, regular, err := readScript(f, name)
		if err == nil && regular {
			texts[name] = text
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return texts, err
}

func readScript(f fs.FS, name string) (text string, regular bool, err error) {
	st, err := fs.Stat(f, name)
	if err != nil || !st.Mode().IsRegular() {
		return "", false, err
	}
	file, err := f.Open(name)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(file, MaxScriptBytes))
	return string(b), true, err
}

// overlay is file systems one upon the other: the first that has a file gives it; folders are merged.
type overlay []fs.FS

// Open opens a file from the first layer that has it.
func (o overlay) Open(name string) (fs.File, error) {
	var first error
	for _, f := range o {
		file, err := f.Open(name)
		if err == nil {
			return file, nil
		}
		if first == nil || errors.Is(first, fs.ErrNotExist) {
			first = err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break // there, but not readable: say so instead of showing an older one
		}
	}
	return nil, first
}

// ReadDir lists a folder over all layers, sorted, each name once.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	seen := map[string]bool{}
	var out []fs.DirEntry
	var first error
	found := false
	for _, f := range o {
		list, err := fs.ReadDir(f, name)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		found = true
		for _, e := range list {
			if !seen[e.Name()] {
				seen[e.Name()] = true
				out = append(out, e)
			}
		}
	}
	if !found {
		return nil, first
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out, nil
}
