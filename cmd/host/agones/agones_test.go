package agones_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/cmd/host/agones"
	"github.com/tidelock/tidelock/cmd/host/agones/agonestest"
)

// realPort runs the tests of what Agones does against an SDK server on this machine instead of the fake, in real time: that of a GameServer,
// or a local one (sdk-server --local).
var realPort = flag.Int("agones-port", 0, "HTTP port of a real SDK server of Agones; 0 tests against the fake")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// host is what the sidecar is told about. Its methods are for any goroutine.
type host struct {
	mu                       sync.Mutex
	ready, healthy, draining bool
	in, most                 int
	asked                    []string // of Drain and CallOff
	log                      bytes.Buffer
}

func (h *host) set(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func (h *host) bool(b *bool) func() bool {
	return func() (is bool) {
		h.set(func() { is = *b })
		return is
	}
}

func (h *host) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(b)
}

func (h *host) logged() (text string) {
	h.set(func() { text = h.log.String() })
	return text
}

func (h *host) asks() (list string) {
	h.set(func() { list = strings.Join(h.asked, " ") })
	return list
}

func (h *host) options() agones.Options {
	return agones.Options{
		Log: slog.New(slog.NewTextHandler(h, nil)), Ready: h.bool(&h.ready), Healthy: h.bool(&h.healthy), Draining: h.bool(&h.draining),
		Players: func() (in, most int) {
			h.set(func() { in, most = h.in, h.most })
			return in, most
		},
		Drain: func(within time.Duration, usual bool) {
			h.set(func() { h.asked = append(h.asked, fmt.Sprintf("drain(%v,%t)", within, usual)) })
		},
		CallOff:  func() { h.set(func() { h.asked = append(h.asked, "off") }) },
		Allocate: func() bool { return true }, Hold: 2 * time.Minute,
	}
}

// open returns the sidecar at a port.
func open(t *testing.T, port int) *agones.Sidecar {
	t.Helper()
	s, err := agones.Open(func(name string) (string, bool) { return strconv.Itoa(port), name == agones.Variable })
	if err != nil || s == nil {
		t.Fatalf("got %v, %v", s, err)
	}
	return s
}

// fake runs a test on a virtual clock, with a fake and a host that can be joined and has 64 places.
func fake(t *testing.T, test func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := agonestest.New()
		defer synctest.Wait()
		defer f.Close()
		h := &host{ready: true, healthy: true, most: 64}
		o := h.options()
		o.Transport = f.Transport()
		test(t, f, h, o)
		if t.Failed() {
			t.Log(h.logged())
			for _, c := range f.Calls("") {
				t.Logf("%8.3f s %s", c.At.Sub(start).Seconds(), c.What)
			}
		}
	})
}

// start is when a test on the virtual clock begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // constant

// whats returns the texts of calls.
func whats(calls []agonestest.Call) (out []string) {
	for _, c := range calls {
		out = append(out, c.What)
	}
	return out
}

// TestLife is what Agones is told in the life of a host, in order (C7). With -agones-port it is told to a real SDK server.
func TestLife(t *testing.T) {
	life := func(t *testing.T, h *host, o agones.Options, s *agones.Sidecar, seen func() (state string, players, draining string)) {
		t.Helper()
		await := func(what, state, players, draining string) {
			t.Helper()
			var got [3]string
			for range 300 {
				if got[0], got[1], got[2] = seen(); got == [3]string{state, players, draining} {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
			t.Fatalf("%s: the GameServer is %q, want %q with %s players, draining %s\n%s", what, got, state, players, draining, h.logged())
		}
		s.Start(o)
		h.set(func() { h.ready = true })
		await("the host is ready", "Ready", "0", "false")
		h.set(func() { h.in = 2 })
		await("players join", "Allocated", "2", "false")
		h.set(func() { h.in = 0 })
		await("they leave", "Reserved", "0", "false")
		h.set(func() { h.in = 1 })
		await("one returns", "Allocated", "1", "false")
		h.set(func() { h.draining = true })
		await("the host drains", "Allocated", "1", "true")
		s.Close()
		await("the host ends", "Shutdown", "1", "true")
	}
	if *realPort != 0 {
		h := &host{healthy: true, most: 64}
		defer http.DefaultClient.CloseIdleConnections()
		life(t, h, h.options(), open(t, *realPort), func() (state, players, draining string) {
			r, err := http.Get(fmt.Sprintf("http://localhost:%d/gameserver", *realPort)) //nolint:noctx // the test has a deadline
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close() //nolint:errcheck // it was read
			text, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			return gameServer(t, text)
		})
		return
	}
	fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
		h.ready = false
		life(t, h, o, open(t, 9358), func() (state, players, draining string) {
			w := httptest.NewRecorder()
			f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/gameserver", http.NoBody))
			return gameServer(t, w.Body.Bytes())
		})
		if got := strings.Count(strings.Join(whats(f.Calls("POST /ready")), "|"), "/ready"); got != 1 {
			t.Errorf("it was ready %d times", got)
		}
		if got := whats(f.Calls("POST /reserve")); len(got) != 1 || got[0] != `POST /reserve {"seconds":"120"}` {
			t.Errorf("reserved by %q", got)
		}
		if h.logged() != "" {
			t.Errorf("logged %s", h.logged())
		}
	})
}

