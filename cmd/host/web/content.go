package web

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// contentRoot is where the files of a match are served, by their hashes (W2.5).
const contentRoot = "/files/"

// Bounds of the cached files of matches, compressed: number of files, and their uncompressed bytes.
const (
	mostFiles     = 4096
	mostFileBytes = 128 << 20
)

// contentFiles caches the requested files of matches. Each is compressed once.
type contentFiles struct {
	mu    sync.Mutex
	files map[[sha256.Size]byte]*asset
	bytes int
}

// file returns the file at a path below contentRoot, nil for none. A file that no longer belongs to the match
// is not found.
func (c *contentFiles) file(path string, get func(hash [sha256.Size]byte) []byte) *asset {
	text := strings.TrimPrefix(path, contentRoot)
	var hash [sha256.Size]byte
	if get == nil || len(text) != hex.EncodedLen(len(hash)) || strings.ToLower(text) != text {
		return nil
	}
	if _, err := hex.Decode(hash[:], []byte(text)); err != nil {
		return nil
	}
	data := get(hash)
	if data == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.files[hash]
	if a == nil {
		if c.files == nil || len(c.files) >= mostFiles || c.bytes+len(data) > mostFileBytes {
			c.files, c.bytes = map[[sha256.Size]byte]*asset{}, 0 // they are created again on request
		}
		a = newAsset(text, data, true)
		c.files[hash] = a
		c.bytes += len(data)
	}
	return a
}

// filePaths returns the paths of the files that a page fetches before it joins.
func (l *Listener) filePaths() []string {
	if l.opt.Files == nil {
		return nil
	}
	var out []string
	for _, h := range l.opt.Files() {
		out = append(out, contentRoot+hex.EncodeToString(h[:]))
	}
	return out
}
