package nats_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"log/slog"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
)

// stranger is a client of NATS that is no host.
func stranger(t *testing.T, r *rig.Rig) *natsgo.Conn {
	t.Helper()
	nc, err := natsgo.Connect(r.URL())
	must(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// sealed is a record with a valid checksum, as one who knows the format writes it.
func sealed(key string, body []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte(key), table), table, body)
	return append(binary.BigEndian.AppendUint32(nil, sum), body...)
}

// TestForgedRecords: what others wrote into the store is an error that names the key, or a value within bounds; the record can be
// written over, and the others are as they were (C8).
func TestForgedRecords(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	s := opened(t, nats.Options{Servers: r.URL()}, nats.StoreOptions{})
	nc := stranger(t, r)
	good := put(t, s, "game/good", "value", 0)
	pointer := func(chunks uint32, size uint64) []byte {
		b := append([]byte{2}, make([]byte, 16)...)
		b = binary.BigEndian.AppendUint32(b, chunks)
		b = binary.BigEndian.AppendUint64(b, size)
		return append(b, make([]byte, 32)...)
	}
	whole := sealed("game/forged", []byte("\x01value"))
	forged := map[string][]byte{
		"empty": nil, "short": {1, 2, 3}, "no kind": {0, 0, 0, 0}, "unknown kind": sealed("game/forged", []byte("\x09x")),
		"of another key": sealed("game/other", []byte("\x01x")), "too long": sealed("game/forged", append([]byte{1}, make([]byte, store.MaxValue+1)...)),
		"changed": append(bytes.Clone(whole[:len(whole)-1]), 'X'), "cut off": whole[:len(whole)-1], "short pointer": sealed("game/forged", []byte("\x02abc")),
		"pointer to much": sealed("game/forged", pointer(1<<20, 1<<38)), "pointer to nothing": sealed("game/forged", pointer(1, 1000)),
		"pointer with a wrong size": sealed("game/forged", pointer(3, 1000)), "noise": []byte(strings.Repeat("\xff\x00", 3000)),
	}
	for what, b := range forged { // any order: cases
		must(t, errOf(nc.Request("$KV.tidelock.game.forged", b, 5*time.Second)))
		x, err := s.Get("game/forged")
		if err == nil || !strings.Contains(err.Error(), "game/forged") || strings.Contains(err.Error(), "\n") || x.Value != nil {
			t.Errorf("%s: %v, %v", what, x, err)
		}
		var damaged *nats.DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %T", what, err)
		}
	}
	put(t, s, "game/forged", "mine", store.Any)
	if x := get(t, s, "game/forged"); string(x.Value) != "mine" {
		t.Error(x)
	}
	// A pointer with a checksum that fits, to chunks that do not: too few, too short, of other bytes.
	id := strings.Repeat("00", 16)
	for _, chunk := range []string{"", "x", strings.Repeat("x", 1000), strings.Repeat("x", 1001)} {
		if chunk != "" {
			must(t, errOf(nc.Request("tidelock.blob."+id+".0", []byte(chunk), 5*time.Second)))
		}
		must(t, errOf(nc.Request("$KV.tidelock.game.forged", sealed("game/forged", pointer(1, 1000)), 5*time.Second)))
		if x, err := s.Get("game/forged"); err == nil || !strings.Contains(err.Error(), "game/forged") {
			t.Errorf("%d bytes: %v, %v", len(chunk), x, err)
		}
	}
	// Subjects that are no keys, headers that say nonsense.
	for _, subject := range []string{"x", "game", "game.=zz", "game.=", "=.x", "game.a=", "game.=2f", "game.=41", "game." + strings.Repeat("x", 2000), "game.=00", "a.b.c.d.e.f"} {
		m := &natsgo.Msg{Subject: "$KV.tidelock." + subject, Data: []byte("x"), Header: natsgo.Header{"Tidelock-Blob": {"../../x"}, "KV-Operation": {"NONSENSE"}, "Nats-Msg-Size": {"-5"}}}
		if _, err := nc.RequestMsg(m, 5*time.Second); err != nil {
			t.Fatal(subject, err)
		}
	}
	put(t, s, "game/last", "x", 0)
	time.Sleep(100 * time.Millisecond)
	got, err := s.List("", "", 100)
	if err != nil || strings.Join(got, " ") != "a/b/c/d/e/f game/forged game/good game/last" {
		t.Error(got, err)
	}
	if x := get(t, s, "game/good"); x.Revision != good || string(x.Value) != "value" {
		t.Error(x)
	}
}

// TestForgedMessages: what is no message of a host is dropped and counted, and the next one arrives (C8).
func TestForgedMessages(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	log := &logged{}
	c := connected(t, nats.Options{Servers: r.URL(), Log: slog.New(slog.NewTextHandler(log, nil))})
	nc := stranger(t, r)
	var in inbox
	got := make(chan bus.Message, 100)
	must(t, errOf(c.Bus().Subscribe("chat", "", func(m bus.Message) {
		if in.take(m); string(m.Data) != settling {
			got <- m
		}
	})))
	settle(t, c, &in, "chat")
	for _, m := range []*natsgo.Msg{
		{Subject: "tidelock.bus.chat", Data: make([]byte, bus.MaxFrame+1)},
		{Subject: "tidelock.bus.chat", Reply: "_INBOX.x"},
		{Subject: "tidelock.bus.chat", Reply: "$JS.API.STREAM.DELETE.KV_tidelock"},
		{Subject: "tidelock.bus.chat", Reply: "tidelock.bus." + strings.Repeat("x", bus.MaxSubject+1)},
		{Subject: "tidelock.bus.chat", Reply: "tidelock.bus.a.*"},
		{Subject: "tidelock.bus.chat", Data: []byte("last"), Reply: "tidelock.bus.a.b"},
	} {
		if err := nc.PublishMsg(m); err != nil && !errors.Is(err, natsgo.ErrBadSubject) {
			t.Fatal(err)
		}
	}
	select {
	case m := <-got:
		if string(m.Data) != "last" || m.Reply != "a.b" || m.Subject != "chat" {
			t.Errorf("%q, %q", m.Data, m.Reply)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing arrives any more")
	}
	if n := c.Bus().Stats().Malformed; n < 4 {
		t.Error(n)
	}
	if !strings.Contains(log.String(), "event=bus_malformed") {
		t.Error(log)
	}
}

// TestForeignStreams: a stream of the same name that is none of a host is not used.
func TestForeignStreams(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	nc := stranger(t, r)
	must(t, errOf(nc.Request("$JS.API.STREAM.CREATE.KV_tidelock", []byte(`{"name":"KV_tidelock","subjects":["$KV.tidelock.>"],"storage":"memory","retention":"limits"}`), 5*time.Second)))
	log := &logged{}
	s := dial(t, nats.Options{Servers: r.URL(), Log: slog.New(slog.NewTextHandler(log, nil))}).Store(nats.StoreOptions{})
	t.Cleanup(func() { _ = s.Close() })
	until(t, "it is told", func() bool { return strings.Contains(log.String(), "KV_tidelock") })
	_, err := s.Commit([]store.Write{{Key: "game/x", Value: []byte("x"), If: store.Any}})
	if err == nil || store.Unsure(err) || !strings.Contains(err.Error(), "nothing was stored") {
		t.Error(err)
	}
	if _, err := s.Get("game/x"); err == nil {
		t.Error("it is used")
	}
}
