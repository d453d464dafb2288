// Package view shows a match to the player at this machine on a terminal, and turns keys into the player's actions. It is
// the same for a client of some host (`host join`) and for the player of a host itself (`host --mode listen`, standalone).
//
//	v := view.New(view.Options{Colour: true, Keys: true})
//	for each tick {
//		quit := v.Play(seat, now)      // before the world's step: keys become input
//		…
//		screen.Show(v.Draw(seat, width, height)) // a few times a second, after it
//	}
//
// A View reads the world and belongs to the goroutine that owns it; only Line and Type may be called by others.
// It deliberately does not: write to a terminal (package console), or know which peer decides the match.
//
// Guarantees: A client and a host's own player see the same. The package reads the world and writes to no terminal.
package view
