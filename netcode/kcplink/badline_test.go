package kcplink

import (
	"errors"
	"math"
	"slices"
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
		bad := sc.(link.Impairer)
		before := w.echoTime(c, cc)
		const lag = 300 * time.Millisecond
		must(t, bad.Impair(lag, 0))
		mine, theirs := w.echoTime(c, cc)-before, w.echoTime(other, oc)
		w.run(2 * time.Minute)
		ours, measured := sc.Stats().RTT, cc.Stats().RTT
		if (mine-lag).Abs() > 2*stepTime || theirs > before+2*stepTime || min(ours, measured) < lag ||
			max(ours, measured) > lag+100*time.Millisecond {
			t.Errorf("a lag of %v adds %v, measured as %v and %v; the other connection takes %v, %v before", lag, mine,
				ours, measured, theirs, before)
		}
		// What waits when the path is restored arrives first, in order.
		var sent [][]byte
		for i := range 20 {
			if i == 10 {
				must(t, bad.Impair(0, 0))
			}
			sent = append(sent, numbered(i, 8))
			must(t, cc.SendDatagram(sent[i]))
			w.step()
		}
		w.run(lag)
		if got := s.datagrams[len(s.datagrams)-20:]; !slices.EqualFunc(got, sent, slices.Equal) {
			t.Errorf("datagrams %q", got)
		}
		if d := w.echoTime(c, cc); d > before+stepTime || sc.(*Conn).bad != nil {
			t.Errorf("restored, the echo takes %v, %v before, or a line is left", d, before)
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
		var sent [][]byte
		for i := range n {
			sent = append(sent, numbered(i, 200))
			must(t, cc.Send(sent[i]), cc.SendDatagram(numbered(i, 50)))
			w.step()
		}
		w.until("every message there and back", time.Minute, func() bool { return len(c.messages) >= n })
		if got := len(c.datagrams); !slices.EqualFunc(c.messages, sent, slices.Equal) || got > n*3/4 || got < n/5 {
			t.Errorf("other messages came back, or %d of %d datagrams at a loss of 0.3 each way", got, n)
		}
		if k := s.l.Counters(); k.ImpairedIn == 0 || k.ImpairedOut == 0 {
			t.Errorf("dropped %d in, %d out", k.ImpairedIn, k.ImpairedOut)
		}
		must(t, bad.Impair(link.MaxLag, link.MaxLoss))
		s.echo = false
		for range 60 * 30 { // at the rate of a game
			must(t, cc.SendDatagram(numbered(0, 50)), sc.SendDatagram(numbered(0, 50)))
			w.run(30 * time.Millisecond)
		}
		if lag, loss := bad.Impaired(); lag != link.MaxLag || loss != link.MaxLoss || len(s.closed)+len(c.closed) > 0 {
			t.Errorf("after a minute: lag %v, loss %g, closed %v %v", lag, loss, s.closed, c.closed)
		}
		// The end is told at once, without the line.
		sc.Close(link.Reason{Code: "kicked"})
		w.until("the goodbye", 200*time.Millisecond, func() bool { return c.lastReason() == "kicked" })
		err := bad.Impair(0, 0)
		if lag, loss := bad.Impaired(); !errors.Is(err, link.ErrClosed) || lag != 0 || loss != 0 {
			t.Errorf("impairing a closed connection: %v; it has a lag of %v, a loss of %g", err, lag, loss)
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
