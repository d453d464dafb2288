// Package cache keeps the files that servers send, in a folder or in memory, under the names of their hashes. A player
// who joins again fetches only what is new.
//
// Invariant: what Get returns has the requested hash. Files in the folder are untrusted: they are checked again
// whenever they are read, and a damaged one counts as missing.
//
// Several processes may share a folder. It deliberately does not: know what a file means, or run one.
//
//	c, err := cache.Open(cache.Options{Dir: dir})
//	client.New(client.Config{Cache: c})
//
// Guarantees: Bounded; a file always has the hash that it was requested by.
package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	// DefaultMax bounds the folder, in bytes: some hundred matches. Beyond it, the least recently used files
	// are removed.
	DefaultMax = 256 << 20
	// tempSuffix marks a file that is being written, and staleAfter is the age at which it was left by a
	// process that died.
	tempSuffix = ".part"
	staleAfter = time.Hour
)

// Options of Open.
type Options struct {
	// Dir is the folder; it is created if it does not exist.
	Dir string
	// Max bounds it, in bytes; 0 means DefaultMax.
	Max int64
	// Own are folders of files that the program contains, such as the scripts compiled into it: they need not
	// be fetched. They must not change.
	Own []fs.FS
	// OnError is called for a file that could not be kept or removed, on the goroutine that called Get or Put; nil for none.
	// The match goes on without the file.
	OnError func(error)
}

// Cache is a folder of files. Its methods may be called from any goroutine.
type Cache struct {
	opt Options
	own map[wire.Hash][]byte

	mu   sync.Mutex
	used int64 // bytes in use, as far as this process knows
}

var _ bundle.Cache = (*Cache)(nil)

// Default returns the folder for servers' files in the user's cache folder.
func Default() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tidelock", "files"), nil
}

// Open creates the folder and removes old files if it is too full.
func Open(o Options) (*Cache, error) {
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache folder %q: %w; give one that can be written", o.Dir, reason(err))
	}
	c := &Cache{opt: o, own: map[wire.Hash][]byte{}}
	for _, fsys := range o.Own {
		if err := c.adopt(fsys); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, c.prune(0)
}

// adopt adds the files of a folder that the program contains.
func (c *Cache) adopt(fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		c.own[wire.HashOf(data)] = data
		return nil
	})
}

// reason returns an error without the path that the message already has.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// path returns the file of a hash; folders of two digits keep each of them short.
func (c *Cache) path(h wire.Hash) string {
	name := hex.EncodeToString(h[:])
	return filepath.Join(c.opt.Dir, name[:2], name)
}

// Get returns the file of a hash, or nil. A damaged one is removed.
func (c *Cache) Get(h wire.Hash) []byte {
	if b := c.own[h]; b != nil {
		return b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	file := c.path(h)
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return nil // the usual case: not cached
	}
	if st.Size() <= wire.MaxFile {
		b, err := os.ReadFile(file)
		if err == nil && wire.HashOf(b) == h {
			now := time.Now()
			if err := os.Chtimes(file, now, now); err != nil { // marks it as recently used
				c.opt.OnError(err)
			}
			return b
		}
	}
	if err := os.Remove(file); err != nil {
		c.opt.OnError(err)
	} else {
		c.used -= st.Size()
	}
	return nil
}

// Empty reports whether the folder was empty when it was opened, nothing was stored since, and the program
// contains no files either.
func (c *Cache) Empty() bool {
	if len(c.own) > 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used == 0
}

// Put stores a file. It gets its name only when it is complete.
func (c *Cache) Put(h wire.Hash, data []byte) {
	if c.own[h] != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.put(h, data); err != nil {
		c.opt.OnError(err)
	}
}

func (c *Cache) put(h wire.Hash, data []byte) error {
	file := c.path(h)
	size := int64(len(data))
	if st, err := os.Stat(file); err == nil && st.Size() == size || size > c.opt.Max {
		return nil
	}
	if c.used+size > c.opt.Max {
		if err := c.prune(size); err != nil {
			return err
		}
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "*"+tempSuffix) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	c.used += size
	return nil
}

// kept is a file in the folder.
type kept struct {
	path string
	size int64
	used time.Time
}

// prune measures the folder again, and if it exceeds the bound with more bytes to come, removes the least
// recently used files, down to three quarters, so that not every new file scans the whole folder.
func (c *Cache) prune(more int64) error {
	var files []kept
	c.used = 0
	err := filepath.WalkDir(c.opt.Dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process was quicker
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // gone meanwhile
		}
		name := d.Name()
		switch {
		case strings.HasSuffix(name, tempSuffix):
			if time.Since(st.ModTime()) > staleAfter {
				return os.Remove(path)
			}
		case len(name) == 2*wire.HashBytes:
			files = append(files, kept{path, st.Size(), st.ModTime()})
			c.used += st.Size()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cache folder %q: %w", c.opt.Dir, err)
	}
	if c.used+more <= c.opt.Max {
		return nil
	}
	sort.Slice(files, func(i, j int) bool { return files[i].used.Before(files[j].used) })
	for _, f := range files {
		if c.used+more <= c.opt.Max/4*3 {
			break
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cache folder %q: %w", c.opt.Dir, err)
		}
		c.used -= f.size
	}
	return nil
}
