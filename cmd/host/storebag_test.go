package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/profiles"
	base "github.com/tidelock/tidelock/engine/store"
)

// TestStoreBag: `host store` shows the items of a fast array in a profile under their keys, and an export of it becomes the same
// record again (C2).
func TestStoreBag(t *testing.T) {
	item := func(kind string) *base.Table {
		return &base.Table{Pairs: []base.Pair{{Key: "Kind", Value: kind}, {Key: "Count", Value: 2.0}}}
	}
	bag := &base.Table{Pairs: []base.Pair{
		{Key: "Items", Value: &base.Table{Pairs: []base.Pair{{Key: 2.0, Value: item("rope")}, {Key: 300.0, Value: item("torch")}}}},
		{Key: "Last", Value: 301.0},
	}}
	value, err := profiles.Encode(&profiles.Record{Fence: 1, Data: &base.Table{Pairs: []base.Pair{
		{Key: base.OfMod(""), Value: &base.Table{Pairs: []base.Pair{{Key: "Bag", Value: bag}}}},
	}}})
	must(t, err)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	b := openedStore(t, at("a.db"))
	must(t, errOf(b.Commit([]base.Write{{Key: profiles.Key("ann"), Value: value, If: base.Any}})))
	must(t, b.Close())
	shown, _ := hostStore(t, 0, "get", profiles.Key("ann"), "--file", at("a.db"))
	const want = `"Bag":{"Last":301,"Items":{"$map":[[2,{"Kind":"rope","Count":2}],[300,{"Kind":"torch","Count":2}]]}}`
	if !strings.Contains(shown, want) {
		t.Error(shown)
	}
	hostStore(t, 0, "export", at("out.jsonl"), "--file", at("a.db"))
	hostStore(t, 0, "import", at("out.jsonl"), "--file", at("b.db"))
	if raw, _ := hostStore(t, 0, "get", profiles.Key("ann"), "--raw", "--file", at("b.db")); raw != string(value) {
		t.Errorf("%q became %q", value, raw)
	}
}
