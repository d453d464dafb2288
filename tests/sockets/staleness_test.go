//go:build unix

package sockets

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
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
	"github.com/tidelock/tidelock/netcode/simlink"
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

// ages are how old values were when they were shown, by pattern.
type ages [patterns][]time.Duration

// watch notes when values were set and shown. A value that is shown shows all before it.
type watch struct {
	set   []time.Duration // by number, from 1
	shown int
}

func (w *watch) look(n int, now time.Duration, out *[]time.Duration) {
	for w.shown < n && w.shown < len(w.set) {
		*out = append(*out, now-w.set[w.shown])
		w.shown++
	}
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

// numberOf is N of an actor, 0 for none.
func numberOf(a *engine.Actor) int {
	if a == nil {
		return 0
	}
	return int(a.Get(a.Class.Property("N")).Num)
}

// simulated measures over simulated links.
func simulated(t *testing.T, loss float64, seconds int) (out ages) {
	r := rig.New(dialClass())
	r.Seed = 3
	r.Start()
	line := simlink.Impairment{Lag: roundTrip / 2, Loss: loss}
	type viewer struct {
		p     pattern
		i     int
		peer  *rig.Peer
		actor *engine.Actor
		watch
	}
	var all []*viewer
	for p := range patterns {
		for i := range viewers[p] {
			all = append(all, &viewer{p: p, i: i, peer: r.Join(simlink.Path{Up: line, Down: line})})
		}
	}
	r.Run(6)
	for _, v := range all {
		pc := v.peer.Controller()
		if pc == nil {
			t.Fatalf("a player did not come in over a simulated line with a loss of %g", loss)
		}
		v.actor = r.Spawn("Dial", engine.SpawnParams{Owner: pc})
	}
	r.Run(6)
	for tick := range seconds * tickRate {
		for _, v := range all {
			if v.p.setAt(tick, v.i) {
				v.set = append(v.set, r.Now)
				_ = v.actor.Set(v.actor.Class.Property("N"), engine.Int(len(v.set))) // an int fits
			}
		}
		r.Step(1)
		for _, v := range all {
			v.look(numberOf(v.peer.Copy(v.actor)), r.Now, &out[v.p])
		}
	}
	return out
}

// viewer is a player on a bad line who watches one value.
type viewer struct {
	p pattern
	i int

	mu sync.Mutex
	watch
	ages []time.Duration
	here bool // the player has the value

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
	v.look(n, now, &v.ages)
}

// stage is a server with viewers on bad lines. Values change while changes is set; when over is, connections may end.
type stage struct {
	t       *testing.T
	name    string
	began   time.Time
	viewers []*viewer
	changes atomic.Bool
	over    atomic.Bool
}

func newStage(t *testing.T, name string, began time.Time) *stage {
	s := &stage{t: t, name: name, began: began}
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

// ages are what viewers saw.
func (s *stage) ages() (out ages) {
	for _, v := range s.viewers {
		v.mu.Lock()
		out[v.p] = append(out[v.p], v.ages...)
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

// line is a bad line to a server. It is polled every millisecond until the test's end.
func (s *stage) line(to netip.AddrPort, loss float64) netip.AddrPort {
	s.t.Helper()
	rule := impair.Rule{Lag: roundTrip / 2, Loss: loss}
	p, err := impair.NewProxy(to, rule, rule, 11)
	if err != nil {
		s.t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	var wait sync.WaitGroup
	wait.Go(func() { p.Run(tick.C) })
	s.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.t.Error(err)
		}
		wait.Wait()
		tick.Stop()
	})
	return p.Addr()
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
func replicated(s *stage, loss float64) {
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
	way := s.line(l.Addr(), loss)
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
					v.see(numberOf(a), s.now())
				}
			}
			c.Send(s.now())
		})
	}
}

// streamed are the same values as messages in one KCP stream a player.
func streamed(s *stage, loss float64) {
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
	way := s.line(l.Addr(), loss)
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

// TestStaleness measures how old values are when players see them (R5.22), over real sockets with bad lines, over
// simulated links, and as messages of one KCP stream. A value once a second is the hard case: nothing that follows
// soon tells that it was lost.
func TestStaleness(t *testing.T) {
	tier.Change(t)
	losses := []float64{0, 0.05, 0.1, 0.2}
	seconds := longer(8, 60)
	type row struct {
		sim          ages
		sockets, kcp *stage
	}
	rows := make([]row, len(losses))
	began := time.Now()
	for i, loss := range losses {
		rows[i].sim = simulated(t, loss, max(60, seconds))
		rows[i].sockets = newStage(t, "sockets", began)
		replicated(rows[i].sockets, loss)
		rows[i].kcp = newStage(t, "stream", began)
		streamed(rows[i].kcp, loss)
	}
	for i := range rows {
		for _, s := range []*stage{rows[i].sockets, rows[i].kcp} {
			until(t, fmt.Sprintf("all viewers in at a loss of %g (%s)", losses[i], s.name), s.ready)
		}
	}
	pass(2 * time.Second) // what came with joining is over
	for i := range rows {
		rows[i].sockets.changes.Store(true)
		rows[i].kcp.changes.Store(true)
	}
	pass(time.Duration(seconds) * time.Second)
	for i := range rows {
		for _, s := range []*stage{rows[i].sockets, rows[i].kcp} {
			s.over.Store(true)
			s.changes.Store(false)
		}
	}
	t.Logf("p50/p95/p99 in ms from set to shown, round trip %v, %d s; a tick of %.0f ms at either end included", roundTrip, seconds, 1000.0/tickRate)
	t.Logf("%5s  %-13s %15s %15s %15s", "loss", "changes", "sockets", "simulated", "KCP stream")
	for i := range rows {
		net, kcp := rows[i].sockets.ages(), rows[i].kcp.ages()
		for p := range patterns {
			t.Logf("%4.0f%%  %-13s %15s %15s %15s", 100*losses[i], p, three(net[p]), three(rows[i].sim[p]), three(kcp[p]))
			if least := seconds * viewers[p] / 2; len(net[p]) < least || len(kcp[p]) < least {
				figure(t, "loss %g, %s: only %d and %d values were shown", losses[i], p, len(net[p]), len(kcp[p]))
			}
			// The rule is 1.5 round trips up to 10 % loss; the rest is for a machine that does other things, too, which
			// values show that nothing is lost of.
			limit := max(roundTrip*3/2+50*time.Millisecond, quantile(rows[0].sockets.ages()[p], 0.95)+roundTrip)
			if losses[i] <= 0.1 && quantile(net[p], 0.95) > limit {
				figure(t, "loss %g, %s: p95 %v, at most %v", losses[i], p, quantile(net[p], 0.95), limit)
			}
		}
	}
}

func three(list []time.Duration) string {
	return fmt.Sprintf("%.0f/%.0f/%.0f", ms(quantile(list, 0.5)), ms(quantile(list, 0.95)), ms(quantile(list, 0.99)))
}
