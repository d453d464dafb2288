package assets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxContentBytes bounds a file of a mod's content: twice the largest file that a page may show
// (media.MaxArtBytes). A mod must not make a host read huge files into memory.
const maxContentBytes = 32 << 20

// source is a folder of content.
type source struct {
	fs.FS
	show string // prefix in messages
}

// overlay is a list of content folders: the first that has a file provides it; folders are merged.
type overlay []source

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
			break // it exists but cannot be read: report that instead of using an older one
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

// path returns a file's path in messages, by the layer that provides it. Files of the host's own folders are
// content/…, wherever those are.
func (o overlay) path(name string) string {
	for _, f := range o {
		if _, err := fs.Stat(f, name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			if _, ok := f.FS.(contained); ok {
				return path.Join(f.show, name)
			}
			break
		}
	}
	return path.Join("content", name)
}

// contained is a folder that no link leaves, or a folder in it. It keeps no file open, because the folder may
// be replaced.
type contained struct {
	dir string
	sub string // in dir, "" for dir itself
}

// Open opens a regular file or a folder. Links are followed if they stay within dir.
func (c contained) Open(name string) (fs.File, error) {
	file, err := c.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: printable(path.Join(filepath.ToSlash(c.dir), c.sub, name)), Err: reason(err)}
	}
	return file, nil
}

func (c contained) open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if odd(name) {
		return nil, errOdd
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the opened file stays open
	if c.sub != "" {
		if _, err := root.Stat(c.sub); err != nil {
			return nil, fs.ErrNotExist // perhaps a link out of the mod: the host's content must not fail because of it
		}
	}
	full := path.Join(c.sub, name)
	st, err := root.Stat(full) // before opening: a pipe would wait for a writer
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() && !st.IsDir():
		return nil, errors.New("neither a file nor a folder")
	case st.Mode().IsRegular() && st.Size() > maxContentBytes:
		return nil, fmt.Errorf("%d bytes; a file of a mod has at most %d", st.Size(), maxContentBytes)
	}
	return root.FS().Open(full)
}

// check reports why an existing file of the folder cannot be read: mostly a link that leaves it.
func (c contained) check(name string) error {
	file, err := c.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// errOdd is a name that would break the lines of a log or of a terminal.
var errOdd = errors.New("a name with control characters; rename it")

// odd reports whether a path has characters that a line must not contain.
func odd(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// printable returns a path for messages.
func printable(name string) string {
	if odd(name) {
		return strconv.Quote(name)
	}
	return name
}

// errOut is a link that leads out of its mod.
var errOut = errors.New("a link that leads out of the mod's folder; put the file itself there")

// reason returns an error of the file system without the path.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if err.Error() == "path escapes from parent" { // package os has no variable for it
		return errOut
	}
	return err
}
