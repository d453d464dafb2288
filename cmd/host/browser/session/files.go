package session

import (
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	// maxFiles and maxFileBytes bound what a player's machine keeps of hosts, so that coming back fetches nothing.
	maxFiles     = 2 * bundle.MaxFiles
	maxFileBytes = 64 << 20
)

// Files is a bundle.Cache in memory. Beyond its bounds the file that came first goes.
type Files struct {
	files map[wire.Hash][]byte
	order []wire.Hash
	size  int
}

var _ bundle.Cache = (*Files)(nil)

// NewFiles is an empty cache.
func NewFiles() *Files { return &Files{files: map[wire.Hash][]byte{}} }

// Get is the file of a hash, or nil.
func (f *Files) Get(h wire.Hash) []byte { return f.files[h] }

// Put keeps a file, whose hash the caller has checked. One that is larger than all may be is not kept.
func (f *Files) Put(h wire.Hash, data []byte) {
	if f.files[h] != nil || len(data) == 0 || len(data) > maxFileBytes {
		return
	}
	for len(f.order) > 0 && (len(f.order) >= maxFiles || f.size+len(data) > maxFileBytes) {
		f.size -= len(f.files[f.order[0]])
		delete(f.files, f.order[0])
		f.order = f.order[1:]
	}
	f.files[h] = data
	f.order = append(f.order, h)
	f.size += len(data)
}

// Empty reports whether there is nothing in it.
func (f *Files) Empty() bool { return len(f.files) == 0 }
