package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/tidelock/tidelock/engine/bus"
)

const (
	// maxOut bounds the messages that wait to be written to the connection, and maxOutBytes their size; more are refused.
	maxOut      = 4096
	maxOutBytes = 16 << 20
	// maxIn bounds the messages that wait for the function of one subscription, and maxInBytes their size; more are lost, which is counted.
	maxIn      = 8192
	maxInBytes = 16 << 20
	// tellEvery is how often the log is told of the lost messages of one subscription.
	tellEvery = 10 * time.Second
)

// ErrFull means that a host sends more than its connection takes; the message was not sent.
var ErrFull = errors.New("too many messages wait to be sent; this one was not sent")

// Bus is the [bus.Bus] of a [Conn]. Its methods are for any goroutine.
type Bus struct {
	conn   *Conn
	prefix string

	mu    sync.Mutex
	queue []out
	bytes int
	subs  map[*natsgo.Subscription]*subscription
	ended bool

	wake chan struct{}
	done chan struct{}

	published, received, unsent, lost, malformed atomic.Uint64
}

// BusStats count what a bus did.
type BusStats struct {
	// Published and Received are messages; Unsent were accepted by Publish and lost since the connection broke; Lost came and found a
	// subscription's queue full; Malformed were no messages of a host, and dropped.
	Published, Received, Unsent, Lost, Malformed uint64
	// Connects is how often the connection was made; Connected says that it is there.
	Connects  uint64
	Connected bool
}

// out is what waits for the goroutine that writes to the connection: a message, or else a change of subscriptions.
type out struct {
	message bus.Message
	do      func()
}

// subscription is one of Subscribe.
type subscription struct {
	bus            *Bus
	subject, group string
	fn             func(bus.Message)
	sub            *natsgo.Subscription // the goroutine's
	ended          atomic.Bool

	mu     sync.Mutex
	lost   uint64 // counted
	untold uint64 // of those that the log does not know of
	quiet  bool   // the log was told just now
}

