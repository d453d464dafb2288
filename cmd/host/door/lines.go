package door

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// Log lines caused by players and strangers are bounded (G12): by network, regardless of their texts and of
// reconnections, and in total. Dropped lines are counted, and the count is logged.

const (
	// lineRate lines per second about one network are logged, lineBurst at once.
	lineRate, lineBurst = 20, 100
	// allRate and allBurst bound those about all networks together: a thousand players who join at once are all
	// logged.
	allRate, allBurst = 200, 2000
	// maxNetworks bounds the networks that are counted separately; lines about others share one bound.
	maxNetworks = 1024
	// droppedEvery is how long dropped lines are counted before the count is logged.
	droppedEvery = 5 * time.Second
	// maxDropped networks are named when dropped lines are logged; the others are summed up.
	maxDropped = 8
)

// The events of the door itself; package server names its own.
const (
	eventPassword = "password" // a wrong password at the gate
	eventGate     = "gate"     // how many were refused there
	eventDropped  = "dropped"  // lines that were not logged
)

// lines bounds the lines of one door and logs them. now is a duration from any origin.
type lines struct {
	log   *slog.Logger
	all   throttle.Bucket
	by    map[netip.Addr]*flow
	swept time.Duration
	rest  flow // of networks beyond maxNetworks
	own   flow // of lines about no peer: strangers cannot use it up
	// dropping lists the flows that have dropped something, in the order in which they began.
	dropping []*flow
	since    time.Duration
}

// flow counts the lines that one network causes.
type flow struct {
	network netip.Addr // the zero one of rest and own
	bucket  throttle.Bucket
	dropped int
}

// of returns the flow of a network.
func (l *lines) of(a netip.Addr, now time.Duration) *flow {
	if !a.IsValid() {
		return &l.own
	}
	n := throttle.Network(a)
	if f := l.by[n]; f != nil {
		return f
	}
	if len(l.by) >= maxNetworks && now-l.swept >= time.Second {
		l.swept = now
		for k, f := range l.by { // any order: those with nothing left to remember are dropped
			if f.dropped == 0 && f.bucket.Empty(now, lineRate) {
				delete(l.by, k)
			}
		}
	}
	if len(l.by) >= maxNetworks {
		return &l.rest
	}
	if l.by == nil {
		l.by = map[netip.Addr]*flow{}
	}
	f := &flow{network: n}
	l.by[n] = f
	return f
}

// line logs a line about a peer at an address; an invalid address means no peer.
func (l *lines) line(now time.Duration, a netip.Addr, level slog.Level, text string, fields ...any) {
	f := l.of(a, now)
	// The network's own bound first: one network must not use up what others may log.
	if !f.bucket.Take(now, lineRate, lineBurst) || f != &l.own && !l.all.Take(now, allRate, allBurst) {
		if f.dropped == 0 {
			if len(l.dropping) == 0 {
				l.since = now
			}
			l.dropping = append(l.dropping, f)
		}
		f.dropped++
		return
	}
	l.log.Log(context.Background(), level, text, fields...)
}

// tell logs what was dropped if that began long enough ago, all at once.
func (l *lines) tell(now time.Duration, all bool) {
	passed := now - l.since
	if len(l.dropping) == 0 || !all && passed < droppedEvery {
		return
	}
	const dropped = "lines about players dropped: more than a log can take"
	named, rest, others := 0, 0, 0
	for _, f := range l.dropping {
		if f.network.IsValid() && named < maxDropped {
			named++
			l.log.Warn(dropped, "event", eventDropped, "addr", f.network.String(), "lines", f.dropped, "seconds", passed.Seconds())
		} else {
			others++
			rest += f.dropped
		}
		f.dropped = 0
	}
	if rest > 0 {
		l.log.Warn(dropped, "event", eventDropped, "lines", rest, "seconds", passed.Seconds(), "sources", others)
	}
	clear(l.dropping)
	l.dropping = l.dropping[:0]
}

// event logs an event of the network code.
func (l *lines) event(now time.Duration, e *server.Event) {
	fields := []any{"event", e.Kind.String()}
	for _, f := range [...]struct{ name, value string }{{"player", e.Player}, {"key", e.Key}, {"addr", e.Addr}} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	l.line(now, throttle.AddressOf(e.Addr), levelOf(e.Severity), e.Text, fields...)
}

// guess logs a wrong password at the gate (G16).
func (l *lines) guess(now time.Duration, g kcplink.Guess) {
	l.line(now, g.Addr.Addr(), slog.LevelWarn, "wrong password", "event", eventPassword, "addr", g.Addr.String(),
		"count", g.Count, "seconds", g.Wait.Seconds())
}

// levelOf returns the log level of a severity.
func levelOf(sev engine.Severity) slog.Level {
	switch sev {
	case engine.SevError:
		return slog.LevelError
	case engine.SevWarning:
		return slog.LevelWarn
	case engine.SevInfo:
	}
	return slog.LevelInfo
}
