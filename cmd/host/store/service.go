package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/histogram"
	"github.com/tidelock/tidelock/engine/store"
)

const (
	// mostGroup bounds the jobs of one transaction, and mostGroupBytes their size: above it, the next one begins.
	mostGroup      = 256
	mostGroupBytes = 8 << 20
)

// ErrBusy means that the queue is full; nothing was stored. The disk is slower than what is asked of it.
var ErrBusy = errors.New("the store's queue is full; nothing was stored")

// ErrClosed means that the service was closed; nothing was stored.
var ErrClosed = errors.New("the store is closed, because the host ends; nothing was stored")

// ServiceOptions are those of Start. The zero value is usable.
type ServiceOptions struct {
	// Queue bounds the jobs that wait, and QueueBytes their size; beyond, Submit returns ErrBusy. 0 means 4096, and 64 MB plus one value
	// of any size.
	Queue      int
	QueueBytes int
	// Log is told when the backend begins to fail and when it works again; nil for nowhere.
	Log *slog.Logger
}

// Service is the goroutine that owns a backend. Its methods are for any goroutine. Start starts it, Close ends and awaits it.
type Service struct {
	opt     ServiceOptions
	backend store.Backend
	wake    chan struct{} // has one element if the queue may have some
	done    chan struct{}

	mu      sync.Mutex
	queue   []Job
	bytes   int
	closing bool
	stats   Stats
	closed  error // of the backend

	// These belong to the goroutine, or with a backend that does many jobs at once to who has telling.
	broken  error
	failing bool
	telling sync.Mutex
}

// Stats count what a service did since Start.
type Stats struct {
	// Waiting jobs are in the queue or being done; WaitingBytes is their size.
	Waiting, WaitingBytes int
	// Jobs are done, Groups are the transactions that they took. Errors are jobs with an error that is neither a conflict nor a quota;
	// Refused found the queue full.
	Jobs, Groups, Errors, Conflicts, Quotas, Refused uint64
	// Records are those that were written or removed. Took is how long jobs took from Submit to their result.
	Records uint64
	Took    histogram.Histogram
	// Writing is false after a panic of the backend or damage: then all commits fail.
	Writing bool
}

// Start starts a service, which owns the backend from now on.
func Start(b store.Backend, o ServiceOptions) *Service {
	o.Queue, o.QueueBytes = cmp.Or(o.Queue, 4096), cmp.Or(o.QueueBytes, 64<<20)
	s := &Service{opt: o, backend: b, wake: make(chan struct{}, 1), done: make(chan struct{}), stats: Stats{Writing: true, Took: histogram.New(histogram.Jobs())}}
	if f, ok := b.(interface{ Broken() error }); ok && f.Broken() != nil {
		s.stats.Writing = false
	}
	go s.run() // ends by Close, which awaits it
	return s
}

// Submit adds a job to the queue and does not wait. With an error the job is not done, and Done is not called.
func (s *Service) Submit(j Job) error {
	size := j.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return ErrClosed
	case len(s.queue) >= s.opt.Queue || len(s.queue) > 0 && s.bytes+size > s.opt.QueueBytes:
		s.stats.Refused++
		return fmt.Errorf("%w (%d jobs, %d bytes wait)", ErrBusy, len(s.queue), s.bytes)
	}
	j.at = time.Now()
	s.queue = append(s.queue, j)
	s.bytes += size
	s.stats.Waiting++
	s.stats.WaitingBytes += size
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// Call has a function run with the backend, alone, and waits for it. If ctx ends first, the function still runs.
func (s *Service) Call(ctx context.Context, f func(store.Backend) error) error {
	over := make(chan error, 1)
	if err := s.Submit(Job{Kind: Call, Do: f, Done: func(r Result) { over <- r.Err }}); err != nil {
		return err
	}
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the store did not answer in time: %w; what was asked may still be done", ctx.Err())
	}
}

// Stats returns the counts.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Figures returns how much the backend has; ok is false if it does not count that.
func (s *Service) Figures() (f Figures, ok bool) {
	if b, counts := s.backend.(interface{ Figures() Figures }); counts {
		return b.Figures(), true
	}
	return Figures{}, false
}

// Bolt returns the backend for what any goroutine may do with it, nil if it is another one.
func (s *Service) Bolt() *Bolt {
	b, _ := s.backend.(*Bolt)
	return b
}

// Shared reports whether other processes use the same store: it is one of a cluster.
func (s *Service) Shared() bool {
	_, shared := s.backend.(Parallel)
	return shared
}

// SetQuota changes the quota of namespaces that have none of their own, where the backend has quotas; see [Bolt.SetQuota]. It does nothing
// on a nil service. Any goroutine may call it.
func (s *Service) SetQuota(q Quota) {
	if s == nil {
		return
	}
	if b, ok := s.backend.(interface{ SetQuota(Quota) }); ok {
		b.SetQuota(q)
	}
}

// Close takes no more jobs, does those that wait, and closes the backend. If ctx ends first, the error says how many jobs are not
// done; the goroutine goes on with them.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	select {
	case <-s.done:
		return s.closed
	case <-ctx.Done():
		return fmt.Errorf("the store did not write everything in time: %d jobs wait: %w", s.Stats().Waiting, ctx.Err())
	}
}

