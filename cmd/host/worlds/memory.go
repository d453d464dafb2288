package worlds

import (
	"maps"
	"slices"
)

// Memory is a Store in memory, for scenarios. The zero value is empty.
type Memory struct{ files map[string][]byte }

// Put is [Store].
func (m *Memory) Put(name string, data []byte, done func(error)) {
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[name] = data
	done(nil)
}

// Get is [Store].
func (m *Memory) Get(name string, done func([]byte, error)) {
	if f, ok := m.files[name]; ok {
		done(f, nil)
		return
	}
	done(nil, ErrUnknown)
}

// List is [Store].
func (m *Memory) List(done func([]string, error)) { done(slices.Sorted(maps.Keys(m.files)), nil) }
