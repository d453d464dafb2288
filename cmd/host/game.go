package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/crossing"
	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// gameOptions describe the world of `host serve`.
type gameOptions struct {
	Assets *assets.Assets
	URL    string
	Mode   engine.NetMode
	Seed   uint64
	Log    *slog.Logger
	// Link is the socket for players, nil without a network; the game closes it. Server has the rules for them;
	// openGame sets world, game and files.
	Link   *kcplink.Link
	Server server.Config
	// Access decides who may come in by the network; nil admits everybody.
	Access door.Access
	// Name is the local player's name.
	Name string
	// About is what queries without joining are told of the host; nil answers none.
	About *query.Description
	// Guard holds host.toml's limits of classes and mods; nil means the defaults.
	Guard *settings.Guard
	// Store keeps what outlives the match; nil for none. The caller closes it, after the game.
	Store *store.Service
	// Bus carries messages to other hosts of a cluster; nil for a host by itself. The caller ends it, after the game.
	Bus bus.Bus
	// Worlds keeps saved worlds; nil means Store does. Load names the one to continue, "" for a new match.
	Worlds worlds.Store
	Load   string
	// Autosave is how often the match is saved, in seconds; 0 never.
	Autosave float64
	// DrainTime is how long a drain waits for the end of the round; 0 is as long as that takes.
	DrainTime time.Duration
	// MaxPlayers is --max-players; MaxPlayersNamed says that the start URL has a number of its own, which overrides it.
	MaxPlayers      int
	MaxPlayersNamed bool
}

// game is a match as package serve runs it.
type game struct {
	*match.Match
	assets *assets.Assets
	cache  *classfile.Cache
	log    *slog.Logger
	// door accepts players, nil without a network; rules are those for them.
	door      *door.Door
	rules     server.Config
	preparing atomic.Bool // a travel is being rehearsed
	// local is the controller of the player at this machine, nil without one; name is the requested name.
	local *engine.Actor
	name  string
	// classes are the world's present ones, for Check, which runs on another goroutine, and served the files
	// that clients fetch. packed is Check's result for the next files.
	classes  atomic.Pointer[engine.Classes]
	scripts  []assets.Script // as opened
	levelNow atomic.Value    // string: the present level, for other goroutines
	joinText atomic.Value    // string: what the join screen shows, for them too
	running  atomic.Pointer[scriptvm.VM]
	served   atomic.Pointer[servedFiles]
	packed   atomic.Pointer[servedFiles]
	costs    match.CostScale
	counted  counted
	about    about
	pace     pace.Pace
	late     func() time.Duration // of the present tick, nil without a loop
	keeper   *worlds.Keeper
	commands *gameCommands // nil until the host has commands
	asks     *playerCommands
	// profile measures the ticks of all matches of this host.
	profile *profile.Profile
	// store keeps what outlives this match, and all that follow; nil without one.
	store   *store.Service
	hops    *crossing.Crossing
	keeping keeping
	drain   *drain.Drain
	// drains is told when a drain begins, and when it is called off; nil tells nobody.
	drains func(draining bool)

	// most is --max-players, and mostNamed that the URL of this match or of one before it had a number of its own.
	most      int
	mostNamed bool
	// listed is this host in the list of hosts, as far as settings decide.
	listed directory.Entry
	// secret says that players need a secret to join, for other goroutines.
	secret atomic.Bool
}

// servedFiles are what clients fetch.
type servedFiles struct {
	files *bundle.Bundle
	// art contains the names of recordings, models and pictures, which browsers fetch in addition; before are
	// the previous files.
	art    map[wire.Hash]string
	before *servedFiles

	// The inputs of Check's result, which Reload compares with its own.
	scripts []assets.Script
	shown   *match.Shown
	base    *bundle.Bundle
}

var _ serve.Game = (*game)(nil)

// openGame loads scripts and level, starts the match and opens the door. Errors in scripts are logged one by
// one. On an error the link is closed.
func openGame(o gameOptions) (*game, error) {
	defer collectRarely()()
	g, err := newGame(o)
	if err != nil {
		if o.Link != nil {
			err = errors.Join(err, o.Link.Close())
		}
		return nil, err
	}
	return g, nil
}

