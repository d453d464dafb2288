// Package rig runs a server and clients of worlds without scripts, over simulated links on a virtual clock: for
// tests and benchmarks of the network code. No program contains it.
//
// Guarantees: Not part of any program.
package rig

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Base returns the classes that the engine knows by name, with Actor's replication as in scripts/core, without its
// conditions.
func Base() []*engine.ClassSpec {
	return []*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor, Rules: []engine.RuleSpec{{Names: []string{"Location", "Rotation", "Velocity", "Owner", "bTearOff"}}}},
		{Name: "Pawn", Parent: "Actor"},
		{Name: "Controller", Parent: "Actor", Properties: []engine.PropertySpec{{Name: "Pawn", Type: &engine.Type{Kind: engine.KindRef, Class: "Pawn"}}}},
		{
			Name: "PlayerController", Parent: "Controller",
			Defaults: []engine.DefaultSpec{{Name: "bOnlyRelevantToOwner", Value: engine.Bool(true)}, {Name: "RemoteRole", Value: engine.Int(int(engine.RoleAutonomousProxy))}},
		},
	}
}

// Rig is one server with its clients. Fields may be changed before Start.
type Rig struct {
	Tick, Net int
	Seed      uint64
	// Config is the server's configuration; Start sets World, Game, Tick and Net.
	Config server.Config
	// Weight is how many bytes clients have to fetch in addition to the version of the classes.
	Weight int
	// Warm makes clients have all files already. Otherwise they share Cache; nil means none.
	Warm  bool
	Cache bundle.Cache
	// Level is the initial level of every world, nil for none.
	Level *level.Level
	// Script creates the gameplay side of a world, nil for none.
	Script func(w *engine.World) engine.Script
	// Allowance is that of clients that join from now on.
	Allowance client.Allowance
	// Tap, if not nil, receives what the server sends.
	Tap Tap

	World  *engine.World
	Server *server.Server
	Link   *simlink.Network
	// Peers are the clients in order of joining.
	Peers []*Peer
	// Now is the virtual time.
	Now   time.Duration
	Ticks int
	Lines []string
	// Loading is how many clients are loading, and Lost how many players did not arrive after a travel.
	Loading, Lost int

	server *simlink.End
	specs  []*engine.ClassSpec
	// versions holds the classes of each reload, by the hash of the files that represent them.
	versions map[string][]*engine.ClassSpec
	bundles  []*bundle.Bundle
}

// Peer is one client.
type Peer struct {
	*client.Client
	End *simlink.Client
	// Events holds what it saw, if the rig's Trace was set.
	Events []client.Event
	Lines  []string
	rig    *Rig
	Trace  bool
}

// New returns a rig with the base classes and others.
func New(specs ...*engine.ClassSpec) *Rig {
	return &Rig{Tick: 60, Net: 30, Seed: 1, specs: append(Base(), specs...)}
}

// Classes builds the classes of a world, as each peer does.
func (r *Rig) Classes() *engine.Classes { return build(r.specs, nil) }

func build(specs []*engine.ClassSpec, before *engine.Classes) *engine.Classes {
	cs, diags := engine.BuildClasses(specs, before)
	for _, d := range diags {
		if d.Severity == engine.SevError {
			panic(d.String())
		}
	}
	return cs
}

// Start creates the server.
func (r *Rig) Start() *Rig {
	r.World = r.world(engine.NMDedicatedServer)
	r.Link = simlink.New(simlink.Config{Seed: r.Seed})
	r.versions = map[string][]*engine.ClassSpec{}
	r.Server = server.New(r.config())
	r.server = r.Link.Server()
	if r.Tap != nil {
		r.Server.Attach(tapped{r.server, r.Tap})
	} else {
		r.Server.Attach(r.server)
	}
	return r
}

// config returns the server's configuration for the present world.
func (r *Rig) config() server.Config {
	c := r.Config
	c.World, c.Game, c.Bundle, c.Tick, c.Net = r.World, game{r}, r.files(), r.Tick, r.Net
	if c.Report == nil {
		c.Report = func(sev engine.Severity, text string) { r.Lines = append(r.Lines, sev.String()+": "+text) }
	}
	return c
}

