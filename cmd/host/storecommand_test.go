package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

// storeSite is a store in a file behind the API of a host that has nothing else.
func storeSite(t *testing.T, path string) (url string, log *bytes.Buffer) {
	t.Helper()
	return serviceSite(t, store.Start(openedStore(t, path), store.ServiceOptions{}))
}

// serviceSite is the same with any store; it closes it.
func serviceSite(t *testing.T, s *store.Service) (url string, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	r := &command.Registry{Log: func(who command.Caller, line string, err error) { logCommand(logger, who, line, err) }}
	h, err := admin.New(admin.Options{
		Commands: r, Host: struct{ control.Host }{}, Turns: struct{ control.Turns }{}, Token: storeToken, Store: s, Log: logger, Now: time.Now,
	})
	must(t, err)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Serve(w, r, admin.Visitor{Addr: netip.MustParseAddr("127.0.0.1"), Local: true})
	}))
	t.Cleanup(func() {
		web.Close()
		h.Close()
		must(t, s.Close(context.Background()))
	})
	return web.URL, log
}

// TestStoreCommands: every command does the same on a file and over the API of a host that has it open.
func TestStoreCommands(t *testing.T) {
	dir := t.TempDir()
	token := tokenIn(t, dir, storeToken)
	at := func(name string) string { return filepath.Join(dir, name) }
	saveFile(t, dir, "in", `{"key":"game/best","revision":3,"value":{"Name":"Ann","Laps":[1,2.5]}}
{"key":"profile/a","revision":4,"base64":"wf//"}
{"revision":9,"records":2}
`)
	saveFile(t, dir, "bad", `{"key":"game/new","revision":3,"value":1}
{"key":"game/best","revision":3,"value":{"Name":"Eve"},"sum":"00000000"}
{"revision":9,"records":2}
`)
	const best = `{"key":"game/best","revision":3,"value":{"Name":"Ann","Laps":[1,2.5]},"sum":"`
	check := func(kind string, source ...string) {
		t.Helper()
		with := func(args ...string) []string { return append(args, source...) }
		if out, _ := hostStore(t, 0, with("import", at("in"))...); out != "imported 2 records\n" {
			t.Error(kind, out)
		}
		if out, _ := hostStore(t, 0, with("list")...); out != "game/best\nprofile/a\n" {
			t.Error(kind, out)
		}
		if out, _ := hostStore(t, 0, with("list", "profile/")...); out != "profile/a\n" {
			t.Error(kind, out)
		}
		if out, _ := hostStore(t, 0, with("get", "game/best")...); !strings.HasPrefix(out, best) {
			t.Error(kind, out)
		}
		if out, _ := hostStore(t, 0, with("get", "profile/a", "--raw")...); out != "\xc1\xff\xff" {
			t.Errorf("%s %q", kind, out)
		}
		if _, errs := hostStore(t, 1, with("get", "game/worst")...); !strings.Contains(errs, `no record "game/worst"`) {
			t.Error(kind, errs)
		}
		if out, _ := hostStore(t, 0, with("export")...); !strings.HasPrefix(out, best) || !strings.HasSuffix(out, "{\"revision\":9,\"records\":2}\n") {
			t.Error(kind, out)
		}
		hostStore(t, 0, with("export", at(kind+".jsonl"))...)
		if _, errs := hostStore(t, 1, with("import", at("bad"))...); !strings.Contains(errs, "line 2: game/best: its checksum is wrong") {
			t.Error(kind, errs)
		}
		if out, _ := hostStore(t, 0, with("list")...); out != "game/best\nprofile/a\n" {
			t.Errorf("%s: a bad file was imported in part: %s", kind, out)
		}
		if out, _ := hostStore(t, 0, with("backup", at(kind+".backup"))...); !strings.HasSuffix(out, ": 2 records\n") {
			t.Error(kind, out)
		}
		if _, errs := hostStore(t, 2, with("backup", at(kind+".backup"))...); !strings.Contains(errs, "exists already") {
			t.Error(kind, errs)
		}
		if out, _ := hostStore(t, 0, with("check")...); !strings.HasSuffix(out, ": 2 good records, 47 bytes, 0 places damaged\n") {
			t.Error(kind, out)
		}
		out, errs := hostStore(t, 0, with("import", at("bad"), "--skip")...)
		if out != "imported 1 record\n" || !strings.Contains(errs, "left out: line 2: ") {
			t.Error(kind, out, errs)
		}
	}
	check("file", "--file", at("file.db"))
	url, log := storeSite(t, at("served.db"))
	check("served", "--at", url, "--token-file", token)
	if _, errs := hostStore(t, 2, "list", "--file", at("served.db")); !strings.Contains(errs, "is used by another process") || !strings.Contains(errs, "--at http://localhost:7780") {
		t.Error(errs)
	}
	t.Setenv("XDG_CACHE_HOME", dir) // no token
	for _, args := range [][]string{
		{"list"}, {"get", "game/best"}, {"export"}, {"backup", at("stolen")}, {"check"}, {"import", at("in")}, {"versions", "key-ann"}, {"restore", "key-ann", "4"},
	} {
		if _, errs := hostStore(t, 1, append(args, "--at", url)...); !strings.Contains(errs, "owner") {
			t.Errorf("%v without a token: %s", args, errs)
		}
	}
	if _, err := os.Stat(at("stolen")); err == nil {
		t.Error("a file was written")
	}
	a, errA := os.ReadFile(at("file.jsonl"))
	b, errB := os.ReadFile(at("served.jsonl"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the exports differ: %s %s", a, b)
	}
	if out, _ := hostStore(t, 0, "copy", at("file.db"), at("copy.db")); !strings.HasSuffix(out, ": 3 records\n") {
		t.Error(out)
	}
	if strings.Contains(log.String(), "Ann") || strings.Contains(log.String(), storeToken) || !strings.Contains(log.String(), "store export") {
		t.Errorf("the log: %s", log)
	}
}

// TestStoreDamaged: a damaged file is reported; only --damaged-ok exports or copies the rest, and says what is missing.
func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "store.db")
	b := openedStore(t, file)
	for _, key := range []string{"game/one", "game/two"} {
		must(t, errOf(b.Commit([]base.Write{{Key: key, Value: []byte("\xa9value-" + key[5:])}})))
	}
	must(t, b.Close())
	content, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, bytes.ReplaceAll(content, []byte("value-one"), []byte("value-0ne")), 0o600))
	saved := filepath.Join(dir, "saved")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{1, []string{"check", "--file", file}, "record game/one: it is lost\n"},
		{1, []string{"get", "game/one", "--file", file}, "record game/one in " + file + " is damaged: the checksum of its value is wrong"},
		{0, []string{"get", "game/two", "--file", file}, "value-two"},
		{1, []string{"export", saved, "--file", file}, "host store export --damaged-ok exports the rest"},
		{1, []string{"copy", file, saved}, "host store copy --damaged-ok copies the rest"},
		{1, []string{"backup", saved, "--file", file}, "no backup was written"},
		{0, []string{"copy", file, saved, "--damaged-ok"}, "missing or in doubt: record game/one: it is lost"},
		{0, []string{"export", saved + ".jsonl", "--damaged-ok", "--file", file}, "missing or in doubt: record game/one: it is lost"},
		{0, []string{"check", "--file", saved}, "1 good record, "},
		{0, []string{"import", saved + ".jsonl", "--file", saved + "2"}, "imported 1 record"},
	} {
		if out, errs := hostStore(t, c.code, c.args...); !strings.Contains(out+errs, c.want) {
			t.Errorf("host store %v: %s%s\nwant %q", c.args, out, errs, c.want)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 4 {
		t.Errorf("%v are left: %v", list, err)
	}
}
