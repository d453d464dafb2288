// Command bench plays the worlds of the benchmark comparison, and a tick of 64 bots, through the real engine. The two
// worlds have classes with rules, marks, conditions, relevancy, priorities, acknowledgements and the wire format; only
// sockets and the script VM are left out. It prints the line that the comparison's other programs print.
//
//	go run ./tests/bench -s A -t 300 -w 150
//
// A datagram counts with its payload; acknowledgements come back three ticks later.
//
// Guarantees: Only sockets are left out, and in the comparison's worlds the script VM.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scripts"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/bench/movers"
)

//go:embed BenchMover.lua
var mover string

// tickRate is the world's ticks a second; every tick is a net update.
const tickRate = 20

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	scene := flag.String("s", "A", "world: A or B")
	ticks := flag.Int("t", 300, "ticks that are measured")
	warm := flag.Int("w", 150, "ticks before")
	n := flag.Int("N", 0, "actors, 0 for the world's own")
	m := flag.Int("M", 0, "of them moving")
	k := flag.Int("K", 0, "clients")
	cores := flag.Int("cores", runtime.GOMAXPROCS(0), "cores that net updates may use")
	idle := flag.Int("idle", 0, "actors beside, far from all others, that never change")
	profile := flag.String("cpuprofile", "", "write a profile of the measured ticks to this file")
	memory := flag.String("memprofile", "", "write a profile of all allocations to this file")
	flag.Parse()
	if *memory != "" {
		runtime.MemProfileRate = 1
		defer func() {
			runtime.GC() // publishes what the profile has
			if f, err := os.Create(*memory); err == nil {
				_ = pprof.Lookup("allocs").WriteTo(f, 0)
				_ = f.Close()
			}
		}()
	}
	size := map[string][3]int{"A": {200, 100, 32}, "B": {5000, 1000, 100}}[*scene]
	for i, v := range []int{*n, *m, *k} {
		if v > 0 {
			size[i] = v
		}
	}
	b, err := newBench(movers.New(size[0], size[1], size[2]), *scene == "B", *cores)
	if err != nil {
		return err
	}
	if err := b.addIdle(*idle); err != nil {
		return err
	}
	var apply, encode time.Duration
	turns := make([]time.Duration, 0, max(*warm, *ticks))
	var cpu0 time.Duration
	var bytes0 uint64
	var mem0, mem1 runtime.MemStats
	for t := range *warm + *ticks {
		if t == *warm {
			apply, encode, bytes0, turns = 0, 0, b.bytes, turns[:0]
			runtime.GC()
			runtime.ReadMemStats(&mem0)
			cpu0 = cpu()
			if *profile != "" {
				f, err := os.Create(*profile)
				if err != nil {
					return err
				}
				defer f.Close()
				if err := pprof.StartCPUProfile(f); err != nil {
					return err
				}
				defer pprof.StopCPUProfile()
			}
		}
		b.w.Tick()
		t0 := time.Now()
		b.apply()
		t1 := time.Now()
		b.send()
		t2 := time.Now()
		apply += t1.Sub(t0)
		encode += t2.Sub(t1)
		turns = append(turns, t2.Sub(t0))
	}
	used := cpu() - cpu0
	runtime.ReadMemStats(&mem1)
	slices.Sort(turns)
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(*ticks) }
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"impl": "go-tidelock", "s": *scene, "ticks": *ticks, "n": size[0], "m": size[1], "k": size[2],
		"apply_ms": per(apply), "aoi_ms": 0.0, "encode_ms": per(encode), "cpu_ms": per(used),
		"bytes": float64(b.bytes-bytes0) / float64(*ticks) / float64(size[2]), "hash": b.w.Hash(),
		"median_ms": turns[len(turns)/2].Seconds() * 1000, "low_ms": turns[len(turns)/8].Seconds() * 1000,
		"allocs": float64(mem1.Mallocs-mem0.Mallocs) / float64(*ticks), "relevant": b.relevant(),
	})
}

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// bench is a world of the comparison in the engine, with its clients' ends.
type bench struct {
	server.Stay
	w      *movers.World
	world  *engine.World
	server *server.Server
	actors []*engine.Actor
	link   *ends
	now    time.Duration
	bytes  uint64
	next   int // client that logs in next

	health, ammo, mode *engine.Property
	team               *engine.Property
}

