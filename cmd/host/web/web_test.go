package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

// A name that somebody points at 127.0.0.1 reaches nothing, not even the page.
func TestRebinding(t *testing.T) {
	l := listen(t, Options{})
	port := ":" + strconv.Itoa(int(l.Addr().Port()))
	for _, c := range []struct {
		host, more string
		want       int
	}{
		{"localhost" + port, "", 200},
		{"[::1]" + port, "", 200},
		{"evil.example" + port, "", 421},
		{"0.0.0.0" + port, "", 421},
		{"evil.example" + port, "\nX-Forwarded-For: 127.0.0.1", 421},
		{"local_host;script-src", "", 400},
		{"", "", 400},
	} {
		for _, path := range []string{"/", carrier.InfoPath} {
			if r := send(t, l, "GET "+path+" HTTP/1.1\nHost: "+c.host+c.more); r.StatusCode != c.want {
				t.Errorf("%q of %q: %s, want %d", path, c.host+c.more, r.Status, c.want)
			}
		}
	}
	if r := send(t, l, upgrade("evil.example"+port, "\nOrigin: http://evil.example"+port)); r.StatusCode != 421 {
		t.Errorf("upgrade by a rebound name: %s", r.Status)
	}
}

// A proxy on this machine that the operator named may pass on any name; WebTransport cannot pass through it.
func TestTrustedProxy(t *testing.T) {
	l := listen(t, Options{TrustedProxy: prefixes("127.0.0.1/32")})
	ask := "GET /join.json HTTP/1.1\nHost: game.example"
	if r := send(t, l, ask); r.StatusCode != 421 {
		t.Errorf("without forwarding header: %s", r.Status)
	}
	r := send(t, l, ask+"\nX-Forwarded-For: 5.6.7.8")
	var j Join
	if err := json.NewDecoder(r.Body).Decode(&j); err != nil || r.StatusCode != 200 || j.WT != nil || j.WS == "" {
		t.Errorf("%s %v %+v", r.Status, err, j)
	}
	l.visitors.mu.Lock()
	counted := l.visitors.by[netip.MustParseAddr("5.6.7.8")] != nil
	l.visitors.mu.Unlock()
	if !counted {
		t.Error("the forwarded address is not counted")
	}
	// The list may change while the host runs.
	l.SetTrustedProxy(prefixes("10.0.0.0/8"))
	if r := send(t, l, ask+"\nX-Forwarded-For: 5.6.7.8"); r.StatusCode != 421 {
		t.Errorf("by a proxy that is not trusted any more: %s", r.Status)
	}
	l.SetTrustedProxy(prefixes("127.0.0.0/8"))
	if r := send(t, l, ask+"\nX-Forwarded-For: 5.6.7.8"); r.StatusCode != 200 {
		t.Errorf("by a proxy that is trusted from now on: %s", r.Status)
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		host    string
		origins []string
		anyPort bool
		want    bool
	}{
		{"game.example:7780", nil, false, true},
		{"game.example:7780", []string{"http://game.example:7780"}, false, true},
		{"GAME.example:7780", []string{"http://game.EXAMPLE:7780"}, false, true},
		{"game.example", []string{"https://game.example"}, false, true},
		{"game.example:443", []string{"https://game.example"}, false, true},
		{"127.0.0.1:7780", []string{"http://localhost:7780"}, false, true},
		{"game.example:7780", []string{"https://game.example"}, true, true},
		{"game.example:7780", []string{"https://game.example"}, false, false},
		{"game.example:7780", []string{"http://game.example:7781"}, false, false},
		{"game.example:7780", []string{"http://evil.example:7780"}, false, false},
		{"game.example:7780", []string{"http://evil.example:7780"}, true, false},
		{"game.example:7780", []string{"http://localhost:7780"}, false, false},
		{"game.example:7780", []string{"null"}, false, false},
		{"game.example:7780", []string{""}, false, false},
		{"game.example:7780", []string{"file://"}, false, false},
		{"game.example:7780", []string{"http://game.example:7780/x"}, false, false},
		{"game.example:7780", []string{"http://game.example:7780@evil.example"}, false, false},
		{"game.example:7780", []string{"http://game.example:7780", "http://evil.example"}, false, false},
	} {
		if got, _ := origin(&http.Request{Host: c.host, Header: http.Header{"Origin": c.origins}}, c.anyPort); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}

	l := listen(t, Options{})
	host := l.Addr().String()
	for origin, want := range map[string]int{
		"http://" + host: 101, "http://localhost:" + strconv.Itoa(int(l.Addr().Port())): 101,
		"http://evil.example": 403, "null": 403, "http://localhost:1": 403,
	} {
		if r := send(t, l, upgrade(host, "\nOrigin: "+origin)); r.StatusCode != want {
			t.Errorf("upgrade from %q: %s, want %d", origin, r.Status, want)
		}
	}
}

