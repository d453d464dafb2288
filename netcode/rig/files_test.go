package rig_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/tests/heap"
)

// taker is a client's host that takes the files and makes no world.
type taker struct{ files []bundle.File }

var errTaken = errors.New("taken")

func (k *taker) Open(_ *wire.Welcome, files []bundle.File) (*engine.World, error) {
	k.files = files
	return nil, errTaken
}

func (*taker) Reload([]bundle.File) error { return errTaken }

// loader is a client whose server is made up, on its way into a match.
type loader struct {
	*client.Client
	line *listening
	host *taker
}

func loading(t *testing.T, cache bundle.Cache, b *bundle.Bundle) *loader {
	t.Helper()
	l := &loader{line: &listening{}, host: &taker{}}
	l.Client = client.New(client.Config{Link: idle{}, Cache: cache, Host: l.host})
	l.Opened(l.line)
	l.says(wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30, Manifest: b.Hash}))
	return l
}

// says is messages of the server, and a tick.
func (l *loader) says(messages ...[]byte) {
	for _, m := range messages {
		l.Message(l.line, m)
	}
	tick(l.Client)
}

// gets are archives, each with a tick.
func (l *loader) gets(list ...*bundle.Archive) {
	for _, p := range list {
		l.says(pieces(p)...)
	}
}

func (l *loader) took(t *testing.T, b *bundle.Bundle) {
	t.Helper()
	if len(l.host.files) > 0 {
		t.Error("it loads before what came last is acknowledged")
	}
	tick(l.Client)
	if l.State() != client.Closed || l.Reason().Code != "scripts" || len(l.host.files) != len(b.Files) {
		t.Fatalf("the client is %s (%v) and took %d files, want %d", l.State(), l.Reason(), len(l.host.files), len(b.Files))
	}
	for i := range b.Files {
		if l.host.files[i].Name != b.Files[i].Name || !bytes.Equal(l.host.files[i].Data, b.Files[i].Data) {
			t.Errorf("file %d is another", i)
		}
	}
}

func bundled(t testing.TB, before *bundle.Bundle, files []bundle.File) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Next(before, files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noisy are n files that do not compress, so that there are several archives.
func noisy(n, size int) (files []bundle.File) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		b := make([]byte, size)
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		files = append(files, bundle.File{Name: fmt.Sprintf("scripts/%04d.lua", i), Data: b})
	}
	return files
}

// changed is files with another text in some.
func changed(files []bundle.File, which ...int) []bundle.File {
	out := append([]bundle.File(nil), files...)
	for _, i := range which {
		out[i].Data = append([]byte("-- new\n"), out[i].Data...)
	}
	return out
}

// announced is a reload as the server tells of it.
func announced(b *bundle.Bundle, epoch uint8, u *bundle.Update) []byte {
	return wire.AppendClasses(nil, &wire.Classes{Epoch: epoch, Manifest: b.Hash, Files: u.Files})
}

// TestColdAsksNothing: who has nothing at all says so, and is sent everything without asking; a reload meanwhile changes
// nothing of that.
func TestColdAsksNothing(t *testing.T) {
	for _, reload := range []bool{false, true} {
		files := noisy(20, 20_000)
		a := bundled(t, nil, files)
		l := loading(t, nil, a)
		all := a.All([]*bundle.Archive{a.Alone(a.Hash)})
		b := a
		if reload {
			b = bundled(t, a, changed(files, 3))
			u := b.Since(a)
			l.says(announced(b, 2, u))
			l.gets(u.Full...)
		}
		l.gets(all...)
		l.took(t, b)
		if !l.line.cold || len(l.line.asked) != 0 {
			t.Errorf("reload %v: cold %v, asked for %d", reload, l.line.cold, len(l.line.asked))
		}
	}
	a := bundled(t, nil, noisy(2, 10))
	if l := loading(t, keeping{{1}: {1}}, a); l.line.cold || len(l.line.asked) != 1 {
		t.Error("who has files asks for what lacks")
	}
}

// TestReloadWhileFetching: a client in the middle of fetching goes on where it was when reloads come (R5.23): what is on its
// way is not requested again, and neither is what comes unasked.
func TestReloadWhileFetching(t *testing.T) {
	files := noisy(20, 20_000)
	a := bundled(t, nil, files)
	b := bundled(t, a, changed(files, 3, 17))
	c := bundled(t, b, changed(changed(files, 3, 17), 4))
	for at := range a.All(nil) {
		l := loading(t, keeping{{1}: {1}}, a)
		l.gets(a.Alone(a.Hash))
		if len(l.line.asked) != 2 {
			t.Fatal("asked for ", len(l.line.asked))
		}
		all := a.Archives(nil, l.line.asked[1].Files)
		l.gets(all[:at]...)
		ub, uc := b.Since(a), c.Since(b)
		l.says(announced(b, 2, ub))
		l.says(announced(c, 3, uc))
		l.gets(all[at:]...)
		l.gets(ub.Full...)
		l.gets(uc.Full...)
		l.took(t, c)
		if len(l.line.asked) != 2 {
			t.Errorf("after %d archives: asked %d times more", at, len(l.line.asked)-2)
		}
	}
}

