package scenario

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// chunkFile is what messages call the classes of t:scripts. Chunks after the first are told apart by a
// number inside the process, which does not show.
const chunkFile = "scripts"

// tiny forgives the rounding of tick times: far below the shortest tick.
const tiny = 1e-9

// stage is one run of one scenario: its clock and its peers. It implements script.Stage.
type stage struct {
	c      *Case
	seed   uint64
	worlds int // made so far, for their seeds
	chunks []string
	hear   func(scriptvm.Report)

	now     float64
	server  *server
	clients []*client
	network Network

	started time.Time
	steps   int
	log     []string
}

// server is the server's peer.
type server struct {
	*match.Match
	stage *stage
	opt   script.ServerOptions
	name  string
	epoch int
	local *engine.Actor // PlayerController of the player who sits here
	lines []string
	since float64 // when it started
	ticks int     // since then
	total int     // over restarts
}

// client is a client's peer with its place on the clock.
type client struct {
	Connection
	since float64
	ticks int
}

func newStage(c *Case, seed uint64) *stage {
	return &stage{c: c, seed: seed, started: time.Now(), hear: func(scriptvm.Report) {}}
}

func (s *stage) close() {
	if s.network != nil {
		s.network.Close()
	}
	if s.server != nil && s.server.Match != nil {
		s.server.Close()
	}
}

func (s *stage) Listen(f func(scriptvm.Report)) { s.hear = f }
func (s *stage) Scripts(text string)            { s.chunks = append(s.chunks, text) }
func (s *stage) Now() float64                   { return s.now }

func (s *stage) ServerTicks() int {
	if s.server == nil {
		return 0
	}
	return s.server.total
}

// sources are the built-in and added scripts and the scenario's own.
func (s *stage) sources() []classfile.Source {
	list := append([]classfile.Source(nil), s.c.suite.sources...)
	for i, text := range s.chunks {
		p := chunkFile
		if i > 0 {
			p = fmt.Sprintf("%s#%d", chunkFile, i+1)
		}
		list = append(list, classfile.Source{Path: p, Text: text, Multi: true})
	}
	return list
}

// shown calls every chunk by its one name.
func (s *stage) shown(text string) string {
	for i := 2; i <= len(s.chunks); i++ {
		text = strings.ReplaceAll(text, fmt.Sprintf("%s#%d:", chunkFile, i), chunkFile+":")
	}
	return text
}

// open makes the world of one peer.
func (s *stage) open(name, url string, mode engine.NetMode, lines *[]string) (*match.Match, error) {
	say := func(text string) {
		*lines = append(*lines, text)
		s.log = append(s.log, name+": "+text)
	}
	s.worlds++
	m, err := match.Open(match.Options{
		Sources: s.sources(), Content: s.c.suite.content, URL: url, NetMode: mode, Seed: seedOf(s.seed, s.worlds),
		VM: scriptvm.Options{
			Peer: name, Cache: s.c.suite.cache,
			Log: func(a *engine.Actor, text string) {
				if a != nil {
					text = a.Name + ": " + text
				}
				s.log = append(s.log, name+": "+text)
			},
			Report: func(r scriptvm.Report) {
				r.Text = s.shown(r.Text)
				say(r.String())
				s.hear(r)
			},
		},
	})
	if err != nil {
		return nil, errors.New(s.shown(err.Error()))
	}
	for _, w := range m.Warnings { // of the check and the level: shown by -v, and no part of peer:log()
		s.log = append(s.log, name+": "+s.shown(w))
	}
	return m, nil
}

