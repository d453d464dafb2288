// Package teleport sends players from one host to another (C6). It is a protocol between hosts: neither knows more of the other
// than its messages, and each step of it can be lost.
//
//	source                          target                          player
//	  | -- reserve (id, state) ------> |                               |
//	  | <----- place, token ---------- |                               |
//	  | -- go there ---------------------------------------------------> |
//	  |                                | <----- joins with the token -- |
//	  | <----- handover -------------- |                               |
//	  | (ends the player here, and gives their profile back)           |
//	  | ----------- gone (state) ----> |                               |
//	  |                                | (takes the profile)           |
//	  | <----- arrived --------------- | ----- in the match ----------> |
//
// The player plays on at the source until the handover. From then on the source keeps their state for [Keep], so that they can come
// back if the target ends; it forgets it when they arrived. A target that hears nothing of the source takes it for dead after
// [Silence], and goes on with the state that came with the reservation. A profile changes its holder by its own lease (package
// profiles), whatever is lost here: nobody is in two worlds with it.
//
// It deliberately does not know: matches, sockets, NATS. A [Service] belongs to one goroutine, that of the world, and has no clock.
//
// Guarantees: Knows neither matches nor sockets; has no clock. At most one host admits a player at a time, but for one
// that was taken for dead.
package teleport

import (
	"time"

	"github.com/tidelock/tidelock/cmd/host/teleport/place"
)

// Times of the protocol.
const (
	// Offered is how long after the reservation a player may be handed over; both hosts forget it then.
	Offered = place.Offered
	// Silence is after how long without an answer the target takes the source for dead.
	Silence = 8 * time.Second
	// Keep is how long the source keeps the state of a player who left and did not arrive.
	Keep = 60 * time.Second

	reserveWithin = 3 * time.Second
	askEvery      = 500 * time.Millisecond // for the handover, while it is not there
	tellEvery     = time.Second            // that a player arrived, until the source has heard it
	tellFor       = 20 * time.Second
)

// Bounds of what hosts say.
const (
	// MaxState bounds a player's state, in bytes, MaxHops the players on their way at once.
	MaxState = 32 << 10
	MaxHops  = 1024
	maxText  = 256
	maxName  = 64
)
