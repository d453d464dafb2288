package rig_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/wire"
)

// listening is a link's connection that remembers what was requested.
type listening struct {
	mute
	asked []wire.Want
	bytes int
	cold  bool
}

func (l *listening) Send(b []byte) error {
	r := wire.NewReader(b)
	kind, n := r.Message()
	switch kind {
	case wire.KindHello:
		l.cold = r.Hello(n).Cold
	case wire.KindWant:
		m := r.Want(n)
		m.Files = slices.Clone(m.Files)
		l.asked = append(l.asked, m)
		l.bytes += len(b)
	}
	return nil
}

// pieces are the chunks of an archive.
func pieces(p *bundle.Archive) (out [][]byte) {
	packed := p.Packed()
	for at := 0; at < len(packed); at += wire.MaxChunk {
		out = append(out, wire.AppendChunk(nil, &wire.Chunk{
			Hash: p.Hash, Files: p.Files, Base: p.Base, Size: p.Size, Packed: len(packed), Offset: at,
			Data: packed[at:min(len(packed), at+wire.MaxChunk)],
		}))
	}
	return out
}

// many are n files of some length that differ.
func many(n, size int) (files []bundle.File) {
	for i := range n {
		files = append(files, bundle.File{Name: fmt.Sprintf("scripts/%04d.lua", i), Data: fmt.Appendf(nil, "%d%s", i, strings.Repeat("x", size))})
	}
	return files
}

// keeping is a cache that has some files.
type keeping map[wire.Hash][]byte

func (k keeping) Get(h wire.Hash) []byte    { return k[h] }
func (k keeping) Put(h wire.Hash, b []byte) { k[h] = b }
func (k keeping) Empty() bool               { return len(k) == 0 }

// TestManyFiles: a match of as many files as there may be is requested in one message, short enough for the server.
func TestManyFiles(t *testing.T) {
	b, err := bundle.New(many(bundle.MaxFiles, 1))
	if err != nil {
		t.Fatal(err)
	}
	l := &listening{}
	c := client.New(client.Config{Link: idle{}, Cache: keeping{{1}: {1}}})
	c.Opened(l)
	c.Message(l, wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30, Manifest: b.Hash}))
	if len(l.asked) != 1 || l.asked[0].Hash != b.Hash || l.asked[0].Files != nil {
		t.Fatal("the manifest is asked for first: ", l.asked)
	}
	for _, m := range pieces(b.Alone(b.Hash)) {
		c.Message(l, m)
	}
	for range 5 {
		tick(c)
	}
	if c.State() != client.Loading || len(l.asked) != 2 || l.asked[1].Hash != b.Hash || l.bytes > 1000 {
		t.Fatalf("the client is %s (%v) and asked for %d, in %d bytes", c.State(), c.Reason(), len(l.asked), l.bytes)
	}
	for n := range bundle.MaxFiles {
		if !bundle.Has(l.asked[1].Files, n) {
			t.Fatal("not asked for: ", n)
		}
	}
}
