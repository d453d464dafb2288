// Package throttle bounds how often something may happen, and defines which addresses count as one network. Time is
// a parameter.
//
//	var b throttle.Bucket
//	if !b.Take(now, 200, 400) { … } // more than 200 a second, in bursts of at most 400
//
// Its only table of addresses is that of wrong secrets (Guesses). It deliberately neither locks nor keeps another
// one; the content of entries, and when they are dropped, differs between its users.
//
// Guarantees: Time is a parameter; its only table, of wrong secrets, is bounded.
package throttle

import (
	"net/netip"
	"time"
)

// Bucket is a leaky bucket. Its zero value is empty: a whole burst is possible at once. All calls for one bucket
// count time from the same origin.
type Bucket struct {
	spent float64
	at    time.Duration
}

// Take spends one, at rate per second with bursts of burst, and reports whether that was allowed.
func (b *Bucket) Take(now time.Duration, rate, burst float64) bool {
	b.leak(now, rate)
	if b.spent+1 > burst {
		return false
	}
	b.spent++
	return true
}

// Empty reports whether the whole burst is available again: forgetting the bucket then changes nothing.
func (b *Bucket) Empty(now time.Duration, rate float64) bool {
	b.leak(now, rate)
	return b.spent == 0
}

// leak drains the bucket by the time since the last call. A clock that went back drains nothing.
func (b *Bucket) leak(now time.Duration, rate float64) {
	if passed := now - b.at; passed > 0 {
		b.spent = max(0, b.spent-rate*passed.Seconds())
	}
	b.at = now
}

// Network returns the network of an address: an IPv4 address is one, an IPv6 /64 is one, and all invalid addresses
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

// AddressOf returns the address in a text "address:port", as logs show peers; an invalid one for other texts.
func AddressOf(text string) netip.Addr {
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr()
}
