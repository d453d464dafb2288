//go:build unix

package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/tier"
)

// stranger connects from another address of this machine where there is one, since limits go by address.
func stranger(t *testing.T, h *host) net.Conn {
	t.Helper()
	var d net.Dialer
	if runtime.GOOS == "linux" {
		d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}
	}
	c, err := d.Dial("tcp", h.web)
	if errors.Is(err, syscall.ECONNRESET) {
		return nil // refused so fast that it never stood
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is the status of a request as it is, 0 where the connection closed instead.
func answer(t *testing.T, h *host, request string) int {
	t.Helper()
	c := stranger(t, h)
	if c == nil {
		return 0
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, strings.ReplaceAll(request, "\n", "\r\n")+"\r\n\r\n") // it may be refused before it is whole
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Fatalf("neither answered nor closed: %.80q", request)
		}
		return 0
	}
	return r.StatusCode
}

// What a hostile page and a hostile program send is refused, and the match is unharmed.
func TestHostile(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame")
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.walksAgain(h, "Ann")

	at := "Host: " + h.web
	upgrade := "\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
	for _, c := range []struct {
		name, request string
		status        []int
	}{
		{"path traversal", "GET /../../etc/passwd HTTP/1.1\n" + at, []int{400, 404}},
		{"escaped path traversal", "GET /p/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\n" + at, []int{400, 404}},
		{"path of a file", "GET /p/..%2f..%2fmain.go HTTP/1.1\n" + at, []int{400, 404}},
		{"absolute path", "GET //etc/passwd HTTP/1.1\n" + at, []int{400, 404}},
		{"oversized header", "GET / HTTP/1.1\n" + at + "\nX-Long: " + strings.Repeat("x", 1<<20), []int{431, 0}},
		{"oversized address", "GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\n" + at, []int{431, 414, 0}},
		{"another host's name", "GET / HTTP/1.1\nHost: evil.example", []int{421}},
		{"forged origin", "GET /ws HTTP/1.1\n" + at + upgrade + "\nOrigin: https://evil.example", []int{403}},
		{"two origins", "GET /ws HTTP/1.1\n" + at + upgrade + "\nOrigin: http://" + h.web + "\nOrigin: https://evil.example", []int{403}},
		{"no origin", "GET /ws HTTP/1.1\n" + at + upgrade + "\nOrigin: null", []int{403}},
		{"another method", "POST /join.json HTTP/1.1\n" + at + "\nContent-Length: 0", []int{405}},
		{"a body", "GET / HTTP/1.1\n" + at + "\nContent-Length: 1000000", []int{400}},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00", []int{400, 0}},
	} {
		got := answer(t, h, c.request)
		ok := false
		for _, s := range c.status {
			ok = ok || got == s
		}
		if !ok {
			t.Errorf("%s: answered %d, expected one of %v", c.name, got, c.status)
		}
	}

	// A page of this host that sends what no client does.
	evil := openTab(t, h, "/?name=Eve")
	for _, message := range []string{"new Uint8Array(2000000)", "new Uint8Array(1201)", `"text"`, "new Uint8Array(0)", "crypto.getRandomValues(new Uint8Array(1200))"} {
		var told string
		evil.eval(`new Promise((done) => {
			const s = new WebSocket("ws://" + location.host + "/ws");
			s.onopen = () => { for (let i = 0; i < 50; i++) s.send(`+message+`); setTimeout(() => s.close(), 500); };
			s.onclose = (e) => done(e.code + " " + e.reason);
			s.onerror = () => {};
		})`, &told)
		t.Logf("%s: %s", message, told)
		if strings.Contains(message, "1201") || strings.Contains(message, "2000000") || strings.Contains(message, "text") {
			if !strings.Contains(told, "malformed") {
				t.Errorf("%s: the page was told %q", message, told)
			}
		}
	}

	// Headers that never end hold nothing but their own connections.
	var slow []net.Conn
	for range 50 {
		c := stranger(t, h)
		if c == nil {
			continue
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: loc") // it may be closed already
		slow = append(slow, c)
	}
	if tier.IsLong() {
		for _, c := range slow {
			_, err := io.ReadAll(c)
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Fatal("a connection whose header does not end stays open")
			}
		}
	}

	// Upgrades without end: an address gets what it may have.
	status := map[int]int{}
	began := time.Now()
	for range longer(500, 10000) {
		status[answer(t, h, "GET /ws HTTP/1.1\n"+at+upgrade)]++
	}
	allowed := 80 + int(10*time.Since(began).Seconds()) + 1 // Limits.UpgradesPerSecond
	t.Logf("answers to upgrades %v in %v", status, time.Since(began).Round(time.Millisecond))
	if status[101] > allowed {
		t.Errorf("%d upgrades were accepted, at most %d are allowed", status[101], allowed)
	}
	for s := range status {
		if s != 101 && s != 429 && s != 503 && s != 0 {
			t.Errorf("answered %s", strconv.Itoa(s))
		}
	}

	// The match is unharmed: the player is still the same, and another one comes in.
	if n := len(h.log("Ann")); n != 1 {
		t.Errorf("the host says of the player: %v", h.log("Ann"))
	}
	w.walksAgain(h, "Ann")
	next := openTab(t, h, "/?name=Bob&draw=0")
	next.walksAgain(h, "Bob")
	if d := w.state(); d.Numbers.Corrections > 0 {
		t.Log(fmt.Sprint(d.Numbers.Corrections, " corrections"))
	}
	h.quiet("turned away at the gate")
	w.quiet()
}
