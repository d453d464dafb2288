package main

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// An address that nobody chose and that cannot be had is a line of the log; one that somebody chose is an error.
func TestWebIsNoReasonToFail(t *testing.T) {
	l, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}})
	must(t, err)
	defer l.Close()
	client := web.NewBuilder(web.BuilderOptions{Now: time.Now}) // of no source
	defer client.Close()
	var log bytes.Buffer
	f := webFlags{Web: "192.0.2.1:7780"} // of no machine (RFC 5737)
	w, closeWeb, err := f.open(l, client, "", nil, nil, nil, nil, nil, nil, false, slog.New(slog.NewTextHandler(&log, nil)))
	if w != nil || err != nil || strings.Count(log.String(), "level=WARN") != 1 || !strings.Contains(log.String(), "192.0.2.1:7780") {
		t.Errorf("listener %v, error %v, log %s", w, err, log.String())
	}
	must(t, closeWeb())
	var usage usageError
	if _, _, err = f.open(l, client, "", nil, nil, nil, nil, nil, nil, true, slog.New(slog.DiscardHandler)); !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "--web: ") {
		t.Errorf("chosen: %v", err)
	}
}

// The banner says how to let in those whom the two addresses keep out.
func TestOpenBoth(t *testing.T) {
	const udp = "only this machine; --listen :7777 opens it to others"
	for _, c := range []struct{ open, web, want string }{
		{udp, "127.0.0.1:7780", udp + ", --web :7780 to their browsers"},
		{"", "127.0.0.1:7781", "browsers on this machine only; --web :7781 opens it to others"},
		{udp, "0.0.0.0:7780", udp},
		{"", "[::]:7780", ""},
	} {
		if got := openBoth(c.open, netip.MustParseAddrPort(c.web)); got != c.want {
			t.Errorf("%q and %s: %q, expected %q", c.open, c.web, got, c.want)
		}
	}
}
