//go:build unix

package sockets

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/tests/tier"
)

// roundTrip is of the lines on which staleness is measured.
const roundTrip = 150 * time.Millisecond

// pattern is how a value changes.
type pattern int

const (
	always pattern = iota // with every net update
	seldom                // once a second, and nothing else crosses meanwhile
	patterns
)

func (p pattern) String() string { return [...]string{"always", "once a second"}[p] }

// viewers are how many players watch a value of each pattern: each has one of its own, so that one that changes seldom
// stands alone on its connection.
var viewers = [patterns]int{always: 6, seldom: 12}

// setAt is when the value of viewer i changes.
func (p pattern) setAt(tick, i int) bool {
	if p == always {
		return tick%(tickRate/netRate) == 0
	}
	return (tick+5*i)%tickRate == 0
}

// dialClass is an actor that its owner alone sees; nothing of it changes but N.
func dialClass() *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Dial", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}},
		Rules:      []engine.RuleSpec{{Names: []string{"N"}}},
		Defaults:   []engine.DefaultSpec{{Name: "bOnlyRelevantToOwner", Value: engine.Bool(true)}},
	}
}

// viewer is a player on a bad line who watches one value. A number that is shown shows all before it.
type viewer struct {
	p pattern
	i int

	mu   sync.Mutex
	set  []time.Duration // when the numbers from 1 on were set
	ages []time.Duration // how old they were when they were shown
	here bool            // the player has the value

	actor *engine.Actor // whose value it is; the server's goroutine's
	conn  link.Conn     // or the connection that it is sent on
}

// note takes down that the value is set to its next number, and gives that.
func (v *viewer) note(now time.Duration) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set = append(v.set, now)
	return len(v.set)
}

func (v *viewer) see(n int, now time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.here = true
	for len(v.ages) < min(n, len(v.set)) {
		v.ages = append(v.ages, now-v.set[len(v.ages)])
	}
}

// stage is a server with viewers on bad lines. Values change while changes is set; when over is, connections may end.
type stage struct {
	t       *testing.T
	name    string
	loss    float64
	began   time.Time
	viewers []*viewer
	changes atomic.Bool
	over    atomic.Bool
}

func newStage(t *testing.T, name string, loss float64, began time.Time) *stage {
	s := &stage{t: t, name: name, loss: loss, began: began}
	for p := range patterns {
		for i := range viewers[p] {
			s.viewers = append(s.viewers, &viewer{p: p, i: i})
		}
	}
	return s
}

func (s *stage) now() time.Duration { return time.Since(s.began) }

// ready tells that all viewers have their values.
func (s *stage) ready() bool {
	for _, v := range s.viewers {
		v.mu.Lock()
		here := v.here
		v.mu.Unlock()
		if !here {
			return false
		}
	}
	return true
}

// ages are how old the values of a pattern were.
func (s *stage) ages(p pattern) (out []time.Duration) {
	for _, v := range s.viewers {
		v.mu.Lock()
		if v.p == p {
			out = append(out, v.ages...)
		}
		v.mu.Unlock()
	}
	return out
}

// fault fails the test, unless it is over and all say goodbye.
func (s *stage) fault(text string) {
	if !s.over.Load() {
		s.t.Error(text)
	}
}

// due calls set for every value that changes in a tick.
func (s *stage) due(tick int, set func(v *viewer, n int)) {
	if !s.changes.Load() {
		return
	}
	for _, v := range s.viewers {
		if v.p.setAt(tick, v.i) {
			set(v, v.note(s.now()))
		}
	}
}

// listen opens a socket; the test's end closes it.
func (s *stage) listen(server *kcplink.Server) *kcplink.Link {
	s.t.Helper()
	l, err := kcplink.New(kcplink.Config{Addr: loopback, Server: server})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return l
}

// paced runs step at tickRate on a goroutine of its own until the test's end.
func (s *stage) paced(step func(tick int)) {
	s.t.Helper()
	tick := 0
	l, err := loop.New(loop.Options{Rate: tickRate, Step: func(float64) { tick++; step(tick) }})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := l.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(func() { stop(); wait.Wait() })
}

// bare is a world of the rig's classes without scripts: the server's game, or a player's world.
type bare struct {
	server.Stay
	world *engine.World
	stage *stage
}

func newBare(s *stage, mode engine.NetMode) *bare {
	s.t.Helper()
	classes, diags := engine.BuildClasses(append(rig.Base(), dialClass()), nil)
	for _, d := range diags {
		if d.Severity == engine.SevError {
			s.t.Fatal(d.String())
		}
	}
	return &bare{world: engine.NewWorld(engine.Config{Classes: classes, NetMode: mode, Seed: 1}), stage: s}
}

func (b *bare) PreLogin(string, string) (text, code string) { return "", "" }

// Login gives a player a value to watch; their options are the viewer's number.
func (b *bare) Login(_, options string) (pc *engine.Actor, text, code string) {
	n, err := strconv.Atoi(options)
	if err != nil {
		return nil, err.Error(), "error"
	}
	w := b.world
	if pc, err = w.Spawn(w.Classes.Find("PlayerController"), engine.SpawnParams{}); err == nil {
		b.stage.viewers[n].actor, err = w.Spawn(w.Classes.Find("Dial"), engine.SpawnParams{Owner: pc})
	}
	if err != nil {
		return nil, err.Error(), "error"
	}
	return pc, "", ""
}

func (b *bare) PostLogin(*engine.Actor) {}
func (b *bare) Logout(pc *engine.Actor) { pc.Destroy() }

// Open implements client.Host.
func (b *bare) Open(*wire.Welcome, []bundle.File) (*engine.World, error) { return b.world, nil }

// Reload implements client.Host.
func (b *bare) Reload([]bundle.File) error { return errors.New("no scripts, no reload") }

