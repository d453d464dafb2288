// Package control is the commands that look at a running match and change it: players, actors, levels, Lua that is
// typed. They are entries of a [command.Registry]; the host's terminal, its API and its pages offer the same.
//
// Each command waits for its turn between two ticks ([Turns]). It deliberately does not: know where a command comes from,
// check roles (package command), or end the host (package serve).
//
// Guarantees: The same wherever a command comes from; each waits for its turn between two ticks.
package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/server"
)

// Turns gives a command its turn with the world: f runs between two ticks, on the goroutine that owns the world.
type Turns interface {
	Do(ctx context.Context, f func() error) error
}

// Host is a running match and what surrounds it. Its methods are called in a turn, but Levels.
type Host interface {
	// Current returns the running match, and its network side, nil without one. A travel replaces both.
	Current() (*match.Match, *server.Server)
	// TravelTo takes everybody to another level, or returns why that is impossible: then nothing has changed.
	TravelTo(url string) error
	// SetPace sets how fast the match runs: 1 normally, 0 pauses it. StepTicks runs some ticks of a paused match. Pace
	// returns the scale, and how many ticks are still to run.
	SetPace(scale float64) error
	StepTicks(n int) error
	Pace() (scale float64, pending int)
	// Levels lists the levels of the content. It may be called on any goroutine.
	Levels() []string
}

// Options of Commands. Host, Turns, Access and Log are needed.
type Options struct {
	Host  Host
	Turns Turns
	// Access is the list of roles, bans and the whitelist.
	Access *access.List
	Log    *slog.Logger
	// Notes returns lines for the status, outside of a turn; it may be nil.
	Notes func() []string
	// Worlds are the saved worlds; nil on a host without them.
	Worlds Worlds
	// Dropped returns how many ticks the host has dropped since it began; it may be nil.
	Dropped func() uint64
}

// control is what the commands share.
type control struct{ Options }

