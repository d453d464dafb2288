//go:build !js

package carrier

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

// raw is a WebSocket to the host without a link.
func (r *rig) raw() *websocket.Conn {
	r.t.Helper()
	tr := &http.Transport{}
	c, _, err := websocket.Dial(context.Background(), "ws://"+r.host+WebSocketPath, &websocket.DialOptions{HTTPClient: &http.Client{Transport: tr}})
	must(r.t, err)
	r.t.Cleanup(func() { _ = c.CloseNow(); tr.CloseIdleConnections() })
	return c
}

// Messages that no packet can be end a session, and the peer is told why.
func TestMalformedMessages(t *testing.T) {
	for _, c := range []struct {
		name   string
		typ    websocket.MessageType
		size   int
		status websocket.StatusCode
		says   string
	}{
		{"oversized", websocket.MessageBinary, link.MaxPacket + 1, statusTooBig, "1200 bytes"},
		{"far oversized", websocket.MessageBinary, 10 << 20, statusTooBig, "1200 bytes"},
		{"text", websocket.MessageText, 10, statusText, "binary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{})
			ws := r.raw()
			go func() { _ = ws.Write(context.Background(), c.typ, make([]byte, c.size)) }() // the far one is cut
			_, _, err := ws.Read(context.Background())
			var e websocket.CloseError
			if !errors.As(err, &e) || e.Code != c.status || !strings.HasPrefix(e.Reason, "malformed: ") || !strings.Contains(e.Reason, c.says) {
				t.Errorf("the peer was told %v", err)
			}
			r.until("the session has ended", func() bool { n, _ := r.sessions(); return n == 1 })
			if _, err := r.sessions(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the server says %v", err)
			}
			if r.count.Received.Load() != 0 {
				t.Error("it was counted as received")
			}
			if r.slowed.Load() != 1 {
				t.Error("what the peer goes on to send is not read slowly")
			}
		})
	}
	t.Run("datagram", func(t *testing.T) {
		r := newRig(t, Options{})
		s, conn := r.rawSession()
		for range 20 { // one may be lost
			if err := s.SendDatagram(make([]byte, link.MaxPacket+1)); err != nil {
				break
			}
		}
		r.until("the session has ended", func() bool { n, _ := r.sessions(); return n == 1 })
		if _, err := r.sessions(); err == nil || !strings.Contains(err.Error(), "1200 bytes") {
			t.Errorf("the server says %v", err)
		}
		_ = conn.CloseWithError(0, "")
	})
}

// rawSession is a session of WebTransport to the host without a link.
func (r *rig) rawSession() (*webtransport.Session, *quic.Conn) {
	r.t.Helper()
	target := Target{Via: WebTransport, Host: r.host, Now: time.Now}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w, err := target.dialWebTransport(ctx)
	must(r.t, err)
	d := w.(*datagrams)
	return d.s, d.conn
}

// A peer cannot open streams beside its session.
func TestNoStreams(t *testing.T) {
	r := newRig(t, Options{})
	s, conn := r.rawSession()
	if _, err := s.OpenStream(); err == nil {
		t.Error("a peer opened a stream")
	}
	uni := 0
	for ; uni < 10; uni++ {
		if _, err := s.OpenUniStream(); err != nil {
			break
		}
	}
	if uni > 3 {
		t.Errorf("a peer opened %d streams", uni)
	}
	r.until("the host has the session", func() bool { // it may take a while after the peer has it
		_ = s.SendDatagram(make([]byte, 20))
		return r.count.Received.Load() > 0
	})
	_ = conn.CloseWithError(0, "")
	r.until("the session has ended", func() bool { n, _ := r.sessions(); return n == 1 })
}

// More packets than any link sends end the session; messages without a packet in them are as many as packets, and are none.
func TestFlood(t *testing.T) {
	for name, c := range map[string]struct{ size, least, most int }{"packets": {20, 2 * packetsIn, 60 * packetsIn}, "empty": {0, 0, 0}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			ws := r.raw()
			go func() {
				for ws.Write(context.Background(), websocket.MessageBinary, make([]byte, c.size)) == nil {
				}
			}()
			if _, _, err := ws.Read(context.Background()); err == nil || !strings.Contains(err.Error(), "flood") {
				t.Errorf("the peer was told %v", err)
			}
			r.until("the session has ended", func() bool { n, _ := r.sessions(); return n == 1 })
			if got := int(r.count.Received.Load()); got < c.least || got > c.most {
				t.Errorf("%d packets of %d bytes were received", got, c.size)
			}
		})
	}
}

// Pings and pongs without end are read slowly, so that they wait at the peer and not here; an end does not wait for them.
func TestControlFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlFrames(time.Now)
		start, answered := time.Now(), 0
		for i := range 1000 {
			if i%2 == 0 {
				c.pong(t.Context(), nil)
			} else if c.ping(t.Context(), nil) {
				answered++
			}
		}
		passed := time.Since(start)
		if n := (1000 - 2*controls) / passed.Seconds(); n > controls+1 || passed > time.Minute {
			t.Errorf("%.0f frames a second were read, in %v", n, passed)
		}
		if most := pongs * (2 + int(passed.Seconds()) + 1); answered > most || answered == 0 {
			t.Errorf("%d pings were answered, expected at most %d", answered, most)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		start = time.Now()
		for range 1000 {
			c.pong(ended, nil)
		}
		if passed := time.Since(start); passed > 0 {
			t.Errorf("a session that ended rested for %v", passed)
		}
	})
}

