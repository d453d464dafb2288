// Package relevancy answers which actors a connection is told about (R3 of docs/rules.md), why, and how much
// each of them lies in the player's view (R4.2). It decides; opening and closing channels is for others.
//
//	x := relevancy.New(world, relevancy.Config{})
//	x.Add(actor)                              // and Update when it moved or changed, Remove when it goes
//	view := x.View(playerController)          // once a net update and connection
//	for _, a := range x.Candidates(&view, buf[:0]) {
//		v := x.Decide(&view, a, sight(a), world.Time)
//	}
//
// The index finds by place what can matter to a viewer, so the work for one connection grows with what is near its
// view and not with the level (R3.11). Decide reads the actors themselves, so what it says is never older than they
// are; what the caller keeps between two looks is a [Sight] for each connection and actor. A server keeps a [Watch] for each
// connection, too, and searches with NearFlat and NearRest: then the work grows with what changes near the view.
//
// Nothing here knows connections, sockets or clocks: time is a parameter. One goroutine owns an index, the one that
// steps its world.
package relevancy
