package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestAdminIsTold: a request for the host's own side is told as local only with a loopback peer, a Host header that is loopback, and no header of a
// proxy, whatever a page or a proxy on this machine sends; what a client says of itself in X-Forwarded-For counts only behind a trusted proxy (W2.4).
func TestAdminIsTold(t *testing.T) {
	seen := func(w http.ResponseWriter, r *http.Request, client netip.Addr, local bool) bool {
		if !strings.HasPrefix(r.URL.Path, "/admin") {
			return false
		}
		_, _ = fmt.Fprintf(w, "%v %t", client, local) // it is read below
		return true
	}
	open := listen(t, Options{Addr: "0.0.0.0:0", Admin: seen, TrustedProxy: prefixes("10.0.0.0/8", "127.7.7.7/32")})
	for _, c := range []struct{ peer, host, header, value, want string }{
		{"127.0.0.1:5", "localhost:7780", "", "", "127.0.0.1 true"},
		{"127.0.0.1:5", "LOCALHOST", "Accept", "", "127.0.0.1 true"},
		{"127.9.9.9:5", "127.0.0.1:7780", "", "", "127.9.9.9 true"},
		{"[::1]:5", "[::1]:7780", "", "", "::1 true"},
		{"[::ffff:127.0.0.1]:5", "localhost", "", "", "127.0.0.1 true"},
		{"192.168.1.9:5", "localhost:7780", "", "", "192.168.1.9 false"},
		{"[2001:db8::1]:5", "localhost", "", "", "2001:db8::1 false"},
		{"", "localhost", "", "", "invalid IP false"},
		{"127.0.0.1:5", "evil.example:7780", "", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost.evil.example", "", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "127.0.0.1.evil.example", "", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "192.168.1.9", "", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "", "", "", "400"},
		{"127.0.0.1:5", "localhost:x", "", "", "400"},
		{"127.0.0.1:5", "[::1", "", "", "400"},
		{"127.0.0.1:5", "localhost", "X-Forwarded-For", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "x_forwarded_host", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "X-Forwarded-Anything", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "Forwarded", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "Via", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "X-Real-Ip", "", "127.0.0.1 false"},
		{"127.0.0.1:5", "localhost", "Cf-Connecting-Ip", "", "127.0.0.1 false"},
		{"127.7.7.7:5", "localhost", "", "", "127.7.7.7 false"},
		{"127.7.7.7:5", "localhost", "X-Forwarded-For", "127.0.0.1", "127.0.0.1 false"},
		{"1.2.3.4:9", "a", "X-Forwarded-For", "5.6.7.8", "1.2.3.4 false"},
		{"10.0.0.1:9", "a", "X-Forwarded-For", "5.6.7.8", "5.6.7.8 false"},
		{"10.0.0.1:9", "a", "X-Forwarded-For", "6.6.6.6, 5.6.7.8, 10.0.0.2", "5.6.7.8 false"},
		{"10.0.0.1:9", "a", "X-Forwarded-For", "[2001:db8::1]:80", "2001:db8::1 false"},
		{"10.0.0.1:9", "a", "X-Forwarded-For", "5.6.7.8, nonsense", "10.0.0.1 false"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/admin", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		if c.header != "" {
			r.Header[c.header] = []string{c.value}
		}
		w := httptest.NewRecorder()
		open.handle(w, r)
		if got := w.Body.String(); w.Code == http.StatusOK && got != c.want || w.Code != http.StatusOK && fmt.Sprint(w.Code) != c.want {
			t.Errorf("%+v: %d %s", c, w.Code, got)
		}
		if h := w.Header(); w.Code == 200 && (h.Get("Content-Security-Policy") == "" || h.Get("Cross-Origin-Resource-Policy") != "same-origin") {
			t.Errorf("%+v: headers %v", c, h)
		}
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
