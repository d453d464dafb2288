package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/notify"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// serveCmd holds the flags of `host serve`; each is a key of host.toml and a variable, too.
type serveCmd struct {
	URL   string `arg:"" optional:"" name:"level?option=value" help:"What to play: a level and options of its game, as --level."`
	Level string `default:"arena?game=DeathMatch?bots=6" placeholder:"LEVEL?OPTION=VALUE" help:"Level and options: arena?game=DeathMatch?bots=8?goalscore=20."`
	assetFlags
	playerFlags
	webFlags
	storeFlags
	clusterFlags
	listFlags

	Tick           int            `default:"60" range:"1,240" help:"Ticks a second."`
	CatchUp        int            `default:"15" range:"1,240" help:"Most ticks run at once after a stall; further ones are dropped."`
	Seed           uint64         `default:"0" help:"Seed of the world's random numbers; 0 takes one from the clock."`
	Watch          bool           `default:"true" negatable:"" help:"Reload scripts, sounds and animations when they are saved, and check levels."`
	Commands       bool           `default:"true" negatable:"" help:"Read commands from standard input, one per line, or in the view after a colon: help lists them."`
	WatchPoll      time.Duration  `default:"2s" range:"10ms,1h" help:"How often watched folders are scanned if the system sends no events."`
	RunFor         time.Duration  `default:"0s" range:"0s,87600h" help:"End after this time; 0s never."`
	Load           string         `placeholder:"NAME" help:"Continue a saved world in place of a new match."`
	Autosave       time.Duration  `default:"0s" range:"0s,24h" help:"Save the match this often, and at the end, as the world autosave; 0s never."`
	DrainTime      time.Duration  `default:"10m" range:"0s,168h" help:"How long a drain (drain, SIGUSR1) waits for the end of the round before it ends the match; 0s waits however long it takes."`
	AgonesAllocate bool           `default:"true" negatable:"" help:"Under Agones (AGONES_SDK_HTTP_PORT): allocate this host when a player joins, and give it back two minutes after the last one has left."`
	StopWithin     time.Duration  `default:"5s" range:"100ms,1h" help:"How long the shutdown may take."`
	View           bool           `default:"true" negatable:"" help:"With --mode listen and standalone on a terminal: show the match there, and read keys."`
	Log            console.Format `enum:"auto,text,json" default:"auto" help:"Format of the log: text, json, or auto: text on a terminal."`
	LogLevel       string         `enum:"debug,info,warn,error" default:"info" help:"Lowest level that is logged: debug, info, warn, error."`

	Config      string `placeholder:"FILE" only:"cli" help:"Read this file instead of ./host.toml."`
	PrintConfig bool   `only:"cli" help:"Print every setting, its value and its origin, and exit."`
}