// Commands returns the commands.
func Commands(o Options) []command.Command {
	c := control{o}
	player := command.Param{Name: "PLAYER", Values: c.players}
	actor := command.Param{Name: "ACTOR", Values: c.actors}
	class := command.Param{Name: "CLASS", Values: c.classes}
	coordinate := func(name string) command.Param { // of any place in a world (G7)
		return command.Param{Name: name, Kind: command.Number, Min: -farthest, Max: farthest, Optional: true}
	}
	places := []command.Param{coordinate("X"), coordinate("Y"), coordinate("Z")}
	return append(append(c.accessCommands(player), c.worldCommands()...), []command.Command{
		{Name: "status", Help: "Show the level, the game, the players and what the host is doing.", Run: c.withNotes(c.turn(c.status))},
		{Name: "players", Help: "List the players: number, name, key, address, ping, loss, bytes, simulated lag and loss.", Run: c.turn(c.listPlayers)},
		{Name: "stat net", Help: "Show what the last net update did, and what classes, variables and functions were sent.", Run: c.turn(c.statNet)},
		{Name: "stat unit", Help: "Show the frame rate, dropped ticks, and how long the last minute's ticks took, on average and at most, by phase.", Run: c.turn(c.statUnit)},
		{Name: "stat ticks", Help: "Show where the time of the last minute's ticks went, by phase.", Run: c.turn(c.statTicks)},
		{Name: "stat scripts", Help: "Show which classes and functions of scripts took the time of the last minute's ticks.", Run: c.turn(c.statScripts)},
		{Name: "errors", Help: "List the script errors of the match, on the server and on clients, the latest first.", Run: c.turn(c.errors)},
		{Name: "why", Params: []command.Param{actor, player, {Name: "VARIABLE", Optional: true, Values: c.variables}}, Help: "Explain why a player has or lacks an actor, or why one of its variables is not sent.", Run: c.turn(c.why)},
		{Name: "show", Params: []command.Param{actor, {Name: "VARIABLE", Optional: true, Values: c.variables}}, Help: "Show an actor's variables, or one of them.", Run: c.turn(c.show)},
		{Name: "log net", Params: []command.Param{class, {Name: "ON", Kind: command.Switch, Optional: true}}, Needs: access.Admin, Help: "Log every actor and variable of a class that is sent, or stop that.", Run: c.turn(c.logNet)},
		{Name: "lag", Params: []command.Param{player, {Name: "MS", Kind: command.Number, Min: 0, Max: mostLag}}, Needs: access.Admin, Help: "Simulate a longer path to a player: add so many milliseconds to their round trip, half each way; 0 ends that.", Run: c.turn(c.lag)},
		{Name: "loss", Params: []command.Param{player, {Name: "PERCENT", Kind: command.Number, Min: 0, Max: mostLoss}}, Needs: access.Admin, Help: "Simulate a bad path to a player: drop so many percent of the packets in each direction; 0 ends that.", Run: c.turn(c.loss)},
		{Name: "map", Params: []command.Param{{Name: "LEVEL?OPTION=VALUE", Values: func([]string) []string { return c.Host.Levels() }}}, Needs: access.Admin, Help: "Take everybody to another level.", Run: c.turn(c.travel)},
		{Name: "restart", Needs: access.Admin, Help: "Begin the match again, in its level.", Run: c.turn(c.restart)},
		{Name: "pause", Params: []command.Param{{Name: "ON", Kind: command.Switch, Optional: true}}, Needs: access.Admin, Help: "Pause the match for everybody, or let it go on; changes made meanwhile are seen at once.", Run: c.turn(c.pause)},
		{Name: "step", Params: []command.Param{{Name: "TICKS", Kind: command.Int, Min: 1, Max: 600, Optional: true}}, Needs: access.Admin, Help: "Pause the match and run one tick, or some.", Run: c.turn(c.step)},
		{Name: "slomo", Params: []command.Param{{Name: "SCALE", Kind: command.Number, Min: 0.01, Max: 4, Optional: true}}, Needs: access.Admin, Help: "Run the match slower or faster for everybody: 0.25 is a quarter of its speed; without a number, at its normal speed.", Run: c.turn(c.slomo)},
		{Name: "spawn", Params: append([]command.Param{class}, places...), Needs: access.Admin, Help: "Spawn an actor of a class, at the origin or at a place in uu.", Run: c.turn(c.spawn)},
		{Name: "kill", Params: []command.Param{actor}, Needs: access.Admin, Help: "Destroy an actor; a pawn dies as scripts let it.", Run: c.turn(c.kill)},
		{Name: "teleport", Params: []command.Param{player, {Name: "TO|X", Values: c.actors}, places[1], places[2]}, Needs: access.Admin, Help: "Move a player's pawn to an actor or to a place in uu.", Run: c.turn(c.teleport)},
		{Name: "eval", Params: []command.Param{{Name: "LUA", Kind: command.Text}}, Needs: access.Admin, Help: "Run a line of Lua in the server's world and show its results; a line that faults changes nothing.", Run: c.turn(c.eval)},
	}...)
}

// farthest bounds the coordinates of a place, in uu (G7).
const farthest = 1e6

// run is a command that has its turn.
type run func(c *command.Call, m *match.Match, s *server.Server) ([]string, error)

// turn gives a command its turn.
func (c control) turn(f run) func(*command.Call) ([]string, error) {
	return func(call *command.Call) ([]string, error) {
		var answer []string
		err := c.Turns.Do(call.Context, func() (err error) {
			m, s := c.Host.Current()
			answer, err = f(call, m, s)
			return err
		})
		if err != nil { // of a context that ended, the turn may still come
			return nil, err
		}
		return answer, nil
	}
}

// withNotes adds the notes to an answer.
func (c control) withNotes(f func(*command.Call) ([]string, error)) func(*command.Call) ([]string, error) {
	return func(call *command.Call) ([]string, error) {
		out, err := f(call)
		if err == nil && c.Notes != nil {
			out = append(out, c.Notes()...)
		}
		return out, err
	}
}

// list has a turn for a completion; nothing is offered where the world has none to give.
func (c control) list(f func(m *match.Match, s *server.Server) []string) (out []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
	defer cancel()
	got := make(chan []string, 1)
	err := c.Turns.Do(ctx, func() error {
		got <- f(c.Host.Current())
		return nil
	})
	if err != nil {
		return nil
	}
	out = <-got
	sort.Strings(out)
	return out
}

// players lists the names of players, for completion.
func (c control) players([]string) []string {
	return c.list(func(m *match.Match, _ *server.Server) (out []string) {
		for _, pc := range controllers(m.World) {
			out = append(out, playerName(pc))
		}
		return out
	})
}