// Travel replaces the server's world by an empty one, with the base classes and others; clients follow.
func (r *Rig) Travel(url string, specs ...*engine.ClassSpec) {
	r.specs = append(Base(), specs...)
	r.World = r.world(engine.NMDedicatedServer)
	r.Server = r.Server.Travel(r.config(), url)
}

func (r *Rig) world(mode engine.NetMode) *engine.World { return r.worldOf(r.Classes(), mode) }

// worldOf returns a world of given classes.
func (r *Rig) worldOf(classes *engine.Classes, mode engine.NetMode) *engine.World {
	w := engine.NewWorld(engine.Config{Classes: classes, NetMode: mode, Seed: 1, Level: r.Level})
	if r.Script != nil {
		w.Script = r.Script(w)
	}
	if r.Level != nil {
		for _, warning := range w.LoadEntities(r.Level) {
			panic(warning.String())
		}
	}
	return w
}

// Join starts to join a client over a path.
func (r *Rig) Join(path simlink.Path) *Peer {
	p := &Peer{rig: r, End: r.Link.Dial(r.Now, path)}
	cache := r.Cache
	if r.Warm {
		cache = warm{r}
	}
	p.Client = client.New(client.Config{
		Link: p.End, Host: p, Cache: cache, Options: fmt.Sprintf("?name=%d", len(r.Peers)+1), Allowance: r.Allowance,
		Report: func(sev engine.Severity, text string) { p.Lines = append(p.Lines, sev.String()+": "+text) },
		Trace: func(e client.Event) {
			if p.Trace {
				p.Events = append(p.Events, e)
			}
		},
	})
	r.Peers = append(r.Peers, p)
	return p
}

// Open implements client.Host.
func (p *Peer) Open(_ *wire.Welcome, files []bundle.File) (*engine.World, error) {
	specs, err := p.rig.version(files)
	if err != nil {
		return nil, err
	}
	return p.rig.worldOf(build(specs, nil), engine.NMClient), nil
}

// Reload implements client.Host: the files say which version of the classes to run.
func (p *Peer) Reload(files []bundle.File) error {
	specs, err := p.rig.version(files)
	if err != nil {
		return err
	}
	w := p.World()
	w.FollowDefaults(w.Reclass(build(specs, w.Classes)))
	return nil
}

// version returns the classes that files represent.
func (r *Rig) version(files []bundle.File) ([]*engine.ClassSpec, error) {
	if len(files) != 1 || r.versions[string(files[0].Data)] == nil {
		return nil, fmt.Errorf("files of no version: %d", len(files))
	}
	return r.versions[string(files[0].Data)], nil
}

// files returns the files that represent the present classes.
func (r *Rig) files() *bundle.Bundle {
	weight := make([]byte, r.Weight) // noise, which does not compress
	rng := rand.New(rand.NewPCG(r.Seed, uint64(len(r.versions))))
	for i := range weight {
		weight[i] = byte(rng.Uint32())
	}
	name := fmt.Sprintf("version %d", len(r.versions)) + string(weight)
	r.versions[name] = r.specs
	b, err := bundle.New([]bundle.File{{Name: "scripts/version", Data: []byte(name)}})
	if err != nil {
		panic(err)
	}
	r.bundles = append(r.bundles, b)
	return b
}

// warm is a cache that has every file that the server ever had.
type warm struct{ r *Rig }

// Get implements bundle.Cache.
func (w warm) Get(h wire.Hash) []byte {
	for _, b := range w.r.bundles {
		if data := b.Get(h); data != nil {
			return data
		}
	}
	return nil
}

// Put implements bundle.Cache.
func (warm) Put(wire.Hash, []byte) {}

// Empty implements bundle.Cache.
func (warm) Empty() bool { return false }

// Reload replaces the classes on the server; clients follow.
func (r *Rig) Reload(specs ...*engine.ClassSpec) {
	r.specs = append(Base(), specs...)
	r.World.FollowDefaults(r.World.Reclass(build(r.specs, r.World.Classes)))
	r.Server.Reloaded(r.files())
}

// Copy returns the peer's copy of a server's actor, or nil.
func (p *Peer) Copy(a *engine.Actor) *engine.Actor { return p.ByNet(p.rig.Server.NetOf(a.ID())) }

