package main

import (
	"log/slog"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/serve"
)

// gameCommands keeps the commands of the running game in the registry: those that its class declares now. A reload, a
// travel and another game replace all of them at once.
type gameCommands struct {
	registry *command.Registry
	options  control.Options
	names    []string // of those in the registry; only used on the goroutine that owns the world
	log      *slog.Logger
}

// follow puts the commands of the present class of the game into the registry, which replace those from before.
func (c *gameCommands) follow(g *game) {
	list := control.GameCommands(c.options, g.Match.Game.Class)
	if err := c.registry.Replace(c.names, list...); err != nil { // the loader refuses names of the host
		c.log.Error("the game's commands cannot be used", "error", err.Error())
		return
	}
	c.names = c.names[:0]
	for i := range list {
		c.names = append(c.names, list[i].Name)
	}
}

// followed brings the commands up to date with the scripts and the game that run now.
func (g *game) followed() {
	if g.commands != nil {
		g.commands.follow(g)
	}
}

// linkCommand and hostsCommand are the names of the commands that steer adds to those of the other packages.
const linkCommand, hostsCommand = "link", "hosts"

// hostCommands returns the names that no game may give a command: those of the host's own, and those that mean something
// else in the API.
func hostCommands() []string {
	names := []string{linkCommand, hostsCommand, drainCommand, drainOffCommand, "exec", "claim", "save", "level", "timescale"}
	for _, c := range append(serve.Commands(), control.Commands(control.Options{})...) {
		names = append(names, c.Name)
	}
	return names
}
