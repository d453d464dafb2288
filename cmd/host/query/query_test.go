package query

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

func TestEncode(t *testing.T) {
	d := Description{Name: "Friday", Level: "arena", Game: "DeathMatch", Players: 3, Max: 64, Password: true, Rules: map[string]string{"bots": "6"}}
	b, err := d.Encode(kcplink.MaxInfo)
	if want := `{"name":"Friday","level":"arena","game":"DeathMatch","players":3,"max":64,"password":true,"token":false,"rules":{"bots":"6"}}`; err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	d.Name = strings.Repeat("ü", 100)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"} {
		d.Rules[name] = strings.Repeat("\x01", 80) // six bytes each in JSON
	}
	b, err = d.Encode(kcplink.MaxInfo)
	var got Description
	if err := errors.Join(err, json.Unmarshal(b, &got)); err != nil || len(b) > kcplink.MaxInfo {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if got.Name != strings.Repeat("ü", 32) || len(got.Rules["a"]) != 64 || got.Rules["p"] != "" {
		t.Errorf("got %+v", got)
	}
	if _, err := d.Encode(50); err == nil {
		t.Error("50 bytes were enough")
	}
}

// answering is a link that is polled and answers with a text, until the test ends.
func answering(t *testing.T, text string) netip.AddrPort {
	t.Helper()
	l, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.SetInfo([]byte(text)); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() { // ends by stop, awaited by the cleanup
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				l.Poll(time.Since(start), nil)
				l.Flush(time.Since(start))
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l.Addr()
}

func TestAsk(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := Ask(ctx, answering(t, `{"name":"here","players":2,"max":8,"later":1}`))
	if err != nil || a.Name != "here" || a.Players != 2 || a.Max != 8 || a.Ping <= 0 || a.Ping > time.Minute {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Ask(ctx, answering(t, "no JSON")); err == nil || !strings.Contains(err.Error(), "no description of a host") {
		t.Errorf("no JSON: %v", err)
	}
}

// TestSilence: a host that answers no queries, a socket that answers nothing, and a port that nobody listens on.
func TestSilence(t *testing.T) {
	deaf, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close() //nolint:errcheck // the test is over
	gone, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for _, addr := range []netip.AddrPort{
		answering(t, ""), netip.MustParseAddrPort(deaf.LocalAddr().String()), netip.MustParseAddrPort(gone.LocalAddr().String()),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		if _, err := Ask(ctx, addr); !errors.Is(err, ErrSilent) {
			t.Errorf("%v: %v", addr, err)
		}
		cancel()
	}
}