// deaf is a session with a peer that does not read until read is closed, and then until it gets a packet that begins with 2.
func deaf(t *testing.T) (s *Session, read chan struct{}, result chan error) {
	read, result = make(chan struct{}), make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		c, err := websocket.Accept(w, q, nil)
		<-read
		for b := []byte(nil); err == nil && (len(b) == 0 || b[0] != 2); {
			_, b, err = c.Read(context.Background())
		}
		result <- err
		if c != nil {
			_ = c.CloseNow()
		}
	}))
	t.Cleanup(srv.Close)
	l, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0"})
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	s, err = Dial(l, Target{Via: WebSocket, Host: srv.Listener.Addr().String(), Now: time.Now, Idle: time.Hour})
	must(t, err)
	return s, read, result
}

// eventually waits, and does something meanwhile.
func eventually(t *testing.T, what string, ok func() bool, meanwhile func()) {
	t.Helper()
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("not in time: ", what)
		}
		meanwhile()
	}
}

// A peer that does not read: packets get stale, all that wait are dropped, and what is newer goes on when it reads again.
func TestStaleOnAPeerThatDoesNotRead(t *testing.T) {
	s, read, result := deaf(t)
	b, nothing := make([]byte, link.MaxPacket), func() {}
	// The line is stuck when the queue is full and nothing has left it for as long as makes everything in it stale.
	taken := func() uint64 { return s.Counters().Sent.Load() + s.Counters().DroppedStale.Load() }
	for stuck := false; !stuck; {
		eventually(t, "the queue is full", func() bool { return s.Counters().Sessions.Load() > 0 && s.queueLen() == queuePackets }, func() { s.Send(b) })
		before := taken()
		<-time.NewTimer(staleAfter + 50*time.Millisecond).C
		stuck = taken() == before && s.queueLen() == queuePackets
	}
	stale := s.Counters().DroppedStale.Load()
	close(read)
	eventually(t, "the line moves again", func() bool { return s.queueLen() == 0 && s.Counters().DroppedStale.Load() > stale }, nothing)
	if got := s.Counters().DroppedStale.Load() - stale; got != queuePackets {
		t.Errorf("%d packets were dropped as stale, expected all %d", got, queuePackets)
	}
	b[0] = 2
	if !s.Send(b) {
		t.Error("no room after stale packets were dropped")
	}
	must(t, <-result)
	<-s.Done()
}

func (s *Session) queueLen() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return s.queue.n
}

// A peer that takes nothing does not hold an ending session for long, and Send does not wait for it.
func TestEndsOverAPeerThatDoesNotRead(t *testing.T) {
	s, read, _ := deaf(t)
	defer close(read)
	eventually(t, "the queue is full", func() bool { return s.Counters().DroppedFull.Load() > 0 && s.queueLen() == queuePackets },
		func() { s.Send(make([]byte, link.MaxPacket)) })
	s.Close(link.Reason{Code: "bye", Text: "bye"})
	<-s.Done() // without the cut this is 10 s and more; a leak or a hang fails by the test's own timeout
}

// change changes join.json, and returns what it was.
func (r *rig) change(f func(*Info)) Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.info
	f(&r.info)
	return old
}

// Certificates that join.json does not announce, or that are not valid now, are refused in words that say what to do.
func TestCertificates(t *testing.T) {
	r := newRig(t, Options{})
	_, other := certificate(t, time.Now())
	good := r.info.WT.Hashes[0]
	dial := func(r *rig) link.Reason {
		t.Helper()
		s := r.dial(r.add(kcplink.Config{}), WebTransport)
		<-s.Done()
		return s.end.why
	}
	for _, c := range []struct {
		name, says string
		change     func(*Info)
	}{
		{"wrong hash", "none of those", func(i *Info) { i.WT = &WTInfo{i.WT.URL, []string{other}} }},
		{"system's roots", "certificate", func(i *Info) { i.WT = &WTInfo{i.WT.URL, nil} }},
		{"no hash", "base64 of SHA-256", func(i *Info) { i.WT = &WTInfo{i.WT.URL, []string{"abc\n"}} }},
		{"other host", "host name 127.0.0.1", func(i *Info) { i.WT = &WTInfo{"https://example.org/wt", []string{good}} }},
		{"no WebTransport", "use ws", func(i *Info) { i.WT = nil }},
		{"newer", "update", func(i *Info) { i.Version = 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := r.change(c.change)
			defer r.change(func(i *Info) { *i = old })
			why := dial(r)
			if why.Code != "unreachable" || !strings.Contains(why.Text, c.says) || !strings.Contains(why.Text, "://"+"127.0.0.1:") {
				t.Errorf("%+v", why)
			}
		})
	}
	for name, from := range map[string]time.Time{"expired": time.Now().Add(-20 * 24 * time.Hour), "from the future": time.Now().Add(24 * time.Hour)} {
		t.Run(name, func(t *testing.T) {
			if why := dial(newRigWith(t, Options{}, from)); !strings.Contains(why.Text, "clocks") {
				t.Errorf("%+v", why)
			}
		})
	}
	// Two certificates are valid at once while a host renews them.
	r.change(func(i *Info) { i.WT = &WTInfo{i.WT.URL, []string{other, good}} })
	p, _, _ := r.join(WebTransport)
	r.until("open", func() bool { return len(p.opened) == 1 })
}