// gameServer reads what the host told.
func gameServer(t *testing.T, text []byte) (state, players, draining string) {
	t.Helper()
	var g struct {
		Meta struct {
			Labels, Annotations map[string]string
		} `json:"object_meta"`
		Status struct{ State string } `json:"status"`
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return g.Status.State, g.Meta.Annotations["agones.dev/sdk-players"], g.Meta.Labels["agones.dev/sdk-draining"]
}

// TestHealth: signs of life come every two seconds while ticks advance, and not while the world hangs. Nothing else is told before players can
// join.
func TestHealth(t *testing.T) {
	fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
		h.ready = false
		s := open(t, 9358)
		s.Start(o)
		time.Sleep(20*time.Second + 500*time.Millisecond)
		alive := func() int { return len(f.Calls("POST /health")) }
		if n := alive(); n != 11 {
			t.Errorf("%d signs of life in 20 s", n)
		}
		h.set(func() { h.healthy = false })
		time.Sleep(time.Minute)
		if n := alive(); n != 11 {
			t.Errorf("%d signs of life while the world hangs", n-11)
		}
		h.set(func() { h.healthy = true })
		time.Sleep(3 * time.Second)
		if alive() < 12 {
			t.Error("no sign of life when it goes on")
		}
		if got := append(whats(f.Calls("POST /r")), whats(f.Calls("PUT"))...); len(got) > 0 {
			t.Errorf("told %q", got)
		}
		h.set(func() { h.ready = true })
		time.Sleep(1100 * time.Millisecond)
		if got := whats(f.Calls("POST /ready")); len(got) != 1 || got[0] != "POST /ready {}" {
			t.Errorf("told %q", got)
		}
		s.Close()
	})
}

// TestPlayersAreCoalesced: however often players come and go, a number is told once a second at most, and the last one is.
func TestPlayersAreCoalesced(t *testing.T) {
	fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
		var allocate atomic.Bool
		o.Allocate = allocate.Load
		s := open(t, 9358)
		s.Start(o)
		time.Sleep(10 * time.Second)
		before := len(f.Calls("PUT"))
		for i := range 1000 {
			h.set(func() { h.in = 1 + i%37 }) // another one at every beat, in whichever order both come
			time.Sleep(10 * time.Millisecond)
		}
		h.set(func() { h.in = 33 })
		time.Sleep(2 * time.Second)
		calls := f.Calls("PUT")
		if n := len(calls) - before; n < 5 || n > 12 {
			t.Errorf("told %d times in 12 s", n)
		}
		if got, want := calls[len(calls)-1].What, `PUT /metadata/annotation {"key":"players","value":"33"}`; got != want {
			t.Errorf("at last %s, want %s", got, want)
		}
		for i := 1; i < len(calls); i++ {
			if d := calls[i].At.Sub(calls[i-1].At); d < 900*time.Millisecond {
				t.Errorf("%s came %v after %s", calls[i].What, d, calls[i-1].What)
			}
		}
		if got := f.Calls("POST /allocate"); len(got) > 0 {
			t.Error("allocated, though another program does that")
		}
		allocate.Store(true)
		time.Sleep(2 * time.Second)
		if got := f.Calls("POST /allocate"); len(got) != 1 {
			t.Errorf("allocated %d times after that has changed", len(got))
		}
		s.Close()
	})
}

