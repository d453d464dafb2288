//go:build unix

package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// childVariable makes the test binary a hostile client instead: its value is an order.
const childVariable = "TIDELOCK_HOSTILE_CLIENT"

// stranger is where hostile clients come from where the system has such addresses: not from the honest players', whose limits
// would be theirs as well.
const stranger = "127.6.6.6:0"

// order is what a hostile client is to do.
type order struct {
	Addr, Web string
	Hostile   hostile
}

// encode writes the order of an attack against a stage's host.
func (h *hostile) encode(s *stage) (string, error) {
	b, err := json.Marshal(order{Addr: s.addr, Web: s.web, Hostile: *h})
	return string(b), err
}

// programs are what hostile clients do. Each ends with its context. An error fails the attack: something that the host owed even
// to a hostile client, or to a player it attacks, did not hold.
var programs = map[string]func(ctx context.Context, o *order) error{
	"mutate":    mutateAll,
	"takeover":  takeover,
	"garbage":   garbage,
	"hellos":    hellos,
	"passwords": passwords,
	"joins":     joins,
	"frames":    frames,
	"requests":  requests,
	"idle":      idleSockets,
}

// obeyOrder is a process that attacks, until its input or its time ends.
func obeyOrder(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	run := programs[o.Hostile.Program]
	if run == nil {
		return fmt.Errorf("unknown program %q", o.Hostile.Program)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(o.Hostile.Seconds)*time.Second)
	defer stop()
	go func() { // ends with the input or with the process
		_, _ = io.Copy(io.Discard, os.Stdin) // whatever is said
		stop()
	}()
	return run(ctx, &o)
}

// evil is a client that speaks through a mutator; how is what it does, nil for nothing: then it is honest.
type evil struct {
	link   *kcplink.Link
	client *client.Client
	host   *match.ClientHost
	m      *mutator
	rng    *rand.Rand
	input  engine.Input
	ticks  int
}

// newEvil dials.
func newEvil(o *order, seed uint64, how []mutation, shared *cache.Memory, protos *classfile.Cache, addr string) (*evil, error) {
	e := &evil{rng: rand.New(rand.NewPCG(seed, 5))}
	h := &o.Hostile
	web := h.Via != "udp"
	l, err := newLink(web)
	if err != nil {
		return nil, err
	}
	e.link = l
	e.m = &mutator{Link: l, rng: e.rng, how: how, share: h.Share, honest: h.Joined, conns: map[link.Conn]*mutated{}}
	e.host = &match.ClientHost{Seed: seed, Now: time.Now}
	e.host.VM.Cache = protos
	e.client = client.New(client.Config{Link: e.m, Host: e.host, Options: fmt.Sprintf("?name=Evil%d", seed), Agent: "hostile", Cache: shared})
	d := kcplink.Dial{Password: h.Password}
	if web {
		s, err := carrier.Dial(l, carrier.Target{Via: carrier.Via(h.Via), Host: o.Web, Now: time.Now})
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		d.Pipe = s.Pipe()
	} else if d.Addr, err = netip.ParseAddrPort(addr); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if _, err := l.Dial(d); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return e, nil
}

// newLink opens a socket at the stranger's address, or at any where there is none such.
func newLink(pipes bool) (*kcplink.Link, error) {
	if pipes {
		return kcplink.New(kcplink.Config{PipesOnly: true})
	}
	l, err := kcplink.New(kcplink.Config{Addr: stranger})
	if err != nil {
		l, err = kcplink.New(kcplink.Config{Addr: "127.0.0.1:0"})
	}
	return l, err
}

// tick plays on: it walks about and fires, so that there is something to send.
func (e *evil) tick(now time.Duration) {
	e.ticks++
	e.client.Receive(now)
	if e.client.State() == client.Playing {
		if w := e.client.World(); w != nil {
			if pc := w.LocalPlayer(); pc != nil {
				e.m.honest = false
				if e.ticks%30 == 0 {
					e.input = engine.Input{Forward: 1, Strafe: float64(e.rng.IntN(3) - 1), Jump: e.rng.IntN(3) == 0, Fire: e.rng.IntN(2) == 0}
				}
				w.SetInput(pc, e.input)
			}
			w.Step(1.0 / 60)
		}
	}
	e.client.Send(now)
}