// join.json is bounded, and so is where it may lead.
func TestInfo(t *testing.T) {
	var answer http.HandlerFunc
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { answer(w, q) }))
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	target := Target{Via: WebTransport, Host: srv.Listener.Addr().String(), TLS: true, Roots: roots, Now: time.Now}
	for _, c := range []struct {
		name, says string
		answer     http.HandlerFunc
	}{
		{"elsewhere", "another host", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "https://example.org/", http.StatusFound)
		}},
		{"without TLS", "another host or scheme", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://"+q.Host+"/", http.StatusFound)
		}},
		{"in circles", "more than 3", func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, q.URL.Path, http.StatusFound) }},
		{"endless", "longer than", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1000))); err != nil {
					return
				}
			}
		}},
		{"missing", "404", http.NotFound},
		{"not JSON", "not what a host writes", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer = c.answer
			_, err := FetchInfo(context.Background(), target)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "https://"+target.Host+"/join.json: ") {
				t.Error(err)
			}
		})
	}
	want := Info{Version: 1, Key: "k", WS: "/ws", WT: &WTInfo{URL: "/wt"}}
	answer = func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(want) }
	got, err := FetchInfo(context.Background(), target)
	if err != nil || got.Key != "k" || got.WT == nil || got.WT.URL != "/wt" {
		t.Errorf("%+v, %v", got, err)
	}
	target.Roots = x509.NewCertPool()
	if _, err := FetchInfo(context.Background(), target); err == nil {
		t.Error("an untrusted certificate was accepted")
	}
}

// Over https the carrier is wss, and the TCP connection below it is reached all the same.
func TestSecureWebSocket(t *testing.T) {
	r := newRig(t, Options{})
	reached := make(chan bool, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		c, err := websocket.Accept(w, q, AcceptOptions(time.Now, nil))
		if err != nil {
			t.Error(err)
			return
		}
		conn, _ := q.Context().Value(connKey{}).(*tls.Conn)
		_, tcp := conn.NetConn().(*net.TCPConn)
		reached <- tcp
		o := r.opt
		o.Context = q.Context()
		r.ended(ServeWebSocket(r.server.l, c, r.server.l.Addr(), o))
	}))
	srv.Config.ConnContext = ConnContext
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	p := r.add(kcplink.Config{})
	s, err := Dial(p.l, Target{Via: WebSocket, Host: srv.Listener.Addr().String(), TLS: true, Roots: roots, Now: time.Now})
	must(t, err)
	if _, err := p.l.Dial(kcplink.Dial{Pipe: s.Pipe()}); err != nil {
		t.Fatal(err)
	}
	r.until("open", func() bool { return len(p.opened) == 1 })
	if !<-reached {
		t.Error("the TCP connection is out of reach")
	}
	p.opened[0].Close(link.Reason{Code: "bye", Text: "bye"})
	r.until("ended", func() bool { n, _ := r.sessions(); return n == 1 && isDone(s) })
}

func TestParseVia(t *testing.T) {
	for _, v := range []Via{UDP, WebTransport, WebSocket} {
		if got, err := ParseVia(string(v)); got != v || err != nil {
			t.Errorf("%v %v", got, err)
		}
	}
	if _, err := ParseVia("tcp"); err == nil || !strings.Contains(err.Error(), "wt (WebTransport)") {
		t.Error(err)
	}
}

// What a peer says of the end is taken apart and cleaned.
func TestEndingOf(t *testing.T) {
	for said, want := range map[string]link.Reason{
		"kick: you: out":                {Code: "kick", Text: "you: out"},
		"kick: \x1b[2Jred\nline":        {Code: "kick", Text: "?[2Jred line"},
		"no reason":                     {Code: "lost", Text: "the other side ended the session (4000): no reason"},
		"Not A Code: x":                 {Code: "lost", Text: "the other side ended the session (4000): Not A Code: x"},
		strings.Repeat("a", 40) + ": x": {Code: "lost", Text: "the other side ended the session (4000): " + strings.Repeat("a", 40) + ": x"},
	} {
		for _, err := range []error{
			fmt.Errorf("wrapped: %w", websocket.CloseError{Code: statusReason, Reason: said}),
			&webtransport.SessionError{Remote: true, ErrorCode: statusReason, Message: said},
		} {
			if e := endingOf(err); e.why != want || !e.gone {
				t.Errorf("%q: %+v", said, e)
			}
		}
	}
	if e := endingOf(net.ErrClosed); e.why.Code != "lost" || !e.gone {
		t.Errorf("%+v", e)
	}
}