func (c control) actors([]string) []string {
	return c.list(func(m *match.Match, _ *server.Server) (out []string) {
		for _, pc := range controllers(m.World) {
			out = append(out, playerName(pc))
		}
		m.World.EachActor(func(a *engine.Actor) {
			if a.Outer == nil {
				out = append(out, a.Name)
			}
		})
		return out
	})
}

func (c control) classes([]string) []string {
	return c.list(func(m *match.Match, _ *server.Server) (out []string) {
		for _, k := range m.World.Classes.All() {
			out = append(out, k.Name)
		}
		return out
	})
}

// variables lists those of the actor that is the first argument.
func (c control) variables(before []string) []string {
	return c.list(func(m *match.Match, _ *server.Server) []string {
		a := inspect.Find(m.World, before[0])
		if a == nil {
			return nil
		}
		return slices.Clone(a.Class.PropertyNames())
	})
}

// controllers returns the controllers of all players, bots included.
func controllers(w *engine.World) (out []*engine.Actor) {
	w.EachActor(func(a *engine.Actor) {
		if a.Class.IsController() {
			out = append(out, a)
		}
	})
	return out
}

// playerName returns the name of a controller's player in the match, or else the actor's.
func playerName(pc *engine.Actor) string { return cmp.Or(view.OwnName(pc), pc.Name) }