// Controller returns the peer's PlayerController on the server, nil before it has joined.
func (p *Peer) Controller() *engine.Actor {
	lp := p.World()
	if lp == nil || lp.LocalPlayer() == nil {
		return nil
	}
	return p.rig.Server.ByNet(p.NetOf(lp.LocalPlayer().ID()))
}

// Step runs ticks.
func (r *Rig) Step(ticks int) {
	dt := time.Second / time.Duration(r.Tick)
	for range ticks {
		r.Ticks++
		r.Now += dt
		r.Server.Receive(r.Now)
		r.World.Step(1 / float64(r.Tick))
		r.Server.Send(r.Now, r.Ticks%(r.Tick/r.Net) == 0)
		for _, p := range r.Peers {
			p.Receive(r.Now)
			if w := p.World(); w != nil {
				w.Step(1 / float64(r.Tick))
			}
			p.Send(r.Now)
		}
	}
}

// Standing returns how many connections are open at the server's end, players or not.
func (r *Rig) Standing() int { return len(r.server.Conns(nil)) }

// Run runs seconds.
func (r *Rig) Run(seconds float64) { r.Step(int(seconds*float64(r.Tick) + 0.5)) }

// Spawn spawns an actor on the server.
func (r *Rig) Spawn(class string, sp engine.SpawnParams) *engine.Actor {
	a, err := r.World.Spawn(r.World.Classes.Find(class), sp)
	if err != nil {
		panic(err)
	}
	return a
}

// Plenty gives connections more budget than they need and switches sight off, for tests that concern neither. Call
// it before Start.
func (r *Rig) Plenty() *Rig {
	r.Config.Limits.Budget = 1 << 20
	r.Config.Relevancy.NoSight = true
	return r
}

// Set sets a variable of an actor. It panics if no variable has that name or the value does not fit.
func Set(a *engine.Actor, name string, v engine.Value) {
	p := a.Class.Property(name)
	if p == nil {
		panic(fmt.Sprintf("%s has no variable %s", a.Class.Name, name))
	}
	if err := a.Set(p, v); err != nil {
		panic(err)
	}
}

// Get returns a variable of an actor. It panics if no variable has that name.
func Get(a *engine.Actor, name string) engine.Value {
	p := a.Class.Property(name)
	if p == nil {
		panic(fmt.Sprintf("%s has no variable %s", a.Class.Name, name))
	}
	return a.Get(p)
}

type game struct{ r *Rig }

func (game) PreLogin(string, string) (string, string) { return "", "" }

func (g game) Login(string, string) (*engine.Actor, string, string) {
	w := g.r.World
	pc, err := w.Spawn(w.Classes.Find("PlayerController"), engine.SpawnParams{})
	if err != nil {
		return nil, err.Error(), "error"
	}
	pawn, err := w.Spawn(w.Classes.Find("Pawn"), engine.SpawnParams{Owner: pc})
	if err == nil {
		pc.SetRef(pc.Class.Property("Pawn"), pawn)
	}
	return pc, "", ""
}

func (game) PostLogin(*engine.Actor) {}

// The player's view is kept across worlds.
func (game) Depart(pc *engine.Actor) any { return pc.Rotation }

func (g game) Arrive(state any, options string) (*engine.Actor, string, string) {
	pc, text, code := g.Login("", options)
	if r, ok := state.(geom.Rotator); ok && pc != nil {
		pc.SetRotation(r)
	}
	return pc, text, code
}

func (g game) Lost(any) { g.r.Lost++ }

func (g game) Loading(n int) { g.r.Loading = n }

func (game) Prepares(string) bool                                         { return false }
func (game) Awaits(string) bool                                           { return false }
func (game) Expected(string) bool                                         { return false }
func (game) Carried(string) any                                           { return nil }
func (game) Prepare(string, string, bool) (ready bool, text, code string) { return true, "", "" }
func (game) Abandon(string)                                               {}

func (g game) Logout(pc *engine.Actor) {
	if p := g.r.World.Actor(engine.ActorID(pc.Word(pc.Class.Property("Pawn")))); p != nil {
		p.Destroy()
	}
	pc.Destroy()
}
