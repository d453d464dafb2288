package loop

import "sync"

// Workers run parts of a tick on several cores. They sleep in between, and use only the parts of a world that
// they are given while the tick waits for them.
//
// The zero Workers runs everything on the caller's goroutine.
type Workers struct {
	mu       sync.Mutex
	f        func(int)
	next, n  int
	left     int
	finished chan struct{}
	wake     chan struct{}
	stopped  sync.WaitGroup
}

// NewWorkers starts n − 1 goroutines, the caller's being the n-th; n below 2 starts none. [Workers.Stop] ends and awaits them.
func NewWorkers(n int) *Workers {
	w := &Workers{finished: make(chan struct{}, 1), wake: make(chan struct{}, max(1, n-1))}
	for range n - 1 {
		w.stopped.Go(func() {
			for range w.wake {
				w.help(true)
			}
		})
	}
	return w
}

// Run calls f for 0 to n−1, each once, and returns when all have returned. The caller executes parts that no
// worker has begun, so that on a busy machine it never waits for one that has not woken up. Two goroutines must
// not call it at once, nor may f.
func (w *Workers) Run(n int, f func(i int)) {
	if w.wake == nil || n < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	w.mu.Lock()
	w.f, w.next, w.n, w.left = f, 0, n, n
	w.mu.Unlock()
	for range min(n-1, cap(w.wake)) {
		select {
		case w.wake <- struct{}{}:
		default: // is awake
		}
	}
	w.help(false)
	<-w.finished
}

// help executes parts until none is left: the caller from the first on, the others from the last, so that a
// part mostly runs on the core of the previous run, whose caches may still have its data.
func (w *Workers) help(back bool) {
	w.mu.Lock()
	for w.next < w.n {
		i, f := w.next, w.f
		if back {
			w.n--
			i = w.n
		} else {
			w.next++
		}
		w.mu.Unlock()
		f(i)
		w.mu.Lock()
		if w.left--; w.left == 0 {
			w.f = nil
			w.finished <- struct{}{}
		}
	}
	w.mu.Unlock()
}

// Stop ends the goroutines and waits for them. Run must not be called any more.
func (w *Workers) Stop() {
	if w.wake != nil {
		close(w.wake)
		w.stopped.Wait()
	}
}
