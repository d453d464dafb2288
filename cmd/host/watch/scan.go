package watch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// maxFile is how much of a file is read, in bytes. Longer ones are cut; the loader rejects much smaller
	// ones.
	maxFile = 1 << 20
	// racy is how long after its last change a file's size and time are not trusted to detect a later version:
	// clocks of file systems are coarse, up to 2 s.
	racy = 3 * time.Second
	// maxReported bounds the error texts remembered as reported; when there are more, all are forgotten.
	maxReported = 100
)

// tree is the result of a scan: folder → path below it → file.
type tree map[string]map[string]file

// file is one file as it was read.
type file struct {
	text string
	size int64
	mod  time.Time
	read time.Time
}

// same reports whether nothing was written between two scans of a file. A file that was written again counts as
// different even if its text is the same: saving requests a reload (G3).
func (f file) same(o file) bool { return f.text == o.text && f.mod.Equal(o.mod) }

// equal reports whether nothing was written between two scans of the folders.
func (t tree) equal(o tree) bool {
	if len(t) != len(o) {
		return false
	}
	for dir, files := range t {
		other, ok := o[dir]
		if !ok || len(files) != len(other) {
			return false
		}
		for name, f := range files {
			if g, ok := other[name]; !ok || !g.same(f) {
				return false
			}
		}
	}
	return true
}

// without returns t with every file that differs from prev, the previous scan, reset to its version in base:
// the stable files while others keep changing.
func (t tree) without(prev, base tree) tree {
	out := tree{}
	for dir, files := range t {
		calm := map[string]file{}
		for name, f := range files {
			if p, ok := prev[dir][name]; ok && p.same(f) {
				calm[name] = f
			} else if b, ok := base[dir][name]; ok {
				calm[name] = b
			}
		}
		for name := range prev[dir] {
			if _, ok := files[name]; ok {
				continue
			}
			if b, ok := base[dir][name]; ok {
				calm[name] = b // removed just now: it may reappear
			}
		}
		out[dir] = calm
	}
	return out
}

// scanner scans folders and updates the system's watches on them. It belongs to one goroutine.
type scanner struct {
	opt      Options
	events   *fsnotify.Watcher
	watched  map[string]os.FileInfo // folder → its state when the watch was set
	reported map[string]bool
}

func newScanner(opt Options) *scanner {
	return &scanner{opt: opt, watched: map[string]os.FileInfo{}, reported: map[string]bool{}}
}

func (s *scanner) report(err error) {
	if s.opt.OnError == nil || s.reported[err.Error()] {
		return
	}
	if len(s.reported) >= maxReported {
		clear(s.reported)
	}
	s.reported[err.Error()] = true
	s.opt.OnError(err)
}

// matters reports whether an event can be about a matching file or a folder that contains some.
func (s *scanner) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false // indexers and backups touch these all the time; polling finds files that became readable
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		if _, ok := s.watched[e.Name]; ok {
			delete(s.watched, e.Name)
			return true
		}
	}
	if s.opt.Match(filepath.Base(e.Name)) {
		return true
	}
	if !e.Has(fsnotify.Create) {
		return false
	}
	st, err := os.Lstat(e.Name)
	return err == nil && (st.IsDir() || st.Mode()&fs.ModeSymlink != 0) // a link: that is how mounted config maps change
}

// look reads the folders. A file in prev with the same size and time, long enough ago, is not read again unless
// it is in touched. A folder or file that cannot be read keeps its state of prev.
func (s *scanner) look(prev tree, touched map[string]bool) tree {
	out := tree{}
	for _, dir := range s.opt.Dirs {
		files := map[string]file{}
		if _, err := os.Stat(dir); err != nil {
			if len(prev[dir]) > 0 {
				s.report(err)
				files = prev[dir]
			}
			delete(s.watched, filepath.Clean(dir))
			out[dir] = files
			continue
		}
		s.walk(dir, "", prev[dir], touched, files)
		out[dir] = files
	}
	return out
}

func (s *scanner) walk(root, below string, prev map[string]file, touched map[string]bool, out map[string]file) {
	dir := filepath.Join(root, filepath.FromSlash(below))
	// The watch is set first: a file created after the listing then causes an event.
	s.watch(dir)
	list, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		s.report(err)
		for name, f := range prev {
			if below == "" || strings.HasPrefix(name, below+"/") {
				out[name] = f
			}
		}
		return
	}
	for _, e := range list {
		name := path.Join(below, e.Name())
		if e.IsDir() {
			if !strings.HasPrefix(e.Name(), ".") {
				s.walk(root, name, prev, touched, out)
			}
			continue
		}
		if !s.opt.Match(name) {
			continue
		}
		full := filepath.Join(dir, e.Name())
		old, had := prev[name]
		f, ok, err := s.read(full, old, had && !touched[full])
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.report(err)
			if had {
				out[name] = old
			}
		case ok:
			out[name] = f
		}
	}
}

// read returns a regular file's text; the old one if size and time are unchanged.
func (s *scanner) read(full string, old file, trust bool) (file, bool, error) {
	st, err := os.Stat(full)
	if err != nil || !st.Mode().IsRegular() {
		return file{}, false, err
	}
	if trust && st.Size() == old.size && st.ModTime().Equal(old.mod) && old.read.Sub(old.mod) > racy {
		return old, true, nil
	}
	f, err := os.Open(full)
	if err != nil {
		return file{}, false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return file{}, false, err
	}
	return file{text: string(b), size: st.Size(), mod: st.ModTime(), read: time.Now()}, true, nil
}

// watch sets the system's watch on a folder, again if another folder has taken its name.
func (s *scanner) watch(dir string) {
	if s.events == nil {
		return
	}
	st, err := os.Stat(dir)
	if err != nil {
		return
	}
	if had, ok := s.watched[dir]; ok {
		if os.SameFile(had, st) {
			return
		}
		_ = s.events.Remove(dir) // it may be gone already
	}
	if err := s.events.Add(dir); err != nil {
		s.report(err) // out of watches: this folder is polled
		return
	}
	s.watched[dir] = st
}
