package store

import (
	"cmp"
	"time"

	"github.com/tidelock/tidelock/engine/store"
)

// Kind is what a [Job] does.
type Kind uint8

// The kinds.
const (
	// Get reads the record at Key.
	Get Kind = iota
	// List reads keys that begin with Key.
	List
	// Commit makes Writes, all or none.
	Commit
	// Call calls Do with the backend, alone.
	Call
	kinds
)

// String names the kind.
func (k Kind) String() string { return [kinds]string{"get", "list", "commit", "call"}[k] }

// Job is what a [Service] is to do.
type Job struct {
	Kind Kind
	// Key is that of Get, and the prefix of List.
	Key string
	// After and Most are those of [store.Backend].List; Most 0 means store.MaxList, which it is at most.
	After string
	Most  int
	// Writes are those of Commit. They must not change before Done.
	Writes []store.Write
	// Do is for work that is no job of its own; it may take long, and everything else waits.
	Do func(store.Backend) error
	// Done gets the result, when it is safe, on the goroutine of the service; it must not wait. Nil for a job of no interest.
	Done func(Result)

	at time.Time // of Submit
}

// Result is what became of a job.
type Result struct {
	Record    store.Record     // of Get
	Keys      []string         // of List
	Revisions []store.Revision // of Commit, for each write
	Err       error
}

func (j *Job) most() int { return min(cmp.Or(j.Most, store.MaxList), store.MaxList) }

// size is what a job takes in the queue, in bytes.
func (j *Job) size() int {
	n := 128 + len(j.Key) + len(j.After)
	for i := range j.Writes {
		n += 64 + len(j.Writes[i].Key) + len(j.Writes[i].Value)
	}
	return n
}

// Grouper is a [store.Backend] that does many jobs at once, as [Bolt.Group]. There is no job of kind Call among them.
type Grouper interface {
	Group(jobs []Job, results []Result)
}