// Server makes the server, and its local player where it has one.
func (s *stage) Server(o script.ServerOptions) (script.Peer, error) {
	if len(o.Config) > 0 {
		return nil, errors.New("config: this build has no settings that a scenario could change yet")
	}
	p := &server{stage: s, opt: o, name: "server"}
	if o.Mode == engine.NMStandalone {
		p.name = "standalone"
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	s.server = p
	return p, nil
}

func (p *server) start() error {
	s := p.stage
	url := p.opt.Level
	if p.opt.Game != "" {
		url += "?game=" + p.opt.Game
	}
	url += p.opt.Options
	if _, chosen := match.ParseURL(url).Option("game"); !chosen {
		url += "?game=GameInfo"
	}
	m, err := s.open(p.name, url, p.opt.Mode, &p.lines)
	if err != nil {
		return err
	}
	p.Match, p.local = m, nil
	p.since, p.ticks = s.now, 0
	if p.opt.Mode != engine.NMDedicatedServer {
		if p.local, err = m.Login("", p.opt.Options, true); err != nil {
			m.Close()
			p.Match = nil
			return errors.New(s.shown(err.Error()))
		}
	}
	return nil
}

// Client makes a client.
func (s *stage) Client(o script.ClientOptions) (script.Client, error) {
	if s.network == nil {
		make := s.c.suite.opt.Network
		if make == nil {
			return nil, errors.New(noNetwork)
		}
		n, err := make(s.c.suite.opt.Transport, seedOf(s.seed, 0), s)
		if err != nil {
			return nil, err
		}
		if err := n.Serve(s.server.Match, s.server.opt); err != nil {
			return nil, err
		}
		s.network = n
	}
	c, err := s.network.Connect(o)
	if err != nil {
		return nil, err
	}
	s.clients = append(s.clients, &client{Connection: c, since: s.now})
	return c, nil
}

// Open makes a client's world; it implements Peers.
func (s *stage) Open(name, level string, log *[]string) (*match.Match, error) {
	return s.open(name, level, engine.NMClient, log)
}

func (s *stage) Why(c script.Client, a *engine.Actor, property string) (code, text string, err error) {
	conn, ok := c.(Connection)
	if s.network == nil || !ok {
		return "", "", errors.New(noNetwork)
	}
	return s.network.Why(conn, a, property)
}

// Reload replaces the scenario's chunks by one, on every peer or on none.
func (s *stage) Reload(text string) (scriptvm.ReloadResult, error) {
	before := s.chunks
	s.chunks = []string{text}
	r := s.server.VM().Prepare(s.sources()).Apply(time.Now)
	if r.Failed {
		var lines []string
		for _, d := range r.Diagnostics {
			if d.Severity == engine.SevError {
				lines = append(lines, d.String())
			}
		}
		s.chunks = before
		return r, errors.New(s.shown(strings.Join(lines, "\n")))
	}
	for _, n := range r.Notes {
		s.server.lines = append(s.server.lines, n)
		s.log = append(s.log, s.server.name+": "+n)
	}
	return r, nil
}

// Restart stops the server as an operator would, and starts it again.
func (s *stage) Restart() error {
	p := s.server
	if s.network != nil {
		s.network.Stop("the server restarts")
	}
	if p.local != nil {
		_ = p.Logout(p.local) // an error of the script was reported
	}
	p.Close()
	p.epoch++
	if err := p.start(); err != nil {
		return err
	}
	if s.network != nil {
		return s.network.Serve(p.Match, p.opt)
	}
	return nil
}

// BudgetError is a scenario that goes on for longer than it may.
type BudgetError struct{ Budget float64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the scenario ran past its budget of %g s of simulated time", e.Budget)
}

// PatienceError is a run that takes too long by the wall clock.
type PatienceError struct{ Patience time.Duration }

func (e *PatienceError) Error() string {
	return fmt.Sprintf("the run took longer than %v of real time", e.Patience)
}

// Step goes to the next tick of any peer.
func (s *stage) Step(until float64) (bool, error) {
	at, tick := math.Inf(1), func() {}
	if p := s.server; p != nil && p.Match != nil {
		at = p.since + float64(p.ticks+1)/float64(p.opt.Tick)
		tick = p.tick
	}
	for _, c := range s.clients {
		if t := c.since + float64(c.ticks+1)/c.Rate(); t < at-tiny {
			at = t
			tick = func() { c.ticks++; c.Tick(t) }
		}
	}
	next := math.Min(at, until)
	if budget := s.c.script.Budget; next > budget+tiny {
		s.now = budget
		return false, &BudgetError{budget}
	}
	if at > until+tiny {
		s.now = math.Max(s.now, until)
		return false, nil
	}
	if s.steps++; s.steps&63 == 0 && time.Since(s.started) > s.c.suite.opt.Patience {
		return false, &PatienceError{s.c.suite.opt.Patience}
	}
	s.now = at
	tick()
	return true, nil
}

// tick is one turn of the server's loop (R1.2): receive, tick, net update.
func (p *server) tick() {
	p.ticks++
	p.total++
	net := p.stage.network
	if net != nil {
		net.Receive(p.stage.now)
	}
	p.Match.World.Step(1 / float64(p.opt.Tick))
	netUpdate := p.ticks%(p.opt.Tick/p.opt.Net) == 0
	switch {
	case net != nil:
		net.Send(p.stage.now, netUpdate)
	case netUpdate:
		p.Match.World.ClearDirty() // nobody to tell
	}
}

// The server as the script's peer.

func (p *server) Name() string         { return p.name }
func (p *server) World() *engine.World { return p.Match.World }
func (p *server) VM() *scriptvm.VM     { return p.Match.VM }
func (p *server) Epoch() int           { return p.epoch }
func (p *server) Log() []string        { return p.lines }

// Controller is the PlayerController of a client or of the local player.
func (p *server) Controller(of script.Client) (*engine.Actor, error) {
	if c, ok := of.(Connection); ok {
		return p.World().Actor(c.Player()), nil
	}
	if p.local == nil {
		return nil, fmt.Errorf("%s:controller(): a dedicated server has no local player; name a client, or make the server with mode = \"listen\" or \"standalone\"", p.name)
	}
	return p.local, nil
}

// Copy is the server's actor that another peer's is a copy of.
func (p *server) Copy(of script.Peer, id engine.ActorID) *engine.Actor {
	if c, ok := of.(Connection); ok {
		id = c.ToServer(id)
	}
	return p.World().Actor(id)
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
