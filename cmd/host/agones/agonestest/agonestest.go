// Package agonestest is a fake of the REST gateway of Agones' SDK server, for tests. It has one GameServer, follows its
// states, streams its changes, and can be gone, slow, or answer with rubbish.
//
//	f := agonestest.New()
//	sidecar.Start(agones.Options{Transport: f.Transport(), …})
//	f.Set(agonestest.Refusing)
//
// It deliberately does not: open a port, so that tests on a virtual clock (testing/synctest) can use it.
//
// Guarantees: Not part of any program; opens no port.
package agonestest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Mode is how the fake behaves.
type Mode int

// The modes. Working is what Agones does; Gone accepts no connection; Refusing answers with status 500; Rubbish with text that is no JSON;
// Endless with more than anybody should read, and streams it in one line; Silent takes requests and never answers.
const (
	Working Mode = iota
	Gone
	Refusing
	Rubbish
	Endless
	Silent
)

// Call is a request that came.
type Call struct {
	At   time.Time
	What string // "POST /ready {}"
}

// Fake is the gateway. Its methods are for any goroutine.
type Fake struct {
	accept chan net.Conn
	done   chan struct{}
	server *http.Server

	mu          sync.Mutex
	mode        Mode
	calls       []Call
	state       string
	labels      map[string]string
	annotations map[string]string
	changed     chan struct{} // closed at the next change
	conns       []net.Conn
}

// New returns a fake of a GameServer in state Scheduled. Close it.
func New() *Fake {
	f := &Fake{accept: make(chan net.Conn), done: make(chan struct{}), state: "Scheduled", labels: map[string]string{}, annotations: map[string]string{}, changed: make(chan struct{})}
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	go func() { _ = f.server.Serve(listener{f}) }() // ends by Close, always with an error
	return f
}

// Close ends all connections.
func (f *Fake) Close() {
	close(f.done)
	_ = f.server.Close() // the test is over
	f.cut()
}

// Transport returns how to reach the fake, whatever the address.
func (f *Fake) Transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		f.mu.Lock()
		gone := f.mode == Gone
		f.mu.Unlock()
		if gone {
			return nil, errors.New("connection refused")
		}
		here, there := net.Pipe()
		select {
		case f.accept <- there:
			f.mu.Lock()
			f.conns = append(f.conns, there)
			f.mu.Unlock()
			return here, nil
		case <-f.done:
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// cut ends all connections as a program does that ends.
func (f *Fake) cut() {
	f.mu.Lock()
	list := f.conns
	f.conns = nil
	f.mu.Unlock()
	for _, c := range list {
		_ = c.Close() // of a pipe it cannot fail
	}
}

// Set changes the mode. Connections from before are gone, as they are when the program starts again.
func (f *Fake) Set(m Mode) {
	f.mu.Lock()
	f.mode = m
	f.mu.Unlock()
	f.cut()
}

// Calls returns the requests so far whose text begins with a prefix.
func (f *Fake) Calls(prefix string) []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.calls), func(c Call) bool { return !strings.HasPrefix(c.What, prefix) })
}

// Change sets the state, "" for none, and an annotation, which "" as its value removes; "" as its key is none.
func (f *Fake) Change(state, key, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state != "" {
		f.state = state
	}
	if key != "" {
		f.annotations[key] = value
		if value == "" {
			delete(f.annotations, key)
		}
	}
	f.tell()
}

// Label sets a label, which "" removes.
func (f *Fake) Label(key, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.labels[key] = value
	if value == "" {
		delete(f.labels, key)
	}
	f.tell()
}

// tell wakes the streams; the lock is held.
func (f *Fake) tell() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// gameServer returns the GameServer as the gateway writes it; the lock is held.
func (f *Fake) gameServer() map[string]any {
	return map[string]any{
		"object_meta": map[string]any{
			"name": "fake", "namespace": "default", "uid": "1234", "resource_version": "v1", "generation": "1", "creation_timestamp": "1531795395", "deletion_timestamp": "0",
			"annotations": maps.Clone(f.annotations), "labels": maps.Clone(f.labels),
		},
		"status": map[string]any{"state": f.state, "address": "127.0.0.1", "ports": []any{map[string]any{"name": "default", "port": 7777}}},
	}
}

// states are those that a POST request leads to.
var states = map[string]string{"/ready": "Ready", "/allocate": "Allocated", "/reserve": "Reserved", "/shutdown": "Shutdown"} //nolint:gochecknoglobals // constant

// ServeHTTP answers a request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return // the caller is gone
	}
	f.mu.Lock()
	f.calls = append(f.calls, Call{time.Now(), strings.TrimSpace(r.Method + " " + r.URL.Path + " " + string(body))})
	mode := f.mode
	f.mu.Unlock()
	switch mode {
	case Refusing:
		http.Error(w, `{"code":13,"message":"try again"}`, http.StatusInternalServerError)
		return
	case Rubbish:
		_, _ = io.WriteString(w, "<html>\n") // the caller may be gone
		return
	case Endless:
		for chunk := strings.Repeat("x", 64<<10); ; {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	case Silent:
		select {
		case <-r.Context().Done():
		case <-f.done:
		}
		return
	case Working, Gone:
	}
	switch key := r.Method + " " + r.URL.Path; {
	case r.Method == http.MethodPost && states[r.URL.Path] != "":
		f.Change(states[r.URL.Path], "", "")
		_, _ = io.WriteString(w, "{}")
	case key == "POST /health":
		_, _ = io.WriteString(w, "{}")
	case key == "PUT /metadata/label", key == "PUT /metadata/annotation":
		var m struct{ Key, Value string }
		if json.Unmarshal(body, &m) != nil || m.Key == "" {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		if r.URL.Path == "/metadata/label" {
			f.Label("agones.dev/sdk-"+m.Key, m.Value)
		} else {
			f.Change("", "agones.dev/sdk-"+m.Key, m.Value)
		}
		_, _ = io.WriteString(w, "{}")
	case key == "GET /gameserver":
		f.mu.Lock()
		g := f.gameServer()
		f.mu.Unlock()
		_ = json.NewEncoder(w).Encode(g) // the caller may be gone
	case key == "GET /watch/gameserver":
		f.stream(w, r)
	default:
		http.NotFound(w, r)
	}
}

// stream writes the GameServer at each change.
func (f *Fake) stream(w http.ResponseWriter, r *http.Request) {
	for {
		f.mu.Lock()
		g, changed := f.gameServer(), f.changed
		f.mu.Unlock()
		if json.NewEncoder(w).Encode(map[string]any{"result": g}) != nil {
			return
		}
		if fl, ok := w.(http.Flusher); ok {
			fl.Flush()
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-f.done:
			return
		}
	}
}

// listener hands out the connections of Transport.
type listener struct{ f *Fake }

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.f.accept:
		return c, nil
	case <-l.f.done:
		return nil, net.ErrClosed
	}
}
func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return &net.UnixAddr{Name: "fake"} }