func TestNothingElse(t *testing.T) {
	l := listen(t, Options{})
	host := l.Addr().String()
	root := ""
	for path := range l.site.files {
		root, _, _ = strings.Cut(strings.TrimPrefix(path, "/p/"), "/")
	}
	for _, path := range []string{
		"/index.html", "/p", "/p/", "/p/" + root, "/p/" + root + "/", "/p/" + root + "/index.html", "/p/" + root + "/../../web.go",
		"/p/" + root + "/%2e%2e/web.go", "/../web.go", "/..%2fweb.go", "//", "//etc/passwd", "/etc/passwd", "/p/../../../../etc/passwd",
		"/%2e%2e/%2e%2e/etc/passwd", "/p\\..\\web.go", "/client/", "/client/../web.go", "/client/x/client.wasm", "/wt", "/debug/pprof/", "/%00",
	} {
		if r := send(t, l, "GET "+path+" HTTP/1.1\nHost: "+host); r.StatusCode != 404 {
			t.Errorf("%q: %s", path, r.Status)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "FOO"} {
		r := send(t, l, method+" / HTTP/1.1\nHost: "+host)
		if r.StatusCode != 405 || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %s", method, r.Status)
		}
	}
	if r := send(t, l, "GET / HTTP/1.1\nHost: "+host+"\nContent-Length: 5"); r.StatusCode != 400 {
		t.Errorf("a request with a body: %s", r.Status)
	}
	if r := send(t, l, "HEAD / HTTP/1.1\nHost: "+host); r.StatusCode != 200 {
		t.Errorf("HEAD: %s", r.Status)
	}
}

func TestCaching(t *testing.T) {
	l := listen(t, Options{})
	r, index := get(t, l, "/")
	if r.StatusCode != 200 || r.Header.Get("Cache-Control") != "no-cache" || r.Header.Get("Content-Encoding") != "" {
		t.Errorf("page: %s %v", r.Status, r.Header)
	}
	if p := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") || strings.Contains(p, "unsafe-inline") || strings.Contains(p, "*") {
		t.Errorf("policy %q", p)
	}
	for _, m := range reference.FindAllSubmatch(index, -1) {
		if path := string(m[2]); strings.HasPrefix(path, "/") && l.site.files[path] == nil {
			t.Errorf("the page refers to %s, which is not there", path)
		}
	}
	packed := 0
	for path, a := range l.site.files {
		r, plain := get(t, l, path)
		want := "public, max-age=31536000, immutable"
		if path == l.site.worker {
			want = "no-cache" // its policy is not forever
		}
		if r.StatusCode != 200 || r.Header.Get("Cache-Control") != want || !bytes.Equal(plain, a.raw) {
			t.Errorf("%s: %s %v", path, r.Status, r.Header)
		}
		if r, b := get(t, l, path, "If-None-Match", r.Header.Get("ETag")); r.StatusCode != 304 || len(b) != 0 {
			t.Errorf("%s again: %s", path, r.Status)
		}
		r, b := get(t, l, path, "Accept-Encoding", "br, gzip")
		if r.Header.Get("Content-Encoding") == "" {
			continue
		}
		packed++
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(z); err != nil || !bytes.Equal(b, plain) {
			t.Errorf("%s packed is another file (%v)", path, err)
		}
	}
	if packed == 0 {
		t.Error("nothing was packed")
	}
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, GZIP": true, "gzip;q=0": false, "*": true, "gzip;q=0, *": false, "gzip; q=0.5": true, "identity": false,
	} {
		if accepts(header, "gzip") != want {
			t.Errorf("Accept-Encoding %q: %v", header, !want)
		}
	}
}

// ears is a link's handler that keeps what came, and sends messages back.
type ears struct {
	opened int
	got    []string
	echo   bool
}