// close frees it without a word to the host, as a program that is killed does, or with one.
func (e *evil) close() error {
	err := e.link.Close()
	e.host.Close()
	return err
}

// drive ticks a client until it is over or ctx is, and gives the reason and whether it was in.
func (e *evil) drive(ctx context.Context) (why link.Reason, in bool) {
	tick := time.NewTicker(time.Second / 60)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case <-ctx.Done():
			return link.Reason{Code: "still in", Text: e.client.State().String()}, in
		case <-tick.C:
		}
		e.tick(time.Since(start))
		in = in || e.client.State() == client.Playing
		if e.client.State() == client.Closed {
			return e.client.Reason(), in
		}
	}
}

// visits lets so many clients come at once, each again and again with another seed, and counts how they ended. plan says with which password
// a client comes and how long it stays. It reports whether any was in.
func visits(ctx context.Context, o *order, how []mutation, plan func(rng *rand.Rand) (password string, stay time.Duration)) (in bool, err error) {
	told := map[string]int{}
	var mu sync.Mutex // of told
	var shared cache.Memory
	var wait sync.WaitGroup
	var let atomic.Bool
	protos := classfile.NewCache(scriptvm.Natives())
	failed := make(chan error, o.Hostile.Clients)
	for i := range o.Hostile.Clients {
		wait.Go(func() { // ends with ctx
			rng := rand.New(rand.NewPCG(o.Hostile.Seed, uint64(i)))
			for n := uint64(0); ctx.Err() == nil; n++ {
				mine := *o
				password, stay := plan(rng)
				mine.Hostile.Password = password
				e, err := newEvil(&mine, o.Hostile.Seed*1000+uint64(i)+100*n, how, &shared, protos, o.Addr)
				if err != nil {
					failed <- err
					return
				}
				short, stop := context.WithTimeout(ctx, stay)
				why, in := e.drive(short)
				stop()
				if in {
					let.Store(true)
				}
				mu.Lock()
				told[fmt.Sprintf("%s (in: %v)", why.Code, in)]++
				mu.Unlock()
				if err := e.close(); err != nil {
					failed <- err
					return
				}
				if how != nil { // one that is sent away at once comes again in a moment
					select {
					case <-ctx.Done():
					case <-time.After(300 * time.Millisecond):
					}
				}
			}
		})
	}
	wait.Wait()
	fmt.Println("how often they ended how:", told)
	close(failed)
	return let.Load(), <-failed
}

// mutateAll runs clients that shake hands honestly and change what they say from then on. One that is sent away comes again.
func mutateAll(ctx context.Context, o *order) error {
	var how []mutation
	for _, name := range o.Hostile.Mutations {
		how = append(how, mutations[name])
	}
	_, err := visits(ctx, o, how, func(*rand.Rand) (string, time.Duration) { return o.Hostile.Password, time.Hour })
	return err
}

// joins connects and leaves again in the middle of everything, without a word.
func joins(ctx context.Context, o *order) error {
	_, err := visits(ctx, o, nil, func(rng *rand.Rand) (string, time.Duration) {
		return o.Hostile.Password, time.Duration(20+rng.IntN(1200)) * time.Millisecond
	})
	return err
}

// passwords tries wrong passwords, one connection after the other and several at once. None may be let in.
func passwords(ctx context.Context, o *order) error {
	in, err := visits(ctx, o, nil, func(rng *rand.Rand) (string, time.Duration) {
		return fmt.Sprint("guess-", rng.Uint64()), 4 * time.Second
	})
	if in {
		err = errors.Join(err, errors.New("a wrong password was let in"))
	}
	return err
}
