package cache

import (
	"sync"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Memory is a cache in memory. The zero Memory has no bounds and no cache below it. Its methods may be called from any goroutine.
type Memory struct {
	// MaxFiles and MaxBytes bound the cache; beyond them the oldest file is removed. 0 is no bound.
	MaxFiles, MaxBytes int
	// Below provides files that are not here, and stores all that arrive; nil for none.
	Below bundle.Cache

	mu    sync.Mutex
	files map[wire.Hash][]byte
	order []wire.Hash
	size  int
}

var _ bundle.Cache = (*Memory)(nil)

// Get returns the file of a hash, or nil.
func (m *Memory) Get(h wire.Hash) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.files[h]
	if b == nil && m.Below != nil {
		if b = m.Below.Get(h); b != nil {
			m.keep(h, b)
		}
	}
	return b
}

// Put stores a file, whose hash the caller has checked. One larger than the bound is not stored.
func (m *Memory) Put(h wire.Hash, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[h] != nil {
		return
	}
	m.keep(h, data)
	if m.Below != nil {
		m.Below.Put(h, data)
	}
}

func (m *Memory) keep(h wire.Hash, data []byte) {
	full := func(files, bytes int) bool {
		return m.MaxFiles > 0 && files > m.MaxFiles || m.MaxBytes > 0 && bytes > m.MaxBytes
	}
	if len(data) == 0 || full(1, len(data)) {
		return
	}
	for full(len(m.order)+1, m.size+len(data)) {
		m.size -= len(m.files[m.order[0]])
		delete(m.files, m.order[0])
		m.order = m.order[1:]
	}
	if m.files == nil {
		m.files = map[wire.Hash][]byte{}
	}
	m.files[h] = data
	m.order = append(m.order, h)
	m.size += len(data)
}

// Empty reports whether this cache and the one below are empty.
func (m *Memory) Empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.files) == 0 && (m.Below == nil || m.Below.Empty())
}
