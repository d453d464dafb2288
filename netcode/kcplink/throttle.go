package kcplink

import (
	"hash/maphash"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/netcode/throttle"
)

// answerThrottle bounds answers to unknown peers, in total and by address, in fixed memory.
type answerThrottle struct {
	seed maphash.Seed
	all  throttle.Bucket
	by   [helloBuckets]throttle.Bucket
}

func (t *answerThrottle) take(a netip.Addr, now time.Duration, perAddress, most int) bool {
	ip := throttle.Network(a).As16()
	per, all := float64(perAddress), float64(most)
	// The address comes first: a request that it may not make must not use up those of others.
	return t.by[maphash.Bytes(t.seed, ip[:])%helloBuckets].Take(now, per, 2*per) && t.all.Take(now, all, all)
}

// address holds the counters of one network that has shown a cookie.
type address struct {
	handshakes    throttle.Bucket
	conns, halves int
}

// addresses is the table of networks, bounded by maxAddresses.
type addresses struct {
	by    map[netip.Addr]*address
	swept time.Duration
}

// at finds or creates the entry; nil if there is no room. rate is that of its handshakes.
func (t *addresses) at(a netip.Addr, now time.Duration, rate float64) *address {
	n := throttle.Network(a)
	if e := t.by[n]; e != nil {
		return e
	}
	if len(t.by) >= maxAddresses && now-t.swept >= time.Second {
		t.swept = now
		for k, e := range t.by { // any order: expired ones are dropped
			if e.conns == 0 && e.halves == 0 && e.handshakes.Empty(now, rate) {
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
