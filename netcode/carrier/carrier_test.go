//go:build !js

package carrier

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

// Messages come back in order, datagrams mostly, full packets among them; the server sees the peer's real address.
func TestCarriesBothWays(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		r := newRig(t, Options{})
		p, s, c := r.join(via)
		r.until("open", func() bool { return len(p.opened) == 1 && len(r.server.opened) == 1 })
		if got := r.server.opened[0].Identity().Addr; !strings.HasPrefix(got, "127.0.0.1:") || got == p.l.Addr().String() {
			t.Errorf("the server sees %s", got)
		}
		r.server.echo = true
		const n = 200
		long := strings.Repeat("x", c.MaxDatagram()-4)
		for i := range n {
			must(t, c.Send([]byte(fmt.Sprintf("%04d", i)+strings.Repeat("y", 300))))
			must(t, c.SendDatagram([]byte(fmt.Sprintf("%04d%s", i, long))))
			r.step()
		}
		r.until("all messages are back", func() bool { return len(p.messages) == n })
		for i, m := range p.messages {
			if !strings.HasPrefix(m, fmt.Sprintf("%04d", i)) {
				t.Fatalf("message %d is %.4s", i, m)
			}
		}
		r.until("datagrams are back", func() bool { return len(p.datagrams) >= n/2 })
		if got := len(p.datagrams[0]); got != c.MaxDatagram() {
			t.Errorf("a datagram of %d bytes came back with %d", c.MaxDatagram(), got)
		}
		if k := s.Counters(); k.Sent.Load() == 0 || k.Received.Load() == 0 || r.count.Sessions.Load() != 1 {
			t.Errorf("counted %d sent, %d received, %d sessions", k.Sent.Load(), k.Received.Load(), r.count.Sessions.Load())
		}
	})
}

// A kick's reason reaches the client before the session ends, and the client's own goodbye the server.
func TestReasonsCross(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		for name, kick := range map[string]bool{"kick": true, "leave": false} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t, Options{})
				p, s, c := r.join(via)
				r.until("open", func() bool { return len(r.server.opened) == 1 && len(p.opened) == 1 })
				told, conn := r.server, link.Conn(c)
				if kick {
					told, conn = p, r.server.opened[0]
				}
				why := link.Reason{Code: "bye", Text: "until tomorrow"}
				conn.Close(why)
				r.until("told", func() bool { return len(told.closed) == 1 })
				r.until("the session has ended", func() bool { n, _ := r.sessions(); return isDone(s) && n == 1 })
				if _, err := r.sessions(); told.closed[0] != why || kick && err != nil {
					t.Errorf("closed with %+v, %v", told.closed[0], err)
				}
			})
		}
	})
}

// What was sent before Close arrives, and the reason with it, at a peer that has no link to tell it.
func TestCloseSendsWhatWaits(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		r := newRig(t, Options{})
		p, s, _ := r.join(via)
		r.until("open", func() bool { return len(p.opened) == 1 })
		// What is under way is counted here and there at different times, in either order.
		var before, sent uint64
		r.until("all that was sent has come", func() bool {
			sent, before = s.Counters().Sent.Load(), r.count.Received.Load()
			return via == WebTransport || before == sent && s.Counters().Sent.Load() == sent
		})
		const n = queuePackets - 8
		for range n {
			if !s.Send(make([]byte, link.MaxPacket)) {
				t.Fatal("the queue is full")
			}
		}
		s.Close(link.Reason{Code: "bye", Text: "bye"})
		if s.Send(make([]byte, 20)) {
			t.Error("sent on a session that ends")
		}
		r.until("done", func() bool { k, _ := r.sessions(); return isDone(s) && k == 1 })
		went := s.Counters().Sent.Load() - sent
		got := r.count.Received.Load() - before
		if s.Counters().DroppedStale.Load() == 0 && went < n-1-8 {
			t.Errorf("%d packets went of %d", went, n)
		}
		// Datagrams may be lost where quic-go's receiving queue is full; a stream loses none.
		if via == WebSocket && got < went || got == 0 {
			t.Errorf("%d packets came of %d", got, went)
		}
		if len(p.closed) != 0 && p.closed[0].Code != "bye" {
			t.Errorf("the client's connection ended with %+v", p.closed[0])
		}
	})
}

