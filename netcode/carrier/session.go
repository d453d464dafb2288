//go:build !js

package carrier

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// Link is what sessions are attached to: a *kcplink.Link, or a wrapper that sees every packet.
type Link interface {
	Pipe(remote netip.AddrPort, c kcplink.Carrier) (*kcplink.Pipe, error)
}

// Counters count packets of one session or, shared by Options, of several. All may be read at any time.
type Counters struct {
	// Sessions that were open: accepted, or dialled successfully.
	Sessions atomic.Uint64
	// Sent and Received are packets passed to the library and to the link.
	Sent, Received atomic.Uint64
	// DroppedFull packets found the queue full, or were replaced by a newer one while a client was still dialling.
	DroppedFull atomic.Uint64
	// DroppedStale packets waited too long.
	DroppedStale atomic.Uint64
}

// Options of a server's session.
type Options struct {
	// Context ends the session when it ends; nil for never. For a WebSocket it should be the request's, which also carries
	// the connection (ConnContext).
	Context context.Context
	// Now is the wall clock; required.
	Now func() time.Time
	// Admission is how long a session may last before the link has accepted a connection over it, default 15 s.
	Admission time.Duration
	// Foreign marks the session's pipe: see kcplink.Pipe.Foreign.
	Foreign bool
	// Idle is how long a session lasts that receives no packet, or cannot send one, default 15 s.
	Idle time.Duration
	// Counters to count in; nil means the session's own.
	Counters *Counters
}

