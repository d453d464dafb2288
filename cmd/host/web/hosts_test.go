package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/carrier"
)

// TestHosts: pages of any origin may read the list of hosts, and this host's own page may connect to those that it has.
func TestHosts(t *testing.T) {
	var list atomic.Pointer[Hosts]
	l := listen(t, Options{Hosts: list.Load})
	ask := func(method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		r := httptest.NewRequest(method, path, nil)
		r.Host = "localhost"
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		r.RemoteAddr = "127.0.0.1:5"
		l.handle(w, r)
		return w.Result(), w.Body.String()
	}
	policyOf := func(a *http.Response) string { return a.Header.Get("Content-Security-Policy") }

	if _, body := ask("GET", HostsPath); body != string(NoHosts) {
		t.Errorf("without a list: %s", body)
	}
	index, _ := ask("GET", "/")
	tag := index.Header.Get("ETag")
	if a, _ := ask("GET", "/", "If-None-Match", tag); a.StatusCode != http.StatusNotModified {
		t.Errorf("without a list the page is not cached: %s", a.Status)
	}

	list.Store(&Hosts{JSON: []byte(`{"self":"a"}`), Pages: []string{"http://b.example:7780", "https://C.example/path", "http://[::1]:1", "http://a_b", "http://localhost:7781", "javascript:x", "http://d;script-src *"}})
	a, body := ask("GET", HostsPath, "Origin", "https://elsewhere.example")
	if body != `{"self":"a"}` || a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %v", body, a.Header)
	}
	if a, body := ask("HEAD", HostsPath, "Origin", "https://elsewhere.example"); a.StatusCode != http.StatusOK || body != "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("HEAD: %s %q", a.Status, body)
	}
	if a, _ := ask("POST", HostsPath); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", a.Status)
	}
	a, _ = ask("GET", "/", "If-None-Match", tag)
	if a.StatusCode != http.StatusOK {
		t.Errorf("a page with an older policy is kept: %s", a.Status)
	}
	want := " https://b.example:7780 wss://b.example:7780 http://b.example:7780 ws://b.example:7780 https://C.example wss://C.example https://localhost:7781 wss://localhost:7781 http://localhost:7781 ws://localhost:7781 https://127.0.0.1:7781; style-src"
	if !strings.Contains(policyOf(a), want) {
		t.Errorf("policy %q, want %q in it", policyOf(a), want)
	}
	for _, bad := range []string{"::1", "a_b", "javascript", "*"} {
		if strings.Contains(policyOf(a), bad) {
			t.Errorf("policy %q has %q", policyOf(a), bad)
		}
	}
	worker, _ := ask("GET", l.site.worker, "If-None-Match", l.site.files[l.site.worker].tag)
	if worker.StatusCode != http.StatusOK || policyOf(worker) != policyOf(a) {
		t.Errorf("the Worker, which connects, has %s and %q", worker.Status, policyOf(worker))
	}
	if a, _ := ask("GET", HostsPath); strings.Contains(policyOf(a), "b.example") {
		t.Error("what is no page may connect to other hosts")
	}

	list.Store(&Hosts{JSON: NoHosts, Pages: slices.Collect(func(yield func(string) bool) {
		for i := 0; i < 500 && yield(fmt.Sprintf("https://host%03d.example", i)); i++ {
		}
	})})
	a, _ = ask("GET", "/")
	if n := len(policyOf(a)); n > maxConnect+1000 || !strings.Contains(policyOf(a), "host000") || !strings.Contains(policyOf(a), "host040") {
		t.Errorf("a policy of %d bytes", n)
	}
}

// TestForeignPages: in a cluster pages of other hosts may read what they need to send a player here, and open sessions, which end after 2 s
// unless a player with a token is in; outside of one they may not (C6, W2.4).
func TestForeignPages(t *testing.T) {
	var list atomic.Pointer[Hosts]
	data := []byte("a file")
	hash := sha256.Sum256(data)
	l := listen(t, Options{Hosts: list.Load, File: func(h [sha256.Size]byte) []byte {
		if h == hash {
			return data
		}
		return nil
	}})
	host := l.Addr().String()
	file := contentRoot + hex.EncodeToString(hash[:])
	for _, shared := range []bool{false, true} {
		list.Store(&Hosts{JSON: NoHosts, Shared: shared})
		for path, want := range map[string]bool{carrier.InfoPath: shared, file: shared, "/": false, l.site.worker: false, HostsPath: true} {
			if a, _ := get(t, l, path, "Origin", "http://other.example"); a.StatusCode != http.StatusOK || (a.Header.Get("Access-Control-Allow-Origin") == "*") != want {
				t.Errorf("in a cluster %v: %s: %s %v", shared, path, a.Status, a.Header)
			}
		}
		want := map[bool]int{false: http.StatusForbidden, true: http.StatusSwitchingProtocols}[shared]
		for origin, want := range map[string]int{"http://other.example": want, "https://other.example:7780": want, "null": 403, "file://": 403, "http://a@b": 403} {
			if r := send(t, l, upgrade(host, "\nOrigin: "+origin)); r.StatusCode != want {
				t.Errorf("in a cluster %v: upgrade from %q: %s, want %d", shared, origin, r.Status, want)
			}
		}
		if r := send(t, l, upgrade(host, "\nOrigin: http://a.example\nOrigin: http://b.example")); r.StatusCode != http.StatusForbidden {
			t.Errorf("two origins: %s", r.Status)
		}
	}
	eventually(t, "the sessions have ended", func() bool { n, _ := l.counts(); return n == 0 })
	r := httptest.NewRequest(http.MethodGet, "http://"+host+carrier.WebSocketPath, nil)
	r.Header.Set("Origin", "http://other.example")
	from := netip.MustParseAddr("192.0.2.1")
	o, ok := l.mayOpen(httptest.NewRecorder(), r, from, false)
	if !ok || !o.Foreign || o.Admission != 2*time.Second {
		t.Fatalf("%v, %+v", ok, o)
	}
	l.visitors.closePipe(from)
	l.sessions.Done()
}
