package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

const storeToken = "the-admin-token-of-this-test"

// hostStore runs host store with arguments, and returns what it printed.
func hostStore(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"store"}, args...), &system{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}); code != want {
		t.Fatalf("host store %v: exit %d, want %d: %s%s", args, code, want, &out, &errs)
	}
	return out.String(), errs.String()
}

// tokenIn writes a token's file into a folder.
func tokenIn(t *testing.T, dir, token string) string {
	t.Helper()
	file := filepath.Join(dir, "token")
	must(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	return file
}

// clusterOf returns a store of a cluster as a host has it.
func clusterOf(t *testing.T, r *rig.Rig, name string) *nats.Store {
	t.Helper()
	c, err := nats.Dial(nats.Options{Servers: r.URL(), Name: name, OnlyThese: true, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { (&away{c}).close(time.Second, slog.New(slog.DiscardHandler)) })
	s := c.Store(nats.StoreOptions{})
	t.Cleanup(func() { _ = s.Close() }) // again after a service
	must(t, s.AwaitKeys(t.Context()))
	return s
}

// profileOf writes a profile with an amount of gold at a key.
func profileOf(t *testing.T, b base.Backend, key, holder string, fence uint64, gold float64) {
	t.Helper()
	value, err := profiles.Encode(&profiles.Record{Holder: holder, Fence: fence, Data: &base.Table{Pairs: []base.Pair{
		{Key: "game", Value: &base.Table{Pairs: []base.Pair{{Key: "Gold", Value: gold}}}},
	}}})
	if err == nil {
		_, err = b.Commit([]base.Write{{Key: key, Value: value, If: base.Any}})
	}
	must(t, err)
}

// TestStoreVersions: host store versions and restore do the same on a file, over the API of its host, on a cluster, and over the API of one
// of its hosts (C2). While a host holds the profile, they refuse.
func TestStoreVersions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := tokenIn(t, dir, storeToken)
	const ann, other = "key-ann", "token-Bob B"
	fill := func(b base.Backend) {
		profileOf(t, b, profiles.VersionKey(ann, 3), "", 3, 30)
		profileOf(t, b, profiles.VersionKey(ann, 4), "", 4, 40)
		profileOf(t, b, profiles.Key(ann), "", 5, 7)
		profileOf(t, b, profiles.VersionKey(other, 1), "", 1, 1)
		profileOf(t, b, profiles.Key(other), "eu-1", 2, 2)
	}
	check := func(t *testing.T, stale bool, source ...string) {
		t.Helper()
		with := func(args ...string) []string { return append(args, source...) }
		const want = "version  variables  bytes  state\n5        1          34     now\n4        1          34     kept\n3        1          34     kept\n"
		if out, _ := hostStore(t, 0, with("versions", ann)...); out != want {
			t.Error(out)
		}
		if _, errs := hostStore(t, 1, with("versions", "key-eve")...); !strings.Contains(errs, "no profile of key-eve") {
			t.Error(errs)
		}
		if _, errs := hostStore(t, 1, with("restore", ann, "2")...); !strings.Contains(errs, "no version 2 is kept; host store versions lists them") {
			t.Error(errs)
		}
		if out, _ := hostStore(t, 0, with("restore", ann, "3")...); !strings.HasPrefix(out, "key-ann has version 3 again") {
			t.Error(out)
		}
		if out, _ := hostStore(t, 0, with("get", profiles.Key(ann))...); !strings.Contains(out, `"Gold":30`) || !strings.Contains(out, `"fence":6`) {
			t.Error(out)
		}
		if out, _ := hostStore(t, 0, with("versions", other)...); !strings.Contains(out, "now, held by host eu-1\n") {
			t.Error(out)
		}
		if stale {
			hostStore(t, 0, with("restore", other, "1")...)
			return
		}
		if _, errs := hostStore(t, 1, with("restore", other, "1")...); !strings.Contains(errs, "held by host eu-1: the player is in") || !strings.Contains(errs, "let them leave") {
			t.Error(errs)
		}
		if out, _ := hostStore(t, 0, with("get", profiles.Key(other))...); !strings.Contains(out, `"holder":"eu-1"`) {
			t.Error("a held profile was written: " + out)
		}
	}
	made := func(name string) string {
		file := filepath.Join(dir, name)
		b := openedStore(t, file)
		fill(b)
		must(t, b.Close())
		return file
	}
	t.Run("file", func(t *testing.T) {
		check(t, true, "--file", made("file.db"))
		if _, errs := hostStore(t, 2, "restore", ann, "3", "--file", filepath.Join(dir, "none.db")); !strings.Contains(errs, "give the store of a host") {
			t.Error(errs)
		}
		if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
			t.Error("a store was made")
		}
	})
	t.Run("served", func(t *testing.T) {
		url, log := storeSite(t, made("served.db"))
		check(t, false, "--at", url, "--token-file", token)
		if !strings.Contains(log.String(), `store restore \"key-ann\" 3`) {
			t.Error(log)
		}
	})
	r := rig.Start(t, 1, rig.Options{})
	for _, c := range []struct{ name, holder string }{{"cluster", "alive"}, {"served", "alive"}, {"direct", "dead"}} {
		t.Run(c.name+" cluster with a holder who is "+c.holder, func(t *testing.T) {
			s := clusterOf(t, r, c.name)
			fill(s)
			if c.holder == "alive" {
				alive(t, s, other)
			}
			source := []string{"--cluster", r.URL(), "--cluster-name", c.name}
			if c.name == "served" {
				url, _ := serviceSite(t, store.Start(s, store.ServiceOptions{}))
				source = []string{"--at", url, "--token-file", token}
			}
			check(t, c.holder == "dead", append(source, "--holder-after", "1s")...)
		})
	}
}

