// Package assets finds the scripts and the content that a host runs with: folders if they are given or exist,
// otherwise what is compiled into the binary.
//
// It owns the search order, the paths in messages, and the owner of each file. Scripts come in layers; a file
// of a later layer replaces the file with the same place in an earlier one:
//
//  1. the folder ./scripts (or the compiled-in scripts, if it does not exist, or has no
//     core/Actor.lua and so only adds to them), except the mods in it,
//  2. the mods: folders below a folder of scripts that have a mod.toml, folders scripts/mods/NAME, and folders given by
//     --scripts, each after those that it requires, and else by name (docs/mods.md).
//
// A given folder with a core/Actor.lua of its own and without a mod.toml is not a mod: it is complete, and
// replaces the layers before it. Content is searched in the mods, the last one first, then in the given folder,
// then in ./content, then in the binary.
//
// Invariant: nothing outside of a mod's folder is read for the mod, regardless of links in it.
//
// It deliberately does not: parse Lua, watch for changes (package watch), or keep files open.
//
//	a, err := assets.Open(assets.Options{})
//	scripts, err := a.Scripts(nil)
//
// Guarantees: A file of a later layer replaces the file at the same path of an earlier one, and knows its layer. A mod
// reads nothing outside its folder.
package assets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidelock/tidelock/cmd/host/mods"
	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/scripts"
)

// MaxScriptBytes is how much of a script file is read: more than the loader accepts, so that the loader rejects
// the file, with a message, at every size.
const MaxScriptBytes = 1 << 20

// Options say where to search.
type Options struct {
	// Root is the folder that contains ./scripts and ./content; "" is the current one.
	Root string
	// Scripts are folders given by name; each must exist.
	Scripts []string
	// Content is a folder given by name, which must exist then; "" for none.
	Content string
	// Off are the names of mods that are not used.
	Off []string
	// KeepGoing opens what can be used if there are broken mods: Problems lists them. Without it they are an
	// error.
	KeepGoing bool
}

// Assets are the scripts and content of a host. It stores paths, and the result of the last scan of the
// folders: Scripts scans again. Any goroutine may use it.
type Assets struct {
	layers  []Layer
	host    overlay  // content, without that of mods
	origins []string // folders of host

	mu   sync.Mutex // held during a scan; guards off and news
	off  []string
	news []News
	now  atomic.Pointer[view]
}

// Layer is one source of scripts.
type Layer struct {
	// Dir is the folder, "" for the compiled-in files.
	Dir string
	// Show is the prefix of paths in messages: "scripts".
	Show string
	fs   fs.FS
	// given is set if --scripts named it; mod if it is also not complete: then files in it that belong to no
	// mod below it form a mod, too.
	given, mod bool
}

// Script is one Lua file.
type Script struct {
	// Path is the file's path in messages: scripts/core/Pawn.lua.
	Path string
	// Place is its path in the script set, which determines its owner (classfile.TrustOf): core/Pawn.lua,
	// mods/hats/Hat.lua.
	Place string
	// Lib is the name a module is required by ("lib.geo"), "" for a class file.
	Lib  string
	Text string
	// File is where it was read, "" for one that is compiled in.
	File string
}

// Open finds scripts and content. A missing requested folder is an error, and so are broken mods.
func Open(o Options) (*Assets, error) {
	a := &Assets{off: o.Off}
	root := o.Root
	if root == "" {
		root = "."
	}
	if dir := filepath.Join(root, "scripts"); isDir(dir) {
		a.add(layerOf(dir, false))
	}
	for _, dir := range o.Scripts {
		if err := wantDir("scripts", dir); err != nil {
			return nil, err
		}
		a.add(layerOf(dir, true))
	}
	if len(a.layers) == 0 || !a.layers[0].whole() {
		a.layers = append([]Layer{{Show: "scripts", fs: scripts.FS}}, a.layers...)
	}

	if o.Content != "" {
		if err := wantDir("content", o.Content); err != nil {
			return nil, err
		}
		a.addContent(o.Content)
	}
	if dir := filepath.Join(root, "content"); isDir(dir) && !same(dir, o.Content) {
		a.addContent(dir)
	}
	a.host = append(a.host, source{content.FS, "content"})
	if _, err := a.Scripts(nil); err != nil {
		return nil, err
	}
	a.News() // this is the first scan
	if list := a.Problems(); len(list) > 0 && !o.KeepGoing {
		return nil, &ModsError{list}
	}
	return a, nil
}

