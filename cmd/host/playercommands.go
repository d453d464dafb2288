package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/throttle"
)

// Bounds of the commands that players give in the game, by a chat line that begins with "/".
const (
	// playerRate is how many commands a second a player may give, playerBurst how many at once; further ones are refused,
	// the first of them with a line.
	playerRate  = 1.0
	playerBurst = 5.0
	// maxAsked is how many commands of all players may wait; further ones are refused with a line.
	maxAsked = 32
	// askedWithin is how long a command of a player may take.
	askedWithin = 10 * time.Second
	// maxTold is how many lines of an answer a player gets, and maxToldBytes how long each may be: a message takes 255
	// bytes.
	maxTold      = 20
	maxToldBytes = 250
)

// playerCommands runs the commands that players give in the game, with the role of their key. The loop's goroutine takes
// the lines and delivers the answers; run, on a goroutine of its own, waits for the turns of commands in between.
type playerCommands struct {
	registry *command.Registry
	turns    control.Turns
	roles    func(key string) access.Role
	log      *slog.Logger
	now      func() time.Duration // for rates; any origin

	asked chan playerLine // never waited for by the loop: full, it refuses
	rates map[uint32]*playerLimit
}

// playerLine is a command that a player gave. Its role is looked up when it runs: it may have been taken away.
type playerLine struct {
	who  command.Caller
	line string
}

// playerLimit limits the commands of a connection; its zero value allows a burst.
type playerLimit struct {
	bucket throttle.Bucket
	told   bool // that they are too many
}

func newPlayerCommands(r *command.Registry, turns control.Turns, roles func(key string) access.Role, log *slog.Logger) *playerCommands {
	start := time.Now()
	return &playerCommands{
		registry: r, turns: turns, roles: roles, log: log, now: func() time.Duration { return time.Since(start) },
		asked: make(chan playerLine, maxAsked), rates: map[uint32]*playerLimit{},
	}
}

// takeCommands takes the commands that players gave in the game.
func (g *game) takeCommands() {
	if g.asks != nil {
		g.asks.take(g)
	}
}

// take takes the lines that players have given since the last tick.
func (p *playerCommands) take(g *game) {
	g.World.TakeCommands(func(c engine.PlayerCommand) {
		pc := g.World.Actor(c.Player)
		if pc == nil {
			return
		}
		who := command.Caller{Name: cmp.Or(view.OwnName(pc), pc.Name), Via: "game"}
		_, s := g.Current()
		if conn := connectionOf(s, pc); conn != nil {
			who.Key, who.Connection = conn.Key(), conn.ID
		} else if pc == g.local {
			who.Role = access.Owner // they sit at the host
		} else {
			return
		}
		switch {
		case !p.allows(who.Connection):
			if l := p.rates[who.Connection]; !l.told {
				l.told = true
				g.tell(pc, "You give commands too fast; wait a few seconds.")
			}
		case !p.ask(playerLine{who, c.Line}):
			g.tell(pc, "The host is busy; give the command again in a moment.")
		}
	})
}

// connectionOf returns a player's connection, nil without one.
func connectionOf(s *server.Server, pc *engine.Actor) *server.Conn {
	if s == nil {
		return nil
	}
	return s.ConnectionOf(pc)
}

// allows spends one command of a connection's limit.
func (p *playerCommands) allows(connection uint32) bool {
	now := p.now()
	for id, l := range p.rates { // any order: it drops what is as good as new
		if l.bucket.Empty(now, playerRate) {
			delete(p.rates, id)
		}
	}
	l := p.rates[connection]
	if l == nil {
		l = &playerLimit{}
		p.rates[connection] = l
	}
	ok := l.bucket.Take(now, playerRate, playerBurst)
	l.told = l.told && !ok
	return ok
}

// ask passes a line to run, and reports whether there was room.
func (p *playerCommands) ask(l playerLine) bool {
	select {
	case p.asked <- l:
		return true
	default:
		return false
	}
}

// start begins to run commands; stop ends that, and waits for the one that runs.
func (p *playerCommands) start(g *game) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { // ends by stop, which awaits it
		defer close(ended)
		p.run(ctx, g)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// run runs commands until the context ends.
func (p *playerCommands) run(ctx context.Context, g *game) {
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-p.asked:
			within, cancel := context.WithTimeout(ctx, askedWithin)
			answer := p.do(within, l)
			err := p.turns.Do(within, func() error { g.answer(l.who.Connection, answer); return nil })
			cancel()
			if err != nil && ctx.Err() == nil {
				p.log.Warn("a player got no answer to a command", "event", "command", "who", l.who.Name, "error", err.Error())
			}
		}
	}
}

// do runs a command and returns the lines of the answer. A player without a role may give only what the game lets
// everybody do: what other commands show, such as addresses, is not for players.
func (p *playerCommands) do(ctx context.Context, l playerLine) []string {
	if l.who.Connection != 0 {
		l.who.Role = p.roles(l.who.Key)
	}
	if c, ok := p.registry.Find(l.line); l.who.Role == access.None && (!ok || !c.Public) {
		err := fmt.Errorf("only players with a role may give this command; ask the host's owner for one (your key is %s)", cmp.Or(l.who.Key, "not proved"))
		logCommand(p.log, l.who, l.line, err)
		return []string{err.Error()}
	}
	answer, err := p.registry.Do(ctx, l.who, l.line)
	switch {
	case err != nil:
		return []string{err.Error()}
	case len(answer) == 0:
		return []string{"done"}
	case len(answer) > maxTold:
		more := len(answer) - maxTold + 1
		answer = append(answer[:maxTold-1:maxTold-1], "… "+engine.Counted(more, "more line")+"; the console of the host shows all")
	}
	return answer
}

// answer shows the lines of an answer to the player who gave the command, and to nobody else.
func (g *game) answer(connection uint32, lines []string) {
	pc := g.local
	if connection != 0 {
		pc = nil
		if _, s := g.Current(); s != nil {
			s.Connections(func(c *server.Conn) {
				if c.ID == connection {
					pc = c.Player()
				}
			})
		}
	}
	if pc == nil || pc.Deleted() {
		return // they have left
	}
	for _, l := range lines {
		g.tell(pc, l)
	}
}

// tell shows a player a line of text.
func (g *game) tell(pc *engine.Actor, text string) {
	if len(text) > maxToldBytes {
		text = strings.ToValidUTF8(text[:maxToldBytes-len("…")], "") + "…"
	}
	_, _ = g.VM.Call(pc, "ClientMessage", engine.String(text)) // a fault is reported
}
