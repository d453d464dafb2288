package web

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// contentRoot is where the files of a match are, by their hashes (W2.5).
const contentRoot = "/files/"

// Bounds of what is kept of the files of matches, compressed: files, and bytes of them uncompressed.
const (
	mostFiles     = 4096
	mostFileBytes = 128 << 20
)

// contentFiles are the files of matches that were requested. Each is compressed once.
type contentFiles struct {
	mu    sync.Mutex
	files map[[sha256.Size]byte]*asset
	bytes int
}

// file is the file at a path below contentRoot, nil for none. What is no file of the match any more is not there.
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
			c.files, c.bytes = map[[sha256.Size]byte]*asset{}, 0 // they are made again as they are requested
		}
		a = newAsset(text, data, true)
		c.files[hash] = a
		c.bytes += len(data)
	}
	return a
}

// filePaths are where a page finds what it fetches before it joins.
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
