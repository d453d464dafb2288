package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// seen is a match of bots with 500 actors and 64 connections, at 60 ticks and 30 net updates a second.
type seen struct {
	m     *match.Match
	srv   *server.Server
	far   *bench
	jobs  chan func()
	clock func() int64 // processor time of this thread
	now   time.Duration
	tick  int
	// turns is how many jobs there were, and took their processor time in nanoseconds.
	turns, took int64
}

const seenRate, seenActors, seenConns, seenBots = 60, 500, 64, 4

func newSeen(b *testing.B) *seen {
	b.Helper()
	a, sources := assetstest.Shipped(b)
	sources = append(sources, classfile.Source{Path: "scripts/Endless.lua", Text: endless})
	m, err := match.Open(match.Options{
		Sources: sources, Content: a.Content(), NetMode: engine.NMDedicatedServer, Seed: 7,
		URL: fmt.Sprintf("estuary?game=Endless?bots=%d?maxplayers=%d?skill=4", seenBots, seenBots+seenConns),
		VM:  scriptvm.Options{Report: func(r scriptvm.Report) { b.Error(r) }},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(m.Close)
	level, err := fs.ReadFile(a.Content(), "levels/estuary.map")
	if err != nil {
		b.Fatal(err)
	}
	files, err := bundle.New([]bundle.File{{Name: "levels/estuary.map", Data: level}})
	if err != nil {
		b.Fatal(err)
	}
	far := &bench{}
	far.link = &ends{b: far}
	for i := range seenConns {
		far.link.conns = append(far.link.conns, &end{b: far, id: uint64(i + 1), out: make([]byte, 0, 64)})
	}
	s := &seen{m: m, far: far, jobs: make(chan func(), 64), clock: cputime.NewThread()}
	s.srv = server.New(server.Config{
		World: m.World, Game: m.NetGame(), Bundle: files, Level: "estuary", GameClass: "Endless", Tick: seenRate, Net: seenRate / 2,
		Report: func(sev engine.Severity, text string) {
			if sev == engine.SevError {
				b.Error(text)
			}
		},
	})
	s.srv.Attach(far.link)
	for range 5 * seenRate {
		s.turn() // the players come with their actors
	}
	crate := m.World.Classes.Find("Crate")
	for i := 0; m.World.Live() < seenActors && i < 2*seenActors; i++ { // those without room are not spawned
		if _, err := m.World.Spawn(crate, engine.SpawnParams{Location: geom.V(float64(i%40)*120-2400, float64(i/40)*120-1200, 900)}); err != nil {
			b.Log(err)
			break
		}
	}
	for range 5 * seenRate {
		s.turn()
	}
	open := 0
	s.srv.Connections(func(*server.Conn) { open++ })
	if open != seenConns {
		b.Fatalf("%d of %d clients are in", open, seenConns)
	}
	b.Logf("%d actors, %d connections", m.World.Live(), open)
	return s
}

// turn runs a tick as a host does, and what waits for a turn after it.
func (s *seen) turn() {
	p := s.m.World.Profile
	p.Begin()
	s.m.VM.Measure(p)
	s.now += time.Second / seenRate
	p.Phase(profile.Receive)
	s.srv.Receive(s.now)
	p.Phase(profile.World)
	s.m.World.Step(1.0 / seenRate)
	s.srv.Send(s.now, s.tick%2 == 0)
	p.End()
	s.tick++
	for {
		select {
		case f := <-s.jobs:
			from := s.clock()
			f()
			s.turns++
			s.took += s.clock() - from
			continue
		default:
		}
		return
	}
}

// second runs a second in real time and returns the processor time of a tick, in milliseconds.
func (s *seen) second() float64 {
	begun, used := time.Now(), int64(0)
	for i := range seenRate {
		time.Sleep(time.Until(begun.Add(time.Duration(i) * time.Second / seenRate)))
		from := s.clock()
		s.turn()
		used += s.clock() - from
	}
	return float64(used) / 1e6 / seenRate
}

// compare reports the time of a tick without and with something, in turns of a second, and the ratio with its 95 % interval.
func (s *seen) compare(b *testing.B, with func() (without func())) {
	b.Helper()
	pairs := max(30, b.N)
	var sum, squares, base float64
	for range pairs {
		x := s.second()
		end := with()
		y := s.second()
		end()
		r := math.Log(y / x)
		base += x
		sum += r
		squares += r * r
	}
	n := float64(pairs)
	mean := sum / n
	half := 1.96 * math.Sqrt(max(0, squares/n-mean*mean)/(n-1))
	b.ReportMetric(base/n, "ms/tick")
	b.ReportMetric(math.Exp(mean), "ratio")
	b.ReportMetric(math.Exp(mean-half), "from")
	b.ReportMetric(math.Exp(mean+half), "to")
}

func (s *seen) Current() (*match.Match, *server.Server) { return s.m, s.srv }
func (s *seen) TravelTo(string) error                   { return nil }
func (s *seen) SetPace(float64) error                   { return nil }
func (s *seen) StepTicks(int) error                     { return nil }
func (s *seen) Pace() (float64, int)                    { return 1, 0 }
func (s *seen) Levels() []string                        { return nil }

// Do gives a turn after a tick.
func (s *seen) Do(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	s.jobs <- func() { done <- f() }
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// BenchmarkInspector compares ticks while the inspector is open on its panel of time (ten updates a second, the profile and
// the errors once a second) with ticks while it is not, in 30 pairs of seconds (P19).
//
//	go test ./tests/bench -run - -bench Inspector -benchtime 1x -timeout 30m
func BenchmarkInspector(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := newSeen(b)
	begun := time.Now()
	s.m.World.Profile = profile.New(func() int64 { return int64(time.Since(begun)) }, s.clock, 1)
	h, err := admin.New(admin.Options{Commands: &command.Registry{}, Host: s, Turns: s, Token: "", Version: "1", Rate: seenRate, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Serve(w, r, admin.Visitor{Addr: netip.MustParseAddr("127.0.0.1"), Local: true})
	}))
	defer site.Close()
	got := make(chan int64, 64)
	read := func(ctx context.Context, path string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, site.URL+"/api/v1/"+path, nil)
		if err != nil {
			return
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, a.Body) // ends with the second
		_ = a.Body.Close()
		got <- n
	}
	streamed := int64(0)
	s.compare(b, func() func() {
		ctx, cancel := context.WithCancel(b.Context())
		go read(ctx, "stream")
		go read(ctx, "profile")
		go read(ctx, "errors")
		return func() {
			cancel()
			for range 3 {
				for n := int64(-1); n < 0; {
					select {
					case n = <-got:
						streamed += n
					case f := <-s.jobs:
						f()
					}
				}
			}
			for range 12 { // what waits still
				s.turn()
			}
		}
	})
	b.ReportMetric(float64(s.took)/1e6/float64(max(1, s.turns)), "ms/turn")
	b.ReportMetric(float64(s.took)/1e6/float64(max(30, b.N)*seenRate), "turns-ms/tick")
	b.ReportMetric(float64(streamed)/float64(max(30, b.N))/1000, "kB/s")
}

// BenchmarkProfiler compares ticks with and without the profile in the same way, and counts what it does: readings of the clock
// and samples a tick, what a reading takes, and the part of a tick that is all of them (P19).
//
//	go test ./tests/bench -run - -bench Profiler -benchtime 1x -timeout 30m
func BenchmarkProfiler(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := newSeen(b)
	begun, readings := time.Now(), 0
	p := profile.New(func() int64 { readings++; return int64(time.Since(begun)) }, s.clock, 1)
	reading := 1e9
	for range 20 {
		from := time.Now()
		for range 1000 {
			_ = time.Since(begun)
		}
		reading = min(reading, float64(time.Since(from).Nanoseconds())/1000)
	}
	readings = 0
	s.compare(b, func() func() {
		s.m.World.Profile = p
		return func() {
			s.m.World.Profile = nil
			s.m.VM.Measure(nil)
		}
	})
	r := p.Report()
	ticks := float64(max(30, b.N) * seenRate)
	b.ReportMetric(float64(readings)/ticks, "readings/tick")
	b.ReportMetric(reading, "ns/reading")
	b.ReportMetric(float64(r.Samples)/float64(r.Ticks), "samples/tick")
	b.ReportMetric(float64(r.Ticks)/float64(max(1, r.Measured)), "ticks/measured")
	b.ReportMetric(100*r.Phases[profile.Profiler].Time/r.Tick, "%profiler")
	b.ReportMetric(100*float64(readings)/ticks*reading/1e9/r.Tick, "%readings")
}