func newGame(o gameOptions) (*game, error) {
	scripts, err := o.Assets.Scripts(nil)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	g := &game{store: o.Store, profile: profile.New(func() int64 { return int64(time.Since(begun)) }, cputime.NewThread(), uint64(begun.UnixNano())), scripts: scripts, assets: o.Assets, cache: classfile.NewCache(scriptvm.Natives()), log: o.Log, rules: o.Server, name: o.Name}
	g.keeping = newKeeping(o.Store, o.Bus, o.Log)
	g.drain = newDrain(g, o.DrainTime)
	g.most, g.mostNamed = o.MaxPlayers, o.MaxPlayersNamed
	if g.hops, err = crossing.New(crossing.Options{Bus: g.keeping.cluster, Host: crossed{g}, Log: g.log}); err != nil {
		return nil, err
	}
	if g.keeping.profiles != nil {
		g.keeping.profiles.OnLost(g.hops.Lost)
	}
	if o.Worlds == nil && o.Store != nil {
		o.Worlds = diskWorlds{g.keeping.client}
	}
	if o.Autosave > 0 && o.Worlds == nil {
		return nil, usageError{fmt.Errorf("--autosave: %w", scriptvm.ErrNoWorlds)}
	}
	g.keeper = worlds.New(worlds.Options{Store: o.Worlds, Log: o.Log, Every: o.Autosave})
	saved, err := g.savedWorld(o)
	if err != nil {
		return nil, usageError{err}
	}
	g.Match, err = openMatch(saved, match.Options{
		Sources: sources(scripts), Content: o.Assets.Content(), URL: o.URL, NetMode: o.Mode, Seed: o.Seed, Profiles: g.keeping.profiles, Hops: g.hops, LocalID: localID,
		VM: scriptvm.Options{
			Peer:       "host",
			Reserved:   hostCommands(),
			Calls:      true,
			Cache:      g.cache,
			Navigation: &navigation.Cache{},
			Log: func(a *engine.Actor, text string) {
				if a == nil {
					o.Log.Info(text)
				} else {
					o.Log.Info(text, "actor", a.Name)
				}
			},
			Report: func(r scriptvm.Report) {
				g.counted.reports[r.Kind].Add(1)
				tellReport(o.Log, r)
			},
			Store:    g.keeping.client,
			Cluster:  g.keeping.cluster,
			Teleport: g.hops.Teleport,
			Elapsed:  cputime.NewThread(), // the loop is locked to its thread
			Shares:   o.Guard.Shares(),
			Memory:   o.Guard.Memory(),
			Actors:   o.Guard.ActorLimits(),
		},
	})
	var bad *match.LoadError
	if errors.As(err, &bad) {
		n := 0
		for _, d := range bad.Diagnostics {
			if d.Severity == engine.SevError {
				n++
				o.Log.Error(d.String())
			}
		}
		return nil, fmt.Errorf("the scripts have %s; fix them, %q finds all", count(n, "error"), "host check")
	}
	if err != nil {
		return nil, usageError{err}
	}
	g.World.Profile = g.profile
	for _, w := range g.Warnings {
		o.Log.Warn(w)
	}
	g.classes.Store(g.World.Classes)
	g.levelNow.Store(g.levelName())
	if saved != nil {
		g.local = g.Resume(o.Mode != engine.NMDedicatedServer)
	}
	if err := g.open(o); err != nil {
		g.Match.Close()
		return nil, err
	}
	return g, nil
}

