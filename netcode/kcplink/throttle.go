package kcplink

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// bucket is a leaky one; its zero value is full of permission.
type bucket struct {
	spent float64
	at    time.Duration
}

// take asks for one, at rate a second with bursts of burst.
func (b *bucket) take(now time.Duration, rate, burst float64) bool {
	b.leak(now, rate)
	if b.spent+1 > burst {
		return false
	}
	b.spent++
	return true
}

func (b *bucket) leak(now time.Duration, rate float64) {
	b.spent = max(0, b.spent-rate*(now-b.at).Seconds())
	b.at = now
}

// helloThrottle bounds answers to HELLO, over all and by address, in fixed memory.
type helloThrottle struct {
	seed maphash.Seed
	all  bucket
	by   [helloBuckets]bucket
}

func (t *helloThrottle) take(a netip.Addr, now time.Duration, l *Limits) bool {
	ip := network(a).As16()
	per, all := float64(l.HellosPerAddress), float64(l.Hellos)
	// The address first: what it may not ask for must not use up what others may.
	return t.by[maphash.Bytes(t.seed, ip[:])%helloBuckets].take(now, per, 2*per) && t.all.take(now, all, all)
}

// network is whose address it is: IPv4 addresses are one each, IPv6 networks of 64 bits.
func network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a
	}
	b := a.As16()
	clear(b[8:])
	return netip.AddrFrom16(b)
}

// address is what is counted of one network that has shown a cookie.
type address struct {
	handshakes    bucket
	conns, halves int
}

// addresses is the table of them, bounded by maxAddresses.
type addresses struct {
	by    map[netip.Addr]*address
	swept time.Duration
}

// at finds or makes the entry; nil when there is no room. rate is that of its handshakes.
func (t *addresses) at(a netip.Addr, now time.Duration, rate float64) *address {
	n := network(a)
	if e := t.by[n]; e != nil {
		return e
	}
	if len(t.by) >= maxAddresses && now-t.swept >= time.Second {
		t.swept = now
		for k, e := range t.by { // any order: what is over is dropped, whatever comes first
			if e.handshakes.leak(now, rate); e.conns == 0 && e.halves == 0 && e.handshakes.spent == 0 {
				delete(t.by, k)
			}
		}
	}
	if len(t.by) >= maxAddresses {
		return nil
	}
	e := &address{}
	t.by[n] = e
	return e
}
