package door

import (
	"errors"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
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
	cs, diags := engine.BuildClasses([]*engine.ClassSpec{{Name: "Actor", Native: engine.NativeActor}}, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	d := &Door{rate: 60, net: 30, server: server.New(server.Config{World: engine.NewWorld(engine.Config{Classes: cs, NetMode: engine.NMDedicatedServer}), Tick: 60, Net: 30})}
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
