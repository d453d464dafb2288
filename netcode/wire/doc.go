// Package wire encodes and decodes the bytes between two peers, and nothing else: no sockets, clocks, goroutines or
// worlds. All of it is msgpack that any decoder can read; docs/protocol.md describes the same layout with test
// vectors, and a test compares it with this code.
//
// Functions of the form AppendX(b, …) []byte write. [Reader] reads; it allocates nothing except the strings it
// returns, and its first error sticks. Everything a peer sends passes [Guard] first; every decoder validates its
// input all the same.
//
//	datagram            header, messages, deltas        [Header], [Kind], [Deltas]
//	reliable message    messages
//
// # One net update
//
// No appended bytes contain their own position, so what is the same for all connections is encoded once and copied.
// The package above keeps an arena per net update and, per changed variable, the position of its bytes; a [Layout]
// per class encodes all changes of an actor at once:
//
//	arena, values.Ends = arena[:0], ends
//	for each changed actor {
//		from := len(arena)
//		arena = layout.Append(arena, &values, &storage, &changed)
//		… variable k of changed is arena[values.Ends[k-1]:values.Ends[k]], the first from from
//	}
//
// The variables of an actor are adjacent, so a connection that gets all of them needs one fragment; functions of
// their own append values that are not in words (native ones, elements of arrays, fast arrays). A connection that
// must not know an actor referred to gets another fragment: see [Names]. Per connection and datagram, in order of
// priority:
//
//	seq := sent.Next()
//	b = wire.AppendHeader(b[:0], header)
//	b = … messages: unreliable calls, Received, Tell
//	asm.Reset(budget - len(b))
//	for each actor due {
//		if !asm.Add(channel, &wire.RunKey{Mask: mask}, arena[span.from:span.to]) { break }
//		… remember what went: actor and mask, in the record of seq
//	}
//	b = asm.Append(b, epoch)
//	seq, fates = sent.Push(record, delivery notifications)
//
// # Acknowledgement
//
// The receiver enters each datagram into its [Window] and acknowledges it in the header of its next one. The sender
// passes that to [Sent.Ack] and gets, per datagram, the record that it passed to Push and whether the datagram
// arrived: lost content is pending again, and content that arrived may be a base.
//
// # Relative vectors
//
// A position that changes in every net update takes two to four bytes as the difference from a position that the
// receiver is known to hold, instead of eight. Per moving variable the sender keeps [Bases], once for all
// connections, by number of the net update; per connection and variable, it keeps the newest acknowledged datagram
// that held it and that datagram's net update. Connections with the same base share the fragment:
//
//	arena = wire.AppendRelative(arena, now, base)
//	asm.Add(channel, &wire.RunKey{Mask: mask, Rel: location, Age: seq.Since(acknowledged)}, …)
//
// In the worlds of the comparison (tests/bench), a delta takes 3.8 bytes, including mask, channel and a share of the
// header.
//
// The receiver keeps [Bases] by number of the datagram. If there is no base within [MaxAge] datagrams, or the
// difference is not shorter ([RelativeSize]), the whole value is sent: the same mask with an empty Rel.
//
// # Reading
//
//	if err := wire.Guard(b); err != nil { … }
//	r := wire.NewReader(b)
//	h := r.Header()
//	for r.Peek() == wire.ShapeArray {
//		switch kind, n := r.Message(); kind {
//		case wire.KindCall: …
//		}
//	}
//	if r.More() {
//		d := r.Deltas()
//		for d.Next() {
//			for ch, ok := d.Channel(); ok; ch, ok = d.Channel() { … }
//		}
//	}
//	if err := r.End(); err != nil { … }
//
// A datagram is either valid or not: code that applies parts of one while reading must have validated all of it
// before, or read into storage of its own, because a datagram must not be acknowledged in part.
//
// Guarantees: Input from a peer never causes allocations, panics or endless loops.
package wire
