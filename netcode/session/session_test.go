package session_test

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	netwire "github.com/tidelock/tidelock/netcode/wire"
)

// wire is a link.Conn whose datagrams a test hands over by itself.
type wire struct {
	link.Conn
	sent [][]byte
}

func (w *wire) SendDatagram(b []byte) error {
	w.sent = append(w.sent, append([]byte(nil), b...))
	return nil
}

type end struct {
	*session.Session
	wire *wire
}

func newEnd() end {
	w := &wire{}
	return end{session.New(w), w}
}

// send sends a datagram with or without a payload and gives it.
func (e end) send(t *testing.T, payload bool) []byte {
	t.Helper()
	if err := e.Finish(e.Begin(), payload, 0, 0); err != nil {
		t.Fatal(err)
	}
	return e.wire.sent[len(e.wire.sent)-1]
}

func (e end) take(t *testing.T, b []byte, payload bool) {
	t.Helper()
	h, ok, err := e.Open(b, &session.Datagram{})
	if err != nil || !ok {
		t.Fatalf("ok %v, %v", ok, err)
	}
	if err := e.Take(h, payload, e.Now); err != nil {
		t.Fatal(err)
	}
}

func (e end) settle() { e.Notifications(func(bool, netwire.Seq, int32, int32) {}) }

// Of a hundred datagrams each tenth is lost; both ends know it.
func TestLossIsCountedAtBothEnds(t *testing.T) {
	a, b := newEnd(), newEnd()
	for i := range 100 {
		d := a.send(t, true)
		if i%10 != 5 {
			b.take(t, d, true)
		}
		a.take(t, b.send(t, true), true)
	}
	a.settle()
	if b.Came != 100 || b.Got != 90 {
		t.Errorf("%d sent, %d came", b.Came, b.Got)
	}
	if a.Lost != 10 || a.Delivered != 90 {
		t.Errorf("%d lost, %d delivered", a.Lost, a.Delivered)
	}
	if a.Came != a.Got || a.Got != 100 {
		t.Errorf("the other way: %d sent, %d came", a.Came, a.Got)
	}
}

// A datagram that only acknowledges is not acknowledged in turn: when its time is over it is not a loss.
func TestAcknowledgementsAreNoLoss(t *testing.T) {
	a, b := newEnd(), newEnd()
	for range 3 {
		b.take(t, a.send(t, true), true)
		a.take(t, b.send(t, false), false)
	}
	b.Expire(time.Minute)
	b.settle()
	if b.Lost != 0 || b.Delivered != 0 {
		t.Errorf("%d lost, %d delivered", b.Lost, b.Delivered)
	}
	a.send(t, true)
	a.Expire(time.Minute)
	a.settle()
	if a.Lost != 1 || a.Delivered != 3 {
		t.Errorf("%d lost, %d delivered", a.Lost, a.Delivered)
	}
}

// The count goes on over the numbers' wrap, and a datagram that comes late is counted once.
func TestCameOverTheWrap(t *testing.T) {
	a, b := newEnd(), newEnd()
	for range 70_000 {
		b.take(t, a.send(t, false), false)
	}
	first, second := a.send(t, false), a.send(t, false)
	b.take(t, second, false)
	b.take(t, first, false)
	if b.Came != 70_002 || b.Got != 70_002 {
		t.Errorf("%d sent, %d came", b.Came, b.Got)
	}
}

// Acknowledgements that were lost, and made up for by a later datagram, do not make the way look longer: what was lost on it
// is still known to be in time. A way that did become longer is known after two samples.
func TestLateAcknowledgementsAreNoSamples(t *testing.T) {
	const trip = 100 * time.Millisecond
	a, b := newEnd(), newEnd()
	a.Now = 0
	exchange := func(took time.Duration) {
		d := a.send(t, true)
		a.Now += took
		b.take(t, d, true)
		a.take(t, b.send(t, false), false)
		a.Now += time.Second
	}
	for range 10 {
		exchange(trip)
	}
	for i := range 20 {
		if i%2 == 0 {
			exchange(900 * time.Millisecond)
		} else {
			exchange(trip)
		}
	}
	if a.RTT > trip*11/10 {
		t.Errorf("the round trip is taken to be %v, it is %v", a.RTT, trip)
	}
	a.send(t, true)
	a.Expire(a.Now + 400*time.Millisecond)
	lost := 0
	a.Notifications(func(delivered bool, _ netwire.Seq, _, _ int32) {
		if !delivered {
			lost++
		}
	})
	if lost != 1 {
		t.Error("what was lost is not known to be after four round trips")
	}
	exchange(900 * time.Millisecond)
	exchange(900 * time.Millisecond)
	if a.RTT < 400*time.Millisecond {
		t.Errorf("after two round trips of 0.9 s the way is taken to have %v", a.RTT)
	}
}
