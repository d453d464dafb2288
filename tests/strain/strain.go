// Package strain tells tests how much time the machine had not for somebody who sleeps 5 ms at a time and does nothing.
// What a rule requires in milliseconds holds the product to account where the machine had time, and is printed elsewhere.
// It depends on the runtime only.
//
// Guarantees: Figures of wall time count only where the machine had time.
package strain

import (
	"fmt"
	"sync"
	"time"
)

const (
	// nap is how long the watcher sleeps at a time, overslept from when on a nap was too long.
	nap, overslept = 5 * time.Millisecond, 25 * time.Millisecond
	// longest is how long one nap may be, and share the part of the time that may be slept through, where the machine had time.
	longest, share = 250 * time.Millisecond, 50
)

// Watch watches from Start until End.
type Watch struct {
	stop, ended chan struct{}

	mu                 sync.Mutex
	total, late, worst time.Duration
}

// Start begins to watch.
func Start() *Watch {
	s := &Watch{stop: make(chan struct{}), ended: make(chan struct{})}
	go s.watch() // ends by stop, awaited in End
	return s
}

func (s *Watch) watch() {
	defer close(s.ended)
	tick := time.NewTicker(nap)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		now := time.Now()
		s.add(now.Sub(last))
		last = now
	}
}

// add notes one nap.
func (s *Watch) add(gap time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += gap
	if gap > overslept {
		s.late += gap
	}
	s.worst = max(s.worst, gap)
}

// End stops watching; a second time does nothing. What was seen stays.
func (s *Watch) End() {
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	<-s.ended
}

// Strained reports whether the machine had no time so far, with how much of it was slept through in words.
func (s *Watch) Strained() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late <= s.total/share && s.worst <= longest {
		return "", false
	}
	return fmt.Sprintf("this machine had no time (of %.0f s, %.1f were slept through, %v at once)", s.total.Seconds(), s.late.Seconds(), s.worst.Round(time.Millisecond)), true
}
