package scenario

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/netcode/link"
	netserver "github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// server is the server's peer.
type server struct {
	*match.Match
	stage *stage
	site  *site
	opt   script.ServerOptions
	name  string
	url   string // options added to the scenario's own, which they override
	epoch int
	local *engine.Actor // PlayerController of the player at the server's machine
	lines []string
	looks bool // the local player's HUD is being observed
	drawn []canvas.Call
	since float64 // when it started
	ticks int     // since then
	total int     // over restarts
	pace  pace.Pace
	// loaded is the hash of the saved world that it began with.
	loaded uint64
}

// start opens a match, or continues a saved one.
func (p *server) start(saved *match.Opened) error {
	s := p.stage
	url := p.opt.Level
	if p.opt.Game != "" {
		url += "?game=" + p.opt.Game
	}
	url += p.opt.Options + p.url
	if _, chosen := match.ParseURL(url).Option("game"); !chosen {
		url += "?game=GameInfo"
	}
	m, err := p.site.open(p.name, url, p.opt.Mode, &p.lines, saved)
	if err != nil {
		return err
	}
	p.Match, p.local = m, nil
	p.site.serves()
	p.since, p.ticks, p.pace = s.now, 0, pace.Pace{}
	fail := func(err error) error {
		m.Close()
		p.Match = nil
		return errors.New(s.shown(err.Error()))
	}
	if saved != nil {
		p.loaded = m.SavedHash()
		p.local = m.Resume(p.opt.Mode != engine.NMDedicatedServer)
	}
	if n := p.site.network; n != nil {
		if err := n.serve(m, p.opt); err != nil {
			return fail(err)
		}
	}
	if p.opt.Mode != engine.NMDedicatedServer && p.local == nil {
		if p.local, err = m.Login("", p.opt.Options, true); err != nil {
			return fail(err)
		}
	}
	return nil
}

// restart stops the server as an operator would, and starts it again.
func (p *server) restart() error { return p.begin(nil) }

// begin stops the server and starts it again, with a saved world if one is given.
func (p *server) begin(saved *match.Opened) error {
	if p.Match == nil {
		return errStopped
	}
	if err := p.stop(link.Reason{Code: "restart", Text: "the server restarts"}); err != nil {
		return err
	}
	return p.start(saved)
}

// stop ends the server as an operator would, telling the players why.
func (p *server) stop(why link.Reason) error {
	if n := p.site.network; n != nil {
		if err := n.stop(why); err != nil {
			return err
		}
	}
	if p.local != nil {
		_ = p.Logout(p.local) // an error of the script was reported
	}
	p.site.storage.end()
	p.Close()
	p.Match, p.local = nil, nil
	p.epoch++
	return nil
}

// save saves the world for a later load, and returns its hash.
func (p *server) save(name string) (hash uint64, err error) {
	if p.Match == nil {
		return 0, errStopped
	}
	file, err := p.Match.Save(nil).Seal()
	if err != nil {
		return 0, err
	}
	p.stage.worlds.Put(name, file, func(e error) { err = e })
	return p.SavedHash(), err
}

// load stops the server, starts it with a saved world, and returns the hash that it had before Restored was called.
func (p *server) load(name string) (hash uint64, err error) {
	var saved *match.Opened
	p.stage.keeper.Find(name, func(o *match.Opened, e error) { saved, err = o, e })
	if err == nil {
		err = p.begin(saved)
	}
	return p.loaded, err
}

// errStopped is the error of a server without a world after a failed restart.
var errStopped = errors.New("the server did not start again; nothing can be done with it")

// tick runs one iteration of the server's loop (R1.2): receive, tick, net update.
func (p *server) tick() {
	p.ticks++
	p.total++
	p.site.storage.deliver()
	still := p.site.drain.Still()
	if !still {
		p.Match.VM.HandleMessages()
	}
	net := p.site.network
	if net != nil {
		net.receive()
	}
	if !still {
		for range p.pace.Next() {
			p.Match.World.Step(1 / float64(p.opt.Tick))
		}
		if p.pace.Still() {
			p.Match.VM.StandStill()
		}
	}
	if p.looks {
		p.draw()
	}
	netUpdate := p.ticks%(p.opt.Tick/p.opt.Net) == 0
	switch {
	case net != nil:
		net.send(netUpdate)
	case netUpdate:
		p.Match.World.ClearDirty() // nobody to tell
	}
	p.stage.keeper.Step(p.Match, 1/float64(p.opt.Tick))
	if url := p.Match.World.TakeTravel(); url != "" && !p.site.drain.EndsRound(url) {
		p.travel(url)
	}
	p.site.stepDrain(1 / float64(p.opt.Tick))
}

// The server as the script's peer.

