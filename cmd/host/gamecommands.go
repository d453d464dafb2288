package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine"
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

// Variable finds a variable by Class.Variable, in whatever case, with the file of the class.
func (g *game) Variable(name string) (versions.Tuned, error) {
	class, variable, ok := strings.Cut(name, ".")
	if !ok {
		return versions.Tuned{}, fmt.Errorf("%q is no variable of a class; write Class.Variable", name)
	}
	var names []string
	for _, c := range g.World.Classes.All() {
		if names = append(names, c.Name); !strings.EqualFold(c.Name, class) {
			continue
		}
		for _, p := range c.PropertyNames() {
			if strings.EqualFold(p, variable) {
				return versions.Tuned{Class: c.Name, Variable: p, Path: c.Spec.Pos.File}, nil
			}
		}
		return versions.Tuned{}, fmt.Errorf("%s has no variable %q%s", c.Name, variable, engine.Nearest(variable, c.PropertyNames()))
	}
	return versions.Tuned{}, fmt.Errorf("there is no class %q%s", class, engine.Nearest(class, names))
}

// Variables lists all variables as Class.Variable.
func (g *game) Variables() (out []string) {
	for _, c := range g.World.Classes.All() {
		for _, p := range c.PropertyNames() {
			out = append(out, c.Name+"."+p)
		}
	}
	slices.Sort(out)
	return out
}
