package bus

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Bounds of what a client holds. Beyond them messages are lost, which is counted.
const (
	maxQueued      = 4096 // messages that came and were not handed over
	maxQueuedBytes = 16 << 20
	maxRequests    = 4096 // that wait for their answers
)

// ErrTimeout means that no host answered a request in its time.
var ErrTimeout = errors.New("no host answered in time")

// ErrBusy means that too many requests wait for their answers.
var ErrBusy = fmt.Errorf("%d requests wait for their answers; this one was not sent", maxRequests)

// RemoteError is an error that another host answered with.
type RemoteError struct{ Host, Text string }

func (e *RemoteError) Error() string { return e.Text }

// In is a message that came.
type In struct {
	// From is the id of the host that sent it, as it says; who may write to the bus can forge it (C8).
	From    string
	Subject string
	Body    []byte

	reply string
	id    uint64
}

// Wanted reports whether the sender waits for an answer.
func (in *In) Wanted() bool { return in.reply != "" }

// Client is what a world uses of a [Bus]. Its methods belong to the world's goroutine; only messages arrive from others, and
// wait for [Client.Deliver], which hands them over in the order in which they came.
type Client struct {
	// Bus is the transport. Host is the id of this host, unique among those that run: letters, digits, - and _.
	Bus  Bus
	Host string
	// Wake, if not nil, is called on any goroutine when something came.
	Wake func()
	// Stats counts since the client was made.
	Stats Stats

	mu     sync.Mutex
	queue  []arrival
	bytes  int
	lost   int
	closed bool

	taken    []arrival
	now      time.Duration
	next     uint64
	inbox    func() // cancels
	requests map[uint64]*request
	order    []uint64 // of requests, by id; may name ones that are answered
}

// Stats count messages. Lost ones came faster than they were handed over; Bad ones were no messages of a host.
type Stats struct{ Sent, Came, Lost, Bad int }

type arrival struct {
	sub *subscription // nil for an answer
	m   Message
}

type subscription struct {
	fn    func(In)
	ended bool // the world's
}

type request struct {
	until time.Duration
	done  func(In, error)
}

// Publish sends a body to all who subscribe to a subject. It is checked and bounded by [MaxFrame].
func (c *Client) Publish(subject string, body []byte) error {
	return c.send(subject, envelope{from: c.Host, body: body}, "")
}

func (c *Client) send(subject string, e envelope, reply string) error {
	if len(e.body) > MaxFrame {
		return fmt.Errorf("a message of %d bytes; at most %d", len(e.body), MaxFrame)
	}
	err := c.Bus.Publish(Message{Subject: subject, Reply: reply, Data: e.append(nil)})
	if err == nil {
		c.Stats.Sent++
	}
	return err
}

// Subscribe has fn called with each message of a subject that comes, until cancel is called; see [Bus] for groups.
func (c *Client) Subscribe(subject, group string, fn func(In)) (cancel func(), err error) {
	s := &subscription{fn: fn}
	end, err := c.Bus.Subscribe(subject, group, func(m Message) { c.came(arrival{s, m}) })
	if err != nil {
		return nil, err
	}
	return func() {
		if !s.ended {
			s.ended = true
			end()
		}
	}, nil
}

// Request sends a body to all who subscribe to a subject, and calls done once: with the first answer, or with an error after
// timeout, during [Client.Deliver]. If it returns an error nothing was sent, and done is not called.
func (c *Client) Request(subject string, body []byte, timeout time.Duration, done func(In, error)) error {
	if len(c.requests) >= maxRequests {
		return ErrBusy
	}
	inbox := "inbox." + c.Host
	if c.inbox == nil {
		end, err := c.Bus.Subscribe(inbox, "", func(m Message) { c.came(arrival{nil, m}) })
		if err != nil {
			return err
		}
		c.inbox, c.requests = end, map[uint64]*request{}
	}
	c.next++
	if err := c.send(subject, envelope{from: c.Host, id: c.next, body: body}, inbox); err != nil {
		return err
	}
	c.requests[c.next] = &request{until: c.now + timeout, done: done}
	c.order = append(c.order, c.next)
	return nil
}

// Answer answers a request; to a message that is none, it does nothing. text, if not empty, is an error's.
func (c *Client) Answer(in In, body []byte, text string) error {
	if in.reply == "" {
		return nil
	}
	return c.send(in.reply, envelope{from: c.Host, id: in.id, text: text, body: body}, "")
}

// came is called on goroutines of the bus.
func (c *Client) came(a arrival) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	if len(c.queue) >= maxQueued || c.bytes+len(a.m.Data) > maxQueuedBytes {
		c.lost++
		c.mu.Unlock()
		return
	}
	c.queue = append(c.queue, a)
	c.bytes += len(a.m.Data)
	c.mu.Unlock()
	if c.Wake != nil {
		c.Wake()
	}
}

// Deliver hands over what came until now, and ends requests whose time is over. What arrives or is sent meanwhile waits for the
// next call. now is the time since any beginning; it must not go back.
func (c *Client) Deliver(now time.Duration) {
	c.now = now
	c.mu.Lock()
	c.taken, c.queue, c.bytes = c.queue, c.taken[:0], 0
	c.Stats.Lost += c.lost
	c.lost = 0
	c.mu.Unlock()
	for i := range c.taken {
		a := c.taken[i]
		c.taken[i] = arrival{}
		c.hand(a)
	}
	c.expire()
}

func (c *Client) hand(a arrival) {
	e, err := readEnvelope(a.m.Data)
	if err != nil {
		c.Stats.Bad++
		return
	}
	in := In{From: e.from, Subject: a.m.Subject, Body: e.body, reply: a.m.Reply, id: e.id}
	if a.sub != nil {
		if !a.sub.ended {
			c.Stats.Came++
			a.sub.fn(in)
		}
		return
	}
	r := c.requests[e.id]
	if r == nil {
		return // the second answer, or a late one
	}
	c.Stats.Came++
	delete(c.requests, e.id)
	if e.text != "" {
		r.done(in, &RemoteError{e.from, e.text})
		return
	}
	r.done(in, nil)
}

// expire ends, in the order of their beginning, requests that nobody answered.
func (c *Client) expire() {
	if len(c.order) == 0 {
		return
	}
	kept, n := c.order[:0], len(c.order)
	for _, id := range c.order[:n] {
		r := c.requests[id]
		switch {
		case r == nil:
		case c.now >= r.until:
			delete(c.requests, id)
			err := ErrTimeout
			if cause := c.Bus.Err(); cause != nil {
				err = fmt.Errorf("%w: %w", ErrTimeout, cause)
			}
			r.done(In{}, err) // may append to c.order
		default:
			kept = append(kept, id)
		}
	}
	c.order = append(kept, c.order[n:]...)
}

// Close ends the client: nothing more is handed over, and requests are forgotten without a word.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed, c.queue, c.bytes = true, nil, 0
	c.mu.Unlock()
	if c.inbox != nil {
		c.inbox()
		c.inbox = nil
	}
	c.requests, c.order = nil, nil
}
