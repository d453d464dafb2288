package nats

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/store"
)

// Defaults of quotas, as those of a file.
const (
	defaultBytes = 256 << 20
	defaultKeys  = 1_000_000
)

// index knows the keys of the store and how long their values are, from the heads of all messages. It serves lists, quotas and
// figures, and knows which answers are stale. The zero value is empty; it is for any goroutine.
//
// Invariant: an entry has the highest revision of its key that this host has seen; one that is dead is there until the messages
// before it have been seen, which would otherwise bring it back.
type index struct {
	mu      sync.Mutex
	entries map[string]entry
	spaces  map[string]disk.Figures // keys and bytes of namespaces
	seen    uint64                  // all messages up to here are known
	loaded  bool
}

type entry struct {
	rev  store.Revision
	size int
	dead bool
	blob string
}

// note enters a write, and returns the chunks that nothing refers to any more, "" for none. followed says that it is one of the
// messages in their order, and not this host's own write.
func (x *index) note(key string, rev store.Revision, size int, dead bool, blob string, followed bool) (replaced string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if followed {
		x.seen = max(x.seen, uint64(rev))
	}
	old, there := x.entries[key]
	if there && old.rev > rev {
		return ""
	}
	if there && old.rev == rev {
		if dead && followed {
			delete(x.entries, key)
		}
		return ""
	}
	if x.entries == nil {
		x.entries, x.spaces = map[string]entry{}, map[string]disk.Figures{}
	}
	if there && !old.dead {
		x.add(key, -1, -old.size)
	}
	if dead && (followed || uint64(rev) <= x.seen) {
		delete(x.entries, key)
	} else {
		x.entries[key] = entry{rev: rev, size: size, dead: dead, blob: blob}
	}
	if !dead {
		x.add(key, 1, size)
	}
	if followed {
		return "" // the host that wrote it removes them
	}
	return old.blob
}

func (x *index) add(key string, keys, size int) {
	space, _ := store.Split(key)
	f := x.spaces[space]
	f.Keys += int64(keys)
	f.Bytes += int64(keys*len(key) + size)
	x.spaces[space] = f
}

// reset forgets all, before the keys are read again; own writes after this are kept.
func (x *index) reset() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries, x.spaces, x.seen, x.loaded = nil, nil, 0, false
}

// load says that all keys have been read.
func (x *index) load() (first bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	first = !x.loaded
	x.loaded = true
	return first
}

func (x *index) isLoaded() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.loaded
}

// caughtUp reports whether all messages up to a sequence are known.
func (x *index) caughtUp(seq uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.loaded && x.seen >= seq
}

func (x *index) position() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen
}

// stale reports whether a record is older than what this host knows of. 0 is that of no message.
func (x *index) stale(key string, rev store.Revision) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	e, ok := x.entries[key]
	return ok && !(e.dead && rev == 0) && rev < e.rev
}

// list lists keys, in order.
func (x *index) list(prefix, after string, most int) []string {
	x.mu.Lock()
	var keys []string
	for k, e := range x.entries { // any order: sorted below
		if !e.dead && k > after && strings.HasPrefix(k, prefix) {
			keys = append(keys, k)
		}
	}
	x.mu.Unlock()
	slices.Sort(keys)
	return keys[:min(len(keys), max(most, 0))]
}

// sums returns how many keys there are, and how many bytes with their values.
func (x *index) sums() (keys, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range x.spaces { // any order: a sum
		keys, bytes = keys+f.Keys, bytes+f.Bytes
	}
	return keys, bytes
}

// blobs returns the chunks that records refer to.
func (x *index) blobs() map[string]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]bool{}
	for _, e := range x.entries { // any order: a set
		if e.blob != "" {
			out[e.blob] = true
		}
	}
	return out
}

// room returns an error if writes give a namespace more than its quota, and more than before.
func (x *index) room(writes []store.Write, o *StoreOptions) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	more := map[string]disk.Figures{}
	for i := range writes {
		w := &writes[i]
		space, _ := store.Split(w.Key)
		f := more[space]
		if e, ok := x.entries[w.Key]; ok && !e.dead {
			f.Keys--
			f.Bytes -= int64(len(w.Key) + e.size)
		}
		if w.Value != nil {
			f.Keys++
			f.Bytes += int64(len(w.Key) + len(w.Value))
		}
		more[space] = f
	}
	for space, f := range more { // any order: each on its own
		q := o.Quotas[space]
		maxBytes, maxKeys := first(q.Bytes, o.Quota.Bytes, defaultBytes), first(q.Keys, o.Quota.Keys, defaultKeys)
		bytes, keys := x.spaces[space].Bytes+f.Bytes, x.spaces[space].Keys+f.Keys
		if bytes > maxBytes && f.Bytes > 0 || keys > maxKeys && f.Keys > 0 {
			return fmt.Errorf("%w: namespace %s would have %d bytes in %d keys, it may have %d bytes in %d keys; nothing was stored",
				store.ErrQuota, space, bytes, keys, maxBytes, maxKeys)
		}
	}
	return nil
}

// first returns the first number that is not 0.
func first(list ...int64) int64 {
	for _, n := range list {
		if n != 0 {
			return n
		}
	}
	return 0
}

// pass enters a message that is no record.
func (x *index) pass(seq uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen = max(x.seen, seq)
}
