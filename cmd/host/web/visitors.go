package web

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/throttle"
)

// Bursts, in seconds of their rate.
const (
	requestBurst   = 4
	upgradeBurst   = 8
	handshakeBurst = 2
)

// Refused counts what a Listener has refused since it was opened.
type Refused struct {
	// Connections that were closed at once: too many in total or of their address, or too many per second from
	// it.
	Connections uint64
	// Handshakes of TLS and QUIC that were not begun: too many per second in total.
	Handshakes uint64
	// Requests answered with status 429.
	Requests uint64
	// Upgrades: too many sessions per second from an address. Status 429, or a QUIC connection refused.
	Upgrades uint64
	// Pipes answered with status 503: too many sessions in total or of their address.
	Pipes uint64
	// Origins: upgrades that a page of another host requested. Status 403.
	Origins uint64
	// Packets of UDP that are not QUIC, or exceed the handshakes of an address.
	Packets uint64
}

// visitor holds the counts of one address.
type visitor struct {
	requests, upgrades throttle.Bucket
	conns, pipes       int
}

// visitors counts connections, requests, upgrades and pipes by address and in total.
//
// Invariant: conns and pipes are the sums of those of by, plus connections that count for no address; len(by)
// is at most maxVisitors; a visitor with a connection or a pipe is never removed from the table.
type visitors struct {
	limits Limits
	// now is the wall clock; times are counted from start.
	now   func() time.Time
	start time.Time

	mu         sync.Mutex
	by         map[netip.Addr]*visitor
	handshakes throttle.Bucket
	conns      int
	pipes      int
	sweepAt    int // size of by at which it is swept
	swept      time.Duration
	refused    Refused
}

func newVisitors(l Limits, now func() time.Time) *visitors {
	return &visitors{limits: l, now: now, start: now(), by: map[netip.Addr]*visitor{}, sweepAt: firstSweep}
}

// passed returns the time since start.
func (t *visitors) passed() time.Duration { return t.now().Sub(t.start) }

// at finds or creates the entry of an address; nil if the table has no room.
func (t *visitors) at(a netip.Addr, now time.Duration) *visitor {
	key := throttle.Network(a)
	if v := t.by[key]; v != nil {
		return v
	}
	if len(t.by) >= t.sweepAt {
		t.sweep(now)
	}
	if len(t.by) >= maxVisitors {
		return nil
	}
	v := &visitor{}
	t.by[key] = v
	return v
}

// sweep removes the addresses without anything left to count. A full table is swept at most once a second, so
// that strangers cannot make every packet pay for it.
func (t *visitors) sweep(now time.Duration) {
	if len(t.by) >= maxVisitors && now-t.swept < time.Second && now >= t.swept {
		return
	}
	t.swept = now
	for key, v := range t.by {
		idle := v.requests.Empty(now, float64(t.limits.RequestsPerSecond)) && v.upgrades.Empty(now, float64(t.limits.UpgradesPerSecond))
		if v.conns == 0 && v.pipes == 0 && idle {
			delete(t.by, key)
		}
	}
	t.sweepAt = min(max(firstSweep, 2*len(t.by)), maxVisitors)
}

// share returns how much one address may have if so much is free. With an eighth of that, sixteen addresses
// that take all they get leave more than a tenth to others; every address may have two as long as any are free.
func share(free int) int { return max(1, free/8) }

// connect counts a connection and reports whether it may stay; the caller calls disconnect when it has closed.
// proxy says that it comes from a trusted proxy, so it counts only in the total and for no address. handshake
// says that a TLS handshake follows.
func (t *visitors) connect(a netip.Addr, proxy, handshake bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.passed()
	if t.conns >= t.limits.Conns {
		t.refused.Connections++
		return false
	}
	var v *visitor
	if !proxy {
		if v = t.at(a, now); v == nil || v.conns >= t.limits.ConnsPerAddress || v.conns > share(t.limits.Conns-t.conns) || !t.request(v, now) {
			t.refused.Connections++
			return false
		}
	}
	// Checked last, so that a refused address does not use up the total.
	if handshake && !t.handshakes.Take(now, float64(t.limits.Handshakes), handshakeBurst*float64(t.limits.Handshakes)) {
		t.refused.Handshakes++
		return false
	}
	t.conns++
	if v != nil {
		v.conns++
	}
	return true
}

func (t *visitors) disconnect(a netip.Addr, proxy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns--
	if !proxy {
		t.by[throttle.Network(a)].conns--
	}
}

// request counts one and reports whether it may be answered.
func (t *visitors) request(v *visitor, now time.Duration) bool {
	rate := float64(t.limits.RequestsPerSecond)
	return v.requests.Take(now, rate, requestBurst*rate)
}

func (t *visitors) mayRequest(a netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.passed()
	v := t.at(a, now)
	ok := v != nil && t.request(v, now)
	if !ok {
		t.refused.Requests++
	}
	return ok
}

// mayUpgrade counts an attempt to open a pipe and reports whether it may continue.
func (t *visitors) mayUpgrade(a netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.passed()
	rate := float64(t.limits.UpgradesPerSecond)
	v := t.at(a, now)
	ok := v != nil && v.upgrades.Take(now, rate, upgradeBurst*rate)
	if !ok {
		t.refused.Upgrades++
	}
	return ok
}

// openPipe counts a pipe and reports whether there is room for it; the caller calls closePipe when it has ended.
func (t *visitors) openPipe(a netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pipes >= t.limits.Pipes {
		t.refused.Pipes++
		return false
	}
	v := t.at(a, t.passed())
	if v == nil || v.pipes >= t.limits.PipesPerAddress || v.pipes > share(t.limits.Pipes-t.pipes) {
		t.refused.Pipes++
		return false
	}
	v.pipes++
	t.pipes++
	return true
}

func (t *visitors) closePipe(a netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pipes--
	t.by[throttle.Network(a)].pipes--
}

// foreign counts an upgrade that a page of another host requested.
func (t *visitors) foreign() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused.Origins++
}

// counts returns what is open now and what was refused so far.
func (t *visitors) counts() (pipes, conns int, refused Refused) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pipes, t.conns, t.refused
}