func (o *Options) check() error {
	switch {
	case o.Now == nil:
		return errors.New("carrier: Options.Now is missing: set it to the wall clock")
	case o.Admission < 0 || o.Idle < 0:
		return fmt.Errorf("carrier: Options.Admission is %v and Idle %v: neither may be negative", o.Admission, o.Idle)
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Admission == 0 {
		o.Admission = defaultAdmission
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.Counters == nil {
		o.Counters = new(Counters)
	}
	return nil
}

// wire is what a session needs of WebSocket or WebTransport.
type wire interface {
	// read waits for a packet and puts it into buf, which has room for one byte more than a packet. 0 bytes mean
	// that there was no packet; the caller continues. After a *violation the wire is still readable, so that a
	// closing handshake can proceed; any other error is final.
	read(buf []byte) (int, error)
	// write sends a packet and may block. An error is final.
	write(b []byte) error
	// finish sends what was written, tells the peer the reason, and waits for its confirmation.
	finish(e ending)
	// cut unblocks everyone who waits. It may be called repeatedly and on any goroutine.
	cut()
}

// Session carries the packets of one pipe. It implements kcplink.Carrier, and its methods may be called on any
// goroutine.
type Session struct {
	pipe  *kcplink.Pipe
	now   func() time.Time
	queue *queue
	count *Counters
	// idle and admission are those of Options; the dialling side has no admission.
	idle, admission time.Duration

	mu sync.Mutex
	// end is set once, before ending is closed.
	end    ending
	ending chan struct{}
	// stop cancels dialling; nil on the server's side.
	stop context.CancelFunc
	// done is closed when every goroutine has ended, except the one that closes it.
	done chan struct{}

	// start is when the session opened; received and writing are times since then in nanoseconds: of the newest
	// packet, and of the write in progress, -1 for none.
	start             time.Time
	received, writing atomic.Int64
}

var _ kcplink.Carrier = (*Session)(nil)

func newSession(o *Options) *Session {
	return &Session{
		now: o.Now, queue: newQueue(), count: o.Counters, idle: o.Idle, admission: o.Admission,
		ending: make(chan struct{}), done: make(chan struct{}),
	}
}

// Pipe returns the pipe to dial over.
func (s *Session) Pipe() *kcplink.Pipe { return s.pipe }

// Done returns a channel that is closed when the session has ended and released everything.
func (s *Session) Done() <-chan struct{} { return s.done }

// Counters returns the session's counters, or those passed to it.
func (s *Session) Counters() *Counters { return s.count }

// Send queues a packet of at most link.MaxPacket bytes. It never blocks. It returns false if the packet is dropped,
// because the queue is full or the session ends.
func (s *Session) Send(b []byte) bool {
	if len(b) > link.MaxPacket || s.isEnding() {
		return false
	}
	ok, replaced := s.queue.push(b, s.now())
	if !ok || replaced {
		s.count.DroppedFull.Add(1)
	}
	return ok
}

// Close ends the session within a second: queued packets are sent first, then the reason. It does not block; later
// calls do nothing.
func (s *Session) Close(why link.Reason) { s.finish(ending{status: statusReason, why: why}) }

// finish makes the session end, and reports whether this was the first call.
func (s *Session) finish(e ending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnding() {
		return false
	}
	s.end = e
	close(s.ending)
	if s.stop != nil {
		s.stop()
	}
	return true
}

func (s *Session) isEnding() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// serve transfers packets over w until the session has ended, on three goroutines: the caller's receives, one
// sends, one watches the time. It waits for the other two before it returns.
func (s *Session) serve(ctx context.Context, w wire) {
	s.count.Sessions.Add(1)
	s.start = s.now()
	s.writing.Store(-1)
	s.queue.opened(s.start)
	var sender, watcher sync.WaitGroup
	over := make(chan struct{})
	watcher.Go(func() { s.watch(ctx, w, over) })
	sender.Go(func() { s.send(w) })
	s.receive(w)
	sender.Wait()
	close(over)
	watcher.Wait()
}

// close ends the pipe, and with it what was dialled over it.
func (s *Session) close() {
	s.pipe.Break(s.end.why)
	close(s.done)
}

func (s *Session) receive(w wire) {
	var buf [link.MaxPacket + 1]byte
	var flood throttle.Bucket
	for {
		n, err := w.read(buf[:])
		var v *violation
		switch {
		case errors.As(err, &v):
			s.finish(v.ending)
		case err != nil:
			if s.finish(endingOf(err)) {
				w.cut() // a peer that is gone cannot be told anything
			}
			return
		case s.isEnding():
		case !flood.Take(s.now().Sub(s.start), packetsIn, 2*packetsIn):
			s.finish(ending{statusPolicy, link.Reason{Code: "flood", Text: fmt.Sprintf("more than %d packets a second", packetsIn)}, false})
		case n == 0: // not a packet, but it costs as much
		default:
			s.received.Store(int64(s.now().Sub(s.start)))
			s.count.Received.Add(1)
			s.pipe.Receive(buf[:n])
		}
	}
}

func (s *Session) send(w wire) {
	for p := s.next(); p != nil; p = s.next() {
		s.writing.Store(int64(s.now().Sub(s.start)))
		err := w.write(p.b[:p.n])
		s.writing.Store(-1)
		s.queue.give(p)
		var v *violation
		switch {
		case errors.As(err, &v):
			s.finish(v.ending)
		case err != nil:
			s.finish(endingOf(err))
			w.cut()
			return
		default:
			s.count.Sent.Add(1)
		}
	}
	if !s.end.gone {
		w.finish(s.end)
	}
}

// next waits for a packet to send; it returns nil when the session ends and none is left.
func (s *Session) next() *packet {
	for {
		ending := s.isEnding()
		if ending && s.end.gone {
			return nil
		}
		p, stale := s.queue.pop(s.now(), ending)
		s.count.DroppedStale.Add(uint64(stale))
		if p != nil || ending {
			return p
		}
		select {
		case <-s.queue.wake:
		case <-s.ending:
		}
	}
}

// watch ends the session when its time is up, and cuts it when ending takes too long.
func (s *Session) watch(ctx context.Context, w wire, over <-chan struct{}) {
	admission := s.admission
	for !s.isEnding() {
		age := s.now().Sub(s.start)
		if admission > 0 && age >= admission {
			if !s.pipe.Accepted() {
				s.finish(timeout("no connection was accepted over the session within %v", admission))
			}
			admission = 0
		}
		quiet := time.Duration(s.received.Load()) + s.idle
		if age >= quiet {
			s.finish(timeout("no packet came over the session for %v", s.idle))
		}
		stuck := quiet
		if since := s.writing.Load(); since >= 0 {
			if stuck = time.Duration(since) + s.idle; age >= stuck {
				s.finish(timeout("no packet was taken from the session for %v", s.idle))
			}
		}
		wait := min(quiet, stuck) - age
		if admission > 0 {
			wait = min(wait, admission-age)
		}
		until, cancel := context.WithTimeout(ctx, wait)
		select {
		case <-s.ending:
		case <-until.Done():
			if ctx.Err() != nil {
				s.finish(ending{statusAway, link.Reason{Code: "closed", Text: "the other side has shut down"}, false})
			}
		}
		cancel()
	}
	grace, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	select {
	case <-over:
	case <-grace.Done():
	}
	w.cut()
}