func newBench(w *movers.World, near bool, cores int) (*bench, error) {
	sources := []classfile.Source{{Path: "BenchMover.lua", Text: mover}}
	for _, dir := range []string{"core", "lib"} {
		err := fs.WalkDir(scripts.FS, dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".lua") {
				return err
			}
			text, err := fs.ReadFile(scripts.FS, p)
			x := classfile.Source{Path: p, Text: string(text)}
			if dir == "lib" {
				x.Lib = strings.ReplaceAll(strings.TrimSuffix(p, ".lua"), "/", ".")
			}
			sources = append(sources, x)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	prog, diags := classfile.Load(sources, classfile.Options{Cache: classfile.NewCache(scriptvm.Natives())})
	if prog == nil {
		return nil, fmt.Errorf("%v", diags)
	}
	b := &bench{w: w}
	b.world = engine.NewWorld(engine.Config{Classes: prog.Classes, NetMode: engine.NMDedicatedServer})
	c := b.world.Classes.Find("BenchMover")
	b.health, b.ammo, b.mode, b.team = c.Property("Health"), c.Property("Ammo"), c.Property("Mode"), c.Property("Team")
	for i := range w.Actors {
		p := &w.Actors[i]
		a, err := b.world.Spawn(c, engine.SpawnParams{Location: geom.Vector{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)}, Rotation: geom.Rotator{Yaw: uint16(p.Yaw)}})
		if err != nil {
			return nil, err
		}
		// A circle of the same area as the square that the others look at.
		cull := movers.Sight * 1.1284
		if !near {
			cull = 0
		}
		set := func(name string, v engine.Value) { err = a.Set(c.Property(name), v) }
		if set("NetCullDistance", engine.Float(cull)); err != nil {
			return nil, err
		}
		set("Team", engine.Value{Kind: engine.KindEnum, Str: b.team.Type.Enum[p.Team]})
		b.actors = append(b.actors, a)
	}
	files, err := bundle.New([]bundle.File{{Name: "scripts/BenchMover.lua", Data: []byte(mover)}})
	if err != nil {
		return nil, err
	}
	cfg := server.Config{World: b.world, Game: b, Bundle: files, Tick: tickRate, Net: tickRate, Limits: server.Limits{Budget: 1 << 20}}
	cfg.Relevancy.NoSight = true
	cfg.Relevancy.Timeout = 2
	cfg.Parallel, cfg.Workers = loop.NewWorkers(cores).Run, 2*cores
	cfg.Report = func(sev engine.Severity, text string) {
		if !strings.Contains(text, "joined") {
			fmt.Fprintln(os.Stderr, sev, text)
		}
	}
	b.server = server.New(cfg)
	b.link = &ends{b: b}
	b.server.Attach(b.link)
	for i := range w.K {
		b.link.conns = append(b.link.conns, &end{b: b, id: uint64(i + 1), out: make([]byte, 0, 64)})
	}
	return b, nil
}

// addIdle spawns actors that nobody sees and nothing happens to.
func (b *bench) addIdle(n int) error {
	for i := range n {
		at := geom.Vector{X: movers.Side + float64(i%200)*500, Y: float64(i/200)*500 - movers.Side/2}
		a, err := b.world.Spawn(b.world.Classes.Find("BenchMover"), engine.SpawnParams{Location: at})
		if err != nil {
			return err
		}
		if err := a.Set(a.Class.Property("NetCullDistance"), engine.Float(movers.Sight)); err != nil {
			return err
		}
	}
	return nil
}

// apply takes the tick's values into the engine, as scripts would.
func (b *bench) apply() {
	for i := 0; i < b.w.N; i += b.w.Step {
		p, a := &b.w.Actors[i], b.actors[i]
		a.Move(geom.Vector{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)}.Sub(a.Location)) // not SetLocation: that is a teleport
		a.SetRotation(geom.Rotator{Yaw: uint16(p.Yaw)})
		a.SetWord(b.health, uint64(p.Health))
		a.SetWord(b.ammo, uint64(p.Ammo))
		a.SetWord(b.mode, uint64(p.State))
	}
}