func (e *ears) Opened(link.Conn)           { e.opened++ }
func (e *ears) Datagram(link.Conn, []byte) {}
func (e *ears) Closed(link.Conn, link.Reason) {
}

func (e *ears) Message(c link.Conn, b []byte) {
	e.got = append(e.got, string(b))
	if e.echo {
		_ = c.Send(b) // a lost echo fails the test by itself
	}
}

// A player gets by join.json to a connection over either carrier, and messages cross both ways.
func TestPlays(t *testing.T) {
	for _, via := range []carrier.Via{carrier.WebSocket, carrier.WebTransport} {
		t.Run(string(via), func(t *testing.T) {
			l := listen(t, Options{Title: func() string { return "A server" }, Level: func() string { return "yard" }, Text: func() string { return "one\ntwo" }})
			target := carrier.Target{Via: via, Host: l.Addr().String(), Now: time.Now}
			info, err := carrier.FetchInfo(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			key := l.opt.Link.PublicKey()
			if info.Key != base64.StdEncoding.EncodeToString(key[:]) || info.Version != carrier.InfoVersion || info.WT == nil || len(info.WT.Hashes) != 2 {
				t.Errorf("info %+v", info)
			}
			r, b := get(t, l, carrier.InfoPath)
			var j Join
			if err := json.Unmarshal(b, &j); err != nil || j.Title != "A server" || j.Level != "yard" || j.Text != "one\ntwo" || j.Client.State != "failed" || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%v %s", err, b)
			}

			k, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = k.Close() }()
			s, err := carrier.Dial(k, target)
			if err != nil {
				t.Fatal(err)
			}
			c, err := k.Dial(kcplink.Dial{Pipe: s.Pipe(), ServerKey: key})
			if err != nil {
				t.Fatal(err)
			}
			player, server, start := &ears{}, &ears{echo: true}, time.Now()
			step := func() {
				now := time.Since(start)
				k.Poll(now, player)
				l.opt.Link.Poll(now, server)
				k.Flush(now)
				l.opt.Link.Flush(now)
			}
			eventually(t, "open", func() bool { step(); return player.opened == 1 && server.opened == 1 })
			if err := c.Send([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the message came back", func() bool { step(); return len(player.got) == 1 })
			if player.got[0] != "hello" || server.got[0] != "hello" {
				t.Errorf("got %q and %q", player.got, server.got)
			}
			if p, _ := l.counts(); p != 1 {
				t.Errorf("%d pipes", p)
			}
			s.Close(link.Reason{Code: "bye", Text: "bye"})
			<-s.Done()
			eventually(t, "the pipe is not counted any more", func() bool { step(); p, _ := l.counts(); return p == 0 })
		})
	}
}

// Every count of visitors, on a clock of the test's.
func TestVisitors(t *testing.T) {
	limits, err := Limits{Conns: 5, ConnsPerAddress: 2, RequestsPerSecond: 2, UpgradesPerSecond: 1, Handshakes: 1, Pipes: 3, PipesPerAddress: 2}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := newClock()
	v := newVisitors(limits, c.now)
	a, b, d := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.3")
	sameB := netip.MustParseAddr("2001:db8::ffff:1")
	count := func(n int, f func() bool) (yes int) {
		for range n {
			if f() {
				yes++
			}
		}
		return yes
	}
	is := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	is("burst of requests", count(50, func() bool { return v.mayRequest(a) }), 8)
	is("requests of another", count(1, func() bool { return v.mayRequest(d) }), 1)
	c.advance(time.Second)
	is("requests a second later", count(50, func() bool { return v.mayRequest(a) }), 2)
	c.advance(-time.Hour)
	is("requests when the clock went back", count(50, func() bool { return v.mayRequest(a) }), 0)
	c.advance(2 * time.Hour)
	is("upgrades", count(50, func() bool { return v.mayUpgrade(b) }), 8)
	is("upgrades from the same /64", count(50, func() bool { return v.mayUpgrade(sameB) }), 0)
	is("connections", count(9, func() bool { return v.connect(a, false, false) }), 2)
	is("connections of another", count(9, func() bool { return v.connect(b, false, false) }), 2)
	is("connections in all", count(9, func() bool { return v.connect(d, false, false) }), 1)
	v.disconnect(a, false)
	is("connections after one closed", count(9, func() bool { return v.connect(a, false, false) }), 1)
	v.disconnect(a, false)
	v.disconnect(b, false)
	v.disconnect(d, false)
	is("handshakes", count(3, func() bool { return v.connect(netip.MustParseAddr("10.0.0.1"), true, true) }), 2)
	is("pipes", count(9, func() bool { return v.openPipe(a) }), 2)
	is("pipes in all", count(9, func() bool { return v.openPipe(b) }), 1)
	v.closePipe(a)
	is("pipes after one closed", count(9, func() bool { return v.openPipe(d) }), 1)

	// Strangers cannot make the table grow without bound, nor push out somebody who is connected.
	for i := range 3 * maxVisitors {
		v.mayRequest(netip.AddrFrom4([4]byte{100, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	is("table", len(v.by), maxVisitors)
	c.advance(time.Hour)
	v.mayRequest(netip.MustParseAddr("203.0.113.1"))
	if len(v.by) > 8 || v.by[a] == nil {
		t.Errorf("%d visitors an hour later", len(v.by))
	}
}

// The limits hold at the sockets.
func TestLimitsAtSockets(t *testing.T) {
	t.Run("connections", func(t *testing.T) {
		l := listen(t, Options{Limits: Limits{ConnsPerAddress: 2}})
		first := dial(t, l)
		dial(t, l)
		eventually(t, "both are counted", func() bool { _, n := l.counts(); return n == 2 })
		// It is reset; the client learns this either while it connects or when it reads.
		third, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			_ = third.SetDeadline(time.Now().Add(patience))
			_, err = third.Read(make([]byte, 1))
			_ = third.Close()
		}
		if err == nil || isTimeout(err) {
			t.Errorf("the third connection: %v", err)
		}
		_ = first.Close()
		eventually(t, "the first is forgotten", func() bool { _, n := l.counts(); return n == 1 })
		if r, _ := get(t, l, "/"); r.StatusCode != 200 {
			t.Error(r.Status)
		}
	})
	t.Run("requests", func(t *testing.T) {
		c := newClock()
		l := listen(t, Options{Now: c.now, Limits: Limits{RequestsPerSecond: 2}})
		conn := dial(t, l) // counts as one, so seven are left
		status := map[string]int{}
		for range 10 {
			if _, err := io.WriteString(conn, "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 4096)
			n, err := conn.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			status[string(b[9:min(12, n)])]++
		}
		if status["200"] != 7 || status["429"] != 3 {
			t.Errorf("%v", status)
		}
	})
	t.Run("pipes", func(t *testing.T) {
		l := listen(t, Options{Limits: Limits{PipesPerAddress: 1}})
		host := l.Addr().String()
		if r := send(t, l, upgrade(host, "")); r.StatusCode != 101 {
			t.Error(r.Status)
		}
		if r := send(t, l, upgrade(host, "")); r.StatusCode != 503 {
			t.Errorf("the second: %s", r.Status)
		}
	})
	t.Run("upgrades", func(t *testing.T) {
		l := listen(t, Options{Now: newClock().now, Limits: Limits{UpgradesPerSecond: 1, PipesPerAddress: 2 * upgradeBurst, ConnsPerAddress: 4 * upgradeBurst}})
		status := map[int]int{}
		for range upgradeBurst + 2 {
			status[send(t, l, upgrade(l.Addr().String(), "")).StatusCode]++
		}
		if status[101] != upgradeBurst || status[429] != 2 {
			t.Errorf("%v", status)
		}
	})
	t.Run("headers", func(t *testing.T) {
		l := listen(t, Options{})
		if r, _ := get(t, l, "/", "X-Long", strings.Repeat("x", 17<<10)); r.StatusCode != 431 {
			t.Error(r.Status)
		}
	})
}

// QUIC connections are refused by each of the counts, before a handshake is spent on them, and let in again once there is room.
func TestQUICRefusedByCount(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		clock  bool // the refused may come back once time has passed, and not when one of the others closes
	}{
		{"connections of an address", Limits{ConnsPerAddress: 2}, false},
		{"connections in all", Limits{Conns: 2}, false},
		{"sessions requested by an address", Limits{UpgradesPerSecond: 1}, true},
		{"handshakes in all", Limits{Handshakes: 1}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			l := listen(t, Options{Now: clock.now, Limits: c.limits})
			var open []*quic.Conn
			var err error
			for len(open) <= upgradeBurst {
				var conn *quic.Conn
				if conn, err = dialQUIC(t, l); err != nil {
					break
				}
				defer func() { _ = conn.CloseWithError(0, "") }()
				open = append(open, conn)
			}
			most := 2 // two connections, or the burst of two handshakes
			if c.limits.UpgradesPerSecond > 0 {
				most = upgradeBurst
			}
			var refused *quic.TransportError
			if len(open) != most || !errors.As(err, &refused) || refused.ErrorCode != quic.ConnectionRefused {
				t.Fatalf("after %d of %d connections: %v", len(open), most, err)
			}
			if _, n := l.counts(); n != most {
				t.Errorf("%d connections are counted, expected %d: the refused one is not", n, most)
			}
			if c.clock {
				clock.advance(2 * time.Second) // what the refused one has sent besides may take the first turn
			} else {
				_ = open[0].CloseWithError(0, "")
				eventually(t, "the first is forgotten", func() bool { _, n := l.counts(); return n == most-1 })
			}
			conn, err := dialQUIC(t, l)
			if err != nil {
				t.Fatalf("once there is room: %v", err)
			}
			_ = conn.CloseWithError(0, "")
		})
	}
}

func dialQUIC(t *testing.T, l *Listener) (*quic.Conn, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := quic.DialAddr(ctx, l.Addr().String(), anyCert(), &quic.Config{EnableDatagrams: true})
	if err != nil && ctx.Err() != nil {
		t.Fatal("neither answered nor refused")
	}
	return conn, err
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// A connection that does not say in time what it wants is closed.
func TestSlow(t *testing.T) {
	l := listen(t, Options{Limits: Limits{ReadHeader: 50 * time.Millisecond}})
	t.Run("TCP", func(t *testing.T) {
		c := dial(t, l)
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: loc"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(c); isTimeout(err) {
			t.Error("still open")
		}
	})
	t.Run("QUIC", func(t *testing.T) {
		c, err := dialQUIC(t, l)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-c.Context().Done():
		case <-time.After(patience):
			t.Fatal("still open")
		}
		var app *quic.ApplicationError
		if err := context.Cause(c.Context()); !errors.As(err, &app) || app.ErrorCode != quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad) {
			t.Errorf("ended by %v", err)
		}
	})
}

// W2.5: what a browser may fetch by its hash is what the match has now, packed, and forever: a hash has one content.
func TestFilesByHash(t *testing.T) {
	script, picture := []byte(strings.Repeat("function Pawn:Wave() end\n", 100)), []byte{0x89, 'P', 'N', 'G', 1, 2, 3}
	files := map[[sha256.Size]byte][]byte{sha256.Sum256(script): script, sha256.Sum256(picture): picture}
	l := listen(t, Options{File: func(h [sha256.Size]byte) []byte { return files[h] }})
	path := func(b []byte) string {
		h := sha256.Sum256(b)
		return contentRoot + hex.EncodeToString(h[:])
	}
	for _, want := range [][]byte{script, picture} {
		r, b := get(t, l, path(want))
		if r.StatusCode != 200 || !bytes.Equal(b, want) || r.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || r.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s %v", r.Status, r.Header)
		}
	}
	r, b := get(t, l, path(script), "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || len(b) > len(script)/4 {
		t.Errorf("%d bytes %v", len(b), r.Header)
	}
	clear(files) // another level
	for _, p := range []string{path(script), path([]byte("other")), contentRoot, contentRoot + "../web.go", strings.ToUpper(path(script)), path(script) + "0", path(script)[:20], contentRoot + strings.Repeat("z", 64)} {
		if r, _ := get(t, l, p); r.StatusCode != 404 {
			t.Errorf("%s: %s", p, r.Status)
		}
	}
}

// W5: what a browser fetches of a script has its lines of comment emptied, and nothing else is another.
func TestUncommented(t *testing.T) {
	for in, want := range map[string]string{
		"// a\nlet b = 1; // c\n\t// d\n": "\nlet b = 1; // c\n\n",
		"x = `\n// kept\n`;\n// gone\n":   "x = `\n// kept\n`;\n\n",
		"x = \"`\";\n// kept\n":           "x = \"`\";\n// kept\n",
		"x = `\\``;\n// gone\n":           "x = `\\``;\n\n",
		"a = b\n/ c":                      "a = b\n/ c",
	} {
		if got := string(uncommented([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
