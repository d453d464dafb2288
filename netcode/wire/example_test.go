package wire_test

import (
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Two actors changed; one connection gets both in a datagram, and reads them.
func Example() {
	place, gold := &engine.Type{Kind: engine.KindVector}, &engine.Type{Kind: engine.KindInt}
	place.Layout()
	gold.Layout()
	layout := wire.NewLayout([]wire.Variable{{Type: place, Word: 0}, {Type: gold, Word: 3}})

	// Once per net update, for all connections.
	var values wire.Values
	var arena []byte
	var spans [][]byte
	for i := range 2 {
		storage := wire.Storage{Words: make([]uint64, 4)}
		engine.StoreVector(storage.Words, geom.V(float64(1000*i), 20, 96))
		storage.Words[3] = uint64(7 + i)
		from := len(arena)
		arena = layout.Append(arena, &values, &storage, &wire.Mask{0b11})
		spans = append(spans, arena[from:])
	}

	// Per connection.
	sent := wire.NewSent(64)
	var asm wire.Assembler
	b := wire.AppendHeader(nil, wire.Header{Seq: sent.Next()})
	asm.Reset(wire.MaxDatagram - len(b))
	for i, span := range spans {
		asm.Add(uint16(5+i), &wire.RunKey{Mask: wire.Mask{0b11}}, span)
	}
	b = asm.Append(b, 0)
	_, _ = sent.Push(0, nil) // record 0 remembers what went
	fmt.Printf("% x\n", b)

	// The other side.
	if err := wire.Guard(b); err != nil {
		fmt.Println(err)
	}
	r := wire.NewReader(b)
	fmt.Println("datagram", r.Header().Seq)
	d := r.Deltas()
	for d.Next() {
		for channel, ok := d.Channel(); ok; channel, ok = d.Channel() {
			words := make([]uint64, 4)
			for v := range d.Run.Mask.All() {
				at := layout.Variable(v)
				r.Value(at.Type, words[at.Word:], nil, nil)
			}
			fmt.Println("channel", channel, engine.LoadVector(words), words[3])
		}
	}
	fmt.Println(r.End())
	// Output:
	// 00 c0 00 fc 92 05 00 93 00 14 60 07 93 cd 03 e8 14 60 08
	// datagram 0
	// channel 5 (0, 20, 96) 7
	// channel 6 (1000, 20, 96) 8
	// <nil>
}
