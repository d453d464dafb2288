package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestHosts: pages of any origin may read the list of hosts, and this host's own page may connect to those that it has.
func TestHosts(t *testing.T) {
	var list atomic.Pointer[Hosts]
	l := listen(t, Options{Hosts: list.Load})
	ask := func(method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+l.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		r.Close = true
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		b, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a, string(b)
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

	list.Store(&Hosts{JSON: []byte(`{"self":"a"}`), Pages: []string{"http://b.example:7780", "https://C.example/path", "http://[::1]:1", "http://a_b", "javascript:x", "http://d;script-src *"}})
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
	want := " https://b.example:7780 wss://b.example:7780 http://b.example:7780 ws://b.example:7780 https://C.example wss://C.example; style-src"
	if !strings.Contains(policyOf(a), want) {
		t.Errorf("policy %q, want %q in it", policyOf(a), want)
	}
	for _, bad := range []string{"::1", "a_b", "javascript", "*"} {
		if strings.Contains(policyOf(a), bad) {
			t.Errorf("policy %q has %q", policyOf(a), bad)
		}
	}
	if a, _ := ask("GET", HostsPath); strings.Contains(policyOf(a), "b.example") {
		t.Error("what is no page may connect to other hosts")
	}

	many := &Hosts{JSON: NoHosts}
	for i := range 500 {
		many.Pages = append(many.Pages, fmt.Sprintf("https://host%03d.example", i))
	}
	list.Store(many)
	a, _ = ask("GET", "/")
	if n := len(policyOf(a)); n > maxConnect+1000 || !strings.Contains(policyOf(a), "host000") || !strings.Contains(policyOf(a), "host040") {
		t.Errorf("a policy of %d bytes", n)
	}
}
