package scenario

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// chunkFile is the file name of the classes of t:scripts in messages. Further chunks have an internal number
// that is not shown.
const chunkFile = "scripts"

// tiny forgives the rounding of tick times: far below the shortest tick.
const tiny = 1e-9

// stage is one run of one scenario: its clock and its peers. It implements script.Stage.
type stage struct {
	c      *Case
	seed   uint64
	opened int // worlds created so far, for their seeds
	chunks []chunk
	most   int // largest number of chunks so far: a client may run more than the server does now
	hear   func(scriptvm.Report)

	now float64
	// site is the host of t:server, the first of sites; others are those of t:host.
	*site
	sites []*site
	// memory is the store that all hosts use, and bus what joins them.
	memory store.Memory
	bus    *bus.Network
	fault  script.StoreFault

	worlds worlds.Memory // saved ones
	keeper *worlds.Keeper

	trail   *trail // nil for none
	started time.Time
	steps   int
	log     []string
}

func newStage(c *Case, seed uint64) *stage {
	s := &stage{c: c, seed: seed, started: time.Now(), hear: func(scriptvm.Report) {}, bus: bus.NewNetwork(seed), fault: script.StoreFault{Delay: storeDelay}}
	s.site = s.addSite("server")
	log := slog.New(slog.DiscardHandler) // scripts are answered, and nobody else asks
	s.keeper = worlds.New(worlds.Options{Store: &s.worlds, Log: log, Aside: func(work func()) { work() }})
	return s
}

func (s *stage) close() {
	for _, h := range s.sites {
		if h.network != nil {
			h.network.close()
		}
		if h.server != nil && h.server.Match != nil {
			h.server.Close()
		}
	}
}

func (s *stage) Listen(f func(scriptvm.Report)) { s.hear = f }
func (s *stage) Now() float64                   { return s.now }
func (s *stage) Transport() string              { return s.c.transport() }

// chunk is classes of the scenario's own.
type chunk struct{ text, mod string }

// Scripts adds a chunk of classes, of a mod or, with "", of the game.
func (s *stage) Scripts(text, mod string) {
	s.chunks = append(s.chunks, chunk{text, mod})
	s.most = max(s.most, len(s.chunks))
}

func (s *stage) ServerTicks() int {
	if s.server == nil {
		return 0
	}
	return s.server.total
}

// sources returns the built-in and added scripts and the scenario's own.
func (s *stage) sources() []classfile.Source {
	list := append([]classfile.Source(nil), s.c.suite.sources...)
	for i, c := range s.chunks {
		p := chunkFile
		if i > 0 {
			p = fmt.Sprintf("%s#%d", chunkFile, i+1)
		}
		src := classfile.Source{Path: p, Text: c.text, Multi: true}
		if c.mod != "" {
			src.Trust = classfile.Trust{Layer: classfile.LayerMod, Mod: c.mod}
		}
		list = append(list, src)
	}
	return list
}

// shown replaces the internal names of chunks by their common one.
func (s *stage) shown(text string) string {
	for i := 2; i <= s.most; i++ {
		text = strings.ReplaceAll(text, fmt.Sprintf("%s#%d:", chunkFile, i), chunkFile+":")
	}
	return text
}

// open makes the world of a host's server.
func (h *site) open(name, url string, mode engine.NetMode, lines *[]string, saved *match.Opened) (*match.Match, error) {
	s := h.stage
	s.opened++
	if err := h.storage.begin(); err != nil {
		return nil, err
	}
	o := match.Options{
		Sources: s.sources(), Content: s.c.suite.content, URL: url, NetMode: mode, Seed: seedOf(s.seed, s.opened), VM: s.vmOptions(name, lines), Profiles: h.storage.profiles,
		Levels: &s.c.suite.levels, Shown: s.c.suite.shown(), Hops: h.storage.crossing,
	}
	o.VM.Store, o.VM.Cluster, o.VM.Teleport = h.storage.client, h.storage.cluster, h.storage.crossing.Teleport
	open := func() (*match.Match, error) { return match.Open(o) }
	if saved != nil {
		open = func() (*match.Match, error) { return match.Load(o, saved) }
	}
	m, err := open()
	if err != nil {
		return nil, errors.New(s.shown(err.Error()))
	}
	for _, w := range m.Warnings { // of the check and the level: shown by -v, not part of peer:log()
		s.log = append(s.log, name+": "+s.shown(w))
	}
	return m, nil
}

// besides is the factor on a call's memory bound when scenarios run concurrently: the bound counts the
// allocations of the whole process.
const besides = 4

