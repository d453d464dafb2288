package control

import (
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
)

// Worlds are the saved worlds of a host (C3). Its methods are called in a turn; done is called in it, or later between two ticks.
type Worlds interface {
	// SaveWorld saves the match under a name.
	SaveWorld(name string, done func(error))
	// LoadWorld replaces the match by a saved one, with all players; after an error nothing has changed.
	LoadWorld(name string, done func(error))
	// ListWorlds lists the names of saved worlds, sorted.
	ListWorlds(done func([]string, error))
}

// worldCommands returns the commands of saved worlds.
func (c control) worldCommands() []command.Command {
	name := command.Param{Name: "NAME"}
	return []command.Command{
		{Name: "save", Params: []command.Param{name}, Needs: access.Admin, Help: "Save the match as it is under a name.", Run: func(call *command.Call) ([]string, error) {
			return c.await(call, "saved "+call.Text(0), func(done func(error)) { c.Worlds.SaveWorld(call.Text(0), done) })
		}},
		{Name: "load", Params: []command.Param{name}, Needs: access.Admin, Help: "Continue a saved match in place of this one; players stay.", Run: func(call *command.Call) ([]string, error) {
			return c.await(call, "loaded "+call.Text(0), func(done func(error)) { c.Worlds.LoadWorld(call.Text(0), done) })
		}},
		{Name: "worlds", Needs: access.Admin, Help: "List the saved worlds.", Run: func(call *command.Call) ([]string, error) {
			var names []string
			_, err := c.await(call, "", func(done func(error)) {
				c.Worlds.ListWorlds(func(list []string, err error) {
					names = list
					done(err)
				})
			})
			if err == nil && len(names) == 0 {
				names = []string{"there are none"}
			}
			return names, err
		}},
	}
}

// errNoWorlds is the error of a host that was given no saved worlds.
var errNoWorlds = errors.New("this host keeps no worlds")

// await starts something in a turn and waits until it is done.
func (c control) await(call *command.Call, answer string, begin func(done func(error))) ([]string, error) {
	if c.Worlds == nil {
		return nil, errNoWorlds
	}
	end := make(chan error, 1)
	err := c.Turns.Do(call.Context, func() error {
		begin(func(err error) { end <- err })
		return nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case err = <-end:
	case <-call.Context.Done():
		err = fmt.Errorf("it goes on without an answer here: %w", call.Context.Err())
	}
	if err != nil {
		return nil, err
	}
	return []string{answer}, nil
}