func (p *server) Name() string    { return p.name }
func (p *server) Epoch() int      { return p.epoch }
func (p *server) Log() []string   { return p.lines }
func (p *server) say(text string) { p.lines = append(p.lines, text) }

// World returns the server's world, nil if a restart failed.
func (p *server) World() *engine.World {
	if p.Match == nil {
		return nil
	}
	return p.Match.World
}

// VM is that world's.
func (p *server) VM() *scriptvm.VM {
	if p.Match == nil {
		return nil
	}
	return p.Match.VM
}

// Controller is the PlayerController of a client or of the local player.
func (p *server) Controller(of script.Client) (*engine.Actor, error) {
	if c, ok := of.(*client); ok {
		if c.net != p.site.network {
			return nil, nil //nolint:nilnil // the player is at another host
		}
		return c.player(), nil
	}
	if p.local == nil {
		return nil, fmt.Errorf("%s:controller(): a dedicated server has no local player; name a client, or make the server with mode = \"listen\" or \"standalone\"", p.name)
	}
	return p.local, nil
}

// Copy is the server's actor that another peer's is a copy of.
func (p *server) Copy(of script.Peer, id engine.ActorID) *engine.Actor {
	if o, ok := of.(*server); ok && o != p {
		return nil // hosts share no actors
	}
	if c, ok := of.(*client); ok {
		id = c.toServer(id)
	}
	if p.Match == nil {
		return nil
	}
	return living(p.Match.World.Actor(id))
}

// Stand stops the machine for a time.
func (p *server) Stand(seconds float64) {
	p.since += seconds
	if w := p.World(); w != nil {
		w.Stood += seconds * p.pace.Scale()
	}
}

// Command runs a command of the game.
func (p *server) Command(line string, by script.Client) ([]string, error) {
	who := command.Caller{Name: p.name, Role: access.Owner, Via: "scenario"}
	if by != nil {
		pc, err := p.Controller(by)
		if err != nil {
			return nil, err
		}
		if n := p.site.network; n != nil && pc != nil {
			if c := n.server.ConnectionOf(pc); c != nil {
				who.Name, who.Connection = c.Name, c.ID
			}
		}
		if who.Connection == 0 {
			return nil, fmt.Errorf("%s:command: %s has not joined", p.name, by.Name())
		}
	}
	var r command.Registry
	if err := r.Add(control.GameCommands(control.Options{Host: typist{server: p}, Turns: typist{}}, p.Game.Class)...); err != nil {
		return nil, err
	}
	return r.Do(context.Background(), who, line)
}

// typist is the host that commands of a scenario see: a scenario owns the world, so their turn comes at once.
type typist struct {
	control.Host
	server *server
}

// Do is [control.Turns].
func (typist) Do(_ context.Context, f func() error) error { return f() }

// Current is [control.Host]; commands of a game use nothing else of it.
func (t typist) Current() (*match.Match, *netserver.Server) {
	if n := t.server.site.network; n != nil {
		return t.server.Match, n.server
	}
	return t.server.Match, nil
}

// Pace returns the pace of the match.
func (p *server) Pace() (scale float64, pending int) { return p.pace.Scale(), p.pace.Pending() }

// SetPace pauses the match, or sets how fast it runs.
func (p *server) SetPace(scale float64) error {
	if err := pace.Check(scale); err != nil {
		return fmt.Errorf("%s:%w", p.name, err)
	}
	p.pace.Set(scale)
	return p.tellPace(0)
}

// StepTicks pauses the match and runs n ticks.
func (p *server) StepTicks(n int) error {
	if err := pace.CheckSteps(n); err != nil {
		return fmt.Errorf("%s:%w", p.name, err)
	}
	p.pace.Step(float64(n))
	return p.tellPace(n)
}

func (p *server) tellPace(steps int) error {
	if n := p.site.network; n != nil {
		return n.server.SetPace(p.pace.Scale(), steps)
	}
	return nil
}

// Canvas is what the local player's HUD drew.
func (p *server) Canvas() ([]canvas.Call, error) {
	if p.local == nil {
		return nil, fmt.Errorf("%s:canvas: a dedicated server has no local player", p.name)
	}
	if !p.looks {
		p.looks = true
		p.draw()
	}
	return p.drawn, nil
}

func (p *server) draw() {
	drawn, _ := p.Match.VM.DrawHUD(p.local)
	p.drawn = drawn.Calls()
}

// Input changes what the local player presses.
func (p *server) Input(change func(*engine.Input)) error {
	if p.local == nil {
		return fmt.Errorf("%s:input: a dedicated server has no local player", p.name)
	}
	if p.local.Deleted() {
		return fmt.Errorf("%s:input: the local player is gone", p.name)
	}
	in, _ := p.World().Input(p.local)
	change(&in)
	p.World().SetInput(p.local, in)
	return nil
}