// Run runs a world.
func (c *serveCmd) Run(sys *system, p *parsed) error {
	if c.PrintConfig {
		return printConfig(sys, p)
	}
	url := c.Level
	if c.URL != "" {
		if given(p.ctx, "level") {
			return usageError{fmt.Errorf("the level is given twice, as %q and by --level; give it once", c.URL)}
		}
		url = c.URL
	}
	if err := c.check(c.Tick); err != nil {
		return err
	}
	if err := c.checkList(); err != nil {
		return err
	}
	if err := c.checkSecrets(p, url); err != nil {
		return err
	}
	guard := p.settings.Guard()
	a, err := assets.Open(assets.Options{Scripts: c.Scripts, Content: c.Content, Off: guard.Off})
	if err != nil {
		return usageError{err}
	}

	var drains <-chan os.Signal
	if sys.drains != nil {
		drains = sys.drains() // before anything takes time: without it, the signal ends the process
	}
	own := c.ownPlayer(sys)
	var stdout, stderr io.Writer = sys.stdout, sys.stderr
	if own != nil {
		defer own.close()
		stdout = shown{own, sys.stdout}
		if console.IsTerminal(sys.stderr) {
			stderr = shown{own, sys.stderr}
		}
	}
	giveBack := func() {}
	if own != nil {
		giveBack = own.close
	}
	var steer *steering // before the first line is typed
	typing := c.editor(sys, own, func(line string) []string { return steer.commands.Complete(serve.Terminal(), line) })
	if typing != nil {
		giveBack = typing.Close
		defer typing.Close()
		stdout = typing
		if console.IsTerminal(sys.stderr) {
			stderr = typing
		}
	}
	out := console.NewWriter(stderr)
	defer out.Close()
	var level slog.LevelVar
	level.Set(levelOf(c.LogLevel))
	log := c.logger(sys, out, &level, own == nil && sys.colours())
	for _, s := range settings.Strange(p.ctx.Model, sys.environ) {
		log.Warn(s)
	}
	c.doubtSecrets(p, log)

	board := metrics.NewBoard(time.Now)
	webChosen := p.settings.From(p.ctx, "web") != settings.FromDefault
	var show func(line string)
	if typing != nil {
		show = typing.Status
	}
	client := c.webFlags.build(c.netMode() != engine.NMStandalone, webChosen, show, board.Playing, log) // first: it takes longest
	if client != nil {
		defer client.Close()
	}
	seed := c.Seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) //nolint:gosec // any bits will do
	}
	list, err := c.openAccess(p, log)
	if err != nil {
		return err
	}
	full, players := c.players(url)
	link, where, err := c.link(p, players, log)
	if err != nil {
		return err
	}
	sidecar := openSidecar(sys, log)
	defer sidecar.Close() // after the store: Agones may take the machine away then
	others, err := c.clusterFlags.dial(p, c.ServerName, log)
	if err != nil {
		if link != nil {
			err = errors.Join(err, link.Close())
		}
		return err
	}
	live := &liveHost{log: log}
	live.stopWithin.Store(int64(c.StopWithin))
	defer func() { others.close(live.stopsWithin(), log) }() // after the store
	kept, err := c.openStore(p, others, log)
	if err != nil {
		if link != nil {
			err = errors.Join(err, link.Close())
		}
		return err
	}
	defer func() { closeStore(kept, live.stopsWithin(), log) }() // after the world: it may store something as it ends
	game, err := openGame(gameOptions{
		Assets: a, URL: full, Mode: c.netMode(), Seed: seed, Log: log, Link: link, Server: c.config(c.Tick), Name: c.Name,
		Guard: guard, About: c.about(), Access: list, Store: kept, Bus: others.Bus(), Load: c.Load, Autosave: c.Autosave.Seconds(), DrainTime: c.DrainTime,
		MaxPlayers: c.MaxPlayers, MaxPlayersNamed: match.NamesMaxPlayers(url),
	})
	if err != nil {
		return meant(p.ctx, c.URL, err)
	}
	tellMods(log, a, p.settings, game.World.Classes)
	steer, err = c.steer(game, list, board, log)
	if err != nil {
		game.Close()
		return err
	}
	defer steer.admin.Close()
	defer game.asks.start(game)()
	defer drainAt(game.drain, drains)()
	game.secret.Store(c.Password != "" || c.TokenKey != "")
	live.game, live.turn, live.store = game, steer.turn, kept
	live.allocate.Store(c.AgonesAllocate)
	startSidecar(sidecar, live.allocate.Load, board, game.drain, log)
	atWeb := steer.serve
	inspector, err := c.openAdmin(steer.serve, log)
	if err != nil {
		game.Close()
		return err
	}
	if inspector != nil {
		atWeb = nil
		defer inspector.Close() //nolint:errcheck // the host ends
	}
	browsers, closeWeb, err := c.webFlags.open(link, client, c.ServerName, game.LevelNow, game.JoinText, game.File, game.webFiles, game.keeping.hosts.public, atWeb, webChosen, log)
	if err != nil {
		game.Close()
		return err
	}
	defer func() { // after players were told that the match ends
		if err := closeWeb(); err != nil {
			log.Warn("closing the web listener: " + err.Error())
		}
	}()
	live.link, live.browsers, live.admin = link, browsers, inspector
	if err := c.announce(game, link, browsers, log); err != nil {
		game.Close()
		return err
	}
	if browsers != nil {
		where += ", browsers on " + browsers.Addrs()[0]
	}
	if at := cmp.Or(inspector, browsers); at != nil {
		steer.address.Store(at.Addrs()[0])
	}
	done := make(chan struct{})
	defer close(done)
	signals := sys.signals
	if own != nil {
		own.game, own.place = game, where
		signals = own.signals(sys.signals, done)
	}
	opt := serve.Options{
		Game: game, Board: board, Players: where, Assets: a, Rate: c.Tick, CatchUp: c.CatchUp, Signals: signals,
		Over: game.drain.Over(), Doing: game.Doing, Hung: sys.hung(giveBack),
		RunFor: c.RunFor, StopWithin: c.StopWithin, Log: log, Out: stdout, HungUp: console.HungUp(sys.stdout),
		Commands: steer.commands, Turn: steer.turn, Scripts: game.scripts,
		Reconfigure: func() ([]string, func(), error) {
			reloadAccess(list, log)
			steer.reloadToken(c, log)
			return c.reconfigure(sys, p, a, &level, live.apply)
		},
	}
	opt.Service, err = notify.Open(sys.lookup, os.Getpid())
	if err != nil {
		log.Warn("The service manager is not told how the host is", "error", err.Error())
	}
	if opt.Service != nil {
		opt.Service.Failed = func(err error) { log.Warn("The service manager is not told how the host is", "error", err.Error()) }
		defer opt.Service.Close() //nolint:errcheck // nothing is sent any more
	}
	if sys.asks != nil {
		opt.Asks = sys.asks()
	}
	if own != nil {
		opt.Game = own
		if c.Commands {
			opt.In = own.typed
		}
	} else if typing != nil {
		opt.In = typing
	} else if c.Commands && sys.stdin != nil {
		opt.In = console.Input(sys.stdin)
	}
	if dirs := append(a.Folders(), a.ContentFolders()...); c.Watch && len(dirs) > 0 {
		opt.Watcher, err = watch.New(watch.Options{
			Dirs: dirs, Match: assets.Watched, Poll: c.WatchPoll,
			OnError: func(err error) { log.Warn("watching files: " + err.Error()) },
		})
		if err != nil {
			game.Close()
			return err
		}
	}
	live.watcher = opt.Watcher
	if console.IsTerminal(sys.stdout) {
		var join []string
		open := ""
		if link != nil {
			join, open = joinCommands(sys.program, c.Listen, link.Addr().Port())
		}
		var play []string
		if browsers != nil {
			play, open = browsers.Addrs(), openBoth(open, browsers.Addr())
		}
		c.banner(sys, a, url, play, steer.link(), join, open)
	}
	if code := serve.Run(context.Background(), opt); code != serve.ExitOK {
		return exitError(code)
	}
	return nil
}

