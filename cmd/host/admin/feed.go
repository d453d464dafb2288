package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/rates"
)

const (
	// feedRate is how many times a second a stream is told the state.
	feedRate = 10
	// maxStreams bounds the streams at once; each costs a goroutine and what its client does not read.
	maxStreams = 32
	// streamWrite is how long a client may take to read one event.
	streamWrite = 10 * time.Second
)

// state is what a stream is told: the host, its connections and actors.
type state struct {
	Host        inspect.Host         `json:"host"`
	Connections []inspect.Connection `json:"connections"`
	Actors      []inspect.Actor      `json:"actors"`
	// Notes are lines about what runs and is not in the files.
	Notes []string `json:"notes"`
}

// wants is what a stream is told beside the state, by the parameters of its request. The zero wants is nothing.
type wants struct {
	// connection is the number of the connection whose copies are told, 0 for none.
	connection uint32
	// boxes, traces and claims are what shots can hit, the lines that scripts queried, and the claims that were judged.
	boxes, traces, claims bool
}

// wantsOf reads the parameters of a request.
func wantsOf(r *http.Request) (w wants, err error) {
	q := r.URL.Query()
	for name, to := range map[string]*bool{"boxes": &w.boxes, "traces": &w.traces, "claims": &w.claims} { // any order: each on its own
		if text := q.Get(name); text != "" {
			if *to, err = strconv.ParseBool(text); err != nil {
				return w, &command.UsageError{Text: fmt.Sprintf("%s is %q, not true or false", name, text)}
			}
		}
	}
	w.connection, err = optionalNumber(r, "connection")
	return w, err
}

// copies is what a connection's client has.
type copies struct {
	Connection uint32         `json:"connection"`
	Copies     []inspect.Copy `json:"copies"`
}

// feed tells the state to all streams: read and encoded once for all of them, and not at all while there are none. What
// only some want is read while one of them is open.
type feed struct {
	h      *Handler
	ctx    context.Context //nolint:containedctx // ends the pump and the streams
	cancel context.CancelFunc

	// rates are of the last minutes in which a stream was open.
	rates rates.Rates

	mu      sync.Mutex
	streams map[chan []byte]wants
	pumping bool
	done    sync.WaitGroup

	actors []inspect.Actor // of the last event, used again; the pump owns it
	roster inspect.Roster  // for turns alone
	cast   inspect.Cast    // for turns alone
}

func (f *feed) init(h *Handler) {
	f.h, f.streams = h, map[chan []byte]wants{}
	f.ctx, f.cancel = context.WithCancel(context.Background())
}

func (f *feed) close() {
	f.cancel()
	f.done.Wait()
}

// open adds a stream, and starts the pump if it is the first; nil if there are too many.
func (f *feed) open(w wants) chan []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.streams) >= maxStreams || f.ctx.Err() != nil {
		return nil
	}
	c := make(chan []byte, 1)
	f.streams[c] = w
	if !f.pumping {
		f.pumping = true
		f.done.Add(1)
		go f.pump()
	}
	return c
}

func (f *feed) leave(c chan []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streams, c)
}

// pump reads the state until the last stream has left.
func (f *feed) pump() {
	defer f.done.Done()
	tick := time.NewTicker(time.Second / feedRate)
	defer tick.Stop()
	for {
		f.mu.Lock()
		if len(f.streams) == 0 || f.ctx.Err() != nil {
			f.pumping = false
			f.mu.Unlock()
			return
		}
		kinds := map[wants][]byte{}
		for _, w := range f.streams { // any order: a set
			kinds[w] = nil
		}
		f.mu.Unlock()
		if f.read(kinds) == nil {
			f.tell(kinds)
		}
		select {
		case <-tick.C:
		case <-f.ctx.Done():
		}
	}
}

// read fills in the events for each kind of stream: the present state, and what it wants beside it.
func (f *feed) read(kinds map[wants][]byte) error {
	ctx, cancel := context.WithTimeout(f.ctx, turnWithin)
	defer cancel()
	type reading struct {
		state
		copies map[uint32][]inspect.Copy
		boxes  []inspect.Boxes
		traces []inspect.Sight
		claims []inspect.Claim
	}
	got := make(chan reading, 1)
	buf := f.actors
	f.actors = nil // a turn that comes too late may still write to it
	err := f.h.opt.Turns.Do(ctx, func() error {
		m, s := f.h.opt.Host.Current()
		f.rates.Sample(f.h.opt.Now(), s)
		x := reading{state: state{Host: f.h.host(), Connections: list(f.roster.Connections(s)), Actors: list(f.cast.Actors(m.World, buf))}, copies: map[uint32][]inspect.Copy{}}
		for w := range kinds { // any order: each on its own
			if c := inspect.ConnectionOf(s, w.connection); c != nil && x.copies[w.connection] == nil {
				x.copies[w.connection] = inspect.Copies(s, c)
			}
			if w.boxes && x.boxes == nil {
				x.boxes = inspect.BoxesOf(m)
			}
			if w.traces && x.traces == nil {
				x.traces = inspect.Sights(m)
			}
			if w.claims && x.claims == nil {
				x.claims = inspect.Claims(m)
			}
		}
		got <- x
		return nil
	})
	if err != nil {
		return err
	}
	x := <-got
	x.Notes = []string{}
	if f.h.opt.Notes != nil {
		x.Notes = list(f.h.opt.Notes())
	}
	base, err := event(nil, "state", x.state)
	f.actors = x.Actors
	if err != nil {
		return err
	}
	for w := range kinds { // any order: each on its own
		b := slices.Clip(base)
		for _, e := range []struct {
			name string
			told bool
			data any
		}{
			{"copies", w.connection != 0, copies{w.connection, list(x.copies[w.connection])}},
			{"boxes", w.boxes, x.boxes},
			{"traces", w.traces, x.traces},
			{"claims", w.claims, x.claims},
		} {
			if !e.told {
				continue
			}
			if b, err = event(b, e.name, e.data); err != nil {
				return err
			}
		}
		kinds[w] = b
	}
	return nil
}

// event appends an event of a stream.
func event(b []byte, name string, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(b, "event: %s\ndata: %s\n\n", name, data), nil
}

// tell hands its events to every stream; one that has not taken the last ones yet gets the newest.
func (f *feed) tell(kinds map[wants][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c, w := range f.streams { // any order: each on its own
		b := kinds[w]
		if b == nil { // it came meanwhile
			continue
		}
		select {
		case <-c:
		default:
		}
		c <- b
	}
}

// serve answers with a stream of server-sent events (HTML, 9.2) until the client leaves or the host ends.
func (f *feed) serve(w http.ResponseWriter, r *http.Request) {
	want, err := wantsOf(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	c := f.open(want)
	if c == nil {
		fail(w, http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open already", maxStreams))
		return
	}
	defer f.leave(c)
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case <-r.Context().Done():
			return
		case <-f.ctx.Done():
			return
		case b := <-c:
			if control.SetWriteDeadline(time.Now().Add(streamWrite)) != nil {
				return
			}
			if _, err := w.Write(b); err != nil || control.Flush() != nil {
				return
			}
		}
	}
}