// open admits players: over the network, and the one at this machine.
func (g *game) open(o gameOptions) error {
	if o.Link != nil {
		files, err := g.Bundle(nil)
		if err != nil {
			return usageError{err}
		}
		files.Pack()
		g.serves(files)
		g.door = door.Open(door.Options{Link: o.Link, Server: rulesFor(o.Server, g.Match, files), Log: o.Log, Access: doorman{g, o.Access}})
		g.about.host, g.about.link = o.About, o.Link
		g.advertise()
	}
	if o.Mode != engine.NMDedicatedServer {
		g.holdLocal()
	}
	if g.local != nil {
		g.Attach(g.local)
	} else if o.Mode != engine.NMDedicatedServer {
		var refused *match.Refused
		pc, err := g.Login("", g.LocalPlayer(o.Name), true)
		if errors.As(err, &refused) {
			return usageError{fmt.Errorf("the game refuses the player at this machine: %w; --mode dedicated has none", refused)}
		}
		if err != nil {
			return fmt.Errorf("the player at this machine cannot come in: %w", err)
		}
		g.local = pc
	}
	return nil
}

// bundle returns what clients fetch: Check's result, if its inputs are the same, in addition to the files that
// are served. all are the scripts including removed ones that are kept, nil if scripts is.
func (g *game) bundle(scripts []assets.Script, all []classfile.Source, shown *match.Shown) (*bundle.Bundle, error) {
	before := g.served.Load().files
	p := g.packed.Swap(nil)
	if p != nil && p.base == before && p.shown == shown && len(all) == len(scripts) && len(p.scripts) == len(scripts) && (len(scripts) == 0 || &p.scripts[0] == &scripts[0]) {
		return p.files, nil
	}
	return match.NextBundle(before, all, shown)
}

// levelName returns the level's name, "" without one.
func (g *game) levelName() string { return levelName(g.Match) }

// tellReport logs a report about scripts. The player is the one whose call it was.
func tellReport(log *slog.Logger, r scriptvm.Report) {
	level := slog.LevelError
	if r.Kind == scriptvm.ReportWarning {
		level = slog.LevelWarn
	}
	fields := []any{"event", reportEvent(r.Kind)}
	for _, f := range [...]struct{ name, value string }{
		{"class", r.Class}, {"function", r.Function}, {"mod", r.Trust.Mod}, {"actor", r.Actor}, {"player", r.Peer},
	} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	if len(r.Stack) > 1 { // one line of it is in the text
		fields = append(fields, "stack", strings.Join(r.Stack, " < "))
	}
	log.Log(context.Background(), level, r.String(), fields...)
}

// reportEvent returns the log's name of a kind of report.
func reportEvent(k scriptvm.ReportKind) string {
	switch k {
	case scriptvm.ReportError:
		return "fault"
	case scriptvm.ReportWarning:
		return "script"
	case scriptvm.ReportQuarantine:
		return "quarantine"
	}
	return "script"
}

// Doing returns the running script function, and its native; any goroutine may call it, also while the world
// hangs.
func (g *game) Doing() (function, native string) {
	if v := g.running.Load(); v != nil {
		return v.Doing()
	}
	return "", ""
}

// Step runs one tick of the loop: packets of players, the world at its pace, updates to players (R1.2).
func (g *game) Step(dt float64) {
	g.running.Store(g.VM)
	p := g.profile
	p.Begin()
	defer p.End()
	g.VM.Measure(p)
	g.counted.phase(g.VM, metrics.PhaseOther)
	// First, so that a player who waits for their profile, or for the host that they come from, comes in during the tick in which it is here.
	p.Phase(profile.World)
	g.keeping.tick()
	if g.door != nil {
		p.Phase(profile.Receive)
		// What arrives from here on waits for the next tick. A process that was stopped in between would otherwise compare players' times with how late
		// it was before that.
		g.door.Gather()
		g.lateNow()
		g.door.Receive()
		g.counted.phase(g.VM, metrics.PhaseReceive)
	}
	p.Phase(profile.World)
	g.hops.Tick(time.Since(g.keeping.begun))
	if !g.drain.Still() {
		g.VM.HandleMessages()
		g.tick(dt)
		g.takeCommands()
	}
	p.Phase(profile.Rest)
	g.counted.phase(g.VM, metrics.PhaseWorld)
	if g.door != nil {
		g.door.Send()
	} else {
		g.World.ClearDirty() // there are no clients
	}
	p.Phase(profile.Rest)
	g.counted.phase(g.VM, metrics.PhaseSend)
	g.advertise()
	if ns, changed := g.costs.Step(g.Match); changed {
		g.log.Info("cost scale: ticks count by it from now on", "event", "cost_scale", "level", g.levelName(), "tick", g.World.Frame(), "nanoseconds", ns)
	}
	g.watchMemory()
	if url := g.World.TakePrepare(); url != "" {
		g.prepare(url)
	}
	g.keeper.Step(g.Match, dt)
	if url := g.World.TakeTravel(); url != "" && !g.drain.EndsRound(url) {
		g.travel(url)
	}
	g.drain.Step(dt)
}