// ownPlayer creates the player who plays on this terminal, nil if there is none.
func (c *serveCmd) ownPlayer(sys *system) *ownPlayer {
	if !c.plays(sys) {
		return nil
	}
	return newOwnPlayer(sys, c.Tick, c.Commands)
}

// editor edits the lines of commands that are typed on a terminal; nil where they come from elsewhere, or a player plays there.
func (c *serveCmd) editor(sys *system, own *ownPlayer, complete func(line string) []string) *console.Editor {
	if own != nil || !c.Commands || sys.stdin == nil || !sys.shows(sys.stdout) {
		return nil
	}
	e, ok := console.OpenEditor(sys.stdin, sys.stdout, complete)
	if !ok {
		return nil
	}
	return e
}

// plays reports whether a player plays on this terminal.
func (c *serveCmd) plays(sys *system) bool {
	return c.View && c.netMode() != engine.NMDedicatedServer && sys.shows(sys.stdout) && isTerminal(sys.stdin)
}

// logger creates the log in the requested format; colour is for text on a terminal.
func (c *serveCmd) logger(sys *system, out io.Writer, level *slog.LevelVar, colour bool) *slog.Logger {
	terminal := console.IsTerminal(sys.stderr)
	format := c.Log
	if format == console.Auto {
		format = console.JSON
		if terminal {
			format = console.Text
		}
	}
	return console.Logger(out, format, level, terminal && colour)
}

