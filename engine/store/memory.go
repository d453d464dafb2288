package store

import (
	"fmt"
	"slices"
	"strings"
)

// Memory is a backend in memory, for scenarios and tests. The zero value is empty; it is not safe for several goroutines.
type Memory struct {
	records  map[string]Record
	revision Revision
}

// Get implements [Backend].
func (m *Memory) Get(key string) (Record, error) {
	r := m.records[key]
	r.Value = slices.Clone(r.Value)
	return r, nil
}

// List implements [Backend].
func (m *Memory) List(prefix, after string, most int) ([]string, error) {
	var keys []string
	for k := range m.records { // any order: sorted below
		if strings.HasPrefix(k, prefix) && k > after {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys[:min(len(keys), most)], nil
}

// Commit implements [Backend].
func (m *Memory) Commit(writes []Write) ([]Revision, error) {
	if len(writes) > MaxTx {
		return nil, fmt.Errorf("%d writes in a transaction; at most %d", len(writes), MaxTx)
	}
	for i := range writes {
		if w := &writes[i]; w.If != Any && m.records[w.Key].Revision != w.If {
			return nil, fmt.Errorf("%s: %w", w.Key, ErrConflict)
		}
	}
	if m.records == nil {
		m.records = map[string]Record{}
	}
	out := make([]Revision, len(writes))
	for i, w := range writes {
		if w.Value == nil {
			delete(m.records, w.Key)
			continue
		}
		m.revision++
		m.records[w.Key] = Record{Value: slices.Clone(w.Value), Revision: m.revision}
		out[i] = m.revision
	}
	return out, nil
}
