//go:build !js

package carrier

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// The queue holds 64 packets, and the newest is lost then.
func TestQueueIsBounded(t *testing.T) {
	q, now := newQueue(), time.Unix(100, 0)
	q.opened(now)
	for round := range 3 {
		for i := range queuePackets + 10 {
			ok, replaced := q.push([]byte{byte(i)}, now)
			if ok != (i < queuePackets) || replaced {
				t.Fatalf("round %d: packet %d: %v %v", round, i, ok, replaced)
			}
		}
		for i := range queuePackets {
			p, stale := q.pop(now.Add(staleAfter), false)
			if p == nil || p.n != 1 || p.b[0] != byte(i) || stale != 0 {
				t.Fatalf("round %d: packet %d: %+v, %d stale", round, i, p, stale)
			}
			q.give(p)
		}
		if p, _ := q.pop(now, false); p != nil {
			t.Fatal("a packet that was not pushed")
		}
		if len(q.free) > queuePackets+1 {
			t.Fatalf("%d buffers", len(q.free))
		}
	}
}

// Once the oldest is stale all are dropped; while the session ends the fresh ones go.
func TestQueueDropsTheStale(t *testing.T) {
	for _, ending := range []bool{false, true} {
		q, now := newQueue(), time.Unix(100, 0)
		q.opened(now)
		for i := range 4 {
			q.push([]byte{byte(i)}, now.Add(time.Duration(i)*100*time.Millisecond))
		}
		p, stale := q.pop(now.Add(staleAfter+110*time.Millisecond), ending)
		switch {
		case !ending && (p != nil || stale != 4):
			t.Errorf("popped %v, %d stale, expected all 4 dropped", p, stale)
		case ending && (p == nil || p.b[0] != 2 || stale != 2):
			t.Errorf("while ending: popped %v, %d stale, expected packet 2", p, stale)
		}
		if ok, _ := q.push([]byte{9}, now.Add(time.Second)); !ok {
			t.Error("nothing goes after stale packets")
		}
	}
}

// Until the session stands the newest packet is kept, and it is not stale then.
func TestQueueBeforeTheSession(t *testing.T) {
	q, now := newQueue(), time.Unix(100, 0)
	for i := range 5 {
		if ok, replaced := q.push([]byte{byte(i)}, now); !ok || replaced != (i > 0) {
			t.Fatalf("packet %d: %v %v", i, ok, replaced)
		}
	}
	now = now.Add(time.Hour)
	q.opened(now)
	if p, stale := q.pop(now, false); p == nil || p.b[0] != 4 || stale != 0 {
		t.Errorf("popped %v, %d stale", p, stale)
	}
}

// Sending costs no memory once the queue has been in use.
func TestQueueDoesNotAllocate(t *testing.T) {
	q, now, b := newQueue(), time.Unix(100, 0), make([]byte, link.MaxPacket)
	q.opened(now)
	if n := testing.AllocsPerRun(100, func() {
		q.push(b, now)
		p, _ := q.pop(now, false)
		q.give(p)
	}); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}
