package agones

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Variable is the variable of the environment with the gateway's port; Agones sets it.
const Variable = "AGONES_SDK_HTTP_PORT"

const (
	// beat is the time between two looks at the host: nothing is told more often.
	beat = time.Second
	// healthEvery is the time between two signs of life. Agones' default is to miss three of 5 seconds each.
	healthEvery = 2 * time.Second
	// callWithin bounds one call. Two are made in a beat at most, so that signs of life come in time from a slow gateway, too.
	callWithin = 2 * time.Second
	// firstWait and mostWait bound the wait after a call that failed; it doubles in between.
	firstWait, mostWait = time.Second, 30 * time.Second
	// shutdownTries are made at the end, shutdownWithin each, shutdownWait after a failure.
	shutdownTries, shutdownWithin, shutdownWait = 3, time.Second, 200 * time.Millisecond
)

// Options of Start. All functions but CallOff may be called at any time, on goroutines of this package, until Close has returned; they must
// not wait.
type Options struct {
	Log *slog.Logger
	// Ready reports whether players can join, Healthy whether ticks advance, and Draining whether the host takes no new players.
	Ready, Healthy, Draining func() bool
	// Players returns how many players are in, and how many may be.
	Players func() (in, most int)
	// Drain is called when the GameServer requests a drain, with a time, or usual for the host's own. CallOff is called when it no longer does.
	Drain   func(within time.Duration, usual bool)
	CallOff func()
	// Allocate reports whether the host allocates itself when a player joins. When the last one has left, it is reserved for Hold, in whole seconds,
	// and then given back.
	Allocate func() bool
	Hold     time.Duration
	// Transport makes the requests; nil is one for this machine, without a proxy.
	Transport http.RoundTripper
}

// Sidecar is the gateway of this host's SDK server. All methods do nothing on a nil Sidecar.
type Sidecar struct {
	base string
	opt  Options
	http *http.Client
	stop context.CancelFunc
	wait sync.WaitGroup

	mu      sync.Mutex
	failing map[string]error // by call: those whose last try failed
	gone    bool             // was logged

	// These belong to the caller's goroutine.
	ready     bool
	allocated bool
	healthAt  time.Time
	shown     map[string]string // metadata, as last accepted
	retry     backoff
}

// Open reads the port from the environment; lookup returns variables. Without one both results are nil: the host does not run under
// Agones.
func Open(lookup func(string) (string, bool)) (*Sidecar, error) {
	text, _ := lookup(Variable)
	if text == "" {
		return nil, nil //nolint:nilnil // a nil Sidecar is one that tells nobody
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("%s: %.20q is no port; expected a number from 1 to 65535, as Agones sets it", Variable, text)
	}
	return &Sidecar{base: fmt.Sprintf("http://localhost:%d", port), failing: map[string]error{}, shown: map[string]string{}}, nil
}

// Start begins to tell and to watch. It is called once.
func (s *Sidecar) Start(o Options) {
	if s == nil {
		return
	}
	s.opt = o
	if o.Transport == nil {
		o.Transport = &http.Transport{MaxIdleConns: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10} // no proxy: it is this machine
	}
	s.http = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.wait.Go(func() { s.tell(ctx) })  // ends by Close, which waits for it
	s.wait.Go(func() { s.watch(ctx) }) // the same
}

// Close ends both goroutines and tells Agones that the host ends. It takes a few seconds at most.
func (s *Sidecar) Close() {
	if s == nil || s.stop == nil {
		return
	}
	s.stop()
	s.wait.Wait()
	var err error
	for try := range shutdownTries {
		if try > 0 {
			time.Sleep(shutdownWait)
		}
		if err = s.post(context.Background(), shutdownWithin, "/shutdown", nil); err == nil {
			break
		}
	}
	if err != nil {
		s.opt.Log.Warn("Agones was not told that the host ends; it notices by itself", "event", "agones", "error", err.Error())
	}
	s.http.CloseIdleConnections()
}

