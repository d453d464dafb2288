package cache_test

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Clients that share a cache in memory fetch a file once, and look for it in the folder once.
func TestMemory(t *testing.T) {
	below := &counting{files: map[wire.Hash][]byte{}}
	a, b := []byte("a"), []byte("b")
	below.files[wire.HashOf(a)] = a
	s := &cache.Memory{Below: below}
	for range 3 {
		if string(s.Get(wire.HashOf(a))) != "a" {
			t.Error("a is not there")
		}
		s.Put(wire.HashOf(b), b)
	}
	if below.gets != 1 || below.puts != 1 {
		t.Errorf("%d gets, %d puts below", below.gets, below.puts)
	}
}

type counting struct {
	files      map[wire.Hash][]byte
	gets, puts int
}

func (c *counting) Get(h wire.Hash) []byte { c.gets++; return c.files[h] }
func (c *counting) Put(wire.Hash, []byte)  { c.puts++ }
func (c *counting) Empty() bool            { return len(c.files) == 0 }
