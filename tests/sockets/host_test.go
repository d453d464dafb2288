//go:build unix

package sockets

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// tickRate and netRate are ticks and net updates a second of the host, as `host serve` has them.
const tickRate, netRate = 60, 30

// loopback is a free port of this machine.
const loopback = "127.0.0.1:0"

// game is the sample match without an end. ROUND stands for a number that reloads raise; who runs a new one logs it.
const game = `
local Crowd = class("Crowd", "DeathMatch")
Crowd.defaults { PlayerControllerClass = "CrowdPlayer", GoalScore = 0, TimeLimit = 0 }

local CrowdPlayer = class("CrowdPlayer", "ShooterPlayer")
CrowdPlayer.properties { Round = int(-1) }

function CrowdPlayer:PlayerTick(dt)
	CrowdPlayer.super.PlayerTick(self, dt)
	if self.Round ~= ROUND then
		self.Round = ROUND
		log("round ROUND")
	end
end
`

// scripts are the built-in ones and the game, in a round of its own.
func scripts(round string, more ...string) ([]classfile.Source, error) {
	a, err := assets.Open(assets.Options{})
	if err != nil {
		return nil, err
	}
	list, err := a.Scripts(nil)
	if err != nil {
		return nil, err
	}
	var out []classfile.Source
	for _, s := range list {
		out = append(out, classfile.Source{Path: s.Path, Text: s.Text, Lib: s.Lib})
	}
	text := strings.Join(append([]string{game}, more...), "\n")
	return append(out, classfile.Source{Path: "crowd", Text: strings.ReplaceAll(text, "ROUND", round), Multi: true}), nil
}

// hostConfig is what a host is made from.
type hostConfig struct {
	level      string        // a start URL
	silence    time.Duration // after which a player is gone; 0 for so long that only who is dead is
	more       string        // Lua beside the game
	mod        string        // Lua of a mod
	navigation *navigation.Cache
	web        bool // with a listener for browsers
}

// host is a server as `host serve` runs one. What the loop's goroutine owns is reached through do.
type host struct {
	t      *testing.T
	assets *assets.Assets
	match  *match.Match
	link   *kcplink.Link
	web    *web.Listener // nil for none
	door   *door.Door
	loop   *loop.Loop
	cache  *classfile.Cache
	level  string
	more   string
	stop   context.CancelFunc
	ended  chan struct{}
	closed bool

	// The loop's.
	ticks   []time.Duration // how long each took, and how much of a processor
	work    []time.Duration
	dropped int

	mu    sync.Mutex
	lines []string // warnings and errors, the script's included
}

