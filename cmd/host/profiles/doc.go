// Package profiles holds what players own beyond a match, for one host of possibly many (C2).
//
// A profile is one record of the store: who holds it, a fence, and the data. A host takes a profile by a compare-and-swap that
// raises the fence, and every save is a compare-and-swap on the revision of its last write: a host that was overtaken finds out before
// anything is acknowledged. No decision rests on a read: a read only says which revision to swap.
//
// The requests of a profile that goes from one host to another:
//
//	host A                         store                          host B
//	  | -- read ---------------------> |                               |
//	  | -- take (A, fence + 1) ------> |                               |
//	  |      (admits the player)       |                               |
//	  | -- save ---------------------> |                               |
//	  | -- save two together --------> |                               |
//	  |                                | <-------------------- read -- |
//	  |                                |     (A holds it: B waits)     |
//	  | -- give back (nobody) -------> |                               |
//	  |                                | <-------------------- read -- |
//	  |                                | <----- take (B, fence + 1) -- |
//
// A host that died cannot give its profiles back. Another one watches the record: if it sees no new revision for [Expiry] by its
// own clock, it takes the profile. Holders write at least every [Beat] therefore. Where the store belongs to one host
// (Options.Exclusive) neither is needed.
//
// The package has no clock and no goroutine: [Book.Tick] is called between ticks with the time.
//
// Guarantees: Every decision is a compare-and-swap; no clock, no goroutine. A profile has one holder, and what was
// acknowledged is stored.
package profiles

import "time"

// Times of leases (C2).
const (
	Expiry      = 30 * time.Second      // without a new revision, after which another host takes a profile
	Beat        = 10 * time.Second      // how often a holder writes at least
	Interval    = 30 * time.Second      // how often changed data is saved, unless Options say otherwise
	look        = 2 * time.Second       // between two looks at a profile that another host holds
	hurried     = 15 * time.Millisecond // the same, while Hurry is called, at first; twice as long each time, until hurriedMost
	hurriedMost = 100 * time.Millisecond
	again       = time.Second // after an error
)

// Versions is how many older versions of a profile are kept: what it was when each of the latest hosts took it.
const Versions = 10
