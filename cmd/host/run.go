package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/settings"
)

// commands is the command line. A command that does not exist yet is not listed.
type commands struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Run a world until stopped (this is what happens without a command)."`
	Check   checkCmd   `cmd:"" help:"Load scripts without starting a game and report errors and warnings."`
	New     newCmd     `cmd:"" help:"Write a starting file: new class NAME, new mod NAME, new scenario NAME."`
	Doctor  doctorCmd  `cmd:"" settings:"none" help:"Check whether a host can run on this machine as it is configured, and say what to do."`
	Mods    modsCmd    `cmd:"" help:"List the mods that a host would run, with their limits and what is wrong with them."`
	Stubs   stubsCmd   `cmd:"" help:"Write definition files, so that editors complete and check scripts."`
	FGD     fgdCmd     `cmd:"" name:"fgd" help:"Write the level editor's entity definitions from the classes."`
	Test    testCmd    `cmd:"" help:"Run scenarios: tests of a match, in Lua."`
	Join    joinCmd    `cmd:"" help:"Join a host as a player and show the match."`
	Bots    botsCmd    `cmd:"" help:"Join a host with many players at once and print the quality of their connections."`
	Exec    execCmd    `cmd:"" help:"Give a running host a command, as if it were typed there: exec say hello."`
	Store   storeCmd   `cmd:"" help:"Look at the store of a host, which outlives its matches: list, get, export, import, backup, check, copy."`
	Cluster clusterCmd `cmd:"" help:"Run a cluster on this machine: cluster up."`
	List    listCmd    `cmd:"" help:"List the hosts of a cluster with players, free places and ping, as any of them tells."`
	Query   queryCmd   `cmd:"" help:"Ask a host for its name, level, players and ping, without joining it."`
	Token   tokenCmd   `cmd:"" help:"Issue a connect token for one player, or make the key for them."`
	Version versionCmd `cmd:"" help:"Print the version."`
	Help    helpCmd    `cmd:"" help:"Explain a command."`
}

// assetFlags say where scripts and content are.
type assetFlags struct {
	Scripts []string `placeholder:"DIR" help:"Folder of scripts added to ./scripts or the built-in ones as a mod, or a folder of mods; with a core/Actor.lua of its own and no mod.toml it replaces them. May be repeated."`
	Content string   `placeholder:"DIR" help:"Folder of content (levels, sounds), searched before ./content and the built-in one."`
}

// usageError is an error of the user: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitError is an exit code whose reason has been printed already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// leave is the panic by which kong's --help ends parsing.
type leave int

// run is the whole program: it takes arguments and returns the exit code.
func run(args []string, sys *system) (code int) {
	defer func() {
		if r := recover(); r != nil {
			l, ok := r.(leave)
			if !ok {
				panic(r)
			}
			code = int(l)
		}
	}()
	p, err := parse(args, sys)
	if err != nil {
		return fail(sys, err)
	}
	return fail(sys, p.ctx.Run(sys, p))
}

// fail prints an error in one line and returns its exit code.
func fail(sys *system, err error) int {
	var exit exitError
	var usage usageError
	var again *join.ErrLeft
	var ended *join.Ended
	switch {
	case err == nil:
		return serve.ExitOK
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &again):
		return serve.ExitSignal + again.Number()
	}
	text := strings.TrimSpace(strings.ReplaceAll(err.Error(), "\n", "; "))
	_, _ = fmt.Fprintf(sys.stderr, "host: %s\n", text) // there is nobody else to tell
	switch {
	case errors.As(err, &usage):
		return serve.ExitUsage
	case errors.As(err, &ended):
		return ended.Exit
	}
	return serve.ExitError
}

// parsed is a valid command line.
type parsed struct {
	args     []string
	commands *commands
	ctx      *kong.Context
	settings *settings.Settings
}

func parse(args []string, sys *system) (*parsed, error) {
	p := &parsed{args: args, commands: &commands{}, settings: settings.New("serve", sys.lookup)}
	parser, err := kong.New(p.commands,
		kong.Name("host"),
		kong.Description("A game host whose gameplay is Lua. Without a command it runs the sample match and reloads scripts as you save them."),
		kong.Writers(sys.stdout, sys.stderr),
		kong.Exit(func(code int) { panic(leave(code)) }),
		kong.Resolvers(p.settings),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ValueFormatter(helpText),
	)
	if err != nil {
		return nil, err // a broken struct tag
	}
	p.ctx, err = parser.Parse(args)
	if first := p.settings.Err(); first != nil {
		return nil, usageError{first}
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("%w (see %q)", err, "host help")}
	}
	if err := p.settings.Check(p.ctx); err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// helpText adds to a flag's help where else it can be set.
func helpText(v *kong.Value) string {
	if v.Flag == nil || v.Flag.Name == "help" || v.Tag.Get("only") == "cli" && v.Flag.Name != "config" {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (" + settings.EnvName(v.Flag.Name) + ")."
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to explain."`
}

// Run prints help.
func (c *helpCmd) Run(sys *system) error {
	_, err := parse(append(c.Command, "--help"), sys) // it ends by panic(leave)
	return err
}
