package session_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/browser/session"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// take gives a stock all that a bundle has, but for batches for which change gives nil, and as change gives it.
func take(t *testing.T, s *session.Stock, b *bundle.Bundle, change func(i int, data []byte) []byte) (refused int) {
	t.Helper()
	if err := s.Manifest(b.Batch(b.Addresses()[0])); err != nil {
		t.Fatal(err)
	}
	if s.Batches() != len(b.Addresses())-1 {
		t.Fatalf("%d batches; the bundle has %d", s.Batches(), len(b.Addresses())-1)
	}
	for i := range s.Batches() {
		data := change(i, bytes.Clone(b.Batch(b.Addresses()[i+1])))
		if data == nil {
			continue
		}
		if err := s.Batch(i, data); err != nil {
			refused++
			if s.Has(i) {
				t.Error("a batch that was refused is kept")
			}
		}
	}
	for s.Step(time.Nanosecond) {
	}
	return refused
}

func asIs(_ int, data []byte) []byte { return data }

// What came by HTTP does not come by the link again, what is missing or was changed on the way does, and so does what is another
// since (W2.5, R5.23).
func TestStock(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(i int, data []byte) []byte
		refused int
		most    float64 // share of the bytes that still cross the link
		least   float64
	}{
		"all":      {change: asIs, most: 0.1},
		"nothing":  {change: func(int, []byte) []byte { return nil }, most: 1.1, least: 0.9},
		"one less": {change: func(i int, data []byte) []byte { return map[bool][]byte{false: data}[i == 0] }, most: 0.6, least: 0.1},
		"changed": {refused: 1, most: 0.6, least: 0.1, change: func(i int, data []byte) []byte {
			if i == 0 {
				data[100] ^= 1
			}
			return data
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := session.NewFiles()
				stock := session.NewStock(files, shared.protos, shared.levels)
				r := newRigWith(t, session.Config{Name: "Ann"}, files)
				if refused := take(t, stock, r.files, tc.change); refused != tc.refused {
					t.Errorf("%d batches refused; expected %d", refused, tc.refused)
				}
				r.until("the world", 30*time.Second, func() bool { return r.s.World() != nil })
				all := 0
				for _, p := range r.files.All(nil) {
					all += len(p.Packed())
				}
				if level := stock.Level(); name == "all" && (level == nil || r.s.World().Level != level) {
					t.Error("the level that was parsed first is not the world's")
				}
				if share := float64(r.down) / float64(all); share > tc.most || share < tc.least {
					t.Errorf("%d bytes came by the link, %.2f of all files; expected %v to %v", r.down, share, tc.least, tc.most)
				}
			})
		})
	}
}

// A stock compiles what a session will run, and nothing is left to compile in the world's first tick (W1.4).
func TestStockCompiles(t *testing.T) {
	files, protos := session.NewFiles(), classfile.NewCache(scriptvm.Natives())
	stock := session.NewStock(files, protos, shared.levels)
	if stock.Step(time.Hour) || stock.Has(0) || stock.Has(-1) || stock.Batch(0, nil) == nil {
		t.Error("there is something before a manifest")
	}
	b, err := bundle.New([]bundle.File{
		{Name: "scripts/core/Actor.lua", Data: []byte("local Actor = class(\"Actor\")\nfunction Actor:Run() return 1 end\n")},
		{Name: "scripts/core/Valve.lua", Data: []byte("local Valve = class(\"Valve\", \"Actor\")\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := stock.Manifest(b.Manifest); err != nil {
		t.Fatal(err)
	}
	if stock.Step(time.Hour) {
		t.Error("compiles without files")
	}
	steps := 0
	if err := stock.Manifest(b.Manifest); err != nil {
		t.Fatal(err)
	}
	if err := stock.Batch(0, b.Batch(b.Addresses()[1])); err != nil || !stock.Has(0) {
		t.Fatal(err)
	}
	for stock.Step(0) {
		if steps++; steps > 1000 {
			t.Fatal("it never ends")
		}
	}
	if steps < 4 {
		t.Errorf("%d slices for two files in two passes", steps)
	}
	if stock.Step(0) {
		t.Error("compiled again")
	}

	for text, list := range map[string][]byte{"no manifest": []byte("x"), "nothing": nil} {
		if err := stock.Manifest(list); err == nil || !strings.Contains(err.Error(), "cannot be read") || stock.Batches() != 0 {
			t.Errorf("%s: %v, %d batches", text, err, stock.Batches())
		}
	}
}
