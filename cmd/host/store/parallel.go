package store

import (
	"fmt"
	"sync"

	"github.com/tidelock/tidelock/engine/store"
)

// Parallel is a [store.Backend] whose methods are for any goroutine. A [Service] then does many jobs at the same time: each waits for a
// network. Jobs that have a key in common are done in their order, others in any.
type Parallel interface {
	store.Backend
	// Parallel returns how many jobs may be done at once, at least 1.
	Parallel() int
}

// crowd does jobs of a service on goroutines of their own. It belongs to the service's goroutine, which awaits them.
type crowd struct {
	service *Service
	slots   chan struct{}            // has one element for each job that is being done
	last    map[string]chan struct{} // closed when the last job of a key is done
	work    sync.WaitGroup
}

// runParallel is run for a backend that does many jobs at once.
func (s *Service) runParallel(b Parallel) {
	c := &crowd{service: s, slots: make(chan struct{}, max(b.Parallel(), 1)), last: map[string]chan struct{}{}}
	for {
		jobs, closing := s.next()
		if len(jobs) == 0 {
			if closing {
				break
			}
			<-s.wake
			continue
		}
		for i := range jobs {
			c.begin(&jobs[i])
		}
	}
	c.work.Wait()
}

// begin starts a job, as soon as there is a slot for it.
func (c *crowd) begin(j *Job) {
	if j.Kind == Call { // alone
		c.work.Wait()
		clear(c.last)
		c.done(j, c.alone(j))
		return
	}
	c.slots <- struct{}{}
	if len(c.last) > 4*cap(c.slots) {
		for k, done := range c.last { // any order: each on its own
			select {
			case <-done:
				delete(c.last, k)
			default:
			}
		}
	}
	var before []chan struct{}
	over := make(chan struct{})
	enter := func(key string) {
		if done := c.last[key]; done != nil && done != over {
			before = append(before, done)
		}
		c.last[key] = over
	}
	switch j.Kind {
	case Commit:
		for i := range j.Writes {
			enter(j.Writes[i].Key)
		}
	case Get:
		enter(j.Key)
	case List, Call, kinds:
	}
	c.work.Go(func() {
		for _, done := range before {
			<-done
		}
		r := c.alone(j)
		<-c.slots
		close(over)
		c.done(j, r)
	})
}

// alone does one job. A panic of the backend is the end of that job only: it keeps nothing that could be wrong afterwards.
func (c *crowd) alone(j *Job) (r Result) {
	b := c.service.backend
	p := guard(func() {
		switch j.Kind {
		case List:
			r.Keys, r.Err = b.List(j.Key, j.After, j.most())
		case Commit:
			r.Revisions, r.Err = b.Commit(j.Writes)
		case Call:
			r.Err = j.Do(b)
		default:
			r.Record, r.Err = b.Get(j.Key)
		}
	})
	switch {
	case p == nil:
		return r
	case j.Kind == Get || j.Kind == List:
		r = Result{Err: fmt.Errorf("%s cannot be read: %w", j.Key, p)}
	default:
		r = Result{Err: &store.UnsureError{Err: p}}
	}
	if log := c.service.opt.Log; log != nil {
		log.Error("The store failed in an unknown way: "+p.Error(), "event", "store", "stacks", string(p.Stack))
	}
	return r
}

// done counts a job and tells its result. Results are told one after another, as those of other backends are.
func (c *crowd) done(j *Job, r Result) {
	s := c.service
	s.telling.Lock()
	defer s.telling.Unlock()
	s.count([]Job{*j}, []Result{r})
	if j.Done != nil {
		j.Done(r)
	}
}
