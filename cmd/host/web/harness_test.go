package web

import (
	"bufio"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

func TestMain(m *testing.M) {
	// kcp-go starts some goroutines when it is imported.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// patience is for what never comes, not for a busy machine.
const patience = time.Minute

// clock is a wall clock that only the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// listen starts a listener on loopback with a link of its own. When the test ends both close, and nothing may be left.
func listen(t *testing.T, o Options) *Listener {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	k, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}})
	if err != nil {
		t.Fatal(err)
	}
	o.Link = k
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		// quic-go tells of the end of a connection on a goroutine of its own.
		eventually(t, "no pipe and no connection is counted after Close", func() bool { p, c := l.counts(); return p == 0 && c == 0 })
		goleak.VerifyNone(t, leaks)
	})
	return l
}

func (l *Listener) counts() (pipes, conns int) {
	pipes, conns, _ = l.Counts()
	return pipes, conns
}

// dial opens a TCP connection that closes with the test.
func dial(t *testing.T, l *Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// send writes a request as it is, and reads the answer's head; the connection stays open until the test ends.
func send(t *testing.T, l *Listener, request string) *http.Response {
	t.Helper()
	c := dial(t, l)
	if _, err := io.WriteString(c, strings.ReplaceAll(request, "\n", "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return r
}

// get requests a path with headers given as pairs.
func get(t *testing.T, l *Listener, path string, header ...string) (*http.Response, []byte) {
	t.Helper()
	s := "GET " + path + " HTTP/1.1\nHost: " + l.Addr().String() + "\nConnection: close"
	for i := 0; i < len(header); i += 2 {
		s += "\n" + header[i] + ": " + header[i+1]
	}
	r := send(t, l, s)
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

// upgrade is a request for a WebSocket, with further lines.
func upgrade(host, more string) string {
	return "GET /ws HTTP/1.1\nHost: " + host + "\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==" + more
}

// eventually waits until ok, which other goroutines make true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// anyCert takes whatever certificate is served.
func anyCert() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}} //nolint:gosec // the tests look at it themselves
}

func prefixes(s ...string) (p []netip.Prefix) {
	for _, x := range s {
		p = append(p, netip.MustParsePrefix(x))
	}
	return p
}
