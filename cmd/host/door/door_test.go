package door

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

func bound(t *testing.T, addr string, next bool) (*kcplink.Link, error) {
	t.Helper()
	l, err := Bind(kcplink.Config{Addr: addr, Server: &kcplink.Server{}}, next)
	if err == nil {
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return l, err
}

func TestPortInUse(t *testing.T) {
	first, err := bound(t, "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	at := first.Addr().String()
	_, err = bound(t, at, false)
	var failed *bind.Error
	if !errors.As(err, &failed) || err.Error() != "UDP "+at+" is in use, perhaps by another host; stop that one, or give another port" {
		t.Errorf("got %v", err)
	}
	second, err := bound(t, at, true)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := first.Addr().Port(), second.Addr().Port(); b <= a {
		t.Errorf("after port %d came %d", a, b)
	}
}

func TestNoAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1":     `cannot listen on UDP "127.0.0.1": missing port in address; give host:port of this machine, or :port for all its addresses`,
		"127.0.0.1:abc": `cannot listen on UDP "127.0.0.1:abc": `,
		":70000":        `cannot listen on UDP ":70000": `,
		"192.0.2.1:1":   `cannot listen on UDP "192.0.2.1:1": `,
	} {
		_, err := bound(t, addr, true)
		var failed *bind.Error
		if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

type nobody struct{ server.Stay }

func (nobody) PreLogin(string, string) (text, code string) { return "this game wants nobody", "no" }
func (nobody) Login(string, string) (pc *engine.Actor, text, code string) {
	return nil, "", ""
}
func (nobody) PostLogin(*engine.Actor) {}
func (nobody) Logout(*engine.Actor)    {}

// open is a door into an empty world, and its log.
func open(t *testing.T, tick, net int) (*Door, *bytes.Buffer) {
	t.Helper()
	l, err := Bind(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}}, false)
	if err != nil {
		t.Fatal(err)
	}
	cs, diags := engine.BuildClasses([]*engine.ClassSpec{{Name: "Actor", Native: engine.NativeActor}}, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var log bytes.Buffer
	return Open(Options{
		Link: l, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Server: server.Config{World: engine.NewWorld(engine.Config{Classes: cs, NetMode: engine.NMDedicatedServer}), Game: nobody{}, Tick: tick, Net: net},
	}), &log
}

// Net updates come as often as requested, spread evenly over the ticks, whatever the two rates are.
func TestNetUpdatesAreSpread(t *testing.T) {
	for _, c := range [][2]int{{60, 30}, {60, 60}, {60, 25}, {64, 20}, {30, 1}} {
		d := &Door{rate: c[0], net: c[1]}
		n, gap, most := 0, 0, 0
		for range 10 * c[0] {
			gap++
			if d.due() {
				n++
				most = max(most, gap)
				gap = 0
			}
		}
		if n != 10*c[1] || most > (c[0]+c[1]-1)/c[1] {
			t.Errorf("%d ticks, %d net updates: %d in ten seconds, %d ticks between two at most", c[0], c[1], n, most)
		}
	}
}

// Another number of net updates holds from the next tick on.
func TestRetime(t *testing.T) {
	d, _ := open(t, 60, 30)
	d.Retime(server.Config{Net: 12})
	n := 0
	for range 60 {
		if d.due() {
			n++
		}
	}
	if n != 12 {
		t.Errorf("%d net updates in a second, expected 12", n)
	}
}

// A player who is turned away at the gate is counted in the log, one who is closed out by the end is told why.
func TestRefusedAndClosed(t *testing.T) {
	d, log := open(t, 60, 30)
	l, err := kcplink.New(kcplink.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h := &hearer{}
	if _, err := l.Dial(kcplink.Dial{Addr: d.link.Addr()}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	poll := func(until func() bool) {
		t.Helper()
		for !until() {
			if time.Since(start) > time.Minute {
				t.Fatal("nothing came")
			}
			d.Receive()
			d.Send()
			l.Poll(time.Since(start), h)
			l.Flush(time.Since(start))
		}
	}
	poll(func() bool { return h.opened })
	if in, waiting := d.Players(); in != 0 || waiting != 1 {
		t.Errorf("%d in, %d waiting", in, waiting)
	}
	if _, err := l.Dial(kcplink.Dial{Addr: d.link.Addr(), Token: strings.Repeat("A", 300)}); err != nil {
		t.Fatal(err)
	}
	poll(func() bool { return strings.Contains(log.String(), "no_tokens=1") })
	done := make(chan error)
	go func() { done <- d.Close("that is all") }() // awaited below
	for h.why == "" {
		l.Poll(time.Since(start), h)
		l.Flush(time.Since(start))
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if h.why != "that is all" {
		t.Errorf("told %q", h.why)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

type hearer struct {
	opened bool
	why    string
}

func (h *hearer) Opened(link.Conn)           { h.opened = true }
func (h *hearer) Message(link.Conn, []byte)  {}
func (h *hearer) Datagram(link.Conn, []byte) {}
func (h *hearer) Closed(_ link.Conn, why link.Reason) {
	if h.opened && why.Code != "no_tokens" {
		h.why = why.Text
	}
}
