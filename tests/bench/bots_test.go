package main

import (
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// endless is the sample match without an end.
const endless = `
local Endless = class("Endless", "DeathMatch")
Endless.defaults { GoalScore = 0, TimeLimit = 0 }
return Endless
`

// BenchmarkBots is a server's tick with 64 bots who fight on the large level and eight connections: the world's step, and every
// other tick a net update. The processor's time is that of the process, garbage collection included; scripts' is its part
// by the clock, natives included.
//
//	go test ./tests/bench -run - -bench Bots -benchtime 1200x
//
// tests/bench/compare copies this file into older trees, so it uses little of the host.
func BenchmarkBots(b *testing.B) {
	const bots, clients, tick, net = 64, 8, 60, 30
	a, err := assets.Open(assets.Options{Root: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	list, err := a.Scripts(nil)
	if err != nil {
		b.Fatal(err)
	}
	sources := []classfile.Source{{Path: "scripts/Endless.lua", Text: endless}}
	for _, s := range list {
		sources = append(sources, classfile.Source{Path: s.Path, Text: s.Text, Lib: s.Lib})
	}
	m, err := match.Open(match.Options{
		Sources: sources, Content: a.Content(), NetMode: engine.NMDedicatedServer, Seed: 7,
		URL: fmt.Sprintf("estuary?game=Endless?bots=%d?maxplayers=%d?skill=4", bots, bots+clients),
		VM:  scriptvm.Options{Report: func(r scriptvm.Report) { b.Error(r) }},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
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
	for i := range clients {
		far.link.conns = append(far.link.conns, &end{b: far, id: uint64(i + 1), out: make([]byte, 0, 64)})
	}
	srv := server.New(server.Config{
		World: m.World, Game: m.NetGame(), Bundle: files, Level: "estuary", GameClass: "Endless", Tick: tick, Net: net,
		Report: func(sev engine.Severity, text string) {
			if sev == engine.SevError {
				b.Error(text)
			}
		},
	})
	srv.Attach(far.link)
	scripts := &timed{Script: m.World.Script}
	m.World.Script = scripts
	now := time.Duration(0)
	turn := func(i int) {
		now += time.Second / tick
		srv.Receive(now)
		m.World.Step(1.0 / tick)
		srv.Send(now, i%2 == 0)
	}
	const before = 5 * tick // until they have met
	for i := range before {
		turn(i)
	}
	open := 0
	srv.Connections(func(*server.Conn) { open++ })
	runtime.GC()
	scripts.spent, far.bytes = 0, 0
	b.ReportAllocs()
	b.ResetTimer()
	start, used := time.Now(), cpu()
	for i := range b.N {
		turn(i)
	}
	wall := time.Since(start)
	used = cpu() - used
	b.StopTimer()
	if open != clients || far.bytes == 0 {
		b.Errorf("%d of %d clients are in, %d bytes were sent", open, clients, far.bytes)
	}
	per := used.Seconds() * 1000 / float64(b.N)
	b.ReportMetric(per, "cpu-ms/op")
	b.ReportMetric(per*scripts.spent.Seconds()/wall.Seconds(), "script-ms/op")
	b.ReportMetric(float64(far.bytes)/float64(b.N), "sent-B/op")
}

// timed measures how long the scripts of a world take: every entry from the engine, with all that it calls.
type timed struct {
	engine.Script
	spent time.Duration
	deep  int
}

func (s *timed) in() time.Time {
	s.deep++
	return time.Now()
}

func (s *timed) out(start time.Time) {
	if s.deep--; s.deep == 0 {
		s.spent += time.Since(start)
	}
}

func (s *timed) Tick(a *engine.Actor, f *engine.Function, dt float64) {
	defer s.out(s.in())
	s.Script.Tick(a, f, dt)
}

func (s *timed) Event(a *engine.Actor, f *engine.Function, args []engine.Value) {
	defer s.out(s.in())
	s.Script.Event(a, f, args)
}

func (s *timed) Timer(a *engine.Actor, function string) {
	defer s.out(s.in())
	s.Script.Timer(a, function)
}

func (s *timed) RunLatent() {
	defer s.out(s.in())
	s.Script.RunLatent()
}
