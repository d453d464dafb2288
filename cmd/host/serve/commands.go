package serve

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
)

// commands returns the commands that the life of a host consists of; others come with Options.Commands
// (docs/console.md).
func (s *server) commands(ctx context.Context) []command.Command {
	return []command.Command{
		{Name: "help", Params: []command.Param{{Name: "COMMAND", Kind: command.Text, Optional: true, Values: s.names}}, Help: "List the commands that you may give, or explain one.", Run: func(c *command.Call) ([]string, error) {
			return s.Commands.Help(c.Caller, c.Text(0))
		}},
		{Name: "health", Help: "Show how the host has run since this was last asked: ticks, their time, memory.", Run: func(*command.Call) ([]string, error) {
			return s.askHealth(ctx)
		}},
		{Name: "reload", Needs: access.Admin, Help: "Reload all scripts, sounds and animations, saved or not.", Run: func(*command.Call) ([]string, error) {
			s.reload(ctx, change{what: []string{"(reload)"}, scripts: true, media: true}) // the log reports the result
			return nil, nil
		}},
		{Name: "reload config", Needs: access.Owner, Help: "Read host.toml and the access list again, as SIGHUP does; what can change while players play does.", Run: func(*command.Call) (out []string, err error) {
			err = s.reconfigure(func(line string) { out = append(out, line) })
			return out, err
		}},
		{Name: "reload level", Needs: access.Admin, Help: "Read the level's file again and restart the level; players stay.", Run: func(*command.Call) ([]string, error) {
			return nil, s.reloadLevel(ctx)
		}},
		{Name: "say", Params: []command.Param{{Name: "TEXT", Kind: command.Text}}, Needs: access.Moderator, Help: "Show all players a line of text.", Run: func(c *command.Call) ([]string, error) {
			return nil, s.do(ctx, func() error { return s.Game.Say(c.Text(0)) })
		}},
		{Name: "stat accounts", Help: "Show what functions and classes cost, the costliest first: time, actors, bytes sent.", Run: func(*command.Call) ([]string, error) {
			return s.accounts(ctx)
		}},
		{Name: "quit", Needs: access.Owner, Help: "End the host; players are told why.", Run: func(*command.Call) ([]string, error) {
			s.once.Do(func() { close(s.quit) })
			return nil, nil
		}},
	}
}

// Commands returns the commands that every host has, for documents: they cannot be run.
func Commands() []command.Command {
	s := &server{}
	return append(s.commands(context.Background()), s.tuning(context.Background())...)
}

// names lists the commands, for the completion of help.
func (s *server) names([]string) []string {
	var out []string
	for _, c := range s.Commands.List() {
		out = append(out, c.Name)
	}
	return out
}

// Terminal is who types at the host: its owner.
func Terminal() command.Caller {
	return command.Caller{Name: "terminal", Role: access.Owner, Via: "terminal"}
}

// maxWrong is how many lines in a row may be invalid; after that the input is not one of commands, and no more
// is read.
const maxWrong = 100

// errWrong ends the reading of such an input.
var errWrong = fmt.Errorf("%d lines in a row were not commands", maxWrong)

// obey executes the commands of the input until it ends.
func (s *server) obey(ctx context.Context) {
	wrong := 0
	err := command.Read(s.In, func(line string, err error) error {
		var answer []string
		if err == nil {
			answer, err = s.Commands.Do(ctx, Terminal(), line)
		}
		for _, l := range answer {
			fmt.Fprintln(s.Out, l)
		}
		if err != nil && !over(err) {
			s.Log.Error(err.Error())
		}
		var usage *command.UsageError
		if wrong++; !errors.As(err, &usage) {
			wrong = 0
		}
		if wrong == maxWrong {
			return errWrong
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("commands can no longer be read; the host goes on", "error", err.Error())
	}
}

// do calls f between two ticks, waits for it and returns its error.
func (s *server) do(ctx context.Context, f func() error) error { return s.Turn.Do(ctx, f) }

// reloadLevel checks the present level, so that the tick does not wait for that, and restarts it.
func (s *server) reloadLevel(ctx context.Context) error {
	var work func() ([]string, error)
	err := s.do(ctx, func() error {
		name := s.Game.Status().Level
		if name == "" {
			return errors.New("reload level: no level is played")
		}
		work = s.Game.CheckLevel(name)
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := work(); err != nil { // warnings come again with the level
		return fmt.Errorf("reload level: %w; the match goes on as it was", err)
	}
	return s.do(ctx, s.Game.ReloadLevel)
}
