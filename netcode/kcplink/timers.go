package kcplink

import "time"

// timers is a heap of connections by due time. A connection whose time moves back stays in place and is moved when
// its old time comes, so that packets, which only postpone heartbeats and timeouts, cost nothing here; an idle
// connection is serviced once per heartbeat.
//
// Invariant: no connection is due before heap[0].due; heap[c.at] == c.
type timers struct{ heap []*Conn }

// schedule makes sure that c is serviced at due or before.
func (c *Conn) schedule(due time.Duration) {
	t := &c.l.timers
	if c.at < 0 {
		c.due, c.at = due, len(t.heap)
		t.heap = append(t.heap, c)
		t.up(c.at)
	} else if due < c.due {
		c.due = due
		t.up(c.at)
	}
}

// reschedule sets the next time of the connection being serviced. It is at least a millisecond later, so that a
// connection that is always due cannot block Poll.
func (c *Conn) reschedule(due time.Duration) {
	if c.at < 0 {
		return
	}
	c.due = max(due, c.l.now+time.Millisecond)
	c.l.timers.down(c.at)
	c.l.timers.up(c.at)
}

func (t *timers) remove(c *Conn) {
	i := c.at
	if i < 0 {
		return
	}
	last := len(t.heap) - 1
	t.swap(i, last)
	t.heap[last] = nil
	t.heap = t.heap[:last]
	c.at = -1
	if i < last {
		t.down(i)
		t.up(i)
	}
}

func (t *timers) swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.heap[i].at, t.heap[j].at = i, j
}

func (t *timers) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if t.heap[p].due <= t.heap[i].due {
			return
		}
		t.swap(i, p)
		i = p
	}
}

func (t *timers) down(i int) {
	for {
		k := 2*i + 1
		if k >= len(t.heap) {
			return
		}
		if k+1 < len(t.heap) && t.heap[k+1].due < t.heap[k].due {
			k++
		}
		if t.heap[i].due <= t.heap[k].due {
			return
		}
		t.swap(i, k)
		i = k
	}
}
