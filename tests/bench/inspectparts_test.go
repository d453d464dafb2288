package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/rates"
	"github.com/tidelock/tidelock/engine"
)

// BenchmarkInspectorParts tells what the parts of a turn of the inspector take after six ticks each, in the match of BenchmarkInspector but as fast as it
// runs: for finding out which part is worth work. "walk" is a look at every actor alone, "nothing" what measuring takes.
//
//	go test ./tests/bench -run - -bench InspectorParts -benchtime 1000x
func BenchmarkInspectorParts(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := newSeen(b)
	var all rates.Rates
	var roster inspect.Roster
	var cast inspect.Cast
	var buf []inspect.Actor
	now := time.Unix(1000, 0)
	parts := []struct {
		name string
		f    func()
		took int64
	}{
		{name: "walk", f: func() { n := 0; s.m.World.EachActor(func(a *engine.Actor) { n += int(a.ID()) }) }},
		{name: "sample", f: func() { all.Sample(now, s.srv) }},
		{name: "host", f: func() { inspect.HostOf(s.m, s.srv) }},
		{name: "connections", f: func() { roster.Connections(s.srv) }},
		{name: "actors", f: func() { buf = cast.Actors(s.m.World, buf) }},
		{name: "nothing", f: func() {}},
		{name: "profile", f: func() { inspect.Profile(s.m) }},
		{name: "errors", f: func() { inspect.ErrorsOf(s.m, s.srv) }},
	}
	n := 0
	var ticks int64
	for b.Loop() {
		for range 6 {
			from := s.clock()
			s.turn()
			ticks += s.clock() - from
		}
		now = now.Add(time.Second / 10)
		n++
		for i := range parts {
			p := &parts[i]
			from := s.clock()
			p.f()
			p.took += s.clock() - from
		}
	}
	for _, p := range parts {
		b.ReportMetric(float64(p.took)/1e3/float64(n), p.name+"-µs")
	}
	b.ReportMetric(float64(ticks)/1e6/float64(n)/6, "ms/tick")
}
