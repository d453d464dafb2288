// Package drain takes a host out of service without ending a match: no new players come in, and the others play to the
// end of the round (C7). Then, or after a time, the players are let go, everything is stored, and the host ends.
// docs/cluster.md draws the ways that a drain takes.
//
// It deliberately does not know: matches, connections, stores, the clock. A [Drain] acts through its [Host], and its time is that of
// the loop that steps it, so that a host that was suspended does not cut a round short, and scenarios drain hosts on a virtual clock.
//
// Guarantees: Acts through an interface; has no clock: the host and scenarios use the same. Nothing leads back once the
// players are gone.
package drain

import "github.com/tidelock/tidelock/netcode/link"

// Host is what a drain does things with. All is called on the goroutine that owns the drain.
type Host interface {
	// Announce shows all players a line.
	Announce(text string)
	// TurnAway ends the connections of those who are on their way in and have no place here, as [Drain.Refuses] decides.
	TurnAway(why link.Reason)
	// Evacuate sends the players to other hosts that play the same game, as far as these have room.
	Evacuate()
	// OnTheWay returns how many players are on their way to other hosts: they may still come back.
	OnTheWay() int
	// Arriving returns for how many players on their way from other hosts a place is kept.
	Arriving() int
	// Players returns how many are in the match, for the log.
	Players() int
	// Empty reports whether nobody plays or is connecting.
	Empty() bool
	// MayReturn asks the game whether the player with a key may return to what they had, or with "" whether anybody may.
	MayReturn(key string) bool
	// Standing returns where the player with a key is who wants to come in; it is [Stranger] for a player without one.
	Standing(key string) Standing
	// Disconnect ends all connections with a reason, and has everything stored. It reports whether there is a network, which has to
	// repeat the goodbye.
	Disconnect(why link.Reason) (told bool)
	// Stored reports whether everything is stored, or has failed.
	Stored() bool
	// Travel goes to the next level, which the drain has held back.
	Travel(url string)
	// Changed tells everybody who shows it whether the host drains.
	Changed(draining bool)
}

// Standing is what a host has to do with a player who is not in the match.
type Standing uint8

const (
	// Stranger has nothing here but what the game may keep for them.
	Stranger Standing = iota
	// Inside has a connection already, whose silence was not noticed yet.
	Inside
	// Returning left this host for another one, and has not arrived there.
	Returning
	// Coming is on the way here from another host, which has reserved the place.
	Coming
)
