// Package throttle bounds how often something may happen, and says which addresses count as one. Time is a parameter.
//
//	var b throttle.Bucket
//	if !b.Take(now, 200, 400) { … } // more than 200 a second, in bursts of at most 400
//
// The one table of addresses here is that of wrong secrets (Guesses). It deliberately does not: lock, or keep another; what one may
// hold, and when an entry is dropped, differs between its users.
package throttle

import (
	"net/netip"
	"time"
)

// Bucket is a leaky bucket. Its zero value is empty: a whole burst may come at once. All calls for one bucket count time from the
// same origin.
type Bucket struct {
	spent float64
	at    time.Duration
}

// Take spends one, at rate a second with bursts of burst, and reports whether that was allowed.
func (b *Bucket) Take(now time.Duration, rate, burst float64) bool {
	b.leak(now, rate)
	if b.spent+1 > burst {
		return false
	}
	b.spent++
	return true
}

// Empty reports whether the whole burst may come again: forgetting the bucket then changes nothing.
func (b *Bucket) Empty(now time.Duration, rate float64) bool {
	b.leak(now, rate)
	return b.spent == 0
}

// leak gives back what the time since the last call allows. A clock that went back gives nothing back.
func (b *Bucket) leak(now time.Duration, rate float64) {
	if passed := now - b.at; passed > 0 {
		b.spent = max(0, b.spent-rate*passed.Seconds())
	}
	b.at = now
}

// Network is what an address counts as: an IPv4 address is one, an IPv6 network of 64 bits is one, and all that are no address
// are one.
func Network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a
	}
	b := a.As16()
	clear(b[8:])
	return netip.AddrFrom16(b)
}

// AddressOf is the address of a text "address:port", as logs show peers; an invalid one where it is another text.
func AddressOf(text string) netip.Addr {
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr()
}
