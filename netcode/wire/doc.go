// Package wire is the bytes between two peers, and nothing but bytes: no sockets, clocks, goroutines, worlds. All of
// it is msgpack that any decoder can read; docs/protocol.md is the same layout as a document with test vectors,
// held to this code by a test.
//
// Writing is by functions of the form AppendX(b, …) []byte. Reading is by [Reader], which allocates nothing but
// the strings it gives, and whose first error sticks. Whatever a peer sends goes through [Guard] first; every
// decoder is defensive by itself all the same.
//
//	datagram            header, messages, deltas        [Header], [Kind], [Deltas]
//	reliable message    messages
//
// # One net update
//
// Nothing that is appended contains its own place, so what is the same for all connections is encoded once and
// copied. The package above keeps an arena per net update and, per variable that changed, where its bytes are; a
// [Layout] per class encodes all that changed of an actor at once:
//
//	arena, values.Ends = arena[:0], ends
//	for each changed actor {
//		from := len(arena)
//		arena = layout.Append(arena, &values, &storage, &changed)
//		… variable k of changed is arena[values.Ends[k-1]:values.Ends[k]], the first from from
//	}
//
// Variables of an actor lie together, so a connection that gets all of them needs one fragment; values that are not in
// words (native ones, elements of arrays, fast arrays) are appended by their own functions. A fragment for a connection
// that must not know an actor referred to is another one: see [Names]. Per connection and datagram, in order of
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
// The receiver takes each datagram into its [Window] and tells of it in the header of its next one. The sender
// hands that to [Sent.Ack] and gets, per datagram, the record that it gave to Push and whether it arrived: what was
// lost is pending again, what arrived may be a base.
//
// # Relative vectors
//
// A place that changes with every net update takes two to four bytes as the difference to a place that the
// receiver is known to hold, instead of eight. Per moving variable the sender keeps [Bases], once for all
// connections, by number of the net update; per connection and variable, the newest acknowledged datagram that
// held it and that datagram's net update. Connections with the same base share the fragment:
//
//	arena = wire.AppendRelative(arena, now, base)
//	asm.Add(channel, &wire.RunKey{Mask: mask, Rel: location, Age: seq.Since(acknowledged)}, …)
//
// TestBytesOfWorlds does all of this for the worlds of the comparison: 3.8 bytes a delta, mask, channel and share of
// the header included.
//
// The receiver keeps [Bases] by number of the datagram. Where there is no base within [MaxAge] datagrams, or the
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
// A datagram is sound or it is not: who applies parts of one while reading must have looked through it before,
// or read into storage of its own, since it must not be acknowledged in part.
package wire