// controllerOf finds a player by name, key, or the number that `players` lists; bots by their name.
func controllerOf(m *match.Match, s *server.Server, name string) (*engine.Actor, error) {
	if s != nil {
		var found *engine.Actor
		s.Connections(func(c *server.Conn) {
			if fmt.Sprint(c.ID) == name || c.Key() == name {
				found = c.Player()
			}
		})
		if found != nil {
			return found, nil
		}
	}
	var names []string
	var found *engine.Actor
	for _, pc := range controllers(m.World) {
		n := playerName(pc)
		names = append(names, n)
		if found == nil && (strings.EqualFold(n, name) || strings.EqualFold(pc.Name, name)) {
			found = pc
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there is no player %q%s; players lists them", name, engine.Nearest(name, names))
	}
	return found, nil
}

// connectionOf finds a connected player.
func connectionOf(m *match.Match, s *server.Server, name string) (*server.Conn, error) {
	pc, err := controllerOf(m, s, name)
	if err != nil {
		return nil, err
	}
	if s != nil {
		if c := s.ConnectionOf(pc); c != nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("%q has no connection: a bot, or the player at the host", playerName(pc))
}

// actorOf finds an actor by its name or number, or the pawn of a player by theirs.
func actorOf(w *engine.World, name string) (*engine.Actor, error) {
	a := inspect.Find(w, name)
	if a != nil {
		return a, nil
	}
	for _, pc := range controllers(w) {
		if strings.EqualFold(playerName(pc), name) {
			return pawnOf(pc)
		}
	}
	var names []string
	w.EachActor(func(a *engine.Actor) { names = append(names, a.Name) })
	return nil, fmt.Errorf("there is no actor %q%s", name, engine.Nearest(name, names))
}

// pawnOf returns a controller's pawn.
func pawnOf(pc *engine.Actor) (*engine.Actor, error) {
	if pawn := view.Pawn(pc); pawn != nil {
		return pawn, nil
	}
	return nil, fmt.Errorf("%q has no pawn now", playerName(pc))
}

func (c control) status(_ *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	h := inspect.HostOf(m, s)
	level := h.Level
	if level == "" {
		level = "no level"
	}
	bots := 0
	for _, pc := range controllers(m.World) {
		if !pc.Class.IsPlayerController() {
			bots++
		}
	}
	out := []string{
		fmt.Sprintf("%s (%s), %s, %.0f s", level, h.Game, h.Mode, h.Time),
		fmt.Sprintf("%s, %s, %s of %d classes, scripts take %.2f ms a tick", engine.Counted(h.Players, "player"), engine.Counted(bots, "bot"), engine.Counted(h.Actors, "actor"), h.Classes, h.ScriptSeconds*1e3),
	}
	switch scale, steps := c.Host.Pace(); {
	case steps > 0:
		out = append(out, fmt.Sprintf("paused, %d ticks to run", steps))
	case scale == 0:
		out = append(out, "paused (pause off)")
	case scale != 1:
		out = append(out, fmt.Sprintf("runs at %g times its normal speed (slomo)", scale))
	}
	if len(h.Quarantined) > 0 {
		out = append(out, "quarantined: "+strings.Join(h.Quarantined, ", "))
	}
	return out, nil
}

func (c control) listPlayers(_ *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	rows := [][]string{{"player", "key", "address", "number", "ping", "loss in", "loss out", "sent", "received", "simulated"}}
	for _, x := range inspect.Connections(s) {
		rows = append(rows, []string{
			x.Name, x.Key, x.Address, fmt.Sprint(x.ID), fmt.Sprintf("%.0f ms", x.Ping), fmt.Sprintf("%.1f %%", 100*x.LossIn), fmt.Sprintf("%.1f %%", 100*x.LossOut),
			fmt.Sprint(x.BytesOut), fmt.Sprint(x.BytesIn), simulated(x.Lag, x.Loss),
		})
	}
	for _, pc := range controllers(m.World) {
		if s == nil || s.ConnectionOf(pc) == nil {
			kind := "bot"
			if pc.Class.IsPlayerController() {
				kind = "at the host"
			}
			rows = append(rows, []string{playerName(pc), kind})
		}
	}
	if len(rows) == 1 {
		return []string{"nobody plays"}, nil
	}
	return console.Table(rows, 3), nil
}

// listed bounds the lines of a table.
const listed = 20

func (c control) statNet(_ *command.Call, _ *match.Match, s *server.Server) ([]string, error) {
	if s == nil {
		return nil, errNoNetwork
	}
	st := s.Stats
	out := []string{fmt.Sprintf("last net update: %d actors, %d changed, %d relevancy tests, %d relevant, %d variables compared, %d conditions, %d packets, longest wait %.2f s",
		st.Entities, st.Changed, st.RelevancyTests, st.Relevant, st.Compared, st.Conditions, st.Packets, st.LongestWait)}
	rows := [][]string{{"sent", "bytes", "times", "lost", "throttled", "dropped"}}
	list := inspect.TrafficOf(s, 0)
	for i, t := range list {
		if i == listed {
			rows = append(rows, []string{fmt.Sprintf("%d others", len(list)-i)})
			break
		}
		rows = append(rows, []string{t.Name, fmt.Sprint(t.Bytes), fmt.Sprint(t.Count), fmt.Sprint(t.Lost), fmt.Sprint(t.Throttled), fmt.Sprint(t.Dropped)})
	}
	return append(out, console.Table(rows, 1)...), nil
}

// errNoNetwork is for commands about connections in a standalone world.
var errNoNetwork = errors.New("this world has no network")

func (c control) why(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	if s == nil {
		return nil, errNoNetwork
	}
	a, err := actorOf(m.World, call.Text(0))
	if err != nil {
		return nil, err
	}
	conn, err := connectionOf(m, s, call.Text(1))
	if err != nil {
		return nil, err
	}
	code, text, err := s.Why(conn, a, call.Text(2))
	if err != nil {
		return nil, err
	}
	return []string{code + ": " + text}, nil
}

func (c control) show(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	a, err := actorOf(m.World, call.Text(0))
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"variable", "type", "value"}}
	for _, v := range inspect.Detail(nil, a).Variables {
		if !call.Given(1) || strings.EqualFold(v.Name, call.Text(1)) {
			rows = append(rows, []string{v.Name, v.Type, v.Value})
		}
	}
	if len(rows) == 1 {
		return nil, fmt.Errorf("%s has no variable %q%s", a.Class.Name, call.Text(1), engine.Nearest(call.Text(1), a.Class.PropertyNames()))
	}
	return console.Table(rows, 3), nil
}

func (c control) logNet(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	if s == nil {
		return nil, errNoNetwork
	}
	class, err := c.class(m.World, call.Text(0))
	if err != nil {
		return nil, err
	}
	on := call.Switch(1, true)
	s.LogClass(class.Name, on, func(text string) { c.Log.Info(text, "event", "net", "class", class.Name) })
	return nil, nil
}

