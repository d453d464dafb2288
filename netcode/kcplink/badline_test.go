package kcplink

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// echoTime returns how long a datagram takes to the server and back.
func (w *world) echoTime(c *peer, cc *Conn) time.Duration {
	w.t.Helper()
	n, began := len(c.datagrams), w.now
	must(w.t, cc.SendDatagram([]byte("there and back")))
	w.until("the echo", 10*time.Second, func() bool { return len(c.datagrams) > n })
	return w.now - began
}

// TestImpair: a lag grows the round trip of one connection by itself, in every way of measuring it; another connection has
// none, and 0 restores the path.
func TestImpair(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s, c, sc, cc := w.pair(Limits{})
		s.echo = true
		other := w.client(1)
		oc := other.dial(Dial{})
		w.until("open", 5*time.Second, func() bool { return len(other.opened) == 1 })
		bad, ok := sc.(link.Impairer)
		if !ok {
			t.Fatal("a connection over a network cannot be impaired")
		}
		before := w.echoTime(c, cc)
		const lag = 300 * time.Millisecond
		must(t, bad.Impair(lag, 0))
		if d := w.echoTime(c, cc) - before; d < lag-2*stepTime || d > lag+2*stepTime {
			t.Errorf("a lag of %v adds %v", lag, d)
		}
		if d := w.echoTime(other, oc); d > before+2*stepTime {
			t.Errorf("the other connection takes %v, %v before", d, before)
		}
		w.run(2 * time.Minute)
		for side, c := range map[string]link.Conn{"server": sc, "client": cc} {
			if rtt := c.Stats().RTT; rtt < lag || rtt > lag+100*time.Millisecond {
				t.Errorf("the %s measures %v", side, rtt)
			}
		}
		// What waits when the path is restored arrives first, in order.
		for i := range 20 {
			if i == 10 {
				must(t, bad.Impair(0, 0))
			}
			must(t, cc.SendDatagram(numbered(i, 8)))
			w.step()
		}
		w.run(lag)
		got := s.datagrams[len(s.datagrams)-20:]
		for i, b := range got {
			if !bytes.Equal(b, numbered(i, 8)) {
				t.Fatalf("datagram %d is %q", i, b)
			}
		}
		if d := w.echoTime(c, cc); d > before+stepTime {
			t.Errorf("restored, the echo takes %v, %v before", d, before)
		}
		if sc.(*Conn).bad != nil {
			t.Error("a restored path still has a line")
		}
		if k := s.l.Counters(); k.ImpairedIn != 0 || k.ImpairedOut != 0 {
			t.Errorf("dropped without a loss: %d in, %d out", k.ImpairedIn, k.ImpairedOut)
		}
	})
}

// TestImpairLoss: reliable messages arrive once and in order in spite of the loss, datagrams are missing, and the
// connection survives the greatest loss and lag while something is sent.
func TestImpairLoss(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s, c, sc, cc := w.pair(Limits{})
		s.echo = true
		bad := sc.(link.Impairer)
		must(t, bad.Impair(50*time.Millisecond, 0.3))
		const n = 300
		for i := range n {
			if cc.Send(numbered(i, 200)) != nil || cc.SendDatagram(numbered(i, 50)) != nil {
				t.Fatal("not sent")
			}
			w.step()
		}
		w.until("every message there and back", time.Minute, func() bool { return len(c.messages) >= n })
		for i := range n {
			if !bytes.Equal(c.messages[i], numbered(i, 200)) {
				t.Fatalf("message %d is %q", i, c.messages[i][:8])
			}
		}
		if len(c.messages) > n {
			t.Errorf("%d messages, %d sent", len(c.messages), n)
		}
		if got := len(c.datagrams); got > n*3/4 || got < n/5 {
			t.Errorf("%d of %d datagrams came back at a loss of 0.3 each way", got, n)
		}
		if k := s.l.Counters(); k.ImpairedIn == 0 || k.ImpairedOut == 0 {
			t.Errorf("dropped %d in, %d out", k.ImpairedIn, k.ImpairedOut)
		}
		must(t, bad.Impair(link.MaxLag, link.MaxLoss))
		s.echo = false
		for range 60 * 30 { // at the rate of a game
			if err := errors.Join(cc.SendDatagram(numbered(0, 50)), sc.SendDatagram(numbered(0, 50))); err != nil {
				t.Error(err)
				return
			}
			w.run(30 * time.Millisecond)
		}
		if lag, loss := bad.Impaired(); lag != link.MaxLag || loss != link.MaxLoss || len(s.closed)+len(c.closed) > 0 {
			t.Errorf("after a minute: lag %v, loss %g, closed %v %v", lag, loss, s.closed, c.closed)
		}
		// The end is told at once, without the line.
		sc.Close(link.Reason{Code: "kicked"})
		w.until("the goodbye", 200*time.Millisecond, func() bool { return c.lastReason() == "kicked" })
		if err := bad.Impair(0, 0); !errors.Is(err, link.ErrClosed) {
			t.Errorf("impairing a closed connection: %v", err)
		}
		if lag, loss := bad.Impaired(); lag != 0 || loss != 0 {
			t.Errorf("a closed connection has a lag of %v, a loss of %g", lag, loss)
		}
	})
}

// TestImpairBounds: values out of bounds are refused and change nothing; what waits is bounded.
func TestImpairBounds(t *testing.T) {
	inOne(t, impair.Rule{}, false, func(w *world) {
		_, _, sc, _ := w.pair(Limits{})
		c := sc.(*Conn)
		for _, x := range []struct {
			lag  time.Duration
			loss float64
		}{{-1, 0}, {link.MaxLag + 1, 0}, {0, -0.1}, {0, link.MaxLoss + 0.01}, {0, math.NaN()}} {
			if c.Impair(x.lag, x.loss) == nil {
				t.Errorf("a lag of %v and a loss of %g were taken", x.lag, x.loss)
			}
		}
		if c.bad != nil {
			t.Fatal("a refused value made a line")
		}
		must(t, c.Impair(link.MaxLag, 0))
		p := &packet{n: headerSize + tagSize}
		for range maxHeld + 10 {
			c.bad.holdIn(c, p)
		}
		if n := c.bad.in.Travelling(); n != maxHeld || c.l.count.ImpairedIn != 10 {
			t.Errorf("%d packets wait, %d dropped", n, c.l.count.ImpairedIn)
		}
		w.run(2 * time.Second) // forged ones are dropped when they are opened
		if n := c.bad.in.Travelling(); n > 100 || c.state != stateOpen || c.l.count.BadSeals+c.l.count.Replayed < maxHeld {
			t.Errorf("%d packets wait, %s, %d bad seals", n, c.state, c.l.count.BadSeals)
		}
	})
}