// TestCutOff: who is cut off while they fetch goes on from there when they come again.
func TestCutOff(t *testing.T) {
	a := bundled(t, nil, noisy(20, 20_000))
	cache := keeping{}
	l := loading(t, cache, a)
	all := a.All(nil)
	l.gets(a.Alone(a.Hash), all[0], all[1])
	m := loading(t, cache, a)
	if m.line.cold || len(m.line.asked) != 1 || m.line.asked[0].Hash != a.Hash {
		t.Fatal("asked for: ", len(m.line.asked))
	}
	rest := a.Archives(nil, m.line.asked[0].Files)
	if len(rest) != len(all)-2 {
		t.Errorf("%d archives are asked for, want %d", len(rest), len(all)-2)
	}
	m.gets(rest...)
	m.took(t, a)
}

// TestForgottenManifest: a server that was reloaded more often than it remembers answers that it has not what was requested
// of an old manifest; that is requested by the new one.
func TestForgottenManifest(t *testing.T) {
	files := noisy(20, 20_000)
	a := bundled(t, nil, files)
	b := bundled(t, a, changed(files, 3))
	l := loading(t, keeping{{1}: {1}}, a)
	l.gets(a.Alone(a.Hash))
	asked := l.line.asked[1].Files
	u := b.Since(nil)
	u.Files = b.Since(a).Files
	l.says(announced(b, 2, u))
	l.gets(b.Since(a).Full...)
	l.says(wire.AppendChunk(nil, &wire.Chunk{Hash: a.Hash, Files: asked}))
	tick(l.Client)
	if len(l.line.asked) != 3 || l.line.asked[2].Hash != b.Hash || bundle.Has(l.line.asked[2].Files, 3) || !bundle.Has(l.line.asked[2].Files, 4) {
		t.Fatalf("asked for: %+v", l.line.asked)
	}
	l.gets(b.Archives(nil, l.line.asked[2].Files)...)
	l.took(t, b)
}

// TestHostileFiles: archives that are not what they say end the connection, before they have taken memory.
func TestHostileFiles(t *testing.T) {
	files := noisy(30, 400)
	a := bundled(t, nil, files)
	swapped := append([]bundle.File(nil), files...)
	swapped[5].Data = bytes.Clone(files[5].Data)
	swapped[5].Data[7] ^= 1
	other := bundled(t, nil, swapped)
	zeros := bundle.Single(wire.Hash{}, make([]byte, wire.MaxFile))
	group := func() *bundle.Archive { return a.All(nil)[0] }
	chunk := func(edit func(m *wire.Chunk)) []byte {
		p := group()
		m := wire.Chunk{Hash: p.Hash, Files: p.Files, Size: p.Size, Packed: len(p.Packed()), Data: p.Packed()}
		edit(&m)
		return wire.AppendChunk(nil, &m)
	}
	manifest := pieces(a.Alone(a.Hash))[0]
	for what, messages := range map[string][][]byte{
		"a file of another hash": {manifest, chunk(func(m *wire.Chunk) {
			m.Data = other.Archives(nil, group().Files)[0].Packed()
			m.Packed = len(m.Data)
		})},
		"another size":           {manifest, chunk(func(m *wire.Chunk) { m.Size-- })},
		"fewer files":            {manifest, chunk(func(m *wire.Chunk) { m.Files = m.Files[:1] })},
		"a bomb":                 {manifest, chunk(func(m *wire.Chunk) { m.Data = zeros.Packed(); m.Packed = len(m.Data) })},
		"noise":                  {manifest, chunk(func(m *wire.Chunk) { m.Data = bytes.Repeat([]byte{0xff}, m.Packed) })},
		"pieces out of order":    {manifest, chunk(func(m *wire.Chunk) { m.Data = m.Data[:100] }), chunk(func(m *wire.Chunk) { m.Offset, m.Data = 200, m.Data[200:300] })},
		"a piece in the middle":  {manifest, chunk(func(m *wire.Chunk) { m.Offset, m.Data = 200, m.Data[200:300] })},
		"a base that is nowhere": {manifest, chunk(func(m *wire.Chunk) { m.Base = wire.Hash{9} })},
		"no manifest":            {wire.AppendChunk(nil, &wire.Chunk{Hash: a.Hash})},
		"no files":               {manifest, wire.AppendChunk(nil, &wire.Chunk{Hash: a.Hash, Files: group().Files})},
	} {
		l := loading(t, nil, a)
		for _, m := range messages {
			l.says(m)
		}
		tick(l.Client)
		if l.State() != client.Closed || l.Reason().Code != "files" {
			t.Errorf("%s: the client is %s: %v", what, l.State(), l.Reason())
		}
	}
	bad := wire.HashOf([]byte("no manifest"))
	l := &loader{line: &listening{}, host: &taker{}}
	l.Client = client.New(client.Config{Link: idle{}, Host: l.host})
	l.Opened(l.line)
	l.says(wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30, Manifest: bad}))
	l.says(single([]byte("no manifest")))
	if l.State() != client.Closed || l.Reason().Code != "files" {
		t.Errorf("a manifest that is none: the client is %s: %v", l.State(), l.Reason())
	}
}