// run does jobs until the service is closed and none wait.
func (s *Service) run() {
	defer close(s.done)
	debug.SetPanicOnFault(true) // of this goroutine; a bad page is a panic then
	if b, ok := s.backend.(Parallel); ok {
		s.runParallel(b)
	} else {
		s.runGroups()
	}
	if c, ok := s.backend.(io.Closer); ok {
		if p := guard(func() { s.closed = c.Close() }); p != nil {
			s.closed = p
		}
	}
}

// runGroups does jobs in groups, one after another.
func (s *Service) runGroups() {
	results := make([]Result, mostGroup)
	for {
		jobs, closing := s.next()
		if len(jobs) == 0 {
			if closing {
				break
			}
			<-s.wake
			continue
		}
		clear(results)
		s.do(jobs, results[:len(jobs)])
		s.count(jobs, results)
		for i := range jobs {
			if jobs[i].Done != nil {
				jobs[i].Done(results[i])
			}
		}
	}
}

// next takes the next group of jobs from the queue.
func (s *Service) next() (jobs []Job, closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, 0
	for n < len(s.queue) && n < mostGroup && (n == 0 || size < mostGroupBytes) {
		if s.queue[n].Kind == Call {
			n = max(n, 1) // alone
			break
		}
		size += s.queue[n].size()
		n++
	}
	jobs = slices.Clone(s.queue[:n])
	for i := range jobs {
		s.bytes -= jobs[i].size()
	}
	s.queue = slices.Delete(s.queue, 0, n)
	return jobs, s.closing
}

// do does a group of jobs.
func (s *Service) do(jobs []Job, results []Result) {
	if jobs[0].Kind == Call {
		if p := guard(func() { results[0].Err = jobs[0].Do(s.backend) }); p != nil {
			s.ruin(p)
			results[0].Err = &store.UnsureError{Err: s.broken}
		}
		return
	}
	g, ok := s.backend.(Grouper)
	if !ok || s.broken != nil {
		for i := range jobs {
			results[i] = s.single(&jobs[i])
		}
		return
	}
	if p := guard(func() { g.Group(jobs, results) }); p != nil {
		s.ruin(p)
		for i := range jobs {
			if results[i] = (Result{Err: &store.UnsureError{Err: s.broken}}); jobs[i].Kind != Commit {
				results[i] = s.single(&jobs[i])
			}
		}
	}
}

// single does one job.
func (s *Service) single(j *Job) (r Result) {
	if j.Kind == Commit && s.broken != nil {
		return Result{Err: fmt.Errorf("%w; nothing was stored", s.broken)}
	}
	p := guard(func() {
		switch j.Kind {
		case List:
			r.Keys, r.Err = s.backend.List(j.Key, j.After, j.most())
		case Commit:
			r.Revisions, r.Err = s.backend.Commit(j.Writes)
		default:
			r.Record, r.Err = s.backend.Get(j.Key)
		}
	})
	if p == nil {
		return r
	}
	s.ruin(p)
	if j.Kind == Commit {
		return Result{Err: &store.UnsureError{Err: s.broken}}
	}
	return Result{Err: fmt.Errorf("%s cannot be read: %w", j.Key, p)}
}

// ruin ends all writing after a panic of the backend: what it has in memory may be wrong.
func (s *Service) ruin(p *PanicError) {
	if s.broken != nil {
		return
	}
	name := "the store"
	if b := s.Bolt(); b != nil {
		name = b.path
	}
	s.broken = &BrokenError{name, p}
	if s.opt.Log != nil {
		s.opt.Log.Error(s.broken.Error(), "event", "store", "stacks", string(p.Stack))
	}
}

// count counts results, and tells when the backend begins to fail or works again.
func (s *Service) count(jobs []Job, results []Result) {
	var failed error
	stored := false
	now := time.Now()
	s.mu.Lock()
	for i := range jobs {
		j, err := &jobs[i], results[i].Err
		s.stats.Took.Add(now.Sub(j.at).Seconds())
		s.stats.Waiting--
		s.stats.WaitingBytes -= j.size()
		s.stats.Jobs++
		switch {
		case err == nil:
			stored = stored || j.Kind == Commit
			s.stats.Records += uint64(len(j.Writes))
		case errors.Is(err, store.ErrConflict):
			s.stats.Conflicts++
		case errors.Is(err, store.ErrQuota):
			s.stats.Quotas++
		default:
			s.stats.Errors++
			failed = err
		}
	}
	s.stats.Groups++
	if f, ok := s.backend.(interface{ Broken() error }); s.broken != nil || ok && f.Broken() != nil {
		s.stats.Writing = false
	}
	writing := s.stats.Writing
	s.mu.Unlock()
	switch {
	case s.opt.Log == nil || !writing: // the end of writing was logged
	case failed != nil && !s.failing:
		s.failing = true
		s.opt.Log.Error("The store fails: "+failed.Error(), "event", "store")
	case failed == nil && stored && s.failing:
		s.failing = false
		s.opt.Log.Info("The store works again", "event", "store")
	}
}