// The reason that Close was given breaks the peer's pipe, also when the link's goodbye never came.
func TestReasonInTheCloseFrame(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		r := newRig(t, Options{})
		p, s, _ := r.join(via)
		r.until("open", func() bool { return len(p.opened) == 1 })
		r.server.l.Poll(time.Since(r.start), r.server)
		other, err := Dial(r.server.l, Target{Via: via, Host: r.host, Now: time.Now})
		must(t, err)
		r.until("another session stands", func() bool { return r.count.Sessions.Load() == 2 })
		other.Close(link.Reason{Code: "bye", Text: "one: two\n" + strings.Repeat("ü", 200)})
		r.until("done", func() bool { n, _ := r.sessions(); return isDone(other) && n == 1 })
		if isDone(s) {
			t.Error("another session ended")
		}
	})
	e := ending{status: statusReason, why: link.Reason{Code: "kick", Text: "one: two " + strings.Repeat("ü", 200)}}
	if l := e.line(); len(l) > maxReason || !strings.HasPrefix(l, "kick: one: two ü") || strings.ContainsRune(l, '\uFFFD') {
		t.Errorf("line %q", l)
	}
}

// A listener's sessions end with its context, and a link's with the link.
func TestShutdown(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		r := newRig(t, Options{})
		p, s, _ := r.join(via)
		r.until("open", func() bool { return len(p.opened) == 1 && len(r.server.opened) == 1 })
		must(t, r.server.l.Close())
		r.until("the client knows", func() bool { return len(p.closed) == 1 && isDone(s) })
		if p.closed[0].Code != "closed" {
			t.Errorf("closed with %+v", p.closed[0])
		}
		if _, err := Dial(r.server.l, Target{Via: via, Host: r.host, Now: time.Now}); err == nil {
			t.Error("dialled over a closed link")
		}
		// The host refuses new sessions over its closed link, too.
		s, err := Dial(p.l, Target{Via: via, Host: r.host, Now: time.Now})
		must(t, err)
		r.until("refused", func() bool { return isDone(s) })
	})
}

// A session over which nobody comes in ends, and one that has become silent.
func TestTimesUp(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		for says, o := range map[string]Options{"accepted": {Admission: 50 * time.Millisecond}, "no packet": {Idle: 50 * time.Millisecond}} {
			t.Run(says, func(t *testing.T) {
				r := newRig(t, o)
				s := r.dial(r.add(kcplink.Config{}), via)
				r.until("the session has ended", func() bool { n, _ := r.sessions(); return isDone(s) && n == 1 })
				_, err := r.sessions()
				if why := s.end.why; why.Code != "timeout" || !strings.Contains(why.Text, says) || err == nil ||
					!strings.Contains(err.Error(), why.Text) {
					t.Errorf("the client was told %+v, the server says %v", why, err)
				}
			})
		}
	})
}

// Over a session of another host's page nobody comes in without a token.
func TestForeign(t *testing.T) {
	both(t, func(t *testing.T, via Via) {
		r := newRig(t, Options{Foreign: true})
		p, _, _ := r.join(via)
		r.until("an answer came", func() bool { return len(p.opened) > 0 || len(p.closed) > 0 })
		if len(p.closed) != 1 || p.closed[0].Code != "token_needed" {
			t.Errorf("in: %d, told %+v", len(p.opened), p.closed)
		}
	})
}

// Dialling ends with one line that names the URL, and what is there instead.
func TestDialFails(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer mute.Close()
	both(t, func(t *testing.T, via Via) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		nobody := l.Addr().String()
		_ = l.Close()
		r := newRig(t, Options{})
		for host, says := range map[string]string{nobody: "refused", other.Listener.Addr().String(): "404"} {
			r.host = host
			p, s, _ := r.join(via)
			r.until("given up", func() bool { return len(p.closed) == 1 })
			if why := p.closed[0]; why.Code != "unreachable" || !strings.Contains(why.Text, "://"+host+"/") ||
				!strings.Contains(why.Text, says) || strings.Count(why.Text, host) > 2 {
				t.Errorf("%+v", why)
			}
			<-s.Done()
		}
		p := r.add(kcplink.Config{})
		for _, timeout := range []time.Duration{20 * time.Millisecond, time.Hour} {
			s, err := Dial(p.l, Target{Via: via, Host: mute.Addr().String(), Now: time.Now, Timeout: timeout})
			must(t, err)
			if timeout == time.Hour { // Close gives up a dial at once
				s.Close(link.Reason{Code: "bye", Text: "never mind"})
			}
			<-s.Done()
			if why := s.end.why; timeout < time.Hour &&
				(why.Code != "unreachable" || !strings.Contains(why.Text, "within 20ms")) {
				t.Errorf("%+v", why)
			}
		}
	})
	r := newRig(t, Options{})
	for _, bad := range []Target{
		{Via: UDP, Host: "h:1", Now: time.Now},
		{Via: "tcp", Host: "h:1", Now: time.Now},
		{Via: WebSocket, Host: "h", Now: time.Now},
		{Via: WebSocket, Host: "h:1/x y%", Now: time.Now},
		{Via: WebSocket, Host: "h:1"},
		{Via: WebSocket, Host: "h:1", Now: time.Now, Timeout: -1},
	} {
		if _, err := Dial(r.server.l, bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