func (b *bench) send() {
	b.now += time.Second / tickRate
	b.world.Time += 1.0 / tickRate
	b.server.Receive(b.now)
	b.server.Send(b.now, true)
}

// relevant is how many actors a client has on average.
func (b *bench) relevant() float64 {
	n := 0
	b.server.Connections(func(c *server.Conn) { n += c.Channels() })
	return float64(n) / float64(b.w.K)
}

// PreLogin implements server.Game.
func (b *bench) PreLogin(string, string) (string, string) { return "", "" }

// Login implements server.Game: the client watches its actor of the world.
func (b *bench) Login(string, string) (*engine.Actor, string, string) {
	watched := b.actors[b.w.Client(b.next)]
	pc, err := b.world.Spawn(b.world.Classes.Find("PlayerController"), engine.SpawnParams{Location: watched.Location})
	if err != nil {
		return nil, err.Error(), "error"
	}
	if err := pc.Set(pc.Class.Property("ViewTarget"), engine.Value{Kind: engine.KindRef, Ref: watched.ID()}); err != nil {
		return nil, err.Error(), "error"
	}
	b.next++
	return pc, "", ""
}

// PostLogin implements server.Game.
func (b *bench) PostLogin(*engine.Actor) {}

// Logout implements server.Game.
func (b *bench) Logout(*engine.Actor) {}

// ends is a link without a network: it counts what is sent, and acknowledges it three ticks later.
type ends struct {
	b     *bench
	conns []*end
	tick  int
}

type end struct {
	b            *bench
	id           uint64
	user         any
	opened       bool
	seq          wire.Seq
	window       wire.Window
	messages     uint16
	queue        [8]arrival
	head, tail   int
	out          []byte
	stats        link.Stats
	acknowledged uint16
}

type arrival struct {
	seq      wire.Seq
	messages uint16
	tick     int
}

// Poll implements link.Link: the clients' answers.
func (l *ends) Poll(_ time.Duration, h link.Handler) {
	l.tick++
	for _, c := range l.conns {
		if !c.opened {
			c.opened = true
			h.Opened(c)
			h.Message(c, wire.AppendHello(nil, &wire.Hello{Version: wire.Version}))
			h.Message(c, wire.AppendReady(nil, 1, 0))
		}
		for c.head != c.tail && l.tick-c.queue[c.head&7].tick >= 3 {
			a := c.queue[c.head&7]
			c.head++
			c.window.Take(a.seq)
			hd := wire.Header{Seq: c.seq}
			c.seq++
			c.window.Fill(&hd)
			c.out = wire.AppendHeader(c.out[:0], hd)
			if a.messages != c.acknowledged {
				c.acknowledged = a.messages
				c.out = wire.AppendReceived(c.out, a.messages)
			}
			h.Datagram(c, c.out)
		}
	}
}

// Flush implements link.Link.
func (l *ends) Flush(time.Duration) {}

// Close implements link.Link.
func (l *ends) Close() error { return nil }

func (c *end) ID() uint64              { return c.id }
func (c *end) Identity() link.Identity { return link.Identity{} }
func (c *end) MaxDatagram() int        { return wire.MaxDatagram }
func (c *end) Allow(int, int)          {}
func (c *end) Close(link.Reason)       {}
func (c *end) Stats() link.Stats       { return c.stats }
func (c *end) SetUser(v any)           { c.user = v }
func (c *end) User() any               { return c.user }

// Send implements link.Conn.
func (c *end) Send(b []byte) error {
	c.messages++
	c.count(len(b))
	return nil
}

// SendDatagram implements link.Conn.
func (c *end) SendDatagram(b []byte) error {
	c.count(len(b))
	r := wire.NewReader(b)
	h := r.Header()
	if c.tail-c.head == len(c.queue) {
		c.head++
	}
	c.queue[c.tail&7] = arrival{h.Seq, c.messages, c.b.link.tick}
	c.tail++
	return nil
}

func (c *end) count(n int) {
	c.b.bytes += uint64(n)
	c.stats.BytesOut += uint64(n)
}