// replicated are values as variables of actors.
func replicated(s *stage) {
	s.t.Helper()
	b := newBare(s, engine.NMDedicatedServer)
	l := s.listen(&kcplink.Server{})
	files, err := bundle.New([]bundle.File{{Name: "scripts/none", Data: []byte("-")}})
	if err != nil {
		s.t.Fatal(err)
	}
	sv := server.New(server.Config{World: b.world, Game: b, Bundle: files, Tick: tickRate, Net: netRate})
	sv.Attach(l)
	s.paced(func(tick int) {
		sv.Receive(s.now())
		s.due(tick, func(v *viewer, n int) {
			_ = v.actor.Set(v.actor.Class.Property("N"), engine.Int(n)) // an int fits
		})
		b.world.Step(1.0 / tickRate)
		sv.Send(s.now(), tick%(tickRate/netRate) == 0)
	})
	way := badLine(s.t, l.Addr(), impair.Rule{Lag: roundTrip / 2, Loss: s.loss}, 11).Addr()
	for i, v := range s.viewers {
		end := s.listen(nil)
		if _, err := end.Dial(kcplink.Dial{Addr: way}); err != nil {
			s.t.Fatal(err)
		}
		c := client.New(client.Config{Link: end, Host: newBare(s, engine.NMClient), Options: strconv.Itoa(i)})
		s.paced(func(int) {
			c.Receive(s.now())
			if w := c.World(); w != nil {
				w.Step(1.0 / tickRate)
				for _, a := range w.ActorsOf("Dial") {
					v.see(int(a.Get(a.Class.Property("N")).Num), s.now())
				}
			}
			c.Send(s.now())
		})
	}
}

// streamed are the same values as messages in one KCP stream a player.
func streamed(s *stage) {
	s.t.Helper()
	l := s.listen(&kcplink.Server{})
	hear := &streamServer{s}
	s.paced(func(tick int) {
		l.Poll(s.now(), hear)
		s.due(tick, func(v *viewer, n int) {
			// As long as an update of one small variable.
			if err := v.conn.Send(binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(n))); err != nil {
				s.fault(err.Error())
			}
		})
		l.Flush(s.now())
	})
	way := badLine(s.t, l.Addr(), impair.Rule{Lag: roundTrip / 2, Loss: s.loss}, 11).Addr()
	for i, v := range s.viewers {
		end := s.listen(nil)
		if _, err := end.Dial(kcplink.Dial{Addr: way, Options: strconv.Itoa(i)}); err != nil {
			s.t.Fatal(err)
		}
		hear := &streamPlayer{s, v}
		s.paced(func(int) { end.Poll(s.now(), hear); end.Flush(s.now()) })
	}
}

// streamServer knows viewers by their options; one that it has greeted is ready.
type streamServer struct{ s *stage }

func (h *streamServer) Opened(c link.Conn) {
	n, err := strconv.Atoi(c.Identity().Options)
	if err != nil {
		h.s.t.Error(err)
		return
	}
	h.s.viewers[n].conn = c
	if err := c.Send(make([]byte, 8)); err != nil {
		h.s.t.Error(err)
	}
}

func (h *streamServer) Message(link.Conn, []byte)  {}
func (h *streamServer) Datagram(link.Conn, []byte) {}
func (h *streamServer) Closed(_ link.Conn, why link.Reason) {
	h.s.fault("a stream ended: " + why.Text)
}

type streamPlayer struct {
	s *stage
	v *viewer
}

func (h *streamPlayer) Opened(link.Conn) {}
func (h *streamPlayer) Message(_ link.Conn, b []byte) {
	h.v.see(int(binary.BigEndian.Uint64(b)), h.s.now())
}
func (h *streamPlayer) Datagram(link.Conn, []byte) {}
func (h *streamPlayer) Closed(_ link.Conn, why link.Reason) {
	h.s.fault("a stream ended: " + why.Text)
}

// TestStaleness prints how old values are when players see them over real sockets with bad lines, as variables of actors (R5.22) and as
// messages of one KCP stream. A value once a second is the hard case: nothing that follows soon tells that it was lost. What the rule
// bounds is asserted in netcode/rig, on a virtual clock; here nobody may fall out.
func TestStaleness(t *testing.T) {
	tier.Change(t)
	inFull(t)
	seconds := longer(8, 60)
	var all []*stage
	began := time.Now()
	for _, loss := range []float64{0, 0.05, 0.1, 0.2} {
		net, kcp := newStage(t, "sockets", loss, began), newStage(t, "KCP stream", loss, began)
		replicated(net)
		streamed(kcp)
		all = append(all, net, kcp)
	}
	for _, s := range all {
		until(t, fmt.Sprintf("all viewers in at a loss of %g (%s)", s.loss, s.name), s.ready)
	}
	pass(2 * time.Second) // what came with joining is over
	for _, s := range all {
		s.changes.Store(true)
	}
	pass(time.Duration(seconds) * time.Second)
	for _, s := range all {
		s.over.Store(true)
		s.changes.Store(false)
	}
	t.Logf("p50/p95/p99 in ms from set to shown, round trip %v, %d s; a tick of %.0f ms at either end included", roundTrip, seconds, 1000.0/tickRate)
	for _, s := range all {
		for p := range patterns {
			ages := s.ages(p)
			if len(ages) == 0 {
				t.Errorf("loss %g, %s, %s: no value was shown", s.loss, p, s.name)
			}
			t.Logf("%4.0f%%  %-13s %-10s %.0f/%.0f/%.0f", 100*s.loss, p, s.name, ms(quantile(ages, 0.5)), ms(quantile(ages, 0.95)), ms(quantile(ages, 0.99)))
		}
	}
}