// watchMemory acts on the scripts' memory use (G8). It depends on the collector, so each action is logged with
// its tick, because a repeated match needs it as an input.
func (g *game) watchMemory() {
	d := g.VM.WatchMemory()
	if d.Name == "" {
		return
	}
	g.VM.Decide(d)
	what := "memory: what a class keeps was dropped"
	if d.Rebuild {
		what = "memory: tables with deleted keys were rebuilt"
	}
	g.log.Info(what, "event", "memory", "level", g.levelName(), "tick", g.World.Frame(), "name", d.Name, "rebuild", d.Rebuild, "bytes", d.Kept, "limit", d.Limit)
}

// StandStill reports to the world that it was stopped: what its players did meanwhile is not compared with it
// (R9.6, G15). Of the time of a paused match nothing is missing.
func (g *game) StandStill(seconds float64) { g.World.Stood += seconds * g.pace.Scale() }

// BeginLate reports to the world how late its next tick begins, which players' times are compared with, too.
func (g *game) BeginLate(late func() time.Duration) {
	g.late = late
	g.lateNow()
}

// lateNow tells the world how late the tick is by now.
func (g *game) lateNow() {
	if g.late != nil {
		g.World.Late = g.late().Seconds() * g.pace.Scale()
	}
}

// ReadMedia reads sounds and animations.
func (g *game) ReadMedia() (serve.Media, error) {
	shown, err := match.ReadShown(g.assets.Content())
	if err != nil {
		return nil, err
	}
	return shown, nil
}

// shownOf returns the result of ReadMedia, nil without one.
func shownOf(m serve.Media) *match.Shown {
	shown, _ := m.(*match.Shown)
	return shown
}

// Check compiles scripts into the shared cache, and compresses the files that clients will fetch.
func (g *game) Check(scripts []assets.Script, m serve.Media) {
	shown := shownOf(m)
	var all []classfile.Source
	if scripts != nil {
		all = sources(scripts)
	}
	if now := g.served.Load(); now != nil && (scripts != nil || shown != nil) {
		if files, err := match.NextBundle(now.files, all, shown); err == nil { // otherwise Reload reports it
			files.Pack()
			g.packed.Store(&servedFiles{files: files, scripts: scripts, shown: shown, base: now.files})
		}
	}
	if scripts != nil {
		classfile.Load(all, classfile.Options{Prev: g.classes.Load(), Cache: g.cache, Content: hasContent(g.assets), Reserved: hostCommands(), Calls: true})
	}
}

// Reload swaps scripts, sounds and animations between two ticks, and notifies the clients, which fetch the new
// files and swap theirs.
func (g *game) Reload(scripts []assets.Script, m serve.Media, back bool) serve.Reloaded {
	start := time.Now()
	var p *scriptvm.Prepared
	var all []classfile.Source
	if scripts != nil {
		p = g.VM.Prepare(sources(scripts))
		if r := p.Result(); r.Failed {
			return serve.Reloaded{Failed: true, Diagnostics: r.Diagnostics, Notes: r.Notes}
		}
		all = p.Sources()
		if back {
			p.Back()
		}
	}
	shown := shownOf(m)
	var files *bundle.Bundle
	if g.door != nil {
		var err error
		if files, err = g.bundle(scripts, all, shown); err != nil {
			if p != nil {
				p.Drop()
			}
			return serve.Reloaded{Failed: true, Diagnostics: []engine.Diagnostic{{Severity: engine.SevError, Rule: "files", Text: err.Error()}}}
		}
	}
	var changes []string
	if shown != nil {
		changes = shown.Changes(g.Shown())
		g.Show(shown)
	}
	var r scriptvm.ReloadResult
	if p != nil {
		r = p.Apply(time.Now)
		g.classes.Store(g.World.Classes)
		g.followed()
	}
	if files != nil {
		g.serves(files)
		g.door.Reloaded(files)
	}
	took := time.Since(start)
	return serve.Reloaded{
		Changes: summary(changes, p != nil, &r), Actors: r.Actors, Took: took, Diagnostics: r.Diagnostics, Notes: r.Notes,
	}
}

