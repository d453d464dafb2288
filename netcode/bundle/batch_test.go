package bundle_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// What a client gets by the addresses of a bundle is all of its files, and nothing that was changed on the way is taken (W2.5).
func TestBatches(t *testing.T) {
	var files []bundle.File
	for i := range 40 {
		files = append(files, bundle.File{Name: fmt.Sprintf("scripts/%02d.lua", i), Data: []byte(strings.Repeat(fmt.Sprintf("-- %d\n", i), 2000))})
	}
	files = append(files, bundle.File{Name: "levels/large.map", Data: bytes.Repeat([]byte("{ }\n"), 60000)})
	b, err := bundle.New(files)
	if err != nil {
		t.Fatal(err)
	}
	get := func(h wire.Hash) []byte { return bytes.Clone(b.Batch(h)) }
	manifest := get(b.Addresses()[0])
	if wire.HashOf(manifest) != b.Hash {
		t.Error("the first address is not the manifest's")
	}
	list, err := bundle.Read(manifest)
	if err != nil {
		t.Fatal(err)
	}
	batches := bundle.Batches(list)
	if len(batches) != len(b.Addresses())-1 || len(batches) < 4 {
		t.Fatalf("%d batches, %d addresses", len(batches), len(b.Addresses()))
	}
	got := map[wire.Hash][]byte{}
	for i := range batches {
		if batches[i].Hash != b.Addresses()[i+1] {
			t.Errorf("batch %d has another address than the bundle says", i)
		}
		if err := batches[i].Split(get(batches[i].Hash), func(h wire.Hash, data []byte) { got[h] = data }); err != nil {
			t.Error(err)
		}
	}
	for _, f := range files {
		if h := wire.HashOf(f.Data); !bytes.Equal(got[h], f.Data) || !bytes.Equal(get(h), f.Data) {
			t.Errorf("%s is not there, or by itself another", f.Name)
		}
	}
	if b.Batch(wire.HashOf([]byte("another"))) != nil {
		t.Error("there is a file of a hash of nothing")
	}

	last := batches[len(batches)-1]
	data := get(last.Hash)
	put := func(wire.Hash, []byte) { t.Error("a file of a batch that was changed is taken") }
	data[len(data)-1]++
	if err := last.Split(data, put); err == nil || !strings.Contains(err.Error(), last.Files[len(last.Files)-1].Name) {
		t.Errorf("changed: %v", err)
	}
	data[len(data)-1]--
	if last.Split(data[:len(data)-1], put) == nil || last.Split(append(data, 0), put) == nil {
		t.Error("too short or too long, and no error")
	}
}
