package store

import (
	"errors"
	"fmt"
)

// Bounds of what waits (C1): who wants more is told at once.
const (
	MaxWaiting      = 1024 // operations of one namespace
	maxWaitingInAll = 8192
	maxTries        = 16 // of an operation that others overtake
)

// Request is a question to a [Backend], or a transaction.
type Request struct {
	ID   uint64
	Kind Kind
	// Key is that of a Get; List and its fields are those of [Backend].List; Writes are a transaction.
	Key, Prefix, After string
	Most               int
	Writes             []Write
}

// Kind is what a request wants.
type Kind uint8

// Kinds of requests.
const (
	Get Kind = iota
	List
	Commit
)

// Reply answers the request with the same ID.
type Reply struct {
	ID        uint64
	Record    Record
	Keys      []string
	Revisions []Revision
	Err       error
}

// Answer lets a backend answer a request.
func Answer(b Backend, r *Request) Reply {
	out := Reply{ID: r.ID}
	switch r.Kind {
	case Get:
		out.Record, out.Err = b.Get(r.Key)
	case List:
		out.Keys, out.Err = b.List(r.Prefix, r.After, r.Most)
	case Commit:
		out.Revisions, out.Err = b.Commit(r.Writes)
	}
	return out
}

// Port takes requests to a backend; the owner of the [Client] passes each reply to [Client.Deliver], once and in any order.
// Sending never waits. Without a way to a backend, a port answers with an error.
type Port interface{ Send(Request) }

// Op is what a script wants at one key. Those of a host at one key happen in their order.
type Op struct {
	// Namespace is charged for waiting; Key is full.
	Namespace, Key string
	// Apply makes the new value of the old one (nil: there is none); nil removes the record. It is called again for every attempt, so it
	// must change nothing else, and its error ends the operation. A nil Apply only reads.
	Apply func(old []byte) ([]byte, error)
	// Blind says that Apply does not look at the old value.
	Blind bool
	// Done gets the value that is there afterwards, when that is safe, or an error that says whether it was stored. It is never
	// called within Do.
	Done func(value []byte, err error)
}

// Client is a host's end of its store. One goroutine owns it, that of the world; the zero value with a Port is ready.
type Client struct {
	// Port carries requests.
	Port Port

	id      uint64
	entries map[string]*entry // by key; those with work
	asked   map[uint64]func(Reply)
	waiting map[string]int // by namespace
	all     int
}

// entry is a key with work.
type entry struct {
	key     string
	next    []Op // not begun
	ops     []Op // in the present attempt
	results []result
	base    Record
	known   bool // base is what was there when it was last heard of
	tries   int
	busy    bool
}

type result struct {
	value []byte
	err   error
}

// FullError is for who wants more while too much waits.
type FullError struct {
	Namespace string
	Waiting   int
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%d operations of %q wait for the store already; wait for their answers", e.Waiting, e.Namespace)
}

// Waiting returns how many operations have no answer yet.
func (c *Client) Waiting() int { return c.all }

// Busy reports whether any request has no answer yet, those of Commit and Read included.
func (c *Client) Busy() bool { return len(c.asked) > 0 || c.all > 0 }

// begin counts an operation, or refuses it.
func (c *Client) begin(namespace string) error {
	if n := c.waiting[namespace]; n >= MaxWaiting || c.all >= maxWaitingInAll {
		return &FullError{namespace, n}
	}
	if c.waiting == nil {
		c.waiting = map[string]int{}
	}
	c.waiting[namespace]++
	c.all++
	return nil
}

func (c *Client) end(namespace string) {
	if c.waiting[namespace]--; c.waiting[namespace] == 0 {
		delete(c.waiting, namespace)
	}
	c.all--
}

// Do begins an operation. An error is a [*FullError]; the operation does not happen then.
func (c *Client) Do(op Op) error {
	if err := c.begin(op.Namespace); err != nil {
		return err
	}
	e := c.entries[op.Key]
	if e == nil {
		e = &entry{key: op.Key}
		if c.entries == nil {
			c.entries = map[string]*entry{}
		}
		c.entries[op.Key] = e
	}
	e.next = append(e.next, op)
	if !e.busy {
		c.start(e)
	}
	return nil
}

// List requests keys of a namespace, see [Backend].List; done gets keys without the namespace.
func (c *Client) List(namespace, prefix, after string, most int, done func(keys []string, err error)) error {
	if err := c.begin(namespace); err != nil {
		return err
	}
	if after != "" {
		after = Full(namespace, after)
	}
	c.send(Request{Kind: List, Prefix: Full(namespace, prefix), After: after, Most: min(most, MaxList)}, func(r Reply) {
		c.end(namespace)
		for i, k := range r.Keys {
			_, r.Keys[i] = Split(k)
		}
		done(r.Keys, wrap(r.Err, "nothing was read"))
	})
	return nil
}

