// Package relevancy decides which actors are relevant to a connection (R3 of docs/rules.md), why, and how
// important each of them is to the player's view (R4.2). It only decides; package netcode/server opens and
// closes channels.
//
//	x := relevancy.New(world, relevancy.Config{})
//	x.Add(actor)                              // and Update when it moved or changed, Remove when it goes
//	view := x.View(playerController)          // once a net update and connection
//	for _, a := range x.Candidates(&view, buf[:0]) {
//		v := x.Decide(&view, a, sight(a), world.Time)
//	}
//
// The index finds by location the actors that can matter to a viewer, so the work for one connection grows with
// the number of actors near its view and not with the level (R3.11). Decide reads the actors themselves, so its
// result is always up to date; what the caller keeps between two calls is a [Sight] for each connection and
// actor. A server also keeps a [Watch] for each connection, and searches with NearFlat and NearRest: then the
// work grows with the changes near the view.
//
// Nothing here knows connections, sockets or clocks: time is a parameter. One goroutine owns an index, the one that
// steps its world.
//
// Guarantees: Work grows with the number of actors nearby; every answer names a numbered rule; allocates nothing.
package relevancy
