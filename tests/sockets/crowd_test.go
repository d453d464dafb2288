//go:build unix

package sockets

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const (
	// together is how many players share a goroutine.
	together = 8
	// between is the time between two who begin to connect, atOnce how many of a goroutine are on their way in at
	// most: a machine that has no time for those would only be kept from letting in anybody by more.
	between = 10 * time.Millisecond
	atOnce  = 4
)

// crowdConfig is who plays: so many players with a world and scripts.
type crowdConfig struct {
	Addr netip.AddrPort
	// First is where the first player connects instead; not valid: at Addr, too.
	First netip.AddrPort
	// Via carries their packets to the web listener at Addr; "" is UDP.
	Via  carrier.Via
	Full int
	Seed uint64
	// Brain has the match's brain play them. Ways are graphs that they share with somebody; nil shares none.
	Brain      bool
	Navigation *navigation.Cache `json:"-"`
}

// crowdReport is how they are.
type crowdReport struct {
	In, Over int
	// Faults are what went wrong, and why who is over is over.
	Faults []string
	// CPU is the process's time, Dropped ticks that this machine had no time for.
	CPU     time.Duration
	Dropped int
	// Trips are the players' round trips.
	Trips []time.Duration
}

// crowd are players in this process.
type crowd struct {
	cfg     crowdConfig
	stop    context.CancelFunc
	wait    sync.WaitGroup
	workers []*crowdWorker
	cache   cache.Memory // each file is fetched once for all players of a process
	protos  *classfile.Cache
	levels  level.Cache
	said    func(name, text string) // what a full player's scripts log; nil for nobody

	mu      sync.Mutex
	faults  []string
	dropped int
}

// crowdWorker is a goroutine of players.
type crowdWorker struct {
	loop  *loop.Loop
	start time.Time
	full  []*fullPlayer
	ticks int
	due   []func() error // those who have not begun to connect, and when
	at    []time.Duration
	err   error
}

// fullPlayer is a player with a world.
type fullPlayer struct {
	name   string
	player *join.Player
	rng    *rand.Rand
	input  engine.Input
	until  int
	ended  bool
}

// newCrowd makes players, who begin with run.
func newCrowd(c crowdConfig) (*crowd, error) {
	if c.Navigation == nil {
		c.Navigation = &navigation.Cache{}
	}
	k := &crowd{cfg: c, protos: classfile.NewCache(scriptvm.Natives())}
	for i := range c.Full {
		if i%together == 0 {
			k.workers = append(k.workers, &crowdWorker{})
		}
		w := k.workers[len(k.workers)-1]
		seed, addr := c.Seed+uint64(i), c.Addr
		if i == 0 && c.First.IsValid() {
			addr = c.First
		}
		f := &fullPlayer{name: fmt.Sprintf("full%d", i+1), rng: rand.New(rand.NewPCG(seed, 3))}
		w.full = append(w.full, f)
		w.at = append(w.at, time.Duration(i)*between)
		w.due = append(w.due, func() (err error) {
			o := join.Options{
				Carry: c.carry(addr), Target: join.Target{Addr: addr, Shown: addr.String()},
				Name: f.name, Cache: &k.cache, Protos: k.protos, Levels: &k.levels, Seed: seed, Agent: "sockets",
				Navigation: c.Navigation, Brain: c.Brain, Skill: 4, Timeout: patience, Silence: starved,
				Say: func(l join.Line) {
					if l.Fault {
						k.fault(f.name + ": " + l.Text)
					} else if k.said != nil {
						k.said(f.name, l.Text)
					}
				},
			}
			f.player, err = join.New(o)
			return err
		})
	}
	return k, nil
}

// carry makes the way to a web listener; nil for UDP.
func (c *crowdConfig) carry(at netip.AddrPort) func(*kcplink.Link) (*kcplink.Pipe, error) {
	if c.Via == "" {
		return nil
	}
	return func(l *kcplink.Link) (*kcplink.Pipe, error) {
		s, err := carrier.Dial(l, carrier.Target{Via: c.Via, Host: at.String(), Now: time.Now, Timeout: patience, Idle: starved})
		if err != nil {
			return nil, err
		}
		return s.Pipe(), nil
	}
}