// Commit sends a transaction as it is: nothing is merged or tried again.
func (c *Client) Commit(writes []Write, done func([]Revision, error)) {
	c.send(Request{Kind: Commit, Writes: writes}, func(r Reply) { done(r.Revisions, r.Err) })
}

// Read requests a record as it is stored, past what waits.
func (c *Client) Read(key string, done func(Record, error)) {
	c.send(Request{Kind: Get, Key: key}, func(r Reply) { done(r.Record, r.Err) })
}

func (c *Client) send(r Request, done func(Reply)) {
	c.id++
	r.ID = c.id
	if c.asked == nil {
		c.asked = map[uint64]func(Reply){}
	}
	c.asked[r.ID] = done
	c.Port.Send(r)
}

// Deliver takes a reply, and calls the Done of what it ends. A reply to nothing that was asked is ignored.
func (c *Client) Deliver(r Reply) {
	if done, ok := c.asked[r.ID]; ok {
		delete(c.asked, r.ID)
		done(r)
	}
}

// start begins all that waits at a key.
func (c *Client) start(e *entry) {
	e.busy, e.tries = true, 0
	e.ops, e.next = e.next, nil
	c.try(e)
}

// try reads what is there if an operation depends on it and it is not known, and goes on with it.
func (c *Client) try(e *entry) {
	if first := &e.ops[0]; !e.known && (first.Apply == nil || !first.Blind) { // what follows sees what the first one writes
		c.send(Request{Kind: Get, Key: e.key}, func(r Reply) { c.read(e, r) })
		return
	}
	c.apply(e)
}

func (c *Client) read(e *entry, r Reply) {
	if r.Err != nil {
		c.fail(e, wrap(r.Err, "nothing was stored"))
		return
	}
	e.base, e.known = r.Record, true
	c.apply(e)
}

// apply computes what all operations make of the record, and writes it.
func (c *Client) apply(e *entry) {
	e.results = e.results[:0]
	value := e.base.Value
	changed := false
	for i := range e.ops {
		op := &e.ops[i]
		var err error
		if op.Apply != nil {
			var to []byte
			if to, err = op.Apply(value); err == nil {
				value, changed = to, true
			}
		}
		e.results = append(e.results, result{value, err})
	}
	if !changed {
		c.finish(e)
		return
	}
	w := Write{Key: e.key, Value: value, If: Any}
	if e.known {
		w.If = e.base.Revision
	}
	c.send(Request{Kind: Commit, Writes: []Write{w}}, func(r Reply) { c.written(e, value, r) })
}

func (c *Client) written(e *entry, value []byte, r Reply) {
	switch {
	case r.Err == nil && len(r.Revisions) == 1:
		e.base, e.known = Record{Value: value, Revision: r.Revisions[0]}, true
		c.finish(e)
	case errors.Is(r.Err, ErrConflict):
		e.known, e.results = false, e.results[:0]
		if e.tries++; e.tries < maxTries {
			c.try(e)
			return
		}
		c.fail(e, fmt.Errorf("other hosts wrote this key %d times in a row; nothing was stored", maxTries))
	default:
		e.known = false
		c.fail(e, wrap(r.Err, "nothing was stored"))
	}
}

// wrap says what became of an operation, unless that is not known.
func wrap(err error, what string) error {
	if err == nil || Unsure(err) {
		return err
	}
	return fmt.Errorf("%w; %s", err, what)
}

// fail ends all operations with an error, except for those that were answered before anything was to be written, and those
// with an error of their own.
func (c *Client) fail(e *entry, err error) {
	wrote := false
	for i := range e.ops {
		if i == len(e.results) {
			e.results = append(e.results, result{nil, err})
			continue
		}
		r := &e.results[i]
		wrote = wrote || e.ops[i].Apply != nil && r.err == nil
		if wrote && r.err == nil {
			*r = result{nil, err}
		}
	}
	c.finish(e)
}

// finish reports results, and goes on with what came meanwhile.
func (c *Client) finish(e *entry) {
	ops, results := e.ops, e.results
	e.ops, e.results = nil, nil
	for i := range ops {
		c.end(ops[i].Namespace)
	}
	// What a Done begins at this key waits until all are told, and merges.
	for i := range ops {
		ops[i].Done(results[i].value, results[i].err)
	}
	if len(e.next) > 0 {
		c.start(e)
		return
	}
	delete(c.entries, e.key)
}
