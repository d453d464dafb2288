package control

import (
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// GameCommands returns the commands that the class of a game declares (function C.console:Name). They are those of one
// set of scripts: after a reload or a travel they are made again, and an old one is an error. Only Host and Turns of the
// options are needed.
func GameCommands(o Options, game *engine.Class) []command.Command {
	c := control{o}
	var out []command.Command
	for _, f := range classfile.Commands(game) {
		info := f.Script.(*classfile.Def).Console
		needs := access.None
		if info.Role != "none" {
			r, err := access.ParseRole(info.Role)
			if err != nil {
				panic("control: classfile.ConsoleRoles and access differ: " + err.Error()) // a test holds them together
			}
			needs = r
		}
		g := gameCommand{control: c, f: f, info: info}
		entry := command.Command{Name: info.Command, Needs: needs, Public: needs == access.None, Help: info.Help, Run: c.turn(g.run)}
		for i := g.first(); i < len(f.Params); i++ {
			entry.Params = append(entry.Params, g.param(game.Set(), i))
		}
		out = append(out, entry)
	}
	return out
}

// gameCommand is a command of a game.
type gameCommand struct {
	control

	f    *engine.Function
	info *classfile.Console
}

// first returns the index of the first argument that is typed.
func (g *gameCommand) first() int {
	if g.info.Caller {
		return 1
	}
	return 0
}

// param describes an argument by its type.
func (g *gameCommand) param(classes *engine.Classes, i int) command.Param {
	t := g.f.Params[i].Type
	p := command.Param{Name: strings.ToUpper(g.f.Params[i].Name), Optional: g.info.Optional[i]}
	switch t.Kind {
	case engine.KindBool:
		if name := g.f.Params[i].Name; len(name) > 1 && name[0] == 'b' && name[1] >= 'A' && name[1] <= 'Z' {
			p.Name = p.Name[1:] // LOUD for bLoud
		}
		p.Kind = command.Switch
	case engine.KindInt:
		p.Kind = command.Int
	case engine.KindFloat:
		p.Kind = command.Number
	case engine.KindString:
		if i == len(g.f.Params)-1 {
			p.Kind = command.Text
		}
	case engine.KindEnum:
		p.Values = func([]string) []string { return t.Enum }
	case engine.KindRef:
		p.Values = g.actors
		if k := classes.Find(t.Class); k != nil && k.IsController() {
			p.Values = g.players
		}
	case engine.KindClass:
		p.Values = func([]string) []string { return g.descendants(t.Class) }
	default: // refused by the loader
	}
	if t.Ranged {
		p.Min, p.Max = t.Min, t.Max
	}
	return p
}

// descendants lists a class and its children, for completion.
func (g *gameCommand) descendants(name string) []string {
	return g.list(func(m *match.Match, _ *server.Server) (out []string) {
		for _, k := range m.World.Classes.All() {
			if k.IsA(name) {
				out = append(out, k.Name)
			}
		}
		return out
	})
}

// run runs the command.
func (g *gameCommand) run(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	args := make([]engine.Value, len(g.f.Params))
	if g.info.Caller {
		args[0] = engine.Ref(callerOf(call.Caller, s))
	}
	for i := g.first(); i < len(args); i++ {
		if at := i - g.first(); call.Given(at) {
			var err error
			if args[i], err = g.argument(call, at, g.f.Params[i].Type, m, s); err != nil {
				return nil, err
			}
		}
	}
	text, err := m.VM.RunCommand(m.Game, g.f, args)
	if err != nil || text == "" {
		return nil, err
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n"), nil
}

// argument converts an argument that was given.
func (g *gameCommand) argument(call *command.Call, at int, t *engine.Type, m *match.Match, s *server.Server) (engine.Value, error) {
	text := call.Text(at)
	v := engine.Value{}
	switch t.Kind {
	case engine.KindBool:
		v = engine.Bool(call.Switch(at, false))
	case engine.KindInt:
		v = engine.Int(call.Int(at, 0))
	case engine.KindFloat:
		v = engine.Float(call.Number(at, 0))
	case engine.KindString:
		v = engine.String(text)
	case engine.KindEnum:
		v = engine.Enum(text)
		for _, name := range t.Enum {
			if strings.EqualFold(name, text) {
				v = engine.Enum(name)
			}
		}
	case engine.KindRef:
		a, err := g.target(t.Class, text, m, s)
		if err != nil {
			return v, err
		}
		v = engine.Ref(a)
	case engine.KindClass:
		k, err := g.class(m.World, text)
		if err != nil {
			return v, err
		}
		v = engine.ClassName(k.Name)
	default: // refused by the loader
	}
	v, err := t.Check(m.World, v)
	if err != nil {
		return v, fmt.Errorf("%s: %w", g.f.Params[at+g.first()].Name, err)
	}
	return v, nil
}

// target finds the actor of a class that an argument names: a player where the class is one of controllers.
func (g *gameCommand) target(class, text string, m *match.Match, s *server.Server) (*engine.Actor, error) {
	if k := m.World.Classes.Find(class); k == nil || !k.IsController() {
		return actorOf(m.World, text)
	}
	return controllerOf(m, s, text)
}

// callerOf returns the controller of the player who gives a command, nil for others.
func callerOf(who command.Caller, s *server.Server) (pc *engine.Actor) {
	if s == nil || who.Connection == 0 {
		return nil
	}
	s.Connections(func(c *server.Conn) {
		if c.ID == who.Connection {
			pc = c.Player()
		}
	})
	return pc
}