// tell looks at the host once a beat and tells what has changed.
func (s *Sidecar) tell(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		if s.opt.Healthy() && time.Since(s.healthAt) >= healthEvery {
			s.healthAt = time.Now()
			_ = s.result(ctx, "/health", s.post(ctx, callWithin, "/health", nil)) // it is sent again anyway
		}
		if call := s.due(); call != nil && s.retry.due() {
			err := s.result(ctx, call.path, call.do(ctx))
			if s.retry.after(err); err == nil {
				call.done()
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// call is something to tell.
type call struct {
	path string
	do   func(ctx context.Context) error
	done func() // when it was accepted
}

// due returns the most urgent thing to tell, nil for none.
func (s *Sidecar) due() *call {
	post := func(path string, body any, done func()) *call {
		return &call{path, func(ctx context.Context) error { return s.post(ctx, callWithin, path, body) }, done}
	}
	in, most := s.opt.Players()
	switch {
	case !s.ready && s.opt.Ready():
		return post("/ready", nil, func() { s.ready = true })
	case !s.ready:
		return nil
	case s.opt.Allocate() && in > 0 && !s.allocated:
		return post("/allocate", nil, func() { s.allocated = true })
	case s.allocated && in == 0 && !s.opt.Draining():
		seconds := strconv.FormatInt(int64(s.opt.Hold/time.Second), 10) // 64-bit numbers are texts in the JSON of protocol buffers
		return post("/reserve", map[string]string{"seconds": seconds}, func() { s.allocated = false })
	}
	for _, m := range [...]struct{ path, key, value string }{
		{"/metadata/label", "draining", strconv.FormatBool(s.opt.Draining())},
		{"/metadata/annotation", "players", strconv.Itoa(in)},
		{"/metadata/annotation", "capacity", strconv.Itoa(most)},
	} {
		if s.shown[m.key] != m.value {
			return &call{m.path, func(ctx context.Context) error {
				return s.send(ctx, callWithin, http.MethodPut, m.path, map[string]string{"key": m.key, "value": m.value})
			}, func() { s.shown[m.key] = m.value }}
		}
	}
	return nil
}

// backoff is when to try again.
type backoff struct {
	wait time.Duration // 0 after success
	at   time.Time
}

func (b *backoff) due() bool { return !time.Now().Before(b.at) }

// after sets the next try.
func (b *backoff) after(err error) {
	if err == nil {
		*b = backoff{}
		return
	}
	b.wait = min(max(2*b.wait, firstWait), mostWait)
	b.at = time.Now().Add(b.wait)
}

// result takes note of the result of a call, and logs one line when the first call fails, and one when all work again. It returns err.
func (s *Sidecar) result(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return err // the host ends
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failing[path] = err
		if !s.gone {
			s.gone = true
			s.opt.Log.Warn("Agones' SDK server does not answer as it should; the match goes on, and it is tried again", "event", "agones", "error", err.Error())
		}
		return err
	}
	delete(s.failing, path)
	if s.gone && len(s.failing) == 0 {
		s.gone = false
		s.opt.Log.Info("Agones' SDK server answers again", "event", "agones")
	}
	return nil
}

// errStream says that the stream of the GameServer ended.
var errStream = errors.New("the stream ended")

// watch follows the GameServer until ctx ends.
func (s *Sidecar) watch(ctx context.Context) {
	var last wish
	strange := "" // the last value that was not understood
	take := func(g *gameServer) {
		w, err := g.wish()
		if err != nil {
			if strange != err.Error() {
				strange = err.Error()
				s.opt.Log.Warn("A drain is requested in a way that is not understood", "event", "agones", "error", strange)
			}
			return
		}
		if w == last {
			return
		}
		was := last
		last = w
		switch {
		case w.drain:
			s.opt.Log.Info("Agones requests a drain", "event", "agones", "why", w.why)
			s.opt.Drain(w.within, w.usual)
		case was.drain:
			s.opt.Log.Info("Agones no longer requests a drain", "event", "agones")
			s.opt.CallOff()
		}
	}
	var retry backoff
	for {
		begun := time.Now()
		err := s.result(ctx, "/gameserver", s.get(ctx, take)) // a stream may begin with the next change only
		if err == nil {
			if err = s.follow(ctx, take); ctx.Err() == nil && !errors.Is(err, errStream) {
				_ = s.result(ctx, watchPath, err)
			}
		}
		if time.Since(begun) >= mostWait { // it worked for long
			retry = backoff{}
		}
		retry.after(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry.wait):
		}
	}
}
