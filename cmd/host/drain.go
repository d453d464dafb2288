package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/teleport"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// A drain takes a host out of service without ending a match (C7): no new players come in; when the round is over, or after a time, the
// players are let go, everything is stored, and the host ends. Time is that of the loop, so that a host that was suspended does not cut
// a round short.

const (
	// readFor is how many seconds the last message is shown before players are disconnected.
	readFor = 3
	// goodbyeFor is how many seconds the network runs after that: a goodbye is repeated while datagrams get lost.
	goodbyeFor = 1
	// storeFor is how many seconds the store has for what players and scripts have earned.
	storeFor = 30
	// warnAt is how many seconds before the end of the time players are told again.
	warnAt = 60
	// mostDrain bounds the time of a drain.
	mostDrain = 168 * time.Hour
)

// drainPhase is where a drain is (docs/cluster.md draws its ways). Invariant: it only advances, except that `drain off` leads back from
// draining and leaving to inService.
type drainPhase uint8

const (
	inService drainPhase = iota
	draining             // the round goes on, without new players
	leaving              // players have been told that they will be disconnected
	storing              // everybody is gone, the world stands still, the store works
	drained              // the loop may end
)

func (p drainPhase) String() string {
	return [...]string{"in service", "draining", "leaving", "storing", "drained"}[p]
}

// What players are told.
const (
	drainingText = "the server is draining: it takes no new players and ends after this round; join another server"
	roundOver    = "the round is over, and this server goes out of service"
	nobodyHere   = "this server goes out of service"
	timeOver     = "the time is over, and this server goes out of service"
)

// drain is the state of one host's drain. The loop's goroutine owns what is not atomic.
type drain struct {
	// usual is how long a drain waits for the round's end in seconds, if nobody says otherwise; 0 is as long as the round takes.
	usual float64
	// tell is called when a drain begins, and when it is called off; nil tells nobody.
	tell func(draining bool)
	// over gets the drain's result once: nil, or why not everything was stored.
	over chan error

	phase  drainPhase
	trace  func(from, to drainPhase) // told of every change, for tests; nil tells nobody
	left   float64                   // seconds until the round is cut short, +Inf for never
	clock  float64                   // seconds since the phase began
	looked float64                   // clock at which the game was last asked who may return
	waits  bool                      // its answer: somebody may
	warned bool
	why    string // what players are told as they are disconnected
	travel string // where the match would have travelled

	asked atomic.Int64           // a request from another goroutine: 0 none, or one of the constants below, or seconds + 1
	line  atomic.Pointer[string] // for the status; nil in service
}

// What other goroutines may request.
const (
	askedOff   = -1
	askedUsual = -2
)

func newDrain(usual time.Duration) drain {
	return drain{usual: usual.Seconds(), over: make(chan error, 1)}
}

// ask requests a drain of the usual time with the next tick. Any goroutine may call it, as often as it likes.
func (d *drain) ask() { d.asked.Store(askedUsual) }

// askWithin is ask with a time in place of the usual one, rounded up to whole seconds; 0 waits for the end of the round however long it
// takes.
func (d *drain) askWithin(t time.Duration) {
	d.asked.Store(int64(math.Ceil(min(max(t, 0), mostDrain).Seconds())) + 1)
}

// askOff requests that the drain is called off with the next tick. Any goroutine may call it.
func (d *drain) askOff() { d.asked.Store(askedOff) }

// follow requests a drain at each signal, until the returned function is called.
func (d *drain) follow(signals <-chan os.Signal) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends by stop, which waits for it
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-signals:
				d.ask()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// active reports whether the host is not, or not fully, in service.
func (d *drain) active() bool { return d.phase != inService }

// still reports whether the world stands still: nobody is in it, and what it would still request from the store would never end.
func (d *drain) still() bool { return d.phase >= storing }

// notes returns the line for the status. Any goroutine may call it.
func (d *drain) notes() []string {
	if l := d.line.Load(); l != nil {
		return []string{*l}
	}
	return nil
}

// describe says where the drain is.
func (d *drain) describe() string {
	switch {
	case d.phase >= storing:
		return "draining: the players are gone, the store finishes"
	case d.phase == leaving:
		return "draining: the players are leaving"
	case math.IsInf(d.left, 1):
		return "draining: no new players; the host ends after this round"
	}
	return fmt.Sprintf("draining: no new players; the host ends after this round, in %v at the latest", time.Duration(max(math.Ceil(d.left), 0))*time.Second)
}

