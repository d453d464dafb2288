package engine

import (
	"fmt"
	"math"
)

// SetTimer calls a function of the actor after so many seconds of world time, once or repeatedly. A timer
// of the same function is replaced. Timers run after all actors ticked (R1.3), in order of their due time.
func (a *Actor) SetTimer(seconds float64, loop bool, function string) error {
	if function == "" {
		return fmt.Errorf("SetTimer: expected the name of a function")
	}
	if !(seconds > 0) || math.IsInf(seconds, 0) {
		return fmt.Errorf("SetTimer: expected more than 0 seconds, got %v; ClearTimer(%q) stops a timer", seconds, function)
	}
	a.ClearTimer(function)
	if len(a.timers) >= MaxTimers {
		return fmt.Errorf("SetTimer: %s has %d timers already, at most %d", a, len(a.timers), MaxTimers)
	}
	w := a.world
	w.timerSeq++
	t := &timer{actor: a.id, function: function, due: w.Time + seconds, seq: w.timerSeq}
	if loop {
		t.every = seconds
	}
	a.timers = append(a.timers, t)
	w.timers.push(t)
	return nil
}

// ClearTimer stops the timer of a function and reports whether there was one.
func (a *Actor) ClearTimer(function string) bool {
	for i, t := range a.timers {
		if t.function == function && function != "" { // "" belongs to LifeSpan
			a.timers = append(a.timers[:i], a.timers[i+1:]...)
			a.world.timers.remove(t)
			return true
		}
	}
	return false
}

// TimerLeft returns the seconds until a function's timer runs, and whether there is one.
func (a *Actor) TimerLeft(function string) (float64, bool) {
	for _, t := range a.timers {
		if t.function == function {
			return t.due - a.world.Time, true
		}
	}
	return 0, false
}

func (a *Actor) clearTimers() {
	for _, t := range a.timers {
		a.world.timers.remove(t)
	}
	a.timers = nil
}

// runTimers calls the timers that are due. A looping timer with an interval shorter than the tick runs as often
// as it was due, at most maxTimerRuns times, and then skips ahead.
func (w *World) runTimers() {
	const maxTimerRuns = 8
	var runs map[*timer]int
	for len(w.timers) > 0 && w.timers[0].due <= w.Time+1e-9 {
		t := w.timers[0]
		a := w.Actor(t.actor)
		if a == nil || a.deleted {
			w.timers.remove(t)
			continue
		}
		if t.function == "" { // LifeSpan
			w.timers.remove(t)
			a.lifeSpanOver()
			continue
		}
		if t.every > 0 && w.Script.Held(a, t.function) {
			if t.heldSince == 0 {
				t.heldSince = t.due
			}
			w.timers.remove(t)
			t.due = w.Time + 2e-9 // checked again in the next tick
			w.timers.push(t)
			continue
		}
		if t.every > 0 {
			w.timers.remove(t)
			if t.heldSince > 0 { // late, and once for all missed runs
				t.due = t.heldSince + t.every*math.Floor((w.Time+1e-9-t.heldSince)/t.every)
				t.heldSince = 0
			}
			t.due += t.every
			if t.due <= w.Time+1e-9 {
				if runs == nil {
					runs = map[*timer]int{}
				}
				runs[t]++
				if runs[t] >= maxTimerRuns {
					t.due = w.Time + max(t.every, 2e-9) // a shorter interval would be due forever
				}
			}
			w.timers.push(t)
		} else {
			a.ClearTimer(t.function)
		}
		w.Script.Timer(a, t.function) // does nothing on a proxy that does not run it
	}
}

func (h timerHeap) less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].seq < h[j].seq
}

func (h timerHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) push(t *timer) {
	t.index = len(*h)
	*h = append(*h, t)
	h.up(t.index)
}

func (h *timerHeap) remove(t *timer) {
	i := t.index
	if i < 0 || i >= len(*h) || (*h)[i] != t {
		return
	}
	last := len(*h) - 1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = -1
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h timerHeap) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.less(i, p) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h timerHeap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h.less(c+1, c) {
			c++
		}
		if !h.less(c, i) {
			return
		}
		h.swap(i, c)
		i = c
	}
}
