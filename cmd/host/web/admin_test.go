package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestAdminIsTold: a request for the host's own side is told as local only with a loopback peer, a Host header that is loopback, and no header of a
// proxy, whatever a page or a proxy on this machine sends (W2.4); others go on to the players' side.
func TestAdminIsTold(t *testing.T) {
	seen := func(w http.ResponseWriter, r *http.Request, client netip.Addr, local bool) bool {
		if !strings.HasPrefix(r.URL.Path, "/admin") {
			return false
		}
		_, _ = fmt.Fprintf(w, "%v %t", client, local) // it is read below, or not
		return true
	}
	open := listen(t, Options{Addr: "0.0.0.0:0", Admin: seen})
	behind := listen(t, Options{Addr: "0.0.0.0:0", Admin: seen, TrustedProxy: prefixes("127.0.0.0/8", "::1/128")})
	closed := listen(t, Options{Admin: seen})
	for _, c := range []struct {
		name    string
		l       *Listener
		host    string
		headers string
		want    string
	}{
		{"by address", open, "127.0.0.1", "", "127.0.0.1 true"},
		{"by name", open, "localhost", "", "127.0.0.1 true"},
		{"by the other loopback address", open, "[::1]", "", "127.0.0.1 true"},
		{"a name that resolves to it", open, "evil.example", "", "127.0.0.1 false"},
		{"a name that looks like it", open, "localhost.evil.example", "", "127.0.0.1 false"},
		{"an address of the network", open, "192.0.2.1", "", "127.0.0.1 false"},
		{"a proxy on this machine", open, "localhost", "X-Forwarded-For: 203.0.113.9", "127.0.0.1 false"},
		{"a proxy that says nothing of whom", open, "localhost", "X-Forwarded-For: ", "127.0.0.1 false"},
		{"a proxy of another kind", open, "localhost", "Forwarded: for=203.0.113.9", "127.0.0.1 false"},
		{"a proxy by Via", open, "localhost", "Via: 1.1 x", "127.0.0.1 false"},
		{"a header with an underscore", open, "localhost", "X_Forwarded_For: 203.0.113.9", "127.0.0.1 false"},
		{"a trusted proxy", behind, "localhost", "X-Forwarded-For: 203.0.113.9", "203.0.113.9 false"},
		{"a trusted proxy for this machine", behind, "localhost", "X-Forwarded-For: 127.0.0.1", "127.0.0.1 false"},
		{"the trusted proxy itself", behind, "localhost", "", "127.0.0.1 false"},
		{"a loopback listener", closed, "localhost", "", "127.0.0.1 true"},
	} {
		request := fmt.Sprintf("GET /admin HTTP/1.1\nHost: %s:%d\nConnection: close", c.host, c.l.Addr().Port())
		if c.headers != "" {
			request += "\n" + c.headers
		}
		r := send(t, c.l, request)
		b := make([]byte, 100)
		n, _ := r.Body.Read(b) // the end comes with it
		if got := strings.Replace(string(b[:n]), "::1", "127.0.0.1", 1); r.StatusCode != http.StatusOK || got != c.want {
			t.Errorf("%s: %s %q, want %q", c.name, r.Status, got, c.want)
		}
		if r.Header.Get("Content-Security-Policy") == "" || r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: headers %v", c.name, r.Header)
		}
	}
	if r := send(t, closed, "GET /admin HTTP/1.1\nHost: evil.example\nConnection: close"); r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a loopback listener by another name: %s", r.Status)
	}
	if r := send(t, open, "POST / HTTP/1.1\nHost: localhost\nContent-Length: 2\nConnection: close\n\n{}"); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a post to the players' side: %s", r.Status)
	}
}

// TestAdminAlone: a listener without players takes what the host's own side takes, by TCP alone and with the same checks, and nothing else.
func TestAdminAlone(t *testing.T) {
	l, err := Listen(Options{
		Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Admin: func(w http.ResponseWriter, r *http.Request, _ netip.Addr, local bool) bool {
			if r.URL.Path == "/inspect" {
				_, _ = fmt.Fprint(w, local) // get reads it
			}
			return r.URL.Path == "/inspect"
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for path, want := range map[string]int{"/inspect": 200, "/": 404, "/join.json": 404, "/ws": 404, "/files/00": 404} {
		if r := send(t, l, "GET "+path+" HTTP/1.1\nHost: localhost\nConnection: close"); r.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, r.Status, want)
		}
	}
	for _, c := range []struct{ header, value, local string }{{"Accept", "*/*", "true"}, {"X-Forwarded-For", "203.0.113.9", "false"}} {
		if _, b := get(t, l, "/inspect", c.header, c.value); string(b) != c.local {
			t.Errorf("with the header %s, of this machine: %s, want %s", c.header, b, c.local)
		}
	}
	if r := send(t, l, "GET /inspect HTTP/1.1\nHost: evil.example\nConnection: close"); r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("by another name: %s", r.Status)
	}
	at := net.UDPAddrFromAddrPort(l.Addr())
	udp, err := net.ListenUDP("udp", at)
	if err != nil {
		t.Fatalf("it holds the UDP port: %v", err)
	}
	if err := udp.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Listen(Options{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Now: time.Now}); err == nil {
		t.Error("a listener for nobody")
	}
}