// TestDrainIsRequested: by the state, by an annotation and by a label; once for each change; and called off.
func TestDrainIsRequested(t *testing.T) {
	fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
		s := open(t, 9358)
		s.Start(o)
		all := ""
		for _, c := range []struct {
			do   func()
			want string
		}{
			{func() {}, ""},
			{func() { f.Change("", "tidelock.dev/drain", "true") }, " drain(0s,true)"},
			{func() { f.Change("", "other", "x") }, ""},
			{func() { f.Change("", "tidelock.dev/drain", "10m") }, " drain(10m0s,false)"},
			{func() { f.Change("", "tidelock.dev/drain", "soon") }, ""},
			{func() { f.Change("", "tidelock.dev/drain", "") }, " off"},
			{func() { f.Label("tidelock.dev/drain", "on") }, " drain(0s,true)"},
			{func() { f.Label("tidelock.dev/drain", "off") }, " off"},
			{func() { f.Change("Shutdown", "", "") }, " drain(0s,true)"},
		} {
			c.do()
			time.Sleep(100 * time.Millisecond)
			if all += c.want; h.asks() != strings.TrimSpace(all) {
				t.Errorf("asked %q, want %q", h.asks(), all)
			}
		}
		if got := h.logged(); strings.Count(got, `\"soon\" is neither true nor false`) != 1 {
			t.Errorf("the value that nobody understands was told otherwise:\n%s", got)
		}
		s.Close()
	})
}

// TestTrouble: a gateway that is late, gone, silent or answers with anything costs two lines of the log, few calls and no more than their
// bounds; when it works everything is as it should be.
func TestTrouble(t *testing.T) {
	for mode, name := range map[agonestest.Mode]string{
		agonestest.Gone: "gone", agonestest.Refusing: "refusing", agonestest.Endless: "endless", agonestest.Silent: "silent",
	} {
		for _, late := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/late=%t", name, late), func(t *testing.T) {
				fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
					if late {
						f.Set(mode)
					}
					s := open(t, 9358)
					s.Start(o)
					time.Sleep(10 * time.Second)
					f.Set(mode)
					h.set(func() { h.in = 5 })
					before := len(f.Calls(""))
					time.Sleep(10 * time.Minute)
					if n := len(f.Calls("")) - before; n > 10*60/2+120 || mode != agonestest.Gone && n < 100 { // signs of life are tried again and again
						t.Errorf("%d calls in 10 minutes", n)
					}
					f.Change("", "tidelock.dev/drain", "5m")
					f.Set(agonestest.Working)
					time.Sleep(time.Minute + 10*time.Second)
					if got := h.asks(); got != "drain(5m0s,false)" {
						t.Errorf("asked %q", got)
					}
					calls := whats(f.Calls("PUT"))
					if len(calls) == 0 || !strings.Contains(strings.Join(calls, "|"), `{"key":"players","value":"5"}`) || len(f.Calls("POST /allocate")) == 0 {
						t.Errorf("told %q", calls)
					}
					log := h.logged()
					if strings.Count(log, "level=WARN") != 1 || strings.Count(log, "answers again") != 1 || strings.Count(log, "\n") != 3 {
						t.Errorf("the log:\n%s", log)
					}
					s.Close()
					if len(f.Calls("POST /shutdown")) != 1 {
						t.Error("no shutdown")
					}
				})
			})
		}
	}
}

// TestRubbish: answers that say nothing are no answers; a GameServer that is none is told, and requests nothing. The end of a host does not
// wait for a gateway that is silent, but for some seconds, and says that.
func TestRubbish(t *testing.T) {
	fake(t, func(t *testing.T, f *agonestest.Fake, h *host, o agones.Options) {
		f.Set(agonestest.Rubbish)
		s := open(t, 9358)
		s.Start(o)
		time.Sleep(5 * time.Minute)
		if n := len(f.Calls("GET")); n > 20 {
			t.Errorf("%d tries in 5 minutes", n)
		}
		if log := h.logged(); h.asks() != "" || strings.Count(log, "\n") != 1 || !strings.Contains(log, "GET /gameserver: invalid character") {
			t.Errorf("asked %q, the log:\n%s", h.asks(), log)
		}
		f.Set(agonestest.Silent)
		time.Sleep(time.Second)
		begun := time.Now()
		s.Close()
		if d := time.Since(begun); d > 5*time.Second || len(f.Calls("POST /shutdown")) != 3 {
			t.Errorf("it took %v and %d tries", d, len(f.Calls("POST /shutdown")))
		}
		if !strings.Contains(h.logged(), "Agones was not told that the host ends") {
			t.Errorf("the log:\n%s", h.logged())
		}
	})
}

// TestOpen: without Agones there is nothing to tell; a port that is none is an error.
func TestOpen(t *testing.T) {
	s, err := agones.Open(func(string) (string, bool) { return "", false })
	if s != nil || err != nil {
		t.Errorf("without Agones: %v, %v", s, err)
	}
	s.Start(agones.Options{})
	s.Close()
	for _, port := range []string{"0", "65536", "x", "-1", "80/../"} {
		if s, err := agones.Open(func(string) (string, bool) { return port, true }); s != nil || err == nil || !strings.HasPrefix(err.Error(), agones.Variable+": ") {
			t.Errorf("%q: %v, %v", port, s, err)
		}
	}
}