// startDrain begins a drain that cuts the round short after so many seconds, 0 for never; nil means the usual time. While one runs, only a
// time that is given changes anything. It returns a line that says what is so now.
func (g *game) startDrain(seconds *float64) string {
	d := &g.drain
	limit := d.usual
	if seconds != nil {
		limit = *seconds
	}
	if limit == 0 {
		limit = math.Inf(1)
	}
	switch d.phase {
	case inService:
		d.enter(draining)
		d.looked, d.waits, d.warned, d.travel = math.Inf(-1), false, limit <= warnAt, ""
		d.left = limit
		g.turnAway()
		g.drainChanged(true)
		g.log.Info("Draining: no new players come in", "event", "drain", "seconds", seconds0(limit), "players", g.Status().Players)
		g.announce("This server goes out of service after this round" + latest(limit) + ".")
	case draining:
		if seconds != nil {
			d.left, d.warned = limit, limit <= warnAt
			g.log.Info("Draining: another time", "event", "drain", "seconds", seconds0(limit))
		}
	case leaving, storing, drained: // it cannot be sooner
	}
	g.showDrain()
	return d.describe()
}

// seconds0 returns a limit for the log: 0 for none.
func seconds0(limit float64) float64 {
	if math.IsInf(limit, 1) {
		return 0
	}
	return limit
}

// latest says in players' words how long a round may still last.
func latest(limit float64) string {
	switch {
	case math.IsInf(limit, 1):
		return ""
	case limit >= 120:
		return fmt.Sprintf(", in %.0f minutes at the latest", limit/60)
	}
	return fmt.Sprintf(", in %.0f seconds at the latest", limit)
}

// errGone is the answer to `drain off` after the players were disconnected.
var errGone = errors.New("drain off: the players are gone already, and the host ends")

// stopDrain calls a drain off: new players come in again. A travel that the drain has held back follows.
func (g *game) stopDrain() (string, error) {
	d := &g.drain
	switch d.phase {
	case inService:
		return "the host is in service", nil
	case storing, drained:
		return "", errGone
	case draining, leaving:
	}
	url := d.travel
	d.travel = ""
	d.enter(inService)
	g.drainChanged(false)
	g.log.Info("Drain called off: new players may come in", "event", "drain_off")
	g.announce("This server stays in service.")
	g.showDrain()
	if url != "" {
		g.travel(url)
	}
	return "the host is in service again", nil
}

// drainChanged tells everybody who shows whether the host takes players.
func (g *game) drainChanged(draining bool) {
	if g.drain.tell != nil {
		g.drain.tell(draining)
	}
	g.about.match = nil // queries get a new answer with this tick
}

// showDrain renews the line of the status.
func (g *game) showDrain() {
	d := &g.drain
	if !d.active() {
		d.line.Store(nil)
		return
	}
	if text := d.describe(); d.line.Load() == nil || *d.line.Load() != text {
		d.line.Store(&text)
	}
}

// announce shows all players a line.
func (g *game) announce(text string) {
	if err := g.Say(text); err != nil {
		g.log.Warn("Players were not told about the drain", "event", "drain", "error", err.Error())
	}
}

// endsRound is asked when the match is about to travel, which is how its rounds end. It reports whether the drain keeps it from that.
func (g *game) endsRound(url string) bool {
	d := &g.drain
	switch d.phase {
	case inService:
		return false
	case draining:
		d.why = roundOver
		g.letGo()
	case leaving, storing, drained:
	}
	d.travel = url
	return true
}

// stepDrain does what is due; dt is how many seconds of the loop have passed since the last time.
func (g *game) stepDrain(dt float64) {
	d := &g.drain
	switch n := d.asked.Swap(0); {
	case n == askedUsual:
		g.startDrain(nil)
	case n == askedOff:
		if _, err := g.stopDrain(); err != nil {
			g.log.Warn(err.Error(), "event", "drain")
		}
	case n > 0:
		seconds := float64(n - 1)
		g.startDrain(&seconds)
	}
	if !d.active() {
		return
	}
	d.clock += dt
	d.left -= dt
	switch d.phase {
	case draining:
		switch {
		case g.deserted():
			g.log.Info("Draining: nobody is here", "event", "drain")
			d.why = nobodyHere
			g.disconnect()
		case d.left <= 0:
			d.why = timeOver
			g.letGo()
		case !d.warned && d.left <= warnAt:
			d.warned = true
			g.announce("This server goes out of service in one minute.")
		}
	case leaving:
		if d.clock >= readFor && (g.hops.Leaving() == 0 || d.clock >= teleport.Offered.Seconds()) {
			g.disconnect()
		}
	case storing:
		g.finishDrain()
	case inService, drained:
	}
	g.showDrain()
}

// enter begins a phase.
func (d *drain) enter(p drainPhase) {
	if d.trace != nil {
		d.trace(d.phase, p)
	}
	d.phase, d.clock = p, 0
}

// letGo lets the players go at the end of a drain: it tells them why, and sends them to another host of the cluster that plays the same game and
// has room. stepDrain disconnects the others when they had time to read it, and nobody is on the way any more.
func (g *game) letGo() {
	g.log.Info("Draining: the players are let go", "event", "drain", "why", g.drain.why, "players", g.Status().Players)
	text := g.drain.why
	g.announce(strings.ToUpper(text[:1]) + text[1:] + ".")
	g.hops.Evacuate()
	g.drain.enter(leaving)
}