// run starts the goroutines; end stops and awaits them.
func (k *crowd) run() error {
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	for _, w := range k.workers {
		w.start = time.Now()
		var err error
		if w.loop, err = loop.New(loop.Options{Rate: tickRate, Step: func(dt float64) { k.step(w, dt) }, Dropped: k.drop}); err != nil {
			stop()
			return err
		}
		k.wait.Go(func() { w.err = errors.Join(w.loop.Run(ctx), w.leave()) })
	}
	return nil
}

// end lets everybody say goodbye.
func (k *crowd) end() error {
	k.stop()
	k.wait.Wait()
	var err error
	for _, w := range k.workers {
		err = errors.Join(err, w.err)
	}
	return err
}

func (k *crowd) drop(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropped += n
}

// maxFaults bounds what is remembered of what went wrong.
const maxFaults = 50

func (k *crowd) fault(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.faults) < maxFaults {
		k.faults = append(k.faults, text)
	}
}

// step is a tick of a worker.
func (k *crowd) step(w *crowdWorker, dt float64) {
	now := time.Since(w.start)
	for len(w.due) > 0 && now >= w.at[0] && w.coming() < atOnce {
		if err := w.due[0](); err != nil {
			k.fault(err.Error())
		}
		w.due, w.at = w.due[1:], w.at[1:]
	}
	w.ticks++
	for _, f := range w.full {
		if f.player != nil && !f.ended {
			f.step(k, w.ticks, now, dt)
		}
	}
}

// coming is how many are on their way in.
func (w *crowdWorker) coming() (n int) {
	for _, f := range w.full {
		if f.player != nil && !f.ended && f.player.Pawn() == nil {
			n++
		}
	}
	return n
}

func (f *fullPlayer) step(k *crowd, tick int, now time.Duration, dt float64) {
	if w := f.player.World(); w != nil && !f.player.Brain() {
		if pc := w.LocalPlayer(); pc != nil {
			if tick >= f.until {
				f.until = tick + 30 + f.rng.IntN(120)
				f.input = engine.Input{
					Forward: 1, Strafe: float64(f.rng.IntN(3) - 1), Jump: f.rng.IntN(4) == 0, Fire: f.rng.IntN(3) == 0,
					View: geom.Rot(0, f.rng.IntN(1<<16), 0),
				}
			}
			w.SetInput(pc, f.input)
		}
	}
	f.player.Tick(now, dt)
	if o := f.player.Outcome(); o != nil {
		f.ended = true
		k.fault(f.name + ": " + o.Error())
	}
}

// leave says goodbye for all of a worker.
func (w *crowdWorker) leave() error {
	var err error
	for _, f := range w.full {
		if f.player != nil {
			err = errors.Join(err, f.player.Close(link.Reason{Code: "quit", Text: "the player left"}))
		}
	}
	return err
}

// do runs f for a worker, on its goroutine.
func (w *crowdWorker) do(f func()) error {
	done := make(chan struct{})
	if err := w.loop.Do(context.Background(), func() { defer close(done); f() }); err != nil {
		return err
	}
	<-done
	return nil
}

// each runs f for every full player, on the goroutine that owns it.
func (k *crowd) each(f func(*fullPlayer)) error {
	for _, w := range k.workers {
		err := w.do(func() {
			for _, p := range w.full {
				f(p)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// report is how they are now.
func (k *crowd) report() (r crowdReport) {
	for _, w := range k.workers {
		err := w.do(func() {
			for _, f := range w.full {
				switch {
				case f.ended:
					r.Over++
				case f.player != nil && f.player.Joined() && f.player.Pawn() != nil:
					r.In++
					r.Trips = append(r.Trips, f.player.Sample().Ping)
				}
			}
		})
		if err != nil {
			r.Faults = append(r.Faults, err.Error())
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r.Faults = append(r.Faults, k.faults...)
	r.CPU, r.Dropped = cpu(), k.dropped
	return r
}

// crowdMain is a process of players.
func crowdMain(c crowdConfig) error {
	k, err := newCrowd(c)
	if err != nil {
		return err
	}
	if err := k.run(); err != nil {
		return err
	}
	err = answer(func(string) any { return k.report() })
	return errors.Join(err, k.end())
}
