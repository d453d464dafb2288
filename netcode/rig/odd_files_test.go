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
	b := bundled(t, nil, many(bundle.MaxFiles, 1))
	l := loading(t, keeping{{1}: {1}}, b)
	if len(l.line.asked) != 1 || l.line.asked[0].Hash != b.Hash || l.line.asked[0].Files != nil {
		t.Fatal("the manifest is asked for first: ", l.line.asked)
	}
	l.gets(b.Alone(b.Hash))
	asked := l.line.asked
	if l.State() != client.Loading || len(asked) != 2 || asked[1].Hash != b.Hash || l.line.bytes > 1000 {
		t.Fatalf("the client is %s (%v) and asked for %d, in %d bytes", l.State(), l.Reason(), len(asked), l.line.bytes)
	}
	for n := range bundle.MaxFiles {
		if !bundle.Has(asked[1].Files, n) {
			t.Fatal("not asked for: ", n)
		}
	}
}
