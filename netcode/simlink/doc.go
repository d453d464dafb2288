// Package simlink is a link.Link on virtual time: a network inside one process, without sockets, clocks or
// goroutines, for scenarios. The same seed and the same calls give the same run to the last byte.
//
// A [Network] has one server end and any number of client ends, each with a [Path] of its own to the server: two
// directions that delay, lose, duplicate, reorder and throttle packets by their [Impairment], which may be changed
// at any time. Packets have the frames, headers and sizes of package kcplink, so that byte counts and budgets mean
// the same there and here.
//
// Reliable messages go through an ARQ of this package's own, and not through kcp-go as in kcplink: kcp-go reads the
// process's clock and hides it, so it cannot run on virtual time without a bubble of testing/synctest, which a
// program that runs scenarios does not have. The ARQ does what KCP does: selective acknowledgement, fast and timed
// retransmission, a window, in-order delivery. A lost packet delays everything after it here, too.
// TestSimlinkIsLikeKCP in package kcplink compares the two.
//
// All ends of a network share one clock: the now that they are given must have the same origin. A sent packet is in
// flight at once; an arrived one waits until that end is polled.
//
// It does not encrypt or prove identities, and its handshake is one round trip where kcplink's is two.
//
//	net := simlink.New(simlink.Config{Seed: 1})
//	server := net.Server()
//	client := net.Dial(0, simlink.Symmetric(simlink.Impairment{Lag: 75 * time.Millisecond, Loss: 0.02}))
//	for now := time.Duration(0); now < time.Minute; now += time.Second / 60 {
//		server.Poll(now, serverHandler)
//		client.Poll(now, clientHandler)
//		…
//		server.Flush(now)
//		client.Flush(now)
//	}
//
// Guarantees: The same seed gives the same run, to the byte.
package simlink