// link opens the socket for players and returns its address for the ready line; nil if --mode has no network.
func (c *serveCmd) link(p *parsed, players int, log *slog.Logger) (*kcplink.Link, string, error) {
	if c.netMode() == engine.NMStandalone {
		return nil, "", nil
	}
	chosen := p.settings.From(p.ctx, "listen") != settings.FromDefault
	l, err := c.bind(players, !chosen)
	if err != nil {
		return nil, "", err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, "", errors.Join(err, l.Close()) // Bind has parsed it, too
	}
	is := strconv.Itoa(int(l.Addr().Port()))
	if !chosen && is != port {
		log.Warn("UDP port "+port+" is in use: players connect to port "+is, "do", "stop the other host, or give --listen")
	}
	return l, "UDP " + net.JoinHostPort(host, is), nil
}

// meant adds the command that a missing level may be a misspelling of.
func meant(ctx *kong.Context, url string, err error) error {
	var usage usageError
	if url == "" || !errors.As(err, &usage) {
		return err
	}
	var names []string
	for _, n := range ctx.Model.Children {
		names = append(names, n.Name)
	}
	if n := engine.NearestName(url, names); n != "" {
		return usageError{fmt.Errorf("%w; or did you mean the command %s?", err, n)}
	}
	return err
}

func levelOf(name string) slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(name)); err != nil {
		panic("host: log level " + name) // the enum tag lets no other through
	}
	return l
}

// given reports whether a flag is on the command line.
func given(ctx *kong.Context, name string) bool {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name && !p.Resolved {
			return true
		}
	}
	return false
}

// firstEdit names an existing file whose change is visible at once, or else the folders.
func firstEdit(folders []string) string {
	for _, f := range folders {
		file := filepath.Join(f, "shooter", "Rocket.lua")
		if _, err := os.Stat(file); err == nil {
			return file + ", for example"
		}
	}
	return "a file in " + strings.Join(folders, " or ")
}

// banner tells a newcomer what this is and what to do next. play are addresses for browsers, join are commands,
// open is how to admit other machines, and inspect is a link to the inspector, "" if there is none.
func (c *serveCmd) banner(sys *system, a *assets.Assets, url string, play []string, inspect string, join []string, open string) {
	scripts, content := a.Origin()
	lines := []string{
		"Tidelock " + strings.TrimPrefix(version(), "tidelock "),
		"  playing  " + url,
		"  scripts  " + scripts,
		"  content  " + content,
	}
	if mods := modTitles(a); mods != "" {
		lines = append(lines, "  mods     "+mods)
	}
	for i, b := range play {
		if i == 0 {
			lines = append(lines, "  play     open "+b+" in a browser")
		} else {
			lines = append(lines, "   or      "+b)
		}
	}
	if inspect != "" {
		lines = append(lines, "  inspect  "+inspect+" (good once, for 5 minutes)")
	}
	for i, j := range join {
		head := "  join     "
		if i > 0 {
			head = "   or      "
		}
		switch {
		case c.Password != "":
			j += " --password …"
		case c.TokenKey != "":
			j += " --token $(" + sys.program + " token --key " + c.TokenKey + " --name …)"
		}
		lines = append(lines, head+j)
	}
	if open != "" {
		lines = append(lines, "  network  "+open)
	}
	if c.Watch && len(a.Folders()) > 0 {
		lines = append(lines, "  edit     "+firstEdit(a.Folders())+": saved files are reloaded")
	}
	end := "  Ctrl-C ends it"
	if c.Commands && isTerminal(sys.stdin) && !c.plays(sys) {
		end += ", help lists commands to type"
	}
	lines = append(lines, end, "")
	_, _ = fmt.Fprintln(sys.stdout, strings.Join(lines, "\n")) // the ready line reports a closed output
}

// printConfig prints the settings in the format of host.toml.
func printConfig(sys *system, p *parsed) error {
	list := p.settings.List(p.ctx)
	width := 0
	for _, s := range list {
		width = max(width, len(s.Name)+len(s.Value)+len(" = "))
	}
	for _, s := range list {
		line := s.Name + " = " + s.Value
		if s.Secret {
			line = "# " + line // it would not be valid as a value
		}
		if _, err := fmt.Fprintf(sys.stdout, "%-*s  # %s\n", width, line, s.From); err != nil {
			return err
		}
	}
	for _, line := range p.settings.GuardLines() {
		if _, err := fmt.Fprintln(sys.stdout, line); err != nil {
			return err
		}
	}
	return nil
}