// TestFilesBounded: a server that sends forever what compresses to nothing is left before it has filled the client's memory,
// and so is one that announces without end.
func TestFilesBounded(t *testing.T) {
	a := bundled(t, nil, many(3, 10))
	l := loading(t, nil, a)
	before := heap.Live()
	n := 0
	for data := make([]byte, wire.MaxFile); l.State() != client.Closed && n < 100; n++ {
		data[n] = 1
		l.says(single(data))
	}
	if l.Reason().Code != "files" || n > 16 {
		t.Errorf("after %d files of 4 MB the client is %s: %v", n, l.State(), l.Reason())
	}
	held := heap.Live() - before
	runtime.KeepAlive(l)
	if held > 80<<20 {
		t.Errorf("%d MB are held", held>>20)
	}
	l = loading(t, nil, a)
	for n = 0; l.State() != client.Closed && n < 20_000; n++ {
		if l.Message(l.line, single(fmt.Appendf(nil, "file %d", n))); n%100 == 0 {
			tick(l.Client)
		}
	}
	if l.Reason().Code != "files" {
		t.Errorf("after %d small files the client is %s: %v", n, l.State(), l.Reason())
	}
	l = loading(t, keeping{{1}: {1}}, a)
	for n = 0; l.State() != client.Closed && n < 10_000; n++ {
		l.says(wire.AppendClasses(nil, &wire.Classes{Epoch: 2, Manifest: wire.Hash{1, byte(n), byte(n >> 8)}, Files: bytes.Repeat([]byte{1}, 512)}))
	}
	if l.Reason().Code != "files" || n > 300 {
		t.Errorf("after %d reloads the client is %s: %v", n, l.State(), l.Reason())
	}
}

// TestCacheIsQuicker: files of a reload that the cache has first, since another player of the same machine was quicker, come
// all the same; nothing is lost or ends by that, however many reloads follow each other, more than the server remembers
// manifests; and a client gets in that loads over a bad line meanwhile (R5.23).
func TestCacheIsQuicker(t *testing.T) {
	o := newParty(func(r *rig.Rig) { r.Weight, r.Cache = 30_000, keeping{} })
	quick, slow := o.Join(path(5*time.Millisecond, 0)), o.Join(path(300*time.Millisecond, 0.1))
	o.Run(5)
	o.Weight, o.Cache = 100_000, nil
	late := o.Join(path(120*time.Millisecond, 0.05))
	for n := range 14 {
		o.Step(5 * n)
		o.Reload(guest(), blob(), &engine.ClassSpec{Name: fmt.Sprint("Extra", n), Parent: "Actor"})
	}
	x := o.Spawn("Extra13", engine.SpawnParams{})
	o.Run(20)
	for _, p := range []*rig.Peer{quick, slow, late} {
		if p.State() != client.Playing || p.Copy(x) == nil {
			t.Errorf("the client is %s (%v); its copy is %v", p.State(), p.Reason(), p.Copy(x))
		}
	}
}

// TestDownloadTotal: those who join at the same time share what the server may send of files, each in their turn.
func TestDownloadTotal(t *testing.T) {
	const players, weight, total = 5, 100_000, 150_000
	r := rig.New(blob())
	r.Weight, r.Config.Limits.DownloadTotal = weight, total
	r.Start()
	for range players {
		r.Join(path(10*time.Millisecond, 0))
	}
	r.Run(1.5)
	var got []float64
	r.Server.Connections(func(*server.Conn) { t.Error("somebody is in already") })
	for _, p := range r.Peers {
		got = append(got, float64(p.Session().Conn.Stats().BytesIn))
	}
	if least, most := slices.Min(got), slices.Max(got); least < most/2 || most > 80_000 {
		t.Errorf("after 1.5 s they have %v bytes", got)
	}
	for n := 0; r.Now < 20*time.Second && n < players; {
		r.Step(1)
		n = 0
		r.Server.Connections(func(*server.Conn) { n++ })
	}
	if least := time.Second * (players*weight - total/4) / total; r.Now < least || r.Now > least+time.Second {
		t.Errorf("all are in after %v, want about %v", r.Now, least)
	}
}
