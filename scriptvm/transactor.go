package scriptvm

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
)

// Transactor saves the profiles of several players as one.
type Transactor interface {
	// Together has the profiles of PlayerStates saved in one transaction, from now until they are saved. It fails if one cannot be saved now.
	Together(players []*engine.Actor) error
	// Fits returns an error if the profile of one of them, as they are now, is too large to be stored.
	Fits(players []*engine.Actor) error
	// Save saves them, and calls done when they are safe, or with an error that says whether they were stored; never within Save.
	Save(players []*engine.Actor, done func(error))
	// Capture makes what a PlayerState has now the data of its profile, which the next save writes, and returns it: with variables that
	// its class does not have, or not any more. It is nil for one without a profile.
	Capture(player *engine.Actor) *store.Table
	// Later calls a function at the next tick.
	Later(func())
}