func (a *Assets) addContent(dir string) {
	a.host = append(a.host, source{os.DirFS(dir), filepath.ToSlash(filepath.Clean(dir))})
	a.origins = append(a.origins, dir)
}

// add appends a layer; a complete one replaces those before it. A folder given twice counts once, and so does
// one inside another: --scripts scripts/hats.
func (a *Assets) add(l Layer) {
	for _, have := range a.layers {
		if same(have.Dir, l.Dir) || !l.whole() && lies(l.Dir, have.Dir) {
			return
		}
	}
	if l.whole() {
		a.layers = nil
	}
	a.layers = append(a.layers, l)
}

func layerOf(dir string, given bool) Layer {
	l := Layer{Dir: dir, Show: filepath.ToSlash(filepath.Clean(dir)), fs: os.DirFS(dir), given: given}
	l.mod = given && !l.whole()
	return l
}

// whole reports whether a folder contains the base classes itself, and is not a mod.
func (l *Layer) whole() bool {
	if _, err := fs.Stat(l.fs, mods.File); l.given && err == nil {
		return false
	}
	_, err := fs.Stat(l.fs, "core/Actor.lua")
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

// lies reports whether a folder is below another one.
func lies(dir, in string) bool {
	if in == "" {
		return false // compiled-in files
	}
	a, ea := filepath.EvalSymlinks(dir)
	b, eb := filepath.EvalSymlinks(in)
	if ea != nil || eb != nil {
		return false
	}
	if a, ea = filepath.Abs(a); ea != nil {
		return false
	}
	if b, eb = filepath.Abs(b); eb != nil {
		return false
	}
	rel, err := filepath.Rel(b, a)
	return err == nil && filepath.IsLocal(rel)
}

// MissingError is a folder that was requested and cannot be used.
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

// Unwrap returns the file system's error.
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

// Folders returns the script folders on disk, which are to be watched.
func (a *Assets) Folders() []string {
	var dirs []string
	for _, l := range a.layers {
		if l.Dir != "" {
			dirs = append(dirs, l.Dir)
		}
	}
	return dirs
}

// Origin describes briefly where scripts and content come from, without those of mods.
func (a *Assets) Origin() (scripts, content string) {
	names := make([]string, 0, len(a.layers))
	for _, l := range a.layers {
		if l.mod {
			continue
		}
		if l.Dir == "" {
			names = append(names, "built in")
		} else {
			names = append(names, l.Show)
		}
	}
	return strings.Join(names, " + "), strings.Join(append(a.origins[:len(a.origins):len(a.origins)], "built in"), " + ")
}

// Content returns the content, with paths such as levels/arena.map. It follows the scans of Scripts: the
// content of a mod is added and removed with it.
func (a *Assets) Content() fs.FS { return current{a} }

// current is the content by the last scan.
type current struct{ a *Assets }

// Open opens a file.
func (c current) Open(name string) (fs.File, error) { return c.a.now.Load().content.Open(name) }

// ReadDir lists a folder.
func (c current) ReadDir(name string) ([]fs.DirEntry, error) {
	return c.a.now.Load().content.ReadDir(name)
}

// Path returns the path of a content file in messages: content/levels/arena.map,
// scripts/hats/content/levels/attic.map.
func (c current) Path(name string) string { return c.a.now.Load().content.path(name) }

// libName returns the name by which lib/geo.lua is required, lib.geo; "" for class files.
func libName(name string) string {
	if !strings.HasPrefix(name, "lib/") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), "/", ".")
}

// IsScript reports whether a file name is that of a script, and not an editor's temporary or hidden file.
func IsScript(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".lua" && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "#") && base != ".lua"
}

// readFile reads a file of a folder of scripts, at most so many bytes.
func readFile(f fs.FS, name string, most int64) (text string, regular bool, err error) {
	st, err := fs.Stat(f, name)
	if err != nil || !st.Mode().IsRegular() {
		return "", false, err
	}
	file, err := f.Open(name)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(file, most))
	return string(b), true, err
}