// alive writes a profile again and again, as a host does that holds it.
func alive(t *testing.T, s *nats.Store, id string) {
	t.Helper()
	value, err := s.Get(profiles.Key(id))
	must(t, err)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with the test
		defer close(ended)
		for rev := value.Revision; ; {
			select {
			case <-end:
				return
			case <-time.After(50 * time.Millisecond):
			}
			revs, err := s.Commit([]base.Write{{Key: profiles.Key(id), Value: value.Value, If: rev}})
			if err != nil {
				t.Error("the holder was overtaken:", err)
				return
			}
			rev = revs[0]
		}
	}()
	t.Cleanup(func() { close(end); <-ended })
}

// TestStoreOfCluster: every command does with a cluster's store what it does with a file, while a host uses it: directly and over the API
// of a host (C1, C8).
func TestStoreOfCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := tokenIn(t, dir, storeToken)
	at := func(name string) string { return filepath.Join(dir, name) }
	r := rig.Start(t, 1, rig.Options{})
	if _, errs := hostStore(t, 1, "list", "--cluster", r.URL(), "--cluster-name", "nobody"); !strings.Contains(errs, "no host was started in that cluster") {
		t.Error(errs)
	}
	s := clusterOf(t, r, "")
	for i := range 40 {
		must(t, errOf(s.Commit([]base.Write{{Key: fmt.Sprintf("game/k%02d", i), Value: fmt.Appendf(nil, "\xa3v%02d", i), If: base.Any}})))
	}
	must(t, errOf(s.Commit([]base.Write{{Key: "world/autosave", Value: bytes.Repeat([]byte("long"), 200_000), If: base.Any}})))
	profileOf(t, s, profiles.Key("ann"), "eu-1", 9, 99)
	profileOf(t, s, profiles.Key("bob"), "", 4, 4)
	saveFile(t, dir, "bad", `{"key":"game/k00","revision":3,"value":"no"}
{"key":"game/k01","revision":3,"value":"no","sum":"00000000"}
{"revision":9,"records":2}
`)
	check := func(t *testing.T, name string, held bool, source ...string) {
		t.Helper()
		with := func(args ...string) []string { return append(args, source...) }
		out, _ := hostStore(t, 0, with("list")...)
		if n := strings.Count(out, "\n"); n != 43 || !strings.Contains(out, "world/autosave\n") {
			t.Error(n, out)
		}
		if out, _ := hostStore(t, 0, with("check")...); !strings.HasPrefix(out, "the cluster's store: 43 good records, ") || !strings.HasSuffix(out, ", 0 places damaged\n") {
			t.Error(out)
		}
		hostStore(t, 0, with("export", at(name+".jsonl"))...)
		if out, _ := hostStore(t, 0, with("backup", at(name+".db"))...); !strings.HasSuffix(out, ": 43 records\n") {
			t.Error(out)
		}
		hostStore(t, 0, "export", at(name+"2.jsonl"), "--file", at(name+".db"))
		if !same(t, at(name+".jsonl"), at(name+"2.jsonl")) {
			t.Error("the backup has something else than the export")
		}
		if _, errs := hostStore(t, 1, with("import", at("bad"))...); !strings.Contains(errs, "line 2: game/k01: its checksum is wrong") || !strings.Contains(errs, "nothing was imported") {
			t.Error(errs)
		}
		if out, _ := hostStore(t, 0, with("get", "game/k00", "--raw")...); out != "\xa3v00" {
			t.Errorf("a bad file was imported in part: %q", out)
		}

		// What changed since the export comes back, at other keys nothing changes, and a host keeps what it holds.
		for _, key := range []string{"game/k00", "game/new"} {
			must(t, errOf(s.Commit([]base.Write{{Key: key, Value: []byte("\xa5other"), If: base.Any}})))
		}
		profileOf(t, s, profiles.Key("bob"), "", 40, 400)
		if held {
			out, errs := hostStore(t, 1, with("import", at(name+".jsonl"), "--holder-after", "1s")...)
			if out != "imported 42 records\n" || !strings.Contains(errs, "left out: profile/ann: ") || !strings.Contains(errs, "left out 1 profile that hosts hold") {
				t.Error(out, errs)
			}
		} else if out, _ := hostStore(t, 0, with("import", at(name+".jsonl"))...); out != "imported 43 records\n" {
			t.Error(out)
		}
		for key, want := range map[string]string{"game/k00": "\xa3v00", "game/new": "\xa5other"} { // any order: each by itself
			if r, err := s.Get(key); err != nil || string(r.Value) != want {
				t.Errorf("%s: %q, %v", key, r.Value, err)
			}
		}
		if r, err := s.Get(profiles.Key("bob")); err != nil {
			t.Error(err)
		} else if p, err := profiles.Decode(r.Value); err != nil || p.Fence != 41 || p.Holder != "" {
			t.Error(p, err)
		}
		for _, key := range []string{"game/new", profiles.VersionKey("bob", 40)} {
			must(t, errOf(s.Commit([]base.Write{{Key: key, If: base.Any}})))
		}
	}
	t.Run("direct", func(t *testing.T) {
		alive(t, s, "ann")
		check(t, "direct", true, "--cluster", r.URL())
	})
	url, _ := serviceSite(t, store.Start(s, store.ServiceOptions{}))
	t.Run("served", func(t *testing.T) {
		profileOf(t, s, profiles.Key("bob"), "", 4, 4)
		profileOf(t, s, profiles.Key("ann"), "", 9, 99)
		check(t, "served", false, "--at", url, "--token-file", token)
	})
	t.Run("copy", func(t *testing.T) {
		if out, _ := hostStore(t, 0, "copy", r.URL(), at("copy.db")); !strings.HasSuffix(out, ": 44 records\n") { // ann has a version now
			t.Error(out)
		}
		if out, _ := hostStore(t, 0, "copy", at("direct.db"), r.URL(), "--cluster-name", "second"); out != "copied 43 records\n" {
			t.Error(out)
		}
		if out, _ := hostStore(t, 0, "list", "--cluster", r.URL(), "--cluster-name", "second"); strings.Count(out, "\n") != 43 {
			t.Error(out)
		}
		if _, errs := hostStore(t, 2, "copy", r.URL(), r.URL()); !strings.Contains(errs, "one after the other") {
			t.Error(errs)
		}
	})
	if _, errs := hostStore(t, 2, "list", "--cluster", r.URL(), "--at", url); !strings.Contains(errs, "leave one out") {
		t.Error(errs)
	}
}

// same reports whether two files have the same bytes, heads of profiles that a host writes meanwhile left out.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		must(t, err)
		var out []string
		for l := range strings.SplitSeq(string(text), "\n") {
			if !strings.HasPrefix(l, `{"key":"profile/ann"`) && !strings.HasPrefix(l, `{"revision"`) {
				out = append(out, l)
			}
		}
		return strings.Join(out, "\n")
	}
	return read(a) == read(b)
}