// startHost starts a host on loopback; it ends with the test at the latest.
func startHost(t *testing.T, c hostConfig) *host {
	t.Helper()
	a, err := assets.Open(assets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, assets: a, cache: classfile.NewCache(scriptvm.Natives()), level: match.ParseURL(c.level).Level, more: c.more, ended: make(chan struct{})}
	sources, err := scripts("0", c.more)
	if err != nil {
		t.Fatal(err)
	}
	if c.mod != "" {
		sources = append(sources, classfile.Source{Path: "scripts/mods/mod/Mod", Text: c.mod, Multi: true})
	}
	h.match, err = match.Open(match.Options{
		Sources: sources, Content: a.Content(), URL: c.level, NetMode: engine.NMDedicatedServer, Seed: 1,
		VM: scriptvm.Options{
			Peer: "host", Cache: h.cache, Report: func(r scriptvm.Report) { h.line("script: " + r.String()) },
			Elapsed: cputime.New(), Navigation: c.navigation,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := match.Bundle(sources, a.Content(), h.level)
	if err != nil {
		t.Fatal(err)
	}
	h.link, err = kcplink.New(kcplink.Config{Addr: loopback, Server: &kcplink.Server{}, Limits: kcplink.Limits{
		// All players of these tests have one address.
		ConnsPerAddress: 1024, HellosPerAddress: 300, Handshakes: 400, HandshakesPerAddress: 400, HalfOpenPerAddress: 256,
		Silence: cmp.Or(c.silence, starved), Heartbeat: c.silence / 4,
	}})
	if err != nil {
		t.Fatal(err)
	}
	h.door = door.Open(door.Options{Link: h.link, Log: slog.New(lineHandler{h}), Server: server.Config{
		World: h.match.World, Game: h.match.NetGame(), Bundle: files, Level: h.level, GameClass: h.match.Game.Class.Name,
		Tick: tickRate, Net: netRate, Limits: server.Limits{LoginTime: patience.Seconds()},
	}})
	if c.web {
		if h.web, err = web.Listen(web.Options{Addr: loopback, Link: h.link, Log: slog.New(lineHandler{h}), Now: time.Now}); err != nil {
			t.Fatal(err)
		}
	}
	h.loop, err = loop.New(loop.Options{Rate: tickRate, Step: h.step, Dropped: func(n int) {
		h.dropped += n
		h.match.World.Stood += float64(n) / tickRate
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { // the loop: ends by stop, awaited by close
		defer close(h.ended)
		runtime.LockOSThread() // so that its processor time can be told
		defer runtime.UnlockOSThread()
		if err := h.loop.Run(ctx); err != nil {
			h.line("loop: " + err.Error())
		}
	}()
	t.Cleanup(h.close)
	return h
}

// step is a tick.
func (h *host) step(dt float64) {
	start, used := time.Now(), threadCPU()
	h.door.Receive()
	h.match.World.Step(dt)
	h.door.Send()
	h.ticks, h.work = append(h.ticks, time.Since(start)), append(h.work, threadCPU()-used)
}

// do runs f between two ticks and waits for it.
func (h *host) do(f func()) {
	h.t.Helper()
	done := make(chan struct{})
	if err := h.loop.Do(context.Background(), func() { defer close(done); f() }); err != nil {
		h.t.Fatal(err)
	}
	<-done
}

// close ends the host as an operator would.
func (h *host) close() {
	if h.closed {
		return
	}
	h.closed = true
	h.stop()
	<-h.ended
	if h.web != nil {
		if err := h.web.Close(); err != nil {
			h.t.Errorf("closing the web listener: %v", err)
		}
	}
	if err := h.door.Close("the test is over"); err != nil {
		h.t.Errorf("closing the door: %v", err)
	}
	h.match.Close()
}

// players is how many are in.
func (h *host) players() (n int) {
	h.do(func() { n, _ = h.door.Players() })
	return n
}

// counters are the socket's.
func (h *host) counters() (c kcplink.Counters) {
	h.do(func() { c = h.link.Counters() })
	return c
}

// traffic is bytes to and from each player so far.
func (h *host) traffic() (out, in []float64) {
	h.do(func() {
		h.door.Server().Connections(func(c *server.Conn) {
			st := c.Session().Conn.Stats()
			out, in = append(out, float64(st.BytesOut)), append(in, float64(st.BytesIn))
		})
	})
	return out, in
}

// calls is how many calls of players came, and how many of them were thrown away.
func (h *host) calls() (came, dropped uint64) {
	h.do(func() {
		h.door.Server().Connections(func(c *server.Conn) {
			c.Traffic.Each(func(k traffic.Kind, _ string, e traffic.Entry) {
				if k == traffic.Function && e.Received > 0 {
					came, dropped = came+e.Received, dropped+e.Dropped
				}
			})
		})
	})
	return came, dropped
}

// reload is a saved file: prepared, swapped, told.
func (h *host) reload(round string) error {
	sources, err := scripts(round, h.more)
	if err != nil {
		return err
	}
	h.do(func() {
		r := h.match.VM.Prepare(sources).Apply(time.Now)
		if r.Failed {
			err = &match.LoadError{Diagnostics: r.Diagnostics}
			return
		}
		files, e := match.Bundle(sources, h.assets.Content(), h.level)
		if err = e; err == nil {
			h.door.Reloaded(files)
		}
	})
	return err
}

func (h *host) line(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, text)
}

// comeAgain is what the host says where many connect at once and it cannot let in all of them: who hears it comes again
// in a moment, and that they get in is what joined waits for.
const comeAgain = "turned away at the gate, before they reached the game busy="

// quiet fails the test for every warning and error so far that holds none of the texts.
func (h *host) quiet(but ...string) {
	h.t.Helper()
	but = append(but, "is refused") // a shot that a busy machine had no time for
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lines {
		if !slices.ContainsFunc(but, func(s string) bool { return strings.Contains(l, s) }) {
			h.t.Errorf("the host said: %s", l)
		}
	}
	h.lines = nil
}

// lineHandler keeps what the door warns of.
type lineHandler struct{ h *host }

func (l lineHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}
func (l lineHandler) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l lineHandler) WithGroup(string) slog.Handler      { return l }

func (l lineHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	l.h.line(text)
	return nil
}

// quantile is the value below which a share q of a list lies.
func quantile[T float64 | time.Duration](list []T, q float64) T {
	if len(list) == 0 {
		return 0
	}
	s := slices.Clone(list)
	slices.Sort(s)
	return s[min(len(s)-1, int(q*float64(len(s))))]
}
