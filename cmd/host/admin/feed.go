package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/inspect"
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

// feed tells the state to all streams: read and encoded once for all of them, and not at all while there are none.
type feed struct {
	h      *Handler
	ctx    context.Context //nolint:containedctx // ends the pump and the streams
	cancel context.CancelFunc

	mu      sync.Mutex
	streams map[chan []byte]struct{}
	pumping bool
	done    sync.WaitGroup

	actors []inspect.Actor // of the last event, used again; the pump owns it
}

func (f *feed) init(h *Handler) {
	f.h, f.streams = h, map[chan []byte]struct{}{}
	f.ctx, f.cancel = context.WithCancel(context.Background())
}

func (f *feed) close() {
	f.cancel()
	f.done.Wait()
}

// open adds a stream, and starts the pump if it is the first; nil if there are too many.
func (f *feed) open() chan []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.streams) >= maxStreams || f.ctx.Err() != nil {
		return nil
	}
	c := make(chan []byte, 1)
	f.streams[c] = struct{}{}
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
		f.mu.Unlock()
		if b, err := f.read(); err == nil {
			f.tell(b)
		}
		select {
		case <-tick.C:
		case <-f.ctx.Done():
		}
	}
}

// read returns the present state as an event of a stream.
func (f *feed) read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(f.ctx, turnWithin)
	defer cancel()
	got := make(chan state, 1)
	buf := f.actors
	f.actors = nil // a turn that comes too late may still write to it
	err := f.h.opt.Turns.Do(ctx, func() error {
		m, s := f.h.opt.Host.Current()
		got <- state{Host: f.h.host(), Connections: list(inspect.Connections(s)), Actors: list(inspect.Actors(m.World, buf))}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x := <-got
	x.Notes = []string{}
	if f.h.opt.Notes != nil {
		x.Notes = list(f.h.opt.Notes())
	}
	b, err := json.Marshal(x)
	f.actors = x.Actors
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "event: state\ndata: %s\n\n", b), nil
}

// tell hands an event to every stream; one that has not taken the last one yet gets the newest.
func (f *feed) tell(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.streams { // any order: each on its own
		select {
		case <-c:
		default:
		}
		c <- b
	}
}

// serve answers with a stream of server-sent events (HTML, 9.2) until the client leaves or the host ends.
func (f *feed) serve(w http.ResponseWriter, r *http.Request) {
	c := f.open()
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