// disconnect ends all connections, and has everything stored. From here on nothing leads back.
func (g *game) disconnect() {
	d := &g.drain
	g.keeper.Finish(g.Match) // before players leave it
	d.enter(storing)
	if g.door != nil {
		g.door.Server().Stop(link.Reason{Code: "stopping", Text: d.why})
	}
	g.keeping.saveAll()
}

// finishDrain ends the drain when everything is stored and everybody was told.
func (g *game) finishDrain() {
	d := &g.drain
	stored := g.keeping.saved()
	switch {
	case stored && (d.clock >= goodbyeFor || g.door == nil):
		g.log.Info("Drained: everything is stored", "event", "drained")
		d.over <- nil
	case d.clock >= storeFor:
		d.over <- fmt.Errorf("drained, but the store has not finished within %d s: what players have earned last may be lost; the log says what is wrong with the store", storeFor)
	default:
		return
	}
	d.enter(drained)
}

// deserted reports whether nobody plays, is connecting, or may return. The game is asked at most once a second.
func (g *game) deserted() bool {
	d := &g.drain
	if g.local != nil {
		return false
	}
	if g.door != nil {
		if in, waiting := g.door.Players(); in+waiting > 0 {
			return false
		}
	}
	if d.clock-d.looked >= 1 {
		d.looked, d.waits = d.clock, g.mayReturn("")
	}
	return !d.waits
}

// expects reports whether the player with a key, "" for one without, may return to what they had.
func (g *game) expects(key string) bool { return key != "" && g.mayReturn(key) }

// mayReturn asks the game whether a player may return: the one with a key, or with "" anybody. A fault, which was reported, is no.
func (g *game) mayReturn(key string) bool {
	out, err := g.VM.Call(g.Game, "MayReturn", engine.String(key))
	return err == nil && len(out) > 0 && out[0].Truth()
}

// turnAway ends the connections of those who are on their way in and have no place here.
func (g *game) turnAway() {
	if g.door == nil {
		return
	}
	g.door.Server().Kick(func(c *server.Conn) bool {
		return c.Player() == nil && !c.Travelling() && !g.expects(c.Key())
	}, drainingReason)
}

// drainingReason is why a new player is refused.
var drainingReason = link.Reason{Code: "draining", Text: drainingText}

// doorman is a list of who may play that a drain closes to new players. It belongs to the loop's goroutine.
type doorman struct {
	game *game
	list door.Access // nil admits everybody
}

// Check implements [door.Access].
func (m doorman) Check(key, addr string) *link.Reason {
	if m.list != nil {
		if why := m.list.Check(key, addr); why != nil {
			return why
		}
	}
	// The game knows who has left. Those who have not, because their silence was not noticed yet, replace themselves.
	if m.game.drain.active() && (m.game.drain.still() || !m.game.inside(key) && !m.game.expects(key)) {
		why := drainingReason
		return &why
	}
	return nil
}

// Barred implements [door.Access].
func (m doorman) Barred(key, addr string) *link.Reason {
	if m.list == nil {
		return nil
	}
	return m.list.Barred(key, addr)
}

// Version implements [door.Access].
func (m doorman) Version() uint64 {
	if m.list == nil {
		return 0
	}
	return m.list.Version()
}

// inside reports whether the player with a key is connected.
func (g *game) inside(key string) (in bool) {
	if key != "" {
		g.door.Server().Connections(func(c *server.Conn) { in = in || c.Key() == key })
	}
	return in
}

// Names of the commands.
const (
	drainCommand    = "drain"
	drainOffCommand = "drain off"
)

// drainCommands returns the commands of a drain.
func drainCommands(g *game, turns control.Turns) []command.Command {
	return []command.Command{
		{
			Name: drainCommand, Params: []command.Param{{Name: "TIME", Optional: true}}, Needs: access.Owner,
			Help: "Take the host out of service: no new players; after this round, or a time such as 10m, everything is stored and the host ends.",
			Run: func(c *command.Call) ([]string, error) {
				var seconds *float64
				if c.Given(0) {
					t, err := time.ParseDuration(c.Text(0))
					if err != nil || t < 0 || t > mostDrain {
						return nil, &command.UsageError{Text: fmt.Sprintf("drain: %q is no time from 0s to %v, such as 10m; 0s waits for the end of the round however long it takes", c.Text(0), mostDrain)}
					}
					s := t.Seconds()
					seconds = &s
				}
				var line string
				err := turns.Do(c.Context, func() error { line = g.startDrain(seconds); return nil })
				if err != nil {
					return nil, err
				}
				return []string{line}, nil
			},
		},
		{
			Name: drainOffCommand, Needs: access.Owner, Help: "Call a drain off: new players come in again.",
			Run: func(c *command.Call) ([]string, error) {
				var line string
				err := turns.Do(c.Context, func() (err error) { line, err = g.stopDrain(); return err })
				if err != nil {
					return nil, err
				}
				return []string{line}, nil
			},
		},
	}
}