func newBus(c *Conn) *Bus {
	return &Bus{
		conn: c, prefix: c.opt.Name + ".bus.", subs: map[*natsgo.Subscription]*subscription{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

func (b *Bus) start() { go b.run() } // ends by Conn.Close, which awaits it

// Err implements [bus.Bus].
func (b *Bus) Err() error { return b.conn.Err() }

// Publish implements [bus.Bus]. It queues the message for the goroutine that writes to the connection. [ErrFull] means that the queue is
// full.
func (b *Bus) Publish(m bus.Message) error {
	if err := bus.CheckSubject(m.Subject); err != nil {
		return err
	}
	if m.Reply != "" {
		if err := bus.CheckSubject(m.Reply); err != nil {
			return fmt.Errorf("the subject of the answer: %w", err)
		}
	}
	if len(m.Data) > bus.MaxFrame {
		return fmt.Errorf("message on %s: %d bytes, at most %d are allowed; it was not sent", m.Subject, len(m.Data), bus.MaxFrame)
	}
	if err := b.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return fmt.Errorf("%w: the host ends", bus.ErrOffline)
	case len(b.queue) >= maxOut || b.bytes+len(m.Data) > maxOutBytes:
		return ErrFull
	}
	b.enqueue(out{message: m})
	return nil
}

// enqueue has the goroutine do something. The caller has the lock.
func (b *Bus) enqueue(o out) {
	b.queue = append(b.queue, o)
	b.bytes += len(o.message.Data)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// run writes to the connection, which may wait for the network.
func (b *Bus) run() {
	defer close(b.done)
	for range b.wake {
		b.mu.Lock()
		list := b.queue
		b.queue, b.bytes = nil, 0
		ended := b.ended
		b.mu.Unlock()
		sent, unsent := 0, 0
		var why error
		for i := range list {
			if list[i].do != nil {
				list[i].do()
			} else if err := b.write(&list[i].message); err != nil {
				unsent, why = unsent+1, err
			} else {
				sent++
			}
		}
		b.published.Add(uint64(sent)) //nolint:gosec // counted
		b.unsent.Add(uint64(unsent))  //nolint:gosec // counted
		if unsent > 0 {
			b.conn.opt.Log.Warn("Messages to other hosts were lost", "event", "bus_unsent", "messages", unsent, "error", clean(why).Error())
		}
		if ended {
			return
		}
	}
}

// write writes a message to the connection.
func (b *Bus) write(m *bus.Message) error {
	if !b.conn.nc.IsConnected() {
		return natsgo.ErrConnectionReconnecting
	}
	out := &natsgo.Msg{Subject: b.prefix + m.Subject, Data: m.Data}
	if m.Reply != "" {
		out.Reply = b.prefix + m.Reply
	}
	return b.conn.nc.PublishMsg(out)
}

// end sends what waits, within the context's time.
func (b *Bus) end(ctx context.Context) {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
	select {
	case <-b.done:
	case <-ctx.Done():
	}
}

// Subscribe implements [bus.Bus]. The function may wait: meanwhile up to 8192 messages of the subscription, or 16 MB, wait; more are
// lost, which is counted, and logged.
func (b *Bus) Subscribe(subject, group string, fn func(bus.Message)) (func(), error) {
	if err := bus.CheckSubject(subject); err != nil {
		return nil, err
	}
	if group != "" {
		if err := bus.CheckSubject(group); err != nil {
			return nil, fmt.Errorf("the group: %w", err)
		}
	}
	s := &subscription{bus: b, subject: subject, group: group, fn: fn}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil, fmt.Errorf("%w: the host ends", bus.ErrOffline)
	}
	b.enqueue(out{do: s.begin})
	return func() {
		if s.ended.Swap(true) {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.enqueue(out{do: s.end})
	}, nil
}

// begin begins a subscription, also while there is no connection.
func (s *subscription) begin() {
	b := s.bus
	var err error
	if s.group == "" {
		s.sub, err = b.conn.nc.Subscribe(b.prefix+s.subject, s.take)
	} else {
		s.sub, err = b.conn.nc.QueueSubscribe(b.prefix+s.subject, s.group, s.take)
	}
	if err == nil {
		err = s.sub.SetPendingLimits(maxIn, maxInBytes)
	}
	if err != nil { // the subject was checked, so that the connection was closed
		b.conn.opt.Log.Error("A subscription cannot begin", "event", "bus", "subject", s.subject, "error", clean(err).Error())
		return
	}
	b.mu.Lock()
	b.subs[s.sub] = s
	b.mu.Unlock()
}

// end ends a subscription.
func (s *subscription) end() {
	b := s.bus
	b.mu.Lock()
	delete(b.subs, s.sub)
	b.mu.Unlock()
	if s.sub == nil {
		return
	}
	if err := s.sub.Unsubscribe(); err != nil && !errors.Is(err, natsgo.ErrConnectionClosed) && !errors.Is(err, natsgo.ErrBadSubscription) {
		b.conn.opt.Log.Warn("A subscription cannot be ended", "event", "bus", "subject", s.subject, "error", clean(err).Error())
	}
}

// take passes on a message, if it is one. Anything may have sent it (C8).
func (s *subscription) take(m *natsgo.Msg) {
	if s.ended.Load() {
		return
	}
	b := s.bus
	out := bus.Message{Subject: s.subject, Data: m.Data}
	ok := m.Subject == b.prefix+s.subject && len(m.Data) <= bus.MaxFrame
	if m.Reply != "" && ok {
		out.Reply, ok = strings.CutPrefix(m.Reply, b.prefix)
		ok = ok && bus.CheckSubject(out.Reply) == nil
	}
	if !ok {
		if n := b.malformed.Add(1); n&(n-1) == 0 { // the 1st, 2nd, 4th, …: a flood must not fill the log
			b.conn.opt.Log.Warn("A message that no host sends was dropped", "event", "bus_malformed", "subject", s.subject, "bytes", len(m.Data), "messages", n)
		}
		return
	}
	b.received.Add(1)
	s.fn(out)
}

// slow is called when a subscription begins to lose messages.
func (b *Bus) slow(sub *natsgo.Subscription) {
	b.mu.Lock()
	s := b.subs[sub]
	b.mu.Unlock()
	if s == nil {
		return
	}
	b.count(sub, s)
}

// count adds what a subscription has lost, and tells the log of it.
func (b *Bus) count(sub *natsgo.Subscription, s *subscription) {
	n, err := sub.Dropped()
	if err != nil || n < 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	more := uint64(n) - min(s.lost, uint64(n))
	s.lost += more
	s.untold += more
	b.lost.Add(more)
	s.tell()
}

// tell tells the log of lost messages, at most every tellEvery. The caller has the lock.
func (s *subscription) tell() {
	if s.quiet || s.untold == 0 {
		return
	}
	s.bus.conn.opt.Log.Warn("Messages from other hosts were lost: they come faster than this host takes them", "event", "bus_lost", "subject", s.subject, "messages", s.untold)
	s.untold, s.quiet = 0, true
	time.AfterFunc(tellEvery, func() { // it may come after the end of the bus, and is harmless then
		s.mu.Lock()
		defer s.mu.Unlock()
		s.quiet = false
		s.tell()
	})
}

// Stats returns the counts.
func (b *Bus) Stats() BusStats {
	b.mu.Lock()
	subs := make(map[*natsgo.Subscription]*subscription, len(b.subs))
	for k, v := range b.subs { // any order: a copy
		subs[k] = v
	}
	b.mu.Unlock()
	for sub, s := range subs { // any order: a sum
		b.count(sub, s)
	}
	return BusStats{
		Published: b.published.Load(), Received: b.received.Load(), Unsent: b.unsent.Load(), Lost: b.lost.Load(), Malformed: b.malformed.Load(),
		Connects: b.conn.Connects(), Connected: b.conn.Err() == nil,
	}
}