// vmOptions returns the options of a peer's scripts; their reports are added to lines.
func (s *stage) vmOptions(name string, lines *[]string) scriptvm.Options {
	limits := sandbox.Limits{Allocation: besides * sandbox.DefaultAllocation}
	return scriptvm.Options{
		Peer: name, Cache: s.c.suite.cache, Navigation: &s.c.suite.navigation, Limits: limits,
		Log: func(a *engine.Actor, text string) {
			if a != nil {
				text = a.Name + ": " + text
			}
			s.log = append(s.log, name+": "+text)
		},
		Report: func(r scriptvm.Report) {
			r.Text = s.shown(r.Text)
			*lines = append(*lines, r.String())
			s.log = append(s.log, name+": "+r.String())
			s.hear(r)
		},
	}
}

// Server creates the server, and its local player if it has one.
func (s *stage) Server(o script.ServerOptions) (script.Peer, error) {
	conf, err := configOf(o.Config)
	if err != nil {
		return nil, err
	}
	p := &server{stage: s, site: s.site, opt: o, name: "server", url: conf.url}
	if o.Mode == engine.NMStandalone {
		p.name = "standalone"
	} else {
		s.network = &network{stage: s, site: s.site, conf: conf}
	}
	s.server = p
	if err := p.start(nil); err != nil {
		s.server, s.network = nil, nil
		return nil, err
	}
	return p, nil
}

// Client makes a client.
func (s *stage) Client(o script.ClientOptions) (script.Client, error) {
	n := s.network
	if h := s.siteNamed(o.Host); o.Host != "" {
		if h == nil {
			return nil, fmt.Errorf("t:client: there is no host %q", o.Host)
		}
		n = h.network
	}
	if n == nil {
		return nil, errNoNetwork
	}
	return n.connect(o)
}

// way creates the links between the peers of a host.
func (n *network) newWay() transport {
	if n.stage.c.transport() == "kcp" {
		return newKCPWay(n.stage, &n.conf)
	}
	k := 0
	if i := slices.Index(n.stage.sites, n.site); i > 0 {
		k = firstSeed + i
	}
	return newSimWay(n.stage, &n.conf, seedOf(n.stage.seed, k))
}

// Why explains why a client has, or does not have, an actor or one of its variables.
func (s *stage) Why(c script.Client, a *engine.Actor, property string) (code, text string, err error) {
	k, ok := c.(*client)
	if !ok {
		return "", "", errNoNetwork
	}
	return k.net.why(k, a, property)
}

// Reload replaces the scenario's chunks by one: on the server now, on clients when they have received and
// fetched it.
func (s *stage) Reload(text, mod string) (scriptvm.ReloadResult, error) {
	if s.server.Match == nil {
		return scriptvm.ReloadResult{Failed: true}, errStopped
	}
	before := s.chunks
	s.chunks = []chunk{{text, mod}}
	p := s.server.VM().Prepare(s.sources())
	files, err := match.Bundle(p.Sources(), s.c.suite.content, s.server.World().LevelName())
	if err != nil {
		p.Drop()
		s.chunks = before
		return scriptvm.ReloadResult{Failed: true}, errors.New(s.shown(err.Error()))
	}
	r := p.Apply(time.Now)
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
		s.server.say(n)
		s.log = append(s.log, s.server.name+": "+n)
	}
	if s.network != nil {
		s.network.reloaded(files)
	}
	return r, nil
}

// Restart stops the server as an operator would, and starts it again.
func (s *stage) Restart() error { return s.server.restart() }

// Save saves the server's world, and Load continues it as another process would.
func (s *stage) Save(name string) (hash uint64, err error) { return s.server.save(name) }

// Load is described with Save.
func (s *stage) Load(name string) (hash uint64, err error) { return s.server.load(name) }

// audit reports what does not add up by R13.1.
func (s *stage) audit() []string {
	var out []string
	for _, h := range s.sites {
		if h.network != nil {
			out = append(out, h.network.audit()...)
		}
	}
	return out
}

// BudgetError says that a scenario exceeds its simulated time.
type BudgetError struct{ Budget float64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the scenario ran past its budget of %g s of simulated time", e.Budget)
}

// PatienceError says that a run takes too long by the wall clock.
type PatienceError struct{ Patience time.Duration }

func (e *PatienceError) Error() string {
	return fmt.Sprintf("the run took longer than %v of real time", e.Patience)
}

// Step runs the next tick of any peer.
func (s *stage) Step(until float64) (bool, error) {
	at, tick := math.Inf(1), func() {}
	for _, h := range s.sites {
		if p := h.server; p != nil && p.Match != nil {
			if t := p.since + float64(p.ticks+1)/float64(p.opt.Tick); t < at-tiny {
				at, tick = t, p.tick
			}
		}
	}
	for _, h := range s.sites {
		if h.network != nil {
			for _, c := range h.network.clients {
				if t := c.since + float64(c.ticks+1)/c.rate(); t < at-tiny {
					at, tick = t, c.tick
				}
			}
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
	if s.network != nil && s.network.way != nil {
		s.network.way.wait(at)
	}
	s.now = at
	tick()
	if s.trail != nil {
		s.trail.step(s, false)
	}
	return true, nil
}
