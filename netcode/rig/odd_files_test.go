package rig_test

import (
	"fmt"
	"testing"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/wire"
)

// listening is a link's connection that remembers what was asked for.
type listening struct {
	mute
	asked []wire.Hash
	bytes int
}

func (l *listening) Send(b []byte) error {
	r := wire.NewReader(b)
	if kind, n := r.Message(); kind == wire.KindWant {
		l.asked = append(l.asked, r.Want(n).Hash)
		l.bytes += len(b)
	}
	return nil
}

// TestManyFiles: a match of as many files as there may be is asked for in parts, none of which a server throttles.
func TestManyFiles(t *testing.T) {
	var files []bundle.File
	for n := range bundle.MaxFiles {
		files = append(files, bundle.File{Name: fmt.Sprintf("scripts/%04d.lua", n), Data: fmt.Appendf(nil, "file %d", n)})
	}
	b, err := bundle.New(files)
	if err != nil {
		t.Fatal(err)
	}
	l := &listening{}
	c := client.New(client.Config{Link: idle{}})
	c.Opened(l)
	c.Message(l, wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30, Manifest: b.Hash}))
	asked := map[wire.Hash]bool{}
	for len(asked) < bundle.MaxFiles { // all but the last of which nothing came
		tick(c)
		if c.State() != client.Loading {
			t.Fatalf("the client is %s: %v", c.State(), c.Reason())
		}
		if len(l.asked) == 0 || l.bytes > 20_000 {
			t.Fatalf("asked for %d files in %d bytes, %d before", len(l.asked), l.bytes, len(asked))
		}
		for _, h := range l.asked {
			if asked[h] {
				t.Fatal("asked twice")
			}
			asked[h] = true
			data := b.Get(h)
			for at := 0; at < len(data); {
				ch := wire.Chunk{Hash: h, Offset: at, Total: len(data), Data: data[at:min(len(data), at+wire.MaxChunk)]}
				c.Message(l, wire.AppendChunk(nil, &ch))
				at += len(ch.Data)
			}
		}
		l.asked, l.bytes = nil, 0
	}
}