// maxChanges bounds the sounds and animations that a line names.
const maxChanges = 8

// summary describes the changes of a reload in one line.
func summary(media []string, scripts bool, r *scriptvm.ReloadResult) string {
	if n := len(media) - maxChanges; n > 0 {
		media = append(media[:maxChanges], fmt.Sprintf("%d more", n))
	}
	if text := r.Summary(); scripts && (len(media) == 0 || len(r.Changes()) > 0) {
		media = append([]string{text}, media...)
	}
	if len(media) == 0 {
		return "nothing"
	}
	return strings.Join(media, " | ")
}

// netModes maps --mode and the ready line to modes.
var netModes = map[engine.NetMode]string{
	engine.NMStandalone: "standalone", engine.NMDedicatedServer: "dedicated", engine.NMListenServer: "listen",
}

// Costs describes how long scripts take and which functions take most of it.
func (g *game) Costs() (milliseconds float64, costliest string) {
	return g.VM.Milliseconds(), g.VM.Costliest("", maxCostliest)
}

// maxCostliest is how many functions a line about slow ticks names.
const maxCostliest = 5

// Status returns the figures for the ready line.
func (g *game) Status() serve.Status {
	st := serve.Status{
		Level: g.levelName(), NetMode: netModes[g.World.NetMode], Time: g.World.Time,
		Classes: len(g.World.Classes.All()), Actors: g.World.Live(),
	}
	if g.door != nil {
		st.Players, st.Waiting = g.door.Players()
	}
	return st
}

// MeasureMemory starts counting the scripts' memory in the next ticks; MemoryKnown reports whether that is
// done.
func (g *game) MeasureMemory()    { g.VM.AskMemory() }
func (g *game) MemoryKnown() bool { return g.VM.MemoryKnown() }

// Accounts returns the costs of the match, including the bytes sent to players.
func (g *game) Accounts() match.Accounts {
	if g.door == nil {
		return g.Match.Accounts(nil)
	}
	return g.Match.Accounts(g.door.Server())
}

// LevelNow returns the name of the present level, "" without one. Any goroutine may call it.
func (g *game) LevelNow() string {
	name, _ := g.levelNow.Load().(string)
	return name
}

// JoinText returns what the present game shows to those who have not joined. Any goroutine may call it.
func (g *game) JoinText() string {
	text, _ := g.joinText.Load().(string)
	return text
}

// stopping is the reason that players receive when the server ends.
const stopping = "the server is shutting down"

// Current returns the running match, and its network side, nil without one.
func (g *game) Current() (*match.Match, *server.Server) {
	if g.door == nil {
		return g.Match, nil
	}
	return g.Match, g.door.Server()
}

// TravelTo takes everybody to another level, or returns why that is impossible: then nothing has changed.
func (g *game) TravelTo(url string) error { return g.journey(url) }

// Levels lists the levels of the content, on any goroutine.
func (g *game) Levels() []string { return match.Levels(g.assets.Content()) }

// Close tells the players why and ends the world.
func (g *game) Close() {
	g.keeping.hosts.end()
	if !g.drain.Still() { // otherwise it is done
		g.keeper.Finish(g.Match) // before players leave it
	}
	if g.door != nil {
		if err := g.door.Close(stopping); err != nil {
			g.log.Warn("closing the socket: " + err.Error())
		}
	}
	g.save()
	g.Match.Close()
}
