package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/scripts"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// clientFlags are the flags of every command that joins a host.
type clientFlags struct {
	Addr     string        `arg:"" optional:"" default:"localhost" help:"Address of the host: HOST, HOST:PORT or [IPv6]:PORT, optionally with options of the game: localhost?team=1. With --lobby also the name or a label of a host; NAME@LOBBY is both in one. Default: this machine."`
	Lobby    string        `only:"env" placeholder:"ADDRESS" help:"Where to look up the name of a host: any host's address for browsers, HOST, HOST:PORT or a URL."`
	Password string        `only:"env" secret:"true" help:"The host's password."`
	Timeout  time.Duration `only:"cli" default:"10s" range:"100ms,10m" help:"How long connecting may take."`
	viaFlag
	Cache  string        `only:"env" placeholder:"DIR" help:"Folder that keeps fetched scripts and levels by their hash; default: in your cache folder."`
	RunFor time.Duration `only:"cli" default:"0s" range:"0s,87600h" help:"Leave after so long in the match; 0s stays."`

	notices notices
}

// notices are messages of lower layers for the person at the terminal. Any goroutine may add one.
type notices struct {
	mu sync.Mutex
	to func(text string)
}

// divert sends them to a function from now on.
func (n *notices) divert(to func(text string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.to = to
}

func (n *notices) say(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.to(text)
}

// options checks the flags.
func (f *clientFlags) options(sys *system) (join.Options, error) {
	o := join.Options{Password: f.Password, Timeout: f.Timeout, Agent: version(), Protos: classfile.NewCache(scriptvm.Natives()), Levels: &level.Cache{}, Elsewhere: join.Elsewhere}
	addr, secure, err := f.locate(&o)
	if err != nil {
		return o, err
	}
	f.carry(addr, secure, &o)
	if o.Cache, err = f.cache(sys); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// cache opens the folder of fetched files. If the default folder cannot be used, the player plays without one.
func (f *clientFlags) cache(sys *system) (bundle.Cache, error) {
	f.notices.divert(func(text string) { _, _ = fmt.Fprintf(sys.stderr, "host: %s\n", text) }) // there is nobody else to tell
	tell := func(err error) { f.notices.say(err.Error() + "; scripts are fetched again each time") }
	dir := f.Cache
	if dir == "" {
		var err error
		if dir, err = cache.Default(); err != nil {
			tell(err)
			return nil, nil //nolint:nilnil // none
		}
	}
	c, err := cache.Open(cache.Options{Dir: dir, Own: []fs.FS{scripts.FS, content.FS}, OnError: tell})
	switch {
	case err == nil:
		return c, nil
	case f.Cache != "":
		return nil, fmt.Errorf("--cache: %w", err)
	}
	tell(err)
	return nil, nil //nolint:nilnil // none
}

type joinCmd struct {
	clientFlags

	Name   string `only:"env" help:"Your name in the match; the host gives you one if you give none."`
	Token  string `only:"env" secret:"true" help:"Connect token, if the host requires one."`
	Key    string `only:"env" placeholder:"FILE" help:"File of a key, created if it does not exist. A host recognizes you by your key, and keeps what you earn. Default: your own, player.key in the folder tidelock of your config folder, or none while another join of yours has it."`
	Guest  bool   `only:"env" help:"Play without your key: a host does not recognize you, and keeps nothing of yours. With --key or --token it means nothing."`
	Follow string `only:"cli" placeholder:"CLASS" help:"Print changes of the actors of a class and its children, instead of figures."`
	Plain  bool   `only:"cli" help:"Print lines on a terminal, too."`

	Spectate bool `only:"cli" help:"Watch other players; N switches to the next."`
	Auto     bool `only:"cli" help:"Let a brain of the match's scripts play."`
	Skill    int  `only:"cli" default:"3" range:"0,7" help:"Its skill, from 0 for a beginner to 7 for an expert."`
}

// Run joins a host and shows the match.
func (c *joinCmd) Run(sys *system) error {
	o, err := c.options(sys)
	if err != nil {
		return err
	}
	if c.Token != "" && c.Password != "" {
		return usageError{errors.New("--token and --password are both given; a host wants one of them at most")}
	}
	o.Name, o.Token, o.Seed = c.Name, c.Token, uint64(time.Now().UnixNano()) //nolint:gosec // any bits will do
	if err := join.CheckName(o.Name); err != nil {
		return usageError{fmt.Errorf("--name: %w", err)}
	}
	release, err := c.identify(&o.Key)
	if err != nil {
		return err
	}
	defer release()
	o.Brain, o.Skill = c.Auto && !c.Spectate, c.Skill
	err = join.Run(context.Background(), join.RunOptions{
		Options: o, Follow: c.Follow, RunFor: c.RunFor, Signals: sys.signals, Out: sys.stdout, Live: !c.Plain && sys.shows(sys.stdout),
		Keys: sys.stdin, Colour: sys.colours(), Spectate: c.Spectate, Divert: c.notices.divert, Hung: sys.hung,
	})
	var unknown *join.UnknownClass
	var bad *join.BadOption
	if errors.As(err, &unknown) || errors.As(err, &bad) {
		return usageError{err}
	}
	return err
}