// class finds a class in whatever case it is typed.
func (c control) class(w *engine.World, name string) (*engine.Class, error) {
	var names []string
	for _, k := range w.Classes.All() {
		if strings.EqualFold(k.Name, name) {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("there is no class %q%s", name, engine.Nearest(name, names))
}

func (c control) travel(call *command.Call, _ *match.Match, _ *server.Server) ([]string, error) {
	return nil, c.Host.TravelTo(call.Text(0))
}

func (c control) pause(call *command.Call, _ *match.Match, _ *server.Server) ([]string, error) {
	scale, _ := c.Host.Pace()
	to := 0.0
	if !call.Switch(0, scale != 0) { // without an argument it is a toggle
		to = 1
	}
	return nil, c.Host.SetPace(to)
}

func (c control) step(call *command.Call, _ *match.Match, _ *server.Server) ([]string, error) {
	return nil, c.Host.StepTicks(call.Int(0, 1))
}

func (c control) slomo(call *command.Call, _ *match.Match, _ *server.Server) ([]string, error) {
	return nil, c.Host.SetPace(call.Number(0, 1))
}

func (c control) restart(_ *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	if m.Level == nil {
		return nil, errors.New("no level is played")
	}
	return nil, c.Host.TravelTo(m.World.LevelName())
}

// completeWithin is how long a completion waits for its turn.
const completeWithin = 500 * time.Millisecond

// place reads three optional numbers, all or none.
func place(call *command.Call, first int) (at geom.Vector, given bool, err error) {
	if !call.Given(first) {
		return at, false, nil
	}
	if !call.Given(first + 2) {
		return at, false, errors.New("a place has three numbers: X Y Z")
	}
	return geom.V(call.Number(first, 0), call.Number(first+1, 0), call.Number(first+2, 0)), true, nil
}

func (c control) spawn(call *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	class, err := c.class(m.World, call.Text(0))
	if err != nil {
		return nil, err
	}
	at, _, err := place(call, 1)
	if err != nil {
		return nil, err
	}
	if class.IsComponent() {
		return nil, fmt.Errorf("%s is a component; spawn an actor that has one", class.Name)
	}
	m.World.Enter()
	defer m.World.Leave()
	// As a script's spawn: the bounds on actors hold for people, too.
	a, err := m.World.Spawn(class, engine.SpawnParams{Location: at, Script: true})
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, fmt.Errorf("the new %s destroyed itself at once", class.Name)
	}
	return []string{fmt.Sprintf("%s at %v", a.Name, a.Location)}, nil
}

func (c control) kill(call *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	a, err := actorOf(m.World, call.Text(0))
	if err != nil {
		return nil, err
	}
	if a.Class.IsPawn() {
		if health := a.Class.Property("Health"); health != nil {
			amount := a.Get(health).Num + 1000
			_, err := m.VM.Call(a, "TakeDamage", engine.Float(amount), engine.Value{}, engine.Vec(a.Location), engine.Vec(geom.Vector{}), engine.String("console"))
			return nil, err
		}
	}
	if a == m.Game || a.Class.IsController() {
		return nil, fmt.Errorf("%s belongs to the match; kick a player, or restart", a.Name)
	}
	if !a.Destroy() {
		return nil, fmt.Errorf("%s cannot be destroyed (bNoDelete, bStatic)", a.Name)
	}
	return nil, nil
}

func (c control) teleport(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	pc, err := controllerOf(m, s, call.Text(0))
	if err != nil {
		return nil, err
	}
	pawn, err := pawnOf(pc)
	if err != nil {
		return nil, err
	}
	var at geom.Vector
	if call.Given(2) {
		x, err := strconv.ParseFloat(call.Text(1), 64)
		if err != nil || !(math.Abs(x) <= farthest) || !call.Given(3) {
			return nil, fmt.Errorf("a place has three numbers of at most %g: X Y Z", farthest)
		}
		at = geom.V(x, call.Number(2, 0), call.Number(3, 0))
	} else {
		to, err := actorOf(m.World, call.Text(1))
		if err != nil {
			return nil, err
		}
		at = to.Location.Add(geom.V(0, 0, to.CollisionHeight+pawn.CollisionHeight))
	}
	if !pawn.SetLocation(at) {
		return nil, fmt.Errorf("%s does not fit at %v", pawn.Name, at)
	}
	return nil, nil
}

func (c control) eval(call *command.Call, m *match.Match, _ *server.Server) ([]string, error) {
	text, err := m.VM.EvalLine("eval", call.Text(0))
	if err != nil || text == "" {
		return nil, err
	}
	return []string{text}, nil
}
